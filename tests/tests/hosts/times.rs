//! The time in MPI, compared with an oracle in the same program (`c/call_oracle.h`) and with what the program has built in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mpit_format::times::{CallRow, Mode};
use mpit_tests::{Context, Failure, Finished, Job, Outcome, Prof, Stack, machine_lock, stacks};

use crate::{on_each_family_in_dir, on_in_dir, read_all, written_to};

const RANKS: u32 = 4;

/// The libraries, each by one of its interfaces.
pub(crate) const LIBRARIES: [&str; 5] =
    ["ompi4.1.4", "ompi5.0.11", "mpich4.0.2", "mpich5.0.2", "impi2021.19"];

/// The number of runs of which one must give the times of the oracle.
const ATTEMPTS: u32 = 20;

/// The number of runs of which one must give the times that are built in: few, so that an error in most runs makes the test fail, and because
/// each run needs the whole machine for four seconds.
const ATTEMPTS_BUILT_IN: u32 = 6;

/// The programs in `c/timed_calls.c`, by run.
const RUNS: [&[&str]; 3] = [WITH_LAST, WITHOUT_LAST, &["many_barriers"]];

/// The programs in which one rank is clearly the last in each collective operation.
const WITH_LAST: &[&str] = &["late_allreduce", "late_root", "late_leaf", "alternating"];

/// The other programs, except for that with more operations than are kept as samples.
const WITHOUT_LAST: &[&str] = &[
    "late_sender",
    "late_receiver",
    "late_completion",
    "communicators",
    "polling",
    "nonblocking_collectives",
    "windows_and_files",
    "exchange",
];

/// The calls and nanoseconds of each name.
pub(crate) type Calls = BTreeMap<String, (u64, u64)>;

/// The waiting of a rank in collective operations on `MPI_COMM_WORLD`: their number, the nanoseconds, and the number of those in
/// which it was the last.
type Waiting = (u64, u64, u64);

/// Returns the numbers of a line behind its first word.
pub(crate) fn numbers<'a>(line: &'a str, word: &str) -> Option<Vec<&'a str>> {
    let mut words = line.split(' ');
    if words.next() == Some(word) { Some(words.collect()) } else { None }
}

fn number(text: &str) -> Outcome<u64> {
    text.parse().context(text)
}

/// Returns the calls of each rank from lines that begin with a word.
pub(crate) fn calls_of_oracle(finished: &Finished, word: &str) -> Outcome<Vec<Calls>> {
    let mut all = vec![Calls::new(); RANKS as usize];
    for fields in finished.stdout.lines().filter_map(|line| numbers(line, word)) {
        let &[rank, name, count, ns] = &fields[..] else { return Err(Failure::new(fields.join(" "))) };
        all[number(rank)? as usize].insert(name.into(), (number(count)?, number(ns)?));
    }
    Ok(all)
}

fn waiting_of_oracle(finished: &Finished) -> Outcome<Vec<Waiting>> {
    let lines = finished.stdout.lines().filter_map(|line| numbers(line, "late"));
    lines.map(|fields| Ok((number(fields[1])?, number(fields[2])?, number(fields[3])?))).collect()
}

pub(crate) fn calls_of(prof: &Prof) -> Calls {
    let mut all = Calls::new();
    for row in &prof.calls {
        let (count, ns) = all.entry(row.call.name.into()).or_default();
        (*count, *ns) = (*count + row.count, *ns + row.ns);
    }
    all
}

/// Returns the waiting of each rank according to the samples that all ranks have. The operations of the oracle itself do not count.
fn waiting_of(profs: &[Prof]) -> Outcome<Vec<Waiting>> {
    let samples = |prof: &Prof| {
        let world = prof.late.iter().filter(|row| &*row.comm == "MPI_COMM_WORLD");
        let operations = world.flat_map(|row| &row.operations).filter(|one| one.call.name != "Gather");
        operations.map(|one| (one.number, *one)).collect::<BTreeMap<_, _>>()
    };
    let ranks: Vec<_> = profs.iter().map(samples).collect();
    let domains: Vec<_> = profs.iter().map(|prof| prof.time.as_ref().map(|time| time.domain)).collect();
    Failure::unless(domains[0].is_some() && domains.iter().all(|one| *one == domains[0]), || {
        format!("clocks: {domains:?}")
    })?;
    let mut all = vec![(0, 0, 0); profs.len()];
    for number in ranks[0].keys() {
        let Some(of_ranks) = ranks.iter().map(|of| of.get(number)).collect::<Option<Vec<_>>>() else {
            return Err(Failure::new(format!("operation {number} is not sampled on all ranks")));
        };
        let latest = of_ranks.iter().map(|one| one.entry).max().unwrap_or(0);
        for (sum, one) in all.iter_mut().zip(of_ranks) {
            *sum =
                (sum.0 + 1, sum.1 + one.exit.min(latest) - one.entry, sum.2 + u64::from(one.entry == latest));
        }
    }
    Ok(all)
}

