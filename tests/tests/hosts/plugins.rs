//! Plug-ins in MPI programs: correct ones are loaded, and defective ones cause no harm.

use std::fs;

use mpit_tests::plugins::{self, list};
use mpit_tests::{Context, Failure, Job, Outcome, Stack, Vendor, stacks};

const RANKS: u32 = 2;

#[test]
fn malformed_plugins_print_one_line_each() -> Outcome {
    let applies = |stack: &Stack| stack.vendor() != Vendor::Intel;
    stacks::for_each("malformed_plugins", applies, |stack| {
        let dir = stack.scratch("malformed_plugins")?;
        let all = plugins::malformed(&dir)?;
        let good = plugins::good(&dir, "acme")?;
        let paths = all.iter().map(|one| one.path.as_path()).chain([good.as_path()]);
        let inventory = dir.join("list.json");
        // A file for each rank: Open MPI 4's launcher passes on 4096 bytes at a time, which may end within a line.
        let script = r#"exec "$@" 2> "stderr.${PMI_RANK:-$OMPI_COMM_WORLD_RANK}""#;
        let job = Job::mpi(stack, RANKS).args(["sh", "-c", script, "sh"]).arg(stack.compile("ring")?);
        let job = job.env("MPIT_PLUGINS", list(paths));
        let finished = job.env("MPIT_LISTING_FILE", &inventory).dir(&dir).preloaded()?.succeed()?;
        for rank in 0..RANKS {
            let file = dir.join(format!("stderr.{rank}"));
            let text = fs::read_to_string(&file).context(file.display())?;
            let reported: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
            Failure::unless(reported.len() == all.len(), || {
                format!("{} lines for {} plug-ins\n{text}{finished}", reported.len(), all.len())
            })?;
            for one in &all {
                let path = one.path.display().to_string();
                let about = |line: &&&str| {
                    line.starts_with("mpit: ") && line.contains(&path) && line.contains(one.reported)
                };
                let times = reported.iter().filter(about).count();
                Failure::unless(times == 1, || format!("{times} lines about {one:?}\n{text}"))?;
            }
        }
        let text = fs::read_to_string(&inventory).context(inventory.display())?;
        Failure::unless(text.contains("\"name\":\"acme_work\""), || "the right one is not listed".into())
    })
}

/// Proves R316.
#[test]
fn plugin_is_listed_last_and_handles_expire() -> Outcome {
    stacks::on_each("plugin_lifecycle", |stack| {
        let dir = stack.scratch("plugin_lifecycle")?;
        let good = plugins::good(&dir, "acme")?;
        let program = stack.compile_tool("plugin_lifecycle")?;
        let finished = Job::mpi(stack, 1).arg(program).arg(good).preloaded()?.succeed()?;
        let reported: Vec<_> = finished.stderr.lines().filter(|line| line.starts_with("mpit: ")).collect();
        finished.expect(matches!(reported[..], [again, file, number]
            if again.contains("it was deactivated") && file.contains("/nowhere/acme.so") && number.contains(" 5")))
    })
}
