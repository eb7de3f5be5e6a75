//! The performance variables of single calls, compared with the records of the same process.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use mpit_tests::{Context, Job, Outcome, paths};

use crate::{equal, on_each_family_in_dir, read_all, written_with};

const RANKS: u32 = 2;

/// The difference of a time in the two places: ticks are converted at different times, and to whole nanoseconds.
const ROUNDED: u64 = 1000;

/// The names of some calls of each area that the program makes, and how often.
const MADE: [(&str, u64); 8] = [
    ("sendrecv", 5),
    ("irecv", 3),
    ("isend", 3),
    ("waitall", 3),
    ("barrier", 7),
    ("put", 1),
    ("win_fence", 2),
    ("file_write_at", 1),
];

/// Returns the names of calls with variables of their own according to `docs/monitoring.md`.
fn documented_names(page: &str) -> Outcome<BTreeSet<String>> {
    const BEGIN: &str = "\n`NAME` in the table is one of ";
    let (_, names) = page.split_once(BEGIN).context(BEGIN)?;
    // The last name ends the sentence.
    let (names, _) = names.split_once("`.").context("the end of the names")?;
    Ok(names.split('`').skip(1).step_by(2).map(str::to_owned).collect())
}

/// Tests that `calls_mpi_NAME_count` and `_seconds` are the sums of the lines `# CALL` with this name, 0 for all other names, and that they
/// exist for the documented names.
#[test]
fn variables_are_those_of_the_records() -> Outcome {
    on_each_family_in_dir("call_variables", |stack, dir| {
        let settings = written_with("prof", &[("monitoring_time", "all")]);
        let job = Job::mpi(stack, RANKS).arg(stack.compile("call_variables")?).arg("written").dir(dir);
        let finished = job.under_mpit(&settings)?.succeed()?;
        let page = paths::workspace().join("docs/monitoring.md");
        let page = fs::read_to_string(&page).context(page.display())?;
        let mut variables = BTreeMap::new();
        for line in finished.stdout.lines() {
            let (name, value) = line.split_once(' ').context(line)?;
            variables.insert(name, value.parse::<u64>().context(line)?);
        }
        for (name, calls) in MADE {
            equal(name, &variables.get(&*format!("calls_mpi_{name}_count")).copied(), &Some(calls))?;
        }
        let documented = documented_names(&page)?;
        for suffix in ["_count", "_seconds"] {
            let call = |name: &&str| name.strip_prefix("calls_mpi_")?.strip_suffix(suffix).map(str::to_owned);
            let names: BTreeSet<String> = variables.keys().filter_map(call).collect();
            equal(format!("names of calls with {suffix}"), &names, &documented)?;
        }
        let mut recorded = BTreeMap::<String, (u64, u64)>::new();
        for row in &read_all(&dir.join("prof"), RANKS)?[0].calls {
            let sum = recorded.entry(row.call.name.to_lowercase()).or_default();
            *sum = (sum.0 + row.count, sum.1 + row.ns);
        }
        for (name, value) in variables {
            let name = name.strip_prefix("calls_mpi_").context(name)?;
            let (call, is_count) = match name.strip_suffix("_count") {
                Some(call) => (call, true),
                None => (name.strip_suffix("_seconds").context(name)?, false),
            };
            let (count, ns) = recorded.get(call).copied().unwrap_or_default();
            if is_count {
                equal(name, &value, &count)?;
            } else {
                equal(name, &(value.abs_diff(ns) <= ROUNDED + ns / 500), &true)?;
            }
        }
        Ok(())
    })
}
