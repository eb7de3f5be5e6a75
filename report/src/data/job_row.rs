//! The row of a job, for tables of many jobs.

use mpit_job::slurm;

use super::{Time, number};
use crate::columns::rows;
use crate::job::Job;
use crate::picture::SHOWN;

rows! {
    /// The most important numbers of a job. Messages and bytes are those of the program's operations: kinds E, S, R and C.
    pub(crate) struct JobRow {
        run: Option<String>,
        world: Option<String>,
        began: Option<String>,
        program: Option<String>,
        command: Option<String>,
        slurm_job: Option<String>,
        mpi: Option<String>,
        mpit: Option<String>,
        size: u32,
        present: u32,
        recovered: u64,
        nodes: u64,
        messages: u64,
        bytes: u64,
        /// `None` if not all machines are known.
        bytes_between_nodes: Option<u64>,
        elapsed: Option<f64>,
        in_mpi_mean: Option<f64>,
        in_mpi_min: Option<f64>,
        in_mpi_max: Option<f64>,
        parallel_efficiency: Option<f64>,
        load_balance: Option<f64>,
        communication_efficiency: Option<f64>,
    }
}

impl JobRow {
    pub(crate) fn of(job: &Job) -> Self {
        let fact = |key| job.about.iter().find(|fact| fact.key == key).map(|fact| fact.value.clone());
        let identity = job.identity.as_ref();
        let traffic = job.summary.total(&SHOWN);
        let time = Time::of(&job.summary);
        let of_time = |value: fn(&Time) -> f64| time.as_ref().map(value);
        Self {
            run: identity.map(|identity| identity.run.clone()),
            world: identity.map(|identity| identity.world.clone()),
            began: identity.map(|identity| identity.began.clone()),
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
            elapsed: of_time(|time| time.elapsed.max),
            in_mpi_mean: of_time(|time| time.in_mpi.mean),
            in_mpi_min: of_time(|time| time.in_mpi.min),
            in_mpi_max: of_time(|time| time.in_mpi.max),
            parallel_efficiency: of_time(|time| time.parallel_efficiency.value),
            load_balance: of_time(|time| time.load_balance.value),
            communication_efficiency: of_time(|time| time.communication_efficiency.value),
        }
    }
}
