//! Builds of programs with the compiler wrappers of stacks, and of the programs that are linked with no MPI library.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Spec, Stack};
use crate::build::{self, C_OPTIONS};
use crate::{Context, Outcome, paths};

/// A further option for programs, whose callbacks have the parameters that the standard prescribes.
const PROGRAM_OPTION: &str = "-Wno-unused-parameter";

/// The functions compile `tests/hosts/c/<name>.c`, unless they say otherwise, and return the program.
impl Stack {
    /// Compiles a program.
    pub fn compile(&self, name: &str) -> Outcome<PathBuf> {
        c_file(self.spec, name, name, &[])
    }

    /// Compiles a program with a sanitizer of the compiler.
    pub fn compile_sanitized(&self, name: &str, sanitizer: &str) -> Outcome<PathBuf> {
        c_file(self.spec, name, &format!("{name}_{sanitizer}"), &[&format!("-fsanitize={sanitizer}")])
    }

    /// Compiles a program with further libraries of the stack, whose own dependencies the linker does not find.
    pub fn compile_with(&self, name: &str, libraries: &[&str]) -> Outcome<PathBuf> {
        let path = |library: &&str| format!("-Wl,{}", self.library.with_file_name(library).display());
        let libraries: Vec<_> = libraries.iter().map(path).collect();
        let mut options = vec!["-Wl,--no-as-needed,--allow-shlib-undefined"];
        options.extend(libraries.iter().map(String::as_str));
        c_file(self.spec, name, name, &options)
    }

    /// Compiles a program on top of a shared library of its own: the same source with `LIBRARY` defined.
    pub fn compile_over_library(&self, name: &str) -> Outcome<PathBuf> {
        let library = format!("lib{name}.so");
        let library = c_file(self.spec, name, &library, &["-DLIBRARY", "-shared", "-fPIC"])?;
        c_file(self.spec, name, name, &[&format!("-Wl,--no-as-needed,{}", library.display())])
    }

    /// Compiles a program that includes `mpit.h` and calls functions that the MPI library may lack: it is linked with the
    /// preload library in front of the MPI library. As many compilers do by default, the linker omits unreferenced libraries.
    pub fn compile_tool(&self, name: &str) -> Outcome<PathBuf> {
        let library = format!("-Wl,--no-as-needed,{},--as-needed", build::artifacts()?.preload.display());
        c_file(self.spec, name, name, &[&library])
    }

    /// Compiles a program with the library for implementors of MPI in front of the stack's own.
    pub fn compile_beside_embedded(&self, name: &str) -> Outcome<PathBuf> {
        let library = format!("-Wl,--no-as-needed,{}", build::artifacts()?.embedded.display());
        c_file(self.spec, name, &format!("{name}_beside_embedded"), &[&library])
    }

    /// Compiles a program with the stack's header, and links it with the library for implementors instead of the stack's.
    pub fn compile_over_embedded(&self, name: &str) -> Outcome<PathBuf> {
        self.link_with_embedded(name, &[], &[self.object(name)?])
    }

    /// Compiles a program with the stack's header, and links it with an MPI library for one process: `<mpi>.c`, built as a
    /// shared library on top of the library for implementors.
    pub fn compile_over_own_mpi(&self, name: &str, mpi: &str) -> Outcome<PathBuf> {
        let options = ["-shared", "-Wl,--no-as-needed"];
        let library = self.link_with_embedded(&format!("lib{mpi}.so"), &options, &[self.object(mpi)?])?;
        self.link_with_embedded(&format!("{name}_over_{mpi}"), &[], &[self.object(name)?, library])
    }

    fn object(&self, name: &str) -> Outcome<PathBuf> {
        c_file(self.spec, name, &format!("{name}.o"), &["-fPIC", "-c"])
    }

    fn link_with_embedded(&self, file: &str, options: &[&str], objects: &[PathBuf]) -> Outcome<PathBuf> {
        let library = &build::artifacts()?.embedded;
        let linked = programs_of(self.spec).join(file);
        // The wrapper would add the stack's own library.
        let mut compiler = Command::new("cc");
        build::replace(&linked, compiler.args(options).args(objects).arg(library))?;
        Ok(linked)
    }

