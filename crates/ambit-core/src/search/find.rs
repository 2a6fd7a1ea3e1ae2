//! Finds the texts with the words of a query and scores them with BM25. Rare words select texts;
//! frequent words only add to the score.

use std::collections::{BTreeMap, BTreeSet};

use ambit_text::terms::{Term, words};

use super::postings::{
    Bag, Count, HEADER, PartRows, Postings, SPAN, first_of, length_in, lengths_in, posting_of,
    postings_of, read_posting, segment_of,
};
use crate::ContentNo;

/// The largest number of words of a query that are used.
const WORDS_MAX: usize = 64;

/// The largest number of postings that select texts. Rarer words come first, and the rarest word
/// always selects.
const FINDING_MAX: usize = 400_000;

/// The parameters of BM25 for the term frequency and the length of a text.
const K1: f64 = 0.9;
const B: f64 = 0.3;

/// The exponent by which rare words weigh more than frequent ones.
const RARITY: f64 = 1.5;

/// The factor for the weight of stop words. A question has many of them, and in a small vault they
/// are not frequent enough to weigh little by themselves. They are listed by their stems.
const STOP_WORD_FACTOR: f64 = 0.3;
const STOP_WORDS: [&str; 62] = [
    "a", "an", "and", "ar", "as", "at", "be", "been", "by", "did", "do", "doe", "for", "from",
    "ha", "had", "have", "he", "her", "hi", "him", "how", "i", "in", "is", "it", "me", "my", "not",
    "of", "on", "or", "our", "she", "that", "the", "their", "them", "there", "thei", "thi",
    "those", "to", "us", "wa", "we", "were", "what", "when", "where", "which", "who", "whom",
    "whose", "why", "will", "with", "would", "you", "your", "should", "could",
];

/// A word of a query: its term, and the word as it is displayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub term: Term,
    pub text: String,
}

impl Word {
    /// Whether the word is a stop word.
    pub fn is_stop_word(&self) -> bool {
        STOP_WORDS.contains(&self.text.as_str())
    }
}

/// A search query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub words: Vec<Word>,
}

impl Query {
    /// Makes a query of the words of a text.
    pub fn of(text: &str) -> Query {
        let mut all: Vec<Word> = Vec::new();
        words(text.as_bytes(), &mut |word| {
            let (term, text) = (Term::from(word), String::from_utf8_lossy(word).into_owned());
            if all.len() < WORDS_MAX && !all.iter().any(|it| it.term == term) {
                all.push(Word { term, text });
            }
        });
        Query { words: all }
    }

    /// Returns the parts of the index that the query needs.
    pub fn parts(&self) -> BTreeSet<i64> {
        self.words.iter().map(|word| part_of(word.term)).collect()
    }
}

fn part_of(term: Term) -> i64 {
    i64::from(term.0 >> 24)
}

/// The part of the index that was read for a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// The segments, each with its header and the requested parts.
    pub segments: BTreeMap<i64, PartRows>,
    /// The term vectors of the texts that are in no segment yet.
    pub recent: BTreeMap<ContentNo, Bag>,
    /// How many numbers of older texts have not been indexed yet.
    pub missing: i64,
}

/// Segments store counts and lengths in few bits; texts outside of segments must score the same.
const TIMES_MAX: u8 = 8;
const LENGTH_MAX: u32 = u16::MAX as u32;

/// The postings of a query's words in each segment, looked up once.
#[derive(Debug)]
pub struct Matches<'a> {
    pub query: &'a Query,
    segments: BTreeMap<i64, Segment<'a>>,
    recent: &'a BTreeMap<ContentNo, Bag>,
}

/// A segment as a query sees it.
#[derive(Debug)]
struct Segment<'a> {
    header: &'a [u8],
    /// By the words of the query.
    words: Vec<Postings<'a>>,
}

