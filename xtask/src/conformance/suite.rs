//! Runs the protocol's official conformance suite. It connects to servers over HTTP only, so an
//! independent bridge forwards the messages unchanged. Every scenario of the suite is either run
//! here or listed with the reason why not.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use super::node::Node;
use super::{Tally, Testbed, output_within};
use xtask::Outcome;
use xtask::process::{bounded, group};

/// The scenarios for a server with tools, resources and prompts.
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

/// The scenarios that are not run, with the reason. A trailing `*` matches any ending.
const NOT_RUN: [(&str, &[&str]); 3] = [
    (
        "require tools, resources or prompts of the suite's own server",
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
        "test capabilities that Ambit does not declare",
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
        "test HTTP, which the bridge implements",
        &["server-session-lifecycle", "server-sse-*", "dns-rebinding-protection", "http-*"],
    ),
];

/// Checks within the run scenarios that call a tool of the suite's own server. The suite counts
/// them as failed and marks them as untestable.
const NEED_ITS_TOOLS: [&str; 4] = [
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
];

const SECONDS_MAX: u64 = 90;
const BRIDGE_SECONDS_MAX: u64 = 20;

pub fn run(testbed: &Testbed, tally: &mut Tally) -> Outcome {
    let node = Node::install(testbed)?;
    let home = testbed.empty("suite-home")?;
    let mut list = node.program("conformance", &home)?;
    list.args(["list", "--server"]);
    let scenarios = scenarios(&output_within(list, SECONDS_MAX)?)?;
    let bridge = Bridge::start(&node, testbed, &home)?;
    for scenario in scenarios.iter().filter(|it| RUN.contains(&it.name.as_str())) {
        for revision in &scenario.revisions {
            let what = format!("{revision} {}", scenario.name);
            match run_scenario(&node, &home, &bridge, &scenario.name, revision) {
                Ok(Verdict { wrong, .. }) if !wrong.is_empty() => {
                    tally.fail(&what, &wrong.join("; "));
                }
                Ok(verdict) => tally.pass(&format!("{what}: {verdict}")),
                Err(why) => tally.fail(&what, &why),
            }
        }
    }
    for (why, patterns) in NOT_RUN {
        let names = scenarios.iter().map(|it| it.name.as_str());
        let names: Vec<_> =
            names.filter(|name| !RUN.contains(name) && any_matches(patterns, name)).collect();
        tally.print(&format!("not run, {} that {why}: {}", names.len(), names.join(", ")));
    }
    Ok(())
}

struct Scenario {
    name: String,
    revisions: Vec<String>,
}

/// Parses the suite's list, such as `  - ping [2025-06-18,2025-11-25]`. A scenario that is neither
/// run nor explained is an error, so that a new one is noticed.
fn scenarios(listed: &str) -> Result<Vec<Scenario>, String> {
    let mut all = Vec::new();
    for line in listed.lines().filter_map(|line| line.trim().strip_prefix("- ")) {
        let (name, rest) = line
            .split_once(" [")
            .ok_or_else(|| format!("cannot parse the line {line:?} of the suite's list"))?;
        if !RUN.contains(&name) && !NOT_RUN.iter().any(|(_, patterns)| any_matches(patterns, name))
        {
            return Err(format!(
                "new scenario {name:?}: add it to RUN or, with a reason, to NOT_RUN"
            ));
        }
        let revisions = rest.trim_end_matches(']').split(',').map(str::to_string).collect();
        all.push(Scenario { name: name.to_string(), revisions });
    }
    match RUN.iter().find(|name| !all.iter().any(|it| it.name == **name)) {
        Some(name) => Err(format!("the suite has no scenario {name:?}")),
        None => Ok(all),
    }
}

fn any_matches(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => *pattern == name,
    })
}

/// The result of a scenario.
#[derive(Debug, Default, PartialEq, Eq)]
struct Verdict {
    passed: usize,
    /// Checks of capabilities that the server does not declare.
    skipped: usize,
    need_its_tools: usize,
    wrong: Vec<String>,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed", self.passed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped by the suite: not declared", self.skipped)?;
        }
        if self.need_its_tools > 0 {
            write!(f, ", {} need tools of the suite's own server", self.need_its_tools)?;
        }
        Ok(())
    }
}

/// Runs a scenario. The suite writes its results into a folder.
fn run_scenario(
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
    let fail = |error| format!("the suite wrote no results ({error}): {}", output.status);
    let found = std::fs::read_dir(&folder).map_err(fail)?.flatten().next();
    let found = found.ok_or("the suite wrote no results")?.path().join("checks.json");
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
            Some("SUCCESS") => verdict.passed += 1,
            Some("SKIPPED") => verdict.skipped += 1,
            Some("INFO") => {}
            _ if untestable => verdict.need_its_tools += 1,
            _ => verdict.wrong.push(format!("{id}: {}", check["errorMessage"])),
        }
    }
    if verdict.passed == 0 {
        verdict.wrong.push("nothing was checked".to_string());
    }
    verdict
}

/// `supergateway` in front of `ambit mcp`: a process for each session, and in the newest revision
/// for each request. It listens on every address, so it gets a temporary store and no `--admin`.
struct Bridge {
    child: Child,
    group: Pid,
    url: String,
}

impl Bridge {
    fn start(node: &Node, testbed: &Testbed, home: &Path) -> Result<Bridge, String> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr());
        let address = free.map_err(|error| format!("cannot find a free port: {error}"))?;
        let mut gateway = node.program("supergateway", home)?;
        gateway.arg("--stdio").arg(format!("'{}' mcp", testbed.program.display()));
        gateway.args(["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"]);
        gateway.args(["--port", &address.port().to_string()]);
        gateway.current_dir(testbed.store("suite")?).process_group(0);
        gateway.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = gateway.spawn().map_err(|error| format!("cannot start the bridge: {error}"))?;
        let url = format!("http://{address}/mcp");
        let mut bridge = Bridge { group: group(&child)?, child, url };
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            let ended = bridge.child.try_wait().map_err(|error| error.to_string())?;
            if let Some(status) = ended {
                return Err(format!("the bridge failed: {status}"));
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
    /// Sends SIGTERM first, which lets the bridge end its own processes.
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
    fn an_unknown_scenario_is_an_error() {
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
    fn only_checks_that_need_the_suites_own_tools_may_fail() {
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
        let expected = Verdict { passed: 1, skipped: 1, need_its_tools: 1, wrong: Vec::new() };
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
