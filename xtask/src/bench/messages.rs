//! Cost added by recording to a message and to a collective operation, relative to Open MPI's own monitoring.
//!
//! The C programs of benchmarks are in `tests/hosts/c`, with those of the tests, because they are compiled for the same MPI
//! libraries in the same way.

use mpit_tests::launch::Job;
use mpit_tests::stacks::{Stack, Vendor};
use mpit_tests::{Context, Failure, Outcome};

use super::rounds::{self, Rounds, Timings, differences};
use super::table::{Line, NANOSECONDS, heading};
use super::{dist, on_each_stack};

/// The number of blocks per run, of `MESSAGES` messages each. Blocks are short, so that some of them are undisturbed.
const BLOCKS: u32 = 100;
const MESSAGES: u32 = 10_000;

const SIZES: u64 = 2;

/// The measured operations: name, description, and the maximum of the added cost relative to Open MPI's monitoring.
const MEASURED: [(&str, &str, f64, &str); 3] = [
    ("8", "   8 bytes", 1.0 / 5.0, "<= 1/5"),
    ("1000", "1000 bytes", 1.0 / 8.0, "<= 1/8"),
    ("allreduce", "an allreduce of one process", 0.6, "<= 0.6"),
];

/// The maximum cost of the library while nothing is recorded, in nanoseconds.
const OFF: f64 = 1.5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
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

pub(crate) fn run(pairs: u32) -> Outcome {
    heading("A message to oneself: MPI_Isend, MPI_Irecv, MPI_Waitall; and MPI_Allreduce", NANOSECONDS);
    on_each_stack(|stack| measure(stack, pairs))
}

fn measure(stack: &Stack, pairs: u32) -> Outcome {
    let has_own = stack.vendor() == Vendor::OpenMpi;
    let variants: &[Variant] = if has_own { &[Plain, Off, Ours, Native] } else { &[Plain, Off, Ours] };
    let rounds = Rounds::run(pairs, variants, |variant| run_once(stack, variant))?;
    for (name, of_what, max, goal) in MEASURED {
        let plain = rounds.timings(Plain, name)?;
        let overhead = |variant| Ok(differences(&rounds.timings(variant, name)?, &plain));
        let line =
            |what: &str, timings: &[f64]| Line::new(stack.label(), &format!("{of_what}, {what}"), timings);

        line("without mpit", &plain).print();
        let off = overhead(Off)?;
        line("mpit adds while off", &off).ratio(&off, &plain, "without").at_most(OFF, "ns").print();
        let ours = overhead(Ours)?;
        if !has_own {
            line("mpit adds while recording", &ours).ratio(&ours, &plain, "without").print();
            continue;
        }
        let native = overhead(Native)?;
        line("Open MPI's own recording adds", &native).ratio(&native, &plain, "without").print();
        let line = line("mpit adds while recording", &ours).ratio(&ours, &native, "Open MPI's");
        let met = line.has_ratio_within(max);
        line.goal(goal, met).print();
    }
    Ok(())
}

/// Performs one run. The result is valid only if exactly the expected data was recorded.
fn run_once(stack: &Stack, variant: Variant) -> Outcome<Timings> {
    let mut job = Job::alone(stack);
    if matches!(variant, Off | Ours) {
        job = job.arg(dist::program("mpit")).arg("run");
        if variant == Ours {
            job = job.args(["--set", "pml_monitoring_enable=2", "--set", "pml_monitoring_enable_output=1"]);
        }
        job = job.arg("--");
    }
    job = job.args(stack.mpiexec(1));
    if stack.vendor() == Vendor::OpenMpi {
        // Monitoring wraps the layer that is selected automatically; naming a layer would exclude monitoring.
        job = job.args(["--mca", "pml", "^cm,ucx"]);
    }
    if variant == Native {
        job = job.args(["--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "1"]);
    }
    job = job.arg(stack.compile("bench_messages")?).args([&BLOCKS.to_string(), &MESSAGES.to_string()]);

    let (timings, rest) = rounds::timings(job)?;
    let recorded = rest.lines().find_map(|line| line.strip_prefix("E\t0\t0\t"));
    let all = format!("{} msgs sent", u64::from(BLOCKS) * u64::from(MESSAGES) * SIZES);
    match variant {
        Plain | Off => Failure::unless(recorded.is_none(), || "something recorded that should not".into())?,
        Ours | Native => {
            let row = recorded.context(format!("{variant:?} recorded nothing"))?;
            Failure::unless(row.contains(&all), || format!("{variant:?} recorded `{row}` instead of {all}"))?;
        }
    }
    Ok(timings)
}
