//! `mpit why` on programs that hang, and on one that does not.

mod kinds;

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use mpit_tests::launch::{mpit_line, slowness};
use mpit_tests::machine_lock::{self, MachineLock};
use mpit_tests::{Context, Failure, Finished, Job, Outcome, Prof, Stack, build, paths, stacks};
use serde_json::Value;

use self::kinds::{FURTHER, HANGS, Hang, every, hangs_on, in_turn, of_stack};
use crate::fortran::INTERFACES;
use crate::times::LIBRARIES;
use crate::unusual_messages::spawns;
use crate::{names_in, on_each_in_dir, on_in_dir, read_all, report};

const RANKS: u32 = 4;

/// The time that a program has until it hangs.
const TIME_LIMIT: Duration = Duration::from_secs(100);

/// The time between two snapshots, in seconds. The programs only hang, so it may be short, but messages count as in transit for 0.2 s.
const INTERVAL: &str = "0.3";

/// The time between two attempts to find a job.
const RETRY: Duration = Duration::from_millis(20);

/// The number of polls of a program that does not hang, by this environment variable.
const POLLS: (&str, u32) = ("MPIT_TEST_POLLS", 6);

/// The kinds of `hosts/c/healthy.c`, in pairs that run at the same time.
const HEALTHY: [[&str; 2]; 4] =
    [["messages", "windows"], ["collectives", "files"], ["threads", "groups"], ["worlds", "further"]];

/// The findings after which a job may make progress, so that its exit status is 0.
const NO_DEADLOCK: [&str; 5] = ["computing", "sleeping", "polling", "undetermined", "not-initialized"];

/// A running job. It is ended with its processes when this is dropped.
pub(crate) struct Running {
    child: Child,
    /// True if the child of `timeout` is an `mpit run`, which names the job.
    is_in_front: bool,
    /// The end of the job's command line, by which `mpit why` finds it among other jobs.
    end: String,
    pids: Vec<u64>,
    lock: Option<MachineLock>,
}

impl Running {
    pub(crate) fn start(job: &Job, end: &str) -> Outcome<Self> {
        let lock = machine_lock::part()?;
        let mut running = Self::start_beside(job, end)?;
        running.lock = Some(lock);
        Ok(running)
    }

    /// Starts a job while this thread has the lock of the machine.
    fn start_beside(job: &Job, end: &str) -> Outcome<Self> {
        let child = job.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().context("timeout")?;
        Ok(Self::of(child, job, end))
    }

    fn of(child: Child, job: &Job, end: &str) -> Self {
        let is_in_front = job.line().first().is_some_and(|program| program.ends_with("/mpit"));
        Self { child, is_in_front, end: end.into(), pids: Vec::new(), lock: None }
    }

    /// Returns the process of the `mpit run` in front of the launcher. Without it, `mpit why` observes all jobs of the machine, as long as one of
    /// them is unclear.
    fn mpit_run(&self) -> Option<String> {
        let timeout = self.child.id();
        let children = fs::read_to_string(format!("/proc/{timeout}/task/{timeout}/children")).ok()?;
        if self.is_in_front { children.split_whitespace().next().map(str::to_owned) } else { None }
    }

    /// Returns the result of `mpit why` for the job, and its exit code; `None` if the job is not there yet.
    fn poll(&mut self, words: &[&str]) -> Outcome<Option<(Value, Option<i32>)>> {
        let finished = why(&[&["--format", "json"], words].concat())?;
        if finished.code == Some(2) {
            thread::sleep(RETRY);
            return Ok(None);
        }
        let all: Value = serde_json::from_str(&finished.stdout).context(&finished)?;
        let mut jobs = all["jobs"].as_array().cloned().unwrap_or_default().into_iter();
        let is_ours =
            |job: &Value| job["command"].as_str().is_some_and(|command| command.ends_with(&self.end));
        let Some(job) = jobs.find(is_ours) else { return Ok(None) };
        let all = job["worlds"].as_array().into_iter().flatten();
        let ranks = all.flat_map(|world| world["ranks"].as_array().into_iter().flatten());
        self.pids = ranks.filter_map(|rank| rank["pid"].as_u64()).collect();
        Ok(Some((job, finished.code)))
    }

