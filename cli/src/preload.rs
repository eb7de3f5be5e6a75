//! The preload library: its path, and its use for a command.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mpit::internal::os::own_process;
use mpit::internal::os::trusted_path::{self, Distrust};

use crate::search_path::candidates;
use crate::{elf, inherited, print};

/// The library for annotations of other libraries, beside the preload library.
pub(crate) const REGIONS_NAME: &str = "libmpit_regions.so";

const NAME: &str = "libmpit_preload.so";

pub(crate) const VARIABLE: &str = "LD_PRELOAD";

/// Finds the library: the given one, or else one beside this program, or where packages install it.
pub(crate) fn find(named: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(named) = named {
        let found = absolute(named).ok_or_else(|| format!("no preload library at {}", named.display()))?;
        return without_separators(&found);
    }
    let program =
        std::env::current_exe().map_err(|error| format!("cannot find the path of mpit: {error}"))?;
    let beside = program.parent().unwrap_or(Path::new("."));
    let places = [beside.join(NAME), beside.join("../lib").join(NAME), beside.join("../lib/mpit").join(NAME)];
    let found = places.iter().find_map(|place| absolute(place)).ok_or_else(|| {
        format!(
            "{NAME} is neither in {} nor in ../lib from there; take it from the tarball of mpit {}, or build it in the sources with `cargo \
             build --profile dist -p mpit-preload` (`cargo install` leaves it out), and copy it there, or pass its path with --preload",
            beside.display(),
            env!("CARGO_PKG_VERSION")
        )
    })?;
    without_separators(&found)
}

fn absolute(file: &Path) -> Option<PathBuf> {
    if file.is_file() { std::path::absolute(file).ok() } else { None }
}

/// Returns false if the dynamic linker splits the path at blanks and colons, or replaces tokens such as `$ORIGIN`, or Kokkos splits it at
/// semicolons.
fn is_plain(path: &Path) -> bool {
    let is_special = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b':' | b'$' | b';');
    !path.as_os_str().as_bytes().iter().any(is_special)
}

/// Returns a path of a library that the dynamic linker does not split: its own one, or that of a link to it.
pub(crate) fn without_separators(library: &Path) -> Result<PathBuf, String> {
    let resolved = library.canonicalize().unwrap_or_else(|_| library.to_owned());
    if let Some(plain) = [library, &resolved].into_iter().find(|path| is_plain(path)) {
        return Ok(plain.to_owned());
    }
    link(&resolved).map_err(|why| {
        format!(
            "{} cannot be preloaded: blanks, colons and `$` have special meanings in LD_PRELOAD, and {why}; create a link to it \
             elsewhere and pass that with --preload",
            library.display()
        )
    })
}

/// Creates a link in the user's cache. It is not removed: processes may start at any time, also on other nodes.
fn link(library: &Path) -> Result<PathBuf, String> {
    let cache = std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let cache = cache
        .filter(|path| path.is_absolute() && is_plain(path))
        .ok_or("there is no cache directory for a link")?;
    let number = BuildHasherDefault::<DefaultHasher>::default().hash_one(library);
    let directory = cache.join("mpit").join(format!("preload-{number:016x}"));
    let place = directory.join(library.file_name().unwrap_or(OsStr::new(NAME)));
    let untrusted = |why: Distrust| format!("a link in {} would not be safe: {why}", directory.display());
    // Another user could replace the link.
    if let Some(above) = directory.ancestors().find(|above| above.exists()) {
        trusted_path::directory(above).map_err(untrusted)?;
    }
    if fs::read_link(&place).is_ok_and(|target| target == library) {
        return Ok(place);
    }
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&directory).and_then(|()| {
        let temporary = directory.join(format!(".{:016x}", own_process::random_bits()));
        symlink(library, &temporary)?;
        fs::rename(&temporary, &place)
    });
    made.map_err(|error| format!("cannot create a link in {}: {error}", directory.display()))?;
    // Where all users can create directories, this one may have existed meanwhile.
    trusted_path::directory(&directory).map_err(untrusted)?;
    Ok(place)
}

const SANITIZER: &str = "ASAN_OPTIONS";

/// The variables that [`add`] sets.
pub(crate) const VARIABLES: [&str; 2] = [VARIABLE, SANITIZER];

