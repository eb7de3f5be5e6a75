//! The constants of an MPI ABI: the numbers behind the names of `mpi.h` in the calling program.
//!
//! The three flavors agree on nothing, not even on thread levels, so all constants are data, chosen once at
//! run time. Handles of MPI objects are passed as `usize`, whatever their width; see [`Abi::load_handle`].

mod flavors;

use std::ffi::{c_int, c_void};

use mpit::Error;
use mpit::event::Safety;
use mpit::internal::vocabulary::{SourceOrder, ThreadLevel};
use mpit::object::Bind;
use mpit::tool::{Class, Datatype, Scope, Verbosity};

pub use flavors::{mpich, open_mpi, standard};

/// A family of MPI ABIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// Open MPI's ABI: handles are pointers to objects.
    OpenMpi,
    /// MPICH's ABI, shared by Intel MPI and others: handles are 4-byte integers.
    Mpich,
    /// The standard ABI of MPI-5: handles are pointers, predefined ones small integers.
    Standard,
}

impl std::fmt::Display for Flavor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::OpenMpi => "Open MPI ABI",
            Self::Mpich => "MPICH ABI",
            Self::Standard => "MPI-5 standard ABI",
        })
    }
}

/// A handle of an MPI object, as a value: a pointer, or a zero-extended 4-byte integer.
pub type Handle = usize;

/// The constants of one flavor.
#[derive(Clone, Debug)]
pub struct Abi {
    /// The family.
    pub flavor: Flavor,
    /// True if handles of MPI objects are 4 bytes wide; otherwise they are pointers.
    pub narrow_handles: bool,
    codes: [c_int; Error::ALL.len()],
    thread_levels: [c_int; 4],
    verbosities: [c_int; 9],
    binds: [c_int; 12],
    /// True if the library's header has `MPI_T_BIND_MPI_SESSION`. For older libraries the constant has its
    /// later number.
    pub binds_sessions: bool,
    scopes: [c_int; 7],
    classes: [c_int; 10],
    safeties: [c_int; 4],
    source_orders: [c_int; 2],
    /// Datatype handles, in the order of [`Datatype::ALL`].
    datatypes: [Handle; 11],
    /// `MPI_T_PVAR_ALL_HANDLES`.
    pub all_handles: usize,
    /// `MPI_COMM_NULL`.
    pub comm_null: Handle,
    /// `MPI_COMM_WORLD`.
    pub comm_world: Handle,
    /// `MPI_COMM_SELF`.
    pub comm_self: Handle,
    /// The null handles by kind of object, in the order of [`Bind::ALL`]; 0 if the kind has none.
    pub nulls: [Handle; 12],
    /// `MPI_PROC_NULL`.
    pub proc_null: c_int,
    /// `MPI_ROOT`.
    pub root: c_int,
    /// `MPI_IN_PLACE` of C.
    pub in_place: usize,
    /// `MPI_CART`, `MPI_GRAPH`, `MPI_DIST_GRAPH`.
    pub topologies: [c_int; 3],
    /// `MPI_REQUEST_NULL`.
    pub request_null: Handle,
    /// `MPI_NO_OP`.
    pub no_op: Handle,
    /// `MPI_KEYVAL_INVALID`.
    pub keyval_invalid: c_int,
    /// `MPI_ERR_COUNT`, 2 in all flavors.
    pub err_count: c_int,
    /// `MPI_ERR_OTHER`.
    pub err_other: c_int,
}

impl Abi {
    /// `MPI_SUCCESS`, 0 in all flavors.
    pub const SUCCESS: c_int = 0;

    /// Returns the code of an error.
    #[must_use]
    pub fn code(&self, error: Error) -> c_int {
        self.codes[error as usize]
    }

    /// Returns the error for a code of the library.
    #[must_use]
    pub fn error(&self, code: c_int) -> Error {
        let at = self.codes.iter().position(|known| *known == code);
        at.map_or(Error::Invalid, |at| Error::ALL[at])
    }

    /// Returns true if the library has constants for this kind of object and for these datatypes, so that an
    /// entry with them can be described.
    #[must_use]
    pub fn describes(&self, bind: Bind, mut datatypes: impl Iterator<Item = Datatype>) -> bool {
        (bind != Bind::Session || self.binds_sessions)
            && datatypes.all(|datatype| self.datatype(datatype) != 0)
    }

    /// Returns the handle of a datatype.
    #[must_use]
    pub fn datatype(&self, datatype: Datatype) -> Handle {
        self.datatypes[datatype as usize]
    }

    /// Returns `MPI_DATATYPE_NULL`.
    #[must_use]
    pub fn datatype_null(&self) -> Handle {
        self.nulls[Bind::Datatype as usize]
    }

    /// Returns `MPI_WIN_NULL`.
    #[must_use]
    pub fn win_null(&self) -> Handle {
        self.nulls[Bind::Win as usize]
    }

    /// Returns the width of a handle variable, in bytes.
    #[inline]
    #[must_use]
    pub fn handle_width(&self) -> usize {
        if self.narrow_handles { 4 } else { size_of::<Handle>() }
    }

    /// Returns the datatype of a handle, among the datatypes that variables may have.
    #[must_use]
    pub fn to_datatype(&self, handle: Handle) -> Option<Datatype> {
        let at = self.datatypes.iter().position(|known| *known == handle);
        at.map(|at| Datatype::ALL[at])
    }

    /// Clears the undefined upper half of a narrow handle that was passed in a register or a stack slot.
    #[inline]
    #[must_use]
    pub fn clean(&self, handle: Handle) -> Handle {
        if self.narrow_handles { handle & 0xffff_ffff } else { handle }
    }

