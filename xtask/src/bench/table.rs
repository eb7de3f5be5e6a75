//! Output of results as a table.

use super::rounds::Spread;

pub(crate) const NANOSECONDS: &str = "nanoseconds";

pub(crate) struct Line {
    timings: String,
    median: f64,
    ratio: Option<f64>,
    /// The ratio as text.
    note: String,
    goal: String,
}

pub(crate) fn heading(title: &str, unit: &str) {
    println!("\n{title}\n{unit:<58}{:>9}{:>9}{:>9}   ratio of the medians", "min", "median", "max");
}

impl Line {
    pub(crate) fn new(on: &str, what: &str, timings: &[f64]) -> Self {
        let Spread { min, median, max } = Spread::of(timings);
        // Times below 1 need another digit.
        let digits = if max < 1.0 { 3 } else { 2 };
        let timings = format!("{on:<16} {what:<41}{min:>9.digits$}{median:>9.digits$}{max:>9.digits$}");
        Self { timings, median, ratio: None, note: String::new(), goal: String::new() }
    }

    /// Adds the ratio of the medians of timings and a baseline, unless the baseline is not above 0.
    pub(crate) fn ratio(mut self, timings: &[f64], peer: &[f64], to: &str) -> Self {
        let (timings, peer) = (Spread::of(timings).median, Spread::of(peer).median);
        if peer > 0.0 {
            self.ratio = Some(timings / peer);
            self.note = format!("{:.3} of {to}", timings / peer);
        }
        self
    }

    /// Adds the goal that the median is at most `max` units.
    pub(crate) fn at_most(self, max: f64, unit: &str) -> Self {
        let met = self.median <= max;
        self.goal(&format!("<= {max} {unit}"), met)
    }

    /// Returns true if there is a ratio, and it is at most `max`.
    pub(crate) fn has_ratio_within(&self, max: f64) -> bool {
        self.ratio.is_some_and(|ratio| ratio <= max)
    }

    pub(crate) fn goal(mut self, goal: &str, met: bool) -> Self {
        self.goal = format!("goal {goal}: {}", if met { "met" } else { "missed" });
        self
    }

    pub(crate) fn print(self) {
        let line = format!("{}   {:<24} {}", self.timings, self.note, self.goal);
        println!("{}", line.trim_end());
    }
}
