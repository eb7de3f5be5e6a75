//! Stubs for MPI libraries that are not on this machine: small libraries for one process with the same ABI
//! (`tests/hosts/stubs`).

use std::path::{Path, PathBuf};
use std::{fs, process::Command};

use crate::{Context, Outcome, build, paths};

/// A stub library to build.
#[derive(Clone, Copy, Debug)]
pub struct Stub {
    /// The directory below `target/hosts/stubs`.
    pub label: &'static str,
    /// The base name of the file.
    pub file: &'static str,
    /// The macro that selects the constants.
    pub constants: &'static str,
    /// The result of `MPI_Abi_get_version`, if the library has that function.
    pub version: Option<i32>,
    /// True if the `PMPI_` functions are in a separate library.
    pub has_profiling_library: bool,
    /// True if the library needs another one with the objects of Open MPI's own ABI.
    pub needs_objects: bool,
}

/// A stub and two programs that use it.
#[derive(Debug)]
pub struct Built {
    /// The library.
    pub library: PathBuf,
    /// A program that is linked with the library.
    pub linked: PathBuf,
    /// A program that loads the library privately (`RTLD_LOCAL`), with the argument for it.
    pub private: [PathBuf; 2],
}

impl Stub {
    /// Builds the library and the programs.
    pub fn build(&self) -> Outcome<Built> {
        let (dir, mut below) = self.prepare(self.label)?;
        let constants = self.constants();
        let version = self.version.map(|version| format!("-DSTUB_VERSION={version}"));
        let mut options = vec!["-shared", "-fPIC", &constants];
        options.extend(version.as_deref());
        if self.has_profiling_library {
            let profiling = dir.join(format!("libp{}", &self.file["lib".len()..]));
            compile("stub_mpi", &[&options[..], &["-DSTUB_PROFILING"]].concat(), &below, &profiling)?;
            below.push(profiling);
            options.push("-DSTUB_ORDINARY");
        }
        let library = dir.join(self.file);
        compile("stub_mpi", &options, &below, &library)?;
        below.insert(0, library.clone());
        let [linked, module, loader] = ["program", "program.so", "loader"].map(|file| dir.join(file));
        compile("stub_program", &[&constants], &below, &linked)?;
        compile("stub_program", &["-shared", "-fPIC", &constants], &below, &module)?;
        compile("stub_loader", &[], &[], &loader)?;
        Ok(Built { library, linked, private: [loader, module] })
    }

    /// Builds another of the programs with a static Rust library, on top of the stub.
    pub fn program_with(&self, source: &str, archive: &Path) -> Outcome<PathBuf> {
        let dir = directory(self.label);
        let (constants, program) = (self.constants(), dir.join(source));
        let archive = format!("-Wl,--whole-archive,{},--no-whole-archive", archive.display());
        let rust_needs = ["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"];
        let options = [&[constants.as_str(), archive.as_str()][..], &rust_needs].concat();
        compile(source, &options, &[dir.join(self.file)], &program)?;
        Ok(program)
    }

    /// Creates the directory `name`; returns it, and the libraries that the stub needs.
    fn prepare(&self, name: &str) -> Outcome<(PathBuf, Vec<PathBuf>)> {
        let dir = directory(name);
        fs::create_dir_all(&dir).context(dir.display())?;
        let mut below = Vec::new();
        if self.needs_objects {
            below.push(dir.join("libopen_mpi.so"));
            compile("stub_objects", &["-shared", "-fPIC"], &[], &below[0])?;
        }
        Ok((dir, below))
    }

    fn constants(&self) -> String {
        format!("-D{}", self.constants)
    }
}

fn directory(name: &str) -> PathBuf {
    paths::hosts().join("stubs").join(name)
}

/// Builds a program on top of a stub with many ranks, with these constants and this result of `MPI_Abi_get_version`.
pub fn program_of_many_ranks(stub: &Stub) -> Outcome<PathBuf> {
    let (dir, mut below) = stub.prepare(&format!("{}_ranks", stub.label))?;
    let (constants, library, program) = (stub.constants(), dir.join(stub.file), dir.join("program"));
    let version = format!("-DSTUB_VERSION={}", stub.version.unwrap_or(1));
    compile("stub_ranks", &["-shared", "-fPIC", &constants, &version], &below, &library)?;
    below.insert(0, library);
    compile("stub_ranks_program", &[&constants], &below, &program)?;
    Ok(program)
}

fn compile(source: &str, options: &[&str], libraries: &[PathBuf], to: &Path) -> Outcome {
    let source = paths::source(&format!("hosts/stubs/{source}.c"));
    let mut command = Command::new("cc");
    command.args([
        "-std=gnu11",
        "-O1",
        "-g",
        "-pthread",
        "-Wall",
        "-Wextra",
        "-Wno-unused-parameter",
        "-Werror",
        "-Wl,--no-as-needed",
    ]);
    build::replace(to, command.args(options).arg(source).args(libraries))
}
