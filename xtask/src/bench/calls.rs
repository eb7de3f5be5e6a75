//! Cost that mpit adds to calls of MPI and of MPI_T, relative to the library alone and to Open MPI's own monitoring.
//!
//! The C programs of benchmarks are in `tests/hosts/c`, with those of the tests, because they are compiled for the same MPI
//! libraries in the same way.

use std::path::PathBuf;

use mpit_tests::launch::Job;
use mpit_tests::stacks::{Stack, Vendor};
use mpit_tests::{Context, Failure, Outcome, stacks};

use super::rounds::{self, Rounds, Samples, Timings};
use super::table::{Line, NANOSECONDS};
use super::{Results, dist, on_each_stack};

/// The number of calls in a block. Blocks are short, so that some of them are undisturbed.
const CALLS: &str = "5000";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// Without mpit.
    Plain,
    /// With a library that counts with the least work, instead of mpit.
    Least,
    /// With that library, and counts for each thread.
    LeastOfThreads,
    /// With that library, and its code moved by some bytes.
    LeastMoved(u32),
    /// With a library that forwards calls with the least work, or does the least for another state of mpit.
    LeastOff,
    LeastDescribed,
    LeastTimedBlocking,
    LeastTimedAll,
    LeastSites,
    /// With a library that adds a variable to those of the MPI library with the least work.
    LeastTool,
    /// With mpit's library, recording nothing.
    Off,
    /// With mpit's library in a job of `mpit run`, describing the calls in progress and recording nothing.
    Described,
    /// With mpit's library in a job of `mpit run`, describing and recording, and measuring the calls that may wait.
    TimedBlocking,
    /// With mpit's library in a job of `mpit run`, describing and recording, and measuring all calls.
    TimedAll,
    /// With mpit's library in such a job that also distinguishes the places that make the calls.
    Sites,
    /// With a wrapper that reads the clock twice for each call, instead of mpit.
    ClockTwice,
    /// With mpit's library, recording.
    Ours,
    /// With a build of mpit's library whose code is moved by some bytes, recording.
    Moved(u32),
    /// With Open MPI's own monitoring.
    Native,
}

use Variant::{
    ClockTwice, Described, Least, LeastDescribed, LeastMoved, LeastOfThreads, LeastOff, LeastSites,
    LeastTimedAll, LeastTimedBlocking, LeastTool, Moved, Native, Off, Ours, Plain, Sites, TimedAll,
    TimedBlocking,
};

impl Variant {
    /// Returns the library to preload instead of mpit's: the source in `tests/hosts/c`, the name of the file and options.
    fn substitute(self) -> Option<(&'static str, String, Vec<String>)> {
        let of = |source, name: &str, options: &[&str]| {
            Some((source, format!("{name}.so"), options.iter().map(|&option| option.into()).collect()))
        };
        let least = |name, option| of("least_calls", name, &[option]);
        match self {
            Least => of("least_recording", "least_recording", &[]),
            LeastOfThreads => {
                of("least_recording", "least_recording_threads", &["-DTHREADS", "-ftls-model=initial-exec"])
            }
            LeastMoved(bytes) => of(
                "least_recording",
                &format!("least_recording_{bytes}"),
                &["-fno-toplevel-reorder", &format!("-DSHIFT={bytes}")],
            ),
            LeastOff => least("least_off", "-DOFF"),
            LeastDescribed => least("least_described", "-DDESCRIBING"),
            LeastTimedBlocking => least("least_timed", "-DTIMING=1"),
            LeastTimedAll => least("least_timed_all", "-DTIMING=2"),
            LeastSites => least("least_sites", "-DSITES"),
            LeastTool => of("least_tool_calls", "least_tool_calls", &[]),
            ClockTwice => of("clock_wrapper", "clock_wrapper", &[]),
            Plain | Off | Described | TimedBlocking | TimedAll | Sites | Ours | Moved(_) | Native => None,
        }
    }
}

/// The subject of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// The part that mpit adds while it records.
    Recording,
    /// The part that mpit adds, recording or not.
    Layer,
    /// The whole call, which mpit answers. The same call of the library alone is the peer.
    Whole { peer: &'static str },
}

/// A call, by its name in the program.
struct Call {
    name: &'static str,
    of: Of,
    /// The maximum cost in nanoseconds, for each level of thread support.
    max: [f64; 2],
    /// The number of MPI calls, each of which may cost [`DESCRIBED`] more while calls are described, and [`SITED`] with places.
    calls: u32,
}

/// The levels of thread support. One thread calls in both. Calls for tools are measured at the first only.
const LEVELS: [&str; 2] = ["single", "multiple"];

/// Messages, and the maximum that recording adds while one thread calls.
pub(super) const RECORDING_MESSAGES: [(&str, f64); 2] = [("message 8", 2.9), ("message 1000", 5.0)];

