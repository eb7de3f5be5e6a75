//! Paths of the tests' sources, and of files built and installed for them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::{Context, Outcome};

/// Returns the root of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"))
}

/// Returns cargo's target directory: `CARGO_TARGET_DIR`, or `target` in the workspace.
pub fn target() -> PathBuf {
    workspace().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Returns the directory of the files that `cargo build` leaves, also if `CARGO_BUILD_TARGET` names a target.
pub fn built() -> PathBuf {
    of_build_target(&target()).join("debug")
}

/// Returns the directory of the profiles in a target directory: itself, or one of it if `CARGO_BUILD_TARGET` names a target.
pub(crate) fn of_build_target(target: &Path) -> PathBuf {
    target.join(env::var_os("CARGO_BUILD_TARGET").unwrap_or_default())
}

/// Returns the directory in which `cargo xtask setup` installs the MPI libraries from PyPI, one virtual environment per
/// package.
pub fn wheels() -> PathBuf {
    target().join("mpi")
}

/// Returns the directory of the programs that `hosts/from_source.sh` built, if it was run.
pub fn from_source() -> PathBuf {
    wheels().join("from_source")
}

/// Returns the Python that reads tables, with DuckDB, pandas, Polars and Dask, and what tests of the Python package need, if `cargo xtask setup` could
/// install it.
pub fn python_with_tables() -> Option<PathBuf> {
    let home = wheels().join("python");
    // Written last, when all packages are there.
    home.join("installed.txt").exists().then(|| home.join("bin/python"))
}

/// Returns the directory of object files of crates outside of the workspace.
pub fn shared() -> PathBuf {
    target().join("shared")
}

/// Returns the variables with which cargo builds crates outside of the workspace: they share their dependencies, and use little disk space.
pub fn shared_build() -> [(&'static str, OsString); 3] {
    [
        ("CARGO_BUILD_BUILD_DIR", shared().into_os_string()),
        ("CARGO_INCREMENTAL", "0".into()),
        ("CARGO_PROFILE_DEV_DEBUG", "0".into()),
    ]
}

/// Returns the directory in which programs are built and run for the tests on real MPI libraries.
pub fn hosts() -> PathBuf {
    target().join("hosts")
}

/// Returns a file among the sources of the tests, such as `hosts/c/ring.c`.
pub fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the first executable named `program` in the search path.
pub fn find_program(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(program)).find(|path| path.is_file())
}

/// Returns an empty directory for the output of `test` on the stack `label`.
pub fn scratch(label: &str, test: &str) -> Outcome<PathBuf> {
    let dir = hosts().join(label).join(test);
    if dir.exists() {
        fs::remove_dir_all(&dir).context(dir.display())?;
    }
    fs::create_dir_all(&dir).context(dir.display())?;
    Ok(dir)
}
