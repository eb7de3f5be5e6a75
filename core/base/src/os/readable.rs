//! Probes that test if a pointer from outside leads to accessible memory.
//!
//! The kernel accesses the memory in place of this process. `rt_sigprocmask` with an invalid operation copies the signal set
//! before it refuses the operation, so its error shows if eight bytes were readable, and nothing changes. `futex` with
//! `FUTEX_WAKE_OP` adds 0 to a word atomically, so its error shows if the word was writable, and concurrent writes of other
//! threads are preserved. Neither call needs a descriptor, and every sandbox permits them. Another thread can unmap the memory at
//! any time afterwards: the probes detect mistakes, and do not protect from races. On other systems than Linux, and under Miri,
//! which finds invalid accesses itself, only addresses in the first page are detected.

use std::collections::HashSet;
use std::ffi::c_char;
use std::ops::RangeInclusive;

use foldhash::fast::FixedState;

#[cfg(all(target_os = "linux", not(miri)))]
use crate::errno::with_errno_kept;

/// The smallest page size. Access rights are those of whole pages.
const PAGE: usize = 4096;

/// The pages that were found accessible: a table of thousands of entries is in few pages, and each page is probed once. Valid only
/// while the table is read, because the process may unmap them afterwards.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    readable: HashSet<usize, FixedState>,
    writable: HashSet<usize, FixedState>,
}

impl Pages {
    /// Returns true if all of `len` bytes at an address can be read.
    pub(crate) fn is_readable(&mut self, address: *const u8, len: usize) -> bool {
        is_known(&mut self.readable, address, len, is_readable)
    }

    /// Returns true if all of `len` bytes at an address can be written.
    pub(crate) fn is_writable(&mut self, address: *const u8, len: usize) -> bool {
        is_known(&mut self.writable, address, len, is_writable)
    }

    /// Returns the number of bytes that can be read from an address to the end of its page.
    pub(crate) fn readable_in_page(&mut self, address: *const u8) -> usize {
        if self.is_readable(address, 1) { PAGE - address as usize % PAGE } else { 0 }
    }

    /// Returns the number of bytes before a NUL, at most `max + 1`; `None` if the memory up to there cannot be read.
    pub(crate) fn text_len(&mut self, at: *const c_char, max: usize) -> Option<usize> {
        let mut bytes = 0;
        loop {
            let next = at.wrapping_add(bytes);
            let end = self.readable_in_page(next.cast()).min(max + 1 - bytes);
            if end == 0 {
                return None;
            }
            // SAFETY: `readable_in_page` found no fewer than `end` readable bytes, and `strnlen` reads no more.
            let found = unsafe { libc::strnlen(next, end) };
            bytes += found;
            if found < end || bytes > max {
                return Some(bytes);
            }
        }
    }
}

/// Returns a copy of a string at an address that may be invalid; `None` if it is not in readable memory, is longer than `max` bytes or is
/// not UTF-8. Makes a system call per page.
///
/// # Safety
///
/// If there is a string, no thread changes or unmaps it meanwhile.
#[must_use]
pub unsafe fn text_at(at: *const c_char, max: usize) -> Option<String> {
    let len = Pages::default().text_len(at, max).filter(|len| *len <= max)?;
    // SAFETY: `text_len` found so many readable bytes, which the caller keeps unchanged.
    let bytes = unsafe { std::slice::from_raw_parts(at.cast::<u8>(), len) };
    Some(std::str::from_utf8(bytes).ok()?.to_owned())
}

/// Returns the word at an address that may be invalid; `None` if it cannot be read, or is not aligned. Makes a system call.
///
/// # Safety
///
/// If there is a word, no thread changes or unmaps it meanwhile.
#[must_use]
pub unsafe fn word_at(address: usize) -> Option<usize> {
    let word = std::ptr::with_exposed_provenance::<usize>(address);
    if !word.is_aligned() || !is_readable(word.cast(), size_of::<usize>()) {
        return None;
    }
    // SAFETY: aligned and readable (checked), and the caller keeps it unchanged.
    Some(unsafe { word.read() })
}