const MEASURED: [Call; 14] = [
    recording(RECORDING_MESSAGES[0].0, [RECORDING_MESSAGES[0].1, 6.0], MESSAGE_CALLS),
    recording(RECORDING_MESSAGES[1].0, [RECORDING_MESSAGES[1].1, 6.0], MESSAGE_CALLS),
    recording("message derived", [5.0, 6.0], MESSAGE_CALLS),
    recording("barrier", [2.0, 4.0], 1),
    recording("allreduce", [2.0, 4.0], 1),
    whole("pvar_read own", 5.0, "pvar_read library"),
    layer("pvar_read library", 4.0),
    layer("cvar_read library", 4.0),
    whole("cvar_get_index library", 15.0, "cvar_get_index library"),
    whole("cvar_get_index missing", 15.0, "cvar_get_index missing"),
    whole("pvar_get_index own", 12.0, "pvar_get_index library"),
    whole("pvar_get_index library", 12.0, "pvar_get_index library"),
    whole("pvar_handle own", 20.0, "pvar_handle library"),
    layer("pvar_handle library", 20.0),
];

/// A message is `MPI_Irecv`, `MPI_Isend` and two of `MPI_Wait`.
const MESSAGE_CALLS: u32 = 4;

const fn recording(name: &'static str, max: [f64; 2], calls: u32) -> Call {
    Call { name, of: Of::Recording, max, calls }
}

const fn whole(name: &'static str, max: f64, peer: &'static str) -> Call {
    Call { name, of: Of::Whole { peer }, max: [max; 2], calls: 1 }
}

const fn layer(name: &'static str, max: f64) -> Call {
    Call { name, of: Of::Layer, max: [max; 2], calls: 1 }
}

/// The maximum cost of the library while nothing is recorded.
const OFF: f64 = 1.5;

/// The maximum cost of each call while the calls in progress are described.
const DESCRIBED: f64 = 2.0;

/// The maximum that distinguishing the places of calls adds to each call that is measured.
const SITED: f64 = 5.0;

/// The maximum that measuring adds to a message that is recorded.
const TIMED: f64 = 25.0;

pub(crate) fn run(pairs: u32, results: &mut Results) -> Outcome {
    let title = "Calls; a message to oneself is MPI_Irecv, MPI_Isend and MPI_Wait of both";
    results.table.section(title, NANOSECONDS);
    on_each_stack(results, |stack, results| {
        // The library's first variable, which is then requested by name.
        let library = run_once(stack, LEVELS[0], Plain, None)?.1.unwrap_or_default();
        (0..LEVELS.len()).try_for_each(|level| measure(stack, level, &library, pairs, results))
    })
}

