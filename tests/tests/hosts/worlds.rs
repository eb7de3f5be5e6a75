//! Several jobs with one file name: spawned jobs, steps of a job script, earlier runs. Each keeps its files,
//! and no report mixes them.

use std::{fs, path::Path};

use mpit_tests::{Context, Failure, Job, Outcome, Prof};

use crate::{
    equal, for_each_in_dir, names_in, on_each_family_in_dir, on_each_in_dir, report,
    unusual_messages::spawns, written_to, written_with,
};

/// Returns the number of messages that a rank sent to the next one of `size`.
fn sent(stem: &Path, rank: u32, size: u32) -> Outcome<u64> {
    let prof = Prof::read(stem, rank)?;
    Ok(prof.rows('E').get(&((rank + 1) % size)).map_or(0, |row| row.messages))
}

/// Checks that each process of a job of `size` sent `wanted` messages.
fn all_sent(dir: &Path, stem: &str, size: u32, wanted: u64) -> Outcome {
    for rank in 0..size {
        equal(format!("{stem}: messages of rank {rank}"), &sent(&dir.join(stem), rank, size)?, &wanted)?;
    }
    Ok(())
}

#[test]
fn spawned_processes_have_own_files() -> Outcome {
    for_each_in_dir("worlds_spawned", spawns, |stack, dir| {
        let program = stack.compile("worlds")?;
        let job = || Job::mpi(stack, 2).arg(&program).args(["5", "spawn"]).dir(dir);
        job().under_mpit(&written_to("run"))?.succeed()?;
        all_sent(dir, "run", 2, 5)?;
        all_sent(dir, "run.w2", 2, 3)?;
        let shown = report(dir, &["run"])?;
        shown.expect(shown.code == Some(0) && shown.stdout.matches("2 of 2 processes").count() == 2)?;
        // With one file for each job, and with stores, which exist at the same time.
        let settings = written_with("all", &[("monitoring_container", "1"), ("monitoring_store", "file")]);
        let finished = job().under_mpit(&settings)?.succeed()?;
        let shown = report(dir, &["all"])?;
        let both = shown.stdout.contains("all: 2 of 2 processes")
            && shown.stdout.contains("all.w2: 2 of 2 processes");
        Failure::unless(shown.code == Some(0) && both, || format!("{shown}\n{finished}"))?;
        let expected =
            ["all.prof", "all.w2.prof", "run.0.prof", "run.1.prof", "run.w2.0.prof", "run.w2.1.prof"];
        let names = names_in(dir)?;
        Failure::unless(names == expected, || format!("{names:?}"))
    })
}

