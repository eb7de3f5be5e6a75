//! Cost of the preload library for a process: its start, its memory, and the start and end of MPI.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use mpit_tests::launch::Job;
use mpit_tests::stacks::Stack;
use mpit_tests::{Context, Outcome, paths};

use super::rounds::{self, Rounds, Samples, Timings};
use super::table::Line;
use super::{Results, dist, on_each_stack};
use crate::succeed;

/// The number of starts per run of a process that does nothing, and of jobs per run; the best one counts. The best
/// ones of 100 starts differed by 10 us.
const STARTS: &str = "1000";
const JOBS: &str = "5";

/// The maximum cost of the start of a process without MPI, in microseconds.
const START: f64 = 100.0;

/// The maximum of resident and of private memory that a process needs more, in KiB.
const RESIDENT: f64 = 1024.0;
const PRIVATE: f64 = 64.0;

/// The maximum cost of `MPI_Init` and `MPI_Finalize` in each process of a job, in milliseconds of processor time.
const INIT_AND_FINALIZE: f64 = 1.0;

/// The command, and the library, which it finds beside itself.
const COMMAND: &str = "mpit";
const LIBRARY: &str = "libmpit_preload.so";

/// A shell that starts the launcher and waits for it, as `mpit run` does.
const SHELL: [&str; 4] = ["sh", "-c", "\"$@\"; exit", "sh"];

/// The numbers of processes in a job.
const RANKS: [u32; 2] = [1, 4];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// Without mpit.
    Plain,
    /// With an empty library that needs the same libraries as mpit's.
    Empty,
    /// With mpit's library, recording nothing.
    Off,
    /// With mpit's library, recording for the summary that `mpit run` prints.
    Summary,
    /// With mpit's library, recording for files.
    Output,
}

use Variant::{Empty, Off, Output, Plain, Summary};

const VARIANTS: [Variant; 5] = [Plain, Empty, Off, Summary, Output];

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    install()?;
    start(pairs, results)?;
    memory_without_mpi(pairs, results)?;
    on_each_stack(results, |stack, results| memory_with_mpi(stack, pairs, results))?;
    results.table.section("MPI_Init and MPI_Finalize, with the launcher: processor time", "ms");
    on_each_stack(results, |stack, results| {
        RANKS.iter().try_for_each(|ranks| job(stack, *ranks, pairs, results))
    })
}

/// Builds an empty library that needs these libraries.
fn empty_library(name: &str, needs: &[&str]) -> Outcome<PathBuf> {
    let library = dist::program(name);
    let mut command = Command::new("cc");
    command.args(["-shared", "-nostdlib", "-Wl,--no-as-needed", "-o"]).arg(&library);
    succeed(command.args(needs).args(["-x", "c", "/dev/null"]))?;
    Ok(library)
}

/// Installs the library: the linker writes a file in parts, which the system keeps apart in memory and maps more slowly than those of a
/// copy. Waits until it is on the disk: until then, the pages of its code count as written by the only process that maps it, and so as
/// private memory.
fn install() -> Outcome {
    let folder = dist::program("installed");
    fs::create_dir_all(&folder).context(folder.display())?;
    for name in [COMMAND, LIBRARY] {
        let (from, to) = (dist::program(name), folder.join(name));
        fs::copy(&from, &to).context(from.display())?;
        File::open(&to).and_then(|file| file.sync_all()).context(to.display())?;
    }
    Ok(())
}

/// Returns an installed file.
fn installed(name: &str) -> PathBuf {
    dist::program("installed").join(name)
}

/// Builds an empty library that needs the same libraries as mpit's.
fn empty_substitute() -> Outcome<PathBuf> {
    empty_library("libempty_as_mpit.so", &["-lgcc_s", "-lm", "-lc"])
}

fn preload() -> PathBuf {
    installed(LIBRARY)
}

fn start(pairs: u32, results: &mut Results) -> Outcome {
    results.table.section("Start and end of a process without MPI", "us");
    let program = dist::c_program("bench_process")?;
    let empty = empty_library("libempty.so", &["-lc"])?;
    let with_unwinder = empty_library("libempty_gcc_s.so", &["-lgcc_s", "-lc"])?;
    let rounds = Rounds::run(pairs, &[()], |()| {
        let job = Job::plain(&[]).arg(&program).args(["start", STARTS, "-"]);
        Ok(rounds::timings(job.arg(&empty).arg(&with_unwinder).arg(preload()))?.0)
    })?;
    let plain = rounds.samples((), "library0")?;
    let added = |name: &str| Ok(rounds.samples((), name)?.above(&plain));
    let table = &mut results.table;
    table.add(Line::new("", "without a preload library", &plain));
    let of_empty = added("library1")?;
    table.add(Line::new("", "an empty library adds", &of_empty));
    let of_unwinder = added("library2")?;
    table.add(Line::new("", "an empty library that needs libgcc_s adds", &of_unwinder));
    let ours = Line::new("", "start and end without MPI, mpit adds", &added("library3")?);
    table.add(ours.peer(&of_unwinder, "with libgcc_s").floor(&of_empty, "empty").at_most(START, "us"));
    Ok(())
}

