//! `mpit doctor` names what is in the way of a recording. What it says of a job that is well is in docs/doctor.md.

use std::path::Path;
use std::process::Command;

use mpit_tests::{
    Context, Failure, Outcome, build,
    launch::Job,
    paths,
    stacks::{self, Stack, Vendor},
};

/// Two of the kinds of launchers: what is in the way is not the library's matter.
const LABELS: [&str; 2] = ["ompi4.1.4", "mpich4.0.2"];

/// Runs `mpit doctor OPTIONS -- mpiexec -n RANKS WORDS`; it has to name the problem, once.
fn names(stack: &Stack, dir: &Path, options: &[&str], ranks: u32, words: &[&str], problem: &str) -> Outcome {
    let mut job =
        Job::alone(stack).arg(&build::artifacts()?.mpit).args(&["doctor"]).args(options).args(&["--"]);
    if ranks > 0 {
        for word in stack.mpiexec(ranks) {
            job = job.arg(word);
        }
    }
    let finished = job.args(words).dir(dir).finish()?;
    let problem = format!("PROBLEM: {problem}");
    let is_named = finished.code == Some(1) && finished.stdout.matches(&problem).count() == 1;
    Failure::unless(is_named, || format!("no {problem:?}\n{finished}"))
}

fn run(command: &mut Command) -> Outcome {
    let status = command.status().context("a compiler")?;
    Failure::unless(status.success(), || format!("{command:?}"))
}

#[test]
fn doctor_names_what_is_in_the_way() -> Outcome {
    stacks::for_each(
        "doctor",
        |stack| LABELS.contains(&stack.label()),
        |stack| {
            let dir = stack.scratch("doctor")?;
            let ring = stack.compile("ring")?.display().to_string();
            let output = ["--output", "prof/run"];
            names(
                stack,
                &dir,
                &output,
                1,
                &["env", "-i", &ring],
                &format!("LD_PRELOAD did not arrive at {ring}"),
            )?;
            names(
                stack,
                &dir,
                &output,
                1,
                &["env", "-u", "MPIT_SET", &ring],
                &format!("settings did not arrive at {ring}"),
            )?;
            let killed = stack.compile("killed")?.display().to_string();
            let end = format!("{killed} did not come to MPI_Finalize");
            names(stack, &dir, &output, 4, &[&killed, "exit"], &end)?;
            if stack.vendor() == Vendor::OpenMpi {
                return Ok(());
            }
            // The rest does not depend on the library.
            names(
                stack,
                &dir,
                &output,
                0,
                &["true"],
                "the command names no program that is linked with an MPI library",
            )?;
            names(
                stack,
                &dir,
                &[&output[..], &["--set", "coll=^"]].concat(),
                0,
                &["sh", "-c", "exit 3"],
                "the command ended",
            )?;
            let elsewhere = ["--set", "pml_monitoring_filename=/proc/nowhere/run"];
            names(stack, &dir, &elsewhere, 2, &[&ring], "files /proc/nowhere/run.* cannot be written on")?;
            let misspelled = ["env", "MPIT_PML_MONITORING_ENABEL=2", &ring];
            names(
                stack,
                &dir,
                &output,
                2,
                &misspelled,
                "the environment: no control variable is called `MPIT_PML_",
            )?;
            let off = [&output[..], &["--set", "pml_monitoring_enable=0"]].concat();
            names(
                stack,
                &dir,
                &off,
                2,
                &[&ring],
                &format!("{ring} records nothing: a setting switches it off"),
            )?;

            // Waits for as long as its parent: until it was seen.
            std::fs::write(
                dir.join("static.c"),
                "#include <unistd.h>\nint main(void) { return sleep(1); }\n",
            )
            .context("static.c")?;
            run(Command::new("cc").args(["-static", "static.c", "-o", "static"]).current_dir(&dir))?;
            let program = dir.join("static").display().to_string();
            names(stack, &dir, &output, 1, &[&program], &format!("{program} is linked statically"))?;

            let lost = dir.join("lost");
            let source = paths::source("hosts/c/lost_library.c");
            run(Command::new(stack.mpicc()).arg("-c").arg(source).args(["-o", "lost.o"]).current_dir(&dir))?;
            let preload = &build::artifacts()?.preload;
            run(Command::new("cc").arg("lost.o").arg(preload).arg("-o").arg(&lost).current_dir(&dir))?;
            let lost = lost.display().to_string();
            names(stack, &dir, &output, 0, &[&lost], &format!("{lost} calls MPI and has no MPI library"))?;
            let bare = Job::alone(stack).arg(&lost).dir(&dir).finish()?;
            let line = "mpit: this program calls MPI, and no MPI library is loaded";
            Failure::unless(bare.code == Some(1) && bare.stderr.contains(line), || bare.to_string())?;

            // Each process believes that it is alone.
            let Some(other) = stacks::found().stacks.iter().find(|one| one.label() == "ompi4.1.4") else {
                return Ok(());
            };
            let mut job = Job::alone(other).arg(&build::artifacts()?.mpit).args(&["doctor", "--"]);
            for word in other.mpiexec(2) {
                job = job.arg(word);
            }
            let finished = job.arg(&ring).dir(&dir).finish()?;
            let alone = "PROBLEM: 2 processes are each alone in MPI_COMM_WORLD: they were started by mpiexec of Open MPI";
            Failure::unless(finished.code == Some(1) && finished.stdout.contains(alone), || {
                finished.to_string()
            })
        },
    )
}
