//! `full`: a full disk. Writes fail with a clear error and change nothing, reads continue, and
//! writes continue when there is room again.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ambit::Kind;
use indicatif::ProgressBar;
use serde_json::Value;

use super::load::{LastNumbers, compare};
use super::table::Row;
use super::testbed::{Place, Testbed, describe};
use xtask::process;

/// Sizes of the disk in MiB; the rounds cycle through them.
const SIZES: [usize; 3] = [2, 4, 8];

/// Bytes of a text besides its number.
const BYTES: usize = 8 << 10;

/// The exit code for an error of the store.
const FAILED: i32 = 6;

pub fn run(testbed: &Testbed, rounds: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    bar.set_length(rounds * 2);
    let mut rows = Vec::new();
    for open in [false, true] {
        let writers = if open { "program and an open engine" } else { "program alone" };
        let mut row = Row::new(format!("full, {writers}"));
        for round in 0..rounds {
            row.rounds += 1;
            let size = SIZES[round as usize % SIZES.len()];
            let disk = Disk::mount(&testbed.folder(&format!("full-{open}-{round}"))?, size)?;
            if let Err(why) = fill(testbed, &disk, open, &mut row) {
                row.fault(format!("{size} MiB: {why}"));
            }
            bar.inc(1);
        }
        rows.push(row);
    }
    Ok(rows)
}

fn fill(testbed: &Testbed, disk: &Disk, open: bool, row: &mut Row) -> Result<(), String> {
    // Takes up half of the disk and is removed later: a checkpoint of the write-ahead log needs as
    // much room as the log holds before it frees any.
    let ballast = disk.folder.join("ballast");
    std::fs::write(&ballast, vec![0; disk.bytes / 2]).map_err(describe)?;
    let place = testbed.place_in(&disk.folder)?;
    let writer = format!("writer {}", "x".repeat(BYTES));
    let engine = if open { Some(place.engine()?) } else { None };
    let mut last = LastNumbers::from([(writer.clone(), 0)]);
    // Writes until the disk is full.
    let mut number = 0;
    let refusal = loop {
        number += 1;
        match append(&place, &writer, number)? {
            Ok(()) => last.insert(writer.clone(), number),
            Err(answer) => break answer,
        };
    };
    check_error_is_clear(&refusal)?;
    // Takes the last free bytes too.
    let rest = disk.folder.join("rest");
    let mut file = File::create(&rest).map_err(describe)?;
    while file.write_all(&[0; 512]).is_ok() {}
    read_all(&place)?;
    check_error_is_clear(
        &append(&place, &writer, number)?.err().ok_or("a write to a full disk was accepted")?,
    )?;
    if let Some(engine) = &engine {
        let caller = place.caller("writer");
        match engine.append_text(&caller, "user", &"y".repeat(BYTES)) {
            Err(error) if error.kind() == Kind::Store => {}
            other => return Err(format!("the open engine returned {other:?}")),
        }
        place.check(engine)?;
    }
    judge(&place, &last)?;
    std::fs::remove_file(&rest).and_then(|()| std::fs::remove_file(&ballast)).map_err(describe)?;
    let begun = Instant::now();
    for number in number..number + 3 {
        append(&place, &writer, number)?.map_err(|answer| format!("with room again: {answer}"))?;
        last.insert(writer.clone(), number);
    }
    row.took(begun.elapsed() / 3);
    let (acknowledged, found) = judge(&place, &last)?;
    row.acknowledged += acknowledged;
    row.found += found;
    Ok(())
}

/// Appends through the program. The inner error is the program's answer.
fn append(place: &Place, writer: &str, number: u64) -> Result<Result<(), Value>, String> {
    let text = format!("{writer} {number:06}");
    let key = format!("{number}");
    let ran =
        place.run(&["append", "--json", "--role", "user", "--key", &key, "--as", "w", &text])?;
    let answer: Value = serde_json::from_slice(&ran.stdout).map_err(describe)?;
    match ran.status.code() {
        Some(0) => Ok(Ok(())),
        Some(FAILED) => Ok(Err(answer)),
        code => Err(format!("exit code {code:?}: {answer}")),
    }
}

/// Fails unless an answer names the problem and a remedy.
fn check_error_is_clear(answer: &Value) -> Result<(), String> {
    let error = &answer["error"];
    let says = |field: &str, word: &str| error[field].as_str().is_some_and(|it| it.contains(word));
    match says("code", "store") && says("message", "disk is full") && says("hint", "room") {
        true => Ok(()),
        false => Err(format!("not a clear error: {answer}")),
    }
}

fn read_all(place: &Place) -> Result<(), String> {
    let verbs: [&[&str]; 6] = [
        &["where"],
        &["scopes"],
        &["notes"],
        &["log"],
        &["compose", "--budget", "10000000"],
        &["verify"],
    ];
    for verb in verbs {
        place.output(verb).map_err(|why| format!("with a full disk: {why}"))?;
    }
    Ok(())
}

fn judge(place: &Place, last: &LastNumbers) -> Result<(u64, u64), String> {
    let engine = place.engine()?;
    let tally = compare(last, &place.texts(&engine)?);
    place.check(&engine)?;
    tally.wrong.map_or(Ok((tally.acknowledged, tally.found)), |wrong| {
        // Shortens the long texts.
        Err(wrong.replace(&"x".repeat(BYTES), "…"))
    })
}

/// A small disk in memory, unmounted on drop.
struct Disk {
    folder: PathBuf,
    bytes: usize,
}

impl Disk {
    fn mount(folder: &Path, mebibytes: usize) -> Result<Disk, String> {
        let mut mount = process::command("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={mebibytes}m,mode=0700"), "tmpfs"]);
        mount.arg(folder);
        process::output(mount).map_err(|why| {
            format!("did not run: cannot mount a small disk, which requires root: {why}")
        })?;
        Ok(Disk { folder: folder.to_path_buf(), bytes: mebibytes << 20 })
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let mut unmount = process::command("umount");
        unmount.arg(&self.folder);
        if let Err(why) = process::output(unmount) {
            eprintln!("{why}");
        }
    }
}
