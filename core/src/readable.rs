//! Probes for memory that a pointer from outside leads to.
//!
//! The kernel looks at the memory instead of this process: `rt_sigprocmask` with an operation that does not exist copies the
//! signal set first and refuses the operation afterwards, so its error tells whether eight bytes could be read, and nothing
//! changes. `futex` with `FUTEX_WAKE_OP` adds 0 to a word in one atomic step, so its error tells whether the word could be
//! written, and what other threads write there meanwhile stays. Both need no descriptor, and every sandbox allows them. Another
//! thread can unmap the memory at any time afterwards; the probes find mistakes, they are no protection from races.

use std::sync::atomic::AtomicU32;

/// The size of a kernel's signal set; the probe reads as many bytes.
const SET: usize = 8;
/// The smallest page; memory is mapped in whole ones.
const PAGE: usize = 4096;

/// Returns true if all of `len` bytes at an address can be read. One system call for each page: not for the path of a message.
#[must_use]
pub fn is_readable(address: *const u8, len: usize) -> bool {
    let Some(last) = (address as usize).checked_add(len.max(1) - 1) else { return false };
    let first = address as usize / PAGE;
    (first..=last / PAGE).all(page_is_readable)
}

/// Returns true if all of `len` bytes at an address can be written. One system call for each page, as [`is_readable`].
#[must_use]
pub fn is_writable(address: *const u8, len: usize) -> bool {
    let Some(last) = (address as usize).checked_add(len.max(1) - 1) else { return false };
    let first = address as usize;
    // The page of the first byte by the word that this is in, the others by their first word.
    let words = std::iter::once(first & !3).chain((first / PAGE + 1..=last / PAGE).map(|page| page * PAGE));
    words.into_iter().all(word_is_writable)
}

/// Returns how many of `most` bytes at an address can be read, up to the end of the last page of them.
#[must_use]
pub fn readable_up_to(address: *const u8, most: usize) -> usize {
    let mut end = 0;
    while end < most && is_readable(address.wrapping_add(end), 1) {
        end += PAGE - (address as usize + end) % PAGE;
    }
    end.min(most)
}

fn page_is_readable(page: usize) -> bool {
    /// None of `SIG_BLOCK`, `SIG_UNBLOCK` and `SIG_SETMASK`.
    const NO_OPERATION: libc::c_int = -1;
    let set = std::ptr::with_exposed_provenance::<u8>(page * PAGE);
    // SAFETY: the kernel checks the address itself, and refuses the operation before it changes anything.
    let refused = unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, NO_OPERATION, set, std::ptr::null_mut::<u8>(), SET)
    };
    refused != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL)
}

/// `address` is that of a word of four bytes.
fn word_is_writable(address: usize) -> bool {
    /// No thread ever waits here.
    static NOWHERE: AtomicU32 = AtomicU32::new(0);
    // Adds 0, and compares with the least number that fits.
    let operation = libc::FUTEX_OP_ADD << 28 | libc::FUTEX_OP_CMP_LT << 24 | 0x800;
    let word = std::ptr::with_exposed_provenance_mut::<u32>(address);
    // SAFETY: the kernel checks the address itself. The word keeps its value, and no other memory is accessed. A thread that
    // waits there may wake up early, for which every user of a futex is prepared.
    let woken = unsafe {
        libc::syscall(
            libc::SYS_futex,
            NOWHERE.as_ptr(),
            libc::FUTEX_WAKE_OP | libc::FUTEX_PRIVATE_FLAG,
            0,
            std::ptr::null_mut::<libc::timespec>(),
            word,
            operation,
        )
    };
    // Any other error says nothing of the memory.
    woken >= 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
}

#[cfg(test)]
mod tests {
    use super::{PAGE, is_readable, is_writable, readable_up_to};

    /// Maps two pages that can be read, and nothing more.
    fn two_pages() -> *mut u8 {
        // SAFETY: makes a mapping of its own, which nothing else refers to.
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
    fn only_what_is_mapped_can_be_read() {
        let value = [1_u8; 3 * PAGE];
        assert!(is_readable(value.as_ptr(), value.len()));
        assert!(is_readable(value.as_ptr(), 0));
        for address in [0_usize, 8, 16, PAGE - 1, usize::MAX - 7, usize::MAX, 0xdead_0000_0000_beef] {
            assert!(!is_readable(std::ptr::without_provenance(address), 8), "{address:#x}");
        }
        let pages = two_pages();
        assert!(is_readable(pages, 2 * PAGE));
        // SAFETY: the second page of the mapping.
        assert_eq!(unsafe { libc::mprotect(pages.wrapping_add(PAGE).cast(), PAGE, libc::PROT_NONE) }, 0);
        assert!(is_readable(pages, PAGE) && !is_readable(pages, PAGE + 1));
        assert_eq!(readable_up_to(pages.wrapping_add(1), PAGE), PAGE - 1);
        assert_eq!(readable_up_to(pages.wrapping_add(1), 5), 5);
        assert_eq!(readable_up_to(pages.wrapping_add(PAGE), 5), 0);
        // SAFETY: the mapping, which nothing refers to any more.
        assert_eq!(unsafe { libc::munmap(pages.cast(), 2 * PAGE) }, 0);
        assert!(!is_readable(pages, 1));
    }

    #[test]
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
        // SAFETY: the first page of the mapping.
        assert_eq!(unsafe { libc::mprotect(pages.cast(), PAGE, libc::PROT_READ | libc::PROT_WRITE) }, 0);
        assert!(is_writable(pages, PAGE) && !is_writable(pages, PAGE + 1));
        assert!(
            is_writable(pages.wrapping_add(PAGE - 1), 1) && !is_writable(pages.wrapping_add(PAGE - 1), 2)
        );
        // SAFETY: the mapping, which nothing refers to any more.
        assert_eq!(unsafe { libc::munmap(pages.cast(), 2 * PAGE) }, 0);
        assert!(!is_writable(pages, 1));
    }

    #[test]
    fn probes_lose_nothing_that_other_threads_write() {
        use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| (0..100_000).for_each(|_| _ = COUNT.fetch_add(1, Relaxed)));
            assert!((0..10_000).all(|_| is_writable(COUNT.as_ptr().cast(), 4)));
        });
        assert_eq!(COUNT.load(Relaxed), 100_000);
    }
}
