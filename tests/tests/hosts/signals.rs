//! Signals that reach `mpit run` while it waits for its command: the command gets each of them once.

use mpit_tests::{Failure, Job, Outcome, Stack, Vendor, build, paths};

use crate::on_each_in_dir;

/// Returns the signals that the launcher forwards to its processes: the one to send to the group, the one to
/// send to its leader, and the expected number.
fn forwarded_signals(stack: &Stack) -> &'static [[&'static str; 3]] {
    match stack.vendor() {
        // SIGUSR1 and SIGUSR2.
        Vendor::OpenMpi => &[["10", "12", "3"]],
        // SIGUSR1, SIGTERM and SIGINT. A second SIGINT would end the job at once.
        Vendor::Mpich => &[["10", "15", "3"], ["2", "10", "1"]],
        // It forwards nothing after a SIGINT.
        Vendor::Intel => &[["10", "15", "3"]],
    }
}

#[test]
fn launchers_get_each_signal_once() -> Outcome {
    on_each_in_dir("group_signals", |stack, dir| {
        let signals = forwarded_signals(stack);
        let job = Job::mpi(stack, 1).arg(stack.compile("group_signals")?).args(signals.iter().flatten());
        let leader = ["setsid", "sh", "-c", "TEST_GROUP=$$ exec \"$@\"", "sh"];
        let kept = crate::written_with("run", &[("monitoring_store", "file")]);
        let finished = job.dir(dir).seconds(120).under_mpit(&kept)?.within(&leader).succeed()?;
        for [group, leader, times] in signals {
            let line = format!("{group}: {times}, {leader}: {times}\n");
            Failure::unless(finished.stdout.contains(&line), || format!("no {line:?}\n{finished}"))?;
        }
        Ok(())
    })
}

#[test]
fn commands_get_each_signal_once() -> Outcome {
    let artifacts = build::artifacts()?;
    let dir = paths::hosts().join("signals");
    let script = paths::source("hosts/python/terminal.py");
    let job = Job::plain(&["python3"]).args([&script, &artifacts.mpit, &artifacts.preload, &dir]);
    let finished = job.succeed()?;
    finished.expect(finished.stdout == "terminal\nanother group\none by one\ntwice\nkilled\n")
}
