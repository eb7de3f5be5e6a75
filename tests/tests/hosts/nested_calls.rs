//! Calls of the program are recorded wherever it makes them; calls that MPI, or a tool between us and MPI,
//! makes inside them are not.

use mpit_tests::{Failure, Outcome, build, launch::Job, stacks};

use crate::{read_all, rows, written_to};

#[test]
fn calls_in_callbacks_are_recorded() -> Outcome {
    stacks::on_each("nested_calls", |stack| rows::match_expected_rows(stack, "nested_calls", 2))
}

#[test]
fn exceptions_do_not_stop_recording() -> Outcome {
    stacks::on_each("exceptions", |stack| {
        let program = stack.compile_cxx("exceptions")?;
        let dir = stack.scratch("exceptions")?;
        let job = Job::mpi(stack, 1).arg(program).arg(".").dir(&dir);
        job.under_mpit(&written_to("prof"))?.succeed()?;
        let prof = &read_all(&dir.join("prof"), 1)?[0];
        rows::same(0, &rows::of(prof), &rows::expected_of(&dir, 0)?)
    })
}

#[test]
fn pmpi_calls_count_once() -> Outcome {
    stacks::on_each("pmpi_wrappers", |stack| rows::match_expected_rows(stack, "pmpi_wrappers", 2))
}

/// Tests one stack of each ABI, because the dynamic linker decides which definition a program finds.
#[test]
fn dlsym_calls_are_recorded_or_reported() -> Outcome {
    stacks::for_each(
        "dlsym_calls",
        |stack| ["ompi4.1.4", "mpich5.0.2", "mpich5.0.2-abi"].contains(&stack.label()),
        |stack| {
            // Not linked with the MPI library, because it needs no symbol of it.
            let options = ["-Wl,--as-needed", "-ldl"];
            let program = build::c_variant(Some(stack), "dlsym_calls", "dlsym_calls", &options)?;
            let dir = stack.scratch("dlsym_calls")?;
            let run = |definitions: &str| {
                let job = Job::alone(stack).arg(&build::artifacts()?.mpit).args(&[
                    "run",
                    "--output",
                    definitions,
                    "--",
                ]);
                job.arg(&program).arg(&stack.library).args(&[definitions]).dir(&dir).succeed()
            };
            let finished = run("first")?;
            let rows = rows::of(&read_all(&dir.join("first"), 1)?[0]);
            let sent = rows.get(&("E".into(), "0".into())).copied();
            Failure::unless(sent == Some((1, 4)) && finished.stderr.is_empty(), || {
                format!("(messages, bytes) are {sent:?}, should be (1, 4)\n{finished}")
            })?;
            let finished = run("own")?;
            let line = "mpit: no file own.* was written: the command names no program that is linked with an \
                        MPI library";
            Failure::unless(finished.stderr.matches(line).count() == 1, || finished.to_string())
        },
    )
}

#[test]
fn pmpi_tools_get_all_arguments() -> Outcome {
    stacks::on_each("pmpi_tool_program", |stack| {
        let tool = build::c_variant(Some(stack), "pmpi_tool", "libpmpi_tool.so", &["-shared", "-fPIC"])?;
        let link = tool.display().to_string();
        let program = build::c_variant(Some(stack), "pmpi_tool_program", "pmpi_tool_program", &[&link])?;
        let dir = stack.scratch("pmpi_tool_program")?;
        let job = Job::mpi(stack, 1).arg(program).dir(&dir).under_mpit(&written_to("prof"))?;
        let finished = job.succeed()?;
        Failure::unless(finished.stdout.trim() == "2.5 more 1099511627776 8", || finished.to_string())?;
        let rows = rows::of(&read_all(&dir.join("prof"), 1)?[0]);
        let sent = rows.get(&("E".into(), "0".into())).copied();
        Failure::unless(sent == Some((3, 12)), || {
            format!("(messages, bytes) are {sent:?}, should be (3, 12)")
        })
    })
}