#[test]
fn steps_and_earlier_runs_are_not_mixed() -> Outcome {
    on_each_in_dir("worlds_steps", |stack, dir| {
        let program = stack.compile("worlds")?.display().to_string();
        let earlier = |stem: &str| {
            let path = dir.join(format!("{stem}.3.prof"));
            let text = "# POINT TO POINT\nE\t3\t0\t4 bytes\t1 msgs sent\t0,0,0,1".to_owned()
                + &",0".repeat(62)
                + "\n# OSC\n# COLLECTIVES\n";
            fs::write(&path, text).context(path.display())
        };
        earlier("run")?;
        let line = "# MPIT SUMMARY\t1\tr-0\tw\t2 ranks\t2026-11-22T08:15:00.123Z\tn1\n";
        for name in ["run.summary", "run.w3.summary"] {
            fs::write(dir.join(name), line).context(name)?;
        }
        // Two steps of a job script.
        let step = |ranks: u32| stack.mpiexec(ranks).join(" ");
        let script = format!("{} {program} 1 && {} {program} 2", step(3), step(1));
        let options = ["--quiet", "--output", "run", "--summary", "run"];
        Job::alone(stack).args(["sh", "-c", &script]).dir(dir).under_mpit_with(&options)?.succeed()?;
        all_sent(dir, "run", 3, 1)?;
        all_sent(dir, "run.w2", 1, 2)?;
        let shown = report(dir, &["run"])?;
        shown.expect_printed("run: 3 of 3 processes")?;
        shown.expect_printed("run.w2: 1 of 1 processes")?;
        let files =
            ["run.0.prof", "run.1.prof", "run.2.prof", "run.summary", "run.w2.0.prof", "run.w2.summary"]
                .map(str::to_owned);
        let summary = fs::read_to_string(dir.join("run.summary")).context("run.summary")?;
        Failure::unless(!summary.starts_with(line), || summary)?;
        equal("files", &names_in(dir)?[..], &files)?;
        // One of them does not hide the other.
        let shown = report(dir, &["run.w2"])?;
        shown
            .expect(shown.stderr.contains("run.w2 is one of several worlds of its run; not shown: run. "))?;
        // A run that writes nothing leaves them.
        let typo = Job::mpi(stack, 2).arg("./no-such-program").dir(dir);
        let refused = typo.under_mpit_with(&["--output", "run"])?.finish()?;
        refused
            .expect(refused.code != Some(0) && refused.stderr.contains("; those of an earlier run stay; "))?;
        equal("files", &names_in(dir)?[..], &files)?;
        // Without `mpit run`, earlier files are not removed; then the report distinguishes the two.
        earlier("alone")?;
        let job = Job::mpi(stack, 2).args([&program, "4"]).dir(dir);
        job.preloaded_with(&written_to("alone"))?.succeed()?;
        all_sent(dir, "alone", 2, 4)?;
        let shown = report(dir, &["alone"])?;
        shown.expect_printed("alone: 2 of 2 processes")?;
        shown.expect_printed("alone (an earlier run): 1 of 4 processes")
    })
}

/// Tests that a batch system's limit on file sizes (`ulimit -f`) does not end a program, and that a FIFO in
/// place of a file does not block one.
#[test]
fn limits_and_fifos_do_not_stop_a_program() -> Outcome {
    on_each_family_in_dir("worlds_limits", |stack, dir| {
        let program = stack.compile("limits")?;
        for name in ["run.0.store", "run.0.prof"] {
            Job::plain(&["mkfifo", name]).dir(dir).succeed()?;
        }
        let settings = written_with("run", &[("monitoring_store", "file")]);
        let job = Job::mpi(stack, 1).arg(&program).args(["1000", "1000"]).dir(dir).seconds(120);
        let finished = job.under_mpit(&settings)?.succeed()?;
        let reported = ["later records are in memory only", "run.0.prof: File too large"];
        finished.expect(reported.iter().all(|line| finished.stderr.contains(line)))?;
        // The limit applied to the program only.
        let recovered = finished.stderr.contains("rank 0 could not write in MPI_Finalize: recovered");
        finished.expect(recovered && sent(&dir.join("run"), 0, 1)? == 1)?;
        Job::plain(&["mkfifo", "run.1.store"]).dir(dir).succeed()?;
        let shown = report(dir, &["."])?;
        let named = shown.stderr.contains("run.1.store: cannot read: it is no regular file");
        shown.expect(shown.stdout.contains("run: 1 of 1 processes") && named)
    })
}

/// Tests a common file that rank 0 cannot write: every process keeps its data until another file contains
/// them.
#[test]
fn a_failed_single_file_costs_no_data() -> Outcome {
    on_each_family_in_dir("worlds_full", |stack, dir| {
        let program = stack.compile("limits")?;
        let settings = written_with("run", &[("monitoring_store", "file"), ("monitoring_container", "1")]);
        let job = Job::mpi(stack, 2).arg(&program).args(["100000000", "1000", "0"]).dir(dir).seconds(120);
        let finished = job.under_mpit(&settings)?.succeed()?;
        let reported = finished.stderr.contains("rank 0 could not write in MPI_Finalize: recovered")
            && !finished.stderr.contains("without MPI_Finalize");
        let shown = report(dir, &["run"])?;
        Failure::unless(reported && shown.stdout.contains("run: 2 of 2 processes"), || {
            format!("{finished}{shown}")
        })
    })
}
