//! Just enough of Rust's grammar to tell code from comments and texts: a list of tokens with their
//! lines. The checks need no more, and a real parser would be the slowest thing to build here.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A name, a keyword or a number.
    Word,
    /// One character, or `::`.
    Sign,
    /// A string literal; its text is what stands between the quotes.
    Text,
    /// A character literal or a lifetime.
    Quoted,
    /// A comment, with its slashes.
    Comment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub sort: Sort,
    pub text: &'a str,
    /// Where it begins, from 1.
    pub line: usize,
}

impl Token<'_> {
    pub fn is(&self, text: &str) -> bool {
        matches!(self.sort, Sort::Word | Sort::Sign) && self.text == text
    }

    /// The line it ends in.
    pub fn last_line(&self) -> usize {
        self.line + self.text.matches('\n').count()
    }
}

/// All tokens, comments among them.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { source, at: 0, line: 1, tokens: Vec::new() };
    while lexer.next() {}
    lexer.tokens
}

/// All tokens but comments.
pub fn code(source: &str) -> Vec<Token<'_>> {
    let mut tokens = tokens(source);
    tokens.retain(|token| token.sort != Sort::Comment);
    tokens
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    line: usize,
    tokens: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn next(&mut self) -> bool {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return false };
        if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else if rest.starts_with("//") {
            self.push(Sort::Comment, rest.find('\n').unwrap_or(rest.len()));
        } else if rest.starts_with("/*") {
            self.push(Sort::Comment, block_comment(rest));
        } else if let Some((open, inner, close)) = literal(rest) {
            self.skip(open);
            self.push(Sort::Text, inner);
            self.skip(close);
        } else if first == '\'' {
            self.push(Sort::Quoted, quoted(rest));
        } else if is_word(first) {
            let raw = if rest.starts_with("r#") { 2 } else { 0 };
            let end = rest[raw..].find(|c| !is_word(c)).map_or(rest.len(), |end| raw + end);
            self.push(Sort::Word, end.max(1));
        } else {
            let long = if rest.starts_with("::") { 2 } else { first.len_utf8() };
            self.push(Sort::Sign, long);
        }
        true
    }

    fn skip(&mut self, bytes: usize) {
        self.line += self.rest()[..bytes].matches('\n').count();
        self.at += bytes;
    }

    fn push(&mut self, sort: Sort, bytes: usize) {
        let text = &self.rest()[..bytes];
        self.tokens.push(Token { sort, text, line: self.line });
        self.skip(bytes);
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The bytes of a block comment, which may hold others.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// The bytes before, in and after the quotes of a string literal, where one begins here.
fn literal(rest: &str) -> Option<(usize, usize, usize)> {
    let prefix = rest.bytes().take(9).position(|byte| byte == b'"')?;
    let mark = &rest[..prefix];
    let hashes = mark.matches('#').count();
    let kind = mark.trim_end_matches('#');
    let raw = matches!(kind, "r" | "br" | "cr");
    if !(raw || matches!(kind, "" | "b" | "c") && hashes == 0) {
        return None;
    }
    let open = prefix + 1;
    let body = &rest[open..];
    if raw {
        let end = format!("\"{}", "#".repeat(hashes));
        let inner = body.find(&end).unwrap_or(body.len());
        return Some((open, inner, end.len().min(body.len() - inner)));
    }
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some((open, at, 1)),
            _ => {}
        }
    }
    Some((open, body.len(), 0))
}

/// The bytes of a character literal or a lifetime.
fn quoted(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            // The escaped character itself may be a quote.
            let after = chars.nth(1).map_or(rest.len(), |(at, _)| at);
            rest[after..].find('\'').map_or(rest.len(), |end| after + end + 1)
        }
        Some((_, c)) => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ if is_word(c) => rest[1..].find(|c| !is_word(c)).map_or(rest.len(), |end| end + 1),
            _ => 1,
        },
        None => rest.len(),
    }
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
    let all = tokens(source);
    let code: Vec<Token> =
        all.iter().filter(|token| token.sort != Sort::Comment).copied().collect();
    let mut functions = Vec::new();
    for (at, pair) in code.windows(2).enumerate() {
        // `fn(` is a type.
        if pair[0].is("fn")
            && pair[1].sort == Sort::Word
            && let Some(last) = body_end(&code[at..])
        {
            let (above, is_test) = above(&all, &code, at);
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
fn above(all: &[Token], code: &[Token], at: usize) -> (usize, bool) {
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
    let before = if begin == 0 { 0 } else { code[begin - 1].last_line() };
    let is_test = code[begin..at].windows(2).any(|pair| {
        (pair[0].is("[") || pair[0].is("::")) && pair[1].is("test") // also `#[tokio::test]`
    });
    let start = code[begin].line;
    let first = all
        .iter()
        .filter(|token| token.sort == Sort::Comment && !token.text.starts_with("//!"))
        .filter(|token| token.line > before && token.line < start)
        .map(|token| token.line)
        .next();
    (first.unwrap_or(start).min(start), is_test)
}

#[cfg(test)]
mod tests {
    use super::{Sort, code, functions, tokens};

    fn words(source: &str) -> Vec<&str> {
        code(source).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_and_texts_are_no_code() {
        let source =
            "a /* b /* c */ d */ \"e // \\\" f\" // g\nr#\"h \" i\"# b\"j\" 'k' '\\'' &'l m";
        let found = tokens(source);
        let of = |sort| -> Vec<&str> {
            found.iter().filter(|token| token.sort == sort).map(|token| token.text).collect()
        };
        assert_eq!(of(Sort::Word), ["a", "m"]);
        assert_eq!(of(Sort::Text), ["e // \\\" f", "h \" i", "j"]);
        assert_eq!(of(Sort::Quoted), ["'k'", "'\\''", "'l"]);
        assert_eq!(of(Sort::Comment), ["/* b /* c */ d */", "// g"]);
        assert_eq!(found.last().map(|token| token.line), Some(2));
    }

    #[test]
    fn paths_keep_their_signs() {
        assert_eq!(
            words("std::fs::x('\"', r#type)"),
            ["std", "::", "fs", "::", "x", "(", "'\"'", ",", "r#type", ")"]
        );
    }

    #[test]
    fn texts_that_never_end_do_not_hang() {
        for source in ["\"abc", "r#\"abc", "/* abc", "'", "'\\", "b", "\"\\"] {
            tokens(source);
        }
    }

    #[test]
    fn functions_have_lines_and_know_tests() {
        let source = "//! Head.\n\n/// One.\npub fn one(a: [u8; 2]) -> fn() {\n    // }\n}\n\n\
            trait T {\n    fn none(&self);\n}\n\nmod tests {\n    // Why.\n    #[test]\n    \
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
