//! The guides of `docs/guides`, followed to the letter: each file is written, each command typed, in a directory that is
//! empty at first, and what is printed is held against what the guide shows.

mod installed;
mod page;
mod reader;
mod shown;

use std::fs;

use mpit_tests::{
    Context, Outcome, paths,
    stacks::{self, Stack},
};

use page::{Step, steps};

/// The steps of `docs/guides/<name>.md`.
fn guide(name: &str) -> Outcome<Vec<Step>> {
    let path = paths::workspace().join("docs/guides").join(name).with_extension("md");
    let text = fs::read_to_string(&path).context(path.display())?;
    steps(&text).context(path.display())
}

/// Follows a guide on each of the MPI libraries that it is meant for.
fn follow(name: &str, labels: &[&str]) -> Outcome {
    let steps = guide(name)?;
    let is_meant = |stack: &Stack| labels.contains(&stack.label());
    stacks::for_each(name, is_meant, |stack| installed::reader(Some(stack))?.follow(&steps).context(name))
}

/// Where guides that run MPI programs are followed: Debian's packages, which readers of the guides probably have, and the
/// newest of both kinds.
const BOTH: [&str; 4] = ["ompi4.1.4", "ompi5.0.11", "mpich4.0.2", "mpich5.0.2"];

#[test]
fn a_variable_of_a_component_in_rust() -> Outcome {
    installed::reader(None)?.follow(&guide("variable")?).context("variable")
}

#[test]
fn tools_in_c_and_rust() -> Outcome {
    follow("tool", &BOTH)
}
