//! An area of memory and its blocks.

use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::fmt;
use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use dlmalloc::{Allocator, Dlmalloc};

/// The alignment of all blocks.
const ALIGNMENT: usize = 2 * size_of::<usize>();

/// An area with blocks. It has none before [`Area::begin`].
pub(super) struct Area {
    /// The address of the area; 0 before it begins.
    start: AtomicUsize,
    len: AtomicUsize,
    is_in_use: AtomicBool,
    /// The last of the blocks that were freed while the area was in use. Each begins with the address of the one before.
    freed: AtomicPtr<u8>,
    blocks: UnsafeCell<Dlmalloc<Source>>,
}

// SAFETY: a thread accesses `blocks` only while it has set `is_in_use`, which one at a time can; all other fields are atomics.
unsafe impl Sync for Area {}

impl fmt::Debug for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Area").field("len", &self.len).finish_non_exhaustive()
    }
}

impl Area {
    pub(super) const fn new() -> Self {
        Self {
            start: AtomicUsize::new(0),
            len: AtomicUsize::new(0),
            is_in_use: AtomicBool::new(false),
            freed: AtomicPtr::new(null_mut()),
            blocks: UnsafeCell::new(Dlmalloc::new_with_allocator(Source {
                start: AtomicPtr::new(null_mut()),
                len: AtomicUsize::new(0),
            })),
        }
    }

    /// Allocates from this memory, which is writable, contains zeros, and is used by nothing else.
    pub(super) fn begin(&self, start: *mut u8, len: usize) {
        self.alone(|blocks| {
            blocks.allocator().len.store(len, Relaxed);
            blocks.allocator().start.store(start, Relaxed);
        });
        self.len.store(len, Relaxed);
        self.start.store(start.addr(), Release);
    }

    #[inline]
    pub(super) fn contains(&self, block: *mut u8) -> bool {
        let start = self.start.load(Acquire);
        start != 0 && block.addr().wrapping_sub(start) < self.len.load(Relaxed)
    }

    /// Allocates a block; returns null if the area is full or in use.
    pub(super) fn allocate(&self, layout: Layout) -> *mut u8 {
        if self.start.load(Acquire) == 0 {
            return null_mut();
        }
        // SAFETY: an alignment is a power of two.
        let block = self.alone(|blocks| unsafe { blocks.c_memalign(layout.align(), layout.size()) });
        block.unwrap_or(null_mut())
    }

    /// Changes the size of a block; returns null if there is no space or the area is in use.
    ///
    /// # Safety
    ///
    /// [`allocate`](Self::allocate) or this function returned the block with this layout, and it was not freed since.
    pub(super) unsafe fn resize(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() > ALIGNMENT {
            return null_mut();
        }
        // SAFETY: the block is in use, and has the alignment of all blocks.
        self.alone(|blocks| unsafe { blocks.c_realloc(block, size) }).unwrap_or(null_mut())
    }

    /// Frees a block, or lets the next user of the area free it.
    ///
    /// # Safety
    ///
    /// [`allocate`](Self::allocate) or [`resize`](Self::resize) returned the block, and it was not freed since.
    pub(super) unsafe fn free(&self, block: *mut u8) {
        // SAFETY: the condition of this function.
        if self.alone(|blocks| unsafe { blocks.c_free(block) }).is_some() {
            return;
        }
        #[allow(clippy::cast_ptr_alignment, reason = "accessed without alignment")]
        let link = block.cast::<*mut u8>();
        let _ = self.freed.fetch_update(Release, Relaxed, |last| {
            // SAFETY: the block is not used any more, and each block has space for an address.
            unsafe { link.write_unaligned(last) };
            Some(block)
        });
    }

    /// Runs a function with the blocks, unless another thread, or what this one interrupts, uses them.
    fn alone<R>(&self, run: impl FnOnce(&mut Dlmalloc<Source>) -> R) -> Option<R> {
        if self.is_in_use.swap(true, Acquire) {
            return None;
        }
        // SAFETY: this thread has set `is_in_use`, so there is no other reference until it is cleared below.
        let blocks = unsafe { &mut *self.blocks.get() };
        if !self.freed.load(Relaxed).is_null() {
            self.free_deferred(blocks);
        }
        let result = run(blocks);
        self.is_in_use.store(false, Release);
        Some(result)
    }

    #[cold]
    fn free_deferred(&self, blocks: &mut Dlmalloc<Source>) {
        let mut block = self.freed.swap(null_mut(), Acquire);
        while !block.is_null() {
            #[allow(clippy::cast_ptr_alignment, reason = "accessed without alignment")]
            let link = block.cast::<*mut u8>();
            // SAFETY: `free` has written an address, or null, into each block of the list.
            let next = unsafe { link.read_unaligned() };
            // SAFETY: `free` adds blocks in use to the list, once each.
            unsafe { blocks.c_free(block) };
            block = next;
        }
    }
}

/// The memory from which blocks are made: the whole area, at once.
struct Source {
    /// The start of the area until it is given, then null.
    start: AtomicPtr<u8>,
    len: AtomicUsize,
}

// SAFETY: the memory is given once, as a whole, and is neither moved nor taken back.
unsafe impl Allocator for Source {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let len = self.len.load(Relaxed);
        if size > len {
            return (null_mut(), 0, 0);
        }
        (self.start.swap(null_mut(), Relaxed), len, 0)
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        null_mut()
    }

    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }

    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }

    fn can_release_part(&self, _: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        4096
    }
}
