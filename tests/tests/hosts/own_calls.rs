//! Calls of the program are recorded wherever it makes them; calls that MPI, or a tool between us and MPI,
//! makes inside them are not.

use mpit_tests::{Failure, Outcome, build, launch::Job, stacks};

use crate::{read_all, rows, written_to};

#[test]
fn calls_in_callbacks_are_the_program_s_own() -> Outcome {
    stacks::on_each("own_calls", |stack| rows::equal_the_ledger(stack, "own_calls", 2))
}

#[test]
fn recording_goes_on_after_an_exception() -> Outcome {
    stacks::on_each("thrown", |stack| {
        let program = stack.compile_cxx("thrown")?;
        let dir = stack.scratch("thrown")?;
        let job = Job::mpi(stack, 1).arg(program).arg(".").dir(&dir);
        job.under_mpit(&written_to("prof"))?.succeed()?;
        let prof = &read_all(&dir.join("prof"), 1)?[0];
        rows::same(0, &rows::of(prof), &rows::of_ledger(&dir, 0)?)
    })
}

#[test]
fn pmpi_calls_count_once() -> Outcome {
    stacks::on_each("wrapped", |stack| rows::equal_the_ledger(stack, "wrapped", 2))
}

/// Tests one stack of each ABI, because the dynamic linker decides which definition a program finds.
#[test]
fn found_functions_count_or_are_named() -> Outcome {
    stacks::for_each(
        "found_calls",
        |stack| ["ompi4.1.4", "mpich5.0.2", "mpich5.0.2-abi"].contains(&stack.label()),
        |stack| {
            // Not linked with the MPI library, because it needs no symbol of it.
            let options = ["-Wl,--as-needed", "-ldl"];
            let program = build::c_variant(Some(stack), "found_calls", "found_calls", &options)?;
            let dir = stack.scratch("found_calls")?;
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
            let line = "mpit: nothing was recorded, there is no file own.*: the command names no program that is linked with an \
                        MPI library";
            Failure::unless(finished.stderr.matches(line).count() == 1, || finished.to_string())
        },
    )
}

#[test]
fn a_tool_behind_gets_all_arguments() -> Outcome {
    stacks::on_each("through_tool", |stack| {
        let tool = build::c_variant(Some(stack), "tool_behind", "libtool_behind.so", &["-shared", "-fPIC"])?;
        let link = tool.display().to_string();
        let program = build::c_variant(Some(stack), "through_tool", "through_tool", &[&link])?;
        let dir = stack.scratch("through_tool")?;
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