/// Returns true if a time is that of the oracle: up to 2 %, or the time for the rest of the recording, of which the oracle measures a part,
/// and which takes long without optimization.
fn is_near(ns: u64, wanted: u64, calls: u64, name: &str) -> bool {
    const OVERHEAD_NS: u64 = 100_000;
    const SHORT_NS: u64 = 1_000_000;
    // New objects are registered, for which the library is queried.
    let per_call = if name.starts_with("Comm_") || name.starts_with("Win_") || name.starts_with("File_") {
        10 * OVERHEAD_NS
    } else {
        OVERHEAD_NS
    };
    // The time of a short call is mostly that between the clock reads of both, which depends on the load of the machine.
    let is_short = wanted < calls * SHORT_NS;
    is_short || ns.abs_diff(wanted) <= (wanted / 50).max(calls * per_call)
}

/// The result of a comparison of times. On a busy machine, a process may be interrupted between the clock reads of mpit and of the oracle.
pub(crate) type Near = Outcome<Outcome>;

/// Checks the numbers of calls, and compares the times of those that may wait.
fn check_calls(profs: &[Prof], oracle: &[Calls]) -> Near {
    let mut near = Ok(());
    for ((rank, prof), wanted) in (0..).zip(profs).zip(oracle) {
        let got = calls_of(prof);
        for (name, &(count, ns)) in wanted {
            let found = got.get(name).copied().unwrap_or_default();
            Failure::unless(found.0 == count, || {
                format!("rank {rank}: {} calls of {name}, should be {count}", found.0)
            })?;
            let call = prof.calls.iter().find(|row| row.call.name == *name);
            let is_measured = call.is_some_and(|row| row.call.may_wait());
            near = near.and(Failure::unless(!is_measured || is_near(found.1, ns, count, name), || {
                format!("rank {rank}: {} ns in {count} calls of {name}, should be {ns}", found.1)
            }));
        }
        agree(prof).context(format!("rank {rank}"))?;
    }
    Ok(near)
}

/// Checks that the times of calls are those in the run, and those in the histograms.
fn agree(prof: &Prof) -> Outcome {
    let elapsed = prof.time.as_ref().map_or(0, |time| time.elapsed);
    // Estimates may be more, and initialization is outside.
    let is_inside = |row: &&CallRow| row.timed == row.count && !row.call.name.starts_with("Init");
    let inside = prof.calls.iter().filter(is_inside).map(|row| row.ns).sum();
    Failure::unless(elapsed >= inside, || format!("{inside} ns in calls, of {elapsed}"))?;
    for row in &prof.calls {
        let timed: u64 = row.durations.iter().map(|(_, count)| count).sum();
        let is_right = timed == row.timed && row.timed <= row.count && row.min <= row.max;
        Failure::unless(is_right, || format!("{row:?}"))?;
    }
    Ok(())
}

/// Compiles a program on top of the profiling library with an oracle that its source has as well, with options.
pub(crate) fn over_library(stack: &Stack, source: &str, file: &str, options: &[&str]) -> Outcome<PathBuf> {
    let as_library = ["-shared", "-fPIC", "-DLIBRARY"];
    let library = stacks::c_variant(Some(stack), source, &format!("lib{source}.so"), &as_library)?;
    let link = format!("-Wl,--no-as-needed,{}", library.display());
    stacks::c_variant(Some(stack), source, file, &[options, &[&link]].concat())
}

fn job(program: &Path, names: &[&str], time: &str, stack: &Stack, dir: &Path) -> Outcome<Job> {
    let settings = [&written_to("prof")[..], &[("monitoring_time", time)]].concat();
    // On a loaded machine, some libraries take minutes for more processes than processors.
    Job::mpi(stack, RANKS).arg(program).args(names).dir(dir).seconds(240).under_mpit(&settings)
}

