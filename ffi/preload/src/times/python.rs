//! The lines of Python programs, whose calls come from an extension module such as mpi4py.
//!
//! All calls of one function of such a module have one return address. So their place is a hash of what the interpreter executes in the calling thread:
//! an address of bytecode would be that of other code once the program frees the code. mpi4py calls MPI without the interpreter's lock, hence only memory
//! is read that no other thread changes during the call: the frames of this thread, and the code objects and texts that these keep alive. The functions of
//! the interpreter that are called do the same.
//!
//! This is so for the thread that has initialized MPI, until the interpreter ends. Its end frees the states of other threads, which may be in a call, and
//! the interpreter's function for the state of a thread returns them nevertheless.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit::internal::os::readable;
use mpit_components::times::{PYTHON, SiteRow};
use mpit_ffi::host::find;
use mpit_ffi::host::modules::Module;
use mpit_ffi::host::objects::Object;
use mpit_sync::lock::Once;
use mpit_sync::thread_slots;

/// The first address of the extension module that calls MPI.
static BEGIN: AtomicU64 = AtomicU64::new(0);

/// The length of that module; 0 if there is none, or its interpreter is not known.
static LEN: AtomicU64 = AtomicU64::new(0);

static INTERPRETER: Once<Option<Interpreter>> = Once::new();

/// The bit of places in Python, which no address of a program has.
const IN_PYTHON: u64 = 1 << 63;

/// The maximum number of frames without code of Python, which the interpreter has for calls of C.
const MAX_OTHER_FRAMES: usize = 8;

/// The maximum length of a text.
const MAX_TEXT: usize = 4096;

/// The offset of the type in an object, and that of the number of elements in one with a size.
const TYPE: usize = 8;
const SIZE: usize = 16;

/// The offset of the hash of a text, and the value without one.
const HASH: usize = 24;
const NO_HASH: usize = usize::MAX;

/// The offsets of what is read, in bytes, in a version of CPython on machines with words of 64 bits.
#[derive(Debug)]
struct Layout {
    /// The beginning of the version.
    version: &'static str,
    /// In the state of a thread: its frame, or a structure that has the frame at another offset.
    frame: usize,
    inside: Option<usize>,
    /// In a frame.
    code: usize,
    previous: usize,
    instruction: usize,
    /// In code: the number of the first line, in a word of constants; the file, the qualified name and the first instruction.
    first_line: usize,
    file: usize,
    name: usize,
    first: usize,
    /// In a text: the characters of one in ASCII, and those of others.
    ascii: usize,
    wide: usize,
}

const LAYOUTS: [Layout; 3] = [
    Layout {
        version: "3.11.",
        frame: 56,
        inside: Some(8),
        code: 32,
        previous: 48,
        instruction: 56,
        first_line: 72,
        file: 112,
        name: 128,
        first: 184,
        ascii: 48,
        wide: 72,
    },
    Layout {
        version: "3.12.",
        frame: 56,
        inside: Some(0),
        code: 0,
        previous: 8,
        instruction: 56,
        first_line: 64,
        file: 112,
        name: 128,
        first: 192,
        ascii: 40,
        wide: 56,
    },
    Layout {
        version: "3.13.",
        frame: 72,
        inside: None,
        code: 0,
        previous: 8,
        instruction: 56,
        first_line: 64,
        file: 112,
        name: 128,
        first: 200,
        ascii: 40,
        wide: 56,
    },
];

type Symbol = NonNull<c_void>;
type VersionFunction = unsafe extern "C" fn() -> *const c_char;
type IsInitializedFunction = unsafe extern "C" fn() -> c_int;
type StateFunction = unsafe extern "C" fn() -> usize;
type LineFunction = unsafe extern "C" fn(usize, c_int) -> c_int;

/// The functions, types and layout of the interpreter in this process.
#[derive(Debug)]
struct Interpreter {
    is_initialized: IsInitializedFunction,
    thread_state: StateFunction,
    line: LineFunction,
    code_type: usize,
    text_type: usize,
    layout: &'static Layout,
}

