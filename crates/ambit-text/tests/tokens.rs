//! Compares the token counter with the `tiktoken` crate, whose counts it must equal.

use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use ambit_text::tokens::count;
use tiktoken::CoreBpe;

/// The crate's own encoder, with special tokens as ordinary text.
fn oracle() -> &'static CoreBpe {
    tiktoken::get_encoding("o200k_base").unwrap_or_else(|| panic!("the vocabulary is built in"))
}

fn assert_equal(oracle: &CoreBpe, text: &str) {
    let (ours, theirs) = (count(text), oracle.count(text) as u64);
    assert_eq!(ours, theirs, "tokens of {text:?}");
}

/// Texts that end, begin or join pieces in each way that the pattern allows.
const EDGE_CASES: &[&str] = &[
    "",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t\n x",
    "  \n  \n  x",
    "  \n  \n  ",
    "   x",
    "\u{a0}\u{a0}x",
    "\u{3000}\u{3000}",
    "\u{3000}\u{3000}!",
    "\u{2028}a\u{2028}\n",
    "a \u{85}b",
    "\0",
    "\0\0\0",
    "abc\0",
    "abc\0\0\0\0\0",
    "\u{1}\u{2}\u{3}\u{7}",
    "hello world",
    "Hello, World!",
    "HTTPServer's XMLHttpRequest'LL",
    "don't DON'T we've I'M you'Re they'd it's o'clock 'twas '",
    "it's's it'sa it'",
    "it'ſ it'ſabc ÉCOLE'ſ été'ſt 中'ſ 中A'ſ 、中'ſ \u{301}'ſ !\u{301}'ſ",
    "12345678 1 12 123 1234 ٣٤٥٦ Ⅷ½²³४५६७ 1²3४",
    "a1b22c333d4444",
    "\u{301}",
    "\u{301}A",
    "\u{301}Ab",
    "\u{301}'s",
    "\u{301}A's",
    "!\u{301}A",
    "!!\u{301}A",
    " \u{301}",
    "e\u{301}E\u{301}E",
    "中A",
    "A中A",
    "A中Aa",
    "ǅǅa ǅA ʰA ʰaA",
    "你好，世界。、中文",
    "日本語のテキスト、カタカナー・ｶﾀｶﾅ ＡＢｃ",
    "한국어 텍스트 입니다",
    "नमस्ते दुनिया",
    "สวัสดีชาวโลก",
    "مرحبا بالعالم",
    "🎉🎉 👩‍👩‍👧‍👦 🇩🇪 ✌🏽x",
    "...\n/\r\n//x",
    " //\n/a",
    "!\n\n\n",
    " !\n \n!",
    "https://example.org/a_b-c?d=%20&e=#f",
    "<|endoftext|><|endofprompt|>",
    "fn main() {\n    let x = vec![1, 2];\n\n\treturn;\n}\n",
    "supercalifragilisticexpialidocious",
];

#[test]
fn edge_cases_are_equal() {
    let oracle = oracle();
    for text in EDGE_CASES {
        assert_equal(oracle, text);
        // Each text also together with others, because a piece depends on what follows.
        for other in EDGE_CASES {
            assert_equal(oracle, &format!("{text}{other}"));
        }
    }
}

#[test]
fn runs_of_every_length_are_equal() {
    let oracle = oracle();
    for unit in ["a", "!", " ", "\n", "-", "=", "中", "e\u{301}", "ab", "Ab", "0", "\0", "😀"] {
        for times in 0..300 {
            assert_equal(oracle, &unit.repeat(times));
        }
    }
}

/// Small deterministic generator (xorshift with a multiplication at the end).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Returns any character; planes with many characters are more frequent than empty ones.
    fn char(&mut self) -> char {
        let end = [0x80, 0x250, 0x800, 0x3100, 0x1_0000, 0x2_0000, 0x11_0000][self.below(7)];
        char::from_u32(self.below(end) as u32).unwrap_or('\u{fffd}')
    }
}

/// The units of the random texts; the empty unit stands for any character.
const ALPHABETS: &[&[&str]] = &[
    &[
        "fn", "let", "self", " ", " ", "    ", "\n", "_", "(", ")", "{", "}", ";", "::", "->", "=",
        "\"", "//", "0", "17", "x", "Vec", "String", "HTTP", "id", ".", ",", "\t", "/", "'s", "i",
    ],
    &[
        " ", " ", "\n", "\r", "\t", "\u{b}", "\u{a0}", "\u{3000}", "\u{2028}", "\u{85}", "a", "/",
        "!",
    ],
    &[
        "A", "b", "ǅ", "ʰ", "ª", "中", "\u{301}", "\u{903}", "\u{20dd}", "É", "ß", "5", "Ⅷ", "²",
        "_", "€", "+", " ", "'", "\n", "\u{200d}", "\u{ad}", "Ω", "ж", "ｶ", "Ａ", "ー",
    ],
    &[
        "'", "'", "s", "S", "ſ", "'ſ", "t", "re", "VE", "m", "Ll", "d", "l", "I", "it", " ", "中",
        "é", "、", "E", "\u{301}", "’",
    ],
    &["😀", "👩", "\u{200d}", "🏽", "🇩", "\u{fe0f}", "❤", "☃", " ", "a", "!", "\n", "1\u{20e3}"],
    &[
        "中", "文", "的", "我们", "日本", "の", "カ", "ー", "한국", "어", "，", "。", "、",
        "\u{3000}", "「", "」", "Ａ", "ｂ", "１", "・", "𠀀", "々", "〇", "\u{3099}", "a", "B",
        " ", "\n",
    ],
    &["0", "1", "9", "٣", "४", "๕", "Ⅷ", "½", "²", "𝟘", "一", "〇", "１", " ", ",", ".", "-"],
    &["th", "e", "qu", "ing", "tion", "a", "o", "r", "n", "s", " ", " ", "z", "X", "k", "ly", "un"],
];

