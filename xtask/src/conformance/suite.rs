//! The protocol's official conformance suite. It speaks to servers over HTTP alone, so a bridge of
//! somebody else's stands between, which passes messages on as they are. Every scenario that the
//! suite knows is either run here, or has a reason why not.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use super::node::Node;
use super::{Ground, Tally, said};
use xtask::Outcome;
use xtask::process::{bounded, group};

/// What is about a server that offers tools, resources and prompts.
const RUN: [&str; 9] = [
    "server-initialize",
    "server-stateless",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "sep-2164-resource-not-found",
    "caching",
    "input-required-result-unsupported-methods",
];

/// What is not run, and why. A name that ends in `*` stands for all that begin so.
const NOT_RUN: [(&str, &[&str]); 3] = [
    (
        "asks for tools, resources or prompts by names that only the suite's own server has",
        &[
            "tools-call-*",
            "json-schema-2020-12",
            "resources-read-*",
            "resources-templates-read",
            "prompts-get-*",
            "input-required-result-*",
        ],
    ),
    (
        "is about what Ambit does not declare",
        &[
            "logging-set-level",
            "completion-complete",
            "elicitation-*",
            "resources-subscribe",
            "resources-unsubscribe",
            "sep-2640-*",
            "tasks-*",
        ],
    ),
    (
        "is about HTTP, which is the bridge's",
        &["server-session-lifecycle", "server-sse-*", "dns-rebinding-protection", "http-*"],
    ),
];

/// Checks within those scenarios that call a tool of the suite's own server: the suite counts them
/// as failed, and says itself that they cannot be tested.
const NEED_ITS_TOOLS: [&str; 4] = [
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
];

const SECONDS_MAX: u64 = 90;
const BRIDGE_SECONDS_MAX: u64 = 20;

pub fn run(ground: &Ground, tally: &mut Tally) -> Outcome {
    let node = Node::install(ground)?;
    let home = ground.empty("suite-home")?;
    let mut list = node.program("conformance", &home)?;
    list.args(["list", "--server"]);
    let scenarios = scenarios(&said(list, SECONDS_MAX)?)?;
    let bridge = Bridge::start(&node, ground, &home)?;
    for scenario in scenarios.iter().filter(|it| RUN.contains(&it.name.as_str())) {
        for revision in &scenario.revisions {
            let what = format!("{revision} {}", scenario.name);
            match one(&node, &home, &bridge, &scenario.name, revision) {
                Ok(Verdict { wrong, .. }) if !wrong.is_empty() => {
                    tally.fails(&what, &wrong.join("; "));
                }
                Ok(verdict) => tally.holds(&format!("{what}: {verdict}")),
                Err(why) => tally.fails(&what, &why),
            }
        }
    }
    for (why, patterns) in NOT_RUN {
        let names = scenarios.iter().map(|it| it.name.as_str());
        let names: Vec<_> =
            names.filter(|name| !RUN.contains(name) && any(patterns, name)).collect();
        tally.says(&format!("not run, {why} ({}): {}", names.len(), names.join(", ")));
    }
    Ok(())
}

struct Scenario {
    name: String,
    revisions: Vec<String>,
}

/// What the suite lists: `  - ping [2025-06-18,2025-11-25]`. One that is neither run nor explained
/// is an error, so that a new one is seen.
fn scenarios(listed: &str) -> Result<Vec<Scenario>, String> {
    let mut all = Vec::new();
    for line in listed.lines().filter_map(|line| line.trim().strip_prefix("- ")) {
        let (name, rest) = line.split_once(" [").ok_or_else(|| format!("odd line {line:?}"))?;
        if !RUN.contains(&name) && !NOT_RUN.iter().any(|(_, patterns)| any(patterns, name)) {
            return Err(format!("the scenario {name:?} is new: run it, or say why not"));
        }
        let revisions = rest.trim_end_matches(']').split(',').map(str::to_string).collect();
        all.push(Scenario { name: name.to_string(), revisions });
    }
    match RUN.iter().find(|name| !all.iter().any(|it| it.name == **name)) {
        Some(name) => Err(format!("the suite has no scenario {name:?}")),
        None => Ok(all),
    }
}

fn any(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => *pattern == name,
    })
}

/// What the suite found in a scenario.
#[derive(Debug, Default, PartialEq, Eq)]
struct Verdict {
    hold: usize,
    /// What the server does not declare.
    skipped: usize,
    need_its_tools: usize,
    wrong: Vec<String>,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} hold", self.hold)?;
        if self.skipped > 0 {
            write!(f, ", {} are skipped by the suite: not declared", self.skipped)?;
        }
        if self.need_its_tools > 0 {
            write!(f, ", {} need tools of the suite's own server", self.need_its_tools)?;
        }
        Ok(())
    }
}

