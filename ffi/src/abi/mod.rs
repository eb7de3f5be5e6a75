//! The numbers of an ABI: what the names of `mpi.h` stand for in the program that calls us.
//!
//! Nothing agrees between the three flavours, not even thread levels, so all of it is data, chosen once at run
//! time. Handles of MPI objects travel as `usize`, whatever their width; see [`Abi::load_handle`].

mod flavours;

use std::ffi::{c_int, c_void};

use mpit::Error;
use mpit::words::{Bind, Class, Datatype, Safety, Scope, SourceOrder, ThreadLevel, Verbosity};

pub use flavours::{mpich, open_mpi, standard};

/// Which family of ABIs a library belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Open MPI's own: handles are pointers to objects.
    OpenMpi,
    /// MPICH's own, shared by Intel MPI and others: handles are 4-byte integers.
    Mpich,
    /// The standard ABI of MPI-5: handles are pointers, predefined ones small integers.
    Standard,
}

impl std::fmt::Display for Flavour {
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

/// The constants of one flavour.
#[derive(Clone, Debug)]
pub struct Abi {
    /// The family.
    pub flavour: Flavour,
    /// Whether handles of MPI objects are 4 bytes wide; else they are pointers.
    pub narrow_handles: bool,
    codes: [c_int; Error::ALL.len()],
    thread_levels: [c_int; 4],
    verbosities: [c_int; 9],
    binds: [c_int; 12],
    /// The library's header has `MPI_T_BIND_MPI_SESSION`. Libraries before it have the number that came later.
    pub binds_sessions: bool,
    scopes: [c_int; 7],
    classes: [c_int; 10],
    safeties: [c_int; 4],
    source_orders: [c_int; 2],
    /// In the order of [`Datatype::ALL`].
    datatypes: [Handle; 11],
    /// `MPI_T_PVAR_ALL_HANDLES`.
    pub all_handles: usize,
    /// `MPI_COMM_NULL`.
    pub comm_null: Handle,
    /// `MPI_COMM_WORLD`.
    pub comm_world: Handle,
    /// `MPI_COMM_SELF`.
    pub comm_self: Handle,
    /// The null handles by kind of object, in the order of [`Bind::ALL`]; 0 where there is none.
    pub nulls: [Handle; 12],
    /// `MPI_PROC_NULL`.
    pub proc_null: c_int,
    /// `MPI_ROOT`.
    pub root: c_int,
    /// `MPI_IN_PLACE`, as C programs have it.
    pub in_place: usize,
    /// `MPI_CART`, `MPI_GRAPH`, `MPI_DIST_GRAPH`.
    pub topologies: [c_int; 3],
    /// `MPI_REQUEST_NULL`.
    pub request_null: Handle,
    /// `MPI_NO_OP`.
    pub no_op: Handle,
    /// `MPI_KEYVAL_INVALID`.
    pub keyval_invalid: c_int,
    /// `MPI_ERR_COUNT`, which is 2 everywhere.
    pub err_count: c_int,
    /// `MPI_ERR_OTHER`.
    pub err_other: c_int,
}

impl Abi {
    /// `MPI_SUCCESS`, 0 everywhere.
    pub const SUCCESS: c_int = 0;

    /// The number of an error.
    #[must_use]
    pub fn code(&self, error: Error) -> c_int {
        self.codes[error as usize]
    }

    /// The error of a number that the library returned.
    #[must_use]
    pub fn error(&self, code: c_int) -> Error {
        let at = self.codes.iter().position(|known| *known == code);
        at.map_or(Error::Invalid, |at| Error::ALL[at])
    }

    /// The number of a thread level.
    #[must_use]
    pub fn thread_level(&self, level: ThreadLevel) -> c_int {
        self.thread_levels[level as usize]
    }

    /// The thread level of a number.
    #[must_use]
    pub fn to_thread_level(&self, number: c_int) -> Option<ThreadLevel> {
        find(&self.thread_levels, number, ThreadLevel::ALL)
    }

