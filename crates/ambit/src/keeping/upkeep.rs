//! Maintenance of a store: `rebuild`, `gc`, `backup` and `doctor`.

use std::path::Path;

use ambit_store::{Finding, Level, Sweep};

use crate::answers::{BackupAnswer, GcAnswer, RebuildAnswer};
use crate::{Caller, Engine, FileRefusal, Location, Result};

/// How far the last event may be ahead of the clock before `doctor` reports it, in milliseconds.
const AHEAD_MS: i64 = 5_000;

impl Engine {
    /// Rebuilds all rows of a vault from its log. Calls `progress` with the number of events read
    /// and of rows written.
    pub fn rebuild(&self, caller: &Caller, progress: &dyn Fn(i64, i64)) -> Result<RebuildAnswer> {
        let rebuilt = self.store.rebuild(&caller.vault, progress)?;
        Ok(RebuildAnswer { events: rebuilt.events, rows: rebuilt.rows })
    }

    /// Removes unreferenced data; a dry run only counts it.
    pub fn gc(
        &self,
        caller: &Caller,
        dry_run: bool,
        vacuum: bool,
        progress: &dyn Fn(i64),
    ) -> Result<GcAnswer> {
        let sweep = match (dry_run, vacuum) {
            (true, _) => Sweep::Look,
            (false, false) => Sweep::Remove,
            (false, true) => Sweep::Vacuum,
        };
        let now = self.outside.now();
        let garbage = self.store.collect(&caller.vault, now, sweep, progress)?;
        Ok(GcAnswer {
            dry_run,
            vacuumed: vacuum,
            keys: garbage.keys,
            texts: garbage.contents,
            bytes: garbage.bytes,
            disk_before: garbage.disk_before,
            disk_after: garbage.disk_after,
        })
    }

    /// Copies the whole store to a file, as of one moment. Calls `progress` with the number of
    /// bytes copied and the total.
    pub fn backup(
        &self,
        file: &Path,
        force: bool,
        progress: &dyn Fn(u64, u64),
    ) -> Result<BackupAnswer> {
        if file.exists() && !force {
            return Err(FileRefusal::Exists { path: file.display().to_string() }.into());
        }
        let bytes = self.store.backup(file, progress)?;
        Ok(BackupAnswer { file: file.display().to_string(), bytes })
    }

    /// Checks the store and its surroundings.
    pub fn doctor(&self, caller: &Caller, location: &Location) -> Result<Vec<Finding>> {
        let mut findings = vec![Finding::ok("store", location.to_string())];
        findings.extend(self.store.health()?);
        findings.push(self.clock()?);
        findings.push(self.changed_settings(caller));
        Ok(findings)
    }

    /// Event times never decrease, so a clock that was once ahead delays the times of all later
    /// events.
    fn clock(&self) -> Result<Finding> {
        let now = self.outside.now();
        let last = self.store.vaults()?.into_iter().max_by_key(|vault| vault.time);
        let Some(last) = last.filter(|vault| vault.time > now) else {
            return Ok(Finding::ok("clock", ambit_core::rfc3339(now)));
        };
        let ahead = last.time - now;
        let found = format!(
            "the last event of the vault {:?} is {:.1} s ahead of this machine's clock",
            last.name,
            ahead as f64 / 1000.0
        );
        let advice = "set the clock; until it catches up, new events get the time of the last one";
        Ok(Finding::at(
            if ahead > AHEAD_MS { Level::Warn } else { Level::Ok },
            "clock",
            found,
            advice,
        ))
    }

    fn changed_settings(&self, caller: &Caller) -> Finding {
        let read = self.settings(caller);
        match read {
            Ok(answer) => {
                let changed = answer.settings.iter().filter(|it| it.from != "default");
                let changed: Vec<_> =
                    changed.map(|it| format!("{} = {} ({})", it.name, it.value, it.from)).collect();
                let none = || format!("all {} are the defaults", answer.settings.len());
                let found = if changed.is_empty() { none() } else { changed.join(", ") };
                Finding::ok("settings", found)
            }
            Err(error) => {
                Finding::bad("settings", error.to_string(), "verify and rebuild the vault")
            }
        }
    }
}
