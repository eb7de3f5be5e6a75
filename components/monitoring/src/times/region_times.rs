//! The time that threads spend in regions of the program, from the end of `MPI_Init` to the begin of `MPI_Finalize`.
//!
//! A thread is in one region at a time: the innermost one. So the times of regions add up to at most that of the thread.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::internal::host::threads;
use mpit_format::store::blocks::BlockKind;
use mpit_format::store::times::{region, time};
use mpit_sync::lock::{self, Mutex};
use mpit_sync::memory;

use super::{NO_REGION, WORDS, add, now};
use crate::store::{OF_PROCESS, Users};

type RegionWords = [AtomicU64; region::CELLS];

static TIMES: Mutex<RegionTimes> = Mutex::new(RegionTimes {
    current: BTreeMap::new(),
    open: BTreeMap::new(),
    words: BTreeMap::new(),
    forks: 0,
});

/// The number of the thread while one thread calls at a time.
const PROCESS: u32 = 0;

struct RegionTimes {
    /// The region of each thread that is in one.
    current: BTreeMap<u32, u16>,
    /// The regions of each thread that have begun and not ended, until the measurement begins.
    open: BTreeMap<u32, Vec<u16>>,
    words: BTreeMap<(u32, u16), &'static RegionWords>,
    /// The number of forks at the begin of the measurement. A child that was forked since then shares the words.
    forks: u32,
}

impl RegionTimes {
    /// Sets the region of a thread from a time on.
    fn enter(&mut self, thread: u32, to: u16, now: u64) {
        if let Some(from) = self.set_current(thread, to)
            && let Some(words) = self.words(thread, from)
        {
            // First, so that a killed process does not count the time twice.
            let entered = words[region::ENTERED].swap(0, Relaxed);
            // 0 for a region that ends on another thread while the measurement begins.
            if entered != 0 {
                add(&words[region::TICKS], now.saturating_sub(entered));
            }
        }
        if to != NO_REGION
            && let Some(words) = self.words(thread, to)
        {
            words[region::ENTERED].store(now, Relaxed);
        }
    }

    /// Counts a begin of a region.
    fn count(&mut self, thread: u32, number: u16) {
        let Some(words) = self.words(thread, number) else { return };
        add(&words[region::VISITS], 1);
    }

    /// Stores the region of a thread, and returns the one before.
    fn set_current(&mut self, thread: u32, to: u16) -> Option<u16> {
        if to == NO_REGION { self.current.remove(&thread) } else { self.current.insert(thread, to) }
    }

    fn words(&mut self, thread: u32, number: u16) -> Option<&'static RegionWords> {
        if let Some(words) = self.words.get(&(thread, number)) {
            return Some(words);
        }
        let words = OF_PROCESS
            .add_for(Users::OneThread, BlockKind::RegionTime, number.into(), region::CELLS, &[])
            .and_then(<[_]>::first_chunk);
        match words {
            Some(words) => _ = self.words.insert((thread, number), words),
            None => memory::count_dropped(),
        }
        words
    }
}

/// Sets the innermost region of a thread, or [`NO_REGION`], and all that have begun and not ended; `begins` is true if the region begins
/// now. The thread is 0, or a number that no other thread has at the same time. Takes locks and allocates.
pub fn enter_region(thread: u32, number: u16, begins: bool, open: impl Iterator<Item = u16>) {
    let now = now();
    let mut times = TIMES.lock();
    let Some(process) = WORDS.get() else {
        times.set_current(thread, number);
        times.open.insert(thread, open.collect());
        return;
    };
    // While recording is paused, the regions of the process change as well.
    let is_of_other = thread == PROCESS && threads::concurrent();
    if process[time::END].load(Relaxed) != 0 || times.forks != lock::forks() || is_of_other {
        return;
    }
    // The thread level may have grown in a region of the process.
    if thread != PROCESS {
        times.enter(PROCESS, NO_REGION, now);
    }
    if times.current.get(&thread).copied().unwrap_or(NO_REGION) != number {
        times.enter(thread, number, now);
    }
    if begins {
        times.count(thread, number);
    }
}

/// Begins the time of the regions in which threads are. The thread level is known, and with it if regions are those of the process.
pub(super) fn begin(start: u64) {
    let is_concurrent = threads::concurrent();
    let mut times = TIMES.lock();
    times.forks = lock::forks();
    let (current, open) = (std::mem::take(&mut times.current), std::mem::take(&mut times.open));
    let counts = |thread: u32| (thread != PROCESS) == is_concurrent;
    for (thread, number) in current.into_iter().filter(|(thread, _)| counts(*thread)) {
        times.enter(thread, number, start);
    }
    for (thread, numbers) in open.into_iter().filter(|(thread, _)| counts(*thread)) {
        for number in numbers {
            times.count(thread, number);
        }
    }
}
