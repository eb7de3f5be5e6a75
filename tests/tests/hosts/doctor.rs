//! `mpit doctor`: problems that prevent a recording. docs/doctor.md shows its report of a job without
//! problems.

use std::os::unix::fs::{PermissionsExt, chown};
use std::{fs, path::Path, process::Command};

use mpit_tests::{Context, Failure, Job, Outcome, Stack, build, paths, record, stacks};

use crate::{library_detection, on_in_dir};

/// The id of a user other than root and the user of the tests.
const ANOTHER_USER: u32 = 65_534;

const OUTPUT: [&str; 2] = ["--output", "prof/run"];

/// A program that sleeps until `mpit doctor` has seen it.
const IDLE: &str = "#include <unistd.h>\nint main(void) { return sleep(1); }\n";

/// Stacks with two kinds of launchers: the problems do not depend on the library.
const LABELS: [&str; 2] = ["ompi4.1.4", "mpich4.0.2"];

/// Runs `mpit doctor OPTIONS -- mpiexec -n RANKS WORDS` and expects the problem to be named once.
fn names(stack: &Stack, dir: &Path, options: &[&str], ranks: u32, words: &[&str], problem: &str) -> Outcome {
    let launcher = if ranks > 0 { stack.mpiexec(ranks) } else { Vec::new() };
    let job = Job::mpit(&["doctor"])?.on(stack).args(options).arg("--").args(launcher);
    let finished = job.args(words).dir(dir).finish()?;
    // A transcript, visible with `--nocapture`.
    println!("{finished}");
    let problem = format!("PROBLEM: {problem}");
    let is_named = finished.code == Some(1) && finished.stdout.matches(&problem).count() == 1;
    Failure::unless(is_named, || format!("no {problem:?}\n{finished}"))
}