/// Returns true if all pages are known, or `probe` finds them accessible; then they are known.
fn is_known(
    known: &mut HashSet<usize, FixedState>,
    address: *const u8,
    len: usize,
    probe: fn(*const u8, usize) -> bool,
) -> bool {
    let Some(pages) = pages_of(address, len) else { return false };
    if pages.clone().all(|page| known.contains(&page)) {
        return true;
    }
    let is_accessible = probe(address, len);
    if is_accessible {
        known.extend(pages);
    }
    is_accessible
}

fn pages_of(address: *const u8, len: usize) -> Option<RangeInclusive<usize>> {
    let last = (address as usize).checked_add(len.max(1) - 1)?;
    Some(address as usize / PAGE..=last / PAGE)
}

/// Returns true if all of `len` bytes at an address can be read. Makes one system call per page: not for the path of a message.
fn is_readable(address: *const u8, len: usize) -> bool {
    pages_of(address, len).is_some_and(|mut pages| pages.all(page_is_readable))
}

/// Returns true if all of `len` bytes at an address can be written. Makes one system call per page, like [`is_readable`].
pub(crate) fn is_writable(address: *const u8, len: usize) -> bool {
    let Some(pages) = pages_of(address, len) else { return false };
    // Probes the word of the first byte, and the first word of each further page.
    let mut words = std::iter::once(address as usize & !3).chain(pages.skip(1).map(|page| page * PAGE));
    words.all(word_is_writable)
}

#[cfg(any(not(target_os = "linux"), miri))]
fn page_is_readable(page: usize) -> bool {
    page != 0
}

#[cfg(any(not(target_os = "linux"), miri))]
fn word_is_writable(address: usize) -> bool {
    address >= PAGE
}

#[cfg(all(target_os = "linux", not(miri)))]
fn page_is_readable(page: usize) -> bool {
    /// The size of a kernel's signal set, which is the number of bytes that the probe reads.
    const SET: usize = 8;
    /// An invalid operation: none of `SIG_BLOCK`, `SIG_UNBLOCK` and `SIG_SETMASK`.
    const NO_OPERATION: libc::c_int = -1;
    let set = std::ptr::with_exposed_provenance::<u8>(page * PAGE);
    with_errno_kept(|| {
        // SAFETY: the kernel validates the address, and refuses the operation before it changes anything.
        let refused = unsafe {
            libc::syscall(libc::SYS_rt_sigprocmask, NO_OPERATION, set, std::ptr::null_mut::<u8>(), SET)
        };
        refused != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL)
    })
}

