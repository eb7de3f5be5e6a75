//! The programs that benchmarks run, which is rare.

use mpit_tests::{Failure, Job, Outcome};

use crate::on_each_in_dir;

#[test]
fn measured_programs_run() -> Outcome {
    on_each_in_dir("measured_programs", |stack, dir| {
        for program in ["bench_job", "bench_plugins", "bench_threads"] {
            stack.compile(program)?;
        }
        let job = Job::mpi(stack, 1).arg(stack.compile("measured_calls")?).args(["time", "single", "10"]);
        let finished = job.dir(dir).succeed()?;
        Failure::unless(finished.stdout.contains("message 8"), || {
            format!("no time of a message: {finished:?}")
        })
    })
}
