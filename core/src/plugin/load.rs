//! From a file to what it defines: the dynamic linker, the handshake, the table.

use std::ffi::{c_char, c_int};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::mem::MaybeUninit;
use std::os::unix::fs::FileExt;
use std::path::Path;

use libloading::os::unix::Library;

use super::abi::{self, Host, MAGIC, MAJOR, MINOR, PluginFunction, SYMBOL};
use super::life::Life;
use super::read::{Checked, LARGEST, placed, placed_list};
use super::table::{self, Definitions};
use super::texts::{DESCRIPTION, NAME, text};

/// What a file turned out to be.
#[derive(Debug)]
pub(super) struct Opened {
    /// What it calls itself.
    pub(super) name: &'static str,
    pub(super) made: Definitions,
    pub(super) hooks: Hooks,
}

/// The functions of a plug-in that are called when its life changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hooks {
    activate: Option<unsafe extern "C" fn() -> c_int>,
    deactivate: Option<unsafe extern "C" fn()>,
    set_concurrent: Option<unsafe extern "C" fn(c_int)>,
}

impl Hooks {
    /// Before its variables appear.
    pub(super) fn activate(self) -> Checked<()> {
        // SAFETY: whoever loads a plug-in promises that its functions may be called.
        match self.activate.map_or(0, |activate| unsafe { activate() }) {
            0 => Ok(()),
            code => Err(format!("its function for the activation returned {code}")),
        }
    }

    /// After its variables lost their values.
    pub(super) fn deactivate(self) {
        if let Some(deactivate) = self.deactivate {
            // SAFETY: as above.
            unsafe { deactivate() };
        }
    }

    /// Whether several threads may communicate at once.
    pub(super) fn set_concurrent(self, concurrent: bool) {
        if let Some(set_concurrent) = self.set_concurrent {
            // SAFETY: as above.
            unsafe { set_concurrent(c_int::from(concurrent)) };
        }
    }
}

struct Shared(Host);

// SAFETY: its text is a constant.
unsafe impl Sync for Shared {}

static HOST: Shared = Shared(Host {
    magic: MAGIC,
    major: MAJOR,
    minor: MINOR,
    size: size_of::<Host>(),
    name: concat!("mpit ", env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast::<c_char>(),
});

/// Loads a file for ever, and reads what it defines. Nobody knows of it afterwards.
///
/// # Errors
///
/// What is wrong with it, and what to do.
///
/// # Safety
///
/// As [`super::load`].
pub(super) unsafe fn open(path: &Path, life: &'static Life) -> Checked<Opened> {
    // SAFETY: by the caller's promise.
    let (name, plugin) = unsafe { greet(path) }?;
    // SAFETY: by the caller's promise.
    let made = unsafe { table::make(plugin.table, Some(life)) }?;
    let abi::Plugin { activate, deactivate, set_concurrent, .. } = plugin;
    Ok(Opened { name, made, hooks: Hooks { activate, deactivate, set_concurrent } })
}

/// Loads a file for ever, and reads what it says of itself: what it is called, and where its table is.
///
/// # Errors
///
/// What is wrong with it, and what to do.
///
/// # Safety
///
/// As [`super::load`].
pub(super) unsafe fn greet(path: &Path) -> Checked<(&'static str, abi::Plugin)> {
    fit(path)?;
    let flags = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_NODELETE;
    // SAFETY: by the caller's promise.
    let library = unsafe { Library::open(Some(path), flags) }.map_err(|error| {
        let text = error.to_string();
        // The path is said already.
        let text = text.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&text);
        format!("{text}; build it whole, and link it with all it needs")
    })?;
    // SAFETY: the type of the symbol of this name, by the caller's promise.
    let function = unsafe { library.get::<PluginFunction>(SYMBOL.as_bytes()) }.map_err(|_| {
        format!("it is no plug-in: there is no symbol {SYMBOL}, which MPIT_PLUGIN and plugin! make")
    })?;
    // SAFETY: by the caller's promise.
    let found = unsafe { ask(*function) };
    // It stays loaded either way; so does what it gave us.
    std::mem::forget(library);
    found?.ok_or_else(|| {
        format!("it cannot work with this mpit, which has version {MAJOR}.{MINOR} of plug-ins")
    })
}