/// Used rarely, because `tiktoken` takes a hundred times longer on it.
const ANY: &[&str] = &["", "", "", " ", "a", "A", "\n"];

fn random_text(random: &mut Random, text: &mut String) {
    text.clear();
    let alphabet = match random.below(64) {
        0 => ANY,
        _ => ALPHABETS[random.below(ALPHABETS.len())],
    };
    // Mostly short, and sometimes long enough for every way of merging.
    let longest = [6, 16, 16, 40, 100][random.below(5)];
    for _ in 0..random.below(longest) {
        match random.pick(alphabet) {
            "" => text.push(random.char()),
            unit => text.push_str(unit),
        }
    }
}

#[test]
fn a_million_random_texts_are_equal() {
    const THREADS: u64 = 2;
    const TEXTS: u64 = 1_000_000;
    let oracle = oracle();
    thread::scope(|scope| {
        for thread in 1..=THREADS {
            scope.spawn(move || {
                let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ thread);
                let mut text = String::new();
                for _ in 0..TEXTS / THREADS {
                    random_text(&mut random, &mut text);
                    assert_equal(oracle, &text);
                }
            });
        }
    });
}

/// Long pieces are merged by another algorithm than short ones, so they need texts of their own.
#[test]
fn long_pieces_are_equal() {
    const UNITS: &[&[&str]] = &[
        &["a", "b", "c", "d", "e", "g", "h", "i", "l", "n", "o", "r", "s", "t", "u", "x", "z"],
        &["th", "e", "qu", "ing", "tion", "a", "o", "r", "ation", "s", "un", "ly", "er", "in"],
        &["a", "aa", "b"],
        &["中", "文", "的", "我们", "日本", "の", "カ", "ー", "한국", "어", "ा", "न", "ส", "ว"],
        &["!", "=", "-", "_", "//", ")", "*", "#", "€", "…", "😀"],
        &[" ", " ", " ", "\t", "\u{a0}", "\r", "\n"],
    ];
    let oracle = oracle();
    let mut random = Random(3);
    for _ in 0..3000 {
        let units = UNITS[random.below(UNITS.len())];
        let text: String = (0..random.below(2000)).map(|_| random.pick(units)).collect();
        assert_equal(oracle, &text);
    }
}

/// Every character of the planes in use, between characters that it might join.
#[test]
fn every_character_is_equal() {
    let oracle = oracle();
    for c in ('\0'..'\u{32400}').chain('\u{e0000}'..'\u{e0200}') {
        assert_equal(oracle, &format!("a{c}A{c} {c}{c}1!{c}b"));
    }
}

#[test]
fn recorded_texts_are_equal() {
    let recorded = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/traces");
    let folder = env::var_os("AMBIT_TRACES").map_or(recorded, PathBuf::from);
    let Ok(files) = fs::read_dir(&folder) else {
        println!("no recorded texts at {}: nothing compared", folder.display());
        return;
    };
    let oracle = oracle();
    for file in files {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        assert_equal(oracle, &text);
        for value in serde_json::Deserializer::from_str(&text).into_iter() {
            each_string(&value.unwrap(), &mut |text| assert_equal(oracle, text));
        }
    }
}

fn each_string(value: &serde_json::Value, visit: &mut impl FnMut(&str)) {
    match value {
        serde_json::Value::String(text) => visit(text),
        serde_json::Value::Array(values) => values.iter().for_each(|v| each_string(v, visit)),
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                visit(name);
                each_string(value, visit);
            }
        }
        _ => {}
    }
}

/// A quadratic step anywhere would take hours on these texts, so the bound can be generous.
#[test]
fn hostile_texts_take_bounded_time() {
    const SIZE: usize = 4 << 20;
    let mut random = Random(7);
    let letters = (0..SIZE).map(|_| char::from(b'a' + random.below(26) as u8)).collect();
    let texts: [(&str, String); 9] = [
        ("a", "a".repeat(SIZE)),
        ("!", "!".repeat(SIZE)),
        ("space", " ".repeat(SIZE)),
        ("newline", "\n".repeat(SIZE)),
        ("中", "中".repeat(SIZE / 3)),
        ("letters", letters),
        ("upper after both", format!("中{}", "A".repeat(SIZE))),
        ("marks", "\u{301}A".repeat(SIZE / 3)),
        ("space before line end", " \n".repeat(SIZE / 2) + &" ".repeat(SIZE)),
    ];
    for (name, text) in texts {
        let begun = Instant::now();
        let tokens = count(&text);
        let taken = begun.elapsed();
        println!("{name}: {tokens} tokens in {taken:?}");
        assert!(tokens > 0 && taken < Duration::from_secs(20), "{name} took {taken:?}");
    }
}
