//! The states that processes leave, and the last lines that say so.

use mpit_components::store::{Failure, Outcome};

/// The end of a process.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// Without `MPI_Finalize`.
    Killed,
    /// In or after `MPI_Finalize`.
    Finalized(Outcome),
    /// In or after `MPI_Finalize`, with a store that could not grow.
    Truncated(Outcome),
    /// In or after `MPI_Finalize`, with a damaged store.
    Damaged(Outcome),
    /// The process still runs.
    Running,
}

pub(super) const FULL: Outcome = Outcome::Failed(Failure::Errno(28));
const NO_MEMORY: Outcome = Outcome::Failed(Failure::Errno(12));
const DENIED: Outcome = Outcome::Failed(Failure::Errno(13));
const OTHER_ROOT: Outcome = Outcome::Failed(Failure::OtherRoot);
const OTHER_DIRECTORY: Outcome = Outcome::Failed(Failure::OtherDirectory);
const OTHER: Outcome = Outcome::Failed(Failure::Other);

/// A case: the options, the ends of the first processes of two, a script, and the lines. In the lines, STEM stands for the absolute path of
/// `x`, and `...` at the end for any text.
pub(super) type Case<'a> = (&'a [&'a str], &'a [End], &'a str, &'a [&'a str]);

pub(super) const NO_FILE: &str = "no file x.* was written: ";
pub(super) const DETAILS: &str = "; `mpit doctor` reports details";
pub(super) const LOST: &str = "they are lost, because the processes could not write them either";

pub(super) const CASES: [Case<'_>; 37] = [
    // Nothing initialized MPI.
    (
        &["-o", "x"],
        &[],
        "true",
        &["NO the command names no program that is linked with an MPI library DETAILS"],
    ),
    (
        &["-o", "x"],
        &[],
        "exit 3",
        &[
            "NO the command ended with exit status 3; no process on this machine initialized MPI with the library DETAILS",
        ],
    ),
    (
        &["-o", "x", "--crash-safe"],
        &[],
        "kill -9 $$",
        &[
            "NO the command was ended by signal 9; no process on this machine initialized MPI with the library DETAILS",
        ],
    ),
    (
        &["-o", "x"],
        &[],
        "echo by-dlopen-MPI ./opens",
        &["NO ./opens is not linked with an MPI library; if it finds..."],
    ),
    (
        &["--summary", "s"],
        &[],
        "exit 3",
        &[
            "no file s.summary was written: the command ended with exit status 3, and processes write it at the end of MPI",
        ],
    ),
    // Processes ended without MPI_Finalize.
    (
        &["-o", "x"],
        &[End::Killed; 2],
        "true",
        &["NO no process reached MPI_Finalize; keep the records of such processes with --crash-safe DETAILS"],
    ),
    (
        &["-o", "x"],
        &[End::Killed; 2],
        "exit 1",
        &[
            "NO the command ended with exit status 1, and no process reached MPI_Finalize; keep the records of such processes with --crash-safe DETAILS",
        ],
    ),
    (
        &["-o", "x", "--crash-safe"],
        &[End::Killed; 2],
        "exit 1",
        &["ranks 0-1 ended without MPI_Finalize: recovered up to the last call, in STEM.<rank>.prof"],
    ),
    (
        &["--summary", "s"],
        &[End::Killed; 2],
        "true",
        &["no file s.summary was written: no process reached MPI_Finalize, in which they write it"],
    ),
    (
        &["-o", "x"],
        &[End::Killed, End::Finalized(FULL)],
        "exit 1",
        &[
            "rank 1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
            "rank 0 of 2 left no records, without MPI_Finalize: the command ended with exit status 1; keep such records with --crash-safe",
        ],
    ),
    (
        &["-o", "x", "--crash-safe"],
        &[End::Killed, End::Finalized(FULL)],
        "true",
        &[
            "rank 0 ended without MPI_Finalize: recovered up to the last call, in STEM.<rank>.prof",
            "rank 1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
        ],
    ),
    // Processes could not write.
    (
        &["-o", "x"],
        &[End::Finalized(FULL), End::Finalized(DENIED)],
        "true",
        &[
            "rank 1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (Permission denied (os error 13))",
            "rank 0 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
        ],
    ),
    (
        &["-o", "x"],
        &[End::Finalized(OTHER_DIRECTORY); 2],
        "true",
        &[
            "ranks 0-1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (the process sees another directory, or none, under the name of this one)",
        ],
    ),
    (
        &["-o", "x"],
        &[End::Finalized(OTHER_ROOT), End::Finalized(OTHER)],
        "true",
        &[
            "rank 0 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (the process changed its root directory after MPI_Init)",
            "rank 1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof",
        ],
    ),
    (
        &["-o", "x"],
        &[End::Finalized(Outcome::Due); 2],
        "true",
        &["ranks 0-1 ended in MPI_Finalize before writing: recovered, in STEM.<rank>.prof"],
    ),
    (
        &["-o", "x"],
        &[End::Truncated(FULL), End::Finalized(FULL)],
        "true",
        &[
            "ranks 0-1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
            "the last records of rank 0 are missing: their .store files could not grow",
        ],
    ),
    (
        &["-o", "x"],
        &[End::Finalized(FULL); 2],
        "mkdir x.0.prof x.1.prof",
        &[
            "cannot write STEM.<rank>.prof with the records of ranks 0-1: Is a directory (os error 21); LOST",
            "NO the processes could not write, and this command cannot either; the reasons are above DETAILS",
        ],
    ),
    (
        &["-o", "x"],
        &[End::Damaged(FULL), End::Finalized(FULL)],
        "true",
        &[
            "the records of rank 0 are lost: its store: byte...",
            "rank 1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
        ],
    ),
    (
        &["-o", "x"],
        &[End::Finalized(FULL)],
        "true",
        &[
            "rank 0 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
            "rank 1 of 2 left no records, unlike those on n1: the library was not loaded there. Put mpit behind...",
        ],
    ),
    (
        &["--summary", "s"],
        &[End::Finalized(Outcome::NotDue); 2],
        "true",
        &[
            "no file s.summary was written: the processes that reached MPI_Finalize could not write it, or a setting disables it; their messages are above",
        ],
    ),
    // Processes were not to write, or may still do so.
    (
        &["-o", "x"],
        &[End::Finalized(Outcome::NotDue); 2],
        "true",
        &["NO the processes reached MPI_Finalize, and a setting disables their records or files DETAILS"],
    ),
    (
        &["-o", "x"],
        &[End::Finalized(Outcome::NotDue), End::Killed],
        "true",
        &[
            "NO the processes with records did not reach MPI_Finalize; keep the records of such processes with --crash-safe DETAILS",
        ],
    ),
    (
        &["-o", "x"],
        &[End::Running, End::Finalized(FULL)],
        "true",
        &[
            "rank 1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
            "rank 0 of 2 still runs, and writes in MPI_Finalize",
        ],
    ),
    (
        &["-o", "x"],
        &[End::Running],
        "true",
        &["NO its processes still run, and write their files in MPI_Finalize DETAILS"],
    ),
    // One file for all.
    (
        &["-o", "x", "--one-file"],
        &[End::Finalized(FULL); 2],
        "true",
        &[
            "ranks 0-1 could not write in MPI_Finalize: recovered, in STEM.prof (No space left on device (os error 28))",
            "wrote x.prof; read it with `mpit report x.prof`",
        ],
    ),
    (
        &["-o", "x", "--one-file"],
        &[End::Finalized(Outcome::Written), End::Finalized(FULL)],
        "printf '# MPIT RUN\\t-\\tw\\t2 ranks\\t2026-11-22T08:15:00.123Z\\tn1\\n' > x.0.prof",
        &[
            "rank 1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
            "no file x.prof was written; the records are in other files, which `mpit report x` reads",
        ],
    ),
    // The file has the records of the other ranks, and stays.
    (
        &["-o", "x", "--one-file"],
        &[End::Finalized(NO_MEMORY), End::Finalized(Outcome::HandedOver)],
        "printf '# MPIT JOB\\t1\\t2 ranks\\t-\\tw\\t2 ranks\\t2026-11-22T08:15:00.123Z\\n' > x.prof",
        &[
            "rank 0 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (Cannot allocate memory (os error 12))",
            "wrote x.prof; read it with `mpit report x.prof`",
        ],
    ),
    (
        &["-o", "x", "--one-file"],
        &[End::Finalized(FULL); 2],
        "mkdir x.prof",
        &[
            "cannot write STEM.prof with the records of ranks 0-1: Is a directory (os error 21); LOST",
            "NO the processes could not write, and this command cannot either; the reasons are above DETAILS",
        ],
    ),
    // Tables of the records.
    (
        &["-o", "x", "--tables"],
        &[],
        "true",
        &["NO the command names no program that is linked with an MPI library DETAILS"],
    ),
    (
        &["-o", "x", "--tables"],
        &[End::Finalized(FULL); 2],
        "true",
        &[
            "ranks 0-1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
            "wrote x.tables; read it with `mpit report x.tables`",
        ],
    ),
    (
        &["-o", "x", "--tables", "--crash-safe"],
        &[End::Killed; 2],
        "exit 3",
        &[
            "ranks 0-1 ended without MPI_Finalize: recovered up to the last call, in STEM.<rank>.prof",
            "wrote x.tables; read it with `mpit report x.tables`",
        ],
    ),
    (
        &["-o", "x", "--tables"],
        &[End::Running, End::Finalized(FULL)],
        "true",
        &[
            "rank 1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
            "rank 0 of 2 still runs, and writes in MPI_Finalize",
            "wrote x.tables; read it with `mpit report x.tables`",
        ],
    ),
    (
        &["-o", "x", "--tables"],
        &[End::Finalized(FULL); 2],
        "mkdir x.tables",
        &[
            "ranks 0-1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
            "x.tables is there and not finished; the records stay in files. Remove it, and pack them with `mpit pack`",
        ],
    ),
    // A series.
    (
        &["-o", "x", "--series", "0.1"],
        &[],
        "true",
        &[
            "no file x*.prof was written: the command names no program that is linked with an MPI library DETAILS",
        ],
    ),
    (
        &["-o", "x", "--series", "0.1"],
        &[End::Finalized(FULL); 2],
        "true",
        &[
            "ranks 0-1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
        ],
    ),
    (
        &["-o", "x", "--series", "0.1"],
        &[End::Finalized(FULL); 2],
        "mkdir x.series",
        &[
            "ranks 0-1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
            "cannot write STEM.series: Is a directory (os error 21)",
        ],
    ),
    // A job that is watched.
    (
        &["-o", "x", "--stuck", "60"],
        &[End::Finalized(FULL); 2],
        "true",
        &[
            "ranks 0-1 could not write in MPI_Finalize: recovered, in STEM.<rank>.prof (No space left on device (os error 28))",
        ],
    ),
];
