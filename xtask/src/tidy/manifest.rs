//! What a `Cargo.toml` depends on, read line by line: our manifests are written plainly.

/// One dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    pub name: String,
    pub line: usize,
    pub section: Section,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Normal,
    Dev,
    Build,
}

pub fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut section = None;
    let mut found: Vec<Dependency> = Vec::new();
    for (line, text) in (1..).zip(manifest.lines()) {
        let text = text.split('#').next().unwrap_or_default().trim();
        if let Some(header) = text.strip_prefix('[') {
            let (kind, name) = header_of(header.trim_matches(['[', ']']));
            section = kind;
            if let (Some(section), Some(name)) = (kind, name) {
                // `[dependencies.name]`: its keys follow, and are no dependencies.
                found.push(Dependency { name, line, section });
            }
            if found.last().is_some_and(|last| last.line == line) {
                section = None;
            }
        } else if let (Some(section), Some((key, value))) = (section, text.split_once('=')) {
            let name = key.split('.').next().unwrap_or_default().trim().trim_matches('"');
            let name = renamed(value).unwrap_or(name).to_string();
            found.push(Dependency { name, line, section });
        }
    }
    found
}

/// The section that a header opens, and the dependency that it names.
fn header_of(header: &str) -> (Option<Section>, Option<String>) {
    // A target may be a quoted condition with dots in it; what follows it counts.
    let plain = match header.strip_prefix("target.") {
        Some(target) => {
            let from = ["dev-dependencies", "build-dependencies", "dependencies"];
            let at = from.iter().filter_map(|word| target.find(&format!(".{word}"))).min();
            at.map_or("", |at| &target[at + 1..])
        }
        None => header,
    };
    let (kind, name) = plain.split_once('.').unwrap_or((plain, ""));
    let section = match kind {
        "dependencies" => Section::Normal,
        "dev-dependencies" => Section::Dev,
        "build-dependencies" => Section::Build,
        _ => return (None, None),
    };
    (Some(section), (!name.is_empty()).then(|| name.trim_matches('"').to_string()))
}

/// `other = { package = "name" }` depends on `name`.
fn renamed(value: &str) -> Option<&str> {
    let rest = value.split_once("package")?.1.trim_start().strip_prefix('=')?.trim_start();
    rest.strip_prefix('"')?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::{Section, dependencies};

    #[test]
    fn every_way_to_name_a_dependency_is_read() {
        let manifest = r#"
[package]
name = "x"
[dependencies]
a.workspace = true # b = "1"
c = { version = "1", package = "d" }
[dependencies.e]
version = "1"
[target.'cfg(target_os = "linux")'.dependencies]
f = "1"
[dev-dependencies]
g = "1"
[build-dependencies]
h = "1"
[lints]
workspace = true
"#;
        let found: Vec<_> =
            dependencies(manifest).into_iter().map(|d| (d.name, d.line, d.section)).collect();
        let expected = [
            ("a", 5, Section::Normal),
            ("d", 6, Section::Normal),
            ("e", 7, Section::Normal),
            ("f", 10, Section::Normal),
            ("g", 12, Section::Dev),
            ("h", 14, Section::Build),
        ];
        assert_eq!(found, expected.map(|(name, line, s)| (name.to_string(), line, s)));
    }
}