/// Asks for what an image says of itself: what it is called, and where its table is. `None` if it gives nothing.
///
/// # Errors
///
/// What is wrong with it, and what to do.
///
/// # Safety
///
/// The function is what an image has for this, and the image stays loaded.
pub(super) unsafe fn ask(function: PluginFunction) -> Checked<Option<(&'static str, abi::Plugin)>> {
    // SAFETY: by the caller's promise; the struct lives as long as the process.
    let plugin = unsafe { function(&raw const HOST.0) };
    if plugin.is_null() {
        return Ok(None);
    }
    // SAFETY: not null, and otherwise by the caller's promise.
    let plugin = unsafe { described(plugin) }?;
    // SAFETY: by the caller's promise.
    let name = unsafe { text("its name", plugin.name, NAME) }?;
    if let Some(fault) = crate::registry::name_fault(name) {
        return Err(fault.into());
    }
    if !plugin.problem.is_null() {
        // SAFETY: by the caller's promise.
        return Err(unsafe { text("its problem", plugin.problem, DESCRIPTION) }?.into());
    }
    Ok(Some((name, plugin)))
}

/// The bytes of a header of ELF, for machines with 64 bits.
const HEADER: usize = 64;

/// What all programs and shared objects of this kind of machine say alike: that it is one, how wide numbers are, and which
/// processor it is for.
fn kind_of_machine(header: &[u8; HEADER]) -> (&[u8], [u8; 2]) {
    (&header[..6], [header[18], header[19]])
}

fn header(path: &Path) -> std::io::Result<[u8; HEADER]> {
    let mut header = [0; HEADER];
    File::open(path)?.read_exact(&mut header)?;
    Ok(header)
}

/// Refuses what the dynamic linker would, or what crashes it, in words that say what to do.
fn fit(path: &Path) -> Checked<()> {
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
    let is_cut = is_cut(path, &theirs).map_err(|error| format!("it cannot be read: {error}"))?;
    if is_cut { Err("it is cut off before its end; copy or build it again".into()) } else { Ok(()) }
}

/// Whether the file ends before what is to be loaded of it: reading that would crash.
fn is_cut(path: &Path, header: &[u8; HEADER]) -> std::io::Result<bool> {
    /// Of the class of files with 64 bits.
    const WIDE: u8 = 2;
    /// The type of what is to be loaded.
    const LOAD: u64 = 1;
    let number = |bytes: &[u8], at: usize, len: usize| {
        let mut whole = [0; 8];
        // The machine's own order, as was checked; the lowest byte comes first wherever Linux runs MPI today.
        whole[..len].copy_from_slice(&bytes[at..at + len]);
        u64::from_le_bytes(whole)
    };
    if header[4] != WIDE || cfg!(target_endian = "big") {
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

/// The beginning of a `struct mpit_plugin`, which all versions have.
#[derive(Clone, Copy)]
#[repr(C)]
struct Head {
    magic: u32,
    major: u16,
    minor: u16,
    size: usize,
}

/// Reads what a plug-in says of itself.
///
/// # Safety
///
/// As [`super::load`].
unsafe fn described(at: *const abi::Plugin) -> Checked<abi::Plugin> {
    placed("its struct mpit_plugin", at.cast::<Head>())?;
    // SAFETY: not null, aligned and readable.
    let head = unsafe { at.cast::<Head>().read() };
    if head.magic != MAGIC {
        return Err(format!("its struct mpit_plugin begins with {:#x}, not with MPIT_MAGIC", head.magic));
    }
    if head.major != MAJOR {
        return Err(format!(
            "it is made for version {}.{} of plug-ins, and this mpit has {MAJOR}.{MINOR}; build it with our header",
            head.major, head.minor
        ));
    }
    let ours = size_of::<abi::Plugin>();
    if head.size < ours || head.size > LARGEST {
        return Err(format!("the size of its struct mpit_plugin is {}, not the sizeof, {ours}", head.size));
    }
    placed_list("its struct mpit_plugin", at.cast::<u8>(), head.size)?;
    for offset in ours..head.size {
        // SAFETY: within its size, by the caller's promise.
        if unsafe { at.cast::<u8>().wrapping_add(offset).read() } != 0 {
            return Err(
                "it uses members of struct mpit_plugin that this mpit does not know; use a newer one".into(),
            );
        }
    }
    let mut whole = MaybeUninit::<abi::Plugin>::uninit();
    // SAFETY: its size is no less than ours by the check above, and there is room for ours.
    unsafe { std::ptr::copy_nonoverlapping(at, whole.as_mut_ptr(), 1) };
    // SAFETY: written just now, and pointers and numbers of C are values of its members.
    Ok(unsafe { whole.assume_init() })
}
