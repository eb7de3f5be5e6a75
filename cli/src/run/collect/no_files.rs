//! The reason why a run wrote no file, as far as its command shows.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use mpit_job::launcher::is_launcher;

use super::finished::FinishedRun;
use super::processes::Process;
use crate::elf::Program;
use crate::preload;
use crate::run::plan::program::programs;

/// The reason of which nothing else is known.
pub(super) const NONE_HERE: &str = "no process on this machine initialized MPI with the library";

pub(super) fn reason(words: &[OsString], library: &Path, status: ExitStatus) -> String {
    preload::try_loading(library).err().unwrap_or_else(|| reason_by_command(words, status))
}

/// Returns the reason why a run with `--output` has no file.
pub(super) fn reason_of_run(run: &FinishedRun<'_>) -> String {
    let processes = &run.processes;
    let advice =
        if run.plan.args.crash_safe { "" } else { "; keep the records of such processes with --crash-safe" };
    if processes.is_empty() {
        let certain = certain_reason(&run.plan.words, &run.plan.library);
        return match failure(run.status) {
            Some(how) if certain.is_none() && run.executed.node.job.is_some() => {
                format!("the command {how}; {NONE_HERE}")
            }
            _ => certain.unwrap_or_else(|| reason_by_command(&run.plan.words, run.status)),
        };
    }
    let of_command = failure_and(run.status);
    if processes.iter().all(Process::was_killed) {
        return format!("{of_command}no process reached MPI_Finalize{advice}");
    }
    if processes.iter().any(Process::could_not_write) {
        return "the processes could not write, and this command cannot either; the reasons are above".into();
    }
    if processes.iter().any(|process| process.is_running) {
        return "its processes still run, and write their files in MPI_Finalize".into();
    }
    if processes.iter().any(Process::was_killed) {
        return format!("{of_command}the processes with records did not reach MPI_Finalize{advice}");
    }
    "the processes reached MPI_Finalize, and a setting disables their records or files".into()
}

/// Returns the reason if it is certain: the library cannot be loaded, or not into the programs that the command names.
pub(super) fn certain_reason(words: &[OsString], library: &Path) -> Option<String> {
    preload::try_loading(library)
        .err()
        .or_else(|| dropped_environment(words))
        .or_else(|| obstacle(&programs(words)))
}

pub(crate) fn reason_by_command(words: &[OsString], status: ExitStatus) -> String {
    if let Some(why) = dropped_environment(words) {
        return why;
    }
    let programs = programs(words);
    if let Some(why) = obstacle(&programs).or_else(|| unlinked(&programs)) {
        return why;
    }
    if let Some(how) = failure(status) {
        return format!(
            "the command {how}; keep the records of processes that do not reach MPI_Finalize with --crash-safe"
        );
    }
    if let Some(path) = first_of(&programs, Program::Mpi) {
        return format!(
            "no process of {} reached MPI_Finalize with the library loaded; pass the environment on in its launcher (Open MPI: \
             mpiexec -x LD_PRELOAD -x MPIT_SET -x MPIT_RUN; srun: --export=ALL)",
            path.display()
        );
    }
    if programs.iter().any(|(_, kind)| *kind == Program::Other) {
        return "no process of the command called MPI, or LD_PRELOAD did not reach it".into();
    }
    "the command names no program that is linked with an MPI library".into()
}

fn first_of(programs: &[(PathBuf, Program)], wanted: Program) -> Option<&Path> {
    programs.iter().find(|(_, kind)| *kind == wanted).map(|(path, _)| path.as_path())
}

/// Returns the reason why nothing can be preloaded into one of the programs.
fn obstacle(programs: &[(PathBuf, Program)]) -> Option<String> {
    let of = |wanted: Program| wanted.obstacle(first_of(programs, wanted)?);
    [Program::Privileged, Program::Static, Program::OtherLibc].into_iter().find_map(of)
}

/// Returns a message for a program that finds the functions of MPI without the dynamic linker.
fn unlinked(programs: &[(PathBuf, Program)]) -> Option<String> {
    if first_of(programs, Program::Mpi).is_some() {
        return None;
    }
    let dynamic = programs.iter().filter(|(_, kind)| *kind == Program::Dynamic);
    let path = dynamic.map(|(path, _)| path).find(|path| mentions_mpi(path))?;
    Some(format!(
        "{} is not linked with an MPI library; if it finds the functions of MPI by dlopen and dlsym, load the library with \
         RTLD_GLOBAL, and find them by dlsym(RTLD_DEFAULT, ..)",
        path.display()
    ))
}

/// Returns true if a program has the name of a function of MPI as a string.
fn mentions_mpi(path: &Path) -> bool {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_PROGRAM_BYTES).read_to_end(&mut bytes));
    read.is_ok() && bytes.windows(INIT.len()).any(|bytes| bytes == INIT)
}

