//! Cost that mpit adds to calls of MPI and of MPI_T, relative to the library alone and to Open MPI's own monitoring.
//!
//! The C programs of benchmarks are in `tests/hosts/c`, with those of the tests, because they are compiled for the same MPI
//! libraries in the same way.

use mpit_tests::launch::Job;
use mpit_tests::stacks::{Stack, Vendor};
use mpit_tests::{Context, Failure, Outcome};

use super::rounds::{self, Rounds, Timings, differences};
use super::table::{Line, NANOSECONDS, heading};
use super::{dist, on_each_stack};

/// The number of calls in a block. Blocks are short, so that some of them are undisturbed.
const CALLS: &str = "5000";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// Without mpit.
    Plain,
    /// With mpit's library, recording nothing.
    Off,
    /// With mpit's library, recording.
    Ours,
    /// With Open MPI's own monitoring.
    Native,
}

use Variant::{Native, Off, Ours, Plain};

/// The subject of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// What mpit adds while it records.
    Recording,
    /// What mpit adds, whether it records or not.
    Layer,
    /// The whole call, which mpit answers.
    Whole,
}

/// Calls, and the maximum of their cost in nanoseconds. The names are those of the program.
const MEASURED: [(&str, Of, f64); 12] = [
    ("message 8", Of::Recording, 2.9),
    ("message 1000", Of::Recording, 5.0),
    ("message derived", Of::Recording, 5.0),
    ("barrier", Of::Recording, 2.0),
    ("allreduce", Of::Recording, 2.0),
    ("pvar_read own", Of::Whole, 5.0),
    ("pvar_read library", Of::Layer, 2.5),
    ("cvar_read library", Of::Layer, 2.5),
    ("cvar_get_index library", Of::Whole, 15.0),
    ("cvar_get_index missing", Of::Whole, 15.0),
    ("pvar_get_index own", Of::Whole, 12.0),
    ("pvar_handle own", Of::Whole, 20.0),
];

/// The maximum that handles of the library's variables add.
const LIBRARY_HANDLE: (&str, Of, f64) = ("pvar_handle library", Of::Layer, 20.0);

/// The maximum cost of the library while nothing is recorded.
const OFF: f64 = 1.5;

/// The levels of thread support, and the factor by which goals are higher. One thread calls in both.
const LEVELS: [(&str, f64); 2] = [("single", 1.0), ("multiple", 2.0)];

pub(crate) fn run(pairs: u32) -> Outcome {
    heading("Calls: a message to oneself is MPI_Irecv, MPI_Isend and MPI_Wait of both", NANOSECONDS);
    on_each_stack(|stack| {
        // The library's first variable, which is then requested by name.
        let library = run_once(stack, "single", Plain, None)?.1.unwrap_or_default();
        LEVELS.iter().try_for_each(|(level, factor)| measure(stack, level, *factor, &library, pairs))
    })
}

fn measure(stack: &Stack, level: &str, factor: f64, library: &str, pairs: u32) -> Outcome {
    let has_own = stack.vendor() == Vendor::OpenMpi;
    let variants: &[Variant] = if has_own { &[Plain, Off, Ours, Native] } else { &[Plain, Off, Ours] };
    let rounds =
        Rounds::run(pairs, variants, |variant| Ok(run_once(stack, level, variant, Some(library))?.0))?;
    for (name, of, most) in MEASURED.into_iter().chain([LIBRARY_HANDLE]) {
        // Not each library has a suitable variable, and calls for tools are not measured twice.
        let Ok(ours) = rounds.timings(Ours, name) else { continue };
        let line = |what: &str, timings: &[f64]| {
            Line::new(stack.label(), &format!("{level} {name}, {what}"), timings)
        };
        let plain = rounds.timings(Plain, name).ok();
        let added = |timings: &[f64]| plain.as_ref().map(|plain| differences(timings, plain));
        if let Some(plain) = &plain {
            line("without mpit", plain).print();
        }
        let off = rounds.timings(Off, name)?;
        let (Some(off_adds), Some(ours_adds)) = (added(&off), added(&ours)) else {
            line("mpit", &off).at_most(most, "ns").print();
            continue;
        };
        if of != Of::Recording {
            let measured = if of == Of::Whole { &off } else { &off_adds };
            line(if of == Of::Whole { "mpit" } else { "mpit adds" }, measured).at_most(most, "ns").print();
            continue;
        }
        line("off adds", &off_adds).at_most(OFF, "ns").print();
        let mut of_ours = line("recording adds", &ours_adds);
        if has_own {
            let native = differences(&rounds.timings(Native, name)?, &rounds.timings(Plain, name)?);
            line("Open MPI's own adds", &native).print();
            of_ours = of_ours.ratio(&ours_adds, &native, "Open MPI's");
        }
        of_ours.at_most(factor * most, "ns").print();
    }
    Ok(())
}

/// Measures the calls once. Returns the measured variable of the library as well.
fn run_once(
    stack: &Stack,
    level: &str,
    variant: Variant,
    library: Option<&str>,
) -> Outcome<(Timings, Option<String>)> {
    let arguments: Vec<_> = ["time", level, CALLS].into_iter().chain(library).collect();
    let (timings, rest) = run_program(stack, "measured_calls", &arguments, variant)?;
    let measured = rest.lines().find_map(|line| line.strip_prefix("library "));
    Ok((timings, measured.map(str::to_owned)))
}

/// Runs a program of one process, which is valid only if exactly the messages were recorded that it says it sent. Returns its
/// other output as well.
pub(super) fn run_program(
    stack: &Stack,
    program: &str,
    arguments: &[&str],
    variant: Variant,
) -> Outcome<(Timings, String)> {
    let mut job = Job::plain(&[]);
    if matches!(variant, Off | Ours) {
        job = job.arg(dist::program("mpit")).arg("run");
        if variant == Ours {
            job = job.args(["--set", "pml_monitoring_enable=2", "--set", "pml_monitoring_enable_output=1"]);
        }
        job = job.arg("--");
    }
    job = stack.mpiexec(1).iter().fold(job, Job::arg);
    if stack.vendor() == Vendor::OpenMpi {
        // Monitoring wraps the layer that is selected automatically; naming a layer would exclude monitoring.
        job = job.args(["--mca", "pml", "^cm,ucx"]);
    }
    if variant == Native {
        job = job.args(["--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "1"]);
    }
    job = job.arg(stack.compile(program)?).args(arguments);
    job = stack.environment().iter().fold(job, |job, (name, value)| job.env(name, value));

    let (timings, rest) = rounds::timings(job)?;
    let sent = timings.get("sent").context("no number of messages")?;
    let recorded = rest.lines().find_map(|line| line.strip_prefix("E\t0\t0\t"));
    match variant {
        Plain | Off => Failure::unless(recorded.is_none(), || "something recorded that should not".into())?,
        Ours | Native => {
            let row = recorded.context(format!("{variant:?} recorded nothing"))?;
            let all = format!("{sent} msgs sent");
            Failure::unless(row.contains(&all), || format!("{variant:?} recorded `{row}` instead of {all}"))?;
        }
    }
    Ok((timings, rest))
}
