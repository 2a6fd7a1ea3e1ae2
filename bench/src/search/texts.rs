//! Generated texts and questions with a natural distribution of words: few are frequent, most are
//! rare.

/// The size of the vocabulary.
const WORDS: usize = 30_000;

pub struct Texts {
    words: Vec<String>,
}

/// A deterministic random number generator.
struct Rng(u64);

impl Rng {
    fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Returns a number below a bound; smaller ones are likelier, like words of a language.
    fn ranked(&mut self, bound: usize) -> usize {
        let share = self.next() as f64 / (1u64 << 53) as f64;
        ((bound as f64).powf(share) as usize).saturating_sub(1).min(bound - 1)
    }
}

impl Texts {
    pub fn new() -> Texts {
        const SYLLABLES: [&str; 24] = [
            "ba", "con", "der", "fi", "gra", "hol", "in", "jo", "ka", "lun", "mer", "no", "or",
            "pel", "qui", "ras", "sto", "tur", "ul", "ven", "wil", "xa", "yor", "zim",
        ];
        let word = |number: usize| {
            let mut rest = number + 24;
            let mut word = String::new();
            while rest > 0 {
                word += SYLLABLES[rest % 24];
                rest /= 24;
            }
            word
        };
        Texts { words: (0..WORDS).map(word).collect() }
    }

    /// Returns a text of `bytes` bytes: words, with an occasional name, path or number.
    pub fn text(&self, bytes: usize, number: u64) -> String {
        let mut rng = Rng::new(number + 1);
        let mut out = format!("{number}:");
        while out.len() < bytes {
            let word = &self.words[rng.ranked(WORDS)];
            let other = &self.words[rng.ranked(WORDS)];
            out += &match rng.below(40) {
                0 => format!(" {word}_{other}"),
                1 => format!(" src/{word}/{other}.rs:{}", rng.below(900)),
                2 => format!(" {}", rng.below(100_000)),
                3 => format!(" {word}."),
                _ => format!(" {word}"),
            };
        }
        out.truncate(bytes);
        out
    }

    /// Returns a text of `bytes` bytes without words.
    pub fn signs(&self, bytes: usize, number: u64) -> String {
        const SIGNS: [&str; 8] = ["!? ", ";; ", ", ", "() ", "[] ", "{} ", "= ", "<> "];
        let mut rng = Rng::new(number + 1);
        let mut out = String::new();
        while out.len() < bytes {
            out += SIGNS[rng.below(8) as usize];
        }
        out.truncate(bytes);
        out
    }

    /// Returns a question about one of the texts: some of its words and some frequent words.
    pub fn question(&self, bytes: usize, number: u64, items: u64) -> String {
        let mut rng = Rng::new(number + 1_000_003);
        let text = self.text(bytes, rng.below(items));
        let words: Vec<&str> = text.split_whitespace().skip(1).collect();
        let count = 5 + rng.below(11);
        let pick = |rng: &mut Rng| match rng.below(3) {
            0 => self.words[rng.below(40) as usize].clone(),
            _ => words[rng.below(words.len() as u64) as usize].to_string(),
        };
        let picked: Vec<String> = (0..count).map(|_| pick(&mut rng)).collect();
        picked.join(" ") + "?"
    }
}
