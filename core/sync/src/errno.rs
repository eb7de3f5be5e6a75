//! The program's `errno`, which calls of ours do not change.

/// Runs code without changing the `errno` that the program sees. Works in a signal handler.
pub fn with_errno_kept<R>(run: impl FnOnce() -> R) -> R {
    // SAFETY: `__errno_location` has no preconditions.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: `errno` is the calling thread's own variable, which is valid as long as the thread runs.
    let before = unsafe { errno.read() };
    let result = run();
    // SAFETY: `errno` is still that of the calling thread: `run` returned in it.
    unsafe { errno.write(before) };
    result
}

#[cfg(test)]
pub(crate) mod tests {
    use std::thread;

    /// Runs `test` in a thread to which the kernel refuses a system call, and checks that `errno` is kept.
    pub(crate) fn check_without(system_call: libc::c_long, test: impl FnOnce() + Send) {
        const KEPT: libc::c_int = 77;
        let check = || {
            refuse(system_call);
            // SAFETY: this system call with this number has no arguments that are addresses.
            let answer = unsafe { libc::syscall(system_call, 0, 0, 0) };
            assert_eq!((answer, std::io::Error::last_os_error().raw_os_error()), (-1, Some(libc::EPERM)));
            // SAFETY: `__errno_location` has no preconditions.
            let errno = unsafe { libc::__errno_location() };
            // SAFETY: the calling thread's own variable.
            unsafe { errno.write(KEPT) };
            test();
            // SAFETY: the calling thread's own variable.
            assert_eq!(unsafe { errno.read() }, KEPT);
        };
        thread::scope(|scope| scope.spawn(check).join().unwrap());
    }

    /// Installs a filter that refuses a system call of this thread with `EPERM`.
    fn refuse(system_call: libc::c_long) {
        let statement = |code: u32, jump_if_not: u8, k: u32| libc::sock_filter {
            code: code as u16,
            jt: 0,
            jf: jump_if_not,
            k,
        };
        let mut statements = [
            // The number of the system call is the first word of the data.
            statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
            statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, system_call as u32),
            statement(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned()),
            statement(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog { len: statements.len() as u16, filter: statements.as_mut_ptr() };
        // SAFETY: this request takes numbers only.
        assert_eq!(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }, 0);
        // SAFETY: `program` refers to `statements`, which exist during the call. The filter applies to this thread.
        let installed =
            unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) };
        assert_eq!(installed, 0, "{}", std::io::Error::last_os_error());
    }
}
