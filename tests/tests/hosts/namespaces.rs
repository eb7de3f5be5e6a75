//! Ranks in namespaces of their own, as in containers: each is process 1 there, and does not see the launcher.

use std::fs;

use mpit_tests::{Context, Failure, Job, Outcome, Stack};
use serde_json::Value;

use crate::why::{Running, end_of_line, program_in};
use crate::{equal, for_each_in_dir, on_in_dir, read_all, report};

const RANKS: u32 = 3;

/// The command that gives the rest of its line namespaces of its own. That of the user stays the one in which processes may read each
/// other.
const OWN: [&str; 6] = ["unshare", "--pid", "--fork", "--mount-proc", "--uts", "--ipc"];

/// A namespace of the user as well.
const USER: [&str; 2] = ["--user", "--map-root-user"];

/// The script that gives the rest of its line directories in memory of its own.
const MEMORY: &str = "mount -t tmpfs -o mode=1777 own /dev/shm && exec \"$@\"";

/// Returns the reason why there are no namespaces here.
fn obstacle() -> Outcome<Option<String>> {
    let tried = Job::plain(&[&OWN[..], &USER, &["true"]].concat()).finish()?;
    Ok(if tried.code == Some(0) { None } else { Some(format!("no namespaces: {}", tried.stderr)) })
}

/// UCX takes processes of equal numbers for one, and fails with some numbers of ranks. MPICH 4 has nothing else.
fn applies(stack: &Stack) -> bool {
    stack.label() != "mpich4.0.2"
}

/// A library of each family, for what depends on mpit alone.
const FAMILIES: [&str; 2] = ["ompi4.1.4", "mpich5.0.2"];

/// The variable by which MPICH 5 does without UCX.
const WITHOUT_UCX: (&str, &str) = ("MPIR_CVAR_CH4_NETMOD", "ofi");

/// Returns a job whose ranks are in namespaces of their own.
fn job(stack: &Stack, ranks: u32, more: &[&str]) -> Job {
    let job = Job::mpi(stack, ranks);
    // The names of Open MPI's shared memory have numbers of processes, so ranks with equal ones crash.
    let job = if stack.is_open_mpi() { job.args(["--mca", "btl", "tcp,self"]) } else { job };
    job.env(WITHOUT_UCX.0, WITHOUT_UCX.1).args(OWN).args(more)
}

#[test]
fn steps_in_namespaces_are_not_mixed() -> Outcome {
    if let Some(why) = obstacle()? {
        return mpit_tests::record::not_run("namespaces", &why);
    }
    for_each_in_dir("namespaces", applies, |stack, dir| {
        let program = stack.compile("worlds")?;
        // Of equal size, so that the second step has a rank for each file of the first one.
        let step = |messages: &str, more: &[&str]| {
            job(stack, RANKS, more).arg(&program).arg(messages).line().join(" ")
        };
        let script = format!("{} && {}", step("1", &[]), step("2", &USER));
        let steps = Job::alone(stack).env(WITHOUT_UCX.0, WITHOUT_UCX.1).args(["sh", "-c", &script]).dir(dir);
        let finished = steps.under_mpit_with(&["--output", "run"])?.succeed()?;
        for (stem, messages) in [("run", 1), ("run.w2", 2)] {
            for (rank, prof) in (0..).zip(read_all(&dir.join(stem), RANKS)?) {
                let sent = prof.rows('E').get(&((rank + 1) % RANKS)).map_or(0, |row| row.messages);
                equal(format!("{stem}: messages of rank {rank}"), &sent, &messages)?;
            }
        }
        for line in ["world 1: 3 processes on 1 node, ", "world 2: 3 processes on 1 node, "] {
            finished.expect(finished.stderr.contains(line))?;
        }
        finished.expect(!finished.stderr.contains("without records"))?;
        let shown = report(dir, &["run"])?;
        shown.expect(shown.stdout.matches(": 3 of 3 processes").count() == 2)?;
        let examined = Job::mpit(&["doctor", "--"])?.on(stack).env(WITHOUT_UCX.0, WITHOUT_UCX.1);
        let examined = examined.args(job(stack, RANKS, &[]).line());
        let examined = examined.arg(&program).dir(dir).succeed()?;
        examined.expect_printed("ranks 0-2 on ")?;
        examined.expect(!examined.stdout.contains("PROBLEM"))
    })
}

/// The script that gives the rest of its line a directory `prof` in memory of its own.
const DIRECTORY: &str = "mount -t tmpfs own prof && exec \"$@\"";

/// Tests that files which each process would write to mounts of its own are written here.
#[test]
fn files_in_other_mounts_are_written_later() -> Outcome {
    if obstacle()?.is_some() {
        return Ok(());
    }
    on_in_dir(&FAMILIES, "namespaces_mounts", |stack, dir| {
        fs::create_dir(dir.join("prof")).context("prof")?;
        let program = stack.compile("worlds")?;
        for (stem, options) in [("prof/run", &[][..]), ("prof/all", &["--one-file"])] {
            let job = job(stack, RANKS, &["--mount", "sh", "-c", DIRECTORY, "sh"]).arg(&program).arg("3");
            let options = [&["--output", stem][..], options].concat();
            let finished = job.dir(dir).seconds(120).under_mpit_with(&options)?.succeed()?;
            let why = "(the process sees another directory, or none, under the name of this one)\n";
            finished.expect(
                finished.stderr.contains("ranks 0-2 could not write in MPI_Finalize: recovered, in "),
            )?;
            finished.expect(finished.stderr.contains(why) && !finished.stderr.contains("no file "))?;
            report(dir, &[stem])?.expect_printed(": 3 of 3 processes")?;
        }
        Ok(())
    })
}

/// Tests that `mpit why` sees the states of processes under their numbers here, and that those of the threads are right.
#[test]
fn ranks_in_namespaces_have_states() -> Outcome {
    if obstacle()?.is_some() {
        return Ok(());
    }
    on_in_dir(&FAMILIES, "namespaces_why", |stack, dir| {
        let program = program_in(dir, stack.compile("hangs")?)?;
        // Only Open MPI has messages without shared memory.
        let own_memory = ["--mount", "sh", "-c", MEMORY, "sh"];
        let more = if stack.is_open_mpi() { &own_memory[..] } else { &[] };
        for kind in ["sleeping", "computing"] {
            let job = job(stack, 4, more).arg(&program).arg(kind).dir(dir).seconds(120).under_mpit(&[])?;
            let found = Running::start(&job, &end_of_line(&program, kind))?.expect(kind, &[2])?;
            let ranks: Vec<&Value> = found["worlds"][0]["ranks"].as_array().into_iter().flatten().collect();
            let pids: Vec<u64> = ranks.iter().filter_map(|rank| rank["pid"].as_u64()).collect();
            Failure::unless(pids.len() == 4 && !pids.contains(&1), || format!("{kind}: {found:#?}"))?;
        }
        Ok(())
    })
}