    /// The number of a verbosity.
    #[must_use]
    pub fn verbosity(&self, verbosity: Verbosity) -> c_int {
        self.verbosities[verbosity as usize]
    }

    /// The verbosity of a number.
    #[must_use]
    pub fn to_verbosity(&self, number: c_int) -> Option<Verbosity> {
        find(&self.verbosities, number, Verbosity::ALL)
    }

    /// The number of a kind of object.
    #[must_use]
    pub fn bind(&self, bind: Bind) -> c_int {
        self.binds[bind as usize]
    }

    /// Returns true if an entry bound to this kind of object, with values of these datatypes, can be described by constants that the
    /// library has.
    #[must_use]
    pub fn describes(&self, bind: Bind, mut datatypes: impl Iterator<Item = Datatype>) -> bool {
        (bind != Bind::Session || self.binds_sessions)
            && datatypes.all(|datatype| self.datatype(datatype) != 0)
    }

    /// The kind of object of a number.
    #[must_use]
    pub fn to_bind(&self, number: c_int) -> Option<Bind> {
        find(&self.binds, number, Bind::ALL)
    }

    /// The number of a scope.
    #[must_use]
    pub fn scope(&self, scope: Scope) -> c_int {
        self.scopes[scope as usize]
    }

    /// The scope of a number.
    #[must_use]
    pub fn to_scope(&self, number: c_int) -> Option<Scope> {
        find(&self.scopes, number, Scope::ALL)
    }

    /// The number of a class.
    #[must_use]
    pub fn class(&self, class: Class) -> c_int {
        self.classes[class as usize]
    }

    /// The class of a number.
    #[must_use]
    pub fn to_class(&self, number: c_int) -> Option<Class> {
        find(&self.classes, number, Class::ALL)
    }

    /// The number of a callback safety level.
    #[must_use]
    pub fn safety(&self, safety: Safety) -> c_int {
        self.safeties[safety as usize]
    }

    /// The callback safety level of a number.
    #[must_use]
    pub fn to_safety(&self, number: c_int) -> Option<Safety> {
        find(&self.safeties, number, Safety::ALL)
    }

    /// The number of a source's ordering.
    #[must_use]
    pub fn source_order(&self, order: SourceOrder) -> c_int {
        self.source_orders[order as usize]
    }

    /// The ordering of a source by its number.
    #[must_use]
    pub fn to_source_order(&self, number: c_int) -> Option<SourceOrder> {
        find(&self.source_orders, number, SourceOrder::ALL)
    }

    /// The handle of a datatype.
    #[must_use]
    pub fn datatype(&self, datatype: Datatype) -> Handle {
        self.datatypes[datatype as usize]
    }

    /// `MPI_DATATYPE_NULL`.
    #[must_use]
    pub fn datatype_null(&self) -> Handle {
        self.nulls[Bind::Datatype as usize]
    }

    /// `MPI_WIN_NULL`.
    #[must_use]
    pub fn win_null(&self) -> Handle {
        self.nulls[Bind::Win as usize]
    }

    /// The width of a handle in the user's memory, in bytes.
    #[inline]
    #[must_use]
    pub fn handle_width(&self) -> usize {
        if self.narrow_handles { 4 } else { size_of::<Handle>() }
    }

    /// The datatype of a handle, among those that variables may have.
    #[must_use]
    pub fn to_datatype(&self, handle: Handle) -> Option<Datatype> {
        let at = self.datatypes.iter().position(|known| *known == handle);
        at.map(|at| Datatype::ALL[at])
    }

    /// A handle that came in a register or a stack slot: of a narrow one, only the low half is defined.
    #[inline]
    #[must_use]
    pub fn clean(&self, handle: Handle) -> Handle {
        if self.narrow_handles { handle & 0xffff_ffff } else { handle }
    }

    /// Reads a handle variable of the user's.
    ///
    /// # Safety
    ///
    /// `at` is valid for a read of a handle of this flavour.
    #[must_use]
    pub unsafe fn load_handle(&self, at: *const c_void) -> Handle {
        if self.narrow_handles {
            // SAFETY: by the caller's promise.
            unsafe { at.cast::<u32>().read_unaligned() as usize }
        } else {
            // SAFETY: by the caller's promise.
            unsafe { at.cast::<usize>().read_unaligned() }
        }
    }

