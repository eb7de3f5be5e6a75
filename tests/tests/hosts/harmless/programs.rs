//! The list of programs.

use mpit_tests::{Stack, paths, stacks::NO_GFORTRAN};

use crate::{foreign, unusual_messages::NO_SPAWN};

/// A program and its invocation. The defaults are those of `row`.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) source: Source,
    /// The words before `mpit run`: `%1` is the executable, `%2` the library beside it.
    pub(crate) outside: &'static [&'static str],
    /// A script of `sh` between launcher and program, whose arguments are the program and its arguments.
    pub(crate) script: &'static str,
    /// The arguments: `%2` is the library beside it, `%mpi` the MPI library.
    pub(crate) words: &'static [&'static str],
    /// The number of processes under a launcher; 0 for one process without a launcher.
    pub(crate) ranks: u32,
    pub(crate) expected_files: ExpectedFiles,
    /// True if numbers in its output differ from run to run.
    pub(crate) has_numbers: bool,
    /// True if the launcher ends the job early. In a fifth of such runs, Open MPI's launchers lose their
    /// message or print errors of their own, also without mpit, so standard error is not compared there.
    pub(crate) ends_job: bool,
    /// Stacks that cannot run it, with the reason.
    pub(crate) except: &'static [(&'static str, &'static str)],
}