/// Tests calls that may wait. The clock does not depend on the library, and each comparison needs the whole machine.
#[test]
fn times_are_those_of_an_oracle() -> Outcome {
    on_each_family_in_dir("times", |stack, dir| {
        let program = stack.compile("timed_calls")?;
        let alone = machine_lock::whole()?;
        for names in RUNS {
            let compare = || -> Near {
                let finished = job(&program, names, "blocking", stack, dir)?.within_lock(&alone).succeed()?;
                let profs = read_all(&dir.join("prof"), RANKS)?;
                let calls = check_calls(&profs, &calls_of_oracle(&finished, "call")?)?;
                Ok(calls.and(check_waiting(names == WITH_LAST, &profs, &finished)?))
            };
            let mut near = Ok(());
            for _ in 0..ATTEMPTS {
                near = compare().context(format!("{names:?}"))?;
                if near.is_ok() {
                    break;
                }
            }
            near.context(format!("{names:?}"))?;
        }
        Ok(())
    })
}

/// Tests all calls, also short ones, between two oracles: one in the program, and one behind mpit. Each of them measures a part of the
/// time that the one before it measures, so the order of the three sums depends neither on the load of the machine nor on optimization.
#[test]
fn times_are_between_two_oracles() -> Outcome {
    on_in_dir(&LIBRARIES, "times_between", |stack, dir| {
        let program =
            over_library(stack, "timed_calls", "timed_calls_in_oracles", &["-DORACLE_ON_BOTH_SIDES"])?;
        let names = [WITH_LAST, WITHOUT_LAST, &["short_calls", "many_barriers"]].concat();
        let finished = job(&program, &names, "all", stack, dir)?.succeed()?;
        let profs = read_all(&dir.join("prof"), RANKS)?;
        let (inner, outer) = (calls_of_oracle(&finished, "inner")?, calls_of_oracle(&finished, "call")?);
        for ((rank, prof), (inner, outer)) in profs.iter().enumerate().zip(inner.iter().zip(&outer)) {
            are_between(prof, inner, outer).and_then(|()| agree(prof)).context(format!("rank {rank}"))?;
        }
        Ok(())
    })
}

pub(crate) fn are_between(prof: &Prof, inner: &Calls, outer: &Calls) -> Outcome {
    /// The difference of the rates of two clocks, as a part: that of the cycle counter is measured for a moment only.
    const RATE: u64 = 500;
    /// The time by which the processor may read the cycle counter earlier or later than the program says.
    const REORDERED_NS: u64 = 20;
    Failure::unless(!inner.is_empty() && inner.keys().eq(outer.keys()), || {
        format!("the oracles have other calls: {inner:?}, {outer:?}")
    })?;
    let got = calls_of(prof);
    for (name, &(count, least)) in inner {
        let (most, found) = (outer[name], got.get(name).copied().unwrap_or_default());
        let allowed = |ns: u64| ns / RATE + count * REORDERED_NS;
        let is_right = (most.0, found.0) == (count, count)
            && found.1 + allowed(found.1) >= least
            && found.1 <= most.1 + allowed(most.1);
        Failure::unless(is_right, || {
            format!("{name}: (calls, ns) is {found:?}, should be from {:?} to {most:?}", (count, least))
        })?;
    }
    Ok(())
}

fn check_waiting(has_last: bool, profs: &[Prof], finished: &Finished) -> Near {
    let mut near = Ok(());
    let (got, wanted) = (waiting_of(profs)?, waiting_of_oracle(finished)?);
    for (rank, (got, wanted)) in got.iter().zip(&wanted).enumerate() {
        // Of many operations, some are sampled.
        let is_right = if got.0 == wanted.0 {
            is_near(got.1, wanted.1, wanted.0, "") && (!has_last || got.2.abs_diff(wanted.2) <= wanted.0 / 10)
        } else {
            got.0 > 200 && got.0 <= 256
        };
        near = near.and(Failure::unless(is_right, || {
            format!("rank {rank}: (operations, waited, last) is {got:?}, should be {wanted:?}")
        }));
    }
    Ok(near)
}

/// The collective operations in `c/times_built_in.c`, whose arrivals are sampled.
const COLLECTIVES: [&str; 6] = ["Barrier", "Allreduce", "Bcast", "Reduce", "Alltoall", "Gather"];

