//! Extracts the search terms of texts and queries: words in any script, in lower case; English
//! words by their stem; identifiers, paths and dotted names in parts and as a whole; numbers.

use crate::stem::stem;

/// The number of bytes of a text that are analysed.
pub const BYTES_MAX: usize = 256 << 10;

/// The longest name that becomes one term, and the longest run that is analysed, in bytes. Longer
/// runs are data, not names.
const TERM_BYTES_MAX: usize = 256;
const RUN_BYTES_MAX: usize = 1 << 10;

/// The maximum number of terms of a text.
const TERMS_MAX: usize = 1 << 16;

/// The number of a text's last terms that also count for the text after it.
pub const TAIL: usize = 32;

/// A term: a short hash of a word. Two words may share a hash, and both are then found. The index
/// contains no words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u32);

impl Term {
    fn of(word: &[u8]) -> Term {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in word {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // The upper bits select where a term is stored, so they must depend on all bits.
        hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Term((hash >> 32) as u32)
    }
}

/// Returns all terms of a text in order, with repetitions.
pub fn terms_of(text: &[u8]) -> Vec<Term> {
    let mut terms = Vec::with_capacity(text.len().min(BYTES_MAX) / 5);
    words(text, &mut |word| terms.push(Term::of(word)));
    terms
}

impl From<&[u8]> for Term {
    fn from(word: &[u8]) -> Term {
        Term::of(word)
    }
}

/// Calls `each` with every term of a text before hashing.
pub fn words(text: &[u8], each: &mut dyn FnMut(&[u8])) {
    let text = &text[..text.len().min(BYTES_MAX)];
    let text = String::from_utf8_lossy(text);
    let mut left = TERMS_MAX;
    let mut limited = |word: &[u8]| {
        if left > 0 && !word.is_empty() {
            left -= 1;
            each(word);
        }
    };
    for (_, run) in runs(&text) {
        Run { each: &mut limited }.split(cut(run, RUN_BYTES_MAX));
    }
}

/// Returns the runs of connected words, each with its start.
pub fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(char::is_alphanumeric)?;
        at = start + end_of_run(&text[start..]);
        Some((start, &text[start..at]))
    })
}

/// Returns the beginning of a text, at most `bytes` bytes.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Returns whether a character connects words: in names, paths, addresses, dates.
fn joins(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | '/' | '\\' | ':' | '@' | '+' | '\'' | '\u{2019}')
}

/// Returns whether a character separates the parts of a path.
fn separates_path(c: char) -> bool {
    matches!(c, '/' | '\\' | ':' | '@')
}

/// The maximum number of connecting characters between two words, as in `https://host`.
const JOINERS_MAX: usize = 3;

/// Returns the end of the run of connected words at the start of the text.
fn end_of_run(text: &str) -> usize {
    let mut end = 0;
    let mut joiners = 0;
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() {
            joiners = 0;
            end = at + c.len_utf8();
        } else if joins(c) && joiners < JOINERS_MAX {
            joiners += 1;
        } else {
            break;
        }
    }
    end
}

struct Run<'a> {
    each: &'a mut dyn FnMut(&[u8]),
}

