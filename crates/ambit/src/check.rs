//! Checking a request that somebody brings: which format it is in, and what its provider would
//! refuse. No store is needed.

use ambit_core::{Code, Rejection};
use ambit_wire::Format;
use ambit_wire::check::{Fault, check, count, detect};
use ambit_wire::json::{Json, repair_surrogates};
use serde::Serialize;

use crate::Result;

/// The most bytes of a request that are looked at: more than any provider takes.
pub const REQUEST_BYTES_MAX: usize = 64 << 20;

/// What `check` answers.
#[derive(Clone, Debug, Serialize)]
pub struct CheckAnswer {
    /// Whether nothing was found.
    pub ok: bool,
    pub format: &'static str,
    pub messages: i64,
    pub faults: Vec<Fault>,
}

/// Checks the JSON of a request: its body, the list of its messages, or what `compose` answers.
/// Without a format, the one that it seems to be in.
pub fn check_request(bytes: &[u8], format: Option<Format>) -> Result<CheckAnswer> {
    if bytes.len() > REQUEST_BYTES_MAX {
        return Err(Rejection::new(
            Code::Refused,
            format!("the request has more than {REQUEST_BYTES_MAX} bytes"),
            "no provider takes a request of that size: leave out or fold old messages",
        )
        .into());
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Rejection::usage(
            format!("the request is not UTF-8: byte {} is at fault", error.valid_up_to() + 1),
            "convert it to UTF-8 first",
        )
    })?;
    let (text, _) = repair_surrogates(text.trim_start_matches('\u{FEFF}'));
    let request = Json::parse(&text).map_err(|error| {
        Rejection::usage(
            format!("this is not JSON: {error}"),
            "give one request, its list of messages, or what `ambit compose --json` prints",
        )
    })?;
    let format = format.unwrap_or_else(|| detect(&request));
    let faults = check(format, &request);
    Ok(CheckAnswer {
        ok: faults.is_empty(),
        format: format.as_str(),
        messages: count(format, &request) as i64,
        faults,
    })
}
