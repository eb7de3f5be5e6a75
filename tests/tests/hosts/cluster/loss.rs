//! A host that is lost while a job runs.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

use mpit_tests::cluster::one_by_one;
use mpit_tests::{Context, Failure, Outcome};

use super::{RANKS, by_launcher, on_cluster, run_while, shape};

/// More laps than a job runs in its time limit.
const LAPS: &str = "1000000000";

/// Waits until all processes have stores, which are in a directory that all hosts share.
fn wait_for_stores(dir: &Path) -> Outcome {
    let end = Instant::now() + Duration::from_secs(100);
    loop {
        let stores = fs::read_dir(dir)
            .map(|files| {
                files
                    .flatten()
                    .filter(|file| file.path().extension().is_some_and(|end| end == "store"))
                    .count()
            })
            .unwrap_or_default();
        if stores == RANKS as usize {
            return Ok(());
        }
        Failure::unless(Instant::now() < end, || format!("{stores} stores in {}", dir.display()))?;
        thread::sleep(Duration::from_millis(20));
    }
}

/// All processes of a host are killed, also those of the launcher: the job ends, and the records of all ranks are recovered.
#[test]
fn records_of_a_killed_host_are_kept() -> Outcome {
    on_cluster(|cluster| {
        one_by_one(
            "cluster_killed",
            |stack| ["ompi4.1.4", "mpich5.0.2"].contains(&stack.label()),
            |stack| {
                cluster.up(&shape())?;
                let dir = stack.scratch("cluster_killed")?;
                let job = by_launcher(stack, cluster).arg(stack.compile("across_hosts")?).arg(LAPS);
                let job = job.under_mpit_with(&["--crash-safe", "--output", "prof/run"])?;
                let finished = run_while(cluster, job, &dir, || {
                    wait_for_stores(&dir.join("prof"))?;
                    cluster.kill("n3")
                })?;
                finished.expect(finished.code != Some(0) && finished.code != Some(124))?;
                finished.expect(
                    finished.stderr.contains("ended without MPI_Finalize: recovered up to the last call"),
                )?;
                super::records(&dir.join("prof/run")).map(drop).context(finished)
            },
        )
    })
}