impl Run<'_> {
    /// Emits the run's words, the parts of each path, and the run itself.
    fn split(&mut self, run: &str) {
        // "don't" is one word, and "Ada's" is Ada.
        let apostrophe = |c: char| matches!(c, '\'' | '\u{2019}');
        let mut plain;
        let mut run = run;
        if run.contains(apostrophe) {
            plain = String::with_capacity(run.len());
            for (index, piece) in run.split(apostrophe).enumerate() {
                if index == 0 || !matches!(piece, "s" | "S") {
                    plain.push_str(piece);
                }
            }
            run = &plain;
        }
        let mut wholes = 0;
        for part in run.split(separates_path) {
            let words = part.split(joins).filter(|word| !word.is_empty());
            let mut count = 0;
            for word in words {
                count += 1;
                self.word(word);
            }
            if count > 1 && part.len() < run.len() {
                self.whole(part);
            }
            wholes += count;
        }
        if wholes > 1 {
            self.whole(run);
        }
    }

    /// Emits a name as a whole, in lower case.
    fn whole(&mut self, name: &str) {
        if name.len() <= TERM_BYTES_MAX {
            (self.each)(name.to_lowercase().as_bytes());
        }
    }

    fn word(&mut self, word: &str) {
        if word.len() > TERM_BYTES_MAX {
            return;
        }
        if word.is_ascii() {
            return self.ascii(word.as_bytes());
        }
        if word.chars().any(unspaced) {
            return self.pairs(word);
        }
        (self.each)(word.to_lowercase().as_bytes());
    }

    /// Emits a word; for camel case, its words and the whole.
    fn ascii(&mut self, word: &[u8]) {
        let mut from = 0;
        for at in 1..word.len() {
            let (last, this) = (word[at - 1], word[at]);
            let next_lower = word.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            let begins = this.is_ascii_uppercase() && (!last.is_ascii_uppercase() || next_lower);
            // "IDs" is one word, and so is a name in capitals.
            if begins && word.len() - at > 1 && at - from > 1 {
                self.stemmed(&word[from..at]);
                from = at;
            }
        }
        if from > 0 {
            self.stemmed(&word[from..]);
            (self.each)(&word.to_ascii_lowercase());
        } else {
            self.stemmed(word);
        }
    }

    fn stemmed(&mut self, word: &[u8]) {
        let mut word = word.to_ascii_lowercase();
        if word.iter().all(u8::is_ascii_alphabetic) {
            stem(&mut word);
        }
        (self.each)(&word);
    }

    /// Emits pairs of adjacent characters, for scripts without spaces.
    fn pairs(&mut self, word: &str) {
        let word = word.to_lowercase();
        let starts: Vec<usize> =
            word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        if starts.len() == 2 {
            return (self.each)(word.as_bytes());
        }
        for pair in starts.windows(3) {
            (self.each)(&word.as_bytes()[pair[0]..pair[2]]);
        }
    }
}

/// Returns whether a script puts no spaces between words: Chinese, Japanese, Thai and related
/// ones.
fn unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, TERMS_MAX, Term, terms_of, words};

    fn joined_terms(text: &str) -> String {
        let mut all = Vec::new();
        words(text.as_bytes(), &mut |word| all.push(String::from_utf8(word.to_vec()).unwrap()));
        all.join(" ")
    }

    #[test]
    fn texts_have_the_expected_terms() {
        let table = [
            ("", ""),
            (" .-/ \u{0} ", ""),
            ("The sessions expired.", "the session expir"),
            ("don't, Ada's and Ada\u{2019}s", "dont ada and ada"),
            ("getUserName", "get user name getusername"),
            ("HTTPServer", "http server httpserver"),
            ("SESSION_TTL = 3600", "session ttl session_ttl 3600"),
            ("user_id user-id", "user id user_id user id user-id"),
            ("IDs", "id"),
            ("src/lib.rs", "src lib rs lib.rs src/lib.rs"),
            ("v1.2.3", "v1 2 3 v1.2.3"),
            ("std::fs::read", "std fs read std::fs::read"),
            ("https://a.org/b", "http a org a.org b https://a.org/b"),
            ("2023-05-08", "2023 05 08 2023-05-08"),
            ("end.\nNext", "end next"),
            ("a\u{0}b", "a b"),
            ("Straße CAFÉ", "straße café"),
            ("ДОМ дом", "дом дом"),
            ("漢字検索 x", "漢字 字検 検索 x"),
            ("字", "字"),
            ("\u{1f980} crab", "crab"),
            ("\"unclosed (AND OR NOT *", "unclos and or not"),
        ];
        for (text, expected) in table {
            assert_eq!(joined_terms(text), expected, "{text:?}");
        }
    }

    #[test]
    fn invalid_utf8_is_accepted() {
        assert_eq!(terms_of(b"a \xff\xfe b"), terms_of(b"a \x00 b"));
    }

    #[test]
    fn long_input_is_bounded() {
        let many = "ab ".repeat(BYTES_MAX);
        assert!(terms_of(many.as_bytes()).len() <= TERMS_MAX);
        let cut = "é".repeat(BYTES_MAX);
        terms_of(cut.as_bytes());
        // A long run of letters is data and is skipped.
        let data = "aGVsbG8/".repeat(20_000);
        assert!(terms_of(data.as_bytes()).len() < 1_000);
        let behind = format!("{data} needle");
        assert!(terms_of(behind.as_bytes()).contains(&Term::from(&b"needl"[..])));
    }

    #[test]
    fn terms_are_spread_over_their_range() {
        let mut parts = [0u32; 256];
        for number in 0..25_600 {
            parts[(Term::from(format!("w{number}").as_bytes()).0 >> 24) as usize] += 1;
        }
        assert!(parts.iter().all(|count| (50..200).contains(count)), "{parts:?}");
    }
}
