//! The most important numbers of a job, in a few lines.

use std::fmt::Write;

use mpit_format::rows::Kind;
use mpit_format::summary::{Efficiency, Rating};

pub use mpit_format::summary::{Place, Summary};

use crate::columns;
use crate::data::Call;
use crate::picture::SHOWN;
use crate::units::{bytes, duration, grouped, ratio};

/// The number of calls that are listed.
const CALLS_SHOWN: usize = 5;

/// Returns the lines about a job: at most 13 of them.
#[must_use]
pub fn lines(summary: &Summary) -> Vec<String> {
    let mut lines = vec![processes(summary)];
    lines.extend(incomplete(summary));
    if has_times(summary) {
        lines.extend(time(summary));
        lines.extend(summary.efficiency().map(efficiency_line));
    }
    lines.extend(traffic(summary));
    lines.extend(calls(summary));
    lines.extend(lateness(summary));
    lines
}

/// Returns a line about a job that is one of several.
#[must_use]
pub fn line(summary: &Summary) -> String {
    let mut parts = vec![processes(summary)];
    if let Some(efficiency) = summary.efficiency().filter(|_| has_times(summary)) {
        parts.push(format!("{} in MPI", ratio(share_in_mpi(summary))));
        parts.push(rated("parallel efficiency", efficiency.parallel));
    }
    parts.extend(traffic(summary));
    parts.join("; ")
}

fn processes(summary: &Summary) -> String {
    let mut text = counted(summary.processes.into(), "process", "processes");
    if u64::from(summary.size) > summary.processes {
        text = format!("{} of {} processes", summary.processes, summary.size);
    }
    let hosts = &summary.hosts;
    if !hosts.is_empty() {
        let or_more = if hosts.has_more() { " or more" } else { "" };
        _ = write!(text, " on {}{or_more}", counted(hosts.len() as u128, "node", "nodes"));
    }
    if let Some((elapsed, _)) = summary.elapsed.max() {
        _ = write!(text, ", {} between MPI_Init and MPI_Finalize", duration(elapsed as f64));
    }
    text
}

pub(crate) fn incomplete(summary: &Summary) -> Option<String> {
    let running = summary.processes.saturating_sub(summary.finalized);
    let of = if running == summary.processes { "none of them" } else { "not all of them" };
    if running == 0 {
        return None;
    }
    Some(format!(
        "{of} reached MPI_Finalize: {} did not, and {} up to the last call",
        counted(running.into(), "process", "processes"),
        if running == 1 { "its records are" } else { "their records are" }
    ))
}

/// Returns false for processes that were all ended soon after `MPI_Init`: the time of a start is no time of the program.
fn has_times(summary: &Summary) -> bool {
    const MIN_NANOSECONDS: u64 = 1_000_000_000;
    let elapsed = summary.elapsed.max().map_or(0, |(ns, _)| ns);
    summary.finalized > 0 || (elapsed >= MIN_NANOSECONDS && !summary.calls.is_empty())
}

fn share_in_mpi(summary: &Summary) -> f64 {
    summary.in_mpi.sum() as f64 / summary.elapsed.sum().max(1) as f64
}

fn time(summary: &Summary) -> Option<String> {
    let (in_mpi, _) = (summary.in_mpi, summary.elapsed.max()?);
    let (min, max) = (in_mpi.min()?, in_mpi.max()?);
    let on_rank = |(ns, rank): (u64, u32)| format!("{} (rank {rank})", duration(ns as f64));
    Some(format!(
        "time in MPI: {} of the run; mean {}, min {}, max {}",
        ratio(share_in_mpi(summary)),
        duration(in_mpi.mean()),
        on_rank(min),
        on_rank(max)
    ))
}

fn efficiency_line(efficiency: Efficiency) -> String {
    let Efficiency { parallel, load_balance, communication } = efficiency;
    format!(
        "{} = {} x {}",
        rated("parallel efficiency", parallel),
        rated("load balance", load_balance),
        rated("communication efficiency", communication)
    )
}

fn rated(name: &str, efficiency: f64) -> String {
    format!("{name} {efficiency:.2} ({})", Rating::of(efficiency).as_str())
}

/// Returns the traffic; `None` if there is none although calls were counted, because the monitoring is off then.
fn traffic(summary: &Summary) -> Option<String> {
    if summary.total(&Kind::ALL).count == 0 && !summary.calls.is_empty() {
        return None;
    }
    let messages = summary.total(&[Kind::External]);
    let mut text = format!("{}, {}", counted(messages.count, "message", "messages"), bytes(messages.bytes));
    for (kinds, name) in
        [(&[Kind::Sent, Kind::Received][..], "one-sided"), (&[Kind::Collective], "in collective operations")]
    {
        let sum = summary.total(kinds);
        if sum.bytes > 0 {
            _ = write!(text, ", {} {name}", bytes(sum.bytes));
        }
    }
    let bytes_of = |kind: &Kind, place| summary.traffic(*kind, place).bytes;
    let of = |place| SHOWN.iter().map(|kind| bytes_of(kind, place)).fold(0, u128::saturating_add);
    let [inside, between, unknown] = Place::ALL.map(of);
    let all = inside.saturating_add(between).saturating_add(unknown).max(1);
    if unknown > 0 {
        let share = ratio(unknown as f64 / all as f64);
        _ = write!(
            text,
            "; {share} of the bytes to processes without records here, such as those of other nodes"
        );
    } else if summary.hosts.len() > 1 {
        _ = write!(text, "; {} of the bytes between nodes", ratio(between as f64 / all as f64));
    }
    Some(text)
}

fn calls(summary: &Summary) -> Vec<String> {
    let longest = summary.longest_calls(CALLS_SHOWN);
    let rows = longest.into_iter().map(|(call, stat)| Call::of(summary, call, stat));
    columns::lines(rows, &["name", "calls", "seconds", "share", "min", "mean", "max", "bytes"])
}

