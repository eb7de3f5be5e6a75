//! Exit codes and messages of the launcher, for each way in which a rank can end.
//!
//! Without a scenario in the environment, this program starts itself for each scenario and checks the outcome.

#![allow(clippy::disallowed_methods, reason = "a test reads what its parent process set")]

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, process, thread};

use mpit_local::{Comm, Outcome, launch};

const SCENARIO: &str = "MPIT_TEST_SCENARIO";

fn main() -> ExitCode {
    if let Ok(scenario) = env::var(SCENARIO) {
        return run(&scenario);
    }
    check_all();
    ExitCode::SUCCESS
}

fn run(scenario: &str) -> ExitCode {
    match scenario {
        "fine" => launch(3, |world| Ok(world.barrier()?)),
        "no ranks" => launch(0, |_| Ok(())),
        "twice" => {
            launch(1, |_| Ok(()));
            launch(1, |_| Ok(()))
        }
        "absent" => {
            if env::var("MPIT_LOCAL_RANK").is_ok_and(|place| place.starts_with("1 ")) {
                process::exit(0);
            }
            launch(2, |_| Ok(()))
        }
        "nested" => launch(2, |_| match output("fine") {
            output if output.status.success() => Ok(()),
            output => Err(format!("{output:?}").into()),
        }),
        "output" => launch(2, |world| {
            println!("{} of {}", world.rank(), world.size());
            Ok(())
        }),
        "sleep" => launch(3, |_| {
            println!("up");
            thread::sleep(Duration::from_secs(60));
            Ok(())
        }),
        "child" => launch(2, |world| {
            assert_eq!(io::stdin().read(&mut [0])?, 0);
            if world.rank() == 1 {
                let mut command = Command::new("sleep");
                command.arg("20").stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
                process::exit(7);
            }
            Ok(())
        }),
        _ => launch(3, |world| fail(scenario, world)),
    }
}

/// Rank 1 fails; the others wait for it, each in its own way.
fn fail(scenario: &str, world: &Comm) -> Outcome {
    world.barrier()?;
    match (scenario, world.rank()) {
        ("error", 1) => Err("no luck".into()),
        ("panic", 1) => panic!("no luck"),
        ("exit", 1) => process::exit(7),
        ("abort", 1) => process::abort(),
        ("kill" | "stubborn", 1) => {
            Command::new("kill").args(["-KILL", &process::id().to_string()]).status()?;
            thread::sleep(Duration::from_secs(60));
            Ok(())
        }
        ("stubborn", _) => {
            thread::sleep(Duration::from_secs(60));
            Ok(())
        }
        (_, 0) => {
            let mut nothing = [0_u8; 0];
            expect_end(world.recv(&mut nothing, 1, 0));
            expect_end(world.barrier());
            // The others of a job continue.
            world.send(&1_u8, 2, 1)?;
            Ok(())
        }
        _ => {
            expect_end(world.recv(&mut [0_u8; 0], 1, 0));
            world.recv(&mut 0_u8, 0, 1)?;
            eprintln!("received from rank 0");
            Ok(())
        }
    }
}

fn expect_end<T>(result: mpit_local::Result<T>) {
    match result {
        Err(mpit_local::Error::Ended(1)) => eprintln!("rank 1 ended"),
        Err(error) => eprintln!("{error}"),
        Ok(_) => eprintln!("all is well?"),
    }
}

fn command(scenario: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("a test has a path"));
    command.env(SCENARIO, scenario);
    command
}

fn output(scenario: &str) -> Output {
    command(scenario).stdin(Stdio::null()).output().expect("the program starts")
}

/// Runs a scenario; checks the exit code, and that standard error has these lines, the host's or the scenario's own.
#[track_caller]
fn check(scenario: &str, code: i32, lines: &[&str]) -> Output {
    let output = output(scenario);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{scenario}: {errors}");
    for line in lines {
        let found = |found: &str| found == *line || found.strip_prefix("mpit: ") == Some(line);
        assert!(errors.lines().any(found), "{scenario}: `{line}` is not in\n{errors}");
    }
    output
}

fn check_all() {
    assert!(check("fine", 0, &[]).stderr.is_empty());
    check("no ranks", 1, &["cannot launch 0 ranks: a job of no ranks cannot be launched"]);
    check("twice", 1, &["cannot launch: this process was a rank already; a program can launch one job"]);
    check("absent", 1, &["rank 1 failed: exit status: 0"]);
    check("nested", 0, &[]);

    let output = check("output", 0, &[]);
    let output = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<_> = output.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["0 of 2", "1 of 2"]);

    check("error", 1, &["rank 1: no luck", "rank 1 failed: exit status: 1", "rank 1 ended"]);
    check("panic", 101, &["rank 1 failed: exit status: 101", "rank 1 ended"]);
    check("exit", 7, &["rank 1 failed: exit status: 7", "rank 1 ended"]);
    check("abort", 128 + 6, &["rank 1 ended"]);
    let output = check("kill", 128 + 9, &["rank 1 failed: signal: 9 (SIGKILL)", "received from rank 0"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors.matches("rank 1 ended").count(), 3, "{errors}");

    let start = Instant::now();
    check("stubborn", 128 + 9, &["rank 1 failed: signal: 9 (SIGKILL)", "ended the remaining ranks: 0, 2"]);
    assert!(start.elapsed() < Duration::from_secs(20));

    // A program that a rank started does not hold its connection.
    let start = Instant::now();
    check("child", 7, &["rank 1 failed: exit status: 7"]);
    assert!(start.elapsed() < Duration::from_secs(15));

    a_rank_without_its_launcher_fails().expect("the scenario runs");
    ranks_end_with_their_launcher().expect("the scenario runs");
}

fn a_rank_without_its_launcher_fails() -> io::Result<()> {
    let (_connection, of_rank) = UnixStream::pair()?;
    let mut command = command("fine");
    let output = command.env("MPIT_LOCAL_RANK", "0 3 0").stdin(OwnedFd::from(of_rank)).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert_eq!(errors, "mpit: rank 0 cannot join: its launcher, process 0, has ended\n");
    Ok(())
}

fn ranks_end_with_their_launcher() -> Result<(), Box<dyn Error>> {
    let mut launcher = command("sleep").stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut output = BufReader::new(launcher.stdout.take().ok_or("the output is a pipe")?);
    for _ in 0..3 {
        let mut line = String::new();
        output.read_line(&mut line)?;
        assert_eq!(line, "up\n");
    }
    let start = Instant::now();
    launcher.kill()?;
    launcher.wait()?;
    // The ranks hold the other end of the pipe until they end.
    output.read_to_end(&mut Vec::new())?;
    assert!(start.elapsed() < Duration::from_secs(20));
    Ok(())
}