pub(super) fn failure(status: ExitStatus) -> Option<String> {
    match (status.code(), status.signal()) {
        (Some(0), _) | (None, None) => None,
        (Some(code), _) => Some(format!("ended with exit status {code}")),
        (None, Some(signal)) => Some(format!("was ended by signal {signal}")),
    }
}

/// Returns the beginning of a sentence about a command, which is empty if it succeeded.
pub(super) fn failure_and(status: ExitStatus) -> String {
    failure(status).map(|how| format!("the command {how}, and ")).unwrap_or_default()
}

/// Returns a message if an argument makes a launcher or another wrapper keep LD_PRELOAD and the settings from programs.
pub(super) fn dropped_environment(words: &[OsString]) -> Option<String> {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let base = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map_or("", AsRef::as_ref);
        let why = match base(word).as_str() {
            "env" if matches!(next, "-i" | "-" | "--ignore-environment") => {
                format!("`env {next}` removes LD_PRELOAD and MPIT_SET: run the command without it")
            }
            "sudo" | "su" | "doas" => format!("`{word}` removes LD_PRELOAD: run mpit as the other user"),
            // `-launcher ssh` of Hydra passes the environment on.
            "ssh" | "rsh" if at == 0 || !words[at - 1].starts_with('-') => {
                format!("`{word}` does not pass the environment on: run mpit on the other machine")
            }
            _ => match word.strip_prefix("--export").map(|rest| rest.strip_prefix('=').unwrap_or(next)) {
                Some(list) if !list.split(',').any(|name| name == "ALL" || name == preload::VARIABLE) => {
                    format!(
                        "`--export={list}` does not pass LD_PRELOAD and MPIT_SET on: use --export=ALL, or add their names"
                    )
                }
                _ => continue,
            },
        };
        return Some(why);
    }
    None
}

/// The number of bytes of a program that are searched for the names of functions.
const MAX_PROGRAM_BYTES: u64 = 64 << 20;

/// The beginning of the string `MPI_Init` or `MPI_Init_thread` in a program.
const INIT: &[u8] = b"\0MPI_Init";

/// The number of bytes of a script that are searched for a launcher.
const SCRIPT_BYTES: u64 = 64 * 1024;

/// Returns true if a command names a launcher, a program that uses MPI, or a script that names a launcher.
pub(super) fn names_mpi(words: &[OsString]) -> bool {
    let names_launcher =
        |word: &OsString| Path::new(word).file_name().and_then(OsStr::to_str).is_some_and(is_launcher);
    let is_launching = |path: &Path| {
        let mut text = Vec::new();
        let read = File::open(path).and_then(|file| file.take(SCRIPT_BYTES).read_to_end(&mut text));
        read.is_ok() && is_script_with_launcher(&text)
    };
    words.iter().any(names_launcher)
        || programs(words).iter().any(|(path, kind)| match kind {
            Program::Mpi => true,
            Program::Dynamic => mentions_mpi(path),
            Program::Other => is_launching(path),
            _ => false,
        })
}

/// Returns true if a text is a script that has the name of a launcher as a whole word.
fn is_script_with_launcher(text: &[u8]) -> bool {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    text.starts_with(b"#!")
        && text.split(|byte| !is_of_word(byte)).any(|word| str::from_utf8(word).is_ok_and(is_launcher))
}

#[cfg(test)]
mod tests {
    use super::{dropped_environment, is_script_with_launcher};

    #[test]
    fn scripts_name_launchers_as_words() {
        for text in
            ["#!/bin/sh\nexec /usr/bin/mpiexec -n 2 ./app", "#!/bin/sh\nsrun ./app", "#!/bin/sh\nx=$(mpirun)"]
        {
            assert!(is_script_with_launcher(text.as_bytes()), "{text}");
        }
        for text in
            ["#!/bin/sh\nrm -f mpiexec.log", "#!/bin/sh\nnot_srun my-mpirun", "mpiexec -n 2 ./app", ""]
        {
            assert!(!is_script_with_launcher(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn dropped_environment_is_detected() {
        let why = |line: &str| {
            let words: Vec<_> = line.split(' ').map(Into::into).collect();
            dropped_environment(&words)
        };
        for line in [
            "mpiexec -n 2 env -i ./app",
            "/usr/bin/env - ./app",
            "srun --export=NONE ./app",
            "srun --export NONE -n 2 ./app",
            "srun --export=PATH,HOME ./app",
            "sudo ./app",
        ] {
            assert!(why(line).is_some(), "{line}");
        }
        for line in [
            "mpiexec -n 2 ./app",
            "mpiexec -launcher ssh -n 2 ./app",
            "srun --export=ALL,X=1 ./app",
            "env X=1 ./app",
        ] {
            assert_eq!(why(line), None, "{line}");
        }
    }
}
