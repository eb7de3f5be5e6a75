//! The row of a job, for tables of many jobs.

use crate::data::{Time, numbers};
use crate::job::{Job, JobSum};
use crate::picture::shown;

/// The most important numbers of a job. Messages and bytes are those of the program's operations: kinds E, S, R and C.
pub(super) struct JobRow {
    pub(super) run: Option<String>,
    pub(super) world: Option<String>,
    pub(super) began: Option<String>,
    pub(super) program: Option<String>,
    pub(super) command: Option<String>,
    pub(super) slurm_job: Option<String>,
    pub(super) mpi: Option<String>,
    pub(super) mpit: Option<String>,
    pub(super) size: u32,
    pub(super) present: u32,
    pub(super) recovered: u64,
    pub(super) nodes: u64,
    pub(super) messages: u64,
    pub(super) bytes: u64,
    /// `None` if no machine is known.
    pub(super) bytes_between_nodes: Option<u64>,
    pub(super) time: Option<Time>,
}

impl JobRow {
    pub(super) fn of(job: &Job) -> Self {
        let fact = |key| job.about.iter().find(|fact| fact.key == key).map(|fact| fact.value.clone());
        let identity =
            |of: fn(&mpit_format::identity::Identity) -> &String| job.identity.as_ref().map(of).cloned();
        let matrix = shown(job);
        let (messages, bytes) = numbers(JobSum::of(&matrix));
        let pairs = job.nodes.pairs(&matrix);
        let between = pairs.iter().filter(|pair| pair.from != pair.to).map(|pair| pair.bytes);
        let nodes = job.nodes.names().len() as u64;
        Self {
            run: identity(|identity| &identity.run),
            world: identity(|identity| &identity.world),
            began: identity(|identity| &identity.began),
            program: fact("program"),
            command: fact("command"),
            slurm_job: fact("slurm_job"),
            mpi: fact("mpi"),
            mpit: fact("mpit"),
            size: job.size,
            present: job.present,
            recovered: job.recovered.len() as u64,
            nodes,
            messages,
            bytes,
            bytes_between_nodes: (nodes > 0).then(|| between.fold(0, u64::saturating_add)),
            time: Time::of(&job.summary),
        }
    }
}
