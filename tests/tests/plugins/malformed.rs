//! Whatever is wrong with a plug-in, the program is told in one line and goes on.

use mpit_tests::launch::Finished;
use mpit_tests::plugins::{self, Malformed};
use mpit_tests::{Failure, Outcome};

use super::{job, scratch};

#[test]
fn each_malformed_plugin_is_refused_in_one_line_and_the_program_goes_on() -> Outcome {
    let dir = scratch("malformed")?;
    let all = plugins::malformed(&dir)?;
    Failure::unless(all.len() >= 50, || format!("only {} kinds", all.len()))?;
    for one in &all {
        let finished = job()?.env("MPIT_PLUGINS", &one.path).succeed()?;
        told(&finished, std::slice::from_ref(one))?;
    }
    // All at once, and a right one behind them.
    let good = plugins::good(&dir, "acme")?;
    let paths = all.iter().map(|one| one.path.as_path()).chain([good.as_path()]);
    let finished = job()?.env("MPIT_PLUGINS", plugins::list(paths)).succeed()?;
    told(&finished, &all)?;
    Failure::unless(finished.stdout.contains(" acme_work Ok([0])"), || finished.to_string())
}

/// Checks that there is one line for each, that it names the file, and that the program came to its end.
fn told(finished: &Finished, expected: &[Malformed]) -> Outcome {
    let lines: Vec<_> = finished.stderr.lines().collect();
    Failure::unless(lines.len() == expected.len() && finished.stdout.ends_with("done\n"), || {
        format!("expected a line for each of {expected:?}\n{finished}")
    })?;
    for (line, one) in lines.into_iter().zip(expected) {
        let path = one.path.display().to_string();
        Failure::unless(
            line.starts_with("mpit: ") && line.contains(&path) && line.contains(one.told),
            || format!("expected `{}` of {path}:\n{line}", one.told),
        )?;
    }
    Ok(())
}

#[test]
fn a_plugin_that_never_gets_ready_is_given_up() -> Outcome {
    let dir = scratch("hangs")?;
    let path = plugins::compile(&dir, "malformed", "hangs", &["-DFAULT_HANGS"])?;
    let finished = job()?.env("MPIT_PLUGINS", &path).succeed()?;
    told(&finished, &[Malformed { path, told: "not loaded within 10 s" }])
}

#[test]
fn without_a_trial_the_rest_is_refused_all_the_same() -> Outcome {
    let dir = scratch("no_trial")?;
    for (fault, expected) in
        [("MAGIC", "MPIT_MAGIC"), ("CLASS", "no class 42"), ("UNDEFINED", "undefined symbol")]
    {
        let path = plugins::compile(&dir, "malformed", fault, &[&format!("-DFAULT_{fault}")])?;
        let finished = job()?.env("MPIT_PLUGINS", &path).env("MPIT_PLUGIN_TRIAL", "0").succeed()?;
        told(&finished, &[Malformed { path, told: expected }])?;
    }
    // This shows what the trial is for.
    let path = plugins::compile(&dir, "malformed", "exit", &["-DFAULT_EXIT"])?;
    let finished = job()?.env("MPIT_PLUGINS", &path).env("MPIT_PLUGIN_TRIAL", "0").finish()?;
    Failure::unless(!finished.stdout.ends_with("done\n"), || finished.to_string())
}

#[test]
fn what_a_later_version_may_add_is_no_fault() -> Outcome {
    let dir = scratch("later")?;
    for fault in ["NONE", "MINOR", "SIZE_LARGE_ZEROS"] {
        let path = plugins::compile(&dir, "malformed", fault, &[&format!("-DFAULT_{fault}")])?;
        let finished = job()?.env("MPIT_PLUGINS", &path).succeed()?;
        Failure::unless(
            finished.stderr.is_empty() && finished.stdout.contains(" wrong_value Ok([0])"),
            || finished.to_string(),
        )?;
    }
    Ok(())
}
