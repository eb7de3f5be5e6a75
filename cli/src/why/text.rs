//! The results of `mpit why`, as text.

use std::fmt::Write;

use super::diagnosis::{Verdict, ranks_are};
use super::outcome::{JobOutcome, WorldOutcome};
use crate::rank_lists::ranks;

/// The maximum number of lines of activities and of findings. Large jobs have as many as ranks, while they move.
const MAX_LINES: usize = 12;

pub(super) fn of_job(job: &JobOutcome) -> String {
    let mut out = String::new();
    for world in &job.worlds {
        out.push_str(&of_world(job, world));
    }
    if !job.missing_nodes.is_empty() {
        let _ = writeln!(out, "  no part of these nodes: {}", job.missing_nodes.join(", "));
    }
    out
}

fn of_world(job: &JobOutcome, world: &WorldOutcome) -> String {
    let mut out = String::new();
    let number = if job.worlds.len() > 1 { format!(", world {}", world.world) } else { String::new() };
    let command = if job.command.is_empty() { String::new() } else { format!(" ({})", job.command) };
    let _ = writeln!(out, "{}{command}{number}: {}", job.job, verdict(world.verdict, job.seconds));
    let activities = world.activities();
    for (activity, all) in activities.iter().take(MAX_LINES) {
        let _ = writeln!(out, "  {} {activity}", ranks_are(all));
    }
    if activities.len() > MAX_LINES {
        let _ =
            writeln!(out, "  ... and {} more lines, which --format json has", activities.len() - MAX_LINES);
    }
    if !world.missing.is_empty() {
        let _ = writeln!(
            out,
            "  {} left no record on these nodes: {}",
            ranks(&world.missing),
            job.nodes.join(", ")
        );
    }
    let title = if world.verdict == Verdict::Stuck { "why" } else { "note" };
    for finding in world.findings.iter().take(MAX_LINES) {
        let _ = writeln!(out, "  {title}: {}", finding.text);
    }
    if world.findings.len() > MAX_LINES {
        let _ = writeln!(out, "  ... and {} more findings", world.findings.len() - MAX_LINES);
    }
    for stack in &world.stacks {
        let _ = writeln!(out, "  stack of rank {}, process {}:", stack.rank, stack.pid);
        for line in stack.text.lines() {
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}

fn verdict(verdict: Verdict, seconds: f64) -> String {
    match verdict {
        Verdict::Moving => "moving".into(),
        Verdict::Waiting => format!("waiting: no call began or ended for {seconds:.1} s"),
        Verdict::Stuck => format!("stuck: unchanged for {seconds:.1} s"),
    }
}
