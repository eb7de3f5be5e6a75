//! A probe for memory that a pointer from outside leads to.
//!
//! The kernel looks at the memory instead of this process: `rt_sigprocmask` with an operation that does not exist copies the
//! signal set first and refuses the operation afterwards, so its error tells whether eight bytes could be read, and nothing
//! changes. It needs no descriptor, and every sandbox allows it. Another thread can unmap the memory at any time afterwards;
//! the probe finds mistakes, it is no protection from races.

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

#[cfg(test)]
mod tests {
    use super::{PAGE, is_readable, readable_up_to};

    #[test]
    fn only_what_is_mapped_can_be_read() {
        let value = [1_u8; 3 * PAGE];
        assert!(is_readable(value.as_ptr(), value.len()));
        assert!(is_readable(value.as_ptr(), 0));
        for address in [0_usize, 8, 16, PAGE - 1, usize::MAX - 7, usize::MAX, 0xdead_0000_0000_beef] {
            assert!(!is_readable(std::ptr::without_provenance(address), 8), "{address:#x}");
        }
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
        let pages = pages.cast::<u8>();
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
}
