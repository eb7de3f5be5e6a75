//! Loading of a plug-in file: the dynamic linker, the handshake, the table.

use std::ffi::{c_char, c_int};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::c_strings::{DESCRIPTION, NAME, text};
use super::c_structs::{LoadResult, MAX_SIZE, Specified, check_readable, copy_struct, member};
use super::c_table::{self, Definitions};
use crate::abi::{self, Host, MAGIC, MAJOR, MINOR, PluginFunction};
use crate::desc::Activation;
use crate::os::readable::Pages;

#[derive(Debug)]
pub(super) struct Opened {
    pub(super) name: &'static str,
    pub(super) definitions: Definitions,
    pub(super) hooks: Hooks,
}

/// The functions of a plug-in that are called on activation, deactivation, and a change of the thread level. Only [`open`] makes
/// this value, from a plug-in that satisfies `mpit_plugin.h` and is never unloaded, so any thread may call them at any time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hooks {
    activate: Option<unsafe extern "C" fn() -> c_int>,
    deactivate: Option<unsafe extern "C" fn()>,
    set_concurrent: Option<unsafe extern "C" fn(c_int)>,
}

impl Hooks {
    /// Calls the plug-in's function for the activation, before its variables appear.
    pub(super) fn activate(self) -> LoadResult<()> {
        let Some(activate) = self.activate else { return Ok(()) };
        // SAFETY: any thread may call the functions of a `Hooks` at any time.
        match unsafe { activate() } {
            0 => Ok(()),
            code => Err(format!("its function for the activation returned {code}")),
        }
    }

    /// Calls the plug-in's function for the deactivation, after its variables lost their values.
    pub(super) fn deactivate(self) {
        if let Some(deactivate) = self.deactivate {
            // SAFETY: any thread may call the functions of a `Hooks` at any time.
            unsafe { deactivate() };
        }
    }

    /// Notifies the plug-in of the thread level: true if several threads may communicate at once.
    pub(super) fn set_concurrent(self, concurrent: bool) {
        if let Some(set_concurrent) = self.set_concurrent {
            // SAFETY: any thread may call the functions of a `Hooks` at any time.
            unsafe { set_concurrent(c_int::from(concurrent)) };
        }
    }
}

struct Shared(Host);

// SAFETY: `Host` is never written, and its only pointer leads to a string constant.
unsafe impl Sync for Shared {}

static HOST: Shared = Shared(Host {
    magic: MAGIC,
    major: MAJOR,
    minor: MINOR,
    size: size_of::<Host>(),
    name: concat!("mpit ", env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast::<c_char>(),
});

/// Loads a file, never to unload it, and reads its definitions. Registers nothing.
///
/// # Safety
///
/// The conditions of [`super::load()`] hold for the file.
pub(super) unsafe fn open(path: &Path, activation: &'static Activation) -> LoadResult<Opened> {
    // SAFETY: the caller ensures that the file is a plug-in as `mpit_plugin.h` specifies, whose constructors may run here.
    let (name, plugin) = unsafe { handshake(path) }?;
    let definitions = c_table::convert(member!(&plugin, table), Some(activation))?;
    let abi::Plugin { activate, deactivate, set_concurrent, .. } = *plugin;
    Ok(Opened { name, definitions, hooks: Hooks { activate, deactivate, set_concurrent } })
}

/// Loads a file, never to unload it, and performs the handshake. Returns the plug-in's name and its description.
///
/// # Safety
///
/// The conditions of [`super::load()`] hold for the file.
pub(super) unsafe fn handshake(path: &Path) -> LoadResult<Described> {
    check_format(path)?;
    // SAFETY: the caller ensures that the file is a plug-in as `mpit_plugin.h` specifies, whose constructors may run here.
    let function = unsafe { dlopen(path) }?;
    // SAFETY: the function is the plug-in's `mpit_plugin_v1`, and the image is never unloaded.
    unsafe { describe(function) }?.ok_or_else(|| {
        format!("it cannot work with this mpit, which has version {MAJOR}.{MINOR} of plug-ins; use the mpit that it was built for")
    })
}

/// Loads a file, never to unload it, and returns its function for the handshake.
///
/// # Safety
///
/// The conditions of [`super::load()`] hold for the file.
#[cfg(feature = "plugins")]
unsafe fn dlopen(path: &Path) -> LoadResult<PluginFunction> {
    use libloading::os::unix::Library;

    use crate::abi::SYMBOL;

    let flags = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_NODELETE;
    // SAFETY: constructors and their dependencies may run in this process: the caller ensures it (conditions of `super::load`).
    let library = unsafe { Library::open(Some(path), flags) }.map_err(|error| {
        let text = error.to_string();
        // The caller's message contains the path.
        let text = text.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&text);
        format!("{text}; build it whole, and link it with all it needs")
    })?;
    // SAFETY: the file is a plug-in by the conditions of `super::load`, so its symbol of this name is a `PluginFunction`.
    let function = unsafe { library.get::<PluginFunction>(SYMBOL.as_bytes()) }.map_err(|_| {
        format!("it is no plug-in: there is no symbol {SYMBOL}, which MPIT_PLUGIN and plugin! make")
    })?;
    let function = *function;
    // `RTLD_NODELETE` keeps the image loaded in any case.
    std::mem::forget(library);
    Ok(function)
}

