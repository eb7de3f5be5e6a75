//! `mpit vars`.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use mpit_ffi::listing::{LISTING_FILE, Listing};

use crate::{Vars, is_program, preload, table};

/// Prints the list.
pub(crate) fn list(args: &Vars) -> Result<ExitCode, String> {
    let listing = if args.command.is_empty() {
        Listing::of_this_process()
    } else {
        of_command(&args.command, &preload::find(args.library.file.as_deref())?, |_| ())?
    };
    let text = if args.json {
        let json =
            serde_json::to_string_pretty(&listing).map_err(|error| format!("cannot write JSON: {error}"))?;
        json + "\n"
    } else {
        table::of(&listing)
    };
    match std::io::stdout().write_all(mpit::printable(&text).as_bytes()) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("cannot write: {error}")),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Runs a command and takes the list that its first MPI process writes.
pub(crate) fn of_command(
    words: &[OsString],
    library: &Path,
    prepare: impl FnOnce(&mut Command),
) -> Result<Listing, String> {
    is_program(words)?;
    let dir = tempfile::tempdir().map_err(|error| format!("cannot make a temporary directory: {error}"))?;
    let file = dir.path().join("listing.json");
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env(LISTING_FILE, &file);
    prepare(&mut command);
    // Standard output is for the list alone.
    command.stdout(Stdio::from(std::io::stderr()));
    preload::add(&mut command, library);
    let name = words[0].display();
    let status = command.status().map_err(|error| format!("cannot run {name}: {error}"))?;
    let text = std::fs::read(&file).map_err(|_| {
        format!("{name} ended with {status}, and no process of it brought MPI up: name a command that runs an MPI program")
    })?;
    serde_json::from_slice(&text).map_err(|error| format!("the list of variables is damaged: {error}"))
}
