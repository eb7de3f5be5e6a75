//! The guides of `docs/guides`, followed to the letter: each file is written, each command typed, in a directory that is
//! empty at first, and what is printed is held against what the guide shows.

mod installed;
mod page;
mod reader;
mod shown;

use std::fs;

use mpit_tests::{
    Context, Failure, Outcome, paths,
    stacks::{self, Stack},
};

use page::{Step, steps};

/// Follows a page of Markdown of the workspace without an MPI library.
fn follow_without_mpi(page: &str) -> Outcome {
    installed::reader(None)?.follow(&steps(&read(page)?, "").context(page)?).context(page)
}

/// Follows a page on each of the MPI libraries that it is meant for.
fn follow(page: &str, labels: &[&str]) -> Outcome {
    let text = read(page)?;
    let is_meant = |stack: &Stack| labels.contains(&stack.label());
    let test = page.trim_end_matches(".md");
    stacks::for_each(test, is_meant, |stack| {
        installed::reader(Some(stack))?.follow(&steps(&text, stack.label()).context(page)?).context(page)
    })
}

fn read(page: &str) -> Outcome<String> {
    let path = paths::workspace().join(page);
    fs::read_to_string(&path).context(path.display())
}

/// Where guides that run MPI programs are followed: Debian's packages, which readers of the guides probably have, and the
/// newest of both kinds.
const BOTH: [&str; 4] = ["ompi4.1.4", "ompi5.0.11", "mpich4.0.2", "mpich5.0.2"];

#[test]
fn a_variable_of_a_component_in_rust() -> Outcome {
    follow_without_mpi("docs/guides/variable.md")
}

#[test]
fn tools_in_c_and_rust() -> Outcome {
    follow("docs/guides/tool.md", &BOTH)
}

#[test]
fn the_example_of_a_tool_that_counts_late_receives() -> Outcome {
    follow("examples/unexpected/README.md", &BOTH)
}

#[test]
fn an_mpi_library_that_embeds_mpit() -> Outcome {
    follow("docs/guides/embed.md", &["mpich5.0.2-abi"])
}

#[test]
fn a_plug_in_in_rust() -> Outcome {
    let page = "docs/guides/rust-plugin.md";
    most_lines(page, &["Cargo.toml", "src/lib.rs"], 25)?;
    follow(page, &BOTH)
}

#[test]
fn a_plug_in_in_c() -> Outcome {
    let page = "docs/guides/c-plugin.md";
    most_lines(page, &["large.c"], 40)?;
    follow(page, &BOTH)
}

/// Counts what the reader has to write: the lines of these files, but for empty ones.
fn most_lines(page: &str, files: &[&str], most: usize) -> Outcome {
    let lines_of = |step: &Step| match step {
        Step::File { path, text, .. } if files.contains(&path.as_str()) => {
            Some(text.lines().filter(|line| !line.trim().is_empty()).count())
        }
        _ => None,
    };
    let counts: Vec<_> = steps(&read(page)?, "")?.iter().filter_map(lines_of).collect();
    let lines: usize = counts.iter().sum();
    Failure::unless(counts.len() == files.len() && lines <= most, || {
        format!("{page}: {files:?} have {lines} lines, and {most} are the most")
    })
}

#[test]
fn a_component_in_rust_and_in_c() -> Outcome {
    follow("docs/guides/component.md", &BOTH)
}
