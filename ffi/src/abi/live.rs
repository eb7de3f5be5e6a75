//! Handles of objects that exist, by kind.

use std::fmt::Debug;
use std::marker::PhantomData;

use mpit::object::Bind;

use super::{Abi, Handle};

/// The kinds of objects that a [`LiveHandle`] may belong to.
pub mod kind {
    use super::{Bind, Kind, sealed};

    macro_rules! kinds {
        ($($(#[$doc:meta])* $kind:ident;)+) => {$(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub enum $kind {}

            impl sealed::Sealed for $kind {}

            impl Kind for $kind {
                const BIND: Bind = Bind::$kind;
            }
        )+};
    }

    kinds! {
        /// Communicators.
        Comm;
        /// Datatypes.
        Datatype;
        /// Sessions.
        Session;
        /// Windows.
        Win;
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A kind of object of the MPI library. Sealed: [`kind`] contains them all.
pub trait Kind: sealed::Sealed + Copy + Debug + 'static {
    /// The kind in the vocabulary of MPI_T.
    const BIND: Bind;
}

/// The handle of an object of kind `K` that exists for `'a`.
///
/// It is never null. MPI is initialized for `'a`, in the world or by a session, so functions of the library accept the handle
/// wherever they expect this kind of object.
#[derive(Clone, Copy, Debug)]
pub struct LiveHandle<'a, K: Kind> {
    handle: Handle,
    object: PhantomData<&'a K>,
}

/// The handle of a communicator that exists for `'a`.
pub type LiveComm<'a> = LiveHandle<'a, kind::Comm>;

/// The handle of a datatype that exists for `'a`.
pub type LiveDatatype<'a> = LiveHandle<'a, kind::Datatype>;

/// The handle of a session that exists for `'a`.
pub type LiveSession<'a> = LiveHandle<'a, kind::Session>;

/// The handle of a window that exists for `'a`.
pub type LiveWin<'a> = LiveHandle<'a, kind::Win>;

impl<K: Kind> LiveHandle<'_, K> {
    /// Marks a handle.
    ///
    /// # Safety
    ///
    /// For the lifetime of the result, MPI is initialized, and the handle is that of an object of this kind, not null.
    #[inline]
    pub const unsafe fn new(handle: Handle) -> Self {
        Self { handle, object: PhantomData }
    }

    /// Marks a handle that may be null, or have an undefined upper half. Returns `None` for 0 and the null handle.
    ///
    /// # Safety
    ///
    /// Unless the handle is 0 or null, the conditions of [`new`](Self::new) hold for it.
    #[cold]
    #[inline(never)]
    pub unsafe fn from_nullable(abi: &Abi, handle: Handle) -> Option<Self> {
        let handle = abi.clean(handle);
        if abi.is_null(K::BIND, handle) {
            return None;
        }
        // SAFETY: the handle is not null (checked), so the conditions hold (condition of this function).
        Some(unsafe { Self::new(handle) })
    }

    /// Returns the handle.
    #[inline]
    pub const fn get(self) -> Handle {
        self.handle
    }
}

#[cfg(test)]
mod tests {
    use mpit::object::Bind;

    use super::super::{mpich, open_mpi, standard};
    use super::{LiveComm, LiveDatatype};

    #[test]
    fn null_handles_are_not_live() {
        for abi in [standard(), mpich(0), open_mpi(|_| Some(0x1000))] {
            let undefined_half = if abi.narrow_handles { 0xdead << 32 } else { 0 };
            for handle in [0, abi.null(Bind::Comm), abi.null(Bind::Comm) | undefined_half] {
                // SAFETY: the handle is 0 or null.
                assert!(unsafe { LiveComm::from_nullable(&abi, handle) }.is_none(), "{}", abi.name);
            }
            // SAFETY: the handle is null.
            let datatype = unsafe { LiveDatatype::from_nullable(&abi, abi.null(Bind::Datatype)) };
            assert!(datatype.is_none(), "{}", abi.name);
        }
    }
}