/// The number of calls in `c/times_built_in.c` in which a process waits.
const BUILT_IN: usize = 12;

/// The computation of a process before a call, and its delay in the call.
#[derive(Clone, Copy, Default)]
struct Computed {
    /// The times between which it computed before the call.
    begin: u64,
    end: u64,
    /// The time for which it waited for a processor in the call.
    delay: u64,
}

fn computed_by(finished: &Finished) -> Outcome<BTreeMap<String, [Computed; 2]>> {
    let mut all = BTreeMap::<_, [Computed; 2]>::new();
    for fields in finished.stdout.lines().filter_map(|line| numbers(line, "computed")) {
        let &[rank, call, begin, end, delay] = &fields[..] else {
            return Err(Failure::new(fields.join(" ")));
        };
        all.entry(call.into()).or_default()[number(rank)? as usize] =
            Computed { begin: number(begin)?, end: number(end)?, delay: number(delay)? };
    }
    finished.expect(all.len() == BUILT_IN)?;
    Ok(all)
}

/// Returns true if a time differs from that of the program by at most 2 %, or by 2 % of the shortest wait, and the time for which the
/// processes waited for a processor. That is limited: a time of 0 is no long wait on any machine.
fn is_built_in(ns: u64, wanted: u64, delay: u64) -> bool {
    const SHORTEST_WAIT_NS: u64 = 200_000_000;
    let least = wanted.max(SHORTEST_WAIT_NS);
    ns.abs_diff(wanted) <= least / 50 + delay.min(least / 3)
}

/// Returns true if a ratio, shown with two digits behind the point, differs from that of the program by at most 2 %, and the share of the
/// time for which the processes waited for a processor.
fn is_built_in_ratio(shown: Option<f64>, wanted: f64, delayed: f64) -> bool {
    shown.is_some_and(|shown| (shown - wanted).abs() <= wanted / 50.0 + 0.005 + delayed.min(wanted / 3.0))
}

