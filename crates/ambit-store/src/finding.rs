//! The findings of `doctor`: one line for each check.

/// The severity of a finding.
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

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Finding {
    pub level: Level,
    pub name: &'static str,
    pub found: String,
    /// What to do; `None` if all is well.
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

    /// Creates a finding of a level, and drops the advice if the level is `Ok`.
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

/// Formats a number of bytes in the largest unit that fits.
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
    fn sizes_are_shown_in_the_largest_unit_that_fits() {
        let table = [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (3 << 30, "3.0 GiB")];
        for (bytes, shown) in table {
            assert_eq!(size(bytes), shown);
        }
    }
}
