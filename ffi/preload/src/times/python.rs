//! The lines of Python programs, whose calls come from an extension module such as mpi4py.
//!
//! All calls of one function of such a module have one return address. So their place is the address of the bytecode that the interpreter executes in
//! the calling thread. mpi4py calls MPI without the interpreter's lock, hence only memory is read that no other thread changes during the call: the
//! frames of this thread, and the code objects and texts that these keep alive. The functions of the interpreter that are called do the same.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit_components::times::{PYTHON, SiteRow};
use mpit_ffi::host::find;
use mpit_ffi::host::modules::{Module, range_of};
use mpit_sync::lock::Once;

/// The first address of the extension module that calls MPI.
static BEGIN: AtomicU64 = AtomicU64::new(0);

/// The length of that module; 0 if there is none, or its interpreter is not known.
static LEN: AtomicU64 = AtomicU64::new(0);

static INTERPRETER: Once<Option<Interpreter>> = Once::new();

/// The maximum number of frames without code of Python, which the interpreter has for calls of C.
const MAX_OTHER_FRAMES: usize = 8;

/// The maximum length of a text.
const MAX_TEXT: usize = 4096;

/// The offset of the type in an object, and that of the number of elements in one with a size.
const TYPE: usize = 8;
const SIZE: usize = 16;

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
    /// In code: the file, the qualified name and the first instruction.
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
        file: 112,
        name: 128,
        first: 200,
        ascii: 40,
        wide: 56,
    },
];

type Symbol = NonNull<c_void>;
type VersionFunction = unsafe extern "C" fn() -> *const c_char;
type StateFunction = unsafe extern "C" fn() -> usize;
type LineFunction = unsafe extern "C" fn(usize, c_int) -> c_int;

/// The functions, types and layout of the interpreter in this process.
#[derive(Debug)]
struct Interpreter {
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
    let len = LEN.load(Acquire);
    if return_address.wrapping_sub(BEGIN.load(Relaxed)) < len {
        in_python(return_address)
    } else {
        return_address
    }
}

#[inline(never)]
fn in_python(return_address: u64) -> u64 {
    let executed = INTERPRETER.get().and_then(Option::as_ref).and_then(Interpreter::executed);
    executed.map_or(return_address, |executed| executed.instruction as u64)
}

/// Notes a module that calls MPI, if it is the first extension module of a known interpreter.
pub(super) fn look_at(module: &Module, return_address: u64) {
    if LEN.load(Relaxed) != 0 || !is_extension(&module.path) {
        return;
    }
    if INTERPRETER.get_or_init(Interpreter::find).is_some()
        && let Some(range) = range_of(return_address as usize)
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
    if LEN.load(Acquire) == 0 {
        return None;
    }
    let interpreter = INTERPRETER.get()?.as_ref()?;
    let Executed { code, instruction } =
        interpreter.executed().filter(|found| found.instruction as u64 == place)?;
    let Layout { file, name, first, .. } = interpreter.layout;
    let distance = c_int::try_from(instruction.checked_sub(code + first)?).ok()?;
    // SAFETY: the function reads the code object, which the frame of this thread keeps alive, and finds no line for a distance that it does not have.
    let line = unsafe { (interpreter.line)(code, distance) };
    // SAFETY: a code object of this layout has its file there.
    let file = unsafe { word(code + file) };
    // SAFETY: a code object of this layout has its name there.
    let name = unsafe { word(code + name) };
    let (file, name) = (interpreter.text(file)?, interpreter.text(name)?);
    let (offset, build_id) = (u64::try_from(line).ok()?, format!("{PYTHON}{name}").into());
    Some(SiteRow { number: 0, offset, build_id, module: file.into() })
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
        if version.contains("free-threading") {
            return None;
        }
        let thread_state = address(c"PyGILState_GetThisThreadState")?;
        // SAFETY: CPython defines this name with this type.
        let thread_state = unsafe { std::mem::transmute::<Symbol, StateFunction>(thread_state) };
        let line = address(c"PyCode_Addr2Line")?;
        // SAFETY: CPython defines this name with this type.
        let line = unsafe { std::mem::transmute::<Symbol, LineFunction>(line) };
        let [code_type, text_type] =
            [address(c"PyCode_Type")?, address(c"PyUnicode_Type")?].map(|of| of.addr().get());
        Some(Self { thread_state, line, code_type, text_type, layout })
    }

    /// Returns the code of the innermost frame in Python of this thread.
    fn executed(&self) -> Option<Executed> {
        let Layout { frame, inside, code, previous, instruction, .. } = *self.layout;
        // SAFETY: the function reads a variable of the thread, and needs no lock of the interpreter.
        let state = unsafe { (self.thread_state)() };
        if state == 0 {
            return None;
        }
        // SAFETY: the interpreter frees the state of a thread after the thread's last call.
        let mut at = unsafe { word(state + frame) };
        if let Some(inside) = inside {
            // SAFETY: in this layout, the state has the address of a structure with the frame.
            at = unsafe { word(at + inside) };
        }
        for _ in 0..MAX_OTHER_FRAMES {
            if at == 0 {
                return None;
            }
            // SAFETY: a frame of this thread does not change during its call of MPI.
            let of_frame = unsafe { word(at + code) };
            // SAFETY: a frame keeps the object that it executes alive.
            if of_frame != 0 && unsafe { type_of(of_frame) } == self.code_type {
                // SAFETY: a frame with code has the address of an instruction in it.
                let instruction = unsafe { word(at + instruction) };
                return Some(Executed { code: of_frame, instruction });
            }
            // SAFETY: a frame has the address of the one that it was called from, or 0.
            at = unsafe { word(at + previous) };
        }
        None
    }

    /// Returns a text of a code object.
    fn text(&self, object: usize) -> Option<String> {
        // SAFETY: a code object, which a frame keeps alive, does so with its texts.
        if object == 0 || unsafe { type_of(object) } != self.text_type {
            return None;
        }
        // SAFETY: a text has its number of characters there.
        let len = unsafe { word(object + SIZE) }.min(MAX_TEXT);
        // SAFETY: a text has its state there, behind the hash.
        let state = unsafe { word(object + SIZE + 16) };
        let (width, is_compact, is_ascii) = (state >> 2 & 7, state >> 5 & 1 == 1, state >> 6 & 1 == 1);
        if !is_compact || !matches!(width, 1 | 2 | 4) {
            return None;
        }
        let first = object + if is_ascii { self.layout.ascii } else { self.layout.wide };
        let characters = std::ptr::with_exposed_provenance::<u8>(first);
        // SAFETY: a compact text has its characters of this width there, and texts do not change.
        let characters = unsafe { std::slice::from_raw_parts(characters, len * width) };
        let character =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
        characters.chunks_exact(width).map(|bytes| char::from_u32(character(bytes))).collect()
    }
}

/// Returns the type of an object of the interpreter.
///
/// # Safety
///
/// The object is alive.
unsafe fn type_of(object: usize) -> usize {
    // SAFETY: the caller knows that the object is alive, and each object of CPython has its type there, which does not change.
    unsafe { word(object + TYPE) }
}

/// Reads a word of the interpreter's objects.
///
/// # Safety
///
/// It is a member of an object that is alive, and no other thread writes it meanwhile.
unsafe fn word(address: usize) -> usize {
    // SAFETY: the caller has checked that an object of the interpreter, whose members are aligned, has a word there.
    unsafe { std::ptr::with_exposed_provenance::<usize>(address).read() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::is_extension;

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
}
