//! Processes that cannot write their files in `MPI_Finalize`: `mpit run` writes them from the stores, and says so.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use mpit_tests::{Context, Finished, Job, Outcome, Stack};

use crate::{each_sent, names_in, on_each_family_in_dir, on_each_in_dir, read_all, report};

const RANKS: u32 = 2;

/// The library on which all faults are tested; on the others, some.
const ALL_ON: &str = "mpich5.0.2";

fn job(stack: &Stack, dir: &Path, options: &[&str], fault: &[&str]) -> Outcome<Finished> {
    let job = Job::mpi(stack, RANKS).arg(stack.compile("write_faults")?).args(fault).dir(dir).seconds(120);
    job.under_mpit_with(options)?.finish()
}

/// The lines that were false when a process had reached `MPI_Finalize`, or the library was loaded.
const FALSE: [&str; 4] =
    ["no process reached MPI_Finalize", "was not loaded", "no file ", "no process on this machine"];

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

#[test]
fn unwritable_files_are_written_later() -> Outcome {
    // The arguments of the program, the reason that `mpit run` gives, and whether they need root.
    let faults: [(&[&str], &str, bool); 8] = [
        (&["errno", "28"], "No space left on device (os error 28)", false),
        (&["size"], "File too large (os error 27)", false),
        (&["chroot", "jail"], "the process changed its root directory after MPI_Init", true),
        (&["descriptors"], "Too many open files (os error 24)", false),
        (&["user"], "Permission denied (os error 13)", true),
        (&["errno", "5"], "Input/output error (os error 5)", false),
        (&["errno", "1"], "Operation not permitted (os error 1)", false),
        (&["errno", "30"], "Read-only file system (os error 30)", false),
    ];
    on_each_in_dir("unwritten", |stack, dir| {
        fs::create_dir(dir.join("jail")).context("jail")?;
        let turn = stack.label().bytes().map(usize::from).sum::<usize>() % 4;
        for (number, (fault, why, needs_root)) in faults.into_iter().enumerate() {
            if (number % 4 != turn && stack.label() != ALL_ON) || (needs_root && !is_root()) {
                continue;
            }
            let stem = format!("prof/{}", fault.join("-"));
            let finished = job(stack, dir, &["--output", &stem], fault)?;
            check(&finished, dir, &stem, why).context(fault.join(" "))?;
        }
        Ok(())
    })
}

fn check(finished: &Finished, dir: &Path, stem: &str, why: &str) -> Outcome {
    finished.expect(finished.code == Some(0))?;
    let wanted = format!(
        "mpit: ranks 0-1 could not write in MPI_Finalize: recovered, in {}.<rank>.prof ({why})\n",
        dir.join(stem).display()
    );
    finished.expect(finished.stderr.contains(&wanted))?;
    finished.expect(finished.stderr.ends_with(&format!("mpit: more: mpit report {stem}\n")))?;
    finished.expect(FALSE.iter().all(|line| !finished.stderr.contains(line)))?;
    finished.expect(names_in(&dir.join("jail"))?.is_empty())?;
    each_sent(&read_all(&dir.join(stem), RANKS)?, |rank| ((rank + 1) % RANKS, 1, 4)).context(finished)
}

/// Tests one file for the job that rank 0 cannot write, that no process can write, and that `mpit run` cannot write either.
#[test]
fn a_single_file_is_written_later() -> Outcome {
    on_each_family_in_dir("unwritten_one_file", |stack, dir| {
        let of = |stem: &str, fault: &[&str]| -> Outcome<Finished> {
            let options = ["--output", stem, "--one-file", "--set", "monitoring_gather_timeout=1"];
            let finished = job(stack, dir, &options, fault)?;
            finished.expect(finished.code == Some(0))?;
            Ok(finished)
        };
        for (stem, fault, who) in
            [("first", &["errno", "28", "0"][..], "rank 0"), ("all", &["errno", "28"], "ranks 0-1")]
        {
            let finished = of(stem, fault)?;
            let written = dir.join(stem).with_extension("prof");
            let wanted = format!(
                "mpit: {who} could not write in MPI_Finalize: recovered, in {} (No space left on device (os error 28))\n",
                written.display()
            );
            finished.expect(finished.stderr.contains(&wanted))?;
            let last = format!("mpit: wrote {stem}.prof; read it with `mpit report {stem}.prof`\n");
            finished.expect(finished.stderr.ends_with(&last))?;
            report(dir, &[stem])?.expect_printed(&format!("{stem}: 2 of 2 processes"))?;
        }
        fs::create_dir(dir.join("prof")).context("prof")?;
        let finished = of("prof/run", &["occupied", "prof"])?;
        let fate = "they are lost, because the processes could not write them either";
        finished.expect(finished.stderr.contains(fate) && !finished.stderr.contains("more: "))?;
        let last = "mpit: no file prof/run.* was written: the processes could not write, and this command cannot either; \
                    the reasons are above; `mpit doctor` reports details\n";
        finished.expect(finished.stderr.ends_with(last))?;
        finished.expect(!finished.stderr.contains("wrote "))
    })
}