/// The code that the interpreter executes in this thread, and its instruction.
#[derive(Debug)]
struct Executed {
    code: usize,
    instruction: usize,
}

/// Returns the place of a call: that of the code in Python if it comes from an extension module, else its return address.
#[inline]
pub(super) fn place(return_address: u64) -> u64 {
    if is_in_extension(return_address) { in_python(return_address) } else { return_address }
}

/// Returns true for a return address in the extension module that calls MPI.
#[inline]
pub(super) fn is_in_extension(return_address: u64) -> bool {
    let len = LEN.load(Acquire);
    return_address.wrapping_sub(BEGIN.load(Relaxed)) < len
}

#[inline(never)]
fn in_python(return_address: u64) -> u64 {
    let place = || {
        let interpreter = interpreter()?;
        Some(interpreter.place(&interpreter.executed()?))
    };
    place().unwrap_or(return_address)
}

/// Returns true for a place in Python, which is no return address.
pub(super) const fn is_place(place: u64) -> bool {
    place & IN_PYTHON != 0
}

/// Returns the interpreter, if the frames of this thread may be read.
fn interpreter() -> Option<&'static Interpreter> {
    if super::INITIALIZING_THREAD.load(Relaxed) != thread_slots::thread() {
        return None;
    }
    let interpreter = INTERPRETER.get()?.as_ref()?;
    // SAFETY: the function reads a variable, and needs no lock of the interpreter.
    let is_initialized = unsafe { (interpreter.is_initialized)() };
    if is_initialized == 0 { None } else { Some(interpreter) }
}

/// Notes a module that calls MPI, if it is the first extension module of a known interpreter, whose objects have the expected layout.
pub(super) fn look_at(module: &Module, return_address: u64) {
    if LEN.load(Relaxed) != 0 || !is_extension(&module.path) {
        return;
    }
    if INTERPRETER.get().is_none() {
        // Found before: the search takes the lock of the dynamic linker, which may wait for a thread that waits for this cell.
        let found = Interpreter::find();
        INTERPRETER.get_or_init(|| found);
    }
    if interpreter().is_some_and(|interpreter| interpreter.has_layout().is_some())
        && let Some(Object { range, .. }) = Object::containing(return_address as usize)
    {
        BEGIN.store(range.start as u64, Relaxed);
        LEN.store(range.len() as u64, Release);
    }
}

/// Returns true for a file that has the name of an extension module of CPython.
fn is_extension(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains(".cpython-3") || name.ends_with(".abi3.so")
}

/// Describes a place in Python, of the call that this thread makes; `None` for other places.
pub(super) fn describe(place: u64) -> Option<SiteRow> {
    if !is_place(place) {
        return None;
    }
    let interpreter = interpreter()?;
    let executed = interpreter.executed().filter(|executed| interpreter.place(executed) == place)?;
    let Layout { file, name, .. } = *interpreter.layout;
    let (code, distance) = (executed.code, interpreter.distance(&executed));
    // SAFETY: the function reads the code object, which the frame of this thread keeps alive, and finds no line for a distance that it does not have.
    let line = unsafe { (interpreter.line)(code, c_int::try_from(distance).ok()?) };
    // SAFETY: a code object of this layout has its file there.
    let file = unsafe { word(code + file) };
    // SAFETY: a code object of this layout has its name there.
    let name = unsafe { word(code + name) };
    let (file, name) = (interpreter.text(file)?, interpreter.text(name)?);
    let (offset, build_id) = (u64::try_from(line).ok()?, format!("{PYTHON}{name}").into());
    Some(SiteRow { number: 0, offset, build_id, module: file.into() })
}

/// Returns true for the version of a release: layouts change until there is one.
fn is_release(version: &str) -> bool {
    let number = version.split(' ').next().unwrap_or_default();
    !number.contains(|letter: char| letter.is_ascii_alphabetic())
}

