//! Texts and questions that look like those of people: few words often, most of them seldom.

/// How many words there are.
const WORDS: usize = 30_000;

pub struct Texts {
    words: Vec<String>,
}

/// A stream of numbers that looks random and is the same each time.
struct Chance(u64);

impl Chance {
    fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D | 1)
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

    /// A number below a bound, the smaller the likelier: as words are in a language.
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

    /// A text of so many bytes: words, and now and then a name, a path or a number.
    pub fn text(&self, bytes: usize, number: u64) -> String {
        let mut chance = Chance::new(number + 1);
        let mut out = format!("{number}:");
        while out.len() < bytes {
            let word = &self.words[chance.ranked(WORDS)];
            let other = &self.words[chance.ranked(WORDS)];
            out += &match chance.below(40) {
                0 => format!(" {word}_{other}"),
                1 => format!(" src/{word}/{other}.rs:{}", chance.below(900)),
                2 => format!(" {}", chance.below(100_000)),
                3 => format!(" {word}."),
                _ => format!(" {word}"),
            };
        }
        out.truncate(bytes);
        out
    }

    /// As many bytes without a word in them.
    pub fn signs(&self, bytes: usize, number: u64) -> String {
        const SIGNS: [&str; 8] = ["!? ", ";; ", ", ", "() ", "[] ", "{} ", "= ", "<> "];
        let mut chance = Chance::new(number + 1);
        let mut out = String::new();
        while out.len() < bytes {
            out += SIGNS[chance.below(8) as usize];
        }
        out.truncate(bytes);
        out
    }

    /// A question about one of the texts: some of its words, and others that are everywhere.
    pub fn question(&self, bytes: usize, number: u64, items: u64) -> String {
        let mut chance = Chance::new(number + 1_000_003);
        let text = self.text(bytes, chance.below(items));
        let words: Vec<&str> = text.split_whitespace().skip(1).collect();
        let count = 5 + chance.below(11);
        let pick = |chance: &mut Chance| match chance.below(3) {
            0 => self.words[chance.below(40) as usize].clone(),
            _ => words[chance.below(words.len() as u64) as usize].to_string(),
        };
        let picked: Vec<String> = (0..count).map(|_| pick(&mut chance)).collect();
        picked.join(" ") + "?"
    }
}
