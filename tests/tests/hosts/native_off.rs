//! Open MPI's own monitoring, which has the same settings: it stays disabled while ours records.

use std::{fs, path::Path};

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Stack};

use crate::{for_each_in_dir, written_to, written_with};

const RANKS: u32 = 2;

/// Runs the program in `dir` with `native` settings from Open MPI's launcher; `arguments` are those of `mpit
/// run`.
fn run(
    stack: &Stack,
    dir: &Path,
    arguments: &[&str],
    native: &[(&str, &str)],
    mode: &str,
) -> Outcome<Finished> {
    let job = Job::mpit(&["run", "--quiet"])?.on(stack).args(arguments).arg("--").args(stack.mpiexec(RANKS));
    job.native_monitoring(native).arg(stack.compile("native_off")?).arg(mode).dir(dir).succeed()
}

fn there(dir: &Path, stem: &str) -> usize {
    (0..RANKS).filter(|rank| dir.join(format!("{stem}.{rank}.prof")).exists()).count()
}

fn says(finished: &Finished, line: &str) -> Outcome {
    Failure::unless(finished.stdout.contains(line) || finished.stderr.contains(line), || {
        format!("no {line:?}\n{finished}")
    })
}

#[test]
fn native_monitoring_stays_off() -> Outcome {
    for_each_in_dir("native_off", Stack::is_open_mpi, |stack, dir| {
        // `theirs` would be the name of Open MPI's own files.
        let arguments = ["--set", "pml_monitoring_filename=ours"];
        for mode in ["init", "tool"] {
            let finished = run(stack, dir, &arguments, &written_to("theirs"), mode)?;
            let files = (there(dir, "ours"), there(dir, "theirs"));
            Failure::unless(files == (2, 0), || format!("{mode}: {files:?}\n{finished}"))?;
            for line in ["before 2\n", "after 2\n", "child 2\n"] {
                says(&finished, line)?;
            }
            finished.expect(!finished.stderr.contains("mpit:"))?;
            fs::remove_file(dir.join("ours.0.prof")).context("ours.0.prof")?;
            fs::remove_file(dir.join("ours.1.prof")).context("ours.1.prof")?;
        }
        // If the call is not seen, a message reports that both record.
        let finished = run(stack, dir, &arguments, &written_to("theirs"), "world")?;
        says(&finished, "mpit: Open MPI's own monitoring is enabled as well")?;
        finished.expect(there(dir, "theirs") == 2)?;

        // A component list that excludes Open MPI's component excludes ours as well, with a message.
        let left_out = written_with("listed", &[("pml", "^monitoring")]);
        let finished = run(stack, dir, &[], &left_out, "init")?;
        says(
            &finished,
            "mpit: pml_components: `monitoring` is excluded because OMPI_MCA_pml=^monitoring excludes",
        )?;
        let text = fs::read_to_string(dir.join("listed.0.prof")).context(&finished)?;
        Failure::unless(!text.contains("\nE\t") && text.contains("\nC\t0\t1\t"), || {
            format!("{text}\n{finished}")
        })?;

        // The user has disabled ours, so Open MPI's own is not changed.
        let off = ["--set", "pml_monitoring_enable=0"];
        let finished = run(stack, dir, &off, &written_to("native"), "init")?;
        finished.expect(there(dir, "native") == 2)
    })
}