/// Refuses to load a file.
///
/// # Safety
///
/// No conditions; those of the variant that loads the file are stricter.
#[cfg(not(feature = "plugins"))]
unsafe fn dlopen(_: &Path) -> LoadResult<PluginFunction> {
    Err("this program is built without support of plug-ins; add the feature `plugins` of the crate mpit"
        .into())
}

/// The name and the description of an image.
pub(super) type Described = (&'static str, Specified<'static, abi::Plugin>);

/// Calls an image's function for the handshake. Returns `None` if the image has no description to give.
///
/// # Safety
///
/// The function is the image's `mpit_plugin_v1` or the one that its note leads to, and the image stays loaded.
pub(super) unsafe fn describe(function: PluginFunction) -> LoadResult<Option<Described>> {
    // SAFETY: `function` takes a `Host` (contract of this function), and `HOST` is a static.
    let plugin = unsafe { function(&raw const HOST.0) };
    if plugin.is_null() {
        return Ok(None);
    }
    let mut pages = Pages::default();
    // SAFETY: not null, so it is a `struct mpit_plugin` that is valid for the rest of the process (`mpit_plugin.h`).
    let plugin = read_description(&mut pages, unsafe { Specified::new(plugin) })?;
    let name = text(&mut pages, "its name", member!(&plugin, name), NAME)?;
    if let Some(fault) = crate::registry::name_fault(name) {
        return Err(fault.into());
    }
    if !plugin.problem.is_null() {
        return Err(text(&mut pages, "its problem", member!(&plugin, problem), DESCRIPTION)?.into());
    }
    Ok(Some((name, plugin)))
}

/// The size of an ELF header on 64-bit machines.
const HEADER: usize = 64;

/// Returns the part of an ELF header that is equal for all programs and shared objects of one kind of machine: magic number, word
/// size, byte order and processor.
fn kind_of_machine(header: &[u8; HEADER]) -> (&[u8], [u8; 2]) {
    (&header[..6], [header[18], header[19]])
}

fn header(path: &Path) -> std::io::Result<[u8; HEADER]> {
    let mut header = [0; HEADER];
    File::open(path)?.read_exact(&mut header)?;
    Ok(header)
}

