//! Calls of the C functions with valid, unaligned and null pointers, into memory that is checked afterwards.

#![allow(unsafe_code, reason = "calls the interface as C tools do")]

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use arbitrary::{Result, Unstructured};
use mpit::Error;
use mpit_ffi::mpi_t::{category, cvar, enums, init, pvar_access, pvar_handle, pvar_query};

use super::Expected;
use super::variables::Kind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) struct Code(pub(super) c_int);

/// The fault of a pointer, if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pointer {
    Valid,
    Unaligned,
    Null,
}

impl Pointer {
    pub(super) fn choose(choices: &mut Unstructured<'_>) -> Result<Self> {
        Ok(match choices.arbitrary::<u8>()? {
            250..=255 => Self::Null,
            240..=249 => Self::Unaligned,
            _ => Self::Valid,
        })
    }

    pub(super) fn not_null(self) -> Expected {
        if self == Self::Null { Err(Error::Invalid) } else { Ok(()) }
    }

    pub(super) fn aligned(self) -> Expected {
        if self == Self::Unaligned { Err(Error::Invalid) } else { Ok(()) }
    }
}

/// Memory for `len` bytes, surrounded by guard bytes that must not change.
struct Memory {
    words: Vec<u64>,
    len: usize,
    pointer: Pointer,
}

impl Memory {
    const UNTOUCHED: u8 = 0xa5;

    fn new(len: usize, pointer: Pointer) -> Self {
        Self { words: vec![u64::from_ne_bytes([Self::UNTOUCHED; 8]); 3 + len / 8], len, pointer }
    }

    fn with(bytes: &[u8], pointer: Pointer) -> Self {
        let mut memory = Self::new(bytes.len(), pointer);
        if pointer != Pointer::Null {
            let start = memory.start::<u8>();
            for (at, byte) in bytes.iter().enumerate() {
                // SAFETY: `new` allocated as many bytes behind `start`.
                unsafe { start.wrapping_add(at).write(*byte) };
            }
        }
        memory
    }

    fn offset(&self) -> usize {
        8 + usize::from(self.pointer == Pointer::Unaligned)
    }

    fn start<T>(&mut self) -> *mut T {
        match self.pointer {
            Pointer::Null => null_mut(),
            _ => self.words.as_mut_ptr().cast::<u8>().wrapping_add(self.offset()).cast(),
        }
    }

    /// Returns the bytes. Checks that the guard bytes are unchanged, and all bytes if the call failed.
    fn bytes(&self, code: Code) -> Vec<u8> {
        let all: Vec<u8> = self.words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let (before, rest) = all.split_at(self.offset());
        let (inside, behind) = rest.split_at(self.len);
        let is_untouched = |bytes: &[u8]| bytes.iter().all(|byte| *byte == Self::UNTOUCHED);
        let len = self.len;
        assert!(is_untouched(before) && is_untouched(behind), "a function writes outside of {len} bytes");
        assert!(code.0 == 0 || is_untouched(inside), "a function that fails writes");
        inside.into()
    }

    fn number(&self, code: Code) -> c_int {
        c_int::from_ne_bytes(self.bytes(code).try_into().expect("as many bytes as an int has"))
    }

    fn handle(&self, code: Code) -> usize {
        usize::from_ne_bytes(self.bytes(code).try_into().expect("as many bytes as a handle has"))
    }

    fn of_number(pointer: Pointer) -> Self {
        Self::new(size_of::<c_int>(), pointer)
    }

    fn of_handle(pointer: Pointer) -> Self {
        Self::new(size_of::<usize>(), pointer)
    }
}

pub(super) fn init(required: c_int, pointer: Pointer) -> (Code, c_int) {
    let mut provided = Memory::of_number(pointer);
    // SAFETY: null, or writable memory of the size of a number.
    let code = Code(unsafe { init::MPI_T_init_thread(required, provided.start()) });
    (code, provided.number(code))
}

pub(super) fn finalize() -> Code {
    // SAFETY: it takes no pointer.
    Code(unsafe { init::MPI_T_finalize() })
}

pub(super) fn session_create(pointer: Pointer) -> (Code, usize) {
    let mut session = Memory::of_handle(pointer);
    // SAFETY: null, or writable memory of the size of a session.
    let code = Code(unsafe { pvar_handle::MPI_T_pvar_session_create(session.start()) });
    (code, session.handle(code))
}

/// Returns the value of the session's variable after the call.
pub(super) fn session_free(session: usize, pointer: Pointer) -> (Code, usize) {
    freed(session, pointer, |at| {
        // SAFETY: null, or a session.
        unsafe { pvar_handle::MPI_T_pvar_session_free(at) }
    })
}

