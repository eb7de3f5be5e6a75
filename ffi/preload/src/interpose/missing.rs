//! Calls of functions that the library lacks but has in another form: those with large counts are converted to `int` counts, and
//! extensions to the functions that the standard has adopted.

use std::collections::{HashSet, VecDeque};
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::sync::{Mutex, PoisonError};

use mpit_components::coll::Root;
use mpit_ffi::comms::COMMS;
use mpit_ffi::host::{Function, foreign};

use crate::arguments::{Any, Buf, Comm, CountArray, Form, Int, Kind, Word};
use crate::calls;
use crate::line::{ArrayLengths, ArrayLifetime, Line, MAX_ARGUMENTS};
use crate::recorders::collectives::root_of;
use crate::trampoline::Words;

/// Returns the function of the standard.
pub(super) fn standard(line: &Line) -> Option<*mut c_void> {
    Function::named(&["PMPI_", line.name()]).next()
}

/// Forwards a call with large counts by `run`, which gets the function with `int` counts and converted arguments.
pub(super) fn forward_large(
    line: &'static Line,
    words: Words,
    run: impl Fn(*mut c_void, Words) -> c_int + Copy,
) -> c_int {
    // Arguments cannot be converted if the constants of the library are unknown.
    if foreign::is_foreign() {
        return calls::no_such_function();
    }
    let Some(small) = standard(line) else { return calls::no_such_function() };
    // Not dropped if unwinding leaves the call, which must have nothing to clean up.
    let mut arrays = ManuallyDrop::new(Arrays { lifetime: line.array_lifetime, copies: Vec::new() });
    let mut narrowed = [0; Words::len_of(MAX_ARGUMENTS)];
    let is_narrowed = narrow_all(line, words, &mut arrays, &mut narrowed);
    let code = if is_narrowed { run(small, Words::of_array(&narrowed)) } else { calls::count_too_large() };
    release(ManuallyDrop::into_inner(arrays));
    code
}

/// Drops the arrays after the call. Never inlined, like [`narrow_all`], into functions that forward calls, which must have nothing to
/// clean up.
#[inline(never)]
fn release(arrays: Arrays) {
    drop(arrays);
}

/// Converts all arguments. Returns false if one does not fit an `int`.
#[inline(never)]
fn narrow_all(line: &Line, words: Words, arrays: &mut Arrays, into: &mut [usize]) -> bool {
    let lengths = Lengths::of(line, words);
    for (index, argument) in line.arguments().iter().enumerate() {
        let word = words.get(index);
        // SAFETY: the word is a parameter of the call in progress, and the table lists the lengths that the standard requires of the
        // call's arrays.
        let Some(narrowed) = (unsafe { narrow(argument.kind, word, lengths, arrays) }) else { return false };
        into[Words::place(index)] = narrowed;
    }
    true
}

/// Converts an argument; `None` if the value does not fit an `int`.
///
/// # Safety
///
/// `word` is an argument of a call with large counts. Arrays are null or have these lengths.
unsafe fn narrow(kind: Kind, word: usize, lengths: Lengths, arrays: &mut Arrays) -> Option<usize> {
    let len = match kind {
        Kind::Count => return c_int::try_from(word.cast_signed()).ok().map(|_| word),
        Kind::CountOut => {
            let at = std::ptr::with_exposed_provenance_mut::<i64>(word);
            if !at.is_null() {
                // SAFETY: the address is not null, and the standard requires the address of an `MPI_Count`. The
                // library writes the low half.
                unsafe { at.write_unaligned(0) };
            }
            return Some(word);
        }
        Kind::SendCounts | Kind::SendDispls => lengths.sent,
        Kind::RecvCounts | Kind::RecvDispls => lengths.received,
        _ => return Some(word),
    };
    if len == 0 || word == 0 {
        return Some(word);
    }
    // SAFETY: the array is not null (checked), so it has this length (condition of this function).
    let wide = unsafe { CountArray::new(std::ptr::with_exposed_provenance(word), len, Form::LargeC) };
    arrays.narrow(&wide, len)
}

/// The numbers of blocks that a call sends and receives; 0 if its arrays are not significant.
#[derive(Clone, Copy, Debug, Default)]
struct Lengths {
    sent: u32,
    received: u32,
}

impl Lengths {
    /// Returns the lengths of the arrays of a call.
    fn of(line: &Line, words: Words) -> Self {
        if line.array_lengths == ArrayLengths::None {
            return Self::default();
        }
        let word = |kind: Kind| {
            let index = line.arguments().iter().position(|argument| argument.kind == kind)?;
            // SAFETY: a parameter of the call in progress, of a function with large counts.
            Some(unsafe { Word::new(words.get(index), Form::LargeC) })
        };
        let known = || {
            let comm = Comm::<Any>::from(word(Kind::Comm)?);
            // SAFETY: a parameter of the call in progress, for which the standard requires a communicator that exists.
            unsafe { COMMS.of_handle(mpit_ffi::abi().clean(comm.get())) }
        };
        let Some(comm) = known() else { return Self::default() };
        let equal = |len| Self { sent: len, received: len };
        match line.array_lengths {
            ArrayLengths::None => Self::default(),
            ArrayLengths::AtRoot => {
                let root = word(Kind::Int).map(|root| root_of(comm, Int::<Any>::from(root).get()));
                equal(if root == Some(Root::Here) { comm.size() } else { 0 })
            }
            ArrayLengths::OfAll => {
                let is_in_place = word(Kind::Buf).is_some_and(|sent| Buf::<Any>::from(sent).is_in_place());
                Self { sent: if is_in_place { 0 } else { comm.size() }, received: comm.size() }
            }
            ArrayLengths::OfOwn => equal(comm.local_size()),
            ArrayLengths::OfNeighbors => Self { sent: comm.destinations(), received: comm.sources() },
        }
    }
}

