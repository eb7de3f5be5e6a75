//! Output at the end of a program: as its settings request, regardless of the actions of tools, and without
//! an effect on the program.

use std::{fs, path::Path};

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Prof, Stack, stacks};

use crate::{MONITORED, each_sent, equal, names_in, on_each_family_in_dir, read_all, written_with};

const RANKS: u32 = 4;

const MODES: [&str; 5] = ["none", "started", "stopped", "flushed", "late"];

/// The destination of the output of the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    Nowhere,
    Stdout,
    Stderr,
    Files,
    OneFile,
}

/// The library on which all combinations are tested, because it starts fastest. On the others each mode and
/// each output is tested once.
const ALL_ON: &str = "mpich4.0.2";

fn job(stack: &Stack, dir: &Path, to: To, stem: &str, arguments: &[&str]) -> Outcome<Job> {
    let output = match to {
        To::Nowhere => "0",
        To::Stdout => "1",
        To::Stderr => "2",
        To::Files | To::OneFile => "3",
    };
    let container = if to == To::OneFile { "1" } else { "0" };
    Job::mpi(stack, RANKS).arg(stack.compile("final_output")?).args(arguments).dir(dir).under_mpit(&[
        MONITORED,
        ("pml_monitoring_enable_output", output),
        ("pml_monitoring_filename", stem),
        ("monitoring_container", container),
    ])
}

/// Returns the names of the expected files, sorted.
fn files(to: To, mode: &str) -> Vec<String> {
    let each = |stem| (0..RANKS).map(move |rank| format!("{stem}.{rank}.prof"));
    let mut files: Vec<String> = if mode == "flushed" { each("phase").collect() } else { Vec::new() };
    match to {
        To::Files => files.extend(each("run")),
        To::OneFile => files.push("run.prof".into()),
        _ => {}
    }
    files
}

/// Splits the output into the texts of the processes: none may be interrupted by another.
fn texts_in(output: &str) -> Outcome<Vec<Prof>> {
    let begin = "# POINT TO POINT\n";
    let texts: Vec<_> = output.split(begin).skip(1).collect();
    Failure::unless(texts.len() == RANKS as usize, || format!("{} texts in\n{output}", texts.len()))?;
    let parse = |(rank, text): (u32, &&str)| {
        Prof::parse(&format!("{begin}{text}"), rank).context(format!("rank {rank} in\n{output}"))
    };
    (0..).zip(&texts).map(parse).collect()
}

/// Checks that each process sent one int to its right neighbor.
fn are_right(profs: &[Prof]) -> Outcome {
    each_sent(profs, |rank| ((rank + 1) % RANKS, 1, 4))
}

fn check(finished: &Finished, dir: &Path, to: To, mode: &str) -> Outcome {
    let result = finished.stdout.lines().next().unwrap_or_default();
    Failure::unless(finished.code == Some(0) && result == "result 6", || "another result".into())?;
    let (wanted, there) = (files(to, mode), names_in(dir)?);
    Failure::unless(wanted == there, || format!("files are {there:?}, should be {wanted:?}"))?;
    for (stream, output) in [(To::Stdout, &finished.stdout), (To::Stderr, &finished.stderr)] {
        let is_quiet = to == stream || !output.contains("# POINT");
        Failure::unless(is_quiet, || format!("written to {stream:?}"))?;
    }
    if mode == "flushed" {
        are_right(&read_all(&dir.join("phase"), RANKS)?).context("the phase")?;
    }
    match to {
        To::Nowhere => Ok(()),
        To::Stdout => are_right(&texts_in(&finished.stdout)?),
        To::Stderr => are_right(&texts_in(&finished.stderr)?),
        To::Files => are_right(&read_all(&dir.join("run"), RANKS)?),
        To::OneFile => {
            let path = dir.join("run.prof");
            let text = fs::read_to_string(&path).context(path.display())?;
            let headings = ["# MPIT JOB", "# MPIT RUN", "# RANK", "# END"];
            let is_of_a_process = |line: &&str| headings.iter().all(|heading| !line.starts_with(heading));
            let lines: String = text.split_inclusive('\n').filter(is_of_a_process).collect();
            are_right(&texts_in(&lines)?)
        }
    }
}

#[test]
fn output_is_written_as_configured() -> Outcome {
    stacks::on_each("final_output", |stack| {
        let outputs = [To::Nowhere, To::Stdout, To::Stderr, To::Files, To::OneFile];
        for (which, to) in outputs.into_iter().enumerate() {
            for (mode, name) in MODES.into_iter().enumerate() {
                if which != mode && stack.label() != ALL_ON {
                    continue;
                }
                let dir = stack.scratch("final_output")?;
                let finished = job(stack, &dir, to, "run", &[name])?.finish()?;
                check(&finished, &dir, to, name).context(format!("{to:?}, {name}\n{finished}"))?;
            }
        }
        Ok(())
    })
}

#[test]
fn failed_output_prints_one_line() -> Outcome {
    on_each_family_in_dir("final_output_unwritable", |stack, dir| {
        fs::write(dir.join("file"), "here before").context("file")?;
        let arguments = ["none", "3"];
        let bare = Job::mpi(stack, RANKS).arg(stack.compile("final_output")?).args(arguments).finish()?;
        bare.expect(bare.code == Some(3))?;
        for (to, complaints) in [(To::Files, RANKS), (To::OneFile, 1 + RANKS)] {
            // The directory's name is taken by a file, so the processes cannot agree on a common file, and each tries to
            // write its own.
            let finished = job(stack, dir, to, "file/run", &arguments)?.finish()?;
            let number = |line: &str| finished.stderr.matches(line).count() as u32;
            let reported = number("mpit: cannot write file/run")
                + number("mpit: monitoring: cannot write one file for the job: ");
            let is_same = finished.code == bare.code && finished.stdout == bare.stdout;
            Failure::unless(is_same && reported == complaints, || {
                format!("{to:?}: {reported} messages, not {complaints}\n{finished}\nwithout mpit:\n{bare}")
            })?;
            equal("files", &names_in(dir)?[..], &["file".to_owned()])?;
        }
        // The name of the common file is taken by a directory, so that `mpit run` refuses it. Without, each process writes its own.
        fs::create_dir(dir.join("run.prof")).context("run.prof")?;
        let refused = job(stack, dir, To::OneFile, "run", &arguments)?.finish()?;
        refused
            .expect(refused.code == Some(2) && refused.stderr.contains("run.prof is a directory; choose"))?;
        let settings = written_with("run", &[("monitoring_container", "1")]);
        let job = Job::mpi(stack, RANKS).arg(stack.compile("final_output")?).args(arguments).dir(dir);
        let finished = job.preloaded_with(&settings)?.finish()?;
        let is_same = finished.code == bare.code && finished.stdout == bare.stdout;
        finished.expect(is_same && finished.stderr.matches("mpit: cannot write run.prof: ").count() == 1)?;
        are_right(&read_all(&dir.join("run"), RANKS)?)
    })
}
