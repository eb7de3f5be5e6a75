//! Cost of `MPI_T_pvar_read`, and of allocating and freeing a handle: for a variable of mpit's, for one of the MPI
//! library's, and for the latter through mpit.

use mpit_tests::launch::Job;
use mpit_tests::stacks::{Stack, Vendor};
use mpit_tests::{Context, Outcome};

use super::rounds::{self, Rounds, Spread, Timings, differences};
use super::table::{Line, NANOSECONDS, heading};
use super::{dist, on_each_stack};

/// The number of blocks per run, of `CALLS` calls each.
const BLOCKS: u32 = 200;
const CALLS: u32 = 20_000;

/// A counter of mpit's that is bound to no object.
const OURS: &str = "pml_monitoring_messages_total";

/// The name in the program of a pair of `malloc` and `free`.
const MALLOC: &str = "malloc";

/// The maximum additional cost of reading a variable of the library's through mpit.
const LAYER: f64 = 2.5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    /// `MPI_T_pvar_read`.
    Reads,
    /// `MPI_T_pvar_handle_alloc` and `MPI_T_pvar_handle_free`.
    Handles,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Bare,
    Layered,
}

use Call::{Handles, Reads};
use Variant::{Bare, Layered};

pub(crate) fn reads(pairs: u32) -> Outcome {
    heading("MPI_T_pvar_read of one number", NANOSECONDS);
    on_each_stack(|stack| measure(stack, Reads, pairs))
}

pub(crate) fn handles(pairs: u32) -> Outcome {
    heading("MPI_T_pvar_handle_alloc and MPI_T_pvar_handle_free", NANOSECONDS);
    on_each_stack(|stack| measure(stack, Handles, pairs))
}

impl Call {
    fn as_str(self) -> &'static str {
        match self {
            Reads => "reads",
            Handles => "handles",
        }
    }

    /// Returns the maximum cost for mpit's variables relative to the library's.
    fn limit(self, vendor: Vendor) -> Option<(f64, &'static str)> {
        match (self, vendor) {
            (Reads, Vendor::OpenMpi) => Some((0.25, "<= 1/4 of the library's")),
            (Reads, _) => Some((0.5, "<= 1/2 of the library's")),
            (Handles, Vendor::OpenMpi) => Some((0.2, "<= 1/5 of the library's")),
            (Handles, _) => None,
        }
    }
}

fn measure(stack: &Stack, call: Call, pairs: u32) -> Outcome {
    let line = |what: &str, timings: &[f64]| Line::new(stack.label(), what, timings);
    // The library's first variable, which is then requested by name.
    let of_host = run_once(stack, Reads, Bare, &[])?.into_keys().next();
    let variants: &[Variant] = if of_host.is_some() { &[Bare, Layered] } else { &[Layered] };
    let host: Vec<&str> = of_host.iter().map(String::as_str).collect();
    let rounds = Rounds::run(pairs, variants, |variant| match variant {
        Bare => run_once(stack, call, variant, &host),
        Layered => run_once(stack, call, variant, &[&[OURS], host.as_slice()].concat()),
    })?;
    let ours = rounds.timings(Layered, OURS)?;
    let mut of_ours = line(OURS, &ours).note("the library has no variable of this kind");
    if call == Handles {
        let memory = rounds.timings(Layered, MALLOC)?;
        line("malloc and free", &memory).print();
        of_ours = of_ours.ratio(&ours, &memory, "malloc and free");
    }
    let [host] = host.as_slice() else {
        of_ours.print();
        return Ok(());
    };
    let bare = rounds.timings(Bare, host)?;
    line(host, &bare).print();

    let mut of_ours = line(OURS, &ours).ratio(&ours, &bare, "the library's");
    if let Some((max, goal)) = call.limit(stack.vendor()) {
        let met = of_ours.has_ratio_within(max);
        of_ours = of_ours.goal(goal, met);
    }
    of_ours.print();

    let layered = rounds.timings(Layered, host)?;
    let overhead = differences(&layered, &bare);
    let mut of_layer = line("the same through mpit adds", &overhead).ratio(&layered, &bare, "bare");
    if call == Reads {
        let met = Spread::of(&overhead).median <= LAYER && of_layer.has_ratio_within(1.15);
        of_layer = of_layer.goal("<= 2.5 ns and 1.15", met);
    }
    of_layer.print();
    Ok(())
}

/// Performs one run with the given variables, or with the first variable if there are none.
fn run_once(stack: &Stack, call: Call, variant: Variant, variables: &[&str]) -> Outcome<Timings> {
    let mut job = Job::alone(stack);
    if variant == Layered {
        job = job.arg(dist::program("mpit")).args(["run", "--"]);
    }
    job = job
        .args(stack.mpiexec(1))
        .arg(stack.compile("bench_pvars")?)
        .args([call.as_str(), &BLOCKS.to_string(), &CALLS.to_string()])
        .args(variables);
    let (timings, _) = rounds::timings(job)?;
    for variable in variables {
        timings.get(*variable).context(format!("{variable} cannot be measured"))?;
    }
    Ok(timings)
}
