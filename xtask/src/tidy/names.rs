//! Finds ids of behaviours in names of functions; they belong in comments.

use super::Finding;
use crate::behaviours::without_ids;
use crate::source::functions;
use xtask::tree::File;

pub fn check(files: &[File]) -> Vec<Finding> {
    files.iter().filter(|file| file.is_rust()).flat_map(in_file).collect()
}

fn in_file(file: &File) -> Vec<Finding> {
    let finding = |name: &str, line: usize| {
        let better = without_ids(name)?;
        let why = format!("name it `{better}`, and put the id in a comment: `// Proves …`");
        Some(Finding::new(file, line, format!("`fn {name}`"), why))
    };
    functions(&file.text).iter().filter_map(|it| finding(&it.name, it.first)).collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use xtask::tree::File;

    #[test]
    fn an_id_in_a_name_is_found() {
        let text = "fn s0_12_d0_3_views_stay() {}\nfn s0_views() {}\n";
        let found = check(&[File::new("a.rs", text)]);
        assert_eq!(found.iter().map(|it| it.line).collect::<Vec<_>>(), [1]);
        assert!(found[0].why.contains("`views_stay`"));
    }
}
