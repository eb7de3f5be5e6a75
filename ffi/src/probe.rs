//! Safe reads from addresses that may be invalid, through the kernel. Not for fast paths: each read is a system call.

use std::ffi::{c_int, c_void};

/// Reads bytes at an address; returns false if they cannot be read.
///
/// # Safety
///
/// The bytes can be read if the kernel refuses both methods of finding out.
pub(crate) unsafe fn read(from: *const c_void, into: &mut [u8]) -> bool {
    by_vectors(from, into).or_else(|| by_pipe(from, into)).unwrap_or_else(|| {
        // SAFETY: the kernel refuses both methods, so the bytes can be read.
        unsafe { std::ptr::copy_nonoverlapping(from.cast(), into.as_mut_ptr(), into.len()) };
        true
    })
}

/// Reads by `process_vm_readv`; returns `None` if the kernel refuses the call, as in some sandboxes.
fn by_vectors(from: *const c_void, into: &mut [u8]) -> Option<bool> {
    let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let remote = libc::iovec { iov_base: from.cast_mut(), iov_len: into.len() };
    // SAFETY: `getpid` has no preconditions.
    let own = unsafe { libc::getpid() };
    // SAFETY: `local` refers to `into`, and the kernel checks `remote`.
    let read = unsafe { libc::process_vm_readv(own, &raw const local, 1, &raw const remote, 1, 0) };
    if read >= 0 {
        return Some(read.cast_unsigned() == into.len());
    }
    refusal(errno())
}

/// Reads by a pipe: the kernel checks the source address of `write`.
fn by_pipe(from: *const c_void, into: &mut [u8]) -> Option<bool> {
    let mut ends: [c_int; 2] = [-1; 2];
    // SAFETY: `ends` has space for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) } != 0 {
        return None;
    }
    let [output, input] = ends;
    // SAFETY: the kernel checks the address.
    let written = unsafe { libc::write(input, from, into.len()) };
    let outcome = if written < 0 {
        refusal(errno())
    } else if written.cast_unsigned() < into.len() {
        Some(false)
    } else {
        // SAFETY: `into` is valid for as many bytes.
        let read = unsafe { libc::read(output, into.as_mut_ptr().cast(), into.len()) };
        Some(read == written)
    };
    for end in ends {
        // SAFETY: this function opened the descriptor and closes it once.
        unsafe { libc::close(end) };
    }
    outcome
}

/// Interprets an error: `None` unless it concerns the address.
fn refusal(errno: c_int) -> Option<bool> {
    if errno == libc::EFAULT { Some(false) } else { None }
}

fn errno() -> c_int {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::ffi::c_void;

    use super::{by_pipe, by_vectors, read};

    type Method = fn(*const c_void, &mut [u8]) -> Option<bool>;

    #[test]
    fn invalid_addresses_are_detected() {
        let word = 0x1234_5678_9abc_def0_u64;
        let methods: [Method; 3] = [by_vectors, by_pipe, |from, into| {
            // SAFETY: the kernel allows both methods, which were tested before.
            Some(unsafe { read(from, into) })
        }];
        for method in methods {
            let mut into = [0; 8];
            assert_eq!(method((&raw const word).cast(), &mut into), Some(true));
            assert_eq!(u64::from_ne_bytes(into), word);
            for nowhere in [1_usize, 4095, usize::MAX - 7, usize::MAX] {
                assert_eq!(method(std::ptr::without_provenance(nowhere), &mut into), Some(false));
            }
        }
    }
}
