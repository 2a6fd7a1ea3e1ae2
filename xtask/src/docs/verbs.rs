//! docs/verbs.md: what the binary says about its own verbs.

use std::path::Path;

use super::Page;
use crate::process::{cargo, output};
use crate::tree::File;

/// The binary's hidden verb that prints the page.
const VERB: &str = "help-markdown";

pub fn make(_root: &Path, _files: &[File]) -> Result<Page, String> {
    let build = ["build", "--quiet", "--locked", "--package", "ambit-cli"];
    output(cargo(&build))?;
    let run = ["run", "--quiet", "--locked", "--package", "ambit-cli", "--", VERB];
    let mut command = cargo(&run);
    // The page is the same whatever terminal it is made in.
    command.env("COLUMNS", "100").env("NO_COLOR", "1");
    Ok(match output(command) {
        Ok(text) if !text.trim().is_empty() => Page::Made(text),
        Ok(_) => Page::NotYet(format!("`ambit {VERB}` prints nothing yet")),
        Err(why) => Page::NotYet(format!("there is no `ambit {VERB}` yet ({why})")),
    })
}
