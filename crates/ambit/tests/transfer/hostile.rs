//! Damaged files: a cut, flipped or repeated part is reported with its line, and nothing is
//! imported.

use ambit::Kind;

use crate::world::{World, memory, sqlite};

/// A small generator (splitmix64): the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % end as u64) as usize
    }
}

fn refused(world: &World, bytes: &[u8], what: &str) -> u64 {
    let error = match world.import("copy", bytes) {
        Err(error) => error,
        Ok(answer) => panic!("{what}: {answer:?}"),
    };
    assert_eq!(error.kind(), Kind::Usage, "{what}: {error}");
    let text = error.to_string();
    let line = text.strip_prefix("line ").and_then(|rest| rest.split(':').next());
    let line = line.and_then(|line| line.parse().ok());
    line.unwrap_or_else(|| panic!("{what}: no line in {text:?}"))
}

/// Damages a file in one way; returns a description and the bytes.
fn damage(export: &[u8], chance: &mut Chance) -> (String, Vec<u8>) {
    let mut lines: Vec<_> =
        export.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let line = chance.below(lines.len());
    let whole = |lines: Vec<Vec<u8>>| lines.concat();
    match chance.below(8) {
        0 => {
            let mut bytes = export.to_vec();
            let at = chance.below(bytes.len());
            bytes[at] ^= 1 << chance.below(8);
            (format!("bit turned at {at}"), bytes)
        }
        1 => {
            let at = chance.below(export.len());
            (format!("cut at {at}"), export[..at].to_vec())
        }
        2 => {
            lines.remove(line);
            (format!("line {} left out", line + 1), whole(lines))
        }
        3 => {
            let copy = lines[line].clone();
            lines.insert(chance.below(lines.len() + 1), copy);
            (format!("line {} twice", line + 1), whole(lines))
        }
        4 => {
            let other = (line + 1 + chance.below(lines.len() - 1)) % lines.len();
            lines.swap(line, other);
            (format!("lines {} and {} changed places", line + 1, other + 1), whole(lines))
        }
        5 => {
            let mut bytes = export.to_vec();
            let at = chance.below(bytes.len());
            bytes.insert(at, chance.below(256) as u8);
            (format!("a byte more at {at}"), bytes)
        }
        6 => {
            let mut bytes = export.to_vec();
            let (at, len) = (chance.below(bytes.len()), 1 + chance.below(40));
            bytes.drain(at..(at + len).min(export.len()));
            (format!("{len} bytes fewer at {at}"), bytes)
        }
        _ => {
            let mut bytes = export.to_vec();
            let at = chance.below(bytes.len());
            let digits: Vec<_> =
                (at..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).take(1).collect();
            digits.iter().for_each(|at| bytes[*at] = b'0' + (bytes[*at] - b'0' + 1) % 10);
            (format!("another digit after {at}"), bytes)
        }
    }
}

#[test]
fn two_thousand_damaged_files_are_refused_with_their_line() {
    let world = memory();
    world.play("default");
    let export = world.export("default").into_bytes();
    let mut chance = Chance(1);
    let mut tried = 0;
    while tried < 2_500 {
        let (what, bytes) = damage(&export, &mut chance);
        if bytes == export {
            continue;
        }
        refused(&world, &bytes, &what);
        tried += 1;
    }
    assert_eq!(world.vaults(), ["default"]);
    world.import("copy", &export).unwrap();
}

#[test]
fn errors_name_the_damaged_line() {
    let world = sqlite();
    world.play("default");
    let export = world.export("default");
    let lines: Vec<_> = export.lines().collect();
    let count = lines.len() as u64;
    let with = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        lines.join("\n") + "\n"
    };
    assert_eq!(refused(&world, b"", "nothing"), 1);
    assert_eq!(refused(&world, b"\n", "an empty line"), 1);
    assert_eq!(refused(&world, b"{}\n", "no line of ours"), 1);
    assert_eq!(refused(&world, with(0, lines[1]).as_bytes(), "no header"), 1);
    let newer = lines[0].replace("\"version\":1", "\"version\":2");
    assert_eq!(refused(&world, with(0, &newer).as_bytes(), "a newer one"), 1);
    for (at, line) in lines.iter().enumerate().skip(1) {
        let number = at as u64 + 1;
        assert_eq!(refused(&world, with(at, "").as_bytes(), "an empty line"), number);
        let spaced = line.replacen(':', ": ", 1);
        assert_eq!(refused(&world, with(at, &spaced).as_bytes(), "white space"), number);
        let cut = lines[..at].join("\n") + "\n" + &line[..line.len() / 2];
        assert_eq!(refused(&world, cut.as_bytes(), "cut within a line"), number);
        let cut = lines[..at].join("\n") + "\n";
        assert_eq!(refused(&world, cut.as_bytes(), "cut after a line"), number);
        if line.starts_with("{\"content\"") {
            let other = line.replacen("\"text\":\"", "\"text\":\"x", 1);
            assert_eq!(refused(&world, with(at, &other).as_bytes(), "another text"), number);
            // The missing text is detected at the event after it.
            let mut fewer = lines.clone();
            fewer.remove(at);
            let text = fewer.join("\n") + "\n";
            assert!(refused(&world, text.as_bytes(), "a text missing") >= number);
        }
        if line.starts_with("{\"event\"") {
            let digit = line.find("\"hash\":\"").unwrap() + 8;
            let other = if line.as_bytes()[digit] == b'0' { "1" } else { "0" };
            let other = format!("{}{other}{}", &line[..digit], &line[digit + 1..]);
            assert_eq!(refused(&world, with(at, &other).as_bytes(), "another hash"), number);
        }
    }
    let more = export.clone() + "{}\n";
    assert_eq!(refused(&world, more.as_bytes(), "something after the manifest"), count + 1);
    let deep = format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(refused(&world, deep.as_bytes(), "deeply nested"), 1);
    let body = format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000));
    let hash = "0".repeat(64);
    let before = format!("{{\"seq\":1,\"time\":1,\"actor\":0,\"view\":null,\"hash\":\"{hash}\"");
    let deep = format!("{{\"event\":{before},\"body\":{body}}}}}");
    assert_eq!(refused(&world, with(1, &deep).as_bytes(), "a deep body"), 2);
    assert_eq!(world.vaults(), ["default"]);
}
