//! Checks cache markers: their number, places and order.

use crate::json::Json;

use super::super::{Faults, Path, RequestBody, kind, text};

const MARKERS_MAX: usize = 4;

/// The markers found so far.
#[derive(Default)]
pub struct Cache {
    markers: usize,
    /// Whether a marker of five minutes was found.
    short: bool,
}

impl Cache {
    pub fn tools(&mut self, tools: Option<&Json>, faults: &mut Faults) {
        let root = Path::root("tools");
        for (index, tool) in tools.and_then(Json::as_array).into_iter().flatten().enumerate() {
            self.block(tool, &root.index(index), faults);
        }
    }

    /// Checks the marker of a block or a tool, if any.
    pub fn block(&mut self, block: &Json, at: &Path<'_>, faults: &mut Faults) {
        let Some(marker) = block.get("cache_control").filter(|marker| !marker.is_null()) else {
            return;
        };
        let at = at.field("cache_control");
        let ttl = match marker.get("ttl") {
            None => Some("5m"),
            Some(ttl) => ttl.as_str(),
        };
        if text(marker, "type") != Some("ephemeral") || !matches!(ttl, Some("5m" | "1h")) {
            let is = if marker.is_object() { "of no known type or ttl" } else { kind(marker) };
            faults.add(&at, "cache-shape", format!("the cache marker is {is}"));
        }
        let plain = text(block, "text").is_some_and(str::is_empty);
        if matches!(text(block, "type"), Some("thinking" | "redacted_thinking")) || plain {
            faults.add(&at, "cache-where", "this block cannot be marked");
        }
        match ttl {
            Some("1h") if self.short => {
                faults.add(&at, "cache-order", "one hour comes after five minutes");
            }
            Some("1h") => {}
            _ => self.short = true,
        }
        self.count(&at, faults);
    }

    /// Counts the marker of the request as a whole, if any.
    pub fn close(&mut self, request: &RequestBody<'_>, faults: &mut Faults) {
        if request.field("cache_control").is_some() {
            self.count(&Path::root("cache_control"), faults);
        }
    }

    fn count(&mut self, at: &Path<'_>, faults: &mut Faults) {
        self.markers += 1;
        if self.markers == MARKERS_MAX + 1 {
            faults.add(at, "cache-many", "this is the fifth cache marker");
        }
    }
}