    /// Polls until the finding is there.
    pub(crate) fn expect(&mut self, kind: &str, culprits: &[u32]) -> Outcome<Value> {
        let until = Instant::now() + TIME_LIMIT * slowness();
        let mut last = None;
        while Instant::now() < until {
            let run = self.mpit_run();
            let run: Vec<&str> = run.iter().map(String::as_str).collect();
            let job = self.poll(&[&["--interval", INTERVAL], &run[..]].concat())?;
            if let Some((job, _)) = &job
                && has_finding(job, kind, culprits)
            {
                return Ok(job.clone());
            }
            last = job.or(last);
        }
        Err(Failure::new(format!("no finding {kind} about {culprits:?}: {last:#?}")))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let kill = |signal: &str, pid: u64| {
            let _ = Command::new("kill").args([signal, &pid.to_string()]).output();
        };
        // `timeout` passes it on to the launcher, which does not end stopped processes in each case.
        kill("-TERM", self.child.id().into());
        for pid in &self.pids {
            kill("-KILL", *pid);
        }
        let _ = self.child.wait();
    }
}

/// Runs `mpit why`, without the lock that the running job has.
fn why(words: &[&str]) -> Outcome<Finished> {
    let output = Job::mpit(&["why"])?.args(words).seconds(60).command().output().context("mpit why")?;
    Ok(Finished {
        line: format!("mpit why {}", words.join(" ")),
        code: output.status.code(),
        signal: None,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

fn has_finding(job: &Value, kind: &str, culprits: &[u32]) -> bool {
    let world = &job["worlds"][0];
    let verdict = if NO_DEADLOCK.contains(&kind) { "waiting" } else { "stuck" };
    let found = world["findings"].as_array().into_iter().flatten();
    let mut right = found.filter(|finding| {
        let named: Vec<u32> =
            finding["culprits"].as_array().into_iter().flatten().filter_map(number).collect();
        finding["kind"] == kind && named == culprits
    });
    world["verdict"] == verdict && right.next().is_some()
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| number.try_into().ok())
}

/// Returns a job that hangs, which the test ends.
fn hanging(stack: &Stack, dir: &Path) -> Job {
    Job::mpi(stack, RANKS).dir(dir).seconds(120)
}

fn job(stack: &Stack, program: &Path, kind: &str, dir: &Path) -> Outcome<Job> {
    hanging(stack, dir).arg(program).arg(kind).under_mpit(&[])
}

/// Makes a link to a program in the directory of a test. Its path is part of the command by which the test finds its job, and ends its
/// processes: tests share programs, also on several libraries.
pub(crate) fn program_in(dir: &Path, program: impl AsRef<Path>) -> Outcome<PathBuf> {
    let program = program.as_ref();
    let link = dir.join(program.file_name().context(program.display())?);
    if !link.exists() {
        symlink(program, &link).context(link.display())?;
    }
    Ok(link)
}

pub(crate) fn end_of_line(program: &Path, kind: &str) -> String {
    format!("{} {kind}", program.display())
}

/// Runs a program that hangs in these ways, and expects their findings. `program` has the words between the launcher and the kind.
fn are_named(stack: &Stack, dir: &Path, program: &[&Path], hangs: impl Iterator<Item = Hang>) -> Outcome {
    let words: Vec<String> = program.iter().map(|word| word.display().to_string()).collect();
    for (kind, finding, culprits) in hangs.filter(|(kind, ..)| hangs_on(stack.label(), kind)) {
        let job = hanging(stack, dir).args(&words).arg(kind).under_mpit(&[])?;
        let mut running = Running::start(&job, &format!("{} {kind}", words.join(" ")))?;
        running.expect(finding, culprits).context(kind)?;
    }
    Ok(())
}

/// Runs each program on a library of each family, in turn. `MPIT_TEST_HANGS=all` runs all on all.
#[test]
fn mistakes_are_named() -> Outcome {
    on_each_in_dir("why", |stack, dir| {
        for (program, kinds) in [("hangs", HANGS.as_slice()), ("further_hangs", &FURTHER)] {
            let program = program_in(dir, stack.compile(program)?)?;
            are_named(stack, dir, &[&*program], of_stack(stack, kinds).into_iter())?;
        }
        Ok(())
    })
}

/// Each rank has an `mpit run` of its own.
#[test]
fn jobs_behind_their_launcher_are_found() -> Outcome {
    on_in_dir(&LIBRARIES, "why_behind", |stack, dir| {
        let program = program_in(dir, stack.compile("hangs")?)?;
        for kind in ["skipped_allreduce", "gone", "late_init"] {
            let (_, finding, culprits) =
                HANGS.into_iter().find(|(known, ..)| *known == kind).context(kind)?;
            let line = mpit_line(&["run", "--"])?;
            let job = hanging(stack, dir).args(line).arg(&program).arg(kind);
            Running::start(&job, &end_of_line(&program, kind))?.expect(finding, culprits).context(kind)?;
        }
        Ok(())
    })
}

/// Runs all programs on one library and half of them on the other one. The interfaces take turns, each with other programs there.
#[test]
fn mistakes_in_fortran_are_named() -> Outcome {
    stacks::with_fortran("why_fortran", |stack| {
        let (turns, shift) = if stack.label() == "ompi4.1.4" { (1, 0) } else { (2, 1) };
        for (at, interface) in INTERFACES.into_iter().enumerate() {
            let dir = stack.scratch(&format!("why_{interface}"))?;
            let program = program_in(&dir, stack.compile_fortran("hangs", interface)?)?;
            let hangs = every(turns * INTERFACES.len(), at + shift);
            are_named(stack, &dir, &[&*program], hangs).context(interface)?;
        }
        Ok(())
    })
}

/// Runs each program on one of the libraries, which take turns: mpi4py calls the functions of C, whose programs run on each family.
#[test]
fn mistakes_in_python_are_named() -> Outcome {
    stacks::with_mpi4py("why_python", |stack, python| {
        let dir = stack.scratch("why_python")?;
        let script = paths::source("hosts/python/hangs.py");
        let able = stacks::found().stacks.iter().filter(|stack| stack.mpi4py().is_some());
        let able: Vec<&str> = able.map(Stack::label).collect();
        // Other libraries run the script at the same time, with other interpreters.
        are_named(stack, &dir, &[python, &*script], in_turn(stack, &HANGS, &[&able]).into_iter())
    })
}

/// Polls running jobs. Fails if one of them is said to be stuck, or is never said to move.
fn are_not_accused(all: &mut [Running], polls: u32) -> Outcome {
    let until = Instant::now() + TIME_LIMIT * slowness();
    let (mut done, mut moving) = (vec![0; all.len()], vec![0; all.len()]);
    // A slow start takes more than the first polls.
    let is_seen = |moving: &[u32]| moving.iter().all(|moving| *moving > 0);
    while done.iter().any(|done| *done < polls) || (!is_seen(&moving) && Instant::now() < until) {
        for (at, running) in all.iter_mut().enumerate() {
            let Some((job, _)) = running.poll(&["--interval", "0.2"])? else {
                Failure::unless(done[at] == 0 && Instant::now() < until, || {
                    format!("{}: no job after {} polls", running.end, done[at])
                })?;
                continue;
            };
            let worlds = job["worlds"].as_array().cloned().unwrap_or_default();
            let has = |verdict: &str| worlds.iter().any(|world| world["verdict"] == verdict);
            Failure::unless(!has("stuck"), || format!("poll {}: {job:#?}", done[at]))?;
            moving[at] += u32::from(has("moving"));
            done[at] += 1;
        }
    }
    Failure::unless(is_seen(&moving), || format!("no poll found a change: {moving:?}"))
}

/// Returns the number of polls, and the seconds that a program has to run for them beside another one.
fn polls() -> (u32, u32) {
    let (name, default) = POLLS;
    let polls = env::var(name).ok().and_then(|polls| polls.parse().ok()).unwrap_or(default);
    (polls, 3 * polls + 60)
}

fn healthy(stack: &Stack, program: &str, kind: &str, dir: &Path) -> Outcome<(Job, String)> {
    let (program, (_, seconds)) = (program_in(dir, stack.compile(program)?)?, polls());
    let job = Job::mpi(stack, RANKS).arg(&program).args([kind, &seconds.to_string()]).dir(dir);
    let job = job.seconds(seconds + 60).under_mpit(&[])?;
    Ok((job, end_of_line(&program, &format!("{kind} {seconds}"))))
}

#[test]
fn healthy_programs_are_not_accused() -> Outcome {
    on_each_in_dir("why_healthy", |stack, dir| {
        let (job, end) = healthy(stack, "hangs", "healthy", dir)?;
        are_not_accused(&mut [Running::start(&job, &end)?], polls().0)
    })
}

/// Polls programs that run at the same time, so that the machine is busy.
#[test]
fn healthy_kinds_are_not_accused() -> Outcome {
    on_in_dir(&["ompi4.1.4", "mpich4.0.2"], "why_healthy_kinds", |stack, dir| {
        let can_run = |pair: &[&str; 2]| !pair.contains(&"worlds") || spawns(stack);
        for pair in HEALTHY.into_iter().filter(can_run) {
            let jobs = [healthy(stack, "healthy", pair[0], dir)?, healthy(stack, "healthy", pair[1], dir)?];
            let _lock = machine_lock::two_parts()?;
            let start = |(job, end): &(Job, String)| Running::start_beside(job, end);
            let mut all = [start(&jobs[0])?, start(&jobs[1])?];
            are_not_accused(&mut all, polls().0).context(pair.join(" and "))?;
        }
        Ok(())
    })
}

/// Kills a process whose launcher ends the others.
#[test]
fn killed_ranks_are_named() -> Outcome {
    on_in_dir(&["ompi4.1.4", "mpich4.0.2"], "why_killed", |stack, dir| {
        let (program, kind) = (program_in(dir, stack.compile("hangs")?)?, "sleeping");
        let run = build::artifacts()?.mpit.display().to_string();
        let job = Job::mpi(stack, RANKS).arg(&program).arg(kind).dir(dir).seconds(120);
        let job = job.within(&[run.as_str(), "run", "--stuck", "60", "--"]);
        let output = dir.join("stderr");
        let file = fs::File::create(&output).context(output.display())?;
        let _lock = machine_lock::part()?;
        let child = job.command().stdout(Stdio::null()).stderr(file).spawn().context("timeout")?;
        let mut running = Running::of(child, &job, &end_of_line(&program, kind));
        running.expect("sleeping", &[2])?;
        let pid = running.pids[2].to_string();
        Job::plain(&["kill", "-KILL", &pid]).command().status().context("kill")?;
        let status = running.child.wait().context("timeout")?;
        let text = fs::read_to_string(&output).context(output.display())?;
        let wanted =
            format!("mpit: rank 2, process {pid}, has ended without MPI_Finalize; it was outside of MPI\n");
        Failure::unless(!status.success() && text.contains(&wanted), || format!("{status}\n{text}"))
    })
}

/// Tests the forms of the output, and the parts of nodes.
#[test]
fn results_have_several_forms() -> Outcome {
    on_in_dir(&["ompi4.1.4", "mpich4.0.2"], "why_forms", |stack, dir| {
        let program = program_in(dir, stack.compile("hangs")?)?;
        let kind = "skipped_allreduce";
        let mut running = Running::start(&job(stack, &program, kind, dir)?, &end_of_line(&program, kind))?;
        let found = running.expect("collective-skipped", &[1])?;
        let pid = found["pid"].to_string();
        is_valid(&why(&[&pid, "--format", "json"])?, dir)?;
        let text = why(&[&pid])?;
        text.expect(text.code == Some(1))?;
        for line in [
            "  ranks 0,2-3 are in MPI_Allreduce number 4 on MPI_COMM_WORLD\n",
            "  rank 1 is in MPI_Recv from 0, tag 99, on MPI_COMM_WORLD\n",
            ": rank 0 has sent no message with that tag; ",
            "  why: rank 1 has not entered MPI_Allreduce number 4 on MPI_COMM_WORLD; ",
        ] {
            text.expect_printed(line)?;
        }
        let saved = dir.join("parts");
        fs::create_dir(&saved).context(saved.display())?;
        let words = [pid.as_str(), "--save", &saved.display().to_string()];
        let finished = why(&words)?;
        finished.expect(finished.code == Some(0) && names_in(&saved)?.len() == 1)?;
        let from = why(&["--from", &saved.display().to_string(), "--nodes", "elsewhere"])?;
        from.expect(from.code == Some(1))?;
        from.expect_printed("rank 0 has sent no message with that tag; ")?;
        from.expect_printed("  no part of these nodes: elsewhere\n")?;
        let unknown = why(&["no-such-job"])?;
        unknown.expect(unknown.code == Some(2) && unknown.stderr.contains("no job called no-such-job"))
    })
}

/// Checks JSON by its schema, if Python has a package for that.
fn is_valid(finished: &Finished, dir: &Path) -> Outcome {
    let Some(python) = paths::python_with_tables() else {
        return mpit_tests::record::not_run(
            "jsonschema",
            "no package jsonschema for Python; see `cargo xtask setup`",
        );
    };
    let file = dir.join("why.json");
    fs::write(&file, &finished.stdout).context(file.display())?;
    let script = "import json, sys, jsonschema; jsonschema.validate(*(json.load(open(name)) for name in sys.argv[1:]))";
    let schema = paths::workspace().join("docs/why.schema.json");
    let checked = Job::plain(&[]).arg(&python).args(["-c", script]).args([&file, &schema]).command().output();
    let checked = checked.context(python.display())?;
    Failure::unless(checked.status.success(), || {
        format!("{}\n{finished}", String::from_utf8_lossy(&checked.stderr))
    })
}

/// Tests stacks, if a debugger can read them.
#[test]
fn stacks_of_culprits_are_shown() -> Outcome {
    if paths::find_program("gdb").is_none() && paths::find_program("eu-stack").is_none() {
        return mpit_tests::record::not_run("stacks", "no gdb and no eu-stack");
    }
    on_in_dir(&["mpich4.0.2"], "why_stack", |stack, dir| {
        let program = program_in(dir, stack.compile("hangs")?)?;
        let mut running =
            Running::start(&job(stack, &program, "computing", dir)?, &end_of_line(&program, "computing"))?;
        let found = running.expect("computing", &[2])?;
        let text = why(&[&found["pid"].to_string(), "--stack"])?;
        text.expect(text.stdout.contains("stack of rank 2, ") && text.stdout.contains("computing"))
    })
}

/// The seconds of `--stuck`, and the least time in a call of that long, by a clock whose rate was measured for a moment only.
const STUCK: (&str, u64) = ("2", 1_900_000_000);

/// A shell that forwards `SIGTERM` to the launcher, prints the exit status of the launcher, and adopts it.
const LAUNCHER_IN_SHELL: &str = "\"$@\" & trap 'kill -TERM $!' TERM; wait $!; wait $!; status=$?; \
    echo \"launcher ended with $status\" >&2; exit $status";

/// Returns true if a text has the numbers of a job that was ended in `skipped_allreduce`: three allreduces of each rank, and the calls in
/// progress.
fn has_numbers_of_hang(text: &str) -> bool {
    let has_row = |name: &str, calls: &str| {
        text.lines().any(|line| {
            let mut words = line.trim_start_matches("mpit: ").split_whitespace();
            words.next() == Some(name) && words.next() == Some(calls)
        })
    };
    text.contains("4 processes on 1 node, ")
        && text.contains("none of them reached MPI_Finalize: 4 processes did not, ")
        && text.contains("time in MPI: ")
        && has_row("MPI_Allreduce", "15")
        && has_row("MPI_Recv", "1")
}

/// Checks the calls in which the processes were when the job was ended: the number of calls of that name, and the time in the last one.
fn have_calls_of_hang(profs: &[Prof]) -> Outcome {
    for (rank, prof) in profs.iter().enumerate() {
        let (name, count) = if rank == 1 { ("Recv", 1) } else { ("Allreduce", 4) };
        let row = prof.calls.iter().find(|row| row.call.name == name);
        let elapsed = prof.time.as_ref().map_or(0, |time| time.elapsed);
        let is_right = row.is_some_and(|row| row.count == count && (STUCK.1..=elapsed).contains(&row.max));
        Failure::unless(is_right, || format!("rank {rank} ran for {elapsed} ns: {:?}", prof.calls))?;
    }
    Ok(())
}

/// Checks that a job ended with the exit status of its launcher. If the launcher did not end within five seconds of `SIGTERM`, the shell
/// was killed before it could print that status, and the job ended by the same signal.
fn ends_like_the_launcher(finished: &Finished) -> Outcome {
    const SIGKILL: i32 = 9;
    const SIGTERM: i32 = 15;
    if finished.signal == Some(SIGKILL) || finished.code == Some(128 + SIGKILL) {
        return Ok(());
    }
    // The text is also in the command, which is printed.
    let status = finished.stderr.lines().find_map(|line| line.strip_prefix("launcher ended with "));
    let status = status.and_then(|status| status.parse::<i32>().ok());
    if status == Some(0) {
        return finished.expect(finished.signal == Some(SIGTERM) || finished.code == Some(128 + SIGTERM));
    }
    finished.expect(status.is_some() && finished.code == status)
}

/// Tests the output, the files and the exit status of a job that is ended because it is stuck.
#[test]
fn stuck_jobs_are_ended() -> Outcome {
    on_in_dir(&["ompi4.1.4", "mpich4.0.2"], "why_stuck", |stack, dir| {
        let program = program_in(dir, stack.compile("hangs")?)?;
        fs::create_dir(dir.join("prof")).context("prof")?;
        let job = Job::mpi(stack, RANKS).arg(&program).arg("skipped_allreduce").dir(dir).seconds(100);
        let job = job.within(&["sh", "-c", LAUNCHER_IN_SHELL, "sh"]);
        let options = ["--stuck", STUCK.0, "--kill", "--output", "prof/"];
        let finished = job.under_mpit_with(&options)?.finish()?;
        finished.expect(finished.code != Some(0) && finished.code != Some(124))?;
        ends_like_the_launcher(&finished)?;
        let (before, last) = finished.stderr.rsplit_once("mpit: ended the command").context(&finished)?;
        finished.expect(has_numbers_of_hang(before))?;
        finished.expect(last.contains("rank 1 has not entered MPI_Allreduce number 4"))?;
        let files = names_in(&dir.join("prof"))?;
        let wanted: Vec<String> = (0..RANKS).map(|rank| format!("run.{rank}.prof")).collect();
        Failure::unless(files == wanted, || format!("{files:?}\n{finished}"))?;
        have_calls_of_hang(&read_all(&dir.join("prof/run"), RANKS)?)?;
        let shown = report(dir, &["prof"])?;
        shown.expect(shown.code == Some(0) && has_numbers_of_hang(&shown.stdout))
    })
}
