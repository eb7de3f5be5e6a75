//! Identification of the MPI library by its symbols and its answers; unknown libraries are not touched.

use std::path::Path;

use mpit_tests::{
    Context, Failure, Outcome,
    launch::{Finished, Job},
    paths,
    prof::Prof,
    stubs::Stub,
};

use crate::written_to;

/// A library of unknown ABI with integer handles, such as HPE MPT.
pub(crate) const INTEGERS: Stub = Stub {
    label: "integers",
    file: "libmpi.so",
    constants: "STUB_INTEGERS",
    version: None,
    has_profiling_library: false,
    needs_objects: false,
};

/// A library of a future version of the standard ABI, whose constants may differ.
const LATER: Stub = Stub { label: "later", version: Some(2), ..INTEGERS };

/// Libraries with unknown constants.
const UNKNOWN: [Stub; 3] = [
    INTEGERS,
    LATER,
    // A library with an own ABI that is none of the known ones.
    Stub { label: "integers_apart", version: Some(-1), has_profiling_library: true, ..INTEGERS },
];

pub(crate) const STANDARD: Stub = Stub {
    label: "standard",
    file: "libmpi_abi.so",
    constants: "STUB_STANDARD",
    version: Some(1),
    has_profiling_library: false,
    needs_objects: false,
};

/// Open MPI's own ABI.
pub(crate) const OBJECTS: Stub = Stub {
    label: "objects",
    file: "libmpi.so",
    constants: "STUB_OBJECTS",
    version: Some(-1),
    needs_objects: true,
    ..STANDARD
};

/// Libraries with known constants.
const KNOWN: [Stub; 5] = [
    STANDARD,
    Stub { label: "standard_apart", has_profiling_library: true, ..STANDARD },
    // Open MPI since version 6: two libraries over a third one, which has the objects of its own ABI.
    Stub { label: "standard_over_objects", needs_objects: true, ..STANDARD },
    OBJECTS,
    Stub {
        label: "objects_apart",
        file: "libmpi.so",
        constants: "STUB_OBJECTS",
        version: Some(-1),
        needs_objects: true,
        has_profiling_library: true,
    },
];

/// Returns the program linked with the library, and the program that loads the library privately.
fn jobs(stub: &Stub) -> Outcome<Vec<Vec<String>>> {
    let built = stub.build()?;
    let line = |words: &[&Path]| words.iter().map(|word| word.display().to_string()).collect();
    Ok(vec![line(&[&built.linked]), line(&[&built.private[0], &built.private[1]])])
}

fn run(line: &[String], job: Job) -> Outcome<Finished> {
    job.args(&line.iter().map(String::as_str).collect::<Vec<_>>()).finish()
}

#[test]
fn unknown_libraries_are_unaffected() -> Outcome {
    for stub in UNKNOWN {
        let dir = paths::hosts().join("stubs").join(stub.label);
        for line in jobs(&stub)? {
            let bare = run(&line, Job::plain(&[]))?;
            Failure::unless(bare.code == Some(0), || bare.to_string())?;
            let watched = run(&line, Job::plain(&[]).dir(&dir).preloaded()?)?;
            let mut recorded = Job::plain(&[]).dir(&dir).preloaded()?;
            for (name, value) in written_to("none") {
                recorded = recorded.env(&format!("MPIT_{}", name.to_uppercase()), value);
            }
            let recorded = run(&line, recorded)?;
            // Another rank of the same job prints nothing.
            let second = run(&line, Job::plain(&[]).preloaded()?.env("PMIX_RANK", "1"))?;
            for (finished, lines) in [(&watched, 1), (&recorded, 1), (&second, 0)] {
                let same = finished.code == bare.code && finished.stdout == bare.stdout;
                Failure::unless(same, || format!("{}: bare:\n{bare}\nwith mpit:\n{finished}", stub.label))?;
                let reported: Vec<_> = finished.stderr.lines().collect();
                let version = |line: &&&str| {
                    line.starts_with("mpit: ") && line.contains("\"Stub MPI 2.30 built for no machine\"")
                };
                let is_reported = reported.len() == lines && reported.iter().filter(version).count() == lines;
                Failure::unless(is_reported, || format!("{}: {finished}", stub.label))?;
            }
            let left = dir.join("none.0.prof");
            Failure::unless(!left.exists(), || format!("{} was written", left.display()))?;
        }
    }
    Ok(())
}

#[test]
fn the_library_identifies_its_abi() -> Outcome {
    for stub in KNOWN {
        let dir = paths::hosts().join("stubs").join(stub.label);
        for line in jobs(&stub)? {
            let stem = dir.join("run");
            let _ = std::fs::remove_file(dir.join("run.0.prof"));
            let mut job = Job::plain(&[]).dir(&dir).preloaded()?;
            for (name, value) in written_to("run") {
                job = job.env(&format!("MPIT_{}", name.to_uppercase()), value);
            }
            let finished = run(&line, job)?;
            let fine = finished.code == Some(0) && finished.stdout == "3 sent, 0 failures\n";
            Failure::unless(fine && finished.stderr.is_empty(), || format!("{}: {finished}", stub.label))?;
            let prof = Prof::read(&stem, 0).context(stub.label)?;
            let messages = prof.rows('E').get(&0).map(|row| (row.messages, row.bytes));
            Failure::unless(messages == Some((3, 12)), || format!("{}: {prof:?}", stub.label))?;
        }
    }
    Ok(())
}