    /// Reads a handle variable of the program.
    ///
    /// # Safety
    ///
    /// `at` is valid for a read of a handle of this flavor.
    #[must_use]
    pub unsafe fn load_handle(&self, at: *const c_void) -> Handle {
        if self.narrow_handles {
            // SAFETY: the caller passes the address of a handle of this flavor, which is 4 bytes wide.
            unsafe { at.cast::<u32>().read_unaligned() as usize }
        } else {
            // SAFETY: the caller passes the address of a handle of this flavor, which is as wide as a
            // pointer.
            unsafe { at.cast::<usize>().read_unaligned() }
        }
    }

    /// Writes a handle variable of the program.
    ///
    /// # Safety
    ///
    /// `at` is valid for a write of a handle of this flavor.
    pub unsafe fn store_handle(&self, at: *mut c_void, handle: Handle) {
        if self.narrow_handles {
            // SAFETY: the caller passes the address of a handle of this flavor, which is 4 bytes wide.
            unsafe { at.cast::<u32>().write_unaligned(handle as u32) };
        } else {
            // SAFETY: the caller passes the address of a handle of this flavor, which is as wide as a
            // pointer.
            unsafe { at.cast::<usize>().write_unaligned(handle) };
        }
    }
}

/// Defines the conversions between a vocabulary and the library's numbers.
macro_rules! numbers {
    ($($number:ident, $word:ident: $vocabulary:ident in $numbers:ident, $what:literal;)+) => {
        impl Abi {
            $(
                #[doc = concat!("Returns the number of a ", $what, ".")]
                #[must_use]
                pub fn $number(&self, word: $vocabulary) -> c_int {
                    self.$numbers[word as usize]
                }

                #[doc = concat!("Returns the ", $what, " for a number.")]
                #[must_use]
                pub fn $word(&self, number: c_int) -> Option<$vocabulary> {
                    let at = self.$numbers.iter().position(|known| *known == number)?;
                    $vocabulary::ALL.get(at).copied()
                }
            )+
        }
    };
}

numbers! {
    thread_level, to_thread_level: ThreadLevel in thread_levels, "thread level";
    verbosity, to_verbosity: Verbosity in verbosities, "verbosity";
    bind, to_bind: Bind in binds, "kind of object";
    scope, to_scope: Scope in scopes, "scope";
    class, to_class: Class in classes, "class";
    safety, to_safety: Safety in safeties, "callback safety level";
    source_order, to_source_order: SourceOrder in source_orders, "source ordering";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [Abi; 3] {
        [standard(), mpich(0x7000), open_mpi(|_| Some(0x1000))]
    }

    /// Proves R52.
    #[test]
    fn error_codes_are_positive_and_distinct() {
        for abi in all() {
            let codes: Vec<_> = Error::ALL.iter().map(|error| abi.code(*error)).collect();
            for (at, code) in codes.iter().enumerate() {
                assert!(*code > 0);
                assert!(!codes[..at].contains(code), "{}: {code} twice", abi.flavor);
                assert_eq!(abi.error(*code), Error::ALL[at]);
            }
        }
    }

    /// Proves R54.
    #[test]
    fn verbosities_ascend() {
        for abi in all() {
            assert!(abi.verbosities.windows(2).all(|pair| pair[0] < pair[1]), "{}", abi.flavor);
        }
    }

    /// Proves R55.
    #[test]
    fn safety_levels_ascend() {
        for abi in all() {
            assert!(abi.safeties.windows(2).all(|pair| pair[0] < pair[1]), "{}", abi.flavor);
        }
    }

    /// Proves C30.
    #[test]
    fn entries_need_constants_of_the_library() {
        let none = || std::iter::empty::<Datatype>();
        assert!(standard().describes(Bind::Session, none()) && !mpich(0).describes(Bind::Session, none()));
        for abi in all() {
            assert!(abi.describes(Bind::Info, Datatype::ALL.iter().copied()), "{}", abi.flavor);
        }
        let lacks_count = open_mpi(|name| if name == "ompi_mpi_count" { None } else { Some(0x1000) });
        assert!(!lacks_count.describes(Bind::NoObject, [Datatype::Int, Datatype::Count].into_iter()));
    }

    /// Proves R57.
    #[test]
    fn safety_levels_of_the_abi_are_sparse() {
        let levels = Safety::ALL.iter().map(|level| standard().safety(*level));
        assert!(levels.eq([0x00, 0x03, 0x0f, 0x3f]));
        assert_eq!(standard().to_safety(0x0f), Some(Safety::ThreadSafe));
        assert_eq!(standard().to_safety(1), None);
        assert_eq!(standard().to_safety(-1), None);
    }

    /// Proves R56.
    #[test]
    fn constants_are_distinct_within_a_family() {
        for abi in all() {
            for family in [&abi.binds[..], &abi.scopes, &abi.classes, &abi.thread_levels, &abi.source_orders]
            {
                for (at, number) in family.iter().enumerate() {
                    assert!(!family[..at].contains(number), "{}: {number} twice", abi.flavor);
                }
            }
        }
    }

    /// Proves R314.
    #[test]
    fn narrow_handles_ignore_adjacent_bytes() {
        let abi = mpich(0);
        let user = [0x4400_0000_u32, 0xdead_beef];
        // SAFETY: `user` is larger than a handle.
        assert_eq!(unsafe { abi.load_handle(user.as_ptr().cast()) }, 0x4400_0000);
        let mut user = [0_u32, 0xdead_beef];
        // SAFETY: `user` is larger than a handle.
        unsafe { abi.store_handle(user.as_mut_ptr().cast(), 0x4400_0001) };
        assert_eq!(user, [0x4400_0001, 0xdead_beef]);
        assert_eq!(abi.clean(0xdead_beef_4400_0000), 0x4400_0000);
    }
}
