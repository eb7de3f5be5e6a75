//! Callbacks of tools and functions of plug-ins that make calls, and wait for threads that make calls: mpit
//! holds no lock while foreign code runs.

use std::fs;

use mpit_tests::{Context, Failure, Outcome, build, launch::Job};

use crate::{on_each_in_dir, recorded, rows};

#[test]
fn callbacks_may_make_calls() -> Outcome {
    on_each_in_dir("reentrant", |stack, dir| {
        let acme = dir.join("acme");
        fs::create_dir_all(&acme).context(acme.display())?;
        let job = Job::mpi(stack, 1)
            .arg(stack.compile_tool("reentrant")?)
            .env("MPIT_PLUGINS", build::plugin("reentrant")?)
            .env("MPIT_REENTRANT_SETTING", "1")
            .env("REENTRANT_OTHER", build::plugin("component")?)
            .env("ACME_DIR", &acme);
        let (finished, profs) = recorded(job, dir, 1)?;
        finished.expect(finished.stdout.trim() == "done")?;
        let sent = profs[0].rows('E').get(&0).map(|row| row.messages);
        Failure::unless(sent >= Some(1), || format!("the program's own message is missing: {sent:?}"))?;
        // Opened at MPI_Init, and closed by another thread while a component was being opened.
        let times = rows::of_lines(&acme.join("pml.0"))?;
        let times = times.get(&("times".to_owned(), "all".to_owned())).copied();
        Failure::unless(times == Some((1, 1)), || format!("opened and closed: {times:?}"))
    })
}