impl Interpreter {
    /// Finds the interpreter of this process, if it has a known layout.
    fn find() -> Option<Self> {
        let address = |name: &CStr| find::in_program(name);
        let version = address(c"Py_GetVersion")?;
        // SAFETY: CPython defines this name with this type.
        let version = unsafe { std::mem::transmute::<Symbol, VersionFunction>(version) };
        // SAFETY: the function has no parameters, and needs no lock of the interpreter.
        let version = unsafe { version() };
        // SAFETY: it returns the address of a string that ends with NUL and is never freed.
        let version = unsafe { CStr::from_ptr(version) }.to_string_lossy();
        let layout = LAYOUTS.iter().find(|layout| version.starts_with(layout.version))?;
        if version.contains("free-threading") || !is_release(&version) {
            return None;
        }
        let is_initialized = address(c"Py_IsInitialized")?;
        // SAFETY: CPython defines this name with this type.
        let is_initialized = unsafe { std::mem::transmute::<Symbol, IsInitializedFunction>(is_initialized) };
        let thread_state = address(c"PyGILState_GetThisThreadState")?;
        // SAFETY: CPython defines this name with this type.
        let thread_state = unsafe { std::mem::transmute::<Symbol, StateFunction>(thread_state) };
        let line = address(c"PyCode_Addr2Line")?;
        // SAFETY: CPython defines this name with this type.
        let line = unsafe { std::mem::transmute::<Symbol, LineFunction>(line) };
        let [code_type, text_type] =
            [address(c"PyCode_Type")?, address(c"PyUnicode_Type")?].map(|of| of.addr().get());
        Some(Self { is_initialized, thread_state, line, code_type, text_type, layout })
    }

    /// Returns the code of the innermost frame in Python of this thread. The layout is that of the interpreter.
    fn executed(&self) -> Option<Executed> {
        // SAFETY: the state, frames and code of this thread, which has initialized MPI, live and do not change during its call, and have words at the
        // offsets of the layout.
        self.executed_by(|address| Some(unsafe { word(address) }))
    }

    /// Returns the code of the innermost frame in Python of this thread, whose words a function reads.
    #[inline]
    fn executed_by(&self, read: impl Fn(usize) -> Option<usize>) -> Option<Executed> {
        let Layout { frame, inside, code, previous, instruction, .. } = *self.layout;
        // SAFETY: the function reads a variable of the thread, and needs no lock of the interpreter.
        let state = unsafe { (self.thread_state)() };
        if state == 0 {
            return None;
        }
        let mut at = read(state + frame)?;
        if let Some(inside) = inside {
            at = read(at + inside)?;
        }
        for _ in 0..MAX_OTHER_FRAMES {
            if at == 0 {
                return None;
            }
            let of_frame = read(at + code)?;
            if of_frame != 0 && read(of_frame + TYPE)? == self.code_type {
                return Some(Executed { code: of_frame, instruction: read(at + instruction)? });
            }
            at = read(at + previous)?;
        }
        None
    }

    /// Returns something if the objects of this thread have the expected layout. Takes no risk: the kernel finds out what can be read.
    fn has_layout(&self) -> Option<()> {
        let Layout { file, name, first, .. } = *self.layout;
        // SAFETY: if there are objects of this thread, they do not change during its call.
        let read = |address| unsafe { readable::word_at(address) };
        let executed = self.executed_by(read)?;
        for text in [file, name] {
            let text = read(executed.code + text)?;
            if read(text.checked_add(TYPE)?)? != self.text_type {
                return None;
            }
        }
        // Two bytes each.
        let instructions = read(executed.code + SIZE)?;
        let distance = executed.instruction.checked_sub(executed.code + first)?;
        if distance < instructions.checked_mul(2)? { Some(()) } else { None }
    }

    /// Returns the distance of an instruction from the first one of its code.
    fn distance(&self, executed: &Executed) -> usize {
        executed.instruction.wrapping_sub(executed.code + self.layout.first)
    }

