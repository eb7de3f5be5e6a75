//! The row of a job, for tables of many jobs.

use mpit_job::slurm;

use crate::data::{Time, number};
use crate::job::Job;
use crate::picture::SHOWN;

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
    /// `None` if not all machines are known.
    pub(super) bytes_between_nodes: Option<u64>,
    pub(super) time: Option<Time>,
}

impl JobRow {
    pub(super) fn of(job: &Job) -> Self {
        let fact = |key| job.about.iter().find(|fact| fact.key == key).map(|fact| fact.value.clone());
        let identity =
            |of: fn(&mpit_format::identity::Identity) -> &String| job.identity.as_ref().map(of).cloned();
        let traffic = job.summary.total(&SHOWN);
        Self {
            run: identity(|identity| &identity.run),
            world: identity(|identity| &identity.world),
            began: identity(|identity| &identity.began),
            program: fact("program"),
            command: fact("command"),
            slurm_job: fact(slurm::JOB),
            mpi: fact("mpi"),
            mpit: fact("mpit"),
            size: job.size,
            present: job.present,
            recovered: job.recovered.len() as u64,
            nodes: job.nodes.names().len().max(job.summary.hosts.len()) as u64,
            messages: number(traffic.count),
            bytes: number(traffic.bytes),
            bytes_between_nodes: job.summary.bytes_by_nodes(&SHOWN).map(|[_, between]| number(between)),
            time: Time::of(&job.summary),
        }
    }
}
