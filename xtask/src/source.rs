//! Rust as a flat list of tokens with their lines, read by `proc-macro2`, and the functions in it.
//!
//! Tokens, not a syntax tree: functions, modules and names inside macros count like any other.

use std::str::FromStr;

use proc_macro2::{Spacing, TokenStream, TokenTree};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A name, a keyword or a number.
    Word,
    /// One character, or `::`.
    Sign,
    /// A string literal; its text is what stands between the quotes.
    Text,
    /// A character or a byte.
    Quoted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub sort: Sort,
    pub text: &'a str,
    /// The line it begins in, from 1.
    pub line: usize,
}

impl Token<'_> {
    pub fn is(&self, text: &str) -> bool {
        matches!(self.sort, Sort::Word | Sort::Sign) && self.text == text
    }
}

/// All tokens but comments and lifetimes. A file that is not Rust has no tokens:
/// the compiler reports it.
pub fn code(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    if let Ok(stream) = TokenStream::from_str(source) {
        flatten(source, stream, &mut tokens);
    }
    tokens
}

fn flatten<'a>(source: &'a str, stream: TokenStream, tokens: &mut Vec<Token<'a>>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let (line, range) = (tree.span().start().line, tree.span().byte_range());
        let text = source.get(range.clone()).unwrap_or_default();
        // A doc comment is given as an attribute, each token of which spans the comment.
        if text.starts_with("//") || text.starts_with("/*") {
            continue;
        }
        let mut push = |sort, text| tokens.push(Token { sort, text, line });
        match &tree {
            TokenTree::Ident(_) => push(Sort::Word, text),
            TokenTree::Literal(_) => {
                let (sort, text) = literal(text);
                push(sort, text);
            }
            TokenTree::Punct(sign) if sign.as_char() == '\'' => drop(trees.next()),
            TokenTree::Punct(sign) => {
                let joint = sign.as_char() == ':' && sign.spacing() == Spacing::Joint;
                let twice = joint && source[range.end..].starts_with(':');
                if twice {
                    trees.next();
                }
                push(Sort::Sign, if twice { &source[range.start..range.end + 1] } else { text });
            }
            TokenTree::Group(group) => {
                for (span, inner) in
                    [(group.span_open(), Some(group.stream())), (group.span_close(), None)]
                {
                    // A group without delimiters has nothing to show.
                    let text = source.get(span.byte_range()).filter(|text| text.len() == 1);
                    let (sort, line) = (Sort::Sign, span.start().line);
                    tokens.extend(text.map(|text| Token { sort, text, line }));
                    if let Some(inner) = inner {
                        flatten(source, inner, tokens);
                    }
                }
            }
        }
    }
}

/// What a literal is, and a string's text without its quotes.
fn literal(text: &str) -> (Sort, &str) {
    if text.ends_with('\'') {
        return (Sort::Quoted, text);
    }
    let quotes = text.find('"').zip(text.rfind('"')).filter(|(open, close)| open < close);
    quotes.map_or((Sort::Word, text), |(open, close)| (Sort::Text, &text[open + 1..close]))
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// The line of `fn`.
    pub first: usize,
    /// The line of its last brace.
    pub last: usize,
    /// Where the comments and attributes above it begin.
    pub above: usize,
    pub is_test: bool,
}

impl Function {
    /// Whether a line is above it, among its comments and attributes, or within it.
    pub fn covers(&self, line: usize) -> bool {
        (self.above..=self.last).contains(&line)
    }
}

/// Every function with a body, nested ones too.
pub fn functions(source: &str) -> Vec<Function> {
    let code = code(source);
    let lines: Vec<&str> = source.lines().collect();
    let mut functions = Vec::new();
    for (at, pair) in code.windows(2).enumerate() {
        // `fn(` is a type.
        if pair[0].is("fn")
            && pair[1].sort == Sort::Word
            && let Some(last) = body_end(&code[at..])
        {
            let (above, is_test) = above(&lines, &code, at);
            let name = pair[1].text.to_string();
            functions.push(Function { name, first: pair[0].line, last, above, is_test });
        }
    }
    functions
}

