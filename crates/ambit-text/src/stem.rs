//! Porter's stemmer: inflected forms of a word share a stem, which need not be a word.

/// Reduces a lower-case ASCII word to its stem. Words of fewer than three letters stay.
pub fn stem(word: &mut Vec<u8>) {
    if word.len() < 3 {
        return;
    }
    plurals(word);
    past(word);
    y_to_i(word);
    by_table(word, &LONG, 0);
    by_table(word, &MIDDLE, 0);
    endings(word);
    last_e(word);
}

/// Returns whether a letter is a consonant: `y` is one at the start and after a vowel.
fn consonant(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => false,
        b'y' => at == 0 || !consonant(word, at - 1),
        _ => true,
    }
}

/// Counts the runs of vowels that are followed by consonants.
fn measure(word: &[u8]) -> usize {
    let kinds = (0..word.len()).map(|at| consonant(word, at));
    let mut count = 0;
    let mut vowel = false;
    for kind in kinds {
        count += usize::from(vowel && kind);
        vowel = !kind;
    }
    count
}

fn has_vowel(word: &[u8]) -> bool {
    (0..word.len()).any(|at| !consonant(word, at))
}

fn ends_double(word: &[u8]) -> bool {
    let len = word.len();
    len >= 2 && word[len - 1] == word[len - 2] && consonant(word, len - 1)
}

/// Returns whether a word ends with consonant, vowel, consonant, where the last is not w, x or y,
/// as in "hop".
fn ends_short(word: &[u8]) -> bool {
    let len = word.len();
    len >= 3
        && consonant(word, len - 3)
        && !consonant(word, len - 2)
        && consonant(word, len - 1)
        && !matches!(word[len - 1], b'w' | b'x' | b'y')
}

/// Returns the part of a word before an ending.
fn before<'a>(word: &'a [u8], ending: &str) -> Option<&'a [u8]> {
    word.strip_suffix(ending.as_bytes())
}

fn replace(word: &mut Vec<u8>, kept: usize, with: &str) {
    word.truncate(kept);
    word.extend_from_slice(with.as_bytes());
}

fn plurals(word: &mut Vec<u8>) {
    for (ending, with) in [("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")] {
        if let Some(stem) = before(word, ending) {
            let kept = stem.len();
            return replace(word, kept, with);
        }
    }
}

fn past(word: &mut Vec<u8>) {
    if let Some(stem) = before(word, "eed") {
        if measure(stem) > 0 {
            word.pop();
        }
        return;
    }
    for ending in ["ed", "ing"] {
        let Some(stem) = before(word, ending) else {
            continue;
        };
        if !has_vowel(stem) {
            return;
        }
        let kept = stem.len();
        word.truncate(kept);
        if [&b"at"[..], b"bl", b"iz"].iter().any(|end| word.ends_with(end)) {
            word.push(b'e');
        } else if ends_double(word) && !matches!(word.last(), Some(b'l' | b's' | b'z')) {
            word.pop();
        } else if measure(word) == 1 && ends_short(word) {
            word.push(b'e');
        }
        return;
    }
}

fn y_to_i(word: &mut [u8]) {
    if let Some((last, stem)) = word.split_last_mut()
        && *last == b'y'
        && has_vowel(stem)
    {
        *last = b'i';
    }
}

const LONG: [(&str, &str); 21] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];

const MIDDLE: [(&str, &str); 7] = [
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

/// Returns whether a word has an ending. Most endings are excluded by the last letter, without a
/// call to compare the rest.
fn ends_with(word: &[u8], ending: &str) -> bool {
    word.last() == ending.as_bytes().last() && word.ends_with(ending.as_bytes())
}

/// Applies the first ending that matches, even if too little remains before it.
fn by_table(word: &mut Vec<u8>, table: &[(&str, &str)], more_than: usize) {
    let found = table.iter().find(|(ending, _)| ends_with(word, ending));
    if let Some((ending, with)) = found {
        let kept = word.len() - ending.len();
        if measure(&word[..kept]) > more_than {
            replace(word, kept, with);
        }
    }
}

const ENDINGS: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
];

fn endings(word: &mut Vec<u8>) {
    let Some(ending) = ENDINGS.iter().find(|ending| ends_with(word, ending)) else {
        return;
    };
    let kept = word.len() - ending.len();
    let fits = *ending != "ion" || matches!(word[..kept].last(), Some(b's' | b't'));
    if fits && measure(&word[..kept]) > 1 {
        word.truncate(kept);
    }
}

fn last_e(word: &mut Vec<u8>) {
    if let Some(stem) = before(word, "e") {
        let (count, short) = (measure(stem), ends_short(stem));
        if count > 1 || (count == 1 && !short) {
            word.pop();
        }
    }
    if word.ends_with(b"ll") && measure(word) > 1 {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    /// The examples in Porter's paper, rule by rule.
    const KNOWN: &str = "caresses caress, ponies poni, ties ti, caress caress, cats cat, \
        feed feed, agreed agre, \
        plastered plaster, bled bled, motoring motor, sing sing, conflated conflat, \
        troubled troubl, sized size, hopping hop, tanned tan, falling fall, hissing hiss, \
        fizzed fizz, failing fail, filing file, happy happi, sky sky, relational relat, \
        conditional condit, rational ration, valenci valenc, digitizer digit, radicalli radic, \
        differentli differ, vileli vile, analogousli analog, vietnamization vietnam, \
        predication predic, operator oper, feudalism feudal, decisiveness decis, \
        hopefulness hope, callousness callous, formaliti formal, sensitiviti sensit, \
        sensibiliti sensibl, triplicate triplic, formative form, formalize formal, \
        electriciti electr, electrical electr, goodness good, revival reviv, allowance allow, \
        inference infer, airliner airlin, gyroscopic gyroscop, adjustable adjust, \
        defensible defens, irritant irrit, replacement replac, adjustment adjust, \
        dependent depend, adoption adopt, communism commun, activate activ, angulariti angular, \
        homologous homolog, effective effect, bowdlerize bowdler, probate probat, rate rate, \
        cease ceas, controll control, roll roll, by by, as as, sessions session, timeouts timeout, \
        configuration configur, configured configur, configuring configur";

    #[test]
    fn words_have_the_stems_of_porters_paper() {
        for pair in KNOWN.split(", ") {
            let (word, expected) = pair.trim().split_once(' ').unwrap();
            let mut found = word.as_bytes().to_vec();
            stem(&mut found);
            assert_eq!(String::from_utf8(found).unwrap(), expected.trim(), "{word}");
        }
    }
}
