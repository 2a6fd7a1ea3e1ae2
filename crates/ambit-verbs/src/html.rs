//! HTML pages: one self-contained file that escapes all stored text and runs no script.

use std::path::Path;

use ambit::{HistoryAnswer, Kind, RelatedAnswer};

use crate::failure::Failure;
use crate::text::clean;
use crate::verbs::history::done;

/// Escapes a text for HTML and marks control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            _ => out.push(c),
        }
    }
    out
}

/// The content security policy: the page loads nothing and runs no script.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE: &str = "body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:70em;\
padding:0 1em;color:#222;background:#fff}table{border-collapse:collapse;width:100%}\
td,th{padding:.2em .6em;text-align:left;vertical-align:top;border-bottom:1px solid #ddd}\
td.half{width:40%}\
td.lane{text-align:center;border-left:1px solid #eee}td.n{text-align:right;color:#777}\
.bar{background:#4a7ab5;height:1em;min-width:2px}.dim{color:#777}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}td,th{border-color:#333}\
td.lane{border-color:#2a2a2a}}";

fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         {body}</body>\n</html>\n"
    )
}

/// A timeline with a lane for each actor; a filled mark is a change, and names what was in mind.
pub fn history(answer: &HistoryAnswer) -> String {
    let mut lanes: Vec<&str> = Vec::new();
    for entry in &answer.entries {
        if !lanes.contains(&entry.actor.as_str()) {
            lanes.push(&entry.actor);
        }
    }
    let heads: String = lanes.iter().map(|it| format!("<th>{}</th>", escaped(it))).collect();
    let mut body = format!(
        "<table>\n<tr><th>time</th><th>event</th>{heads}<th>what</th><th>in mind</th></tr>\n"
    );
    for entry in &answer.entries {
        let mark = if entry.context.is_some() { "●" } else { "○" };
        let lane = |it: &&str| match *it == entry.actor {
            true => format!("<td class=\"lane\">{mark}</td>"),
            false => "<td class=\"lane\"></td>".to_string(),
        };
        let marks: String = lanes.iter().map(lane).collect();
        body += &format!(
            "<tr><td class=\"dim\">{}</td><td class=\"n\">{}</td>{marks}<td>{}</td>\
             <td class=\"dim\">{}</td></tr>\n",
            escaped(&entry.timestamp),
            entry.event,
            escaped(&done(entry)),
            escaped(&entry.in_mind.join(", ")),
        );
    }
    body += "</table>\n";
    if let Some(next) = answer.next {
        body +=
            &format!("<p class=\"dim\">Earlier events: --before {next}, or a higher --limit</p>\n");
    }
    page(&format!("History of {}", answer.of), &body)
}

/// Returns the page of `related`: what was in mind together, as bars.
pub fn related(answer: &RelatedAnswer) -> String {
    let most = answer.related.first().map_or(1, |it| it.together.max(1));
    let mut body = format!("<p class=\"dim\">over {} visits</p>\n<table>\n", answer.visits);
    for it in &answer.related {
        let share = 100 * it.together / most;
        body += &format!(
            "<tr><td>{}</td><td class=\"dim\">{}</td><td class=\"n\">{}</td>\
             <td class=\"half\"><div class=\"bar\" style=\"width:{share}%\"></div></td></tr>\n",
            escaped(&it.thing.name),
            escaped(&it.thing.of_type),
            it.together,
        );
    }
    body += "</table>\n";
    page(&format!("In mind together with {}", answer.name), &body)
}

/// Writes a page to a new file and returns a message; never replaces a file. `-` is standard
/// output.
pub fn write(path: &Path, page: &str) -> Result<String, Failure> {
    if path == Path::new("-") {
        return Ok(page.to_string());
    }
    let shown = clean(&path.display().to_string());
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
    let written = file.and_then(|mut file| std::io::Write::write_all(&mut file, page.as_bytes()));
    written.map_err(|error| {
        let hint = "name a file that is not there yet, in a folder that can be written";
        Failure::new(Kind::Conflict, format!("cannot write {shown}: {error}"), hint)
    })?;
    Ok(format!("Written to {shown}.\n"))
}

#[cfg(test)]
mod tests {
    use ambit::{HistoryAnswer, HistoryLine, ItemKind, RelatedAnswer, RelatedLine, ThingLine};

    const HOSTILE: &str = "</td><script>alert('x')</script><img src=\"http://x\" onerror=a>&\u{1b}";

    fn harmless(page: &str) {
        for tag in ["<script", "<img", "</td><", "src=", "http://x\" ", "href=", "@import", "url("]
        {
            let allowed = if tag == "</td><" { "</td><td" } else { "" };
            let rest = page.replace("&lt;img src=&quot;http://x&quot; onerror", "");
            let rest = if allowed.is_empty() { rest } else { rest.replace(allowed, "") };
            assert!(!rest.replace("</td></tr>", "").contains(tag), "{tag}: {page}");
        }
        assert!(!page.contains('\u{1b}'));
        assert!(page.contains("default-src 'none'"));
    }

    /// Stored markup is shown as text.
    #[test]
    fn pages_escape_everything_and_load_nothing() {
        let entry = HistoryLine {
            event: 1,
            timestamp: "2026-11-15T10:00:00.000Z".into(),
            actor: HOSTILE.into(),
            of_type: "put",
            target: Some(HOSTILE.into()),
            name: Some(HOSTILE.into()),
            scope: Some(HOSTILE.into()),
            context: Some(vec![HOSTILE.into()]),
            in_mind: vec![HOSTILE.into()],
            reverts: None,
            view: None,
        };
        let answer = HistoryAnswer { of: HOSTILE.into(), entries: vec![entry], next: None };
        harmless(&super::history(&answer));
        let thing = ThingLine {
            id: "obj_1".into(),
            kind: ItemKind::Object.as_str(),
            name: HOSTILE.into(),
            of_type: HOSTILE.into(),
        };
        let related = vec![RelatedLine { thing, together: 3 }];
        let answer = RelatedAnswer { id: "obj_2".into(), name: HOSTILE.into(), visits: 3, related };
        harmless(&super::related(&answer));
    }
}
