//! The preload library: where it is, and how a command gets it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

const NAME: &str = "libmpit_preload.so";

/// Finds the library: the one named, or beside this program, or where a package would have put it.
pub(crate) fn find(named: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(named) = named {
        return absolute(named).ok_or_else(|| format!("no preload library at {}", named.display()));
    }
    let program = std::env::current_exe().map_err(|error| format!("cannot tell where mpit is: {error}"))?;
    let beside = program.parent().unwrap_or(Path::new("."));
    let places = [beside.join(NAME), beside.join("../lib").join(NAME), beside.join("../lib/mpit").join(NAME)];
    places.iter().find_map(|place| absolute(place)).ok_or_else(|| {
        format!(
            "{NAME} is not in {} nor in ../lib from there; build it with `cargo build -p mpit-preload`, or name it with \
             --preload",
            beside.display()
        )
    })
}

fn absolute(file: &Path) -> Option<PathBuf> {
    file.is_file().then(|| file.canonicalize().ok())?
}

/// Puts the library in front of whatever is preloaded already. Returns what the environment says then.
pub(crate) fn add(command: &mut Command, library: &Path) -> OsString {
    let mut all = library.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        all.push(":");
        all.push(others);
    }
    command.env("LD_PRELOAD", &all);
    all
}
