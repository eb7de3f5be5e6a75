//! Calls with large counts over a library that has only the forms with `int` counts: arrays are copied to narrower ones.

use std::collections::{HashSet, VecDeque};
use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use crate::arguments::CountArray;

/// How many blocks a call sends and receives; 0 where its arrays are not looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lens {
    pub(crate) sent: u32,
    pub(crate) received: u32,
}

/// How long a library may look at arrays that it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needed {
    /// Until the call returns.
    Blocking,
    /// Until the operation has ended, which is not seen here.
    Nonblocking,
    /// Until the request is freed, which may be never.
    Persistent,
}

type Array = Box<[c_int]>;

/// Arrays of nonblocking calls, the newest last.
static RECENT: Mutex<VecDeque<Array>> = Mutex::new(VecDeque::new());

/// How many of them are kept. Four arrays of one operation are as many as it has, so a thousand operations may be under
/// way.
const KEPT: usize = 4096;

/// Arrays of persistent calls. Programs make such requests with few different ones.
static FOR_EVER: Mutex<Option<HashSet<Array>>> = Mutex::new(None);

/// The narrow arrays of one call.
#[derive(Debug)]
pub(crate) struct Arrays {
    pub(crate) lens: Lens,
    needed: Needed,
    own: Vec<Array>,
}

impl Arrays {
    pub(crate) fn new(lens: Lens, needed: Needed) -> Self {
        Self { lens, needed, own: Vec::new() }
    }

    /// A narrow copy of so many counts; where none are looked at, the same address. `None` if one is too large.
    pub(crate) fn narrow(&mut self, wide: &CountArray, len: u32) -> Option<*const c_int> {
        if len == 0 || wide.address().is_null() {
            return Some(wide.address().cast());
        }
        let narrow: Option<Array> = (0..len).map(|at| c_int::try_from(wide.get(at)).ok()).collect();
        let narrow = narrow?;
        if self.needed == Needed::Persistent {
            let mut kept = FOR_EVER.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = kept.get_or_insert_default();
            if !kept.contains(&narrow) {
                kept.insert(narrow.clone());
            }
            // What is in the set does not move: it is in a box of its own.
            return kept.get(&narrow).map(|array| array.as_ptr());
        }
        let at = narrow.as_ptr();
        self.own.push(narrow);
        Some(at)
    }
}

impl Drop for Arrays {
    fn drop(&mut self) {
        if self.needed == Needed::Nonblocking {
            let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
            recent.extend(self.own.drain(..));
            let old = recent.len().saturating_sub(KEPT);
            recent.drain(..old);
        }
    }
}
