//! What `doctor` finds: one line for each thing looked at.

/// How it stands.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Ok,
    Warn,
    Bad,
}

impl Level {
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Ok => "ok",
            Level::Warn => "warn",
            Level::Bad => "bad",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Finding {
    pub level: Level,
    pub name: &'static str,
    pub found: String,
    /// What to do; none where all is well.
    pub advice: Option<String>,
}

impl Finding {
    pub fn ok(name: &'static str, found: impl Into<String>) -> Finding {
        Finding { level: Level::Ok, name, found: found.into(), advice: None }
    }

    pub fn warn(
        name: &'static str,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Finding {
        Finding { level: Level::Warn, name, found: found.into(), advice: Some(advice.into()) }
    }

    pub fn bad(name: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { level: Level::Bad, ..Finding::warn(name, found, advice) }
    }

    /// With the advice only where it is needed.
    pub fn at(
        level: Level,
        name: &'static str,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Finding {
        let advice = (level != Level::Ok).then(|| advice.into());
        Finding { level, name, found: found.into(), advice }
    }
}

/// Bytes as people read them.
pub fn size(bytes: i64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut amount = bytes as f64;
    let mut unit = 0;
    while amount.abs() >= 1024.0 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ => format!("{amount:.1} {}", UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_told_in_the_unit_that_fits() {
        let table = [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (3 << 30, "3.0 GiB")];
        for (bytes, told) in table {
            assert_eq!(size(bytes), told);
        }
    }
}
