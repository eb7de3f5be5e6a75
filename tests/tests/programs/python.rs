//! The Python package in `python/`: its tests, and the form and the types of its sources.
//!
//! The first tier has the tests that need Python alone: it installs no further packages.

use std::path::{Path, PathBuf};

use mpit_tests::launch::Job;
use mpit_tests::{Context, Failure, Outcome, build, paths, record};

fn package() -> PathBuf {
    paths::workspace().join("python")
}

/// Returns a call of Python's `unittest` with the command that cargo has built.
fn unittest(python: &Path, words: &[&str]) -> Outcome<Job> {
    let path = std::env::var("PATH").context("PATH")?;
    let job = Job::plain(&[]).arg(python).args(["-m", "unittest"]).args(words).dir(&package());
    let job = job.env("PATH", format!("{}:{path}", paths::built().display()));
    Ok(job.env("PYTHONDONTWRITEBYTECODE", "1").seconds(300))
}

#[test]
fn python_without_packages() -> Outcome {
    if paths::find_program("python3").is_none() {
        return record::not_run("the Python package", "no python3");
    }
    build::artifacts()?;
    unittest(Path::new("python3"), &["tests.test_command", "tests.test_region"])?.succeed().map(drop)
}

/// Tests of the second tier: they need packages of Python.
mod second {
    use super::*;

    /// Returns the Python with the packages that the tests use; without one, the summary of the tests says so.
    fn python() -> Outcome<Option<PathBuf>> {
        let python = paths::python_with_tables();
        if python.is_none() {
            record::not_run("the Python package", "no Python with its packages; see `cargo xtask setup`")?;
        }
        Ok(python)
    }

    /// Runs the tests with the command that cargo has built, and files of the example `ring`.
    #[test]
    fn tests_of_the_python_package() -> Outcome {
        let Some(python) = python()? else { return Ok(()) };
        build::artifacts()?;
        if !build::is_built() {
            build::run(build::cargo().args([
                "build",
                "--quiet",
                "-p",
                "mpit-examples",
                "--example",
                "ring",
            ]))?;
        }
        let dir = paths::scratch("python", "tests")?;
        Job::plain(&[]).arg(paths::built().join("examples/ring")).dir(&dir).succeed()?;
        let tests = unittest(&python, &["discover", "-s", "tests", "-t", "."])?;
        let tests = tests.env("MPIT_TEST_RING", &dir).succeed()?;
        print!("{}", tests.stdout);
        let count =
            tests.stderr.split("\nRan ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
        Failure::unless(count.is_some_and(|count| count >= 25), || tests.to_string())
    }

    #[test]
    fn python_sources_are_clean() -> Outcome {
        let Some(python) = python()? else { return Ok(()) };
        let (program, cache) = (|name: &str| python.with_file_name(name), paths::target().join("python"));
        let run = |job: Job| job.dir(&package()).succeed().map(drop);
        let ruff = |words: &[&str]| Job::plain(&[]).arg(program("ruff")).args(words).arg("--no-cache");
        run(ruff(&["check"]))?;
        run(ruff(&["format", "--check"]))?;
        run(Job::plain(&[]).arg(program("mypy")).arg("--cache-dir").arg(cache).arg("mpit"))
    }
}