/// Tests problems caused by programs: the library's own monitoring, privileges, a missing library, processes
/// that report nothing.
fn reports_problems_of_programs(stack: &Stack, dir: &Path, ring: &str) -> Outcome {
    if stack.is_open_mpi() {
        let program = stack.compile("native_off")?.display().to_string();
        let native = ["--mca", "pml_monitoring_enable", "2", &program, "world"];
        names(stack, dir, &OUTPUT, 2, &native, "Open MPI's own monitoring is enabled as well")?;
    }

    let privileged = dir.join("privileged");
    build::install_program(ring.as_ref(), &privileged)?;
    if let Err(error) = chown(&privileged, Some(ANOTHER_USER), None) {
        let why = format!("only root can give a program to another user ({error})");
        record::not_run("mpit doctor on a privileged program", &why)?;
    } else {
        fs::set_permissions(&privileged, fs::Permissions::from_mode(0o4755)).context("permissions")?;
        let program = privileged.display().to_string();
        let runs_with = format!("{program} runs with the rights of its owner");
        names(stack, dir, &OUTPUT, 0, &[&program], &runs_with)?;
    }

    let library = dir.join("libmpit_preload.so");
    fs::copy(&build::artifacts()?.preload, &library).context("a copy")?;
    let copy = library.display().to_string();
    let with_copy = [&OUTPUT[..], &["--preload", &copy]].concat();
    let script = [&["sh", "-c", r#"rm libmpit_preload.so; exec "$@""#, "sh"][..], &[ring]].concat();
    let is_gone =
        format!("{ring} has LD_PRELOAD and MPIT_SET in its environment, but did not load the library");
    names(stack, dir, &with_copy, 1, &script, &is_gone)?;

    let silent = r#"[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 0 ] || unset MPIT_DOCTOR; exec "$@""#;
    names(stack, dir, &OUTPUT, 2, &["sh", "-c", silent, "sh", ring], "1 of 2 processes sent no report")
}

/// Tests problems of the library, which are the same on each stack.
fn reports_problems_of_the_library(stack: &Stack, dir: &Path) -> Outcome {
    let unknown = library_detection::INTEGERS.build()?.linked.display().to_string();
    names(stack, dir, &OUTPUT, 0, &[&unknown], "the ABI of ")?;

    fs::write(dir.join("idle.c"), IDLE).context("idle.c")?;
    let library = format!("-Wl,--no-as-needed,{}", stack.library.display());
    build::run(Command::new("cc").args(["idle.c", &library, "-o", "idle"]).current_dir(dir))?;
    // A name with an escape sequence, which must not reach the terminal unchanged.
    let program = dir.join("idle\x1b[31m");
    fs::rename(dir.join("idle"), &program).context("idle")?;
    let shown = format!("{}/idle\\x1b[31m", dir.display());
    let says_nothing = format!("{shown} loaded the library, which intercepted no MPI call");
    names(stack, dir, &OUTPUT, 0, &[&program.display().to_string()], &says_nothing)?;

    fs::write(dir.join("broken.so"), "no library\n").context("broken.so")?;
    let job = Job::mpit(&["doctor", "--preload", "broken.so", "--", "true"])?.on(stack);
    let finished = job.dir(dir).finish()?;
    println!("{finished}");
    let line = "the dynamic linker does not load the library: ";
    finished.expect(finished.code == Some(2) && finished.stderr.contains(line))
}

#[test]
fn doctor_reports_each_problem() -> Outcome {
    on_in_dir(&LABELS, "doctor", |stack, dir| {
        let ring = stack.compile("ring")?.display().to_string();
        let named = |options: &[&str], ranks, words: &[&str], problem: &str| {
            names(stack, dir, options, ranks, words, problem)
        };
        named(&OUTPUT, 1, &["env", "-i", &ring], &format!("LD_PRELOAD did not reach {ring}"))?;
        let without_settings = ["env", "-u", "MPIT_SET", &ring];
        named(&OUTPUT, 1, &without_settings, &format!("settings did not reach {ring}"))?;
        let killed = stack.compile("killed")?.display().to_string();
        named(&OUTPUT, 4, &[&killed, "exit"], &format!("{killed} did not call MPI_Finalize"))?;
        reports_problems_of_programs(stack, dir, &ring)?;
        if stack.is_open_mpi() {
            return Ok(());
        }
        reports_problems_of_the_library(stack, dir)?;
        // The remaining cases do not depend on the library.
        named(&OUTPUT, 0, &["true"], "the command names no program that is linked with an MPI library")?;
        let excluded = [&OUTPUT[..], &["--set", "coll=^"]].concat();
        named(&excluded, 0, &["sh", "-c", "exit 3"], "the command ended")?;
        let elsewhere = ["--set", "pml_monitoring_filename=/proc/nowhere/run"];
        named(&elsewhere, 2, &[&ring], "cannot write files /proc/nowhere/run.* on")?;
        let misspelled = ["env", "MPIT_PML_MONITORING_ENABEL=2", &ring];
        named(&OUTPUT, 2, &misspelled, "the environment: no control variable is called `MPIT_PML_")?;
        let off = [&OUTPUT[..], &["--set", "pml_monitoring_enable=0"]].concat();
        named(&off, 2, &[&ring], &format!("{ring} records nothing: a setting disables it"))?;

        fs::write(dir.join("static.c"), IDLE).context("static.c")?;
        build::run(Command::new("cc").args(["-static", "static.c", "-o", "static"]).current_dir(dir))?;
        let program = dir.join("static").display().to_string();
        named(&OUTPUT, 1, &[&program], &format!("{program} is linked statically"))?;

        let (source, lost) = (paths::source("hosts/c/lost_library.c"), dir.join("lost"));
        build::run(
            Command::new(stack.mpicc()).arg("-c").arg(source).args(["-o", "lost.o"]).current_dir(dir),
        )?;
        let preload = &build::artifacts()?.preload;
        build::run(Command::new("cc").arg("lost.o").arg(preload).arg("-o").arg(&lost).current_dir(dir))?;
        let lost = lost.display().to_string();
        named(&OUTPUT, 0, &[&lost], &format!("{lost} calls MPI, and no MPI library is loaded"))?;
        let bare = Job::alone(stack).arg(&lost).dir(dir).finish()?;
        let line = "mpit: this program calls MPI, and no MPI library is loaded";
        bare.expect(bare.code == Some(1) && bare.stderr.contains(line))?;

        // With another library's launcher, each process is a job of one.
        let Some(other) = stacks::found().stacks.iter().find(|one| one.label() == "ompi4.1.4") else {
            return Ok(());
        };
        let job = Job::mpit(&["doctor", "--"])?.on(other).args(other.mpiexec(2)).arg(&ring);
        let finished = job.dir(dir).finish()?;
        let alone =
            "PROBLEM: 2 processes are each alone in MPI_COMM_WORLD: they were started by mpiexec of Open MPI";
        finished.expect(finished.code == Some(1) && finished.stdout.contains(alone))
    })
}

/// The reports of processes are in the current directory, as nodes share it.
#[test]
fn an_interrupted_doctor_leaves_no_files() -> Outcome {
    let dir = paths::scratch("doctor", "interrupted")?;
    let job =
        Job::mpit(&["doctor", "--", "sh", "-c", "ls -d .mpit-doctor-*; kill -TERM $PPID; exec sleep 30"])?;
    let finished = job.dir(&dir).finish()?;
    finished.expect(finished.code == Some(2) && finished.stderr.contains("sh was interrupted\n"))?;
    finished.expect(finished.stderr.contains(".mpit-doctor-"))?;
    let left = fs::read_dir(&dir).context(dir.display())?.count();
    finished.expect(left == 0)
}
