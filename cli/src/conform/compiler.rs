//! The compiler for MPI programs.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::search_path::candidates;

/// The compiler's wrapper of an MPI library, such as `mpicc`.
#[derive(Debug)]
pub(super) struct Compiler {
    pub(super) path: PathBuf,
}

impl Compiler {
    /// Finds the named compiler, or else the one of a launcher: beside it, or in the search path.
    pub(super) fn find(named: Option<&Path>, launcher: Option<&Path>) -> Result<Self, String> {
        if let Some(named) = named {
            let found = candidates(named).and_then(first_file);
            return found
                .map(|path| Self { path })
                .ok_or_else(|| format!("--cc: there is no compiler {}", named.display()));
        }
        let wrappers = wrappers(launcher);
        let beside = launcher
            .and_then(Path::parent)
            .into_iter()
            .flat_map(|directory| wrappers.iter().map(|wrapper| directory.join(wrapper)));
        let found = first_file(beside.collect())
            .or_else(|| wrappers.iter().find_map(|wrapper| first_file(candidates(wrapper)?)));
        found.map(|path| Self { path }).ok_or_else(|| {
            "no mpicc beside the launcher or in PATH: install the development package of the MPI library, such as libopenmpi-dev or \
             libmpich-dev, or name its compiler with --cc"
                .into()
        })
    }

    /// Compiles a program. Fails with the first error of the compiler.
    pub(super) fn compile(&self, text: &str, program: &Path) -> Result<(), String> {
        let source = program.with_extension("c");
        fs::write(&source, text).map_err(|error| format!("cannot write {}: {error}", source.display()))?;
        let mut command = Command::new(&self.path);
        command.args(["-std=gnu11", "-pthread", "-w", "-o"]).arg(program).arg(&source);
        // Before glibc 2.34, dlsym is in libdl. Errors are read in English.
        command.arg("-ldl").env("LC_ALL", "C").stdin(Stdio::null());
        super::execute::leave_out_mpit(&mut command);
        let output =
            command.output().map_err(|error| format!("cannot run {}: {error}", self.path.display()))?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        Err(first_error(&text)
            .unwrap_or_else(|| format!("{} ended with {}", self.path.display(), output.status)))
    }
}

fn first_file(files: Vec<PathBuf>) -> Option<PathBuf> {
    files.into_iter().find(|file| file.is_file())
}

/// Returns the names of the compiler of a launcher: distributions with several MPI libraries add a suffix to both, as in
/// `mpiexec.openmpi`.
fn wrappers(launcher: Option<&Path>) -> Vec<String> {
    let name = launcher.and_then(Path::file_name).and_then(OsStr::to_str).unwrap_or_default();
    let suffix = name.find(['.', '-']).map(|at| &name[at..]).filter(|suffix| *suffix != ".hydra");
    suffix.map(|suffix| format!("mpicc{suffix}")).into_iter().chain(["mpicc".to_owned()]).collect()
}

/// Returns the first error in the output of a compiler or a linker, without the place.
fn first_error(text: &str) -> Option<String> {
    let part = |line: &str, mark: &str| line.find(mark).map(|at| line[at..].trim().to_owned());
    let is_about = |mark: &str| text.lines().find_map(|line| part(line, mark));
    is_about("undefined reference").or_else(|| is_about("error: "))
}

/// Returns true if an error of a compiler or a linker is about a name of MPI that the library lacks.
pub(super) fn lacks_name_of_mpi(error: &str) -> bool {
    let is_missing = ["undeclared", "undefined", "implicit declaration", "unknown type name"]
        .iter()
        .any(|part| error.contains(part));
    let mut words = error.split(|char: char| char != '_' && !char.is_ascii_alphanumeric());
    is_missing && words.any(|word| word.starts_with("MPI_") || word.starts_with("PMPI_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_has_the_suffix_of_the_launcher() {
        let wrappers = |launcher: &str| wrappers(Some(Path::new(launcher)));
        assert_eq!(wrappers("/usr/bin/mpiexec.openmpi"), ["mpicc.openmpi", "mpicc"]);
        assert_eq!(wrappers("/opt/bin/mpiexec"), ["mpicc"]);
        assert_eq!(wrappers("/opt/bin/mpiexec.hydra"), ["mpicc"]);
    }

    #[test]
    fn missing_compilers_are_named() {
        let error = Compiler::find(Some(Path::new("/no/mpicc")), None).unwrap_err();
        assert_eq!(error, "--cc: there is no compiler /no/mpicc");
    }

    #[test]
    fn first_errors_are_found() {
        let of_compiler =
            "x.c: In function 'main':\nx.c:4:5: error: 'MPI_T_X' undeclared (first use)\nx.c:5: error: 2\n";
        assert_eq!(first_error(of_compiler).as_deref(), Some("error: 'MPI_T_X' undeclared (first use)"));
        let of_linker = "ld: x.o: in function `main':\nx.c:(.text+0x9): undefined reference to `MPI_T_x'\ncollect2: error: ld returned 1 exit status\n";
        assert_eq!(first_error(of_linker).as_deref(), Some("undefined reference to `MPI_T_x'"));
        assert_eq!(first_error(""), None);
    }

    /// Other errors are those of the compiler's installation.
    #[test]
    fn names_that_a_library_lacks_are_found() {
        for error in [
            "error: 'MPI_T_X' undeclared (first use in this function)",
            "error: use of undeclared identifier 'MPI_T_X'",
            "error: unknown type name 'MPI_T_event_registration'",
            "undefined reference to `PMPI_T_x'",
        ] {
            assert!(lacks_name_of_mpi(error), "{error}");
        }
        for error in [
            "undefined reference to `dlsym'",
            "error: 'strdup' undeclared",
            "error: unsupported use of MPI_T_x",
            "mpicc ended with exit status: 1",
        ] {
            assert!(!lacks_name_of_mpi(error), "{error}");
        }
    }
}
