//! Jobs on a cluster, started on its first host.

use std::path::Path;

use super::Cluster;
use crate::{Finished, Job, Outcome, Stack, Vendor};

/// Returns the options by which a launcher starts processes on other hosts without `ssh`.
pub fn agent_options(stack: &Stack, cluster: &Cluster) -> Vec<String> {
    let agent = cluster.agent().display().to_string();
    let words: &[&str] = match (stack.vendor(), stack.label()) {
        (Vendor::OpenMpi, "ompi4.1.4") => &["--mca", "plm_rsh_agent", &agent],
        (Vendor::OpenMpi, _) => &["--prtemca", "plm_ssh_agent", &agent],
        _ => &["-launcher", "ssh", "-launcher-exec", &agent],
    };
    words.iter().map(ToString::to_string).collect()
}

/// Returns the option with the hosts n1, n2 and so on that have `ranks` processes, `each` on one.
fn host_options(stack: &Stack, ranks: u32, each: u32) -> Vec<String> {
    let names = (1..=ranks.div_ceil(each)).map(|host| format!("n{host}"));
    if stack.is_open_mpi() {
        // Hosts have as many slots as they get ranks. With `--oversubscribe`, Open MPI 5 starts all ranks on the first one.
        let slots: Vec<_> = names.map(|name| format!("{name}:{each}")).collect();
        vec!["--host".into(), slots.join(",")]
    } else {
        vec!["-hosts".into(), names.collect::<Vec<_>>().join(","), "-ppn".into(), each.to_string()]
    }
}

/// Returns the job of a launcher with `each` processes on a host; the program is added by [`Job::arg`].
pub fn by_launcher(stack: &Stack, cluster: &Cluster, ranks: u32, each: u32) -> Job {
    let line = stack.mpiexec(ranks).into_iter().filter(|word| word != "--oversubscribe").collect::<Vec<_>>();
    let job = across_network(stack).arg(&line[0]).args(agent_options(stack, cluster));
    job.args(host_options(stack, ranks, each)).args(&line[1..])
}

/// Returns the job of a launcher with the arguments that `mpit map` prints. Those of Hydra have the hosts.
pub fn by_placement(stack: &Stack, cluster: &Cluster, ranks: u32, each: u32, arguments: &str) -> Job {
    let job = across_network(stack).arg(&stack.mpiexec(ranks)[0]).args(agent_options(stack, cluster));
    let job = if stack.is_open_mpi() { job.args(host_options(stack, ranks, each)) } else { job };
    job.args(arguments.split_whitespace())
}

/// Returns an empty command in an environment in which the MPI library sends over the network.
pub fn across_network(stack: &Stack) -> Job {
    let job = Job::alone(stack).seconds(120);
    match stack.vendor() {
        Vendor::Intel => job.env("I_MPI_FABRICS", "shm:ofi"),
        // Ranks that wait without a pause keep the daemons of Open MPI 5 from the processor: 24 seconds for a job instead of 6.
        Vendor::OpenMpi => job.env("OMPI_MCA_mpi_yield_when_idle", "1"),
        // With all transports of UCX, MPICH 5 with the standard ABI fails in MPI_Init under Slurm's PMI2 on some machines when mpit is loaded,
        // and not without it. The cause is not known.
        Vendor::Mpich => job.env("UCX_TLS", "tcp,self,posix"),
    }
}

/// Runs a job on the first host, and a function after its start.
pub fn run_while(
    cluster: &Cluster,
    job: Job,
    dir: &Path,
    meanwhile: impl FnOnce() -> Outcome,
) -> Outcome<Finished> {
    let first = cluster.on("n1")?;
    let words: Vec<&str> = first.iter().map(String::as_str).collect();
    job.dir(dir).within(&words).finish_with_files(dir, meanwhile)
}
