//! A plug-in in Rust in programs on real MPI libraries.

use mpit_tests::plugins::{self, list};
use mpit_tests::{Job, Outcome, rust_plugins::Build, stacks};

const RANKS: u32 = 3;

/// Tests of the second tier.
mod second {
    use super::*;

    #[test]
    fn a_tool_uses_every_plugin_entry() -> Outcome {
        let plugin = Build::PLAIN.plugin("every")?;
        stacks::on_each("rust_plugin", |stack| {
            let program = stack.compile_tool("rust_plugin")?;
            for threads in [&[][..], &["threads"]] {
                let job = Job::mpi(stack, RANKS).arg(&program).args(threads).env("MPIT_PLUGINS", &plugin);
                let finished = job.env("MPIT_EVERY_LIMIT", "7").under_mpit(&[])?.succeed()?;
                let good = finished.stdout.matches("received 3 steps, 0 failures").count();
                finished.expect(good == RANKS as usize)?;
            }
            Ok(())
        })
    }

    /// Tests plug-ins in C and in Rust together: R88 and R90 for objects, and C30.
    #[test]
    fn cvars_have_a_value_for_each_object() -> Outcome {
        let rust = Build::PLAIN.plugin("every")?;
        stacks::on_each("bound_cvars", |stack| {
            let dir = stack.scratch("bound_cvars")?;
            let paths = [plugins::compile(&dir, "bound", "bound", &[])?, rust.clone()];
            let has_sessions = !["ompi4.1.4", "ompi5.0.11", "mpich4.0.2"].contains(&stack.label());
            let sessions = if has_sessions { "sessions" } else { "none" };
            let interface = fortran_interface(stack).map(|file| stack.library.with_file_name(file));
            let job =
                Job::mpi(stack, 1).arg(stack.compile_tool("bound_cvars")?).arg(sessions).args(interface);
            let job = job.dir(&dir).env("MPIT_PLUGINS", list(paths.iter().map(std::path::PathBuf::as_path)));
            let job = job.env("MPIT_BOUND_COMM", "70").under_mpit(&[])?;
            job.succeed()?.expect_printed("bound_cvars: 0 failures")
        })
    }
}

/// Returns the file of the library's Fortran interface, if it has one.
fn fortran_interface(stack: &stacks::Stack) -> Option<&'static str> {
    match stack.label() {
        "ompi4.1.4" => Some("libmpi_mpifh.so"),
        "mpich4.0.2" => Some("libmpichfort.so"),
        "impi2021.19" => Some("libmpifort.so.12"),
        "impi2021.19-abi" => Some("libmpifort_abi.so.1"),
        _ => None,
    }
}
