//! Runs of the program `measured_calls` under valgrind's tool callgrind, which counts instructions.

use std::fs;
use std::path::{Path, PathBuf};

use mpit_tests::launch::Job;
use mpit_tests::stacks::Stack;
use mpit_tests::{Context, Failure, Outcome, paths};

use super::Variant;
use crate::bench::dist;

/// The number of calls in a measured loop.
const CALLS: u64 = 1000;

/// A process to run.
pub(super) struct Run {
    job: Job,
    directory: PathBuf,
}

/// The instructions of each kind of call, in the order of the program.
#[derive(Debug)]
pub(super) struct Counts {
    /// The measured performance variable of the MPI library.
    pub(super) library: Option<String>,
    pub(super) calls: Vec<(String, u64)>,
}

impl Counts {
    pub(super) fn of(&self, call: &str) -> Option<u64> {
        self.calls.iter().find(|(name, _)| name == call).map(|(_, count)| *count)
    }
}

impl Run {
    pub(super) fn new(stack: &Stack, level: &str, variant: Variant) -> Outcome<Self> {
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
        job = job.arg(format!("--callgrind-out-file={}", directory.join("out").display()));
        job = match variant {
            Variant::Plain => job,
            Variant::Off => job.env("LD_PRELOAD", dist::program("libmpit_preload.so")),
            Variant::Recording => job
                .env("LD_PRELOAD", dist::program("libmpit_preload.so"))
                .env("MPIT_PML_MONITORING_ENABLE", "2"),
            Variant::Native => job.env("OMPI_MCA_pml_monitoring_enable", "2").env("OMPI_MCA_pml", "^cm,ucx"),
        };
        let job = job.arg(stack.compile("measured_calls")?).args(["count", level, &CALLS.to_string()]);
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
                counts.calls.push((call.to_owned(), total(&dump)? / CALLS));
            }
        }
        Ok(counts)
    }
}

/// Returns the number of instructions in a file that callgrind wrote.
fn total(dump: &Path) -> Outcome<u64> {
    let text = fs::read_to_string(dump).context(dump.display())?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")?.parse().ok());
    total.context(format!("{}: callgrind wrote no total", dump.display()))
}
