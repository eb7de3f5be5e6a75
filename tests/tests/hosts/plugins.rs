//! Plug-ins in MPI programs: defective ones that the preload library refuses, and one that is loaded while MPI runs.

use std::fs;

use mpit_tests::{Context, Failure, Job, Outcome, plugins};

use crate::{on_each_family_in_dir, on_in_dir};

const RANKS: u32 = 2;

/// Each rank prints one line for each defective plug-in, loads the valid one behind them, and runs to its end.
#[test]
fn preload_refuses_malformed_plugins() -> Outcome {
    on_in_dir(&["mpich4.0.2"], "malformed_plugins", |stack, dir| {
        let all = plugins::malformed(dir)?;
        let good = plugins::good(dir, "acme")?;
        let paths = all.iter().map(|one| one.path.as_path()).chain([good.as_path()]);
        let inventory = dir.join("list.json");
        let script = r#"exec "$@" 2> "stderr.$PMI_RANK""#;
        let job = Job::mpi(stack, RANKS).args(["sh", "-c", script, "sh"]).arg(stack.compile("ring")?);
        let job = job.env("MPIT_PLUGINS", plugins::list(paths)).env("MPIT_LISTING_FILE", &inventory);
        let finished = job.dir(dir).preloaded()?.succeed()?;
        for rank in 0..RANKS {
            let file = dir.join(format!("stderr.{rank}"));
            let text = fs::read_to_string(&file).context(file.display())?;
            plugins::expect_reported(&text, &all).context(format!("rank {rank} of {finished}"))?;
        }
        let text = fs::read_to_string(&inventory).context(inventory.display())?;
        Failure::unless(text.contains("\"name\":\"acme_work\""), || {
            format!("acme_work is not in {}", inventory.display())
        })
    })
}

/// Proves R316.
#[test]
fn plugin_is_listed_last_and_handles_expire() -> Outcome {
    on_each_family_in_dir("plugin_lifecycle", |stack, dir| {
        let good = plugins::good(dir, "acme")?;
        let program = stack.compile_tool("plugin_lifecycle")?;
        let finished = Job::mpi(stack, 1).arg(program).arg(good).preloaded()?.succeed()?;
        let reported: Vec<_> = finished.stderr.lines().filter(|line| line.starts_with("mpit: ")).collect();
        finished.expect(matches!(reported[..], [again, file, number]
            if again.contains("it was deactivated") && file.contains("/nowhere/acme.so") && number.contains(" 5")))
    })
}
