//! Measured values and their printed form: one line each, with a bar that is full at the bound.

/// One line of the result.
pub struct Figure {
    pub what: String,
    pub measured: String,
    /// The used share of the bound, and the bound in words; `None` for a value without a bound.
    pub bound: Option<(f64, String)>,
}

const BAR: usize = 12;

impl Figure {
    pub fn unbounded(what: impl Into<String>, measured: impl Into<String>) -> Figure {
        Figure { what: what.into(), measured: measured.into(), bound: None }
    }

    pub fn at_most(what: impl Into<String>, value: f64, bound: f64, measured: String) -> Figure {
        let bound = Some((value / bound, format!("at most {bound}")));
        Figure { what: what.into(), measured, bound }
    }

    pub fn at_least(what: impl Into<String>, value: f64, bound: f64, measured: String) -> Figure {
        let bound = Some((bound / value, format!("at least {bound}")));
        Figure { what: what.into(), measured, bound }
    }

    fn kept(&self) -> bool {
        self.bound.as_ref().is_none_or(|(used, _)| *used <= 1.0)
    }
}

/// Prints all figures and returns how many bounds were missed.
pub fn print(figures: &[Figure]) -> usize {
    let width = |cell: fn(&Figure) -> &str| {
        figures.iter().map(|it| cell(it).chars().count()).max().unwrap_or(0)
    };
    let (what, measured) = (width(|it| &it.what), width(|it| &it.measured));
    for it in figures {
        let (bar, verdict) = match &it.bound {
            None => (" ".repeat(BAR), String::new()),
            Some((used, words)) => {
                (bar(*used), format!("{words}: {}", if it.kept() { "kept" } else { "MISSED" }))
            }
        };
        let line = format!("{:what$}  {bar}  {:measured$}  {verdict}", it.what, it.measured);
        println!("{}", line.trim_end());
    }
    figures.iter().filter(|it| !it.kept()).count()
}

fn bar(used: f64) -> String {
    let full = ((used * BAR as f64).round() as usize).clamp(usize::from(used > 0.0), BAR);
    format!("{}{}", "█".repeat(full), "·".repeat(BAR - full))
}

/// Formats 1000000 as 1,000,000.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Figure, bar, grouped};

    #[test]
    fn a_bar_is_full_at_the_bound_and_beyond() {
        assert_eq!(bar(0.5), "██████······");
        assert_eq!(bar(1.0), bar(7.0));
        assert!(bar(0.001).starts_with('█'));
    }

    #[test]
    fn a_value_equal_to_its_bound_keeps_it() {
        assert!(Figure::at_most("a", 1.5, 1.5, String::new()).kept());
        assert!(!Figure::at_most("a", 1.51, 1.5, String::new()).kept());
        assert!(Figure::at_least("a", 0.4, 0.4, String::new()).kept());
        assert!(!Figure::at_least("a", 0.39, 0.4, String::new()).kept());
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([1, 999, 1_000, 1_234_567].map(grouped), ["1", "999", "1,000", "1,234,567"]);
    }
}
