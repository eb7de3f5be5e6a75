//! Builds of the programs that the tests run: the C programs of `tests/hosts/c`, and mpit's own command and preload
//! library.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::{
    Context, Failure, Outcome, launch, paths,
    stacks::{Spec, Stack},
};

/// mpit's own files, in the form that users get.
#[derive(Debug)]
pub struct Artifacts {
    /// The command `mpit`.
    pub mpit: PathBuf,
    /// The library to preload.
    pub preload: PathBuf,
    /// The library for implementors of MPI.
    pub embedded: PathBuf,
}

/// Copies a program or script to where it is run. A process of its own does it: where this one writes a program, a child that another
/// thread starts at the same time has the file open for writing, too, and the system refuses to run it (`ETXTBSY`).
///
/// # Errors
/// If it cannot be copied.
pub fn install_program(from: &Path, to: &Path) -> Outcome {
    let done = Command::new("install").args(["-m", "755"]).arg(from).arg(to).output().context("install")?;
    Failure::unless(done.status.success(), || String::from_utf8_lossy(&done.stderr).into_owned())
}

/// Builds the command and the two libraries, unless they are up to date.
///
/// # Errors
/// Fails if they cannot be built; cargo has then printed the reason.
pub fn artifacts() -> Outcome<&'static Artifacts> {
    static BUILT: OnceLock<Result<Artifacts, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| build_artifacts().map_err(|failure| failure.to_string()));
    built.as_ref().map_err(|text| Failure::new(text.clone()))
}

fn build_artifacts() -> Outcome<Artifacts> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "-p", "mpit-preload", "-p", "mpit-embed", "-p", "mpit-cli"])
        .current_dir(paths::workspace())
        .status()
        .context("cargo build")?;
    Failure::unless(status.success(), || "mpit-preload, mpit-embed and mpit-cli do not build".into())?;
    let debug = paths::built();
    let artifacts = Artifacts {
        mpit: debug.join("mpit"),
        preload: debug.join("libmpit_preload.so"),
        embedded: debug.join("libmpit.so"),
    };
    for file in [&artifacts.mpit, &artifacts.preload, &artifacts.embedded] {
        Failure::unless(file.is_file(), || format!("the build left no {}", file.display()))?;
    }
    Ok(artifacts)
}

/// The options for C programs. MPICH's `MPI_STATUSES_IGNORE` and Open MPI's `MPI_UNWEIGHTED` are small addresses, which
/// some versions of gcc take for empty arrays and warn about.
const C_OPTIONS: [&str; 8] = [
    "-std=c11",
    "-O1",
    "-g",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-stringop-overflow",
    "-Wno-stringop-overread",
];

/// Compiles `tests/hosts/c/<name>.c` with the stack's wrapper, unless it is up to date.
pub(crate) fn c_program(spec: &Spec, name: &str) -> Outcome<PathBuf> {
    c_file(spec, name, name, &[])
}

/// Compiles a program with libraries whose own dependencies the linker does not find.
pub(crate) fn c_program_with(
    spec: &Spec,
    name: &str,
    libraries: impl Iterator<Item = PathBuf>,
) -> Outcome<PathBuf> {
    let libraries: Vec<_> = libraries.map(|library| format!("-Wl,{}", library.display())).collect();
    let mut options = vec!["-Wl,--no-as-needed,--allow-shlib-undefined"];
    options.extend(libraries.iter().map(String::as_str));
    c_file(spec, name, name, &options)
}

/// Compiles a program on top of a shared library of its own: the same source with `LIBRARY` defined.
pub(crate) fn c_program_over_library(spec: &Spec, name: &str) -> Outcome<PathBuf> {
    let library = c_file(spec, name, &format!("lib{name}.so"), &["-DLIBRARY", "-shared", "-fPIC"])?;
    c_file(spec, name, name, &[&format!("-Wl,--no-as-needed,{}", library.display())])
}

/// Compiles a program that includes `mpit.h` and calls functions that the MPI library may lack: it is linked with the
/// preload library in front of the MPI library. As many compilers do by default, the linker omits unreferenced libraries.
pub(crate) fn c_tool(spec: &Spec, name: &str) -> Outcome<PathBuf> {
    let library = format!("-Wl,--no-as-needed,{},--as-needed", artifacts()?.preload.display());
    c_file(spec, name, name, &[&library])
}

/// Compiles any program with the library for implementors of MPI in front of the stack's own.
pub(crate) fn c_program_beside_embedded(spec: &Spec, name: &str) -> Outcome<PathBuf> {
    let library = format!("-Wl,--no-as-needed,{}", artifacts()?.embedded.display());
    c_file(spec, name, &format!("{name}_beside_embedded"), &[&library])
}

/// Compiles several of the C programs with the stack's header, and links them with the library for implementors only.
pub(crate) fn c_program_over_embedded(spec: &Spec, name: &str, beside: &[&str]) -> Outcome<PathBuf> {
    let objects: Vec<_> =
        std::iter::once(&name).chain(beside).map(|one| c_object(spec, one)).collect::<Outcome<_>>()?;
    link(spec, name, &[], &objects)
}

/// Compiles a C program with the stack's header, and links it with an MPI library for one process: another of the C
/// programs, built as a shared library on top of the library for implementors.
pub(crate) fn c_program_over_own_mpi(spec: &Spec, name: &str, mpi: &str) -> Outcome<PathBuf> {
    let object = c_object(spec, mpi)?;
    let library = link(spec, &format!("lib{mpi}.so"), &["-shared", "-Wl,--no-as-needed"], &[object])?;
    link(spec, &format!("{name}_over_{mpi}"), &[], &[c_object(spec, name)?, library])
}

