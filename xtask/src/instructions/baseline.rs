//! The file with the counts that a change must not exceed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mpit_tests::{Context, Outcome};

/// The growth that is tolerated, in percent: compilers and libraries vary a little.
const TOLERANCE: u64 = 3;

/// The first lines of the file.
const HEADER: &str = "# Instructions that mpit adds to a call on x86-64, by MPI library, thread level, state and call.\n\
    # Written by `cargo xtask instructions --update`.\n";

/// The counts of a commit, by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Baseline(BTreeMap<String, u64>);

impl Baseline {
    pub(super) fn of(counts: BTreeMap<String, u64>) -> Self {
        Self(counts)
    }

    pub(super) fn read(file: &Path) -> Outcome<Self> {
        Self::parse(&fs::read_to_string(file).context(file.display())?)
    }

    fn parse(text: &str) -> Outcome<Self> {
        let entry = |line: &str| {
            let (name, count) = line.rsplit_once(' ')?;
            Some((name.to_owned(), count.parse().ok()?))
        };
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines
            .map(|line| entry(line).context(format!("`{line}` is no name and count")))
            .collect::<Outcome<_>>()
            .map(Self)
    }

    pub(super) fn write(&self, file: &Path) -> Outcome {
        fs::write(file, self.to_string()).context(file.display())
    }

    /// Returns the names of counts that are smaller than here: a new baseline would keep what was gained.
    pub(super) fn gains(&self, found: &BTreeMap<String, u64>) -> Vec<String> {
        let is_gain = |name: &str, base: u64| {
            found.get(name).is_some_and(|count| count * 100 < base * (100 - TOLERANCE))
        };
        self.0.iter().filter(|(name, base)| is_gain(name, **base)).map(|(name, _)| name.clone()).collect()
    }

    /// Returns a line for each count that is larger than here, or on one side only.
    pub(super) fn compare(&self, found: &BTreeMap<String, u64>) -> Vec<String> {
        let lost = self.0.keys().filter(|name| !found.contains_key(*name));
        let lost = lost.map(|name| format!("{name}: not measured, but in the baseline"));
        let others = found.iter().filter_map(|(name, count)| match self.0.get(name) {
            None => Some(format!("{name}: {count}, not in the baseline")),
            Some(base) if count * 100 > base * (100 + TOLERANCE) => {
                Some(format!("{name}: {count}, more than {base} in the baseline by over {TOLERANCE} %"))
            }
            Some(_) => None,
        });
        lost.chain(others).collect()
    }
}

impl std::fmt::Display for Baseline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(HEADER)?;
        self.0.iter().try_for_each(|(name, count)| writeln!(f, "{name} {count}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_and_missing_counts_are_problems() {
        let counts =
            |list: &[(&str, u64)]| list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        let baseline = Baseline::of(counts(&[("off call", 3), ("read own", 100), ("gone", 1)]));
        assert_eq!(Baseline::parse(&baseline.to_string()).unwrap(), baseline);
        let found = counts(&[("off call", 4), ("read own", 103), ("new", 7)]);
        let problems = baseline.compare(&found);
        assert_eq!(problems.len(), 3, "{problems:?}");
        for (problem, name) in problems.iter().zip(["gone", "new", "off call"]) {
            assert!(problem.starts_with(name), "{problem}");
        }
        assert!(Baseline::of(found.clone()).compare(&found).is_empty());
        assert_eq!(Baseline::of(counts(&[("off call", 5), ("read own", 106)])).gains(&found), ["off call"]);
        assert!(Baseline::parse("read own many").is_err());
    }
}
