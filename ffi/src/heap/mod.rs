//! The allocator of the libraries that are loaded into programs of others.
//!
//! Memory comes from an area that is mapped at the first allocation. So a program whose memory is limited has as much of it under mpit as
//! without, and a limit that is set later does not make an allocation of mpit fail, after which the standard library ends the process.
//! If the area is full, the system's allocator serves, and once that refuses, a second area: the reserve. From then on, memory is
//! short ([`memory::is_short`]). Pages of the areas take memory only once they are used.
//!
//! # Invariants
//!
//! * No thread waits for another one, also not in a signal handler or a forked child: if an area is in use, the system's allocator serves
//!   instead.
//! * A block belongs to the area that contains its address, or else to the system's allocator.

mod area;

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{self, null_mut};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[cfg(target_os = "linux")]
use mpit_sync::errno::with_errno_kept;
use mpit_sync::memory;

use area::Area;

/// The size of the first area, a part of which is enough for the records of common runs.
const AREA: usize = 3 << 20;

/// The size of the reserve, which serves the end of the run.
const RESERVE: usize = 1 << 20;

/// The number of times that both sizes are halved if the system refuses the mapping.
const HALVINGS: u32 = 4;

/// Blocks of more bytes, such as texts of large runs, are taken from the system first.
const LARGE: usize = AREA / 8;

/// An allocator for a library that is loaded into programs of others.
#[derive(Debug)]
pub struct Heap {
    is_requested: AtomicBool,
    area: Area,
    reserve: Area,
}

impl Heap {
    /// Creates an allocator whose areas are mapped at the first allocation.
    #[allow(clippy::new_without_default, reason = "used in statics, and `Default` is not const")]
    pub const fn new() -> Self {
        Self { is_requested: AtomicBool::new(false), area: Area::new(), reserve: Area::new() }
    }

    /// Maps the areas, once. Threads that allocate meanwhile use the system's allocator.
    fn map(&self) {
        if self.is_requested.load(Relaxed) || self.is_requested.swap(true, Relaxed) {
            return;
        }
        for halvings in 0..=HALVINGS {
            let (area, reserve) = (AREA >> halvings, RESERVE >> halvings);
            if let Some(start) = with_errno_kept(|| map(area + reserve)) {
                self.area.begin(start, area);
                self.reserve.begin(start.wrapping_add(area), reserve);
                break;
            }
        }
    }

    fn owner(&self, block: *mut u8) -> Option<&Area> {
        [&self.area, &self.reserve].into_iter().find(|area| area.contains(block))
    }

    /// Allocates a block. `of_system` is a function of the system's allocator, and the result is true if it made the block.
    fn allocate(&self, layout: Layout, of_system: impl FnOnce() -> *mut u8) -> (*mut u8, bool) {
        self.map();
        let is_large = layout.size() > LARGE;
        let block = if is_large { null_mut() } else { self.area.allocate(layout) };
        if !block.is_null() {
            return (block, false);
        }
        let block = with_errno_kept(of_system);
        if !block.is_null() {
            return (block, true);
        }
        let block = if is_large { self.area.allocate(layout) } else { null_mut() };
        if !block.is_null() {
            return (block, false);
        }
        // More than the reserve has may just be too much.
        if layout.size() > RESERVE {
            return (null_mut(), false);
        }
        memory::set_short();
        (self.reserve.allocate(layout), false)
    }
}

// SAFETY: blocks are made by `Area` or by the system's allocator, which are allocators, and each is freed by the one that made it. No
// function unwinds.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout has at least one byte.
        self.allocate(layout, || unsafe { System.alloc(layout) }).0
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout has at least one byte.
        let (block, is_zeroed) = self.allocate(layout, || unsafe { System.alloc_zeroed(layout) });
        if !block.is_null() && !is_zeroed {
            // SAFETY: the block is new, and has the size of the layout.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match self.owner(block) {
            // SAFETY: the caller frees a block of this allocator, and the area contains it.
            Some(area) => unsafe { area.free(block) },
            // SAFETY: the caller frees a block of this allocator with its layout, and no area contains it.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let resized = match self.owner(block) {
            // SAFETY: the caller resizes a block of this allocator, and the area contains it.
            Some(area) => unsafe { area.resize(block, layout, size) },
            // SAFETY: the caller resizes a block of this allocator with its layout, and no area contains it.
            None => unsafe { System.realloc(block, layout, size) },
        };
        if !resized.is_null() {
            return resized;
        }
        // SAFETY: the caller's size is not 0, and does not overflow when it is rounded up to the alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the size is not 0.
        let moved = self.allocate(wanted, || unsafe { System.alloc(wanted) }).0;
        if !moved.is_null() {
            // SAFETY: both blocks have so many bytes, and the new one overlaps no other block.
            unsafe { ptr::copy_nonoverlapping(block, moved, layout.size().min(size)) };
            // SAFETY: the caller does not use the block again if this function returns another one.
            unsafe { self.dealloc(block, layout) };
        }
        moved
    }
}

