//! Checks single blocks: the fields and the role that each type requires.

use crate::json::Json;

use super::super::{Faults, Path, kind, quoted, text};
use super::cache::Cache;

/// Blocks of the assistant only; the last ones report tools on the provider's side.
const ASSISTANT: [&str; 15] = [
    "tool_use",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "advisor_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
    "compaction",
    "fallback",
];

/// Blocks of the user only.
const USER: [&str; 5] = ["tool_result", "image", "document", "search_result", "container_upload"];

/// Blocks that are not checked further.
const OTHER: [&str; 3] = ["mid_conv_system", "tool_addition", "tool_removal"];

pub fn check(block: &Json, role: &str, at: &Path<'_>, cache: &mut Cache, faults: &mut Faults) {
    let Some(sort) = text(block, "type") else {
        let message = format!("a block is {} without a type", kind(block));
        faults.add(at, "block-type", message);
        return;
    };
    let (assistant, user) = (ASSISTANT.contains(&sort), USER.contains(&sort));
    if !assistant && !user && sort != "text" && !OTHER.contains(&sort) {
        faults.add(at, "block-type", format!("the type {} is unknown here", quoted(sort)));
        return;
    }
    if assistant && role == "user" || user && role == "assistant" {
        let message = format!("a block of type {sort} in a message of role {role}");
        faults.add(at, "block-role", message);
    }
    cache.block(block, at, faults);
    match sort {
        "text" => words(block, at, faults),
        "tool_use" => call(block, at, faults),
        "tool_result" => result(block, at, cache, faults),
        "thinking" => {
            faults.string(at, "thinking-shape", block, "thinking");
            faults.string(at, "thinking-shape", block, "signature");
        }
        "redacted_thinking" => {
            faults.string(at, "thinking-shape", block, "data");
        }
        "image" | "document" => source(block, sort, at, cache, faults),
        "search_result" => search_result(block, at, cache, faults),
        "container_upload" => {
            faults.string(at, "block-shape", block, "file_id");
        }
        _ => {}
    }
}

fn words(block: &Json, at: &Path<'_>, faults: &mut Faults) {
    let Some(text) = faults.string(at, "block-shape", block, "text") else { return };
    if text.trim().is_empty() {
        let is = if text.is_empty() { "empty" } else { "white space alone" };
        faults.add(at, "empty-text", format!("the text is {is}"));
    }
}

fn call(block: &Json, at: &Path<'_>, faults: &mut Faults) {
    if let Some(id) = faults.string(at, "call-id", block, "id") {
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if id.is_empty() || !id.chars().all(known) {
            let message = format!("the id {} is empty or has invalid characters", quoted(id));
            faults.add(&at.field("id"), "call-id", message);
        }
    }
    faults.name(at, block, 128);
    if !block.get("input").is_some_and(Json::is_object) {
        let is = block.get("input").map_or("missing", kind);
        faults.add(&at.field("input"), "call-input", format!("the input is {is}"));
    }
}

fn result(block: &Json, at: &Path<'_>, cache: &mut Cache, faults: &mut Faults) {
    faults.string(at, "block-shape", block, "tool_use_id");
    let error = match block.get("is_error") {
        None | Some(Json::Null) => false,
        Some(Json::Bool(error)) => *error,
        Some(other) => {
            let message = format!("is_error is {}, not true or false", kind(other));
            faults.add(&at.field("is_error"), "block-shape", message);
            false
        }
    };
    let at = at.field("content");
    let list = match block.get("content") {
        None | Some(Json::Null | Json::String(_)) => return,
        Some(Json::Array(list)) => list,
        Some(other) => {
            faults.add(&at, "result-content", format!("the content is {}", kind(other)));
            return;
        }
    };
    for (index, inner) in list.iter().enumerate() {
        let at = at.index(index);
        let sort = text(inner, "type").unwrap_or_default();
        if error && matches!(sort, "image" | "document" | "search_result" | "tool_reference") {
            let message = format!("a block of type {sort} in a result that is an error");
            faults.add(&at, "error-content", message);
        }
        match sort {
            "text" => {
                cache.block(inner, &at, faults);
                // White space is a valid result.
                if faults.string(&at, "block-shape", inner, "text") == Some("") {
                    faults.add(&at, "empty-text", "the text is empty");
                }
            }
            "image" | "document" | "search_result" => check(inner, "user", &at, cache, faults),
            "tool_reference" => {
                faults.string(&at, "block-shape", inner, "tool_name");
            }
            other => {
                let message = format!("a block of type {} within a result", quoted(other));
                faults.add(&at, "result-content", message);
            }
        }
    }
}

fn source(block: &Json, sort: &str, at: &Path<'_>, cache: &mut Cache, faults: &mut Faults) {
    let at = at.field("source");
    let source = block.get("source").unwrap_or(&Json::Null);
    let has = |field: &str| text(source, field).is_some_and(|text| !text.is_empty());
    let media = text(source, "media_type").unwrap_or_default();
    let good = match (text(source, "type").unwrap_or_default(), sort) {
        ("base64", "image") => {
            has("data") && ["image/jpeg", "image/png", "image/gif", "image/webp"].contains(&media)
        }
        ("base64", _) => has("data") && media == "application/pdf",
        ("url", _) => has("url"),
        ("file", _) => has("file_id"),
        ("text", "document") => has("data") && media == "text/plain",
        ("content", "document") => {
            match source.get("content") {
                Some(Json::Array(list)) => inner(list, &at, cache, faults),
                Some(Json::String(_)) => {}
                _ => faults.add(&at, "source", "a source of type content has a content"),
            }
            true
        }
        _ => false,
    };
    if !good {
        faults.add(&at, "source", format!("the source is not valid for type {sort}"));
    }
}

/// Checks the blocks of a document: texts and images.
fn inner(list: &[Json], at: &Path<'_>, cache: &mut Cache, faults: &mut Faults) {
    let at = at.field("content");
    for (index, block) in list.iter().enumerate() {
        let at = at.index(index);
        match text(block, "type") {
            // An image holds no blocks, so the recursion ends here.
            Some("text" | "image") => check(block, "user", &at, cache, faults),
            _ => faults.add(&at, "source", "a document is made of texts and images"),
        }
    }
}

fn search_result(block: &Json, at: &Path<'_>, cache: &mut Cache, faults: &mut Faults) {
    faults.string(at, "block-shape", block, "source");
    faults.string(at, "block-shape", block, "title");
    let at = at.field("content");
    let Some(list) = block.get("content").and_then(Json::as_array) else {
        faults.add(&at, "block-shape", "a search result's content is a list of texts");
        return;
    };
    for (index, block) in list.iter().enumerate() {
        let at = at.index(index);
        match text(block, "type") {
            Some("text") => check(block, "user", &at, cache, faults),
            _ => faults.add(&at, "block-shape", "a search result's content is a list of texts"),
        }
    }
}