    /// Writes a handle variable of the user's.
    ///
    /// # Safety
    ///
    /// `at` is valid for a write of a handle of this flavour.
    pub unsafe fn store_handle(&self, at: *mut c_void, handle: Handle) {
        if self.narrow_handles {
            // SAFETY: by the caller's promise.
            unsafe { at.cast::<u32>().write_unaligned(handle as u32) };
        } else {
            // SAFETY: by the caller's promise.
            unsafe { at.cast::<usize>().write_unaligned(handle) };
        }
    }
}

fn find<T: Copy>(numbers: &[c_int], number: c_int, words: &[T]) -> Option<T> {
    let at = numbers.iter().position(|known| *known == number)?;
    words.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [Abi; 3] {
        [standard(), mpich(0x7000), open_mpi(|_| Some(0x1000))]
    }

    #[test]
    fn r52_error_codes_are_positive_and_distinct() {
        for abi in all() {
            let codes: Vec<_> = Error::ALL.iter().map(|error| abi.code(*error)).collect();
            for (at, code) in codes.iter().enumerate() {
                assert!(*code > 0);
                assert!(!codes[..at].contains(code), "{}: {code} twice", abi.flavour);
                assert_eq!(abi.error(*code), Error::ALL[at]);
            }
        }
    }

    #[test]
    fn r54_verbosities_ascend() {
        for abi in all() {
            assert!(abi.verbosities.windows(2).all(|pair| pair[0] < pair[1]), "{}", abi.flavour);
        }
    }

    #[test]
    fn r55_safety_levels_ascend() {
        for abi in all() {
            assert!(abi.safeties.windows(2).all(|pair| pair[0] < pair[1]), "{}", abi.flavour);
        }
    }

    #[test]
    fn c30_entries_need_constants_of_the_library() {
        let none = || std::iter::empty::<Datatype>();
        assert!(standard().describes(Bind::Session, none()) && !mpich(0).describes(Bind::Session, none()));
        for abi in all() {
            assert!(abi.describes(Bind::Info, Datatype::ALL.iter().copied()), "{}", abi.flavour);
        }
        let lacks_count = open_mpi(|name| if name == "ompi_mpi_count" { None } else { Some(0x1000) });
        assert!(!lacks_count.describes(Bind::NoObject, [Datatype::Int, Datatype::Count].into_iter()));
    }

    #[test]
    fn r57_levels_of_the_standard_abi_are_sparse() {
        let levels = Safety::ALL.iter().map(|level| standard().safety(*level));
        assert!(levels.eq([0x00, 0x03, 0x0f, 0x3f]));
        assert_eq!(standard().to_safety(0x0f), Some(Safety::ThreadSafe));
        assert_eq!(standard().to_safety(1), None);
        assert_eq!(standard().to_safety(-1), None);
    }

    #[test]
    fn r56_words_are_distinct_within_a_family() {
        for abi in all() {
            for family in [&abi.binds[..], &abi.scopes, &abi.classes, &abi.thread_levels, &abi.source_orders]
            {
                for (at, number) in family.iter().enumerate() {
                    assert!(!family[..at].contains(number), "{}: {number} twice", abi.flavour);
                }
            }
        }
    }

    #[test]
    fn r314_narrow_handles_ignore_what_stands_beside_them() {
        let abi = mpich(0);
        let user = [0x4400_0000_u32, 0xdead_beef];
        // SAFETY: `user` is larger than a handle.
        assert_eq!(unsafe { abi.load_handle(user.as_ptr().cast()) }, 0x4400_0000);
        let mut user = [0_u32, 0xdead_beef];
        // SAFETY: as above.
        unsafe { abi.store_handle(user.as_mut_ptr().cast(), 0x4400_0001) };
        assert_eq!(user, [0x4400_0001, 0xdead_beef]);
        assert_eq!(abi.clean(0xdead_beef_4400_0000), 0x4400_0000);
    }
}