#[cfg(not(target_os = "linux"))]
fn with_errno_kept<R>(run: impl FnOnce() -> R) -> R {
    run()
}

/// Maps memory whose pages are used later.
fn map(len: usize) -> Option<*mut u8> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: creates a mapping at an address that the system selects.
    let start = unsafe { libc::mmap(null_mut(), len, protection, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    // The first byte used of a huge page would take two megabytes.
    #[cfg(target_os = "linux")]
    // SAFETY: the mapping was created above, and the advice changes no content.
    unsafe {
        libc::madvise(start, len, libc::MADV_NOHUGEPAGE)
    };
    Some(start.cast())
}

#[cfg(test)]
mod tests {
    use std::alloc::{GlobalAlloc, Layout};
    use std::thread;

    use super::{AREA, Heap, LARGE, memory};

    /// Allocates blocks of changing sizes, and checks that they keep their content.
    fn use_blocks(heap: &Heap, seed: usize) {
        let mut blocks: Vec<(*mut u8, Layout, u8)> = Vec::new();
        for round in 0..2000 {
            let size = 1 + (round * 7919 + seed * 104_729) % if round % 50 == 0 { 2 * LARGE } else { 3000 };
            let layout = Layout::from_size_align(size, 1 << (round % 8)).unwrap();
            // SAFETY: the size is not 0.
            let block = unsafe { heap.alloc(layout) };
            assert!(!block.is_null() && block.addr().is_multiple_of(layout.align()));
            // SAFETY: the block has so many bytes.
            unsafe { block.write_bytes(round as u8, size) };
            blocks.push((block, layout, round as u8));
            if round % 3 == 0 {
                let (block, layout, content) = blocks.swap_remove(round % blocks.len());
                let size = layout.size() * (1 + round % 2 * 3) / 2 + 1;
                // SAFETY: a block of this allocator with its layout.
                let moved = unsafe { heap.realloc(block, layout, size) };
                let layout = Layout::from_size_align(size, layout.align()).unwrap();
                assert!(moved.addr().is_multiple_of(layout.align()));
                blocks.push((moved, layout, content));
            }
            if round % 2 == 0 {
                free(heap, blocks.swap_remove(round % blocks.len()));
            }
        }
        for block in blocks {
            free(heap, block);
        }
    }

    fn free(heap: &Heap, (block, layout, content): (*mut u8, Layout, u8)) {
        // Blocks have at least half of the size that they were filled with.
        let len = (layout.size() - 1) * 2 / 4;
        // SAFETY: the block has so many bytes, which were written.
        let bytes = unsafe { std::slice::from_raw_parts(block, len) };
        assert!(bytes.iter().all(|byte| *byte == content));
        // SAFETY: a block of this allocator with its layout, which is not used again.
        unsafe { heap.dealloc(block, layout) };
    }

    #[test]
    fn blocks_keep_their_content() {
        static HEAP: Heap = Heap::new();
        thread::scope(|scope| {
            for seed in 0..4 {
                scope.spawn(move || use_blocks(&HEAP, seed));
            }
        });
        // Blocks that were freed meanwhile are free by now: most of the area can be used at once.
        let layout = Layout::from_size_align(AREA / 16 * 15, 8).unwrap();
        assert!(!HEAP.area.allocate(layout).is_null());
        // A request that no system serves says nothing about the memory.
        let too_large = Layout::from_size_align(usize::MAX / 4, 1).unwrap();
        // SAFETY: the size is not 0.
        assert!(unsafe { HEAP.alloc(too_large) }.is_null() && !memory::is_short());
    }
}