fn c_object(spec: &Spec, name: &str) -> Outcome<PathBuf> {
    c_file(spec, name, &format!("{name}.o"), &["-fPIC", "-c"])
}

/// Compiles `tests/hosts/c/<name>.c` into a file, with further options.
fn c_file(spec: &Spec, name: &str, file: &str, options: &[&str]) -> Outcome<PathBuf> {
    let include = include();
    let options = [&C_OPTIONS[..], &[&include], options].concat();
    compile(spec, &spec.mpicc(), &options, &format!("hosts/c/{name}.c"), file)
}

/// Returns the option for the directory of mpit's headers.
fn include() -> String {
    format!("-I{}", paths::workspace().join("ffi/include").display())
}

/// Links objects with the library for implementors.
fn link(spec: &Spec, name: &str, options: &[&str], objects: &[PathBuf]) -> Outcome<PathBuf> {
    let library = &artifacts()?.embedded;
    let linked = paths::hosts().join(spec.label).join("bin").join(name);
    let _lock = launch::lock_machine()?;
    // The wrapper would add the stack's own library.
    let mut command = Command::new("cc");
    command.args(options).arg("-o").arg(&linked).args(objects).arg(library);
    run(&mut command)?;
    Ok(linked)
}

/// Compiles `tests/plugins/<name>.c`, a plug-in, unless it is up to date.
///
/// # Errors
/// Fails if it does not compile.
pub fn plugin(name: &str) -> Outcome<PathBuf> {
    let source = paths::source(&format!("plugins/{name}.c"));
    let dir = paths::hosts().join("plugins");
    fs::create_dir_all(&dir).context(dir.display())?;
    let plugin = dir.join(format!("{name}.so"));
    let _lock = launch::lock_machine()?;
    if is_newer_than_all_beside(&plugin, &source) {
        return Ok(plugin);
    }
    let mut command = Command::new("cc");
    command.args(C_OPTIONS).args([&include(), "-shared", "-fPIC", "-o"]).arg(&plugin).arg(&source);
    run(&mut command)?;
    Ok(plugin)
}

/// Compiles `tests/hosts/cxx/<name>.cpp` with the stack's wrapper, unless it is up to date.
pub(crate) fn cxx_program(spec: &Spec, name: &str) -> Outcome<PathBuf> {
    let options = ["-std=c++17", "-O1", "-g", "-Wall", "-Wextra", "-Wno-stringop-overflow"];
    compile(spec, &spec.mpicxx(), &options, &format!("hosts/cxx/{name}.cpp"), &format!("{name}_cxx"))
}

/// Compiles `tests/hosts/fortran/<name>.F90` with one of MPI's Fortran interfaces, unless it is up to date.
pub(crate) fn fortran_program(spec: &Spec, wrapper: &Path, name: &str, interface: &str) -> Outcome<PathBuf> {
    // Without a module, the compiler rejects two calls with buffers of different shapes.
    let options = ["-O1", "-g", "-std=legacy", &format!("-D{interface}")];
    compile(spec, wrapper, &options, &format!("hosts/fortran/{name}.F90"), &format!("{name}_{interface}"))
}

/// Compiles `tests/hosts/c/<source>.c` into a file of another name, with further options, unless it is up to date: with the
/// wrapper of a stack, or with the plain C compiler if there is none.
///
/// # Errors
/// The output of the compiler.
pub fn c_variant(stack: Option<&Stack>, source: &str, file: &str, options: &[&str]) -> Outcome<PathBuf> {
    let source = paths::source(&format!("hosts/c/{source}.c"));
    let dir = paths::hosts().join(stack.map_or("plain", Stack::label)).join("bin");
    fs::create_dir_all(&dir).context(dir.display())?;
    let built = dir.join(file);
    let _lock = launch::lock_machine()?;
    if is_newer_than_all_beside(&built, &source) {
        return Ok(built);
    }
    let mut command = Command::new(stack.map_or_else(|| "cc".into(), Stack::mpicc));
    command.envs(stack.map(Stack::environment).unwrap_or_default());
    // Libraries come after the sources that use them.
    command.args(C_OPTIONS).arg("-o").arg(&built).arg(&source).args(options);
    run(&mut command)?;
    Ok(built)
}

fn compile(spec: &Spec, wrapper: &Path, options: &[&str], source: &str, name: &str) -> Outcome<PathBuf> {
    let source = paths::source(source);
    let dir = paths::hosts().join(spec.label).join("bin");
    fs::create_dir_all(&dir).context(dir.display())?;
    let program = dir.join(name);
    let _lock = launch::lock_machine()?;
    if is_newer_than_all_beside(&program, &source) {
        return Ok(program);
    }
    let mut command = Command::new(wrapper);
    command.envs(spec.environment()).args(options).arg("-o").arg(&program).arg(&source);
    run(&mut command)?;
    Ok(program)
}

/// Runs a command, which must succeed; returns its output and its error output.
///
/// # Errors
/// The error output, if the command fails.
pub fn run(command: &mut Command) -> Outcome<[String; 2]> {
    let output = command.output().context(format!("{command:?}"))?;
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    Failure::unless(output.status.success(), || format!("{command:?}: {}\n{err}", output.status))?;
    Ok([out, err])
}

/// Returns true if nothing in the directory of `source` and none of mpit's headers has changed since `program` was built:
/// sources include each other, and these headers.
fn is_newer_than_all_beside(program: &Path, source: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let Some(built) = modified(program) else { return false };
    let headers = paths::workspace().join("ffi/include");
    let is_older = |dir: &Path| {
        fs::read_dir(dir).is_ok_and(|mut entries| {
            entries.all(|entry| {
                entry.is_ok_and(|entry| modified(&entry.path()).is_some_and(|changed| changed < built))
            })
        })
    };
    source.parent().is_some_and(is_older) && is_older(&headers)
}