/// Returns the number behind a text.
fn number_behind(text: &str, before: &str) -> Option<f64> {
    let (_, rest) = text.split_once(before)?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Compares the times in calls, the time outside of them, the load balance and the late rank with what the program has built in.
fn check_built_in(finished: &Finished, profs: &[Prof]) -> Near {
    let computed = computed_by(finished)?;
    let mut wrong = Vec::new();
    // By the rank that is the last one.
    let (mut last_in, mut waited) = ([0_u64; 2], [0; 2]);
    let mut delays = 0;
    for (call, [first, second]) in &computed {
        let (late, wait) = (usize::from(second.end > first.end), first.end.abs_diff(second.end));
        let delay = first.delay + second.delay;
        delays += delay;
        for (rank, prof) in profs.iter().enumerate() {
            let (_, found) = calls_of(prof).get(call).copied().unwrap_or_default();
            // A process that sends to the root may leave before the root enters.
            let leaves_early = call == "Gather" && found < wait / 2;
            let waits = if rank == late || leaves_early { 0 } else { wait };
            if !is_built_in(found, waits, delay) {
                wrong.push(format!("rank {rank}: {found} ns in MPI_{call}, should be {waits}"));
            }
            if rank != late && COLLECTIVES.contains(&call.as_str()) {
                last_in[late] += 1;
                waited[late] += waits;
            }
        }
    }
    let useful: [u64; 2] = [0, 1]
        .map(|rank: usize| computed.values().map(|of| of[rank].end.saturating_sub(of[rank].begin)).sum());
    for (rank, (prof, wanted)) in profs.iter().zip(useful).enumerate() {
        let elapsed = prof.time.as_ref().map_or(0, |time| time.elapsed);
        let calls = prof.calls.iter().filter(|row| !row.call.is_outside());
        let found = elapsed.saturating_sub(calls.map(|row| row.ns).sum());
        if !is_built_in(found, wanted, delays) {
            wrong.push(format!("rank {rank}: {found} ns outside of MPI, should be {wanted}"));
        }
    }
    let ratio = |part: u64, all: u64| part as f64 / all.max(1) as f64;
    let balance = ratio(useful[0] + useful[1], 2 * useful[0].max(useful[1]));
    let delayed = ratio(delays, useful[0].max(useful[1]));
    if !is_built_in_ratio(number_behind(&finished.stderr, "load balance "), balance, delayed) {
        wrong.push(format!("the load balance should be {balance:.3}"));
    }
    let late = usize::from(last_in[1] > last_in[0]);
    let operations = last_in[0] + last_in[1];
    let text = format!(
        "rank {late} arrives last in {:.0} % of {operations} sampled collective operations; the others wait for it for ",
        100.0 * ratio(last_in[late], operations)
    );
    let (shown, share) = (number_behind(&finished.stderr, &text), ratio(waited[late], waited[0] + waited[1]));
    let delayed = ratio(delays, waited[0] + waited[1]);
    if !is_built_in_ratio(shown.map(|percent| percent / 100.0), share, delayed) {
        wrong.push(format!("should be: {text}{:.1} % of the time in them", 100.0 * share));
    }
    Ok(Failure::unless(wrong.is_empty(), || wrong.join("\n")))
}

/// Tests times that are known without an oracle: a process waits until the other one has computed.
#[test]
fn times_are_those_built_in() -> Outcome {
    on_each_family_in_dir("times_built_in", |stack, dir| {
        let program = stack.compile("times_built_in")?;
        let alone = machine_lock::whole()?;
        let mut result = Ok(());
        for attempt in 1..=ATTEMPTS_BUILT_IN {
            let job = Job::mpi(stack, 2).arg(&program).dir(dir).under_mpit_with(&["--output", "prof"])?;
            let finished = job.within_lock(&alone).succeed()?;
            let near = check_built_in(&finished, &read_all(&dir.join("prof"), 2)?)?;
            let Err(differences) = near else { return Ok(()) };
            let label = stack.label();
            eprintln!("{label}, attempt {attempt} of {ATTEMPTS_BUILT_IN}:\n{differences}");
            result = Err(Failure::new(format!("{differences}\n{finished}")));
        }
        result
    })
}

#[test]
fn killed_processes_keep_their_times() -> Outcome {
    on_each_family_in_dir("times_killed", |stack, dir| {
        let settings = [&written_to("prof")[..], &[("monitoring_store", "file")]].concat();
        let job = Job::mpi(stack, RANKS).arg(stack.compile("timed_calls")?).args(["late_allreduce", "kill"]);
        let finished = job.dir(dir).under_mpit(&settings)?.finish()?;
        let profs = read_all(&dir.join("prof"), RANKS)?;
        // The times are those of the other test.
        let _ = check_calls(&profs, &calls_of_oracle(&finished, "call")?)?;
        let sampled = waiting_of(&profs)?;
        // A barrier, and those of the program.
        Failure::unless(sampled.iter().all(|of| of.0 == 31), || format!("{sampled:?}"))
    })
}

/// Without a request for files, the records are only in the store of the job.
#[test]
fn a_summary_writes_no_files() -> Outcome {
    on_each_family_in_dir("times_summary", |stack, dir| {
        let job = Job::mpi(stack, RANKS).arg(stack.compile("timed_calls")?).arg("late_leaf");
        job.dir(dir).under_mpit(&[])?.succeed()?;
        let names = crate::names_in(dir)?;
        Failure::unless(names.is_empty(), || format!("files: {names:?}"))
    })
}

#[test]
fn times_can_be_off() -> Outcome {
    on_each_family_in_dir("times_off", |stack, dir| {
        job(&stack.compile("timed_calls")?, &["exchange"], "off", stack, dir)?.succeed()?;
        let profs = read_all(&dir.join("prof"), RANKS)?;
        Failure::unless(profs.iter().all(|prof| prof.time.is_none() && prof.calls.is_empty()), || {
            "there are times".into()
        })?;
        // Without `mpit run`, they are off unless they are requested.
        for (time, mode) in [("auto", None), ("all", Some(Mode::All))] {
            let settings = [&written_to("alone")[..], &[("monitoring_time", time)]].concat();
            let job = Job::mpi(stack, RANKS).arg(stack.compile("timed_calls")?).arg("exchange");
            job.dir(dir).preloaded_with(&settings)?.succeed()?;
            for prof in read_all(&dir.join("alone"), RANKS)? {
                let got = prof.time.map(|time| time.mode);
                Failure::unless(got == mode, || format!("{time}: {got:?}"))?;
            }
        }
        Ok(())
    })
}
