//! The file with the counts that a change must not exceed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mpit_tests::{Context, Outcome};

/// The difference that is tolerated, in percent: compilers and libraries vary a little.
const TOLERANCE: u64 = 3;

/// The difference that is tolerated for a search of a name, in instructions: another order in which the linker places the definitions may
/// add a probe of the table or two.
const PROBES: u64 = 12;

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

    /// Returns a line for each count that differs by more than the tolerance, or is on one side only. A smaller count is a problem,
    /// too: without a new baseline, a later change could lose again what was gained, and nothing would fail.
    pub(super) fn compare(&self, found: &BTreeMap<String, u64>) -> Vec<String> {
        let lost = self.0.keys().filter(|name| !found.contains_key(*name));
        let lost = lost.map(|name| format!("{name}: not measured, but in the baseline"));
        let others = found.iter().filter_map(|(name, count)| match self.0.get(name) {
            None => Some(format!("{name}: {count}, not in the baseline")),
            Some(base) if is_equal(name, *base, *count) => None,
            Some(base) if count > base => {
                Some(format!("{name}: {count}, over {TOLERANCE} % more than {base} in the baseline"))
            }
            Some(base) => Some(format!(
                "{name}: {count}, over {TOLERANCE} % less than {base}: `--update` keeps the gain"
            )),
        });
        lost.chain(others).collect()
    }
}

/// Returns true if two counts of a call differ by no more than the tolerance.
fn is_equal(name: &str, base: u64, count: u64) -> bool {
    let probes = if name.contains("get_index") { PROBES } else { 0 };
    let difference = base.abs_diff(count);
    difference * 100 <= base * TOLERANCE || difference <= probes
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

    fn counts(list: &[(&str, u64)]) -> BTreeMap<String, u64> {
        list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn baselines_are_read_back() {
        let baseline = Baseline::of(counts(&[("off message 8", 3), ("recording barrier", 100)]));
        assert_eq!(Baseline::parse(&baseline.to_string()).unwrap(), baseline);
        assert!(Baseline::parse("recording barrier many").is_err());
    }

    /// A change that makes a call longer by more than 3 % fails, as `.ci/run` does then, and so does one that makes it shorter.
    #[test]
    fn regressions_and_gains_are_problems() {
        let problems = |base, count| {
            Baseline::of(counts(&[("barrier", base)])).compare(&counts(&[("barrier", count)])).join("\n")
        };
        for (base, count) in [(1000, 1000), (1000, 1030), (1000, 970), (12, 12), (0, 0)] {
            assert_eq!(problems(base, count), "", "{count} after {base}");
        }
        for (base, count) in [(1000, 1031), (12, 13), (0, 1)] {
            assert!(problems(base, count).contains("3 % more than"), "{count} after {base}");
        }
        for (base, count) in [(1000, 969), (12, 11), (1, 0)] {
            assert!(problems(base, count).contains("`--update` keeps the gain"), "{count} after {base}");
        }
    }

    #[test]
    fn searches_of_names_may_take_more_probes() {
        let baseline = Baseline::of(counts(&[("off cvar_get_index library", 189)]));
        let problems = |count| baseline.compare(&counts(&[("off cvar_get_index library", count)]));
        assert!(problems(201).is_empty() && problems(177).is_empty());
        assert!(!problems(202).is_empty() && !problems(176).is_empty());
    }

    #[test]
    fn missing_and_new_counts_are_problems() {
        let baseline = Baseline::of(counts(&[("gone", 1), ("kept", 5)]));
        let problems = baseline.compare(&counts(&[("kept", 5), ("new", 7)]));
        assert_eq!(problems, ["gone: not measured, but in the baseline", "new: 7, not in the baseline"]);
    }

    /// The committed file can be read, and has a count.
    #[test]
    fn the_baseline_of_this_tree_is_readable() {
        let file = mpit_tests::paths::workspace().join("benches/instructions.txt");
        assert!(!Baseline::read(&file).unwrap().0.is_empty());
    }
}