/// The line of the brace that closes the body, unless there is none.
fn body_end(code: &[Token]) -> Option<usize> {
    let mut depth = 0;
    let mut begun = false;
    let mut brackets = 0;
    for token in code.iter().filter(|token| token.sort == Sort::Sign) {
        match token.text {
            "(" | "[" => brackets += 1,
            ")" | "]" => brackets -= 1,
            "{" => {
                depth += 1;
                begun |= brackets == 0;
            }
            "}" => {
                depth -= 1;
                if begun && depth == 0 {
                    return Some(token.line);
                }
            }
            ";" if !begun && brackets == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Where the comments and attributes above a function begin, and whether one makes it a test.
fn above(lines: &[&str], code: &[Token], at: usize) -> (usize, bool) {
    // Back over `pub(crate) async unsafe …` and attributes, to what ends the thing before.
    let mut begin = at;
    let mut brackets = 0;
    while begin > 0 {
        match code[begin - 1].text {
            "]" | ")" if code[begin - 1].sort == Sort::Sign => brackets += 1,
            "[" | "(" if code[begin - 1].sort == Sort::Sign => brackets -= 1,
            "}" | "{" | ";" | "," if code[begin - 1].sort == Sort::Sign && brackets == 0 => break,
            _ => {}
        }
        begin -= 1;
    }
    let is_test = code[begin..at].windows(2).any(|pair| {
        (pair[0].is("[") || pair[0].is("::")) && pair[1].is("test") // also `#[tokio::test]`
    });
    let start = code[begin].line;
    let is_comment = |line: &&&str| {
        let line = line.trim_start();
        line.starts_with("//") && !line.starts_with("//!")
    };
    (start - lines[..start - 1].iter().rev().take_while(is_comment).count(), is_test)
}

#[cfg(test)]
mod tests {
    use super::{Sort, code, functions};

    fn words(source: &str) -> Vec<&str> {
        code(source).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_and_texts_are_no_code() {
        let source = "/// n\na /* b /* c */ d */ \"e // \\\" f\" // g\nr#\"h \" i\"# b\"j\" 'k' \
            '\\'' &'l m 1";
        let found = code(source);
        let of = |sort| -> Vec<&str> {
            found.iter().filter(|token| token.sort == sort).map(|token| token.text).collect()
        };
        assert_eq!(of(Sort::Word), ["a", "m", "1"]);
        assert_eq!(of(Sort::Text), ["e // \\\" f", "h \" i", "j"]);
        assert_eq!(of(Sort::Quoted), ["'k'", "'\\''"]);
        assert_eq!(of(Sort::Sign), ["&"]);
        assert_eq!(found.last().map(|token| token.line), Some(3));
    }

    #[test]
    fn paths_keep_their_signs() {
        assert_eq!(
            words("std::fs::x('\"', r#type) ü: 2"),
            ["std", "::", "fs", "::", "x", "(", "'\"'", ",", "r#type", ")", "ü", ":", "2"]
        );
    }

    #[test]
    fn what_is_not_rust_has_no_tokens() {
        for source in ["\"abc", "r#\"abc", "/* abc", "'\\", "( }"] {
            assert_eq!(words(source), [""; 0]);
        }
    }

    #[test]
    fn functions_have_lines_and_know_tests() {
        let source = "//! Head.\n\n/// One.\npub fn one(a: [u8; 2]) -> fn() {\n    // }\n}\n\n\
            trait T {\n    fn none(&self);\n}\n\nproptest! {\n    // Why.\n    #[test]\n    \
            fn two() {\n        fn three() {}\n    }\n}\n";
        let found = functions(source);
        let lines: Vec<_> =
            found.iter().map(|f| (f.name.as_str(), f.above, f.first, f.last, f.is_test)).collect();
        assert_eq!(
            lines,
            [("one", 3, 4, 6, false), ("two", 13, 15, 17, true), ("three", 16, 16, 16, false)]
        );
    }
}
