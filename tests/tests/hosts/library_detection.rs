//! Identification of the MPI library by its symbols and its answers; unknown libraries are not touched.

use std::path::{Path, PathBuf};

use mpit_tests::{Context, Failure, Job, Outcome, Prof, paths, stubs::Stub};

use crate::{each_sent, written_to};

/// A library of unknown ABI with integer handles, such as HPE MPT.
pub(crate) const INTEGERS: Stub = Stub {
    label: "integers",
    file: "libmpi.so",
    constants: "STUB_INTEGERS",
    version: None,
    has_profiling_library: false,
    needs_objects: false,
};

const UNKNOWN: [Stub; 3] = [
    INTEGERS,
    // A library of a future version of the standard ABI, whose constants may differ.
    Stub { label: "later", version: Some(2), ..INTEGERS },
    // A library with an own ABI that is none of the known ones.
    Stub { label: "integers_apart", version: Some(-1), has_profiling_library: true, ..INTEGERS },
];

pub(crate) const STANDARD: Stub = Stub {
    label: "standard",
    file: "libmpi_abi.so",
    constants: "STUB_STANDARD",
    version: Some(1),
    ..INTEGERS
};

/// Open MPI's own ABI.
pub(crate) const OBJECTS: Stub =
    Stub { label: "objects", constants: "STUB_OBJECTS", version: Some(-1), needs_objects: true, ..INTEGERS };

const KNOWN: [Stub; 5] = [
    STANDARD,
    Stub { label: "standard_apart", has_profiling_library: true, ..STANDARD },
    // Open MPI since version 6: two libraries over a third one, which has the objects of its own ABI.
    Stub { label: "standard_over_objects", needs_objects: true, ..STANDARD },
    OBJECTS,
    Stub { label: "objects_apart", has_profiling_library: true, ..OBJECTS },
];

/// Returns the program linked with the library, and the program that loads the library privately.
fn programs(stub: &Stub) -> Outcome<[Vec<PathBuf>; 2]> {
    let built = stub.build()?;
    Ok([vec![built.linked], built.private.into()])
}

/// Returns a job in `dir` that records to `stem`. One setting has an environment variable of its own.
pub(crate) fn recording(dir: &Path, stem: &str) -> Outcome<Job> {
    let [(_, enabled), others @ ..] = written_to(stem);
    let job = Job::plain(&[]).dir(dir).env("MPIT_PML_MONITORING_ENABLE", enabled);
    job.preloaded_with(&others)
}

#[test]
fn unknown_libraries_are_unaffected() -> Outcome {
    for stub in UNKNOWN {
        let dir = paths::hosts().join("stubs").join(stub.label);
        for program in programs(&stub)? {
            let bare = Job::plain(&[]).args(&program).succeed()?;
            let watched = Job::plain(&[]).dir(&dir).preloaded()?.args(&program).finish()?;
            let recorded = recording(&dir, "none")?.args(&program).finish()?;
            // Another rank of the same job prints nothing.
            let second = Job::plain(&[]).preloaded()?.env("PMIX_RANK", "1").args(&program).finish()?;
            for (finished, lines) in [(&watched, 1), (&recorded, 1), (&second, 0)] {
                let same = finished.code == bare.code && finished.stdout == bare.stdout;
                Failure::unless(same, || format!("{}: bare:\n{bare}\nwith mpit:\n{finished}", stub.label))?;
                let version = "\"Stub MPI 2.30 built for no machine\"";
                let is_right = |line: &str| line.starts_with("mpit: ") && line.contains(version);
                let is_reported =
                    finished.stderr.lines().count() == lines && finished.stderr.lines().all(is_right);
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
        for program in programs(&stub)? {
            let _ = std::fs::remove_file(dir.join("run.0.prof"));
            let finished = recording(&dir, "run")?.args(&program).succeed()?;
            let fine = finished.stdout == "3 sent, 0 failures\n" && finished.stderr.is_empty();
            Failure::unless(fine, || format!("{}: {finished}", stub.label))?;
            each_sent(&[Prof::read(&dir.join("run"), 0)?], |_| (0, 3, 12)).context(stub.label)?;
        }
    }
    Ok(())
}
