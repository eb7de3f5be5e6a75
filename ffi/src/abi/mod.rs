//! The constants of an MPI ABI: the numbers behind the names of `mpi.h` in the calling program.
//!
//! The three flavors agree on nothing, not even on thread levels, so all constants are data, chosen once at
//! run time. Handles of MPI objects are passed as `usize`, whatever their width; see [`Abi::load_handle`].

mod flavors;
pub(crate) mod identify;
mod live;
pub(crate) mod symbols;

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use mpit::Error;
use mpit::event::Safety;
use mpit::internal::vocabulary::{SourceOrder, ThreadLevel};
use mpit::object::Bind;
use mpit::tool::{Class, Datatype, Scope, Verbosity};

pub use flavors::{NAMES, mpich, open_mpi, standard};
pub use live::{Kind, LiveComm, LiveDatatype, LiveHandle, LiveSession, LiveWin, kind};

/// A handle of an MPI object, as a value: a pointer, or a zero-extended 4-byte integer.
pub type Handle = usize;

/// The relation of Fortran's handles to those of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FortranHandles {
    /// The numbers are equal.
    Equal,
    /// `MPI_*_f2c` convert them.
    F2c,
    /// `MPI_*_fromint` convert them.
    FromInt,
}

/// The handles of predefined datatypes.
#[derive(Clone, Debug)]
enum PredefinedTypes {
    /// Handles whose upper byte, of four, has this value.
    Tagged(usize),
    /// Handles below this one.
    Below(Handle),
    /// The addresses of objects, looked up at the first use.
    Objects(OnceLock<Vec<Handle>>),
}

/// Properties of a flavor's libraries that the standard does not require.
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Quirks {
    /// True if objects begin with the address of their class, once MPI is initialized.
    pub objects_have_classes: bool,
    /// True if `MPI_Group_translate_ranks` compares each rank with each process of the other group.
    pub translates_ranks_by_search: bool,
    /// True if components are unloaded while their variables stay listed.
    pub unloads_components: bool,
    /// True if each variable is in a category, so that the update number rises when one is registered.
    pub categories_have_all_variables: bool,
    /// True if the library has a monitoring component of its own.
    pub has_monitoring: bool,
    /// True if the thread level of the first user of MPI_T becomes that of MPI.
    pub shares_thread_level: bool,
    /// Patterns of variables that are described but cannot be used without their hardware or component. Some
    /// tools stop at the first refusal.
    pub refused_entries: &'static str,
}

/// The constants of one flavor.
#[derive(Clone, Debug)]
pub struct Abi {
    /// The name of the flavor, for users.
    pub name: &'static str,
    /// True if handles of MPI objects are 4 bytes wide; otherwise they are pointers.
    pub narrow_handles: bool,
    codes: [c_int; Error::ALL.len()],
    thread_levels: [c_int; ThreadLevel::ALL.len()],
    verbosities: [c_int; Verbosity::ALL.len()],
    binds: [c_int; Bind::ALL.len()],
    /// True if the library's header has `MPI_T_BIND_MPI_SESSION`. For older libraries the constant has its later number.
    pub binds_sessions: bool,
    scopes: [c_int; Scope::ALL.len()],
    classes: [c_int; Class::ALL.len()],
    safeties: [c_int; Safety::ALL.len()],
    source_orders: [c_int; SourceOrder::ALL.len()],
    /// Datatype handles, in the order of [`Datatype::ALL`].
    datatypes: [Handle; Datatype::ALL.len()],
    /// `MPI_T_PVAR_ALL_HANDLES`.
    pub all_handles: usize,
    /// `MPI_COMM_WORLD`.
    pub comm_world: Handle,
    /// `MPI_COMM_SELF`.
    pub comm_self: Handle,
    /// The null handles by kind of object, in the order of [`Bind::ALL`].
    nulls: [Handle; Bind::ALL.len()],
    /// `MPI_PROC_NULL`.
    pub proc_null: c_int,
    /// `MPI_ANY_SOURCE`.
    pub any_source: c_int,
    /// `MPI_ANY_TAG`.
    pub any_tag: c_int,
    /// `MPI_ROOT`.
    pub root: c_int,
    /// `MPI_IN_PLACE` of C.
    pub in_place: usize,
    /// `MPI_CART`, `MPI_GRAPH`, `MPI_DIST_GRAPH`.
    pub topologies: [c_int; 3],
    /// `MPI_NO_OP`.
    pub no_op: Handle,
    /// `MPI_LOCK_EXCLUSIVE`.
    pub lock_exclusive: c_int,
    /// `MPI_KEYVAL_INVALID`.
    pub keyval_invalid: c_int,
    /// `MPI_ERRORS_RETURN`; `None` if the library lacks it.
    pub errors_return: Option<Handle>,
    /// `MPI_ERRORS_ARE_FATAL` and `MPI_ERRORS_ABORT`, with which errors end the program; `None` if the library lacks one.
    pub fatal_handlers: [Option<Handle>; 2],
    /// `MPI_INFO_ENV`, where its handle is unlike those of other info objects.
    pub info_env: Option<Handle>,
    /// The relation of Fortran's handles to those of C.
    pub fortran: FortranHandles,
    predefined_types: PredefinedTypes,
    /// Properties that the standard does not require.
    pub quirks: Quirks,
    /// `MPI_ERR_COUNT`, 2 in all flavors.
    pub err_count: c_int,
    /// `MPI_ERR_OTHER`.
    pub err_other: c_int,
}

impl Abi {
    /// `MPI_SUCCESS`, 0 in all flavors.
    pub const SUCCESS: c_int = 0;

