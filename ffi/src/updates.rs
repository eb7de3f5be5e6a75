//! Functions of `mpit_update.h` for languages that cannot use its inline functions, and the numbers of communicators.

use std::ffi::c_void;
use std::sync::atomic::Ordering::Relaxed;

use mpit::internal::panic::catch_panic;
use mpit::internal::plugin::abi::Sum;

use crate::mpi_t::object;

/// Adds to a sum of an unsigned type.
///
/// # Safety
///
/// `sum` is null, or a `struct mpit_sum` that is valid until the function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpit_sum_add(sum: *const Sum, amount: u64) {
    // SAFETY: null or such a struct (condition of this function), whose members are atomic.
    if let Some(sum) = unsafe { sum.as_ref() } {
        sum.word.fetch_add(amount, Relaxed);
    }
}

/// Adds to a sum of doubles. Negative amounts and NaN count as 0.
///
/// # Safety
///
/// `sum` is null, or a `struct mpit_sum` that is valid until the function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpit_sum_add_double(sum: *const Sum, amount: f64) {
    // SAFETY: null or such a struct (condition of this function), whose members are atomic.
    if let Some(sum) = unsafe { sum.as_ref() }
        && amount > 0.0
    {
        let add = |word| Some((f64::from_bits(word) + amount).to_bits());
        // The closure always returns a value.
        _ = sum.word.fetch_update(Relaxed, Relaxed, add);
    }
}

/// Returns the number of a communicator, given the address of its handle. Returns 0 for null, and if MPI is not initialized.
///
/// # Safety
///
/// `comm` is null, or the address of a valid handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpit_comm_number(comm: *const c_void) -> u64 {
    catch_panic(|| object::comm_number(comm.cast_mut())).flatten().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::ptr::null;
    use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};

    use super::*;

    #[test]
    fn sums_grow() {
        let sum = Sum {
            word: AtomicU64::new(0),
            watchers: AtomicU32::new(0),
            concurrent: AtomicPtr::new(std::ptr::null_mut()),
        };
        // SAFETY: `sum` is a local variable.
        unsafe { mpit_sum_add(&raw const sum, 3) };
        assert_eq!(sum.word.swap(0, Relaxed), 3);
        for amount in [0.25, -1.0, f64::NAN, 0.5] {
            // SAFETY: `sum` is a local variable.
            unsafe { mpit_sum_add_double(&raw const sum, amount) };
        }
        assert_eq!(sum.word.load(Relaxed), 0.75_f64.to_bits());
        // SAFETY: the functions accept null.
        unsafe { mpit_sum_add(null(), 1) };
        // SAFETY: the functions accept null.
        unsafe { mpit_sum_add_double(null(), 1.0) };
    }

    #[test]
    fn nothing_has_no_number() {
        // SAFETY: the function accepts null.
        assert_eq!(unsafe { mpit_comm_number(null()) }, 0);
    }
}
