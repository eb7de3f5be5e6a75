//! Launchers on several hosts, with `mpit run` in front of them and behind them.

use std::path::Path;

use mpit_tests::cluster::{Cluster, jobs, one_by_one};
use mpit_tests::launch::mpit_line;
use mpit_tests::{Context, Failure, Finished, Job, Outcome, Prof, Stack, Vendor, record};

use crate::{names_in, report};

use super::{
    HOSTS, RANKS, by_launcher, by_srun, check, check_network, is_usable, on_cluster, on_each_family,
    on_each_of, records, run, sent,
};

const PROGRAM: &str = "across_hosts";

/// Returns the records of the program on one machine.
fn on_one_host(stack: &Stack, dir: &Path) -> Outcome<Vec<Prof>> {
    let job = Job::mpi(stack, RANKS).arg(stack.compile(PROGRAM)?).dir(dir);
    job.under_mpit_with(&["--quiet", "--output", "one/run"])?.succeed()?;
    records(&dir.join("one/run"))
}

/// Runs the program with `mpit run` in front of a launcher and behind it.
fn both_forms(
    cluster: &Cluster,
    stack: &Stack,
    dir: &Path,
    launcher: impl Fn() -> Job,
    expected: &[Prof],
) -> Outcome {
    let program = stack.compile(PROGRAM)?;
    let inside = mpit_line(&["run", "--output", "inside/run", "--"])?;
    let forms = [
        ("outside", launcher().arg(&program).under_mpit_with(&["--output", "outside/run"])?),
        ("inside", launcher().args(&inside).arg(&program)),
    ];
    for (form, job) in forms {
        let before = sent(cluster)?;
        let finished = run(cluster, job, dir)?;
        finished.expect(finished.code == Some(0)).context(form)?;
        let printed =
            (0..RANKS).all(|rank| finished.stdout.contains(&format!("rank {rank} of {RANKS} on n")));
        finished.expect(printed && !finished.stderr.contains("left no records")).context(form)?;
        if form == "outside" {
            finished.expect(finished.stderr.contains("mpit: 8 processes on 4 nodes"))?;
        }
        check(&dir.join(form).join("run"), expected).context(format!("{form}\n{finished}"))?;
        check_network(before, sent(cluster)?).context(form)?;
    }
    Ok(())
}

#[test]
fn all_ranks_are_recorded() -> Outcome {
    on_cluster(|cluster| {
        let no_slurm = cluster.without_slurm();
        if let Some(reason) = &no_slurm {
            record::not_run("srun", reason)?;
        }
        one_by_one("cluster", is_usable, |stack| {
            let dir = stack.scratch("cluster")?;
            let expected = on_one_host(stack, &dir)?;
            both_forms(cluster, stack, &dir, || by_launcher(stack, cluster), &expected)?;
            if no_slurm.is_some() || stack.is_open_mpi() {
                return Ok(());
            }
            let dir = stack.scratch("cluster_srun")?;
            both_forms(cluster, stack, &dir, || by_srun(stack), &expected).context("srun")
        })
    })
}

/// `mpit run` has the stores of its own machine only. With `--summary`, it prints the summary of all.
#[test]
fn summaries_have_all_machines() -> Outcome {
    on_each_family("cluster_summary", |cluster, stack, dir| {
        let job = || -> Outcome<Job> { Ok(by_launcher(stack, cluster).arg(stack.compile(PROGRAM)?)) };
        let finished = run(cluster, job()?.under_mpit_with(&["--summary", "sums/job"])?, dir)?;
        let printed = |finished: &Finished, text: &str| finished.stderr.contains(text);
        let all = format!("mpit: {RANKS} processes on {HOSTS} nodes, ");
        finished.expect(printed(&finished, &all) && !printed(&finished, "other machines"))?;
        finished.expect(dir.join("sums/job.summary").exists())?;
        let finished = run(cluster, job()?.under_mpit_with(&["--time", "all"])?, dir)?;
        let own = format!("mpit: {} of {RANKS} processes on 1 node, ", RANKS / HOSTS);
        finished.expect(printed(&finished, &own) && printed(&finished, "with --summary STEM"))
    })
}