    /// Returns the code of an error.
    pub fn code(&self, error: Error) -> c_int {
        self.codes[error as usize]
    }

    /// Returns the error for a code of the library.
    pub fn error(&self, code: c_int) -> Error {
        let at = self.codes.iter().position(|known| *known == code);
        at.map_or(Error::Invalid, |at| Error::ALL[at])
    }

    /// Returns true if the library has constants for this kind of object and for these datatypes, so that an
    /// entry with them can be described.
    pub fn describes(&self, bind: Bind, mut datatypes: impl Iterator<Item = Datatype>) -> bool {
        (bind != Bind::Session || self.binds_sessions)
            && datatypes.all(|datatype| self.datatype(datatype) != 0)
    }

    /// Returns the handle of a datatype.
    pub fn datatype(&self, datatype: Datatype) -> Handle {
        self.datatypes[datatype as usize]
    }

    /// Returns the null handle of a kind of object; 0 if the kind has none.
    pub fn null(&self, kind: Bind) -> Handle {
        self.nulls[kind as usize]
    }

    /// Returns true for the null handle of a kind of object, and for 0, which Fortran's conversions return for unknown handles.
    pub fn is_null(&self, kind: Bind, handle: Handle) -> bool {
        handle == 0 || handle == self.null(kind)
    }

    /// Returns the width of a handle variable, in bytes.
    #[inline]
    pub fn handle_width(&self) -> usize {
        if self.narrow_handles { 4 } else { size_of::<Handle>() }
    }

    /// Returns the width of a handle variable of a kind of object, in bytes. Files are pointers in all flavors.
    pub(crate) fn width_of(&self, kind: Bind) -> usize {
        if kind == Bind::File { size_of::<Handle>() } else { self.handle_width() }
    }

    /// Returns the datatype of a handle, among the datatypes that variables may have.
    pub fn to_datatype(&self, handle: Handle) -> Option<Datatype> {
        let at = self.datatypes.iter().position(|known| *known == handle);
        at.map(|at| Datatype::ALL[at])
    }

    /// Returns true for a predefined datatype. `address_of` finds an object of the library by its symbol.
    pub(crate) fn is_predefined(
        &self,
        datatype: Handle,
        address_of: impl Fn(&str) -> Option<Handle>,
    ) -> bool {
        match &self.predefined_types {
            PredefinedTypes::Tagged(tag) => datatype >> 24 == *tag,
            PredefinedTypes::Below(end) => datatype < *end,
            PredefinedTypes::Objects(addresses) => {
                let find = || symbols::open_mpi_types().filter_map(|name| address_of(&name)).collect();
                addresses.get_or_init(find).contains(&datatype)
            }
        }
    }

    /// Clears the undefined upper half of a narrow handle that was passed in a register or a stack slot.
    #[inline]
    pub fn clean(&self, handle: Handle) -> Handle {
        if self.narrow_handles { handle & 0xffff_ffff } else { handle }
    }

    /// Reads a handle variable of the program.
    ///
    /// # Safety
    ///
    /// `at` is valid for a read of a handle of this flavor.
    pub unsafe fn load_handle(&self, at: *const c_void) -> Handle {
        if self.narrow_handles {
            // SAFETY: the caller passes the address of a handle of this flavor, which is 4 bytes wide.
            unsafe { at.cast::<u32>().read_unaligned() as usize }
        } else {
            // SAFETY: the caller passes the address of a handle of this flavor, which is as wide as a pointer.
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
            // SAFETY: the caller passes the address of a handle of this flavor, which is as wide as a pointer.
            unsafe { at.cast::<usize>().write_unaligned(handle) };
        }
    }
}

/// Defines the conversions between a vocabulary and the library's numbers.
macro_rules! numbers {
    ($($to_number:ident, $from_number:ident: $vocabulary:ident in $numbers:ident, $what:literal;)+) => {
        impl Abi {
            $(
                #[doc = concat!("Returns the number of a ", $what, ".")]
                pub fn $to_number(&self, constant: $vocabulary) -> c_int {
                    self.$numbers[constant as usize]
                }

                #[doc = concat!("Returns the ", $what, " for a number.")]
                pub fn $from_number(&self, number: c_int) -> Option<$vocabulary> {
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
    fn error_codes_are_positive() {
        for abi in all() {
            for error in Error::ALL {
                assert!(abi.code(error) > 0);
                assert_eq!(abi.error(abi.code(error)), error);
            }
        }
    }

    /// Proves R54, R55.
    #[test]
    fn verbosities_and_safety_levels_ascend() {
        for abi in all() {
            assert!(abi.verbosities.is_sorted_by(|low, high| low < high), "{}", abi.name);
            assert!(abi.safeties.is_sorted_by(|low, high| low < high), "{}", abi.name);
        }
    }

    /// Proves C30.
    #[test]
    fn entries_need_constants_of_the_library() {
        let none = || std::iter::empty::<Datatype>();
        assert!(standard().describes(Bind::Session, none()) && !mpich(0).describes(Bind::Session, none()));
        for abi in all() {
            assert!(abi.describes(Bind::Info, Datatype::ALL.iter().copied()), "{}", abi.name);
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

    /// Proves R52, R56.
    #[test]
    fn constants_are_distinct_within_a_family() {
        for abi in all() {
            let families: [&[c_int]; 6] =
                [&abi.codes, &abi.binds, &abi.scopes, &abi.classes, &abi.thread_levels, &abi.source_orders];
            for family in families {
                for (at, number) in family.iter().enumerate() {
                    assert!(!family[..at].contains(number), "{}: {number} twice", abi.name);
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
