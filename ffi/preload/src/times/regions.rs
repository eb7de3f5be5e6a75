//! The regions of the program, which it begins and ends by `mpit_region.h`, and the levels of `MPI_Pcontrol`.
//!
//! A region is that of the calling thread if several threads call MPI at once, else of the process. Its calls are those between its
//! begin and its end, without those of regions inside of it.

use std::ffi::{CStr, c_char};
use std::sync::atomic::{
    AtomicU16, AtomicU64,
    Ordering::{Relaxed, Release},
};

use mpit::internal::threads;
use mpit_components::times::{self, NO_REGION};

use super::{OF_PROCESS, ThreadTimes, state_of_thread};
use crate::isolation::{catch_panic, with_errno_kept};

/// The maximum number of regions inside of each other that are distinguished.
const MAX_DEPTH: usize = 32;

/// The levels of `MPI_Pcontrol` that are no regions: they pause and resume recording, and write files.
const PAUSE: i32 = 0;
const RESUME: i32 = 1;
const WRITE: i32 = 2;

/// The regions in which a thread is.
#[derive(Debug)]
pub(super) struct Regions {
    /// The region of calls: the innermost one, or that of the level.
    current: AtomicU64,
    /// The region of the level of `MPI_Pcontrol`.
    level: AtomicU64,
    depth: AtomicU64,
    numbers: [AtomicU16; MAX_DEPTH],
}

impl Regions {
    pub(super) const fn new() -> Self {
        Self {
            current: AtomicU64::new(NO_REGION as u64),
            level: AtomicU64::new(NO_REGION as u64),
            depth: AtomicU64::new(0),
            numbers: [const { AtomicU16::new(0) }; MAX_DEPTH],
        }
    }

    /// Returns the region of calls.
    #[inline]
    pub(super) fn current(&self) -> u16 {
        self.current.load(Relaxed) as u16
    }

    /// Leaves all regions, for another thread.
    pub(super) fn clear(&self) {
        self.depth.store(0, Relaxed);
        self.level.store(NO_REGION.into(), Relaxed);
        self.current.store(NO_REGION.into(), Relaxed);
    }

    fn depth(&self) -> usize {
        self.depth.load(Relaxed) as usize
    }

    fn set_depth(&self, depth: usize) {
        self.depth.store(depth as u64, Relaxed);
        let innermost = depth.min(MAX_DEPTH).checked_sub(1);
        let region = innermost.map_or(self.level.load(Relaxed), |at| self.numbers[at].load(Relaxed).into());
        self.current.store(region, Release);
    }

    fn begin(&self, region: u16) {
        let depth = self.depth();
        if let Some(number) = self.numbers.get(depth) {
            number.store(region, Relaxed);
        }
        self.set_depth(depth + 1);
    }

    /// Ends a region. Returns false if it is not the innermost one: then those inside of it end as well, or none ends if it has not
    /// begun.
    fn end(&self, region: u16) -> bool {
        let depth = self.depth();
        if depth > MAX_DEPTH {
            self.set_depth(depth - 1);
            return true;
        }
        let begun = self.numbers[..depth].iter().rposition(|number| number.load(Relaxed) == region);
        if let Some(begun) = begun {
            self.set_depth(begun);
        }
        begun.is_some_and(|begun| begun + 1 == depth)
    }

    fn set_level(&self, region: u16) {
        self.level.store(region.into(), Relaxed);
        self.set_depth(self.depth());
    }
}

/// Begins a region of the program.
///
/// # Safety
///
/// The name is null or the address of a string that ends with NUL.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mpit_region_begin(name: *const c_char) {
    // SAFETY: the caller passes such an address.
    let name = unsafe { name_at(name) };
    change(
        || times::region(&name),
        |regions, region| {
            regions.begin(region);
            true
        },
    );
}

/// Ends a region of the program.
///
/// # Safety
///
/// The name is null or the address of a string that ends with NUL.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mpit_region_end(name: *const c_char) {
    // SAFETY: the caller passes such an address.
    let name = unsafe { name_at(name) };
    change(|| times::region(&name), Regions::end);
}

/// Handles a call of `MPI_Pcontrol`.
pub(crate) fn pcontrol(level: i32) {
    let set = |regions: &Regions, region: u16| {
        regions.set_level(region);
        true
    };
    match level {
        PAUSE | WRITE => (),
        RESUME => change(|| NO_REGION, set),
        _ => change(|| times::region(&format!("MPI_Pcontrol {level}")), set),
    }
}

/// Returns the name at an address.
///
/// # Safety
///
/// It is null or the address of a string that ends with NUL.
unsafe fn name_at(name: *const c_char) -> String {
    if name.is_null() {
        return String::new();
    }
    // SAFETY: it is not null (checked), so it is the address of such a string.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_string_lossy().into_owned()
}

/// Changes the regions of the calling thread, and counts a mismatch if `change` returns false.
fn change(region: impl FnOnce() -> u16, change: impl Fn(&Regions, u16) -> bool) {
    if !super::is_wanted() {
        return;
    }
    with_errno_kept(|| {
        catch_panic(|| {
            let region = region();
            let Some(state) = state_of_thread() else { return };
            let mut fits = change_in(state, region, &change);
            // The thread level is not known yet, and may make the state that of the process.
            if threads::concurrent() && !times::is_active() {
                fits &= change_in(&OF_PROCESS, region, &change);
            }
            if !fits {
                times::count_mismatch(region);
            }
        });
    });
}

fn change_in(state: &'static ThreadTimes, region: u16, change: impl Fn(&Regions, u16) -> bool) -> bool {
    let before = state.regions.current();
    let fits = change(&state.regions, region);
    if before == NO_REGION && state.regions.current() != NO_REGION {
        state.forget_recent();
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::{MAX_DEPTH, Regions};

    #[test]
    fn the_innermost_region_counts() {
        let regions = Regions::new();
        regions.begin(1);
        regions.begin(2);
        assert_eq!(regions.current(), 2);
        assert!(regions.end(2));
        assert_eq!(regions.current(), 1);
        regions.set_level(7);
        assert_eq!(regions.current(), 1);
        assert!(regions.end(1));
        assert_eq!(regions.current(), 7);
        regions.set_level(0);
        assert_eq!(regions.current(), 0);
    }

    #[test]
    fn mismatched_ends_are_tolerated() {
        let regions = Regions::new();
        assert!(!regions.end(1), "not begun");
        regions.begin(1);
        regions.begin(2);
        regions.begin(3);
        assert!(!regions.end(9) && regions.current() == 3, "another one");
        assert!(!regions.end(1) && regions.current() == 0, "an outer one ends those inside");
        for _ in 0..2 * MAX_DEPTH {
            regions.begin(4);
        }
        for _ in 0..2 * MAX_DEPTH {
            assert_eq!(regions.current(), 4);
            assert!(regions.end(4));
        }
        assert_eq!(regions.current(), 0);
    }
}
