//! Reads Rust source as a flat list of tokens with their lines, by `proc-macro2`, and finds
//! functions.
//!
//! It uses tokens instead of a syntax tree, because functions, modules and names inside macros
//! count too.

use std::str::FromStr;

use proc_macro2::{Spacing, TokenStream, TokenTree};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name, a keyword or a number.
    Word,
    /// A punctuation character, or `::`.
    Punct,
    /// A string literal; its text is without the quotes.
    String,
    /// A character or a byte.
    Char,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    /// The line in which the token begins, from 1.
    pub line: usize,
}

impl Token<'_> {
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, TokenKind::Word | TokenKind::Punct) && self.text == text
    }
}

/// Returns all tokens except comments and lifetimes. A file that does not parse has no tokens; the
/// compiler reports it.
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
        // A doc comment is parsed as an attribute; each of its tokens spans the comment.
        if text.starts_with("//") || text.starts_with("/*") {
            continue;
        }
        let mut push = |kind, text| tokens.push(Token { kind, text, line });
        match &tree {
            TokenTree::Ident(_) => push(TokenKind::Word, text),
            TokenTree::Literal(_) => {
                let (kind, text) = literal(text);
                push(kind, text);
            }
            TokenTree::Punct(punct) if punct.as_char() == '\'' => drop(trees.next()),
            TokenTree::Punct(punct) => {
                let joint = punct.as_char() == ':' && punct.spacing() == Spacing::Joint;
                let twice = joint && source[range.end..].starts_with(':');
                if twice {
                    trees.next();
                }
                push(
                    TokenKind::Punct,
                    if twice { &source[range.start..range.end + 1] } else { text },
                );
            }
            TokenTree::Group(group) => {
                for (span, inner) in
                    [(group.span_open(), Some(group.stream())), (group.span_close(), None)]
                {
                    // A group may have no delimiters.
                    let text = source.get(span.byte_range()).filter(|text| text.len() == 1);
                    let (kind, line) = (TokenKind::Punct, span.start().line);
                    tokens.extend(text.map(|text| Token { kind, text, line }));
                    if let Some(inner) = inner {
                        flatten(source, inner, tokens);
                    }
                }
            }
        }
    }
}

/// Returns the kind of a literal, and the text of a string without its quotes.
fn literal(text: &str) -> (TokenKind, &str) {
    if text.ends_with('\'') {
        return (TokenKind::Char, text);
    }
    let quotes = text.find('"').zip(text.rfind('"')).filter(|(open, close)| open < close);
    quotes.map_or((TokenKind::Word, text), |(open, close)| {
        (TokenKind::String, &text[open + 1..close])
    })
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// The line of `fn`.
    pub first: usize,
    /// The line of its last brace.
    pub last: usize,
    /// The first line of the comments and attributes above the function.
    pub above: usize,
    pub is_test: bool,
}

impl Function {
    /// Whether a line is in the function, or in the comments and attributes above it.
    pub fn covers(&self, line: usize) -> bool {
        (self.above..=self.last).contains(&line)
    }
}

/// Returns every function with a body, including nested ones.
pub fn functions(source: &str) -> Vec<Function> {
    let code = code(source);
    let lines: Vec<&str> = source.lines().collect();
    let mut functions = Vec::new();
    for (at, pair) in code.windows(2).enumerate() {
        // `fn(` is a type.
        if pair[0].is("fn")
            && pair[1].kind == TokenKind::Word
            && let Some(last) = body_end(&code[at..])
        {
            let (above, is_test) = above(&lines, &code, at);
            let name = pair[1].text.to_string();
            functions.push(Function { name, first: pair[0].line, last, above, is_test });
        }
    }
    functions
}

/// Returns the line of the brace that closes the body, or `None` without a body.
fn body_end(code: &[Token]) -> Option<usize> {
    let mut depth = 0;
    let mut begun = false;
    let mut brackets = 0;
    for token in code.iter().filter(|token| token.kind == TokenKind::Punct) {
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

/// Returns the first line of the comments and attributes above a function, and whether an attribute
/// makes it a test.
fn above(lines: &[&str], code: &[Token], at: usize) -> (usize, bool) {
    // Goes back over `pub(crate) async unsafe …` and attributes to the end of the previous item.
    let mut begin = at;
    let mut brackets = 0;
    while begin > 0 {
        match code[begin - 1].text {
            "]" | ")" if code[begin - 1].kind == TokenKind::Punct => brackets += 1,
            "[" | "(" if code[begin - 1].kind == TokenKind::Punct => brackets -= 1,
            "}" | "{" | ";" | "," if code[begin - 1].kind == TokenKind::Punct && brackets == 0 => {
                break;
            }
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
    use super::{TokenKind, code, functions};

    fn words(source: &str) -> Vec<&str> {
        code(source).iter().map(|token| token.text).collect()
    }

    #[test]
    fn tokens_are_classified_and_comments_skipped() {
        let source = "/// n\na /* b /* c */ d */ \"e // \\\" f\" // g\nr#\"h \" i\"# b\"j\" 'k' \
            '\\'' &'l m 1";
        let found = code(source);
        let of = |kind| -> Vec<&str> {
            found.iter().filter(|token| token.kind == kind).map(|token| token.text).collect()
        };
        assert_eq!(of(TokenKind::Word), ["a", "m", "1"]);
        assert_eq!(of(TokenKind::String), ["e // \\\" f", "h \" i", "j"]);
        assert_eq!(of(TokenKind::Char), ["'k'", "'\\''"]);
        assert_eq!(of(TokenKind::Punct), ["&"]);
        assert_eq!(found.last().map(|token| token.line), Some(3));
    }

    #[test]
    fn a_double_colon_is_one_token() {
        assert_eq!(
            words("std::fs::x('\"', r#type) ü: 2"),
            ["std", "::", "fs", "::", "x", "(", "'\"'", ",", "r#type", ")", "ü", ":", "2"]
        );
    }

    #[test]
    fn invalid_source_has_no_tokens() {
        for source in ["\"abc", "r#\"abc", "/* abc", "'\\", "( }"] {
            assert_eq!(words(source), [""; 0]);
        }
    }

    #[test]
    fn functions_have_lines_and_tests_are_recognised() {
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