fn measure(stack: &Stack, level: usize, library: &str, pairs: u32, results: &mut Results) -> Outcome {
    let has_own = stack.vendor() == Vendor::OpenMpi;
    let mut variants = vec![Plain, LeastOff, Off, LeastDescribed, Described, Least, Ours, LeastTimedBlocking];
    variants.extend([TimedBlocking, LeastTimedAll, TimedAll, LeastSites, Sites, ClockTwice]);
    if level == 0 {
        variants.push(LeastTool);
    }
    if has_own {
        variants.push(Native);
    }
    let rounds = Rounds::run(pairs, &variants, |variant| {
        Ok(run_once(stack, LEVELS[level], variant, Some(library))?.0)
    })?;
    let table = &mut results.table;
    for Call { name, of, max, calls } in MEASURED {
        // Not each library has a suitable variable, and calls for tools are measured at one level.
        let Ok(ours) = rounds.samples(Ours, name) else { continue };
        let off = rounds.samples(Off, name)?;
        let line = |what: &str, samples: &Samples| {
            Line::new(stack.label(), &format!("{} {name}, {what}", LEVELS[level]), samples)
        };
        let plain = rounds.samples(Plain, name);
        if let Ok(plain) = &plain {
            table.add(line("without mpit", plain));
        }
        match of {
            Of::Recording => {
                let plain = plain?;
                let adds = |variant| -> Outcome<Samples> { Ok(rounds.samples(variant, name)?.above(&plain)) };
                let off = line("off adds", &off.above(&plain));
                table.add(off.floor(&adds(LeastOff)?, "least").at_most(OFF, "ns"));
                let described = line("describing adds", &adds(Described)?);
                let described = described.floor(&adds(LeastDescribed)?, "least");
                table.add(described.at_most(DESCRIBED * f64::from(calls), "ns"));
                let least = adds(Least)?;
                table.add(line("the least counting adds", &least));
                let mut of_ours = line("recording adds", &ours.above(&plain)).floor(&least, "least");
                // Their barrier of one process is not counted.
                if has_own && name != "barrier" {
                    let native = adds(Native)?;
                    table.add(line("Open MPI's own adds", &native));
                    of_ours = of_ours.peer(&native, "Open MPI's");
                }
                table.add(of_ours.at_most(max[level], "ns"));
                let clock = adds(ClockTwice)?;
                for (variant, least, what) in [
                    (TimedBlocking, LeastTimedBlocking, "with blocking times"),
                    (TimedAll, LeastTimedAll, "with all times"),
                ] {
                    let least = adds(least)?;
                    let timed = line(&format!("recording {what} adds"), &adds(variant)?);
                    let timed = timed.floor(&least, "least");
                    table.add(timed.peer(&clock, "a wrapper with two clock reads"));
                    if variant == TimedBlocking && calls == MESSAGE_CALLS {
                        let beyond = rounds.samples(TimedBlocking, name)?.above(&ours);
                        let beyond = line("times beyond recording add", &beyond);
                        table.add(beyond.floor(&least, "least").at_most(TIMED, "ns"));
                    }
                }
                let beyond_times = |sites, times| -> Outcome<Samples> {
                    Ok(rounds.samples(sites, name)?.above(&rounds.samples(times, name)?))
                };
                let sites = line("sites beyond all times add", &beyond_times(Sites, TimedAll)?);
                let sites = sites.floor(&beyond_times(LeastSites, LeastTimedAll)?, "least");
                table.add(sites.at_most(SITED * f64::from(calls), "ns"));
            }
            Of::Layer => {
                let plain = plain?;
                let least = rounds.samples(LeastTool, name)?.above(&plain);
                for (state, samples) in [("off", &off), ("recording", &ours)] {
                    let line = line(&format!("{state} adds"), &samples.above(&plain));
                    table.add(line.floor(&least, "least").at_most(max[level], "ns"));
                }
            }
            Of::Whole { peer } => {
                let least = rounds.samples(LeastTool, name)?;
                for (state, samples) in [("off", &off), ("recording", &ours)] {
                    let mut line = line(&format!("mpit {state}"), samples).floor(&least, "least");
                    if let Ok(plain) = rounds.samples(Plain, peer) {
                        line = line.peer(&plain, "the library's");
                    }
                    table.add(line.at_most(max[level], "ns"));
                }
            }
        }
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
    // Many threads wait for the locks of a library, for longer than the tests may take.
    let mut job = Job::alone(stack).seconds(300);
    let run: Option<&[&str]> = match variant {
        Described => Some(&["--quiet", "--time", "off", "--set", "monitoring_summary=off"]),
        TimedBlocking => Some(&["--time", "blocking"]),
        TimedAll => Some(&["--time", "all"]),
        Sites => Some(&["--time", "all", "--sites"]),
        _ => None,
    };
    if let Some(options) = run {
        job = job.arg(dist::program("mpit")).arg("run").args(options).arg("--");
    }
    job = job.args(stack.mpiexec(1));
    if stack.vendor() == Vendor::OpenMpi {
        // Monitoring wraps the layer that is selected automatically; naming a layer would exclude monitoring.
        job = job.args(["--mca", "pml", "^cm,ucx"]);
    }
    if variant == Native {
        job = job.args(["--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "1"]);
    }
    // For the program alone, not for the launcher. Without `mpit run`, calls are not described.
    let library = match (variant, variant.substitute()) {
        (_, Some((source, file, options))) => Some(preloaded(stack, source, &file, &options)?),
        (Off | Ours, None) => Some(dist::program("libmpit_preload.so")),
        (Moved(shift), None) => Some(dist::moved_library(shift)),
        _ => None,
    };
    if let Some(library) = library {
        job = job.arg("env").arg(format!("LD_PRELOAD={}", library.display()));
    }
    if matches!(variant, Ours | Moved(_)) {
        job = job.args(["MPIT_PML_MONITORING_ENABLE=2", "MPIT_PML_MONITORING_ENABLE_OUTPUT=1"]);
    }
    job = job.arg(stack.compile(program)?).args(arguments);

    let (timings, rest) = rounds::timings(job)?;
    let sent = timings.get("sent").context("no number of messages")?;
    let recorded = rest.lines().find_map(|line| line.strip_prefix("E\t0\t0\t"));
    if matches!(variant, Ours | Moved(_) | Native) {
        let row = recorded.context(format!("{variant:?} recorded nothing"))?;
        // The number is not the end of a longer one.
        let all = format!("\t{sent} msgs sent");
        Failure::unless(row.contains(&all), || format!("{variant:?} recorded `{row}` instead of {all}"))?;
    } else {
        Failure::unless(recorded.is_none(), || format!("{variant:?} recorded something"))?;
    }
    Ok((timings, rest))
}

/// Returns the library that counts with the least work.
pub(crate) fn least_recording(stack: &Stack) -> Outcome<PathBuf> {
    preloaded(stack, "least_recording", "least_recording.so", &[])
}

/// Compiles `tests/hosts/c/<source>.c` into a library to preload.
pub(crate) fn preloaded(stack: &Stack, source: &str, file: &str, options: &[String]) -> Outcome<PathBuf> {
    let mut all = vec!["-O2", "-shared", "-fPIC", "-Wl,--as-needed"];
    all.extend(options.iter().map(String::as_str));
    stacks::c_variant(Some(stack), source, file, &all)
}
