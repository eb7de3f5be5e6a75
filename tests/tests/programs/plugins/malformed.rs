//! Malformed plug-ins: one message for each, and the program continues.

use mpit_tests::plugins::{self, Malformed};
use mpit_tests::{Context, Failure, Finished, Outcome};

use super::{job, scratch};

#[test]
fn malformed_plugins_are_refused_in_a_line() -> Outcome {
    let dir = scratch("malformed")?;
    let all = plugins::malformed(&dir)?;
    Failure::unless(all.len() >= 29, || format!("only {} kinds", all.len()))?;
    for one in &all {
        let finished = job()?.env("MPIT_PLUGINS", &one.path).succeed()?;
        reported(&finished, std::slice::from_ref(one))?;
    }
    // All at once, followed by a correct one.
    let good = plugins::good(&dir, "acme")?;
    let paths = all.iter().map(|one| one.path.as_path()).chain([good.as_path()]);
    let finished = job()?.env("MPIT_PLUGINS", plugins::list(paths)).succeed()?;
    reported(&finished, &all)?;
    finished.expect_printed(" acme_work Ok([0])")
}

/// Checks that there is one line for each that names the file, and that the program ran to its end.
fn reported(finished: &Finished, expected: &[Malformed]) -> Outcome {
    plugins::expect_reported(&finished.stderr, expected).context(finished)?;
    finished.expect(finished.stdout.ends_with("done\n"))
}

#[test]
fn later_version_fields_are_accepted() -> Outcome {
    let dir = scratch("later")?;
    for fault in ["NONE", "MINOR", "SIZE_LARGE_ZEROS"] {
        let path = plugins::compile(&dir, "malformed", fault, &[&format!("-DFAULT_{fault}")])?;
        let finished = job()?.env("MPIT_PLUGINS", &path).succeed()?;
        finished.expect(finished.stderr.is_empty())?;
        finished.expect_printed(" wrong_value Ok([0])")?;
    }
    Ok(())
}