type Array = Box<[c_int]>;

/// The arrays of nonblocking calls, the newest last.
static RECENT: Mutex<VecDeque<Array>> = Mutex::new(VecDeque::new());

/// The number of arrays that are kept. An operation has at most four, so a thousand operations may be in flight.
const MAX_RECENT: usize = 4096;

/// The arrays of persistent calls, never freed. Programs use few different ones.
static PERSISTENT: Mutex<Option<HashSet<Array>>> = Mutex::new(None);

/// The narrow arrays of a call.
#[derive(Debug)]
struct Arrays {
    lifetime: ArrayLifetime,
    copies: Vec<Array>,
}

impl Arrays {
    /// Returns the address of a narrow copy of `len` counts. `None` if a count is too large.
    fn narrow(&mut self, wide: &CountArray, len: u32) -> Option<usize> {
        let narrow: Option<Array> = (0..len).map(|at| c_int::try_from(wide.get(at)).ok()).collect();
        let narrow = narrow?;
        if self.lifetime == ArrayLifetime::Persistent {
            let mut stored = PERSISTENT.lock().unwrap_or_else(PoisonError::into_inner);
            let stored = stored.get_or_insert_default();
            if !stored.contains(&narrow) {
                stored.insert(narrow.clone());
            }
            // The address stays valid, because the array is boxed and never removed.
            return stored.get(&narrow).map(|array| array.as_ptr().expose_provenance());
        }
        let at = narrow.as_ptr().expose_provenance();
        self.copies.push(narrow);
        Some(at)
    }
}

impl Drop for Arrays {
    fn drop(&mut self) {
        if self.lifetime == ArrayLifetime::Nonblocking {
            let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
            recent.extend(self.copies.drain(..));
            let old = recent.len().saturating_sub(MAX_RECENT);
            recent.drain(..old);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_int;
    use std::ptr::with_exposed_provenance;

    use super::{ArrayLifetime, Arrays, Kind, Lengths, narrow};

    fn ints(at: usize, len: usize) -> Vec<c_int> {
        // SAFETY: the tests pass the length that they have narrowed, while the array exists.
        unsafe { std::slice::from_raw_parts(with_exposed_provenance::<c_int>(at), len) }.to_vec()
    }

    fn arrays(lifetime: ArrayLifetime) -> Arrays {
        Arrays { lifetime, copies: Vec::new() }
    }

    /// Narrows an argument of a call with `len` blocks.
    fn narrowed(kind: Kind, word: usize, len: usize, arrays: &mut Arrays) -> Option<usize> {
        let lengths = Lengths { sent: len as u32, received: 0 };
        // SAFETY: the tests pass arrays of `len` counts.
        unsafe { narrow(kind, word, lengths, arrays) }
    }

    fn counts(wide: &[i64], arrays: &mut Arrays) -> Option<usize> {
        narrowed(Kind::SendCounts, wide.as_ptr().expose_provenance(), wide.len(), arrays)
    }

    #[test]
    fn counts_are_narrowed_if_they_fit() {
        let mut arrays = arrays(ArrayLifetime::Blocking);
        let at = counts(&[1, 2, c_int::MAX.into()], &mut arrays).unwrap();
        assert_eq!(ints(at, 3), [1, 2, c_int::MAX]);
        assert!(counts(&[1, 2, i64::from(c_int::MAX) + 1], &mut arrays).is_none());
        assert!(narrowed(Kind::Count, 1 << 31, 0, &mut arrays).is_none());
        let minus_one = (-1_isize).cast_unsigned();
        assert_eq!(narrowed(Kind::Count, minus_one, 0, &mut arrays), Some(minus_one));
        assert_eq!(narrowed(Kind::Disp, 1 << 31, 0, &mut arrays), Some(1 << 31));
    }

    #[test]
    fn insignificant_arrays_are_not_copied() {
        let mut arrays = arrays(ArrayLifetime::Blocking);
        assert_eq!(narrowed(Kind::SendDispls, 0, 3, &mut arrays), Some(0));
        assert_eq!(narrowed(Kind::RecvCounts, 8, 3, &mut arrays), Some(8));
    }

    #[test]
    fn copies_outlive_the_call() {
        let narrow = |lifetime| counts(&[7, 8], &mut arrays(lifetime)).unwrap();
        let (nonblocking, persistent) =
            (narrow(ArrayLifetime::Nonblocking), narrow(ArrayLifetime::Persistent));
        assert_eq!((ints(nonblocking, 2), ints(persistent, 2)), (vec![7, 8], vec![7, 8]));
        assert_eq!(persistent, narrow(ArrayLifetime::Persistent), "the same array again");
    }
}
