//! The runs of all programs: as single processes where the library starts without a launcher, several at a time, and else as jobs.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tempfile::TempDir;

use super::Report;
use super::compiler::{Compiler, lacks_name_of_mpi};
use super::execute::{self, Ended, Job};
use super::launch::Launch;
use super::library::{MpiLibrary, PROBE};
use super::programs::Program;
use super::report::{Checked, Outcome};
use crate::forwarding::leave_no_core;
use crate::{preload, print, temporary_directory};

/// The most processes at a time: more would compete for what libraries have one of.
const MOST_AT_A_TIME: usize = 8;

/// The rule that a handle can be made.
const MAKES_HANDLES: &str = "F17";

/// The compiler, the launcher and the limits with which programs run.
pub(super) struct Runner {
    launch: Launch,
    compiler: Compiler,
    /// The library of mpit, if its interface is checked.
    preloaded: Option<PathBuf>,
    limit: Duration,
    directory: TempDir,
    is_interrupted: Arc<AtomicBool>,
}

impl Runner {
    /// Finds the compiler of a command, and creates a directory for the programs.
    pub(super) fn new(
        command: &[OsString],
        cc: Option<&Path>,
        preloaded: Option<PathBuf>,
        limit: Duration,
    ) -> Result<Self, String> {
        let launch = Launch::of(command);
        let compiler = Compiler::find(cc, launch.file().as_deref())?;
        let directory = temporary_directory()?;
        let is_interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&is_interrupted))
                .map_err(|error| format!("cannot handle signals: {error}"))?;
        }
        // Some libraries crash many times.
        leave_no_core();
        Ok(Self { launch, compiler, preloaded, limit, directory, is_interrupted })
    }

    /// Runs programs and returns their results.
    pub(super) fn check(&self, programs: &[Program]) -> Result<Report, String> {
        let probe = self.directory.path().join("probe");
        self.compiler.compile(PROBE, &probe).map_err(|error| {
            format!("{} does not compile MPI programs: {error}", self.compiler.path.display())
        })?;
        let library = self.probe(&probe, self.launch.is_launcher())?;
        let runs_alone = self.launch.is_launcher()
            && self.probe(&probe, false).is_ok_and(|alone| alone.library == library.library);
        let is_single = runs_alone || !self.launch.is_launcher();
        if !is_single {
            print(&format!(
                "a process without {} does not find the MPI library, so that each program is run by it",
                self.launch.shown()
            ));
        }
        let outcomes = self.run_all(programs, &library, is_single)?;
        let checks =
            programs.iter().zip(outcomes).map(|(program, outcome)| Checked::new(program, outcome)).collect();
        let compiler = self.compiler.path.display().to_string();
        Ok(Report::new(library, self.preloaded.is_some(), compiler, self.launch.shown(), checks))
    }

    /// Runs the program that prints the properties of the library.
    fn probe(&self, program: &Path, is_launched: bool) -> Result<MpiLibrary, String> {
        let ended = self.run(program, is_launched)?;
        let shown = if is_launched { self.launch.shown() } else { program.display().to_string() };
        let wrong = format!(
            "{} with {shown}: name the compiler of that MPI library with --cc",
            self.compiler.path.display()
        );
        let Some(library) = MpiLibrary::parse(&ended.stdout) else {
            let line = ended.stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("no output");
            return Err(format!(
                "a program of {wrong}, if it is another one; the program printed: {}",
                line.trim()
            ));
        };
        if ended.stdout.lines().filter(|line| line.starts_with("library\t")).count() > 1 {
            return Err(format!("processes do not see each other in a program of {wrong}"));
        }
        if library.is_through_mpit && self.preloaded.is_none() {
            return Err("mpit is in the program; to check its interface, use --through-mpit, else remove it from the command".into());
        }
        Ok(library)
    }

    /// Runs a program as a job, or as a single process.
    fn run(&self, program: &Path, is_launched: bool) -> Result<Ended, String> {
        let line = if is_launched { self.launch.line(program) } else { vec![program.as_os_str().to_owned()] };
        let mut command = Command::new(&line[0]);
        // Libraries leave files there when a process crashes.
        command.args(&line[1..]).env("TMPDIR", self.directory.path());
        execute::leave_out_mpit(&mut command);
        if let Some(library) = &self.preloaded {
            preload::add(&mut command, library, None);
        }
        execute::run(&mut command, program, self.limit, &self.is_interrupted)
            .map_err(|error| format!("cannot run {}: {error}", line[0].display()))
    }

    /// Compiles a program, runs it and returns the result.
    fn outcome(&self, program: &Program, library: &MpiLibrary, is_launched: bool) -> Result<Outcome, String> {
        if program.needs_mpi_4 && !library.has_mpi_4() {
            return Ok(Outcome::NotChecked(format!("the library is for MPI {}", library.mpi)));
        }
        if program.needs_peers && library.processes < 2 {
            return Ok(Outcome::NotChecked("the command starts fewer than two processes".into()));
        }
        let file = self.directory.path().join(program.name);
        if let Err(error) = self.compiler.compile(&program.text(), &file) {
            let evidence = format!("does not compile: {error}");
            return Ok(if lacks_name_of_mpi(&error) {
                Outcome::Fails(evidence)
            } else {
                Outcome::NotChecked(evidence)
            });
        }
        let job = Job { processes: library.processes as usize, needs_peers: program.needs_peers };
        let job = if is_launched { Some(job) } else { None };
        let ended = self.run(&file, is_launched)?;
        let outcome = execute::outcome(&ended, self.limit, job);
        // Only one program is about that; the others have not come to their rules.
        let is_crash = matches!(&outcome, Outcome::Fails(evidence) if evidence.starts_with("crashes"));
        if is_crash
            && program.rule != MAKES_HANDLES
            && let Some(variable) = execute::crash_in_handle(&ended)
        {
            return Ok(Outcome::NotChecked(format!(
                "the library crashes when a handle of {variable} is made"
            )));
        }
        Ok(outcome)
    }

    /// Runs single processes, several at a time, and then jobs, one after the other.
    fn run_all(
        &self,
        programs: &[Program],
        library: &MpiLibrary,
        is_single: bool,
    ) -> Result<Vec<Outcome>, String> {
        let is_launched =
            |program: &Program| self.launch.is_launcher() && (program.needs_peers || !is_single);
        let single = |program: &Program| {
            let runs = !is_launched(program) && !self.is_interrupted.load(Ordering::Relaxed);
            runs.then(|| self.outcome(program, library, false))
        };
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = ThreadPoolBuilder::new().num_threads(processors.min(MOST_AT_A_TIME)).build();
        let threads = threads.map_err(|error| format!("cannot start threads: {error}"))?;
        let results: Vec<_> = threads.install(|| programs.par_iter().with_max_len(1).map(single).collect());
        let mut outcomes = Vec::new();
        for (program, result) in programs.iter().zip(results) {
            if self.is_interrupted.load(Ordering::Relaxed) {
                return Err("interrupted".into());
            }
            let outcome = match result {
                // Processes that start at the same time may disturb each other.
                Some(Ok(Outcome::Fails(evidence)))
                    if evidence.starts_with("crashes") || evidence.starts_with("hangs") =>
                {
                    self.outcome(program, library, false)?
                }
                Some(result) => result?,
                None => self.outcome(program, library, true)?,
            };
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }
}