impl<'a> Matches<'a> {
    pub fn new(index: &'a Index, query: &'a Query) -> Matches<'a> {
        let segment = |(segment, rows): (&i64, &'a PartRows)| {
            let row = |part: i64| rows.get(&part).map(Vec::as_slice).unwrap_or_default();
            let words = query.words.iter().map(|it| postings_of(row(part_of(it.term)), it.term));
            (*segment, Segment { header: row(HEADER), words: words.collect() })
        };
        let segments = index.segments.iter().map(segment).collect();
        Matches { query, segments, recent: &index.recent }
    }

    /// Returns how often a text has a word, by the word's index in the query.
    pub fn count(&self, content: ContentNo, word: usize) -> Option<Count> {
        if let Some(bag) = self.recent.get(&content) {
            let limited = |it: Count| Count { times: it.times.min(TIMES_MAX), ..it };
            return bag.count(self.query.words.get(word)?.term).map(limited);
        }
        let segment = self.segments.get(&segment_of(content))?;
        posting_of(segment.words.get(word)?, offset_of(content))
    }

    /// Returns the number of terms of a text.
    pub fn length(&self, content: ContentNo) -> Option<u32> {
        if let Some(bag) = self.recent.get(&content) {
            return Some(bag.length().min(LENGTH_MAX)).filter(|length| *length > 0);
        }
        let segment = self.segments.get(&segment_of(content))?;
        length_in(segment.header, usize::from(offset_of(content)))
    }

    /// Returns the number of texts with each word.
    fn uses(&self) -> Vec<usize> {
        let uses = |(at, word): (usize, &Word)| {
            let kept: usize = self.segments.values().map(|it| it.words[at].len()).sum();
            kept + self.recent.values().filter(|bag| bag.count(word.term).is_some()).count()
        };
        self.query.words.iter().enumerate().map(uses).collect()
    }

    /// Returns the number of texts, and the total number of their terms.
    fn size(&self) -> (usize, f64) {
        let mut size = (0, 0.0);
        let mut add = |length: u32| {
            size.0 += 1;
            size.1 += f64::from(length);
        };
        for segment in self.segments.values() {
            lengths_in(segment.header).filter(|length| *length > 0).for_each(&mut add);
        }
        let recent = self.recent.values().filter(|bag| !bag.is_empty());
        recent.map(|bag| bag.length().min(LENGTH_MAX)).for_each(&mut add);
        size
    }
}

fn offset_of(content: ContentNo) -> u16 {
    content.0.rem_euclid(SPAN) as u16
}

/// The best matches of a query, with the weights of its words.
#[derive(Clone, Debug, Default)]
pub struct Shortlist {
    /// The weight of each word of the query: the rarer, the higher.
    pub weights: Vec<f64>,
    /// The length normalisation of BM25 per term of a text.
    length_norm_per_term: f64,
    /// The best first.
    pub texts: Vec<(ContentNo, f64)>,
}

impl Shortlist {
    pub fn new(matches: &Matches<'_>, max: usize) -> Shortlist {
        let (count, length) = matches.size();
        let uses = matches.uses();
        let weight = |(word, uses): (&Word, &usize)| {
            let (all, some) = (count as f64, *uses as f64);
            let rarity = (1.0 + (all - some + 0.5).max(0.0) / (some + 0.5)).ln().powf(RARITY);
            rarity * if word.is_stop_word() { STOP_WORD_FACTOR } else { 1.0 }
        };
        let weights = matches.query.words.iter().zip(&uses).map(weight).collect();
        let average = (length / count.max(1) as f64).max(1.0);
        let length_norm_per_term = K1 * B / average;
        let mut list = Shortlist { weights, length_norm_per_term, texts: Vec::new() };
        list.find(matches, &finding(&uses));
        let best =
            |a: &(ContentNo, f64), b: &(ContentNo, f64)| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0));
        if list.texts.len() > max {
            list.texts.select_nth_unstable_by(max, best);
            list.texts.truncate(max);
        }
        list.texts.sort_unstable_by(best);
        list
    }

    /// Returns the score of a text for one word, given the word's count and the text's length.
    pub fn score(&self, word: usize, times: f64, length: f64) -> f64 {
        let weight = self.weights.get(word).copied().unwrap_or(0.0);
        saturated(weight, times, self.length_norm(length))
    }

    /// Returns the length normalisation of a text.
    fn length_norm(&self, length: f64) -> f64 {
        K1 * (1.0 - B) + length * self.length_norm_per_term
    }

    fn find(&mut self, matches: &Matches<'_>, order: &[(usize, bool)]) {
        let mut scores = vec![0.0; SPAN as usize];
        let mut length_norm = vec![0.0; SPAN as usize];
        for (segment, Segment { header, words }) in &matches.segments {
            scores.fill(0.0);
            length_norm.fill(self.length_norm(0.0));
            for (length_norm, length) in length_norm.iter_mut().zip(lengths_in(header)) {
                *length_norm = self.length_norm(f64::from(length));
            }
            for (word, finds) in order {
                let weight = self.weights[*word];
                for (offset, count) in words[*word].iter().map(read_posting) {
                    let offset = usize::from(offset);
                    if *finds || scores[offset] > 0.0 {
                        scores[offset] +=
                            saturated(weight, f64::from(count.times), length_norm[offset]);
                    }
                }
            }
            let first = first_of(*segment).0;
            let found = scores.iter().enumerate().filter(|(_, score)| **score > 0.0);
            self.texts.extend(found.map(|(at, score)| (ContentNo(first + at as i64), *score)));
        }
        for (content, bag) in matches.recent {
            let mut score = 0.0;
            let length = f64::from(bag.length().min(LENGTH_MAX));
            for (word, finds) in order {
                if let Some(count) = bag.count(matches.query.words[*word].term)
                    && (*finds || score > 0.0)
                {
                    let times = f64::from(count.times.min(TIMES_MAX));
                    score += self.score(*word, times, length);
                }
            }
            if score > 0.0 {
                self.texts.push((*content, score));
            }
        }
    }
}

