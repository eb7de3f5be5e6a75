//! Output of results as a table.

use super::rounds::Spread;

pub(crate) const NANOSECONDS: &str = "nanoseconds";

pub(crate) struct Ratio {
    value: f64,
    to: &'static str,
}

pub(crate) struct Line {
    timings: String,
    ratio: String,
    goal: String,
}

pub(crate) fn heading(title: &str, unit: &str) {
    println!("\n{title}\n{unit:<58}{:>9}{:>9}{:>9}   ratio of the medians", "min", "median", "max");
}

impl Ratio {
    /// Returns the ratio of the medians; `None` if the baseline is not above 0.
    pub(crate) fn of(timings: &[f64], peer: &[f64], to: &'static str) -> Option<Self> {
        let (timings, peer) = (Spread::of(timings).median, Spread::of(peer).median);
        if peer > 0.0 { Some(Self { value: timings / peer, to }) } else { None }
    }

    pub(crate) fn within(&self, max: f64) -> bool {
        self.value <= max
    }
}

impl Line {
    pub(crate) fn new(on: &str, what: &str, timings: &[f64]) -> Self {
        let Spread { min, median, max } = Spread::of(timings);
        // Times below 1 need another digit.
        let digits = if max < 1.0 { 3 } else { 2 };
        let timings = format!("{on:<16} {what:<41}{min:>9.digits$}{median:>9.digits$}{max:>9.digits$}");
        Self { timings, ratio: String::new(), goal: String::new() }
    }

    pub(crate) fn ratio(mut self, ratio: Option<&Ratio>) -> Self {
        self.ratio = ratio.map(|Ratio { value, to }| format!("{value:.3} of {to}")).unwrap_or_default();
        self
    }

    pub(crate) fn note(mut self, note: &str) -> Self {
        note.clone_into(&mut self.ratio);
        self
    }

    pub(crate) fn goal(mut self, goal: &str, met: bool) -> Self {
        self.goal = format!("goal {goal}: {}", if met { "met" } else { "missed" });
        self
    }

    pub(crate) fn print(self) {
        let line = format!("{}   {:<24} {}", self.timings, self.ratio, self.goal);
        println!("{}", line.trim_end());
    }
}
