//! Why numbers are far from the papers': what the causes of several families share. A cause is made of counters, and there is none
//! where a number is near the paper's.

use std::fmt;

/// Points by which a percentage is far from the paper's.
pub const POINTS: f64 = 5.0;
/// Share of the paper's number by which another number is far from it.
pub const SHARE: f64 = 0.05;
/// Programs that a sentence names at most.
pub const NAMED: usize = 3;

/// What a paper prints.
#[derive(Clone, Copy, Debug)]
pub enum Paper {
    /// A percentage, which is compared by points.
    Percent(f64),
    /// A number, which is compared by shares of it.
    Number(f64),
    /// A percentage that is passed.
    Over(f64),
    /// A percentage that is not reached.
    Under(f64),
}

impl Paper {
    /// Whether a number is far from the paper's.
    pub fn is_far(self, here: f64) -> bool {
        match self {
            Self::Percent(paper) => (here - paper).abs() > POINTS,
            Self::Number(paper) => is_far(here, paper),
            Self::Over(paper) => paper - here > POINTS,
            Self::Under(paper) => here - paper > POINTS,
        }
    }
}

impl fmt::Display for Paper {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = out.precision().unwrap_or(1);
        match self {
            Self::Percent(paper) | Self::Number(paper) => write!(out, "{paper:.digits$}"),
            Self::Over(paper) => write!(out, "over {paper:.digits$}"),
            Self::Under(paper) => write!(out, "under {paper:.digits$}"),
        }
    }
}

/// Whether a number differs from another one by a share of it.
pub fn is_far(here: f64, other: f64) -> bool {
    (here / other - 1.0).abs() > SHARE
}

/// A number that is far from the paper's, and why.
#[derive(Debug, PartialEq, Eq)]
pub struct Cause {
    /// What the number is of.
    what: String,
    /// The number, and the paper's.
    numbers: String,
    why: String,
}

impl Cause {
    /// The cause of a number with so many digits; none if it is near the paper's.
    pub fn of(
        what: &str,
        (here, digits): (f64, usize),
        paper: Paper,
        why: impl FnOnce() -> Vec<String>,
    ) -> Option<Self> {
        let numbers = format!("is {here:.digits$}, and {paper:.digits$} in the paper");
        paper.is_far(here).then(|| Self::told(what, numbers, why()))
    }

    /// The cause of what is told in words.
    pub fn told(what: &str, numbers: String, why: Vec<String>) -> Self {
        let why = match why.is_empty() {
            true => "No counter of these runs says why.".to_owned(),
            false => why.join(" "),
        };
        Self {
            what: what.to_owned(),
            numbers,
            why,
        }
    }
}

/// Causes below a table on a terminal, each with an empty line before it.
pub fn text(causes: &[Cause]) -> String {
    let line = |cause: &Cause| format!("\n\n{} {}. {}", cause.what, cause.numbers, cause.why);
    causes.iter().map(line).collect()
}

/// Causes as paragraphs of a page, each with an empty line after it.
pub fn markdown(causes: &[Cause]) -> String {
    let line = |cause: &Cause| format!("**{}** {}. {}\n\n", cause.what, cause.numbers, cause.why);
    causes.iter().map(line).collect()
}

/// The arithmetic mean; 0 of nothing.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// A part of a whole; 0 of nothing.
pub fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// A number beside the paper's, as a multiple of it.
pub fn times(here: f64, paper: f64) -> String {
    format!("{:.1} times the paper's {paper}", here / paper)
}

/// Some of all programs, in words.
pub fn some_of(some: usize, all: usize) -> String {
    match (some == all, all) {
        (true, 1) => "the program".to_owned(),
        (true, _) => format!("all {all} programs"),
        (false, _) => format!("{some} of {all} programs"),
    }
}

/// Words as the first ones of a sentence.
pub fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next();
    first
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(letters)
        .collect()
}

/// Words as a list.
pub fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [word] => word.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Programs with their numbers; the first few of the order.
pub fn named<'all>(programs: impl Iterator<Item = (&'all str, f64)>, digits: usize) -> String {
    let one = |(name, number): (&str, f64)| format!("{name} ({number:.digits$})");
    let words: Vec<String> = programs.take(NAMED).map(one).collect();
    listed(&words)
}

/// Programs, those with the greatest number first.
pub fn greatest<'all>(programs: impl Iterator<Item = (&'all str, f64)>) -> Vec<(&'all str, f64)> {
    let mut all: Vec<_> = programs.collect();
    all.sort_by(|one, other| other.1.total_cmp(&one.1));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_far_by_points_or_by_shares() {
        let far = [
            Paper::Percent(98.0).is_far(92.9),
            Paper::Percent(98.0).is_far(103.1),
            Paper::Number(2.0).is_far(2.11),
            Paper::Number(2.0).is_far(1.89),
            Paper::Over(90.0).is_far(84.9),
            Paper::Under(50.0).is_far(55.1),
        ];
        assert_eq!(far, [true; 6]);
        let near = [
            Paper::Percent(98.0).is_far(93.1),
            Paper::Number(2.0).is_far(2.09),
            Paper::Over(90.0).is_far(85.1),
            Paper::Over(90.0).is_far(99.0),
            Paper::Under(50.0).is_far(54.9),
            Paper::Under(50.0).is_far(1.0),
        ];
        assert_eq!(near, [false; 6]);
    }

    #[test]
    fn a_cause_is_there_where_a_number_is_far_alone() {
        let of = |here| {
            Cause::of("It", (here, 1), Paper::Over(90.0), || {
                vec!["So.".to_owned()]
            })
        };
        assert_eq!(of(86.0), None);
        let far = [of(80.0).unwrap()];
        assert_eq!(
            text(&far),
            "\n\nIt is 80.0, and over 90.0 in the paper. So."
        );
        let page = "**It** is 80.0, and over 90.0 in the paper. So.\n\n";
        assert_eq!(markdown(&far), page);
        let none = Cause::of("It", (1.0, 2), Paper::Number(2.0), Vec::new);
        let said = "**It** is 1.00, and 2.00 in the paper. No counter of these runs says why.\n\n";
        assert_eq!(markdown(&[none.unwrap()]), said);
    }

    #[test]
    fn the_greatest_are_named() {
        let all = [("a", 1.0), ("b", 4.0), ("c", 3.0), ("d", 2.0)];
        let greatest = greatest(all.into_iter()).into_iter();
        assert_eq!(named(greatest, 1), "b (4.0), c (3.0) and d (2.0)");
        assert_eq!(times(5.6, 1.4), "4.0 times the paper's 1.4");
    }
}
