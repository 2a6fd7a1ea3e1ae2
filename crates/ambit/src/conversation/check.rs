//! Checks a caller's request: detects its format and reports what the provider would reject. Needs
//! no store.

use ambit_wire::Format;
use ambit_wire::check::{Fault, check, count, detect};
use ambit_wire::json::{Json, repair_surrogates};
use serde::Serialize;

use crate::{InputRefusal, Result};

/// The largest request that is checked, in bytes: more than any provider accepts.
pub const REQUEST_BYTES_MAX: usize = 64 << 20;

/// Answer of `check`.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct CheckAnswer {
    /// True when no fault was found.
    pub ok: bool,
    pub format: &'static str,
    pub messages: i64,
    pub faults: Vec<Fault>,
}

/// Checks the JSON of a request: its body, the list of its messages, or an answer of `compose`.
/// Without a format, detects it.
pub fn check_request(bytes: &[u8], format: Option<Format>) -> Result<CheckAnswer> {
    if bytes.len() > REQUEST_BYTES_MAX {
        return Err(InputRefusal::TooLarge { max: REQUEST_BYTES_MAX }.into());
    }
    let not_utf8 = |source| InputRefusal::NotUtf8 { source };
    let text = std::str::from_utf8(bytes).map_err(not_utf8)?;
    let (text, _) = repair_surrogates(text.trim_start_matches('\u{FEFF}'));
    let request = Json::parse(&text).map_err(|source| InputRefusal::NotARequest { source })?;
    let format = format.unwrap_or_else(|| detect(&request));
    let faults = check(format, &request);
    Ok(CheckAnswer {
        ok: faults.is_empty(),
        format: format.as_str(),
        messages: count(format, &request) as i64,
        faults,
    })
}
