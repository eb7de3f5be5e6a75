//! The time in calls that do not wait, of which some are measured, compared with oracles that time every call (`c/sampled_calls.c`).

use mpit_format::times::CallRow;
use mpit_tests::{Context, Failure, Finished, Job, Outcome, Prof, machine_lock};

use crate::times::{Near, are_between, calls_of, calls_of_oracle, numbers, over_library};
use crate::{on_each_family_in_dir, read_all, written_to};

/// The call of the program.
const CALL: &str = "Iprobe";

/// The number of runs of which one must give the times of the oracles. Others may be interrupted in a call that is measured.
const ATTEMPTS: u32 = 10;

/// The standard errors by which an estimate from samples may differ.
const STANDARD_ERRORS: f64 = 5.0;

/// The bins of the two durations of the library's calls, of 10 and 24 microseconds: those below 2^14 and 2^15 ns.
const BINS: [u8; 2] = [14, 15];

/// The largest part of the measured calls that may be in other bins, because the processor did something else in between.
const INTERRUPTED: f64 = 0.1;

#[test]
fn sampled_times_are_those_of_oracles() -> Outcome {
    on_each_family_in_dir("sampled_times", |stack, dir| {
        let program = over_library(stack, "sampled_calls", "sampled_calls", &[])?;
        let alone = machine_lock::whole()?;
        let run = |time: &str| -> Outcome<(Finished, Vec<Prof>)> {
            let settings = [&written_to("prof")[..], &[("monitoring_time", time)]].concat();
            let job = Job::mpi(stack, 1).arg(&program).dir(dir).under_mpit(&settings)?;
            let finished = job.within_lock(&alone).succeed()?;
            Ok((finished, read_all(&dir.join("prof"), 1)?))
        };
        let (finished, profs) = run("all")?;
        let (inner, outer) = (calls_of_oracle(&finished, "inner")?, calls_of_oracle(&finished, "call")?);
        are_between(&profs[0], &inner[0], &outer[0]).context("all")?;
        let (count, timed) = count_and_timed(&profs[0]);
        Failure::unless(timed == count, || format!("all: {timed} of {count} calls are measured"))?;
        let mut near = Ok(());
        for _ in 0..ATTEMPTS {
            let (finished, profs) = run("blocking")?;
            near = check_estimate(&finished, &profs[0]).context("blocking")?;
            if near.is_ok() {
                break;
            }
        }
        near
    })
}

/// Returns the number of calls, and of those that were measured.
fn count_and_timed(prof: &Prof) -> (u64, u64) {
    let rows = || prof.calls.iter().filter(|row| row.call.name == CALL);
    let sum = |of: fn(&CallRow) -> u64| rows().map(of).sum();
    (sum(|row| row.count), sum(|row| row.timed))
}

/// Checks the number of calls, and compares the estimate of their time with the oracles. The estimate from a number of samples differs from
/// the time by a few standard errors, which the variance of the calls gives. Interrupted calls may make that many times larger, so the samples
/// must also have as many calls of each of the two durations.
fn check_estimate(finished: &Finished, prof: &Prof) -> Near {
    let of_oracle = |word: &str| -> Outcome<(u64, u64)> {
        calls_of_oracle(finished, word)?[0].get(CALL).copied().context(word)
    };
    let (inner, outer) = (of_oracle("inner")?, of_oracle("call")?);
    let squares = finished.stdout.lines().find_map(|line| numbers(line, "squares"));
    let squares: f64 = squares.context("squares")?[0].parse().context("squares")?;
    let (count, timed) = count_and_timed(prof);
    let is_sampled = (count / 128..=count / 32).contains(&timed);
    Failure::unless(inner.0 == outer.0 && count == outer.0 && is_sampled, || {
        format!("{timed} of {count} calls are measured; the oracles have {} and {}", inner.0, outer.0)
    })?;
    let (_, estimate) = calls_of(prof)[CALL];
    let (calls, samples) = (count as f64, timed as f64);
    let mean = outer.1 as f64 / calls;
    let variance = (squares / calls - mean * mean).max(0.0);
    let allowed = STANDARD_ERRORS * calls * (variance / samples).sqrt();
    let difference = (inner.1.saturating_sub(estimate)).max(estimate.saturating_sub(outer.1)) as f64;
    let near = Failure::unless(difference <= allowed, || {
        format!(
            "{estimate} ns, should be from {} to {}, with a difference of up to {allowed:.0} ns",
            inner.1, outer.1
        )
    });
    Ok(near.and_then(|()| check_durations(prof, samples)))
}

/// Checks that one half of the measured calls has each of the two durations, but for interrupted ones.
fn check_durations(prof: &Prof, samples: f64) -> Outcome {
    let rows = || prof.calls.iter().filter(|row| row.call.name == CALL);
    let part_in = |wanted: u8| {
        let calls = rows().flat_map(|row| &row.durations).filter(|(bin, _)| *bin == wanted);
        calls.map(|(_, calls)| *calls).sum::<u64>() as f64 / samples
    };
    let parts = BINS.map(part_in);
    let allowed = STANDARD_ERRORS * 0.5 / samples.sqrt();
    let is_half = |part: &f64| (0.5 - allowed - INTERRUPTED..=0.5 + allowed).contains(part);
    Failure::unless(parts.iter().all(is_half), || {
        format!(
            "{parts:?} of the measured calls have the two durations; both should be 0.5, within {allowed:.3}"
        )
    })
}
