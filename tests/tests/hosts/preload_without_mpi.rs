//! Programs without MPI, with the library preloaded: no difference.

use mpit_tests::{Failure, Outcome, launch::Job};

#[test]
fn processes_without_mpi_print_nothing() -> Outcome {
    for line in [&["/bin/true"][..], &["sh", "-c", "true"], &["python3", "-c", "pass"]] {
        let finished = Job::plain(line).preloaded()?.succeed()?;
        let silent = finished.stdout.is_empty() && finished.stderr.is_empty();
        Failure::unless(silent, || format!("not a byte of output expected:\n{finished}"))?;
    }
    Ok(())
}

#[test]
fn output_and_exit_codes_are_unchanged() -> Outcome {
    let line = ["sh", "-c", "echo out; echo err >&2; exit 3"];
    let bare = Job::plain(&line).finish()?;
    let preloaded = Job::plain(&line).preloaded()?.finish()?;
    let what = |finished: &mpit_tests::launch::Finished| {
        (finished.code, finished.stdout.clone(), finished.stderr.clone())
    };
    Failure::unless(what(&bare) == what(&preloaded) && bare.code == Some(3), || {
        format!("without:\n{bare}\nwith:\n{preloaded}")
    })
}
