//! A plug-in in Rust in programs on real MPI libraries.

use mpit_tests::{Failure, Outcome, launch::Job, rust_plugins::Build, stacks};

const RANKS: u32 = 3;

#[test]
fn a_tool_on_a_real_library_uses_all_that_a_plug_in_has() -> Outcome {
    let plugin = Build::PLAIN.plugin("every")?;
    stacks::for_each(
        "rust_plugin",
        |_| true,
        |stack| {
            let program = stack.compile_tool("rust_plugin")?;
            for threads in [&[][..], &["threads"]] {
                let job = Job::mpi(stack, RANKS).arg(&program).args(threads).env("MPIT_PLUGINS", &plugin);
                let finished = job.env("MPIT_EVERY_LIMIT", "7").under_mpit(&[])?.succeed()?;
                let good = finished.stdout.matches("heard of 3 steps, 0 failures").count();
                Failure::unless(good == RANKS as usize, || finished.to_string())?;
            }
            Ok(())
        },
    )
}
