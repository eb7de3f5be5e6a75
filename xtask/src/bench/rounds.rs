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

    pub(crate) fn timings(&self, variant: V, name: &str) -> Outcome<Vec<f64>> {
        let at = self.variants.iter().position(|one| *one == variant).context("no such variant was run")?;
        let figure =
            |round: &Vec<Timings>| round[at].get(name).copied().context(format!("no figure for {name}"));
        self.rounds.iter().map(figure).collect()
    }
}

impl Rounds<()> {
    /// Runs a program of `benches/` once per round. It alternates between its variants itself.
    pub(crate) fn of_program(count: u32, name: &str) -> Outcome<Self> {
        Self::run(count, &[()], |()| Ok(timings(Job::plain(&[]).arg(dist::program(name)))?.0))
    }
}

pub(crate) fn differences(timings: &[f64], base: &[f64]) -> Vec<f64> {
    timings.iter().zip(base).map(|(figure, base)| figure - base).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) min: f64,
    pub(crate) median: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// Returns the spread of the results of all rounds, of which there is at least one.
    pub(crate) fn of(timings: &[f64]) -> Self {
        let mut sorted = timings.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (middle, last) = (sorted.len() / 2, sorted.len() - 1);
        Self {
            min: sorted[0],
            median: f64::midpoint(sorted[middle], sorted[last - middle]),
            max: sorted[last],
        }
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
        let (a, b) = (rounds.timings('a', "x").unwrap(), rounds.timings('b', "x").unwrap());
        assert_eq!((a.as_slice(), b.as_slice()), (&[1.0, 4.0, 5.0][..], &[2.0, 3.0, 6.0][..]));
        assert_eq!(differences(&b, &a), [1.0, -1.0, 1.0]);
        assert!(rounds.timings('a', "y").is_err() && rounds.timings('c', "x").is_err());
    }

    #[test]
    fn an_even_number_has_its_middle_between() {
        assert_eq!(Spread::of(&[4.0, 1.0, 3.0]), Spread { min: 1.0, median: 3.0, max: 4.0 });
        assert_eq!(Spread::of(&[4.0, 1.0, 3.0, 2.0]), Spread { min: 1.0, median: 2.5, max: 4.0 });
    }
}