/// Lets the address sanitizer start after another library. Ours replaces no function that the sanitizer needs.
const ANY_ORDER: &str = "verify_asan_link_order=0";

/// Adds the library, and a further one, in front of others, and keeps the address sanitizer working. Returns the new LD_PRELOAD.
pub(crate) fn add(command: &mut Command, library: &Path, further: Option<&Path>) -> OsString {
    let ours = [Some(library), further];
    let ours = ours.into_iter().flatten();
    let others = std::env::var_os(VARIABLE).filter(|others| !others.is_empty());
    let all = match other_libc(command.get_program()) {
        None => joined(ours.map(OsString::from).chain(others)),
        Some(reason) => {
            let path = only_for_glibc(library);
            let is_loaded = try_loading(&path).is_ok();
            let fate = if is_loaded { "recorded" } else { "not recorded, either" };
            print(&format!("{reason}; programs of glibc that it starts are {fate}"));
            // An outer `mpit run` may have put the libraries there.
            let others = others.map(|others| without(&others, library)).filter(|others| !others.is_empty());
            let ours = if is_loaded { ours.map(only_for_glibc).collect() } else { Vec::new() };
            joined(ours.into_iter().map(OsString::from).chain(others))
        }
    };
    command.env(VARIABLE, &all);
    // The user's own options come last and take precedence.
    let mut options = OsString::from(ANY_ORDER);
    if let Some(own) = std::env::var_os(SANITIZER).filter(|own| !own.is_empty()) {
        options.push(":");
        options.push(own);
    }
    command.env(SANITIZER, options);
    inherited::restore_broken_pipe_action(command);
    all
}

/// Returns the lists of libraries as one.
fn joined(lists: impl Iterator<Item = OsString>) -> OsString {
    lists.collect::<Vec<_>>().join(OsStr::new(":"))
}

/// Returns a list of libraries without ours.
fn without(list: &OsStr, library: &Path) -> OsString {
    let is_other = |path: &&[u8]| {
        let is_regions = Path::new(OsStr::from_bytes(path)).file_name() == Some(OsStr::new(REGIONS_NAME));
        *path != library.as_os_str().as_bytes() && !is_regions
    };
    let paths = list.as_bytes().split(|byte| matches!(byte, b':' | b' ')).filter(is_other);
    paths.map(OsStr::from_bytes).collect::<Vec<_>>().join(OsStr::new(":"))
}

/// Returns the reason why the library is not for a command: it belongs to another C library.
fn other_libc(program: &OsStr) -> Option<String> {
    let file = candidates(program)?.into_iter().find(|file| file.is_file())?;
    let linker = elf::other_linker_of(&file)?;
    Some(format!(
        "{} runs without the library, because it belongs to another C library than glibc ({})",
        program.display(),
        linker.display()
    ))
}

/// Returns a path of the library that only glibc finds, by the directory of its libraries: it replaces `$LIB` by `lib64`,
/// `lib/x86_64-linux-gnu` or alike. Other dynamic linkers skip a file that does not exist.
fn only_for_glibc(library: &Path) -> PathBuf {
    // More than the components of such a directory, of which some may be links.
    let mut path = OsString::from("/$LIB/../../../../../../../..");
    path.push(library);
    path.into()
}

/// Preloads the library into a process that does nothing else. Fails with the message of the dynamic linker.
pub(crate) fn try_loading(library: &Path) -> Result<(), String> {
    let mut command = Command::new("/proc/self/exe");
    command.arg("--version").env(VARIABLE, library).stdin(Stdio::null());
    let Ok(output) = command.output() else { return Ok(()) };
    let stderr = String::from_utf8_lossy(&output.stderr);
    match stderr.lines().find(|line| line.contains("ld.so")) {
        Some(line) => Err(format!("the dynamic linker does not load the library: {}", line.trim())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::without;

    #[test]
    fn libraries_of_an_outer_run_are_left_out() {
        let list = "/opt/libmpit_preload.so:/opt/libmpit_regions.so:/lib/other.so /lib/libmpit_regions.so.1";
        let others = without(OsStr::new(list), Path::new("/opt/libmpit_preload.so"));
        assert_eq!(others, "/lib/other.so:/lib/libmpit_regions.so.1");
    }
}
