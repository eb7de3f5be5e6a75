//! What `MPI_T_pvar_read` costs: of a variable of ours, of one of the MPI library's, and of that through our layer.

use mpit_tests::{
    Context, Outcome,
    launch::Job,
    stacks::{Stack, Vendor},
};

use super::{
    dist, on_each_stack,
    rounds::{self, Figures, Rounds, Spread, added},
    table::{Line, Ratio, heading},
};

/// Blocks per run and reads per block.
const BLOCKS: u32 = 200;
const READS: u32 = 20_000;

/// A counter of ours that is bound to no object.
const OURS: &str = "pml_monitoring_messages_total";

/// What reading a variable of the library's through our layer may cost more than reading it bare.
const LAYER: f64 = 2.5;

/// How the program is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// Without mpit.
    Bare,
    /// Through mpit.
    Layered,
}

use Variant::{Bare, Layered};

pub(crate) fn run(pairs: u32) -> Outcome {
    heading("MPI_T_pvar_read of one number");
    on_each_stack(|stack| on(stack, pairs))
}

fn on(stack: &Stack, pairs: u32) -> Outcome {
    // The first that the library has, to be read again by its name.
    let of_host = once(stack, Bare, &[])?.into_keys().next();
    let Some(host) = of_host else {
        let rounds = Rounds::run(pairs, &[Layered], |variant| once(stack, variant, &[OURS]))?;
        let ours = rounds.figures(Layered, OURS)?;
        Line::new(stack.label(), OURS, &ours).note("the library has no variable of this kind").print();
        return Ok(());
    };
    let rounds = Rounds::run(pairs, &[Bare, Layered], |variant| match variant {
        Bare => once(stack, variant, &[&host]),
        Layered => once(stack, variant, &[OURS, &host]),
    })?;
    let line = |what: &str, figures: &[f64]| Line::new(stack.label(), what, figures);
    let bare = rounds.figures(Bare, &host)?;
    line(&host, &bare).print();

    let ours = rounds.figures(Layered, OURS)?;
    let (most, goal) = if stack.vendor() == Vendor::OpenMpi {
        (0.25, "<= 1/4 of the library's")
    } else {
        (0.5, "<= 1/2 of the library's")
    };
    let ratio = Ratio::of(&ours, &bare, "the library's");
    let met = ratio.as_ref().is_some_and(|ratio| ratio.within(most));
    line(OURS, &ours).ratio(ratio.as_ref()).goal(goal, met).print();

    let layered = rounds.figures(Layered, &host)?;
    let tax = added(&layered, &bare);
    let ratio = Ratio::of(&layered, &bare, "bare");
    let met = Spread::of(&tax).median <= LAYER && ratio.as_ref().is_some_and(|ratio| ratio.within(1.15));
    line("the same through mpit adds", &tax).ratio(ratio.as_ref()).goal("<= 2.5 ns and 1.15", met).print();
    Ok(())
}

/// One run, with the variables to read; without, the first there is.
fn once(stack: &Stack, variant: Variant, variables: &[&str]) -> Outcome<Figures> {
    let mut job = Job::plain(&[]);
    if variant == Layered {
        job = job.arg(dist::program("mpit")).args(&["run", "--"]);
    }
    job = stack.mpiexec(1).iter().fold(job, Job::arg);
    job = job
        .arg(stack.compile("bench_reads")?)
        .args(&[&BLOCKS.to_string(), &READS.to_string()])
        .args(variables);
    job = stack.environment().iter().fold(job, |job, (name, value)| job.env(name, value));
    let (figures, _) = rounds::figures(job)?;
    for variable in variables {
        figures.get(*variable).context(format!("{variable} cannot be read"))?;
    }
    Ok(figures)
}