/// Calls a function that frees the object in a variable and sets the variable to null.
fn freed(held: usize, pointer: Pointer, free: impl FnOnce(*mut usize) -> c_int) -> (Code, usize) {
    let mut memory = Memory::with(&held.to_ne_bytes(), pointer);
    let code = Code(free(memory.start()));
    // The caller checks that a failed call did not change it.
    (code, if pointer == Pointer::Null { held } else { memory.handle(Code(0)) })
}

/// Returns the handle and the number of elements.
pub(super) fn handle_alloc(session: usize, index: c_int, pointers: [Pointer; 2]) -> (Code, usize, c_int) {
    allocated(pointers, |handle, count| {
        // SAFETY: no object is needed; the others are null, or writable memory of their size.
        unsafe { pvar_handle::MPI_T_pvar_handle_alloc(session, index, null_mut(), handle, count) }
    })
}

/// Calls a function that returns a handle and its number of elements.
fn allocated(
    pointers: [Pointer; 2],
    alloc: impl FnOnce(*mut usize, *mut c_int) -> c_int,
) -> (Code, usize, c_int) {
    let (mut handle, mut count) = (Memory::of_handle(pointers[0]), Memory::of_number(pointers[1]));
    let code = Code(alloc(handle.start(), count.start()));
    (code, handle.handle(code), count.number(code))
}

/// Returns what the variable of the handle has afterwards.
pub(super) fn handle_free(session: usize, handle: usize, pointer: Pointer) -> (Code, usize) {
    freed(handle, pointer, |at| {
        // SAFETY: null, or a handle.
        unsafe { pvar_handle::MPI_T_pvar_handle_free(session, at) }
    })
}

pub(super) fn start_or_stop(session: usize, handle: usize, start: bool) -> Code {
    let call = if start { pvar_access::MPI_T_pvar_start } else { pvar_access::MPI_T_pvar_stop };
    // SAFETY: it takes no pointer.
    Code(unsafe { call(session, handle) })
}

pub(super) fn reset(session: usize, handle: usize) -> Code {
    // SAFETY: it takes no pointer.
    Code(unsafe { pvar_access::MPI_T_pvar_reset(session, handle) })
}

/// A value in the type of a kind of variable.
fn to_bytes(kind: Kind, value: u64) -> Vec<u8> {
    match kind {
        Kind::Narrow => (value as u32).to_ne_bytes().into(),
        Kind::Amount => (value as f64 / 4.0).to_ne_bytes().into(),
        _ => value.to_ne_bytes().into(),
    }
}

/// The value, in whole numbers.
fn of_bytes(kind: Kind, bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    if kind == Kind::Amount { (f64::from_ne_bytes(word) * 4.0) as u64 } else { u64::from_ne_bytes(word) }
}

pub(super) fn read(session: usize, handle: usize, kind: Kind, pointer: Pointer, reset: bool) -> (Code, u64) {
    let mut value = Memory::new(to_bytes(kind, 0).len(), pointer);
    let call = if reset { pvar_access::MPI_T_pvar_readreset } else { pvar_access::MPI_T_pvar_read };
    // SAFETY: null, or writable memory of the size of the value.
    let code = Code(unsafe { call(session, handle, value.start()) });
    (code, of_bytes(kind, &value.bytes(code)))
}

pub(super) fn write(session: usize, handle: usize, kind: Kind, value: u64, pointer: Pointer) -> Code {
    let mut value = Memory::with(&to_bytes(kind, value), pointer);
    // SAFETY: null, or a value.
    Code(unsafe { pvar_access::MPI_T_pvar_write(session, handle, value.start::<c_void>()) })
}

/// Returns the handle and the number of elements.
pub(super) fn setting_alloc(index: c_int, pointers: [Pointer; 2]) -> (Code, usize, c_int) {
    allocated(pointers, |handle, count| {
        // SAFETY: no object is needed; the others are null, or writable memory of their size.
        unsafe { cvar::MPI_T_cvar_handle_alloc(index, null_mut(), handle, count) }
    })
}

/// Returns what the variable of the handle has afterwards.
pub(super) fn setting_free(handle: usize, pointer: Pointer) -> (Code, usize) {
    freed(handle, pointer, |at| {
        // SAFETY: null, or a handle.
        unsafe { cvar::MPI_T_cvar_handle_free(at) }
    })
}

pub(super) fn setting_read(handle: usize, len: usize, pointer: Pointer) -> (Code, Vec<u8>) {
    let mut value = Memory::new(len, pointer);
    // SAFETY: null, or writable memory of the size of the value.
    let code = Code(unsafe { cvar::MPI_T_cvar_read(handle, value.start()) });
    (code, value.bytes(code))
}

