//! Memory of a table: texts, lists, storage and cells, and valid and invalid pointers to them.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null, null_mut, without_provenance};
use std::{mem::MaybeUninit, sync::atomic::Ordering::Acquire};

use arbitrary::{Result, Unstructured};
use mpit::internal::plugin::abi;

/// The largest size of an entry in bytes, and thus the maximum that the library may read behind the end of a list.
pub(super) const MAX_ENTRY_SIZE: usize = 4096;

/// The storage of a variable in bytes. Counts beyond it are used with functions only.
pub(super) const STORAGE: usize = 512;

/// Returns true for one of `count` choices, but false when no choices are left.
pub(super) fn one_in(choices: &mut Unstructured<'_>, count: u8) -> Result<bool> {
    Ok(choices.arbitrary::<u8>()? > 255 - 255 / count)
}

/// Returns a struct of zeros, the value that C gives to members without an initializer.
pub(super) fn zeros<T: Copy>() -> T {
    // SAFETY: used for the structs of the header, all of whose members may be zeros.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// All memory that a table refers to. Its addresses are stable until it is dropped.
#[derive(Default)]
pub(super) struct Memory {
    texts: Vec<Vec<u8>>,
    lists: Vec<Box<[u64]>>,
    pub(super) cells: Vec<*const abi::EventCell>,
}

impl Memory {
    /// Returns a pointer that is usually valid; otherwise null, unaligned, or to unmapped memory.
    pub(super) fn pointer<T>(choices: &mut Unstructured<'_>, right: *const T) -> Result<*const T> {
        Ok(match choices.arbitrary::<u8>()? {
            255 => null(),
            254 => right.wrapping_byte_add(1),
            253 => without_provenance(16),
            252 => without_provenance(0xdead_0000_0000_beef),
            251 => without_provenance(usize::MAX - 7),
            _ => right,
        })
    }

    /// Allocates `bytes` zeros, followed by as many bytes as the library may read behind a list.
    pub(super) fn zeroed(&mut self, bytes: usize) -> *mut u64 {
        self.lists.push(vec![0; (bytes + 2 * MAX_ENTRY_SIZE) / size_of::<u64>()].into());
        self.lists.last_mut().map_or(null_mut(), |list| list.as_mut_ptr())
    }

    /// Copies entries to a list, `stride` bytes apart.
    pub(super) fn list<T: Copy>(&mut self, entries: &[T], stride: usize) -> *const T {
        let start = self.zeroed(entries.len() * stride + size_of::<T>());
        for (number, entry) in entries.iter().enumerate() {
            let at = start.wrapping_byte_add(number * stride).cast::<u8>();
            let bytes = stride.min(size_of::<T>());
            // SAFETY: inside the memory that `zeroed` allocated, which does not overlap the entry.
            unsafe { std::ptr::copy_nonoverlapping(std::ptr::from_ref(entry).cast(), at, bytes) };
        }
        start.cast()
    }

    pub(super) fn text(&mut self, choices: &mut Unstructured<'_>, good: &str) -> Result<*const c_char> {
        let text: Vec<u8> = match choices.arbitrary::<u8>()? {
            255 => Vec::new(),
            254 => choices.arbitrary::<[u8; 4]>()?.into_iter().filter(|byte| *byte != 0).collect(),
            253 => vec![b'x'; choices.int_in_range(200..=5000)?],
            252 => format!("{good}\n\x1b[2J").into(),
            _ => good.into(),
        };
        // Two ends, since a pointer may lead to the first one.
        let text = [text.as_slice(), b"\0\0"].concat();
        let right = text.as_ptr().cast();
        self.texts.push(text);
        Self::pointer(choices, right)
    }

    /// Returns one of few names, so that some are duplicates and some refer to other entries.
    pub(super) fn name(&mut self, choices: &mut Unstructured<'_>, kind: &str) -> Result<*const c_char> {
        // Events need an existing source.
        let number = choices.int_in_range(0..=if kind == "source" { 1 } else { 5 })?;
        self.text(choices, &format!("{kind}_{number}"))
    }

    /// Returns a list of names that ends with a null pointer.
    pub(super) fn names(
        &mut self,
        choices: &mut Unstructured<'_>,
        kind: &str,
    ) -> Result<*const *const c_char> {
        if choices.arbitrary()? {
            return Ok(null());
        }
        let mut names = Vec::new();
        for _ in 0..choices.int_in_range(0..=2)? {
            names.push(self.name(choices, kind)?);
        }
        // A null pointer in it would end it, too.
        names.push(null());
        let list = self.list(&names, size_of::<*const c_char>());
        Self::pointer(choices, list)
    }

    /// Returns one of the first `words` constants of an enumeration of the header, or an invalid number.
    pub(super) fn constant(choices: &mut Unstructured<'_>, words: usize) -> Result<c_int> {
        if one_in(choices, 32)? {
            choices.arbitrary()
        } else {
            Ok(choices.int_in_range(0..=words - 1)? as c_int)
        }
    }

    pub(super) fn size<T>(choices: &mut Unstructured<'_>) -> Result<usize> {
        Ok(match choices.arbitrary::<u8>()? {
            255 => choices.int_in_range(0..=MAX_ENTRY_SIZE + 16)?,
            254 => choices.arbitrary()?,
            253 => size_of::<T>() + 8,
            252 => size_of::<T>() - 16,
            _ => size_of::<T>(),
        })
    }

    /// Returns storage of a variable, behind which nothing may be read: valid, null or unaligned.
    pub(super) fn storage(&mut self, choices: &mut Unstructured<'_>) -> Result<*mut c_void> {
        self.lists.push(vec![0; STORAGE / size_of::<u64>()].into());
        let right = self.lists.last_mut().map_or(null_mut(), |list| list.as_mut_ptr().cast::<c_void>());
        Ok(match choices.arbitrary::<u8>()? {
            255 => null_mut(),
            254 => right.wrapping_byte_add(1),
            _ => right,
        })
    }

    fn cells(&self) -> impl Iterator<Item = &abi::EventCell> {
        // SAFETY: they lie in `lists`, and all their members are atomic.
        self.cells.iter().map(|cell| unsafe { &**cell })
    }

    /// Raises all events of a registered table, without listeners.
    pub(super) fn raise_events(&self) {
        let payload = [0_u64; 64];
        for cell in self.cells() {
            let function = cell.raise.load(Acquire);
            if function.is_null() {
                continue;
            }
            // SAFETY: the library stored a function of this type.
            let function = unsafe { std::mem::transmute::<*mut c_void, abi::RaiseFunction>(function) };
            // SAFETY: the cell is one of the table's, and the payload is as large as the largest event.
            unsafe { function(cell, 0, 0, payload.as_ptr().cast()) };
        }
    }

    /// Checks that a refused table left the cells unchanged.
    pub(super) fn events_are_free(&self) {
        assert!(self.cells().all(|cell| cell.event.load(Acquire).is_null()), "a refused table keeps a cell");
    }
}