/// Behind the launcher, the processes of each node write its part of the tables.
#[test]
fn nodes_write_their_parts() -> Outcome {
    on_each_family("cluster_tables", |cluster, stack, dir| {
        on_one_host(stack, dir)?;
        let line = mpit_line(&["run", "--output", "tables/run", "--tables", "--"])?;
        let job = by_launcher(stack, cluster).args(line).arg(stack.compile(PROGRAM)?);
        let finished = run(cluster, job, dir)?;
        finished.expect(finished.code == Some(0))?;
        finished.expect(finished.stderr.contains("wrote tables/run.tables"))?;
        finished.expect(names_in(&dir.join("tables"))? == ["run.tables"])?;
        let parts = names_in(&dir.join("tables/run.tables"))?;
        let hosts = (1..=HOSTS).map(|host| format!("n{host}.2"));
        let all: Vec<_> = ["job.json".into(), "manifest.json".into()].into_iter().chain(hosts).collect();
        finished.expect(parts == all).context(format!("{parts:?}"))?;
        let pairs = |records: &str| -> Outcome<String> {
            let finished = report(dir, &[records, "--format", "csv", "--output", "csv"])?;
            finished.expect(finished.stdout.contains("8 of 8 processes"))?;
            std::fs::read_to_string(dir.join("csv/run_pairs.csv")).context("run_pairs.csv")
        };
        let (found, expected) = (pairs("tables")?, pairs("one/run")?);
        finished.expect(found == expected).context(format!("{found}\n{expected}"))
    })
}

#[test]
fn restricted_environment_is_extended() -> Outcome {
    on_each_of(
        "cluster_restricted",
        |stack| stack.label() == "mpich5.0.2",
        |cluster, stack, dir| {
            let expected = on_one_host(stack, dir)?;
            let program = stack.compile(PROGRAM)?;
            let mut jobs =
                vec![("hydra", by_launcher(stack, cluster).args(["-genvlist", "PATH"]).arg(&program))];
            if cluster.without_slurm().is_none() {
                jobs.push(("option", by_srun(stack).arg("--export=NONE").arg(&program)));
                jobs.push(("variable", by_srun(stack).arg(&program).env("SLURM_EXPORT_ENV", "NONE")));
            }
            for (name, job) in jobs {
                let job = job.under_mpit_with(&["--verbose", "--output", &format!("{name}/run")])?;
                let finished = run(cluster, job, dir)?;
                finished.expect(finished.code == Some(0)).context(name)?;
                finished
                    .expect(finished.stderr.contains("LD_PRELOAD,ASAN_OPTIONS,MPIT_SET,MPIT_RUN"))
                    .context(name)?;
                check(&dir.join(name).join("run"), &expected).context(format!("{name}\n{finished}"))?;
            }
            Ok(())
        },
    )
}

/// A script keeps the launcher from `mpit run`, which then cannot change its command line.
#[test]
fn ranks_that_are_not_recorded_are_named() -> Outcome {
    on_each_of(
        "cluster_missing",
        |stack| stack.vendor() == Vendor::OpenMpi,
        |cluster, stack, dir| {
            let words = by_launcher(stack, cluster).arg(stack.compile(PROGRAM)?).line();
            let script = words.join(" ");
            let job = jobs::across_network(stack).args(["sh", "-c", &script]);
            let finished = run(cluster, job.under_mpit_with(&["--output", "prof/run"])?, dir)?;
            finished.expect(finished.code == Some(0))?;
            let stderr = &finished.stderr;
            finished.expect(stderr.contains("mpit: ranks 2-7 of 8 left no records, unlike those on n1: "))?;
            finished.expect(stderr.contains("mpit run --output ") && stderr.contains("Open MPI: -x NAME"))?;
            let second = dir.join("prof/run.2.prof");
            Failure::unless(!second.exists(), || format!("{} exists", second.display()))
        },
    )
}
