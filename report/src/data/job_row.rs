//! The row of a job, for tables of many jobs.

use mpit_job::slurm;

use super::{Time, number};
use crate::columns::rows;
use crate::job::Job;
use crate::picture::SHOWN;

rows! {
    /// The most important numbers of a job. Messages and bytes are those of the program's operations: kinds E, S, R and C.
    pub(crate) struct JobRow {
        pub(crate) fn of(job: &Job) {
            let fact = |key| job.about.iter().find(|fact| fact.key == key).map(|fact| fact.value.clone());
            let identity = job.identity.as_ref();
            let traffic = job.summary.total(&SHOWN);
            let time = Time::of(&job.summary);
            let of_time = |value: fn(&Time) -> f64| time.as_ref().map(value);
        }
        run: Option<String> = identity.map(|identity| identity.run.clone()),
        world: Option<String> = identity.map(|identity| identity.world.clone()),
        began: Option<String> = identity.map(|identity| identity.began.clone()),
        program: Option<String> = fact("program"),
        command: Option<String> = fact("command"),
        slurm_job: Option<String> = fact(slurm::JOB),
        mpi: Option<String> = fact("mpi"),
        mpit: Option<String> = fact("mpit"),
        size: u32 = job.size,
        present: u32 = job.present,
        recovered: u64 = job.recovered.len() as u64,
        nodes: u64 = job.nodes.names().len().max(job.summary.hosts.len()) as u64,
        messages: u64 = number(traffic.count),
        bytes: u64 = number(traffic.bytes),
        /// `None` if not all machines are known.
        bytes_between_nodes: Option<u64> = job.summary.bytes_by_nodes(&SHOWN).map(|[_, between]| number(between)),
        elapsed: Option<f64> = of_time(|time| time.elapsed.max),
        in_mpi_mean: Option<f64> = of_time(|time| time.in_mpi.mean),
        in_mpi_min: Option<f64> = of_time(|time| time.in_mpi.min),
        in_mpi_max: Option<f64> = of_time(|time| time.in_mpi.max),
        parallel_efficiency: Option<f64> = of_time(|time| time.parallel_efficiency.value),
        load_balance: Option<f64> = of_time(|time| time.load_balance.value),
        communication_efficiency: Option<f64> = of_time(|time| time.communication_efficiency.value),
    }
}
