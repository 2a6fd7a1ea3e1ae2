//! Prints docs/settings.md, the table of settings: `cargo xtask docs`.

use ambit_core::SETTINGS;

fn main() {
    print!(
        "\nEverything that decides a result is a setting of the vault, and where the table says so \
         of one\nscope as well. A change is an event like any other: the same log gives the same \
         result anywhere.\n`ambit settings` shows what is in force.\n\n\
         | setting | default | takes | per scope | what it does |\n|---|---|---|---|---|\n",
    );
    for setting in SETTINGS {
        println!(
            "| `{}` | {} | {} | {} | {} |",
            setting.name,
            setting.show(&setting.default()),
            cell(&setting.takes()),
            if setting.per_scope { "yes" } else { "no" },
            cell(setting.help),
        );
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
