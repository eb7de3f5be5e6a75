//! Builds of the programs that the tests run: the C programs of `tests/hosts/c`, and mpit's own command and preload
//! library. Programs that are up to date are not built again.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, process, process::Command};

use crate::{Context, Failure, Outcome, machine_lock, paths};

/// mpit's own files, in the form that users get.
#[derive(Debug)]
pub struct Artifacts {
    /// The command `mpit`.
    pub mpit: PathBuf,
    /// The library to preload.
    pub preload: PathBuf,
    /// The library for regions of other libraries.
    pub regions: PathBuf,
    /// The library for implementors of MPI.
    pub embedded: PathBuf,
}

/// Copies a program or script to where it is run. A process of its own does it: where this one writes a program, a child that another
/// thread starts at the same time has the file open for writing, too, and the system refuses to run it (`ETXTBSY`).
pub fn install_program(from: &Path, to: &Path) -> Outcome {
    run(Command::new("install").args(["-m", "755"]).arg(from).arg(to)).map(drop)
}

/// Returns the cargo that runs the tests, in the directory of the workspace.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(paths::workspace());
    cargo
}

/// The environment variable that says that the command, the libraries and the examples are up to date.
pub const BUILT: &str = "MPIT_TEST_BUILT";

/// Returns true if `cargo xtask test` has built the command, the libraries and the examples.
pub fn is_built() -> bool {
    env::var_os(BUILT).is_some()
}

/// Builds the command and the two libraries, unless they are up to date. If they do not build, cargo prints the reason.
pub fn artifacts() -> Outcome<&'static Artifacts> {
    static BUILT: OnceLock<Result<Artifacts, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| build_artifacts().map_err(|failure| failure.to_string()));
    built.as_ref().map_err(|text| Failure::new(text.clone()))
}

fn build_artifacts() -> Outcome<Artifacts> {
    if !is_built() {
        let packages = ["mpit-preload", "mpit-regions", "mpit-embed", "mpit-cli"];
        let options = packages.iter().flat_map(|package| ["-p", package]);
        let status = cargo().args(["build", "--quiet"]).args(options).status().context("cargo build")?;
        Failure::unless(status.success(), || format!("{} do not build", packages.join(", ")))?;
    }
    let files = ["mpit", "libmpit_preload.so", "libmpit_regions.so", "libmpit.so"];
    let [mpit, preload, regions, embedded] = files.map(|file| paths::built().join(file));
    for file in [&mpit, &preload, &regions, &embedded] {
        Failure::unless(file.is_file(), || format!("the build left no {}", file.display()))?;
    }
    Ok(Artifacts { mpit, preload, regions, embedded })
}

/// The options for C programs. MPICH's `MPI_STATUSES_IGNORE` and Open MPI's `MPI_UNWEIGHTED` are small addresses, which
/// some versions of gcc take for empty arrays and warn about.
pub(crate) const C_OPTIONS: [&str; 8] = [
    "-std=c11",
    "-O1",
    "-g",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-stringop-overflow",
    "-Wno-stringop-overread",
];

/// Returns the option of compilers that finds the headers of mpit.
pub fn include() -> String {
    format!("-I{}", paths::workspace().join("ffi/include").display())
}

/// Compiles `tests/plugins/<name>.c`, a plug-in, unless it is up to date.
pub fn plugin(name: &str) -> Outcome<PathBuf> {
    let include = include();
    let options = [&C_OPTIONS[..], &[&include, "-shared", "-fPIC"]].concat();
    let (dir, file) = (paths::hosts().join("plugins"), format!("{name}.so"));
    compile(&mut Command::new("cc"), &format!("plugins/{name}.c"), &dir, &file, &options)
}

/// Compiles a source in `tests`, unless the file is up to date.
pub(crate) fn compile(
    compiler: &mut Command,
    source: &str,
    dir: &Path,
    file: &str,
    options: &[&str],
) -> Outcome<PathBuf> {
    let source = paths::source(source);
    fs::create_dir_all(dir).context(dir.display())?;
    let built = dir.join(file);
    let _directory = machine_lock::directory(dir)?;
    let read = dir.join(format!("{file}.d"));
    if !is_up_to_date(&built, &read) {
        let _lock = machine_lock::part()?;
        compiler.args(["-MMD", "-MF"]).arg(&read);
        // Options come last, because libraries come after the sources that use them.
        run(compiler.arg("-o").arg(&built).arg(&source).args(options))?;
    }
    Ok(built)
}

/// Waits until no other test builds crates outside of the workspace, which share a directory. Cargo would wait for it, too, while the test keeps a
/// part of the machine. Precedes the lock of the machine.
pub fn shared_directory() -> Outcome<File> {
    let shared = paths::shared();
    fs::create_dir_all(&shared).context(shared.display())?;
    machine_lock::directory(&shared)
}

/// Runs a compiler with the option `-o` for a new file, which then replaces `file`: another test may be about to run that.
pub(crate) fn replace(file: &Path, compiler: &mut Command) -> Outcome {
    let new = unused_path_beside(file);
    let _lock = machine_lock::part()?;
    run(compiler.arg("-o").arg(&new))?;
    fs::rename(&new, file).context(file.display())
}

/// Returns a path beside a file that no other thread or process uses.
fn unused_path_beside(file: &Path) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut path = file.as_os_str().to_owned();
    path.push(format!(".{}.{number}.new", process::id()));
    path.into()
}

/// Returns the directories of libraries of Rust for the dynamic linker: a program that uses a `dylib` there, also in its subdirectory
/// `deps`, uses the standard library as one, too.
pub fn rust_libraries(dir: &Path) -> Outcome<OsString> {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let [standard, _] = run(rustc.args(["--print", "target-libdir"]))?;
    // A `dylib` that is a dependency stays among the object files.
    let shared = paths::shared().join("debug/deps");
    let directories = [Path::new(standard.trim_end()), dir, &dir.join("deps"), &shared];
    env::join_paths(directories).context(dir.display())
}

/// Runs a command, which must succeed; returns its output and its error output.
pub fn run(command: &mut Command) -> Outcome<[String; 2]> {
    let output = command.output().context(format!("{command:?}"))?;
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    Failure::unless(output.status.success(), || format!("{command:?}: {}\n{err}", output.status))?;
    Ok([out, err])
}

/// Returns true if a program is newer than all files that its compiler read, which a list in the form of make names.
fn is_up_to_date(program: &Path, read: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let (Some(built), Ok(read)) = (modified(program), fs::read_to_string(read)) else { return false };
    let Some((_, files)) = read.split_once(": ") else { return false };
    let mut files = files.split_whitespace().filter(|word| *word != "\\");
    files.all(|file| modified(Path::new(file)).is_some_and(|changed| changed < built))
}