    /// Returns the place of what is executed, from all in which code objects differ that are in the same memory one after the other. Code that
    /// a program compiles again is in the same place.
    fn place(&self, executed: &Executed) -> u64 {
        let Layout { first_line, file, name, .. } = *self.layout;
        // SAFETY: a code object of this layout, which a frame of this thread keeps alive, has members there.
        let of_code = |offset| unsafe { word(executed.code + offset) };
        let (file, name) = (self.hash(of_code(file)), self.hash(of_code(name)));
        let words = [of_code(SIZE), of_code(first_line), file, name];
        let mixed = words.into_iter().fold(self.distance(executed), mix) as u64;
        // Far from the last address, like addresses of a program.
        IN_PYTHON | mixed >> 2
    }

    /// Returns a text of a code object.
    fn text(&self, object: usize) -> Option<String> {
        // SAFETY: a code object, which a frame keeps alive, does so with its texts, and each object has its type there.
        if object == 0 || unsafe { word(object + TYPE) } != self.text_type {
            return None;
        }
        let (characters, width) = self.characters(object)?;
        let character =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
        characters.chunks_exact(width).map(|bytes| char::from_u32(character(bytes))).collect()
    }

    /// Returns the characters of a text, which a frame of this thread keeps alive, and their width in bytes.
    fn characters(&self, text: usize) -> Option<(&[u8], usize)> {
        // SAFETY: a text has its number of characters there.
        let len = unsafe { word(text + SIZE) }.min(MAX_TEXT);
        // SAFETY: a text has its state there, behind the hash.
        let state = unsafe { word(text + HASH + 8) };
        let (width, is_compact, is_ascii) = (state >> 2 & 7, state >> 5 & 1 == 1, state >> 6 & 1 == 1);
        if !is_compact || !matches!(width, 1 | 2 | 4) {
            return None;
        }
        let first = text + if is_ascii { self.layout.ascii } else { self.layout.wide };
        let characters = std::ptr::with_exposed_provenance::<u8>(first);
        // SAFETY: a compact text has its characters of this width there, and texts do not change.
        Some((unsafe { std::slice::from_raw_parts(characters, len * width) }, width))
    }

    /// Returns a hash of a text: that of the interpreter, or one of the characters.
    fn hash(&self, text: usize) -> usize {
        // SAFETY: a code object, which a frame keeps alive, does so with its texts, which have a hash there.
        let hash = unsafe { word(text + HASH) };
        if hash != NO_HASH {
            return hash;
        }
        let Some((characters, _)) = self.characters(text) else { return text };
        let (words, rest) = characters.as_chunks();
        let rest = rest.iter().fold(characters.len(), |mixed, byte| mixed << 8 ^ usize::from(*byte));
        words.iter().fold(rest, |mixed, word| mix(mixed, usize::from_le_bytes(*word)))
    }
}

/// Adds a word to a hash.
fn mix(hash: usize, word: usize) -> usize {
    (hash.rotate_left(26) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Reads a word of the interpreter's objects.
///
/// # Safety
///
/// It is a member of an object that is alive, and no other thread writes it meanwhile, except for the hash of a text.
unsafe fn word(address: usize) -> usize {
    let word = std::ptr::with_exposed_provenance_mut::<usize>(address);
    // SAFETY: the caller has checked that an object of the interpreter, whose members are aligned, has a word there.
    unsafe { AtomicUsize::from_ptr(word) }.load(Relaxed)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{is_extension, is_release};

    #[test]
    fn extension_modules_have_names() {
        for (name, is) in [
            ("/lib/mpi4py/MPI.mpich.cpython-311-x86_64-linux-gnu.so", true),
            ("/lib/MPI.abi3.so", true),
            ("/lib/libhdf5.so.103", false),
            ("/lib/cpython-311/libx.so", false),
            ("", false),
        ] {
            assert_eq!(is_extension(Path::new(name)), is, "{name}");
        }
    }

    #[test]
    fn layouts_are_those_of_releases() {
        for (version, is) in [
            ("3.12.4 (main, Jun  7 2024) [GCC 13.2.0]", true),
            ("3.11.9+ (heads/3.11:abc) [Clang 18]", true),
            ("3.12.0a3 (main) [GCC]", false),
            ("3.13.0b1 (main) [GCC]", false),
            ("3.13.0rc2 (main) [GCC]", false),
        ] {
            assert_eq!(is_release(version), is, "{version}");
        }
    }
}