/// Runs a scenario. The suite writes what it found into a folder.
fn one(
    node: &Node,
    home: &Path,
    bridge: &Bridge,
    scenario: &str,
    revision: &str,
) -> Result<Verdict, String> {
    let folder = home.join(format!("{revision}-{scenario}"));
    let mut suite = node.program("conformance", home)?;
    suite.args(["server", "--url", &bridge.url, "--scenario", scenario]);
    suite.args(["--spec-version", revision, "--output-dir"]).arg(&folder);
    let output = bounded(suite, SECONDS_MAX)?;
    let fail = |error| format!("it left no findings ({error}), and ended with {}", output.status);
    let found = std::fs::read_dir(&folder).map_err(fail)?.flatten().next();
    let found = found.ok_or("it left no findings")?.path().join("checks.json");
    let found = std::fs::read_to_string(found).map_err(fail)?;
    let checks: Value = serde_json::from_str(&found).map_err(|error| error.to_string())?;
    Ok(verdict(&checks))
}

fn verdict(checks: &Value) -> Verdict {
    let mut verdict = Verdict::default();
    for check in checks.as_array().into_iter().flatten() {
        let id = check["id"].as_str().unwrap_or("?");
        let untestable = check["details"]["untestable"] == true && NEED_ITS_TOOLS.contains(&id);
        match check["status"].as_str() {
            Some("SUCCESS") => verdict.hold += 1,
            Some("SKIPPED") => verdict.skipped += 1,
            Some("INFO") => {}
            _ if untestable => verdict.need_its_tools += 1,
            _ => verdict.wrong.push(format!("{id}: {}", check["errorMessage"])),
        }
    }
    if verdict.hold == 0 {
        verdict.wrong.push("nothing was checked".to_string());
    }
    verdict
}

/// `supergateway`, with `ambit mcp` behind it: a process for each session, and in the newest
/// revision for each request. It listens on every address, so it gets a store to throw away and no
/// `--admin`.
struct Bridge {
    child: Child,
    group: Pid,
    url: String,
}

impl Bridge {
    fn start(node: &Node, ground: &Ground, home: &Path) -> Result<Bridge, String> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr());
        let address = free.map_err(|error| format!("no free port: {error}"))?;
        let mut gateway = node.program("supergateway", home)?;
        gateway.arg("--stdio").arg(format!("'{}' mcp", ground.program.display()));
        gateway.args(["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"]);
        gateway.args(["--port", &address.port().to_string()]);
        gateway.current_dir(ground.store("suite")?).process_group(0);
        gateway.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = gateway.spawn().map_err(|error| format!("the bridge: {error}"))?;
        let url = format!("http://{address}/mcp");
        let mut bridge = Bridge { group: group(&child)?, child, url };
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            let ended = bridge.child.try_wait().map_err(|error| error.to_string())?;
            if let Some(status) = ended {
                return Err(format!("the bridge ended with {status}"));
            }
            if begun.elapsed() > Duration::from_secs(BRIDGE_SECONDS_MAX) {
                return Err(format!("the bridge did not listen within {BRIDGE_SECONDS_MAX} s"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(bridge)
    }
}

impl Drop for Bridge {
    /// Asked to end, it ends what it has started.
    fn drop(&mut self) {
        let _ = kill_process_group(self.group, Signal::TERM);
        let begun = Instant::now();
        while let Ok(None) = self.child.try_wait() {
            if begun.elapsed() > Duration::from_secs(BRIDGE_SECONDS_MAX) {
                let _ = kill_process_group(self.group, Signal::KILL);
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{NEED_ITS_TOOLS, RUN, Verdict, scenarios, verdict};

    #[test]
    fn a_scenario_that_nobody_knows_is_seen() {
        let line = |name: &str| format!("  - {name} [2025-06-18,2026-07-28]\n");
        let mut listed: String = RUN.iter().map(|name| line(name)).collect();
        listed += &line("tools-call-image");
        let all = scenarios(&format!("Server scenarios:\n{listed}")).unwrap();
        assert_eq!(all.len(), RUN.len() + 1);
        assert_eq!(all[0].revisions, ["2025-06-18", "2026-07-28"]);
        assert!(
            scenarios(&(listed + &line("juggling"))).is_err_and(|why| why.contains("juggling"))
        );
        assert!(scenarios(&line("ping")).is_err_and(|why| why.contains("has no scenario")));
    }

    #[test]
    fn only_what_needs_the_suites_own_tools_is_excused() {
        let check = |id: &str, status: &str, untestable: bool| {
            json!({"id": id, "status": status, "errorMessage": "no",
                "details": {"untestable": untestable}})
        };
        let known = NEED_ITS_TOOLS[0];
        let good = json!([
            check("a", "SUCCESS", false),
            check("b", "SKIPPED", false),
            check(known, "FAILURE", true),
        ]);
        let expected = Verdict { hold: 1, skipped: 1, need_its_tools: 1, wrong: Vec::new() };
        assert_eq!(verdict(&good), expected);
        for (id, status, untestable) in
            [("a", "FAILURE", true), (known, "FAILURE", false), ("a", "WARNING", false)]
        {
            let bad = json!([check("b", "SUCCESS", false), check(id, status, untestable)]);
            assert_eq!(verdict(&bad).wrong.len(), 1, "{id} {status}");
        }
        assert_eq!(verdict(&json!([])).wrong, ["nothing was checked"]);
    }
}
