//! A host that is lost while a job runs.

use std::fs;
use std::path::Path;
use std::time::Instant;

use mpit_tests::cluster::jobs::run_while;
use mpit_tests::{Context, Failure, Job, Outcome};

use super::{RANKS, by_launcher, on_each_family, shape, wait_until};

/// More laps than a job runs in its time limit.
const LAPS: &str = "1000000000";

/// Waits until all processes have stores, which are in a directory that all hosts share.
fn wait_for_stores(dir: &Path) -> Outcome {
    let stores = || {
        fs::read_dir(dir)
            .map(|files| {
                files
                    .flatten()
                    .filter(|file| file.path().extension().is_some_and(|end| end == "store"))
                    .count()
            })
            .unwrap_or_default()
    };
    wait_until(&format!("{RANKS} stores in {}", dir.display()), || stores() == RANKS as usize)
}

/// All processes of a host are killed, also those of the launcher: the job ends, and the records of all ranks are recovered.
#[test]
fn records_of_a_killed_host_are_kept() -> Outcome {
    on_each_family("cluster_killed", |cluster, stack, dir| {
        cluster.up(&shape())?;
        let job = by_launcher(stack, cluster).arg(stack.compile("across_hosts")?).arg(LAPS);
        let job = job.under_mpit_with(&["--crash-safe", "--output", "prof/run"])?;
        let finished = run_while(cluster, job, dir, || {
            wait_for_stores(&dir.join("prof"))?;
            cluster.kill("n3")
        })?;
        finished.expect(finished.code != Some(0) && finished.code != Some(124))?;
        finished
            .expect(finished.stderr.contains("ended without MPI_Finalize: recovered up to the last call"))?;
        super::records(&dir.join("prof/run")).map(drop).context(finished)
    })
}

/// The time limit of a job whose link is cut, in seconds: `timeout` ends the launcher, and kills it 5 seconds later.
const TIME_LIMIT: &str = "20";

/// The link of a host is cut: the job does not notice, and its time limit ends it. All ranks are then in the report, those on the host that cannot
/// be reached as well.
#[test]
fn records_behind_a_cut_link_are_shown() -> Outcome {
    on_each_family("cluster_cut", |cluster, stack, dir| {
        cluster.up(&shape())?;
        let job = by_launcher(stack, cluster).arg(stack.compile("across_hosts")?).arg(LAPS);
        let job = job.within(&["timeout", "-k", "5", TIME_LIMIT]);
        let job = job.under_mpit_with(&["--crash-safe", "--output", "prof/run"])?;
        let begin = Instant::now();
        let finished = run_while(cluster, job, dir, || {
            wait_for_stores(&dir.join("prof"))?;
            cluster.set_link("n3", false)
        });
        let elapsed = begin.elapsed();
        let report = Job::mpit(&["report", "prof"])?.dir(dir).finish();
        // Its processes do not notice the end of the job, and go on.
        cluster.kill("n3")?;
        let (finished, report) = (finished?, report?);
        // 120 seconds are the limit of `mpit run` itself.
        // A launcher may wait for the lost host, and is killed then.
        let is_ended = finished.code.is_none_or(|code| [124, 137].contains(&code));
        finished.expect(is_ended && elapsed.as_secs() < 100)?;
        let is_shown = report.stdout.contains("prof/run: 8 of 8 processes");
        Failure::unless(is_shown, || format!("{finished}{report}"))?;
        // Either the process on the lost host is still there, or its records are recovered like those of the others.
        let names_the_rest = (4..6).all(|rank| {
            finished.stderr.contains(&format!("prof/run.{rank}.store: its process is still running"))
                || dir.join(format!("prof/run.{rank}.prof")).exists()
        });
        Failure::unless(names_the_rest, || format!("{finished}{report}"))?;
        finished.expect(finished.stderr.contains("ended without MPI_Finalize: recovered"))
    })
}
