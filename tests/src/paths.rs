//! Where things are: sources of the tests, and what is built and installed for them.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::{Context, Outcome};

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"))
}

/// Cargo's target directory: `CARGO_TARGET_DIR`, or `target` in the workspace.
pub fn target() -> PathBuf {
    workspace().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Where `cargo xtask setup` puts the MPI libraries that come from PyPI: one virtual environment per package.
pub fn wheels() -> PathBuf {
    target().join("mpi")
}

/// Where programs are built and run for the tests on real MPI libraries.
pub fn hosts() -> PathBuf {
    target().join("hosts")
}

/// A file among the sources of the tests, such as `hosts/c/ring.c`.
pub fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The first executable named `program` in the search path.
pub fn find_program(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(program)).find(|path| path.is_file())
}

/// An empty directory for what `test` writes on the stack `label`.
///
/// # Errors
/// If the directory cannot be emptied or made.
pub fn scratch(label: &str, test: &str) -> Outcome<PathBuf> {
    let dir = hosts().join(label).join(test);
    if dir.exists() {
        fs::remove_dir_all(&dir).context(dir.display())?;
    }
    fs::create_dir_all(&dir).context(dir.display())?;
    Ok(dir)
}
