//! Runs of the program `measured_calls` under valgrind's tool callgrind, which counts instructions.

use std::fs;
use std::path::PathBuf;

use mpit_tests::launch::Job;
use mpit_tests::stacks::Stack;
use mpit_tests::{Context, Failure, Outcome, paths, stacks};

use super::Variant;
use crate::bench::{calls, dist};

/// The number of calls in a measured loop.
const CALLS: u64 = 1000;

/// A process to run.
pub(super) struct Run {
    job: Job,
    directory: PathBuf,
}

/// The events that callgrind counts, of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Events {
    pub(super) instructions: u64,
    /// Accesses to memory and branches, which are counted only on request.
    pub(super) loads: u64,
    pub(super) stores: u64,
    pub(super) branches: u64,
}

impl Events {
    /// Returns the events that are not in others.
    pub(super) fn beyond(self, base: Self) -> Self {
        Self {
            instructions: self.instructions.saturating_sub(base.instructions),
            loads: self.loads.saturating_sub(base.loads),
            stores: self.stores.saturating_sub(base.stores),
            branches: self.branches.saturating_sub(base.branches),
        }
    }

    /// Reads the events of a file that callgrind wrote; `None` if there is no total.
    fn parse(text: &str) -> Option<Self> {
        let line = |name| text.lines().find_map(|line| line.strip_prefix(name));
        let (names, totals) = (line("events: ")?, line("totals: ")?);
        let mut events = Self::default();
        for (name, total) in names.split_whitespace().zip(totals.split_whitespace()) {
            let calls = total.parse::<u64>().ok()? / CALLS;
            match name {
                "Ir" => events.instructions = calls,
                "Dr" => events.loads = calls,
                "Dw" => events.stores = calls,
                // Conditional and indirect ones.
                "Bc" | "Bi" => events.branches += calls,
                _ => {}
            }
        }
        Some(events)
    }
}

/// The events of each kind of call, in the order of the program.
#[derive(Debug)]
pub(super) struct Counts {
    /// The measured performance variable of the MPI library.
    pub(super) library: Option<String>,
    pub(super) calls: Vec<(String, Events)>,
}

impl Counts {
    pub(super) fn of(&self, call: &str) -> Option<Events> {
        self.calls.iter().find(|(name, _)| name == call).map(|(_, count)| *count)
    }
}

/// Adds the preload library and the name of a job. Without `mpit run`, the process makes and removes the directory of the job.
fn in_job(job: Job) -> Job {
    job.env("LD_PRELOAD", dist::program("libmpit_preload.so"))
        .env("MPIT_RUN", format!("instructions-{}", std::process::id()))
}

/// Compiles the program with the library's interface for Fortran, whose functions it calls.
fn program(stack: &Stack) -> Outcome<PathBuf> {
    let interface = if stack.is_open_mpi() { "libmpi_mpifh.so" } else { "libmpichfort.so" };
    let interface = stack.library.with_file_name(interface);
    let options = ["-Wl,--no-as-needed,--allow-shlib-undefined", &format!("-Wl,{}", interface.display())];
    stacks::c_variant(Some(stack), "measured_calls", "measured_fortran_calls", &options)
}

impl Run {
    /// Prepares a run; with `details`, other events than instructions are counted as well, which takes longer.
    pub(super) fn new(stack: &Stack, level: &str, variant: Variant, details: bool) -> Outcome<Self> {
        let directory = paths::target().join("instructions");
        // Without the files of an earlier run.
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).context(directory.display())?;
        let mut job = Job::alone(stack).seconds(300).args([
            "valgrind",
            "--tool=callgrind",
            "--collect-atstart=no",
            // Counts inside of this function, and writes the counts to a new file whenever it ends.
            "--toggle-collect=measured",
            "--dump-after=measured",
        ]);
        if details {
            job = job.args(["--cache-sim=yes", "--branch-sim=yes"]);
        }
        job = job.arg(format!("--callgrind-out-file={}", directory.join("out").display()));
        job = match variant {
            Variant::Plain => job,
            Variant::Least => job.env("LD_PRELOAD", calls::least_recording(stack)?),
            Variant::Off => job.env("LD_PRELOAD", dist::program("libmpit_preload.so")),
            Variant::Described => {
                in_job(job).env("MPIT_MONITORING_SUMMARY", "off").env("MPIT_MONITORING_TIME", "off")
            }
            Variant::TimedBlocking => in_job(job),
            Variant::TimedAll => in_job(job).env("MPIT_MONITORING_TIME", "all"),
            Variant::Sites => {
                in_job(job).env("MPIT_MONITORING_TIME", "all").env("MPIT_MONITORING_SITES", "1")
            }
            Variant::Recording => job
                .env("LD_PRELOAD", dist::program("libmpit_preload.so"))
                .env("MPIT_PML_MONITORING_ENABLE", "2"),
            Variant::Native => job.env("OMPI_MCA_pml_monitoring_enable", "2").env("OMPI_MCA_pml", "^cm,ucx"),
        };
        let job = job.arg(program(stack)?).args(["count", level, &CALLS.to_string()]);
        Ok(Self { job, directory })
    }

    /// Runs the process; `library` is the performance variable of the MPI library to measure.
    pub(super) fn counts(self, library: Option<&str>) -> Outcome<Counts> {
        let finished = self.job.args(library).finish()?;
        Failure::unless(finished.code == Some(0), || finished.to_string())?;
        let mut counts = Counts { library: None, calls: Vec::new() };
        for line in finished.stdout.lines() {
            if let Some(name) = line.strip_prefix("library ") {
                counts.library = Some(name.to_owned());
            } else if let Some(call) = line.strip_prefix("call ") {
                let dump = self.directory.join(format!("out.{}", counts.calls.len() + 1));
                let text = fs::read_to_string(&dump).context(dump.display())?;
                let events = Events::parse(&text);
                let events = events.context(format!("{}: callgrind wrote no total", dump.display()))?;
                counts.calls.push((call.to_owned(), events));
            }
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_those_of_a_call() {
        let only = Events::parse("events: Ir\n\ntotals: 89000\n").unwrap();
        assert_eq!(only, Events { instructions: 89, ..Events::default() });
        let text =
            "events: Ir Dr Dw I1mr Bc Bcm Bi Bim\ntotals: 9000 4000 3000 77000 1000 88000 2000 99000\n";
        let all = Events { instructions: 9, loads: 4, stores: 3, branches: 3 };
        assert_eq!(Events::parse(text), Some(all));
        assert_eq!(only.beyond(all), Events { instructions: 80, ..Events::default() });
        assert_eq!(Events::parse("events: Ir\n"), None);
    }
}