/// Refuses files that the dynamic linker would refuse, or crash on, with a message that names the remedy. The dynamic linker of
/// macOS does so itself.
fn check_format(path: &Path) -> LoadResult<()> {
    if cfg!(target_vendor = "apple") {
        return Ok(());
    }
    let no_object = || "it is no shared object; build it with `cc -shared -fPIC`".to_owned();
    let theirs = header(path).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => no_object(),
        _ => format!("it cannot be read: {error}"),
    })?;
    if !theirs.starts_with(b"\x7fELF") {
        return Err(no_object());
    }
    if let Ok(ours) = header(Path::new("/proc/self/exe"))
        && kind_of_machine(&ours) != kind_of_machine(&theirs)
    {
        let [theirs, ours] = [theirs, ours].map(|header| u16::from_ne_bytes(kind_of_machine(&header).1));
        return Err(format!(
            "it is for another machine (ELF number {theirs}, ours is {ours}); build it for this one"
        ));
    }
    let is_truncated = is_truncated(path, &theirs).map_err(|error| format!("it cannot be read: {error}"))?;
    if is_truncated { Err("it is cut off before its end; copy or build it again".into()) } else { Ok(()) }
}

/// Returns true if the file is shorter than its loadable segments: the dynamic linker would crash.
fn is_truncated(path: &Path, header: &[u8; HEADER]) -> std::io::Result<bool> {
    /// `ELFCLASS64`.
    const CLASS_64: u8 = 2;
    /// `PT_LOAD`.
    const LOAD: u64 = 1;
    let number = |bytes: &[u8], at: usize, len: usize| {
        let mut whole = [0; 8];
        // The byte order is this machine's, as `kind_of_machine` checked, and little-endian here: big-endian machines return
        // before they call this.
        whole[..len].copy_from_slice(&bytes[at..at + len]);
        u64::from_le_bytes(whole)
    };
    if header[4] != CLASS_64 || cfg!(target_endian = "big") {
        return Ok(false);
    }
    let (start, size, count) = (number(header, 32, 8), number(header, 54, 2), number(header, 56, 2));
    if size != 56 {
        return Ok(false);
    }
    let file = File::open(path)?;
    let end = file.metadata()?.len();
    let mut table = vec![0; (size * count) as usize];
    if file.read_exact_at(&mut table, start).is_err() {
        return Ok(true);
    }
    let ends = table.chunks_exact(size as usize).filter(|one| number(one, 0, 4) == LOAD);
    Ok(ends.map(|one| number(one, 8, 8).saturating_add(number(one, 32, 8))).any(|last| last > end))
}

/// The first members of a `struct mpit_plugin`, equal in all versions.
#[derive(Clone, Copy)]
#[repr(C)]
struct PluginHeader {
    magic: u32,
    major: u16,
    minor: u16,
    size: usize,
}

/// Checks and copies a `struct mpit_plugin` of any version.
fn read_description<'t>(
    pages: &mut Pages,
    at: Specified<'t, *const abi::Plugin>,
) -> LoadResult<Specified<'t, abi::Plugin>> {
    check_readable(pages, "its struct mpit_plugin", at.cast::<PluginHeader>())?;
    // SAFETY: `check_readable` checked that it is not null, aligned and readable.
    let header = unsafe { at.cast::<PluginHeader>().read() };
    if header.magic != MAGIC {
        return Err(format!("its struct mpit_plugin begins with {:#x}, not with MPIT_MAGIC", header.magic));
    }
    let versions = format!(
        "it is made for version {}.{} of plug-ins, and this mpit has {MAJOR}.{MINOR}",
        header.major, header.minor
    );
    if header.major > MAJOR {
        return Err(format!("it needs a later mpit: {versions}"));
    }
    if header.major < MAJOR {
        return Err(format!("{versions}; build it with our header"));
    }
    let ours = size_of::<abi::Plugin>();
    if header.size < ours || header.size > MAX_SIZE {
        return Err(format!("the size of its struct mpit_plugin is {}, not the sizeof, {ours}", header.size));
    }
    // SAFETY: the struct has as many bytes as its size states. The members are pointers, optional functions and integers, for which all
    // values that C writes are valid.
    let whole = unsafe { copy_struct(pages, "its struct mpit_plugin", at, header.size) }?;
    whole.ok_or_else(|| format!("it needs a later mpit, for more members of struct mpit_plugin: {versions}"))
}
