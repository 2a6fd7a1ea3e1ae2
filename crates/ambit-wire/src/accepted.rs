//! Which parts a provider accepts whole, and from which role. Parts of another role, of another or
//! no format, and parts without what their type requires are named in a text instead. `check` holds
//! these rules a second time on purpose: it finds out where this file is wrong.

use crate::json::Json;

use crate::{Format, Role};

/// Returns whether a format accepts a part from a role. The parts of a tool are those of a reply.
pub fn is_accepted(format: Format, part: &Json, role: Role) -> bool {
    let kind = part.get("type").and_then(Json::as_str).unwrap_or_default();
    match format {
        Format::Openai => openai(part, kind, role),
        Format::Responses => responses(part, kind, role),
        Format::Anthropic => anthropic(part, kind, role),
    }
}

fn has(object: &Json, field: &str) -> bool {
    object.get(field).and_then(Json::as_str).is_some_and(|text| !text.is_empty())
}

fn openai(part: &Json, kind: &str, role: Role) -> bool {
    let inner = part.get(kind).unwrap_or(&Json::Null);
    match kind {
        "refusal" => role == Role::Assistant && inner.is_string(),
        _ if role != Role::User => false,
        "image_url" => has(inner, "url"),
        "input_audio" => {
            let format = inner.get("format").and_then(Json::as_str);
            has(inner, "data") && matches!(format, Some("wav" | "mp3"))
        }
        "file" => has(inner, "file_id") || has(inner, "file_data"),
        _ => false,
    }
}

fn responses(part: &Json, kind: &str, role: Role) -> bool {
    match kind {
        _ if role == Role::Assistant => false,
        "input_image" => has(part, "image_url") || has(part, "file_id"),
        "input_file" => has(part, "file_id") || has(part, "file_data") || has(part, "file_url"),
        _ => false,
    }
}

/// The types of blocks that report tools and events on the provider's side.
const ANTHROPIC_SERVER: [&str; 12] = [
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

fn anthropic(part: &Json, kind: &str, role: Role) -> bool {
    match (role, kind) {
        (Role::Assistant, "thinking") => {
            part.get("thinking").is_some_and(Json::is_string) && has(part, "signature")
        }
        (Role::Assistant, "redacted_thinking") => has(part, "data"),
        (Role::Assistant, kind) if ANTHROPIC_SERVER.contains(&kind) => true,
        (Role::User | Role::Tool, "image" | "document") => has_source(part, kind),
        (Role::User | Role::Tool, "search_result") => {
            let texts = part.get("content").and_then(Json::as_array);
            let said = has(part, "source") && has(part, "title");
            said && texts.is_some_and(|texts| texts.iter().all(is_text))
        }
        (Role::User, "container_upload") => has(part, "file_id"),
        (Role::Tool, "tool_reference") => has(part, "tool_name"),
        (Role::User | Role::Assistant, "mid_conv_system" | "tool_addition" | "tool_removal") => {
            true
        }
        _ => false,
    }
}

fn is_text(part: &Json) -> bool {
    let text = part.get("text").and_then(Json::as_str).unwrap_or_default();
    part.get("type").and_then(Json::as_str) == Some("text") && !text.trim().is_empty()
}

/// Returns whether the source of an image or a document is valid for the provider.
fn has_source(part: &Json, kind: &str) -> bool {
    let source = part.get("source").unwrap_or(&Json::Null);
    let media = source.get("media_type").and_then(Json::as_str).unwrap_or_default();
    let image = kind == "image";
    match source.get("type").and_then(Json::as_str).unwrap_or_default() {
        "base64" if image => {
            let known = ["image/jpeg", "image/png", "image/gif", "image/webp"];
            has(source, "data") && known.contains(&media)
        }
        "base64" => has(source, "data") && media == "application/pdf",
        "url" => has(source, "url"),
        "file" => has(source, "file_id"),
        "text" => !image && has(source, "data") && media == "text/plain",
        "content" if !image => match source.get("content") {
            Some(Json::String(text)) => !text.is_empty(),
            Some(Json::Array(parts)) => {
                let shown = |part: &Json| {
                    let kind = part.get("type").and_then(Json::as_str);
                    is_text(part) || kind == Some("image") && has_source(part, "image")
                };
                !parts.is_empty() && parts.iter().all(shown)
            }
            _ => false,
        },
        _ => false,
    }
}