    /// Compiles `tests/hosts/cxx/<name>.cpp`.
    pub fn compile_cxx(&self, name: &str) -> Outcome<PathBuf> {
        self.compile_cxx_with(name, &format!("{name}_cxx"), &[])
    }

    /// Compiles `tests/hosts/cxx/<name>.cpp` into a file, with further options.
    ///
    /// # Errors
    /// The output of the compiler.
    pub fn compile_cxx_with(&self, name: &str, file: &str, options: &[&str]) -> Outcome<PathBuf> {
        let common = ["-std=c++17", "-O1", "-g", "-Wall", "-Wextra", "-Wno-stringop-overflow"];
        let options = [&common[..], options].concat();
        by_wrapper(self.spec, &self.spec.mpicxx(), &format!("hosts/cxx/{name}.cpp"), file, &options)
    }

    /// Compiles `tests/hosts/fortran/<name>.F90` with the macro `interface` set, which selects one of MPI's interfaces. Fails if
    /// the stack has no Fortran compiler.
    pub fn compile_fortran(&self, name: &str, interface: &str) -> Outcome<PathBuf> {
        self.fortran_file(self.spec.mpifort.context("this stack has no Fortran")?, name, interface)
    }

    /// Compiles it with the wrapper of Debian's MPICH, for a stack that can replace that library.
    pub fn compile_fortran_for_debians_mpich(&self, name: &str, interface: &str) -> Outcome<PathBuf> {
        self.fortran_file("mpif90.mpich", name, interface)
    }

    fn fortran_file(&self, wrapper: &str, name: &str, interface: &str) -> Outcome<PathBuf> {
        let (source, file) = (format!("hosts/fortran/{name}.F90"), format!("{name}_{interface}"));
        // gfortran, which all stacks with Fortran have, writes the modules of a source into the working directory otherwise.
        let modules = programs_of(self.spec).join(format!("{file}.modules"));
        fs::create_dir_all(&modules).context(modules.display())?;
        let (interface, modules) = (format!("-D{interface}"), format!("-J{}", modules.display()));
        // Without a module, the compiler rejects two calls with buffers of different shapes.
        let options = ["-O1", "-g", "-std=legacy", &interface, &modules, &build::include()];
        by_wrapper(self.spec, Path::new(wrapper), &source, &file, &options)
    }
}

/// Compiles `tests/hosts/c/<name>.c` into a file, with further options.
pub(super) fn c_file(spec: &Spec, name: &str, file: &str, options: &[&str]) -> Outcome<PathBuf> {
    let include = build::include();
    let options = [&C_OPTIONS[..], &[PROGRAM_OPTION, &include], options].concat();
    by_wrapper(spec, &spec.mpicc(), &format!("hosts/c/{name}.c"), file, &options)
}

/// Returns the directory of the programs of a stack. Stacks with the same compiler wrapper share it: Intel MPI, which has none, and MPICH.
fn programs_of(spec: &Spec) -> PathBuf {
    paths::hosts().join(spec.compiled_as()).join("bin")
}

/// Compiles `tests/hosts/c/<source>.c` into a file of another name, with further options, unless it is up to date: with the
/// wrapper of a stack, or with the plain C compiler if there is none.
pub fn c_variant(stack: Option<&Stack>, source: &str, file: &str, options: &[&str]) -> Outcome<PathBuf> {
    let (source, options) =
        (format!("hosts/c/{source}.c"), [&C_OPTIONS[..], &[PROGRAM_OPTION], options].concat());
    match stack {
        Some(stack) => by_wrapper(stack.spec, &stack.mpicc(), &source, file, &options),
        None => build::compile(
            &mut Command::new("cc"),
            &source,
            &paths::hosts().join("plain/bin"),
            file,
            &options,
        ),
    }
}

fn by_wrapper(spec: &Spec, wrapper: &Path, source: &str, file: &str, options: &[&str]) -> Outcome<PathBuf> {
    let mut compiler = Command::new(wrapper);
    build::compile(compiler.envs(spec.environment()), source, &programs_of(spec), file, options)
}