fn lateness(summary: &Summary) -> Option<String> {
    let latest = summary.latest();
    let one = latest.first()?;
    let mut text = format!(
        "rank {} arrives last in {} of {}; the others wait for it for {} of the time in them",
        one.rank,
        ratio(one.last_in as f64 / one.operations as f64),
        counted(one.operations.into(), "sampled collective operation", "sampled collective operations"),
        ratio(one.share())
    );
    if one.error > 0 {
        _ = write!(text, " (clocks of machines compared to {})", duration(one.error as f64));
    }
    Some(text)
}

fn counted(number: u128, one: &str, more: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{} {more}", grouped(number)) }
}

#[cfg(test)]
mod tests {
    use mpit_format::calls::CALLS;
    use mpit_format::rows::Kind;
    use mpit_format::summary::{Arrival, CallSum, Place, ProcessTime, Summary};

    fn job(hosts: [&str; 4], finalized: u32) -> Summary {
        let call = |name: &str| CALLS.iter().position(|call| call.name == name).unwrap() as u16;
        let mut job = Summary::default();
        for (rank, host) in (0..).zip(hosts) {
            let mut one = Summary::of_process(4, host, rank < finalized);
            // Ranks compute for 4, 3, 3 and 2 s of 4 s, and spend the rest in MPI.
            let ns = [0, 1, 1, 2][rank as usize] * 1_000_000_000;
            let mut time = ProcessTime { elapsed: Some(4_000_000_000), ..ProcessTime::default() };
            time.calls.insert(call("Allreduce"), CallSum { count: 100, ns, bytes: 800 });
            if rank == 1 {
                time.calls.insert(call("Isend"), CallSum { count: 7, ns: 500, bytes: 7168 });
            }
            one.add_time(rank, &time);
            let place = if host == "n1" { Place::SameNode } else { Place::OtherNode };
            one.add_traffic(Kind::External, place, 7, 1024);
            one.add_traffic(Kind::Collective, place, 100, 800);
            for operation in 0..10 {
                let entered = if rank == 0 && operation != 3 { 1_000_000 } else { 0 };
                let arrival = Arrival {
                    comm: 1,
                    operation,
                    domain: 0,
                    entered,
                    spent: 2_000_000 - entered,
                    synchronizes: true,
                };
                one.arrivals.add(rank, arrival);
            }
            job.merge(&one);
        }
        job
    }

    #[test]
    fn the_screen_equals_this_text() {
        let wanted = "\
4 processes on 2 nodes, 4.00 s between MPI_Init and MPI_Finalize
time in MPI: 25 % of the run; mean 1.00 s, min 0 ns (rank 0), max 2.00 s (rank 3)
parallel efficiency 0.75 (fair) = load balance 0.75 (fair) x communication efficiency 1.00 (good)
28 messages, 4.00 KiB, 3.12 KiB in collective operations; 50 % of the bytes between nodes
call           calls    time  of run   min    mean     max     bytes
MPI_Allreduce    400  4.00 s    25 %  0 ns  1.00 s  2.00 s  3.12 KiB
MPI_Isend          7  500 ns     0 %  0 ns  125 ns  500 ns  7.00 KiB
rank 0 arrives last in 100 % of 10 sampled collective operations; the others wait for it for 38 % of the time in them";
        let job = job(["n1", "n1", "n2", "n2"], 4);
        assert_eq!(super::lines(&job).join("\n"), wanted, "\n{}", super::lines(&job).join("\n"));
        let wanted = "4 processes on 2 nodes, 4.00 s between MPI_Init and MPI_Finalize; 25 % in MPI; parallel efficiency 0.75 \
                      (fair); 28 messages, 4.00 KiB, 3.12 KiB in collective operations; 50 % of the bytes between nodes";
        assert_eq!(super::line(&job), wanted);
    }

    #[test]
    fn killed_jobs_are_marked() {
        let lines = super::lines(&job(["n1"; 4], 3));
        let wanted = "not all of them reached MPI_Finalize: 1 process did not, and its records are up to the last call";
        assert_eq!(lines[1], wanted);
        assert!(lines.len() <= 13 && lines[0].starts_with("4 processes on 1 node, "));
        assert!(
            super::lines(&job(["n1"; 4], 0))[1]
                .starts_with("none of them reached MPI_Finalize: 4 processes did")
        );
        // All were ended soon after the start.
        let mut one = Summary::of_process(1, "", false);
        let mut time = ProcessTime { elapsed: Some(141_000_000), ..ProcessTime::default() };
        time.calls.insert(0, CallSum { count: 1, ns: 20_000_000, bytes: 0 });
        one.add_time(0, &time);
        assert!(super::lines(&one).iter().all(|line| !line.contains("efficiency")));
        assert!(!super::line(&one).contains("efficiency"));
        // Without times.
        let lines = super::lines(&Summary::of_process(4, "", true));
        assert_eq!(lines, ["1 of 4 processes", "0 messages, 0 B"]);
        // Without the monitoring of traffic.
        let mut one = Summary::of_process(1, "", true);
        let mut time = ProcessTime { elapsed: Some(1000), ..ProcessTime::default() };
        time.calls.insert(0, CallSum { count: 1, ns: 500, bytes: 0 });
        one.add_time(0, &time);
        assert!(super::lines(&one).iter().all(|line| !line.contains("messages")));
    }

    #[test]
    fn late_ranks_need_the_whole_job() {
        let mut job = job(["n1"; 4], 4);
        assert!(super::lateness(&job).is_some());
        // One process left no records, and may have been the last one.
        job.size = 5;
        assert_eq!(super::lateness(&job), None);
    }
}
