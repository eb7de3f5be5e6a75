//! Calls of the program are recorded wherever it makes them; calls that MPI, or a tool between us and MPI,
//! makes inside them are not.

use mpit_tests::{Outcome, launch::Job, stacks};

use crate::{each_sent, on_each_in_dir, on_in_dir, read_all, recorded, rows};

#[test]
fn exceptions_do_not_stop_recording() -> Outcome {
    on_each_in_dir("exceptions", |stack, dir| {
        let job = Job::mpi(stack, 1).arg(stack.compile_cxx("exceptions")?).arg(".");
        rows::match_expected(dir, &recorded(job, dir, 1)?.1)
    })
}

/// Tests one stack of each ABI, because the dynamic linker decides which definition a program finds.
#[test]
fn dlsym_calls_are_recorded_or_reported() -> Outcome {
    on_in_dir(&["ompi4.1.4", "mpich5.0.2", "mpich5.0.2-abi"], "dlsym_calls", |stack, dir| {
        // Not linked with the MPI library, because it needs no symbol of it.
        let options = ["-Wl,--as-needed", "-ldl"];
        let program = stacks::c_variant(Some(stack), "dlsym_calls", "dlsym_calls", &options)?;
        let run = |definitions: &str| {
            let job = Job::mpit(&["run", "--quiet", "--output", definitions, "--"])?.on(stack).dir(dir);
            job.arg(&program).arg(&stack.library).arg(definitions).succeed()
        };
        let finished = run("first")?;
        finished.expect(finished.stderr.is_empty())?;
        each_sent(&read_all(&dir.join("first"), 1)?, |_| (0, 1, 4))?;
        let finished = run("own")?;
        let line = format!(
            "mpit: no file own.* was written: {} is not linked with an MPI library; if it finds the functions of MPI by dlopen",
            program.display()
        );
        finished.expect(finished.stderr.matches(&line).count() == 1)
    })
}

#[test]
fn pmpi_tools_get_all_arguments() -> Outcome {
    on_each_in_dir("pmpi_tool_program", |stack, dir| {
        let tool = stacks::c_variant(Some(stack), "pmpi_tool", "libpmpi_tool.so", &["-shared", "-fPIC"])?;
        let link = tool.display().to_string();
        let program = stacks::c_variant(Some(stack), "pmpi_tool_program", "pmpi_tool_program", &[&link])?;
        let (finished, profs) = recorded(Job::mpi(stack, 1).arg(program), dir, 1)?;
        finished.expect(finished.stdout.trim() == "2.5 more 1099511627776 8")?;
        each_sent(&profs, |_| (0, 3, 12))
    })
}
