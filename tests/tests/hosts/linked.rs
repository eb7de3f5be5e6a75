//! Definitions in Rust that are linked into a program, or into a library that it loads, and are not plug-ins.

use mpit_tests::{Outcome, build, launch::Job, rust_plugins::Build};

use crate::library_detection::STANDARD;

#[test]
fn definitions_in_a_program_are_visible() -> Outcome {
    let package = Build::PLAIN.package("linked")?;
    let late = Build::PLAIN.plugin("short")?;
    let library = STANDARD.build()?.library;
    let in_c = STANDARD.program_with("stub_linked", &package.join("liblinked.a"))?;
    let preload = &build::artifacts()?.preload;
    let both = format!("{}:{}", preload.display(), library.display());
    let run = |job: Job, expected: &str| {
        let finished = job.succeed()?;
        finished.expect(finished.stdout == expected && finished.stderr.is_empty())
    };
    let in_rust = package.join("linked");
    run(Job::plain(&[]).arg(&in_rust).env("LD_PRELOAD", &library), "linked: false 0\n")?;
    let loads_later = Job::plain(&[]).arg(&in_rust).arg(&late).env("LD_PRELOAD", &both);
    run(loads_later, "linked: true 5\nloaded later: false true\n")?;
    run(Job::plain(&[]).arg(&in_c), "linked: false 0\n")?;
    run(Job::plain(&[]).arg(&in_c).preloaded()?, "linked: true 5\n")
}
