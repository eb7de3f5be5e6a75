//! The results of `mpit why`, as its JSON has them; `docs/why.schema.json` describes it.

use serde::Serialize;

use super::diagnosis::{Diagnosis, Finding, Verdict, activity, by_text, diagnose};
use super::part::{Part, World};
use super::snapshot::{Phase, ProcessState};
use super::stack;
use mpit_job::node::this_node;

/// The root of the JSON.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    pub(super) jobs: &'a [JobOutcome],
}

#[derive(Debug, Serialize)]
pub(super) struct JobOutcome {
    /// The name of the run.
    pub(super) job: String,
    /// The process of `mpit run`, if it is on this node.
    pub(super) pid: Option<u32>,
    pub(super) command: String,
    /// The time between the snapshots.
    pub(super) seconds: f64,
    /// The nodes whose processes are known.
    pub(super) nodes: Vec<String>,
    /// The nodes among those of `--nodes` without a part.
    pub(super) missing_nodes: Vec<String>,
    pub(super) worlds: Vec<WorldOutcome>,
}

#[derive(Debug, Serialize)]
pub(super) struct WorldOutcome {
    /// The number of the world in the job, from 1.
    pub(super) world: u32,
    /// The number of processes.
    pub(super) size: u32,
    pub(super) verdict: Verdict,
    pub(super) findings: Vec<Finding>,
    pub(super) ranks: Vec<RankOutcome>,
    /// The ranks whose processes are not known.
    pub(super) missing: Vec<u32>,
    pub(super) stacks: Vec<Stack>,
}

#[derive(Debug, Serialize)]
pub(super) struct RankOutcome {
    pub(super) rank: u32,
    pub(super) host: String,
    pub(super) pid: u32,
    pub(super) state: ProcessState,
    pub(super) phase: Phase,
    /// The names of the calls that its threads are in.
    pub(super) calls: Vec<String>,
    /// A text with these calls and their arguments.
    pub(super) activity: String,
    /// True if no call began or ended between the snapshots.
    pub(super) unchanged: bool,
}

/// The stack of a culprit, or the reason why it could not be read.
#[derive(Debug, Serialize)]
pub(super) struct Stack {
    pub(super) rank: u32,
    pub(super) pid: u32,
    pub(super) text: String,
}

impl JobOutcome {
    /// Diagnoses the worlds of a job. `nodes` are its nodes, if they are known.
    pub(super) fn of(part: &Part, nodes: &[String]) -> Self {
        let worlds = part
            .worlds
            .iter()
            .map(|world| WorldOutcome::new(world, diagnose(&world.before, &world.now, part.seconds)));
        let short = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
        let known: Vec<String> = part.nodes.iter().map(|node| short(node)).collect();
        Self {
            job: part.job.name.clone(),
            pid: part.job.pid,
            command: part.job.command.clone(),
            seconds: part.seconds,
            nodes: part.nodes.clone(),
            missing_nodes: nodes.iter().filter(|node| !known.contains(&short(node))).cloned().collect(),
            worlds: worlds.collect(),
        }
    }

    /// Returns the most important verdict of the worlds.
    pub(super) fn verdict(&self) -> Verdict {
        self.worlds.iter().map(|world| world.verdict).max().unwrap_or(Verdict::Moving)
    }
}

impl WorldOutcome {
    fn new(world: &World, diagnosis: Diagnosis) -> Self {
        let rank = |rank: &super::snapshot::RankState| RankOutcome {
            rank: rank.rank,
            host: rank.host.clone(),
            pid: rank.pid,
            state: rank.process.state,
            phase: rank.phase,
            calls: rank.calls().map(|call| call.name.clone()).collect(),
            activity: activity(rank),
            unchanged: world.before.rank(rank.rank).is_some_and(|before| rank.is_unchanged_since(before)),
        };
        Self {
            world: world.number,
            size: world.now.size,
            verdict: diagnosis.verdict,
            findings: diagnosis.findings,
            ranks: world.now.ranks.iter().map(rank).collect(),
            missing: world.now.missing(),
            stacks: Vec::new(),
        }
    }

    /// Returns the ranks by activity, in the order of the first rank of each.
    pub(super) fn activities(&self) -> Vec<(&str, Vec<u32>)> {
        by_text(self.ranks.iter().map(|rank| (&*rank.activity, rank.rank)))
    }
}

/// Adds the stacks of culprits on this node.
pub(super) fn add_stacks(job: &mut JobOutcome) {
    let here = this_node();
    for world in &mut job.worlds {
        let mut culprits: Vec<u32> = Vec::new();
        for culprit in world.findings.iter().flat_map(|finding| &finding.culprits) {
            if !culprits.contains(culprit) && culprits.len() < stack::MAX_STACKS {
                culprits.push(*culprit);
            }
        }
        for rank in world.ranks.iter().filter(|rank| culprits.contains(&rank.rank)) {
            if rank.state == ProcessState::Gone || rank.host != here {
                continue;
            }
            let text = stack::of(rank.pid).unwrap_or_else(|why| why);
            world.stacks.push(Stack { rank: rank.rank, pid: rank.pid, text });
        }
    }
}
