//! Definitions in Rust that are linked into a program, or into a library that it loads, and are not plug-ins.

use std::path::Path;

use mpit_tests::{Outcome, build, launch::Job, rust_plugins::Build};

use crate::library_detection::STANDARD;

fn both(preload: &Path, library: &Path) -> String {
    format!("{}:{}", preload.display(), library.display())
}

fn run(job: Job, expected: &str) -> Outcome {
    let finished = job.succeed()?;
    finished.expect(finished.stdout == expected && finished.stderr.is_empty())
}

#[test]
fn definitions_in_a_program_are_visible() -> Outcome {
    let package = Build::PLAIN.package("linked")?;
    let library = STANDARD.build()?.library;
    let in_c = STANDARD.program_with("stub_linked", &package.join("liblinked.a"))?;
    let preload = &build::artifacts()?.preload;
    let both = both(preload, &library);
    let in_rust = package.join("linked");
    run(Job::plain(&[]).arg(&in_rust).env("LD_PRELOAD", &library), "linked: false 0\n")?;
    run(Job::plain(&[]).arg(&in_rust).env("LD_PRELOAD", &both), "linked: true 5\n")?;
    // The program has the definitions, and a `dylib` of Rust has mpit.
    let split = Build::PLAIN.package("split")?;
    let libraries = build::rust_libraries(&split)?;
    let job = Job::plain(&[]).arg(split.join("split")).env("LD_LIBRARY_PATH", libraries);
    run(job.env("LD_PRELOAD", &both), "linked: true 5\n")?;
    run(Job::plain(&[]).arg(&in_c), "linked: false 0\n")?;
    run(Job::plain(&[]).arg(&in_c).preloaded()?, "linked: true 5\n")
}

/// Tests that a query by name finds the definitions of an image that was loaded just before, in any thread, as soon as it is loaded.
#[test]
fn images_loaded_later_are_visible_at_once() -> Outcome {
    let program = Build::PLAIN.package("linked")?.join("linked");
    let library = STANDARD.build()?.library;
    let preload = &build::artifacts()?.preload;
    let expected = "linked: true 5\nloaded later: false true true\n";
    for build in [Build::PLAIN, Build::RELEASE, Build::LTO, Build::GNU_LD] {
        let late = build.plugin("short")?;
        for way in ["local", "global", "thread", "again"] {
            let job = || Job::plain(&[]).arg(&program).arg(&late).arg(way);
            run(job().env("LD_PRELOAD", both(preload, &library)), expected)?;
            // mpit's library is not in the program's scope, so the image cannot announce itself there.
            run(job().env("LD_PRELOAD", &library).env("MPIT_TEST_PRIVATE", preload), expected)?;
        }
    }
    Ok(())
}
