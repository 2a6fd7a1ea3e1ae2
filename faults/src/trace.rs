//! Parses system calls traced by strace.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use xtask::postgres::apt;
use xtask::process;

/// One completed call. Calls of several threads overlap.
#[derive(Debug, PartialEq)]
pub struct Call {
    /// The time, in seconds, when the call began.
    pub begun: f64,
    /// The time, in seconds, when the call ended.
    pub ended: f64,
    /// Name, arguments and result.
    pub text: String,
}

impl Call {
    pub fn is(&self, name: &str) -> bool {
        self.text.starts_with(name) && self.text[name.len()..].starts_with('(')
    }

    /// Whether the call synced a file whose path contains `of`.
    pub fn syncs(&self, of: &str) -> bool {
        let sync = self.is("fsync") || self.is("fdatasync");
        sync && self.text.contains(of) && self.text.ends_with("= 0")
    }
}

/// Installs strace if it is missing. Fails if it cannot be installed or tracing is forbidden.
pub fn ready() -> Result<(), String> {
    if probe().is_err() {
        apt(&["strace"]).map_err(|why| format!("did not run: cannot install strace: {why}"))?;
        probe().map_err(|why| format!("did not run: cannot trace processes: {why}"))?;
    }
    Ok(())
}

fn probe() -> Result<(), String> {
    let mut strace = process::command("strace");
    strace.args(["-f", "-o", "/dev/null", "true"]);
    process::output(strace).map(drop)
}

/// Returns a command that runs another command under strace with these arguments.
pub fn around(arguments: &[&str], trace: &Path, traced: &Command) -> Command {
    let mut command = process::command("strace");
    command.args(arguments).arg("-o").arg(trace).arg(traced.get_program()).args(traced.get_args());
    for (name, value) in traced.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// Reads the calls of a trace made with `-f -ttt -T`, in the order in which they ended.
pub fn read(trace: &Path) -> Result<Vec<Call>, String> {
    let bytes = std::fs::read(trace).map_err(|error| format!("{}: {error}", trace.display()))?;
    Ok(parse(&String::from_utf8_lossy(&bytes)))
}

fn parse(text: &str) -> Vec<Call> {
    let mut open: HashMap<&str, (f64, String)> = HashMap::new();
    let mut calls = Vec::new();
    for line in text.lines() {
        let Some((process, rest)) = line.trim_start().split_once(' ') else { continue };
        let Some((time, what)) = rest.trim_start().split_once(' ') else { continue };
        let Ok(time) = time.parse::<f64>() else { continue };
        if let Some(first) = what.strip_suffix(" <unfinished ...>") {
            open.insert(process, (time, first.to_string()));
        } else if let Some((_, rest)) = what.split_once(" resumed>") {
            let first = open.remove(process);
            calls.extend(first.and_then(|(begun, first)| call(begun, &(first + rest))));
        } else {
            calls.extend(call(time, what));
        }
    }
    calls
}

/// Parses a complete call; its duration is in angle brackets at the end.
fn call(begun: f64, what: &str) -> Option<Call> {
    let (text, took) = what.strip_suffix('>')?.rsplit_once(" <")?;
    let took: f64 = took.parse().ok()?;
    Some(Call { begun, ended: begun + took, text: text.to_string() })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn overlapping_calls_are_joined() {
        let text = "7  1.5 pwrite64(4</a-wal>, \"x\", 1, 0) = 1 <0.01>\n\
                    7  1.6 fdatasync(4</a-wal> <unfinished ...>\n\
                    8  1.7 write(1<pipe:[3]>, \"y\\n\", 2) = 2 <0.01>\n\
                    7  1.8 <... fdatasync resumed>) = 0 <0.25>\n\
                    7  1.9 +++ exited with 0 +++\n";
        let calls = parse(text);
        assert_eq!(calls.len(), 3);
        assert!(calls[0].is("pwrite64") && !calls[0].is("pwrite"));
        assert!(calls[1].is("write"));
        assert!(calls[2].syncs("a-wal>") && !calls[2].syncs("b-wal>"));
        assert_eq!((calls[2].begun, calls[2].ended), (1.6, 1.85));
    }
}
