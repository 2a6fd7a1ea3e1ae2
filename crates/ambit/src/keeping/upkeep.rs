//! Keeping a store in order: `rebuild`, `gc`, `backup` and `doctor`.

use std::path::Path;

use ambit_store::{Finding, Level, Sweep};

use crate::answers::{BackupAnswer, GcAnswer, RebuildAnswer};
use crate::{Caller, Engine, FileRefusal, Location, Result};

/// How far the last event may lie ahead of the clock before it is worth a word, in milliseconds.
const AHEAD_MS: i64 = 5_000;

impl Engine {
    /// Rebuilds all rows of a vault from its log. `progress` is given how many events were read
    /// and how many rows were written.
    pub fn rebuild(&self, caller: &Caller, progress: &dyn Fn(i64, i64)) -> Result<RebuildAnswer> {
        let rebuilt = self.store.rebuild(&caller.vault, progress)?;
        Ok(RebuildAnswer { events: rebuilt.events, rows: rebuilt.rows })
    }

    /// Removes what nothing refers to; for a dry run it only counts.
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

    /// Copies the whole store to a file, as it is at one moment. `progress` is given how many bytes
    /// of how many are copied.
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

    /// Looks at the store and what is around it.
    pub fn doctor(&self, caller: &Caller, location: &Location) -> Result<Vec<Finding>> {
        let mut findings = vec![Finding::ok("store", location.to_string())];
        findings.extend(self.store.health()?);
        findings.push(self.clock()?);
        findings.push(self.changed_settings(caller));
        Ok(findings)
    }

    /// Events never go back in time: a clock that was ahead once makes all later ones wait for it.
    fn clock(&self) -> Result<Finding> {
        let now = self.outside.now();
        let last = self.store.vaults()?.into_iter().max_by_key(|vault| vault.time);
        let Some(last) = last.filter(|vault| vault.time > now) else {
            return Ok(Finding::ok("clock", ambit_core::rfc3339(now)));
        };
        let ahead = last.time - now;
        let found = format!(
            "the last event of the vault {:?} lies {:.1} s ahead of this machine's clock",
            last.name,
            ahead as f64 / 1000.0
        );
        let advice = "set the clock; until it has caught up, events bear the time of the last one";
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
