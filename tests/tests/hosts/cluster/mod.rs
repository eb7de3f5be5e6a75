//! Jobs on several hosts, which are network namespaces of this machine. Where these cannot be created, the summary of the tests has the
//! reason.

mod launchers;
mod loss;
mod placement;
mod slurm;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use mpit_tests::cluster::{Cluster, Session, Shape, jobs, one_by_one};
use mpit_tests::{Context, Failure, Finished, Job, Outcome, Prof, Stack, record};

use crate::equal;

const HOSTS: u32 = 4;
const RANKS: u32 = 8;

/// The library that is left out: with UCX over TCP, most jobs on several hosts do not return from `MPI_Finalize`, also without mpit.
const HANGS: &str = "mpich4.0.2";

fn is_usable(stack: &Stack) -> bool {
    stack.label() != HANGS
}

fn shape() -> Shape {
    Shape { hosts: HOSTS as u8, latency: None, bandwidth: None }
}

/// Runs a test on a cluster of [`HOSTS`] hosts.
fn on_cluster(test: impl FnOnce(&Cluster) -> Outcome) -> Outcome {
    let Some(session) = Session::start(&shape())? else { return Ok(()) };
    record::not_run(
        "cluster",
        &format!("{HANGS}: its jobs on several hosts hang in MPI_Finalize, also without mpit"),
    )?;
    test(session.cluster())
}

/// Runs a test on a cluster, on each library that `applies` accepts, one after the other.
fn on_each_of(
    test: &str,
    applies: impl Fn(&Stack) -> bool,
    run: impl Fn(&Cluster, &Stack, &Path) -> Outcome + Sync,
) -> Outcome {
    on_cluster(|cluster| one_by_one(test, applies, |stack| run(cluster, stack, &stack.scratch(test)?)))
}

/// Runs a test as [`on_each_of`] does, on a library of each family.
fn on_each_family(test: &str, run: impl Fn(&Cluster, &Stack, &Path) -> Outcome + Sync) -> Outcome {
    on_each_of(test, |stack| ["ompi4.1.4", "mpich5.0.2"].contains(&stack.label()), run)
}

/// Returns the job of a launcher on all hosts; the program is added by [`Job::arg`]. It is started on the first host.
fn by_launcher(stack: &Stack, cluster: &Cluster) -> Job {
    jobs::by_launcher(stack, cluster, RANKS, RANKS / HOSTS)
}

/// Returns the job of `srun` on all hosts.
fn by_srun(stack: &Stack) -> Job {
    let (nodes, ranks, each) = (HOSTS.to_string(), RANKS.to_string(), (RANKS / HOSTS).to_string());
    jobs::across_network(stack).args(["srun", "-N", &nodes, "-n", &ranks, "--ntasks-per-node", &each])
}

/// Runs a job on the first host.
fn run(cluster: &Cluster, job: Job, dir: &Path) -> Outcome<Finished> {
    jobs::run_while(cluster, job, dir, || Ok(()))
}

/// Waits until a job has come to a state that `what` names in a failure.
fn wait_until(what: &str, is_there: impl Fn() -> bool) -> Outcome {
    let end = Instant::now() + Duration::from_secs(100);
    while !is_there() {
        Failure::unless(Instant::now() < end, || format!("waited in vain for {what}"))?;
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// The machine in the first line of the file of a rank.
fn host_of(stem: &Path, rank: u32) -> Outcome<String> {
    let path = PathBuf::from(format!("{}.{rank}.prof", stem.display()));
    let text = std::fs::read_to_string(&path).context(path.display())?;
    Ok(text.lines().next().and_then(|line| line.split('\t').nth(5)).unwrap_or_default().to_owned())
}

/// Checks that all ranks left records on the right hosts, and that these equal those of a job on one machine.
fn check(stem: &Path, expected: &[Prof]) -> Outcome {
    let profs = records(stem)?;
    for (rank, (prof, expected)) in (0..).zip(profs.iter().zip(expected)) {
        equal(format!("rank {rank}"), prof, expected)?;
        let host = format!("n{}", 1 + rank / (RANKS / HOSTS));
        equal(format!("machine of rank {rank}"), &host_of(stem, rank)?, &host)?;
    }
    Ok(())
}

fn records(stem: &Path) -> Outcome<Vec<Prof>> {
    Ok(crate::read_all(stem, RANKS)?.into_iter().map(Prof::without_times).collect())
}

/// Returns the bytes that all hosts have sent.
fn sent(cluster: &Cluster) -> Outcome<u64> {
    (1..=HOSTS).map(|host| cluster.sent(&format!("n{host}"))).sum()
}

/// Fails unless each host sent a message of [`across_hosts.c`](../../hosts/c/across_hosts.c) to the next one, over the network.
fn check_network(before: u64, after: u64) -> Outcome {
    let bytes = after - before;
    Failure::unless(bytes >= u64::from(HOSTS) << 20, || {
        format!("the hosts sent only {bytes} bytes over the network")
    })
}
