//! Programs and libraries with variables of their own that are not MPI libraries.

use mpit_tests::{Finished, Job, Outcome, stacks};

#[test]
fn middleware_is_visible_where_mpit_is() -> Outcome {
    stacks::on_each("middleware", |stack| {
        let program = stack.compile("middleware")?;
        let says = |finished: &Finished, line| {
            finished.expect(finished.stdout.lines().any(|printed| printed == line))
        };
        let bare = Job::mpi(stack, 1).arg(&program).succeed()?;
        says(&bare, NOT_VISIBLE)?;
        let watched = Job::mpi(stack, 1).arg(&program).under_mpit(&[])?.succeed()?;
        says(&watched, "visible, 3 retries, 0 failures")?;

        // Settings of the program, which `mpit run` does not know; what nothing takes is reported once.
        let settings = [("middleware_limit", "7"), ("middleware_bound", "7")];
        let set = Job::mpi(stack, 2).arg(&program).under_mpit(&settings)?.succeed()?;
        says(&set, "limit 7")?;
        let reported: Vec<_> = set.stderr.lines().filter(|line| line.starts_with("mpit: ")).collect();
        let is_reported = matches!(reported[..], [line] if line.contains("--set: no control variable is called `middleware_bound`"));
        set.expect(is_reported)?;

        // A likely mistake: linked with the library for MPI implementors.
        let misplaced = stack.compile_beside_embedded("middleware")?;
        let finished = Job::mpi(stack, 1).arg(&misplaced).succeed()?;
        says(&finished, NOT_VISIBLE)?;
        let reported: Vec<_> = finished.stderr.lines().filter(|line| line.starts_with("mpit: ")).collect();
        finished.expect(
            matches!(reported[..], [line] if line.contains("libmpit.so") && line.contains("libmpi")),
        )?;
        let watched = Job::mpi(stack, 1).arg(&misplaced).under_mpit(&[])?.succeed()?;
        says(&watched, "visible, 3 retries, 0 failures")
    })
}

const NOT_VISIBLE: &str = "not visible, 0 retries, 0 failures";
