//! Times and counts whose records are at risk: of freed communicators, of pauses, of running processes, beside those of another run, and in
//! damaged files.

use std::fs::{self, File};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Prof, Stack};

use crate::{equal, on_each_family_in_dir, read_all, report, written_with};

const RANKS: u32 = 2;

const IN_FILES: (&str, &str) = ("monitoring_store", "file");

/// The time that processes have for an end that nothing delays.
const TIME_LIMIT: Duration = Duration::from_secs(60);

fn job(stack: &Stack, mode: &str, dir: &Path) -> Outcome<Job> {
    Ok(Job::mpi(stack, RANKS).arg(stack.compile("timed_records")?).arg(mode).dir(dir))
}

/// Returns the number of calls, and their nanoseconds.
fn calls(prof: &Prof, name: &str, comm: &str) -> (u64, u64) {
    let rows = prof.calls.iter().filter(|row| row.call.name == name && &*row.comm == comm);
    rows.fold((0, 0), |(count, ns), row| (count + row.count, ns + row.ns))
}

/// Tests communicators of which nothing is read until the end of the program, after their memory and handles are used again.
#[test]
fn freed_communicators_keep_their_times() -> Outcome {
    on_each_family_in_dir("times_freed", |stack, dir| {
        for options in [&[][..], &["--output", "run"], &["--output", "stored", "--crash-safe"]] {
            let finished = job(stack, "freed", dir)?.under_mpit_with(options)?.succeed()?;
            let has = |text: &str| finished.stderr.lines().any(|line| line.starts_with(text));
            finished.expect(has("mpit: 2 processes on 1 node, ") && has("mpit: MPI_Allreduce "))?;
            finished.expect(has("mpit: 40 messages, 640 B"))?;
        }
        for stem in ["run", "stored"] {
            for prof in read_all(&dir.join(stem), RANKS)? {
                for (name, comm, count) in [("Allreduce", "work", 20), ("Sendrecv", "talk", 20)] {
                    let (got, ns) = calls(&prof, name, comm);
                    Failure::unless(got == count && ns > 0, || {
                        format!("{stem}: {got} calls of {name} on {comm}, {ns} ns: {:?}", prof.calls)
                    })?;
                }
                let work = prof.communicators.iter().find(|comm| comm.name == "work");
                equal("operations on work", &work.map(|comm| comm.collectives[2].count), &Some(20))?;
            }
        }
        Ok(())
    })
}

/// Tests that the times and counts of a pause are missing, and no others. The program measures the calls outside of the pause, and its
/// rank 1 waits for 300 ms in the pause.
#[test]
fn pauses_have_no_times() -> Outcome {
    on_each_family_in_dir("times_paused", |stack, dir| {
        for time in ["blocking", "all"] {
            let settings = written_with("run", &[("monitoring_time", time)]);
            let finished = job(stack, "paused", dir)?.under_mpit(&settings)?.succeed()?;
            for (rank, prof) in (0..).zip(read_all(&dir.join("run"), RANKS)?) {
                let world = "MPI_COMM_WORLD";
                let (count, ns) = calls(&prof, "Barrier", world);
                let wanted = measured(&finished, rank)?;
                Failure::unless(count == 5 && ns > 0 && ns <= wanted, || {
                    format!("{time}, rank {rank}: {count} barriers, {ns} ns, should be 5, {wanted} ns")
                })?;
                equal("calls in the pause", &calls(&prof, "Allreduce", world), &(0, 0))?;
                equal("exchanges", &calls(&prof, "Sendrecv", world).0, &1)?;
                equal("messages", &prof.sent()[..], &[(1 - rank, 1, 16)])?;
                let sampled: usize = prof.late.iter().map(|row| row.operations.len()).sum();
                equal("samples", &sampled, &5)?;
            }
        }
        Ok(())
    })
}

/// Returns the nanoseconds that the program measured.
fn measured(finished: &Finished, rank: u32) -> Outcome<u64> {
    let start = format!("call {rank} Barrier ");
    let ns = finished.stdout.lines().find_map(|line| line.strip_prefix(&start)?.parse().ok());
    ns.context(finished)
}

/// Runs the program under a shell that ends before it, under `mpit run`. The processes end when the file `go` exists.
#[test]
fn running_processes_have_times_so_far() -> Outcome {
    on_each_family_in_dir("times_running", |stack, dir| {
        let line = Job::mpi(stack, RANKS).arg(stack.compile("timed_records")?).arg("alive").line().join(" ");
        let script = format!(
            "timeout -k 5 120 {line} >ended 2>&1 & until [ -e ready.0 ] && [ -e ready.1 ]; do sleep 0.02; done"
        );
        let shell = Job::alone(stack).args(["sh", "-c", &script]).dir(dir).seconds(100);
        let result = shell
            .under_mpit_with(&["--output", "run", "--crash-safe"])?
            .finish()
            .and_then(|finished| are_reported_so_far(&finished, dir));
        // Without this file, the processes would run for a minute.
        File::create(dir.join("go")).context("go")?;
        result?;
        let until = Instant::now() + TIME_LIMIT * mpit_tests::launch::slowness();
        while (0..RANKS).any(|rank| !dir.join(format!("run.{rank}.prof")).exists()) {
            Failure::unless(Instant::now() < until, || "the processes do not end".into())?;
            thread::sleep(Duration::from_millis(10));
        }
        for prof in read_all(&dir.join("run"), RANKS)? {
            equal("barriers at the end", &calls(&prof, "Barrier", "MPI_COMM_WORLD").0, &4)?;
        }
        Ok(())
    })
}

