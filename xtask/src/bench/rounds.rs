//! Rounds of measurements, and their statistics.

use std::collections::BTreeMap;

use mpit_tests::{Context, Failure, Outcome, launch::Job};

use super::dist;

/// The results of one run of a program: times by name.
pub(crate) type Timings = BTreeMap<String, f64>;

pub(crate) struct Rounds<V> {
    variants: Vec<V>,
    rounds: Vec<Vec<Timings>>,
}

impl<V: Copy + PartialEq> Rounds<V> {
    /// Runs all variants `count` times alternately, in reverse order every other time: slow changes of the machine then
    /// affect all variants equally.
    pub(crate) fn run(count: u32, variants: &[V], run: impl Fn(V) -> Outcome<Timings>) -> Outcome<Self> {
        let mut rounds = Vec::new();
        for number in 0..count {
            let mut round = vec![Timings::new(); variants.len()];
            for step in 0..variants.len() {
                let at = if number % 2 == 0 { step } else { variants.len() - 1 - step };
                round[at] = run(variants[at])?;
            }
            rounds.push(round);
        }
        Ok(Self { variants: variants.to_vec(), rounds })
    }

    pub(crate) fn samples(&self, variant: V, name: &str) -> Outcome<Samples> {
        let at = self.variants.iter().position(|one| *one == variant).context("no such variant was run")?;
        let figure =
            |round: &Vec<Timings>| round[at].get(name).copied().context(format!("no figure for {name}"));
        Ok(Samples::of(self.rounds.iter().map(figure).collect::<Outcome<_>>()?))
    }
}

impl Rounds<()> {
    /// Runs a program of `benches/` once per round. It alternates between its variants itself.
    pub(crate) fn of_program(count: u32, name: &str) -> Outcome<Self> {
        Self::run(count, &[()], |()| Ok(timings(Job::plain(&[]).arg(dist::program(name)))?.0))
    }
}

/// The figures of all rounds, of which there is at least one, and the one of an undisturbed round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Samples {
    pub(crate) best: f64,
    all: Vec<f64>,
}

impl Samples {
    /// Other load on the machine only adds to a figure, so the least one is the best.
    pub(crate) fn of(all: Vec<f64>) -> Self {
        let best = all.iter().copied().fold(f64::INFINITY, f64::min);
        Self { best, all }
    }

    /// Returns what these figures are more than others. A single difference may be small because the other figure was disturbed, so the
    /// best one is that of the best figures.
    pub(crate) fn above(&self, base: &Self) -> Self {
        let all = self.all.iter().zip(&base.all).map(|(figure, base)| figure - base);
        Self { best: self.best - base.best, all: all.collect() }
    }

    pub(crate) fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        Self { best: change(self.best), all: self.all.iter().copied().map(change).collect() }
    }

    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.all.clone();
        sorted.sort_by(f64::total_cmp);
        let (middle, last) = (sorted.len() / 2, sorted.len() - 1);
        f64::midpoint(sorted[middle], sorted[last - middle])
    }

    pub(crate) fn max(&self) -> f64 {
        self.all.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Runs a program to its end; returns the results that it printed, and its other output.
pub(crate) fn timings(job: Job) -> Outcome<(Timings, String)> {
    let finished = job.finish()?;
    Failure::unless(finished.code == Some(0), || finished.to_string())?;
    let mut timings = Timings::new();
    let mut rest = String::new();
    for line in finished.stdout.lines() {
        // A name of one word or two, and a number with a decimal point.
        match line.rsplit_once(' ').map(|(name, figure)| (name, figure.parse())) {
            Some((name, Ok(figure))) => drop(timings.insert(name.to_owned(), figure)),
            _ => rest.extend([line, "\n"]),
        }
    }
    Ok((timings, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_alternate_and_keep_figures_apart() {
        let order = std::cell::RefCell::new(String::new());
        let run = |variant: char| {
            order.borrow_mut().push(variant);
            Ok(Timings::from([("x".to_owned(), order.borrow().len() as f64)]))
        };
        let rounds = Rounds::run(3, &['a', 'b'], run).unwrap();
        assert_eq!(*order.borrow(), "abbaab");
        let (a, b) = (rounds.samples('a', "x").unwrap(), rounds.samples('b', "x").unwrap());
        assert_eq!((a.all.as_slice(), b.all.as_slice()), (&[1.0, 4.0, 5.0][..], &[2.0, 3.0, 6.0][..]));
        assert_eq!(b.above(&a), Samples { best: 1.0, all: vec![1.0, -1.0, 1.0] });
        assert!(rounds.samples('a', "y").is_err() && rounds.samples('c', "x").is_err());
    }

    #[test]
    fn differences_are_those_of_best_rounds() {
        let (ours, base) = (Samples::of(vec![7.0, 5.0, 9.0]), Samples::of(vec![4.0, 8.0, 3.0]));
        let added = ours.above(&base);
        assert_eq!((added.best, added.median(), added.max()), (2.0, 3.0, 6.0));
    }

    #[test]
    fn an_even_number_has_its_middle_between() {
        let median = |all: &[f64]| Samples::of(all.to_vec()).median();
        assert_eq!((median(&[4.0, 1.0, 3.0]), median(&[4.0, 1.0, 3.0, 2.0])), (3.0, 2.5));
    }
}
