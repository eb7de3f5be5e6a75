//! A mark of this process while it is in `MPI_Init`, before it has a store: a mapping whose name other programs find in `/proc`.

use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use mpit_components::live;

use crate::isolation::with_errno_kept;

/// The mapping; null if there is none.
static MARK: AtomicPtr<libc::c_void> = AtomicPtr::new(null_mut());

/// The size of the mapping, whose memory is never used.
const SIZE: usize = 4096;

/// Adds the mark. Without it, other programs do not know that this process is in `MPI_Init`.
pub(super) fn begin() {
    with_errno_kept(|| {
        // The C library's function for it is newer than glibc 2.17.
        // SAFETY: the arguments have the types of the system call's, and the name is a string that ends with NUL.
        let file =
            unsafe { libc::syscall(libc::SYS_memfd_create, live::STARTING.as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return;
        }
        // Descriptors are of this type.
        let file = file as c_int;
        // SAFETY: a new mapping at an address that the system chooses, without access.
        let at = unsafe { libc::mmap(null_mut(), SIZE, libc::PROT_NONE, libc::MAP_SHARED, file, 0) };
        // SAFETY: the descriptor is that of this function.
        unsafe { libc::close(file) };
        if at != libc::MAP_FAILED {
            MARK.store(at, Relaxed);
        }
    });
}

/// Removes the mark.
pub(super) fn end() {
    let at = MARK.swap(null_mut(), Relaxed);
    if !at.is_null() {
        // SAFETY: `begin` has made this mapping, and nothing uses its memory. It is removed once, because `MARK` is null now.
        with_errno_kept(|| unsafe { libc::munmap(at, SIZE) });
    }
}
