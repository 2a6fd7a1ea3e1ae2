//! Prints docs/checking.md, the rules that requests are checked by: `cargo xtask docs`.

use ambit_wire::Format;
use ambit_wire::check::rules;

const WORDS: &str = "
`ambit check FILE` reports what a provider would refuse in a request, and where. A file holds the
JSON of a whole request, the bare list of its messages or items, or what `ambit compose --json`
printed; `-` is standard input. No store is needed, and nothing is sent anywhere.

```text
ambit check request.json --format anthropic
ambit compose --json | ambit check -
```

Without `--format` it is seen from the shape: `input`, or items with a type, are `responses`; a
`system` field, or blocks such as `tool_use`, are `anthropic`; all else is `openai`.

The exit code is 0 where nothing was found and 5 where something was. With `--json` the result is
`{ok, format, messages, faults: [{at, rule, message, hint}]}`.

The rules are those of the providers' published references, and of the errors that their services
answer with. Unknown fields are passed over. What depends on a model (its window, which media it
takes) is not checked. The check shares no code with what composes requests.
";

fn main() {
    print!("{WORDS}");
    for format in Format::ALL {
        let title = match format {
            Format::Openai => "OpenAI Chat Completions",
            Format::Responses => "OpenAI Responses",
            Format::Anthropic => "Anthropic Messages",
        };
        println!("\n## {title} (`{}`)\n", format.as_str());
        println!("| rule | requirement | what to do |\n|---|---|---|");
        for rule in rules(format) {
            println!("| `{}` | {} | {} |", rule.id, cell(rule.says), cell(rule.hint));
        }
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
