//! The first tier of the tests on MPI libraries: on each of them, a job for each framework, language, file mode and command.
//!
//! `cargo xtask test` runs this module alone of `hosts`, so it takes less than two minutes. The lists below are complete: tests compare them
//! with what mpit has.

mod commands;
mod complete;

use std::path::{Path, PathBuf};

use mpit_tests::{Job, Outcome, Stack, paths, stacks};

use crate::fortran::INTERFACES;
use crate::rows::{self, Rows};
use crate::{equal, languages, on_each_in_dir, report};

const RANKS: u32 = 4;

/// A framework, and the kinds of rows that its component of monitoring writes.
const FRAMEWORKS: [(&str, &[&str]); 3] =
    [("pml", &["E", "I"]), ("osc", &["S", "R"]), ("coll", &["C", "O2A", "A2O", "A2A"])];

/// The program `mixed` in a language: the directory of its source, and the line that runs it; `None` if a library cannot run it.
type Language = (&'static str, fn(&Stack) -> Outcome<Option<Vec<PathBuf>>>);

const LANGUAGES: [Language; 4] = [
    ("c", |stack| Ok(Some(vec![stack.compile("mixed")?]))),
    ("cxx", |stack| Ok(Some(vec![stack.compile_cxx("mixed")?]))),
    ("fortran", |stack| {
        if !stack.has_fortran() || paths::find_program("gfortran").is_none() {
            return Ok(None);
        }
        Ok(Some(vec![stack.compile_fortran("mixed", INTERFACES[1])?]))
    }),
    ("python", |stack| Ok(stack.mpi4py().map(|python| vec![python, paths::source("hosts/python/mixed.py")]))),
];

/// The options of `mpit run` that select the files of a run, and the name of the records.
const FILE_MODES: [(&[&str], &str); 6] = [
    (&["--output", "prof/run"], "prof/run"),
    (&["--output", "prof/run", "--one-file"], "prof/run.prof"),
    (&["--output", "prof/run", "--tables"], "prof/run.tables"),
    (&["--output", "prof/run", "--crash-safe"], "prof/run"),
    (&["--output", "prof/run", "--series", "0.1"], "prof/run"),
    (&["--output", "prof/run", "--summary", "prof/short"], "prof/run"),
];

#[test]
fn each_framework_is_recorded_alone() -> Outcome {
    on_each_in_dir("first_frameworks", |stack, dir| {
        for (framework, kinds) in FRAMEWORKS {
            let others = FRAMEWORKS.iter().filter(|(other, _)| *other != framework);
            let unset: Vec<_> =
                others.map(|(other, _)| format!("--set={other}_components=^monitoring")).collect();
            let options: Vec<_> = ["--quiet", "--output", framework]
                .into_iter()
                .chain(unset.iter().map(String::as_str))
                .collect();
            let job = Job::mpi(stack, RANKS).arg(stack.compile("mixed")?).dir(dir);
            job.under_mpit_with(&options)?.succeed()?;
            for (rank, prof) in (0..).zip(crate::read_all(&dir.join(framework), RANKS)?) {
                let of_framework = |rows: Rows| -> Rows {
                    rows.into_iter().filter(|((row, _), _)| kinds.contains(&row.as_str())).collect()
                };
                rows::same(rank, &languages::rows_of(&prof), &of_framework(languages::expected(rank)))?;
            }
        }
        Ok(())
    })
}

#[test]
fn each_language_is_recorded() -> Outcome {
    stacks::on_each("first_languages", |stack| {
        for (language, line) in LANGUAGES {
            if let Some(line) = line(stack)? {
                let job = Job::mpi(stack, RANKS).env("MPI4PY_LIBMPI", &stack.library).args(line);
                languages::is_recorded(stack, language, job)?;
            }
        }
        Ok(())
    })
}

/// Checks that a report has the messages of `ring`.
fn has_messages_of_ring(dir: &Path, records: &str) -> Outcome {
    let finished = report(dir, &[records, "--format", "csv", "--output", "csv"])?;
    finished.expect(finished.code == Some(0) && finished.stdout.contains("4 of 4 processes"))?;
    let pairs = std::fs::read_to_string(dir.join("csv/run_pairs.csv")).unwrap_or_default();
    let pairs: Vec<&str> = pairs.lines().filter(|line| line.starts_with("E,")).collect();
    equal(records, &pairs, &vec!["E,0,1,27,108", "E,1,2,26,104", "E,2,3,26,104", "E,3,0,26,104"])
}

#[test]
fn each_file_mode_has_the_messages() -> Outcome {
    on_each_in_dir("first_files", |stack, dir| {
        for (options, records) in FILE_MODES {
            let job = Job::mpi(stack, RANKS).arg(stack.compile("ring")?).dir(dir);
            job.under_mpit_with(options)?.succeed()?;
            has_messages_of_ring(dir, records)?;
        }
        Ok(())
    })
}
