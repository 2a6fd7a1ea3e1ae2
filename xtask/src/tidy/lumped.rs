//! A `match` that lists many variants only to do nothing: a new variant joins the list, compiles,
//! and is silently ignored. Each handler has one total `match` per noun instead.

use super::Finding;
use crate::source::{Token, code};
use xtask::tree::File;

/// Where changes and events are handled.
const FOLDERS: [&str; 2] = ["crates/ambit-core/src/", "crates/ambit-store/src/"];

/// How many variants may be passed over by name at once.
const ALTERNATIVES_MAX: usize = 3;

/// Bodies that do nothing.
const EMPTY: [&[&str]; 3] = [&["{", "}"], &["(", ")"], &["Ok", "(", "(", ")", ")"]];

pub fn check(files: &[File]) -> Vec<Finding> {
    let handlers = files.iter().filter(|file| file.is_rust());
    let handlers = handlers.filter(|file| FOLDERS.iter().any(|it| file.path.starts_with(it)));
    handlers.flat_map(in_file).collect()
}

fn in_file(file: &File) -> Vec<Finding> {
    let code = code(&file.text);
    let mut findings = Vec::new();
    for at in (0..code.len()).filter(|at| is_arrow(&code, *at)) {
        let body = &code[at + 2..];
        let nothing = EMPTY.iter().any(|empty| {
            body.len() >= empty.len() && body.iter().zip(*empty).all(|(token, text)| token.is(text))
        });
        let count = alternatives(&code[..at]);
        if nothing && count > ALTERNATIVES_MAX {
            let what = format!("an arm that passes over {count} variants");
            let why = "split the enum by noun, and match each in full";
            findings.push(Finding::new(file, code[at].line, what, why));
        }
    }
    findings
}

/// Whether `=>` begins here.
fn is_arrow(code: &[Token], at: usize) -> bool {
    code[at].is("=") && code.get(at + 1).is_some_and(|next| next.is(">"))
}

/// How many alternatives the pattern has that ends here.
fn alternatives(code: &[Token]) -> usize {
    let (mut depth, mut count) = (0, 1);
    for (at, token) in code.iter().enumerate().rev() {
        match token.text {
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" if depth == 0 => break,
            "(" | "[" | "{" => depth -= 1,
            "," if depth == 0 => break,
            ">" if depth == 0 && at > 0 && is_arrow(code, at - 1) => break,
            "|" if depth == 0 => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::check;
    use xtask::tree::File;

    fn found(arms: &str) -> usize {
        let text = format!("fn f() {{ match x {{ X::Z => {{ go() }} {arms} }} }}");
        check(&[File::new("crates/ambit-core/src/a.rs", &text)]).len()
    }

    #[test]
    fn many_variants_that_do_nothing_are_found() {
        assert_eq!(found("X::A | X::B { .. } | X::C(_) | X::D => {}"), 1);
        assert_eq!(found("X::A | X::B | X::C | X::D => Ok(()),"), 1);
        assert_eq!(found("X::A | X::B | X::C | X::D => (), X::E => {}"), 1);
    }

    #[test]
    fn few_variants_and_those_that_do_something_are_not() {
        assert_eq!(found("X::A | X::B | X::C => {} X::D | X::E => {}"), 0);
        assert_eq!(found("X::A | X::B | X::C | X::D => Ok((a, b)), _ => {}"), 0);
        assert_eq!(found("X::A((B | C | D | E)) => {}"), 0);
    }
}