pub(super) fn setting_write(handle: usize, value: &[u8], pointer: Pointer) -> Code {
    let mut value = Memory::with(value, pointer);
    // SAFETY: null, or a value.
    Code(unsafe { cvar::MPI_T_cvar_write(handle, value.start::<c_void>()) })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entries {
    Pvars,
    Cvars,
    Categories,
}

pub(super) fn number_of(entries: Entries, pointer: Pointer) -> (Code, c_int) {
    let get_num = match entries {
        Entries::Pvars => pvar_query::MPI_T_pvar_get_num,
        Entries::Cvars => cvar::MPI_T_cvar_get_num,
        Entries::Categories => category::MPI_T_category_get_num,
    };
    let mut number = Memory::of_number(pointer);
    // SAFETY: null, or writable memory of the size of a number.
    let code = Code(unsafe { get_num(number.start()) });
    (code, number.number(code))
}

/// A buffer for a text: the length that is passed, and the pointers to the text and to the length.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextBuffer {
    pub(super) declared_len: c_int,
    pub(super) text: Pointer,
    pub(super) len: Pointer,
}

impl TextBuffer {
    pub(super) fn is_there(self) -> bool {
        self.text != Pointer::Null && self.len != Pointer::Null
    }
}

fn filled(buffer: TextBuffer, code: Code, text: &str, memory: &[u8], len: c_int) {
    if buffer.len != Pointer::Null {
        assert_eq!(len, if code.0 == 0 { text.len() as c_int + 1 } else { buffer.declared_len });
    }
    if code.0 != 0 || !buffer.is_there() || buffer.declared_len == 0 {
        assert!(memory.iter().all(|byte| *byte == Memory::UNTOUCHED));
        return;
    }
    let copied = text.len().min(buffer.declared_len as usize - 1);
    assert_eq!(&memory[..copied], &text.as_bytes()[..copied]);
    assert_eq!(memory[copied], 0);
    assert!(memory[copied + 1..].iter().all(|byte| *byte == Memory::UNTOUCHED));
}

/// Calls a function that returns a text, and checks the buffer. The function gets the buffer and its length.
fn text(buffer: TextBuffer, text: &str, call: impl FnOnce(*mut c_char, *mut c_int) -> c_int) -> Code {
    let mut memory = Memory::new(buffer.declared_len.max(0) as usize, buffer.text);
    let mut len = Memory::with(&buffer.declared_len.to_ne_bytes(), buffer.len);
    let code = Code(call(memory.start(), len.start()));
    // The length holds something even if the call fails.
    let len = if buffer.len == Pointer::Null { 0 } else { len.number(Code(0)) };
    filled(buffer, code, text, &memory.bytes(Code(0)), len);
    code
}

pub(super) fn pvar_name(index: c_int, buffer: TextBuffer, expected: &str) -> Code {
    let (none, kind, named, desc) = (null_mut(), null_mut(), null_mut(), null_mut());
    text(buffer, expected, |name, len| {
        let get = pvar_query::MPI_T_pvar_get_info;
        // SAFETY: the buffer is as large as its length says, or one of them is null; all else is null.
        unsafe { get(index, name, len, none, none, kind, named, desc, none, none, none, none, none) }
    })
}

pub(super) fn cvar_name(index: c_int, buffer: TextBuffer, expected: &str) -> Code {
    let (none, kind, named, desc) = (null_mut(), null_mut(), null_mut(), null_mut());
    text(buffer, expected, |name, len| {
        let get = cvar::MPI_T_cvar_get_info;
        // SAFETY: the buffer is as large as its length says, or one of them is null; all else is null.
        unsafe { get(index, name, len, none, kind, named, desc, none, none, none) }
    })
}

pub(super) fn enumeration_of(index: c_int) -> (Code, usize) {
    let mut handle = Memory::of_handle(Pointer::Unaligned);
    let (none, text) = (null_mut(), null_mut());
    // SAFETY: the buffer has the size of an identifier; all else is null.
    let code = unsafe {
        cvar::MPI_T_cvar_get_info(index, text, none, none, null_mut(), handle.start(), text, none, none, none)
    };
    (Code(code), handle.handle(Code(code)))
}

pub(super) fn enum_item(
    enumeration: usize,
    item: c_int,
    buffer: TextBuffer,
    expected: &str,
    pointer: Pointer,
) -> (Code, c_int) {
    let mut value = Memory::of_number(pointer);
    let at = value.start();
    let code = text(buffer, expected, |name, len| {
        // SAFETY: the buffer is as large as its length says, or one of them is null; so is the value.
        unsafe { enums::MPI_T_enum_get_item(enumeration, item, at, name, len) }
    });
    (code, value.number(code))
}

pub(super) fn pvar_index(name: Option<&[u8]>, class: c_int, pointer: Pointer) -> (Code, c_int) {
    let mut index = Memory::of_number(pointer);
    let name = name.map(|name| std::ffi::CString::new(name).unwrap_or_default());
    let text = name.as_ref().map_or(null_mut(), |name| name.as_ptr().cast_mut());
    // SAFETY: null, or a text with a NUL; null, or writable memory of the size of an index.
    let code = Code(unsafe { pvar_query::MPI_T_pvar_get_index(text, class, index.start()) });
    (code, index.number(code))
}
