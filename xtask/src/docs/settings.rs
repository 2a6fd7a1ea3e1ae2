//! docs/settings.md: the table of settings.

use std::path::Path;

use ambit_core::SETTINGS;

use super::{Page, cell, head};
use crate::tree::File;

pub fn make(_root: &Path, _files: &[File]) -> Result<Page, String> {
    Ok(Page::Made(page()))
}

fn page() -> String {
    let mut page = head("Settings", "the core's table of settings");
    page.push_str(
        "\nEverything that decides a result is a setting of the vault, and where the table says so \
         of one\nscope as well. A change is an event like any other: the same log gives the same \
         result anywhere.\n`ambit settings` shows what is in force.\n\n\
         | setting | default | takes | per scope | what it does |\n|---|---|---|---|---|\n",
    );
    for setting in SETTINGS {
        page.push_str(&format!(
            "| `{}` | {} | {} | {} | {} |\n",
            setting.name,
            setting.show(&setting.default()),
            cell(&setting.takes()),
            if setting.per_scope { "yes" } else { "no" },
            cell(setting.help),
        ));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::page;
    use ambit_core::SETTINGS;

    #[test]
    fn every_setting_has_a_line() {
        let page = page();
        for setting in SETTINGS {
            assert!(page.contains(&format!("\n| `{}` |", setting.name)), "{}", setting.name);
        }
    }
}
