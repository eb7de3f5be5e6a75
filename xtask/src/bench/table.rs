//! The lines that people read.

use super::rounds::Spread;

/// The unit of most tables.
pub(crate) const NANOSECONDS: &str = "nanoseconds";

/// What one figure is of another.
pub(crate) struct Ratio {
    value: f64,
    to: &'static str,
}

/// A line under way.
pub(crate) struct Line {
    figures: String,
    ratio: String,
    goal: String,
}

/// The heading of a table, and what its figures are.
pub(crate) fn heading(title: &str, unit: &str) {
    println!("\n{title}\n{unit:<58}{:>9}{:>9}{:>9}   ratio of the medians", "min", "median", "max");
}

impl Ratio {
    /// `figures` in terms of `peer`, by their medians. No ratio to what is not above 0.
    pub(crate) fn of(figures: &[f64], peer: &[f64], to: &'static str) -> Option<Self> {
        let (figures, peer) = (Spread::of(figures).median, Spread::of(peer).median);
        (peer > 0.0).then(|| Self { value: figures / peer, to })
    }

    /// Whether it is this or less.
    pub(crate) fn within(&self, most: f64) -> bool {
        self.value <= most
    }
}

impl Line {
    /// Something that took this long in each round.
    pub(crate) fn new(on: &str, what: &str, figures: &[f64]) -> Self {
        let Spread { min, median, max } = Spread::of(figures);
        // What a machine does in less than one is of interest to the last digit.
        let digits = if max < 1.0 { 3 } else { 2 };
        let figures = format!("{on:<16} {what:<41}{min:>9.digits$}{median:>9.digits$}{max:>9.digits$}");
        Self { figures, ratio: String::new(), goal: String::new() }
    }

    /// Adds a ratio.
    pub(crate) fn ratio(mut self, ratio: Option<&Ratio>) -> Self {
        self.ratio = ratio.map(|Ratio { value, to }| format!("{value:.3} of {to}")).unwrap_or_default();
        self
    }

    /// Says why there is no ratio.
    pub(crate) fn note(mut self, note: &str) -> Self {
        note.clone_into(&mut self.ratio);
        self
    }

    /// Adds what it should be, and whether it is.
    pub(crate) fn goal(mut self, goal: &str, met: bool) -> Self {
        self.goal = format!("goal {goal}: {}", if met { "met" } else { "missed" });
        self
    }

    /// Prints it.
    pub(crate) fn print(self) {
        let line = format!("{}   {:<24} {}", self.figures, self.ratio, self.goal);
        println!("{}", line.trim_end());
    }
}
