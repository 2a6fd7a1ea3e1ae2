//! Checks the lengths of files, functions and lines, and that a file begins with a module doc.

use super::Finding;
use crate::source::functions;
use xtask::tree::File;

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;
const COLUMNS_MAX: usize = 100;

pub fn check(files: &[File]) -> Vec<Finding> {
    files.iter().filter(|file| file.is_rust()).flat_map(lengths).collect()
}

fn lengths(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !file.text.starts_with("//!") {
        let why = "the first line must say what the file is for";
        findings.push(Finding::new(file, 1, "no `//!` at the top", why));
    }
    let lines = file.text.lines().count();
    if lines > FILE_LINES_MAX {
        let why = format!("{FILE_LINES_MAX} at most: split it");
        findings.push(Finding::new(file, lines, format!("a file of {lines} lines"), why));
    }
    for (number, line) in (1..).zip(file.text.lines()) {
        let columns = line.chars().count();
        if columns > COLUMNS_MAX {
            let what = format!("a line of {columns} columns");
            findings.push(Finding::new(file, number, what, format!("{COLUMNS_MAX} at most")));
        }
    }
    for function in functions(&file.text) {
        let lines = function.last - function.first + 1;
        if lines > FUNCTION_LINES_MAX {
            let what = format!("`fn {}` of {lines} lines", function.name);
            let why = format!("{FUNCTION_LINES_MAX} at most: split it");
            findings.push(Finding::new(file, function.first, what, why));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::check;
    use xtask::tree::File;

    fn found(text: &str) -> Vec<String> {
        check(&[File::new("a.rs", text)]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn long_files_and_lines_are_found() {
        let fits = format!("//! A.\n{}", "// b\n".repeat(499));
        assert_eq!(found(&fits), [""; 0]);
        let long = format!("{fits}// c\n");
        assert_eq!(found(&long), ["a.rs:501: a file of 501 lines: 500 at most: split it"]);
        let wide = format!("//! A.\n//{}\n//{}\n", "ä".repeat(98), "ä".repeat(99));
        assert_eq!(found(&wide), ["a.rs:3: a line of 101 columns: 100 at most"]);
    }

    #[test]
    fn long_functions_are_found() {
        let of = |lines: usize| format!("//! A.\nfn f() {{\n{}}}\n", "// }\n".repeat(lines - 2));
        assert_eq!(found(&of(70)), [""; 0]);
        assert_eq!(found(&of(71)), ["a.rs:2: `fn f` of 71 lines: 70 at most: split it"]);
    }

    #[test]
    fn a_file_without_a_module_doc_is_found() {
        assert!(found("fn main() {}")[0].contains("no `//!` at the top"));
    }
}