/// Returns the saturated term frequency: each repetition adds less.
fn saturated(weight: f64, times: f64, length_norm: f64) -> f64 {
    weight * times * (K1 + 1.0) / (times + length_norm)
}

/// Returns the words from rare to frequent, and whether each selects texts or only adds to scores.
fn finding(uses: &[usize]) -> Vec<(usize, bool)> {
    let mut order: Vec<usize> = (0..uses.len()).collect();
    order.sort_by_key(|word| (uses[*word], *word));
    let mut sum = 0;
    let finds = |word: usize| {
        let first = sum == 0;
        sum += uses[word];
        (word, first || sum <= FINDING_MAX)
    };
    order.into_iter().map(finds).collect()
}

#[cfg(test)]
mod tests {
    use super::{FINDING_MAX, Index, Matches, Query, STOP_WORDS, Shortlist, finding};
    use crate::ContentNo;
    use crate::search::{Bag, SPAN, segment_of, segment_rows};

    const TEXTS: [&str; 6] = [
        "The session expires after one second",
        "The session is fine",
        "Nothing to see",
        "session session session",
        "one two three",
        "Logged out after a second: SESSION_TTL",
    ];

    fn texts() -> Vec<(ContentNo, Bag)> {
        let number = |at: usize| ContentNo(at as i64 * 1_500);
        let bags = TEXTS.iter().map(|text| Bag::of(text.as_bytes()));
        bags.enumerate().map(|(at, bag)| (number(at), bag)).collect()
    }

    fn found(index: &Index, query: &str) -> Vec<(i64, f64)> {
        let list = Shortlist::new(&Matches::new(index, &Query::of(query)), 10);
        list.texts.iter().map(|(content, score)| (content.0, *score)).collect()
    }

    #[test]
    fn texts_are_found_alike_wherever_they_stand() {
        let all = texts();
        let recent = Index { recent: all.iter().cloned().collect(), ..Index::default() };
        let mut kept = Index::default();
        for same in all.chunk_by(|a, b| segment_of(a.0) == segment_of(b.0)) {
            kept.segments.insert(segment_of(same[0].0), segment_rows(same));
        }
        assert!(kept.segments.len() > 1);
        let mut mixed = kept.clone();
        mixed.segments.remove(&0);
        mixed.recent = all.iter().filter(|(it, _)| it.0 < SPAN).cloned().collect();
        for query in ["session", "after a second", "SESSION_TTL", "the one", "nowhere", ""] {
            let expected = found(&recent, query);
            assert_eq!(found(&kept, query), expected, "{query}");
            assert_eq!(found(&mixed, query), expected, "{query}");
        }
    }

    #[test]
    fn rare_words_and_short_texts_come_first() {
        let index = Index { recent: texts().into_iter().collect(), ..Index::default() };
        let first = |query: &str| found(&index, query).first().map(|it| it.0);
        assert_eq!(first("session expired"), Some(0));
        assert_eq!(first("ttl of the session"), Some(5 * 1_500));
        assert_eq!(first("sessions"), Some(3 * 1_500));
        assert_eq!(first("absent"), None);
    }

    #[test]
    fn words_that_hold_a_sentence_together_weigh_little() {
        let said = "a an and are as at be been by did do does for from has had have he her his \
            him how i in is it its me my not of on or our she that the their them there they \
            this those to us was we were what when where which who whom whose why will with \
            would you your should could";
        let query = Query::of(said);
        let texts: Vec<_> = query.words.iter().map(|word| word.text.as_str()).collect();
        let missing = |it: &&&str| !STOP_WORDS.contains(*it);
        assert_eq!(texts.iter().filter(missing).collect::<Vec<_>>(), Vec::<&&str>::new());
        assert_eq!(texts.len(), STOP_WORDS.len(), "each is a stem of one of these");
    }

    #[test]
    fn words_find_in_the_order_of_their_rarity() {
        assert_eq!(finding(&[5, 0, 3]), [(1, true), (2, true), (0, true)]);
        let many = FINDING_MAX;
        assert_eq!(finding(&[many, 7, many]), [(1, true), (0, false), (2, false)]);
        assert_eq!(finding(&[many + 1]), [(0, true)]);
    }
}