fn are_reported_so_far(finished: &Finished, dir: &Path) -> Outcome {
    finished.expect(finished.code == Some(0))?;
    let shown = report(dir, &["run"])?;
    for rank in 0..RANKS {
        finished.expect(finished.stderr.contains(&format!(
            "run.{rank}.store: its process is still running; `mpit report` reads its records so far"
        )))?;
        let note = format!("rank {rank} is still running: records so far, from ./run.{rank}.store");
        shown.expect(shown.stderr.contains(&note))?;
    }
    shown.expect(shown.code == Some(0) && !shown.stderr.contains("ended without MPI_Finalize"))?;
    shown.expect_printed("2 of 2 processes")?;
    shown.expect_printed("MPI_Barrier")
}

/// Leaves the stores of killed processes.
fn leave_stores(stack: &Stack, stem: &str, dir: &Path) -> Outcome {
    let job = Job::mpi(stack, 4).arg(stack.compile("killed")?).arg("kill").dir(dir).seconds(120);
    let finished =
        job.preloaded_with(&written_with(stem, &[IN_FILES, ("monitoring_time", "blocking")]))?.finish()?;
    for rank in 0..4 {
        finished.expect(dir.join(format!("{stem}.{rank}.store")).exists())?;
    }
    Ok(())
}

/// Tests a run whose stem has stores of an earlier, larger one.
#[test]
fn stores_of_other_runs_are_not_mixed() -> Outcome {
    on_each_family_in_dir("times_other_run", |stack, dir| {
        leave_stores(stack, "run", dir)?;
        let options = ["--output", "run", "--crash-safe"];
        let finished = job(stack, "freed", dir)?.under_mpit_with(&options)?.succeed()?;
        for rank in [2, 3] {
            let line = format!("run.{rank}.store is of an earlier run; `mpit report` reads it");
            finished.expect(finished.stderr.contains(&line))?;
        }
        // The messages of this run alone.
        finished.expect(finished.stderr.contains("mpit: 2 processes on 1 node, "))?;
        finished.expect(finished.stderr.contains("mpit: 40 messages, 640 B"))?;
        let shown = report(dir, &["run"])?;
        shown.expect(shown.stderr.contains("ranks 2-3 ended without MPI_Finalize"))?;
        let (new, earlier) = shown.stdout.split_once("(an earlier run, of ").context(&shown)?;
        shown.expect(new.contains("run: 2 of 2 processes") && new.contains("work"))?;
        shown.expect(earlier.contains("2 of 4 processes") && !earlier.contains("work"))
    })
}

/// Tests files that were cut at any place, in a report and at the end of a run.
#[test]
fn cut_stores_leave_the_others() -> Outcome {
    on_each_family_in_dir("times_cut", |stack, dir| {
        leave_stores(stack, "run", dir)?;
        let path = dir.join("run.1.store");
        let whole = fs::read(&path).context(path.display())?;
        // The rest of the file is for records to come.
        let used = whole.iter().rposition(|byte| *byte != 0).context("empty")?;
        for length in [0, 40, 64, 100, 4096, used] {
            fs::write(&path, &whole[..length]).context(path.display())?;
            let shown = report(dir, &["run"])?;
            // With the header, the records before the cut are used.
            let (problem, processes) = match length {
                0 | 40 => ("run.1.store: byte ", "3 of 4 processes"),
                _ => ("run.1.store: the file was cut off: ", "run: 4 of 4 processes"),
            };
            shown.expect(shown.code == Some(1) && shown.stderr.contains(problem))?;
            shown.expect_printed(processes)?;
            shown.expect_printed("Calls: the time of all ranks")?;
        }
        // The command itself damages the file after the end of the job.
        let line = Job::mpi(stack, 4).arg(stack.compile("killed")?).arg("kill").line().join(" ");
        let script = format!("{line}; head -c 100 new.1.store > cut; cp cut new.1.store");
        let shell = Job::alone(stack).args(["sh", "-c", &script]).dir(dir).seconds(120);
        let finished = shell.under_mpit_with(&["--output", "new", "--crash-safe"])?.finish()?;
        finished.expect(finished.stderr.contains("new.1.store: the file was cut off: "))?;
        finished
            .expect(finished.stderr.contains("mpit: ranks 0,2-3 ended without MPI_Finalize: recovered"))?;
        let shown = report(dir, &["new"])?;
        shown
            .expect(shown.code == Some(1) && shown.stderr.contains("new.1.store: the file was cut off: "))?;
        shown.expect_printed("new: 4 of 4 processes")
    })
}
