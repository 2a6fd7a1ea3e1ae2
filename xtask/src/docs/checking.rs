//! docs/checking.md: the rules that requests are checked by.

use std::path::Path;

use ambit_wire::Format;
use ambit_wire::check::rules;

use super::{Page, cell, head};
use crate::tree::File;

const WORDS: &str = "
`ambit check FILE` says what a provider would refuse in a request, and where. A file holds the
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
answer with. Unknown fields are passed over. What hangs on a model (its window, which media it
takes) is not checked. The check shares no code with what composes requests.
";

pub fn make(_root: &Path, _files: &[File]) -> Result<Page, String> {
    Ok(Page::Made(page()))
}

fn page() -> String {
    let mut page = head("Checking requests", "the core's tables of providers' rules");
    page.push_str(WORDS);
    for format in Format::ALL {
        let title = match format {
            Format::Openai => "OpenAI Chat Completions",
            Format::Responses => "OpenAI Responses",
            Format::Anthropic => "Anthropic Messages",
        };
        page.push_str(&format!("\n## {title} (`{}`)\n\n", format.as_str()));
        page.push_str("| rule | what it asks for | what to do |\n|---|---|---|\n");
        for rule in rules(format) {
            page.push_str(&format!(
                "| `{}` | {} | {} |\n",
                rule.id,
                cell(rule.says),
                cell(rule.hint)
            ));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::page;
    use ambit_wire::Format;
    use ambit_wire::check::rules;

    #[test]
    fn every_rule_has_a_line() {
        let page = page();
        for rule in Format::ALL.into_iter().flat_map(rules) {
            assert!(page.contains(&format!("\n| `{}` |", rule.id)), "{}", rule.id);
        }
    }
}