/// Adds the lines of the memory that a process needs more.
fn add_memory(
    results: &mut Results,
    rounds: &Rounds<Variant>,
    on: &str,
    what: &str,
    with: Variant,
) -> Outcome {
    for (name, of_what, most) in
        [("resident", "resident memory", RESIDENT), ("private", "private memory", PRIVATE)]
    {
        let plain = rounds.samples(Plain, name)?;
        let added = |with| -> Outcome<Samples> { Ok(rounds.samples(with, name)?.above(&plain)) };
        let line = Line::new(on, &format!("{of_what}, {what}"), &added(with)?);
        results.table.add(line.floor(&added(Empty)?, "empty").at_most(most, "KiB"));
    }
    Ok(())
}

fn memory_without_mpi(pairs: u32, results: &mut Results) -> Outcome {
    results.table.section("Memory that mpit adds to a process", "KiB");
    let program = dist::c_program("bench_process")?;
    let empty = empty_substitute()?;
    let rounds = Rounds::run(pairs, &[Plain, Empty, Off], |variant| {
        let job = Job::plain(&[]).arg(&program).arg("memory");
        let job = match variant {
            Plain => job,
            Empty => job.env("LD_PRELOAD", &empty),
            Off | Summary | Output => job.env("LD_PRELOAD", preload()),
        };
        Ok(rounds::timings(job)?.0)
    })?;
    add_memory(results, &rounds, "", "without MPI", Off)
}

/// Returns the command line of `mpit run`, or nothing.
fn under_mpit(job: Job, stack: &Stack, variant: Variant) -> Outcome<Job> {
    Ok(match variant {
        Plain => job,
        Empty => job.env("LD_PRELOAD", empty_substitute()?),
        Off => job.arg(installed(COMMAND)).args(["run", "--quiet", "--"]),
        Summary => job.arg(installed(COMMAND)).args(["run", "--"]),
        Output => {
            let stem = paths::scratch(stack.label(), "bench_process")?.join("run");
            job.arg(installed(COMMAND)).args(["run", "--output"]).arg(stem).arg("--")
        }
    })
}

fn memory_with_mpi(stack: &Stack, pairs: u32, results: &mut Results) -> Outcome {
    let program = stack.compile("bench_job")?;
    let rounds = Rounds::run(pairs, &VARIANTS, |variant| {
        let job = under_mpit(Job::alone(stack), stack, variant)?;
        // The first message and operation take memory as well.
        Ok(rounds::timings(job.args(stack.mpiexec(1)).arg(&program).arg("communicate"))?.0)
    })?;
    add_memory(results, &rounds, stack.label(), "off", Off)?;
    add_memory(results, &rounds, stack.label(), "summary", Summary)?;
    add_memory(results, &rounds, stack.label(), "recording", Output)
}

fn job(stack: &Stack, ranks: u32, pairs: u32, results: &mut Results) -> Outcome {
    let program = stack.compile("bench_job")?;
    let measure = |variant| -> Outcome<Timings> {
        let job = Job::alone(stack).seconds(120).arg(dist::c_program("bench_process")?).args(["cpu", JOBS]);
        let job = under_mpit(job, stack, variant)?;
        // Without mpit, another process waits for the launcher as well.
        let job = if variant == Empty { job.args(SHELL) } else { job };
        let job = job.args(stack.mpiexec(ranks)).arg(&program);
        Ok(rounds::timings(job)?.0)
    };
    let rounds = Rounds::run(pairs, &VARIANTS, measure)?;
    let plain = rounds.samples(Plain, "cpu")?;
    let of_empty = rounds.samples(Empty, "cpu")?.above(&plain);
    let processes = if ranks == 1 { "1 process".to_owned() } else { format!("{ranks} processes") };
    results.table.add(Line::new(stack.label(), &format!("{processes}, without mpit"), &plain));
    for (variant, what) in
        [(Off, "mpit run --quiet adds"), (Summary, "mpit run adds"), (Output, "mpit run --output adds")]
    {
        let added = rounds.samples(variant, "cpu")?.above(&plain);
        let line = Line::new(stack.label(), &format!("{processes}, {what}"), &added);
        let line = line.floor(&of_empty, "empty, shell");
        results.table.add(line.at_most(INIT_AND_FINALIZE * f64::from(ranks), "ms"));
    }
    Ok(())
}