/// The executable of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// `hosts/c/<name>.c` without MPI, with further options.
    Plain(&'static str, &'static [&'static str]),
    /// `hosts/c/<name>.c` without MPI, and beside it a shared library of the same language.
    Beside(&'static str, &'static str),
    /// The program that calls functions with names of MPI, linked or opened, with or without MPI.
    Foreign { linked: bool, mpi: bool },
    /// The sequential build of MUMPS.
    Sequential { mpi: bool },
    /// A command of the system.
    Command(&'static str),
    /// `hosts/c/<name>.c` with MPI.
    C(&'static str),
    /// A program in C, linked with a tool.
    Tool(&'static str),
    /// `hosts/cxx/<name>.cpp`.
    Cxx(&'static str),
    /// `hosts/fortran/<name>.F90` with an interface.
    Fortran(&'static str, &'static str),
    /// `hosts/python/<name>.py` with mpi4py.
    Python(&'static str),
}

impl Source {
    /// Returns the reason why this machine cannot build it, if there is one.
    pub(crate) fn missing(self) -> Option<&'static str> {
        match self {
            Sequential { .. } if !foreign::has_sequential() => {
                Some("no libmumps-seq-dev (Debian; see `cargo xtask setup`)")
            }
            Fortran(..) if paths::find_program("gfortran").is_none() => Some(NO_GFORTRAN),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedFiles {
    /// Files, in each mode that records.
    Files,
    /// Files, in the crash-safe modes only.
    FilesIfCrashSafe,
    Nothing,
    /// Not checked, because other tests do so.
    Anything,
}

use ExpectedFiles::{Anything, Files, FilesIfCrashSafe, Nothing};
use Source::{Beside, C, Command, Cxx, Foreign, Fortran, Plain, Python, Sequential, Tool};

impl Row {
    pub(crate) fn applies(&self, stack: &Stack) -> bool {
        let has_language = match self.source {
            Fortran(..) => stack.has_fortran(),
            Python(_) => stack.mpi4py().is_some(),
            _ => true,
        };
        has_language && self.except.iter().all(|(label, _)| *label != stack.label())
    }

    /// Returns true if standard error is equal in all runs on a stack.
    pub(crate) fn has_steady_errors(&self, stack: &Stack) -> bool {
        !self.ends_job || !stack.is_open_mpi()
    }

    const fn outside(self, outside: &'static [&'static str]) -> Self {
        Self { outside, ..self }
    }

    const fn script(self, script: &'static str) -> Self {
        Self { script, ..self }
    }

    const fn ranks(self, ranks: u32) -> Self {
        Self { ranks, ..self }
    }

    const fn expected_files(self, expected_files: ExpectedFiles) -> Self {
        Self { expected_files, ..self }
    }

    const fn with_numbers(self) -> Self {
        Self { has_numbers: true, ..self }
    }

    const fn ends_job(self) -> Self {
        Self { ends_job: true, ..self }
    }

    const fn except(self, except: &'static [(&'static str, &'static str)]) -> Self {
        Self { except, ..self }
    }
}

const fn row(
    name: &'static str,
    source: Source,
    words: &'static [&'static str],
    expected_files: ExpectedFiles,
) -> Row {
    let (outside, script, except) = (&[], "", &[]);
    let (ranks, has_numbers, ends_job) = (0, false, false);
    Row { name, source, outside, script, words, ranks, expected_files, has_numbers, ends_job, except }
}

/// Returns a row for a case of `plain_cases.c`.
const fn plain(words: &'static [&'static str]) -> Row {
    row(words[0], Plain("plain_cases", &["-ldl", "-lpthread", "-lm"]), words, Nothing)
}

/// Returns a row for a case of `mpi_cases.c`.
const fn mpi(words: &'static [&'static str]) -> Row {
    row(words[0], C("mpi_cases"), words, Files)
}

const fn shell(name: &'static str, words: &'static [&'static str]) -> Row {
    row(name, Command("sh"), words, Nothing)
}

/// Returns a row for a program that several processes of a job run, without further peculiarities.
const fn several(name: &'static str, source: Source, ranks: u32, words: &'static [&'static str]) -> Row {
    row(name, source, words, Files).ranks(ranks)
}

/// A script that runs the program with closed standard streams.
const CLOSED: &str = r#"exec "$@" <&- >&- 2>&-"#;

const PYTHON: &str = "
import os, subprocess, threading, multiprocessing
def square(x): return x * x
if __name__ == '__main__':
    print(subprocess.run(['echo', 'started'], capture_output=True, text=True).stdout.strip())
    sums = []
    threads = [threading.Thread(target=lambda: sums.append(sum(range(1000)))) for _ in range(4)]
    [t.start() for t in threads]; [t.join() for t in threads]
    print(sums)
    with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(square, range(5)))
    child = os.fork()
    if child == 0: os._exit(3)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
";

const CTYPES: &str = "
import _ctypes, ctypes, sys
mpi = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
flag = ctypes.c_int(0)
mpi.MPI_Initialized(ctypes.byref(flag)); print(flag.value)
print(mpi.MPI_Init(None, None))
mpi.MPI_Initialized(ctypes.byref(flag)); print(flag.value)
print(mpi.MPI_Finalize())
mpi.MPI_Finalized(ctypes.byref(flag)); print(flag.value)
_ctypes.dlclose(mpi._handle)
";

/// Programs without MPI, which run once and not on each stack.
pub(crate) const WITHOUT_MPI: &[Row] = &[
    plain(&["inherited"]),
    Row { name: "inherited, signals blocked and ignored", ..plain(&["inherited"]) }
        .outside(&["%1", "hands_on"]),
    Row { name: "inherited, in a session of its own", ..plain(&["inherited"]) }.outside(&["setsid"]),
    plain(&["handlers"]),
    plain(&["forks"]),
    plain(&["starts"]),
    plain(&["daemon"]),
    plain(&["closed"]).script(CLOSED),
    plain(&["closes_all"]),
    plain(&["quick_exit"]),
    plain(&["abort"]),
    plain(&["_exit"]),
    plain(&["killed"]),
    plain(&["terminated"]),
    plain(&["crashed"]),
    plain(&["too_long"]),
    plain(&["threads"]),
    plain(&["libraries"]),
    plain(&["environment"]),
    Row { name: "a large environment", ..plain(&["environment"]) }.outside(&[
        "sh",
        "-c",
        r#"LARGE=$(head -c 120000 /dev/zero | tr '\0' x) exec "$@""#,
        "sh",
    ]),
    plain(&["detects_mpi"]),
    plain(&["floating_point"]),
    plain(&["constructor"]),
    Row { name: "destructor", ..plain(&["nothing"]) }.script(r#"SAY_DESTRUCTOR=1 exec "$@""#),
    plain(&["input"]).script(r#"printf 'a\nb\nc\n' | "$@" | sort -r"#),
    Row { name: "without an environment", ..plain(&["environment"]) }.script(r#"exec env -i "$@""#),
    // Only root may give a file to another user; for others both runs show the same refusal.
    plain(&["privileged"]).script(r#"cp "$1" p && chown 65534 p && chmod 4755 p && ./p "$2" && rm p"#),
    row("linked statically", Plain("plain_cases", &["-static", "-lm", "-Wno-error"]), &["forks"], Nothing),
    row("preloaded already", Beside("plain_cases", "replaced_function"), &["replaced"], Nothing)
        .outside(&["env", "LD_PRELOAD=%2"]),
    row("audited", Beside("plain_cases", "replaced_function"), &["libraries"], Nothing)
        .outside(&["env", "LD_AUDIT=%2"]),
    row("address sanitizer", Plain("plain_cases", &["-fsanitize=address", "-lm"]), &["starts"], Nothing),
    row("foreign functions, linked", Foreign { linked: true, mpi: false }, &[], Nothing),
    row("foreign functions, opened", Foreign { linked: false, mpi: false }, &["%2"], Nothing),
    row("sequential MUMPS", Sequential { mpi: false }, &["%2"], Nothing),
    row("python", Command("python3"), &["-c", PYTHON], Nothing),
    shell(
        "a pipeline",
        &["-c", "seq 5 | while read i; do echo $((i * i)); done | tail -n 2; yes | head -n 1; exit 4"],
    ),
    shell("a trap", &["-c", "trap 'echo trapped; exit 6' TERM; kill -TERM $$; echo not reached"]),
    shell("a job in the background", &["-c", "(echo first > one; exit 3) & wait $!; echo $?; cat one"]),
    shell("a broken pipe", &["-c", "(yes; echo $? > status) | head -n 1; wait; cat status"]),
    shell(
        "a compiler",
        &["-c", "echo 'int main(void) { return 5; }' > a.c && cc a.c -o a.out && ./a.out; echo $?; rm a.out"],
    ),
    shell("no such command", &["-c", "no_such_command; exec ./no_such_file"]),
];

const NO_SESSIONS: &[(&str, &str)] = &[("ompi4.1.4", "it has no sessions")];

const NO_LEVELS: &[(&str, &str)] = &[
    ("ompi4.1.4", "it has no sessions"),
    ("mpich4.0.2", MPICH_ASSERTS),
    ("mpich5.0.2", MPICH_ASSERTS),
    ("mpich5.0.2-abi", MPICH_ASSERTS),
    ("impi2021.19", MPICH_ASSERTS),
    ("impi2021.19-abi", MPICH_ASSERTS),
];

const MPICH_ASSERTS: &str = "threads of a session fail its assertions when the world has MPI_THREAD_SINGLE";

const UCX_COMPLAINS: &str = "UCX prints a line for each socket that it tries to open";

const NO_FILES: &[(&str, &str)] = &[("mpich4.0.2", UCX_COMPLAINS), ("mpich5.0.2-abi", UCX_COMPLAINS)];

const NO_ERRORS: &[(&str, &str)] =
    &[("impi2021.19-abi", "the library ends the program although MPI_ERRORS_RETURN is set")];

/// Programs that run on stacks and in modes of the matrix.
pub(crate) const ON_MPI: &[Row] = &[
    mpi(&["nothing"]),
    mpi(&["finalize"]),
    mpi(&["finalize_at_exit"]),
    mpi(&["finalize_in_a_destructor"]),
    mpi(&["errors"]).except(NO_ERRORS),
    mpi(&["fatal"]).expected_files(FilesIfCrashSafe).with_numbers().ends_job(),
    mpi(&["mpi_abort"]).expected_files(FilesIfCrashSafe).with_numbers().ends_job(),
    mpi(&["exit"]).expected_files(FilesIfCrashSafe).with_numbers(),
    mpi(&["_exit"]).expected_files(FilesIfCrashSafe).with_numbers(),
    mpi(&["killed"]).expected_files(FilesIfCrashSafe),
    mpi(&["aborted"]).expected_files(FilesIfCrashSafe).with_numbers(),
    mpi(&["names"]),
    mpi(&["many"]),
    mpi(&["requests"]),
    mpi(&["buffers"]),
    mpi(&["types"]),
    mpi(&["files"]),
    mpi(&["interrupted"]),
    mpi(&["children"]),
    mpi(&["chdir"]),
    mpi(&["no_files_left"]).expected_files(Anything).with_numbers().except(NO_FILES),
    mpi(&["floating_point"]),
    mpi(&["small_stacks"]),
    mpi(&["input"]).script(r#"printf 'a\nb\nc\n' | "$@" | sort -r"#),
    mpi(&["becomes_another"]),
    mpi(&["silent"]),
    Row { name: "closed", ..mpi(&["nothing"]) }.script(CLOSED),
    Row { name: "without an environment", ..mpi(&["nothing"]) }
        .script(
            r#"exec env -i PATH="$PATH" HOME=/ OPAL_PREFIX="$OPAL_PREFIX" LD_LIBRARY_PATH="$LD_LIBRARY_PATH" I_MPI_FABRICS=shm OMPI_MCA_osc=^ucx "$@""#,
        )
        .expected_files(Nothing),
    Row { name: "in the background", ..mpi(&["files"]) }.script(r#""$@" > out & wait $!; cat out; cat of_mpi"#),
    row("preloaded already", Tool("pmpi_tool_program"), &[], Files).outside(&["env", "LD_PRELOAD=%2"]),
    row("through a tool", Tool("pmpi_tool_program"), &[], Files),
    row("python, ctypes", Command("python3"), &["-c", CTYPES, "%mpi"], Files).expected_files(Anything),
    row("foreign functions, linked", Foreign { linked: true, mpi: true }, &[], Files),
    row("foreign functions, opened", Foreign { linked: false, mpi: true }, &["%2"], Files),
    row("sequential MUMPS", Sequential { mpi: true }, &["%2"], Files),
    row("levels of threads", C("thread_levels"), &[], Files).ranks(1).except(NO_LEVELS),
    row("a session alone", C("session_only"), &[], Files).ranks(2).expected_files(Anything).except(NO_SESSIONS),
    row("limited files", C("limits"), &["30000", "30000"], Files).expected_files(Anything),
    row("exceptions", Cxx("exceptions"), &["."], Files),
    row("what a library lacks", Python("missing_functions"), &[], Files),
    several("calls in callbacks", C("nested_calls"), 2, &["."]),
    several("wrappers", C("pmpi_wrappers"), 2, &["."]),
    several("threads", C("concurrent_calls"), 2, &["."]),
    several("spawned processes", C("worlds"), 2, &["5", "spawn"]).except(NO_SPAWN),
    several("exit codes", C("final_output"), 2, &["none", "7"]).with_numbers().ends_job(),
    several("MPI_T", C("lifecycle"), 2, &["iqIqF"]),
    several("Fortran, mpif.h", Fortran("mixed", "MPIF_H"), 4, &[]),
    several("Fortran, mpi_f08", Fortran("mixed", "USE_MPI_F08"), 4, &[]),
    several("mpi4py", Python("mixed"), 4, &[]),
    several("files of all processes", C("io"), 4, &["."]),
];
