//! Bars in text: how much of a whole something is.

/// Width of a full bar, in characters.
const WIDTH: usize = 32;

/// Draws a bar for a part of a whole. Any part above zero shows at least a sliver.
pub fn bar(part: i64, whole: i64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if part <= 0 || whole <= 0 {
        return String::new();
    }
    let eighths = (part.min(whole) as u128 * (WIDTH as u128 * 8) / whole as u128) as usize;
    let eighths = eighths.max(1);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// Draws a bar padded to its full width, for a column with another one after it.
pub fn padded(part: i64, whole: i64) -> String {
    let bar = bar(part, whole);
    let missing = WIDTH.saturating_sub(bar.chars().count());
    bar + &" ".repeat(missing)
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn bars_grow_with_their_part() {
        assert_eq!(bar(0, 10), "");
        assert_eq!(bar(1, 1_000_000), "▏");
        assert_eq!(bar(5, 10), "█".repeat(16));
        assert_eq!(bar(20, 10), "█".repeat(32));
    }
}