#[cfg(all(target_os = "linux", not(miri)))]
fn word_is_writable(address: usize) -> bool {
    use std::sync::atomic::AtomicU32;

    /// A futex on which no thread waits.
    static UNUSED: AtomicU32 = AtomicU32::new(0);
    // Adds 0, and compares with the smallest number of the field.
    let operation = libc::FUTEX_OP_ADD << 28 | libc::FUTEX_OP_CMP_LT << 24 | 0x800;
    let word = std::ptr::with_exposed_provenance_mut::<u32>(address);
    with_errno_kept(|| {
        // SAFETY: the kernel validates the address. The word keeps its value, and no other memory is accessed. A thread that waits
        // there may wake up early, which every user of a futex must handle.
        let woken = unsafe {
            libc::syscall(
                libc::SYS_futex,
                UNUSED.as_ptr(),
                libc::FUTEX_WAKE_OP | libc::FUTEX_PRIVATE_FLAG,
                0,
                std::ptr::null_mut::<libc::timespec>(),
                word,
                operation,
            )
        };
        // Any other error does not depend on the memory.
        woken >= 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{PAGE, Pages, is_readable, is_writable, word_at};

    #[test]
    fn words_are_read_where_there_are_any() {
        let words = [7_usize, 8];
        let at = words.as_ptr().expose_provenance();
        for (address, word) in
            [(at + size_of::<usize>(), Some(8)), (at + 1, None), (0, None), (usize::MAX - 7, None)]
        {
            // SAFETY: no other thread has the words.
            assert_eq!(unsafe { word_at(address) }, word);
        }
    }

    /// Maps two pages that are readable and not writable.
    fn two_pages() -> *mut u8 {
        // SAFETY: an anonymous mapping at an address that the kernel chooses, so it replaces no memory.
        let pages = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                2 * PAGE,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(pages, libc::MAP_FAILED);
        pages.cast()
    }

    #[test]
    #[cfg_attr(miri, ignore = "the kernel probes the memory")]
    fn only_what_is_mapped_can_be_read() {
        let value = [1_u8; 3 * PAGE];
        assert!(is_readable(value.as_ptr(), value.len()));
        assert!(is_readable(value.as_ptr(), 0));
        for address in [0_usize, 8, 16, PAGE - 1, usize::MAX - 7, usize::MAX, 0xdead_0000_0000_beef] {
            assert!(!is_readable(std::ptr::without_provenance(address), 8), "{address:#x}");
        }
        let pages = two_pages();
        assert!(is_readable(pages, 2 * PAGE));
        // SAFETY: the second page of the mapping, which only this test uses.
        assert_eq!(unsafe { libc::mprotect(pages.wrapping_add(PAGE).cast(), PAGE, libc::PROT_NONE) }, 0);
        assert!(is_readable(pages, PAGE) && !is_readable(pages, PAGE + 1));
        let mut known = Pages::default();
        assert_eq!(known.readable_in_page(pages.wrapping_add(1)), PAGE - 1);
        assert_eq!(known.readable_in_page(pages.wrapping_add(PAGE)), 0);
        // A page that can be read proves neither the next page nor writes.
        assert!(known.is_readable(pages, PAGE) && !known.is_readable(pages, PAGE + 1));
        assert!(!known.is_writable(pages, 1) && !known.is_readable(pages.wrapping_add(PAGE), 1));
        // SAFETY: the mapping of this test, to which there are no references.
        assert_eq!(unsafe { libc::munmap(pages.cast(), 2 * PAGE) }, 0);
    }

    #[test]
    #[cfg_attr(miri, ignore = "the kernel probes the memory")]
    fn only_what_may_change_can_be_written() {
        static CONSTANT: [u8; 2] = [7; 2];
        let mut value = [1_u8; 3 * PAGE];
        assert!(is_writable(value.as_mut_ptr(), value.len()));
        assert!((0..9).all(|at| is_writable(value.as_mut_ptr().wrapping_add(at), 1)));
        assert_eq!(value, [1; 3 * PAGE]);
        assert!(is_readable(CONSTANT.as_ptr(), 2) && !is_writable(CONSTANT.as_ptr(), 2));
        for address in [0_usize, 8, 16, PAGE - 1, usize::MAX - 7, usize::MAX, 0xdead_0000_0000_beef] {
            assert!(!is_writable(std::ptr::without_provenance(address), 8), "{address:#x}");
        }
        let pages = two_pages();
        assert!(!is_writable(pages, 1));
        // SAFETY: the first page of the mapping, which only this test uses.
        assert_eq!(unsafe { libc::mprotect(pages.cast(), PAGE, libc::PROT_READ | libc::PROT_WRITE) }, 0);
        assert!(is_writable(pages, PAGE) && !is_writable(pages, PAGE + 1));
        assert!(
            is_writable(pages.wrapping_add(PAGE - 1), 1) && !is_writable(pages.wrapping_add(PAGE - 1), 2)
        );
        // SAFETY: the mapping of this test, to which there are no references.
        assert_eq!(unsafe { libc::munmap(pages.cast(), 2 * PAGE) }, 0);
    }

    #[test]
    #[cfg_attr(miri, ignore = "the kernel probes the memory")]
    fn probes_keep_writes_of_other_threads() {
        use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| (0..100_000).for_each(|_| _ = COUNT.fetch_add(1, Relaxed)));
            assert!((0..10_000).all(|_| is_writable(COUNT.as_ptr().cast(), 4)));
        });
        assert_eq!(COUNT.load(Relaxed), 100_000);
    }
}
