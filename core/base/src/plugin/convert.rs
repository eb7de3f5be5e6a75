//! Conversion of traffic into the C structs that other images receive.

use std::ffi::c_void;
use std::ptr::{from_ref, null};

use crate::abi::{Access, Message, Operation};
use crate::component::{coll, osc, pml};
use crate::panic::catch_panic;

impl From<&pml::Send> for Message {
    #[inline]
    fn from(send: &pml::Send) -> Self {
        let pml::Send { comm, dest, to, bytes, tag, mode } = *send;
        Self { comm: comm.get(), bytes, dest, to, tag, mode: mode as u32 }
    }
}

impl From<&osc::Access> for Access {
    #[inline]
    fn from(access: &osc::Access) -> Self {
        let osc::Access { window, rank, target, kind, sent, received } = *access;
        Self { window: window.get(), sent, received, rank, target, kind: kind as u32 }
    }
}

/// `MPIT_ROOT_NONE`, `MPIT_ROOT_HERE` and `MPIT_ROOT_AT`.
const ROOT_NONE: u32 = 0;
const ROOT_HERE: u32 = 1;
const ROOT_AT: u32 = 2;

/// The function in [`coll::Volume::By`].
type ByteCounts<'a> = &'a dyn Fn(u32) -> u64;

impl Operation {
    /// Passes an operation as a C struct to a function. The struct borrows the function in [`coll::Volume::By`], so it is valid
    /// only during the call.
    #[inline]
    pub(super) fn show<R>(operation: &coll::Operation<'_>, to: impl FnOnce(&Self) -> R) -> R {
        let coll::Operation { comm, kind, rank, size, root, volume, in_place } = operation;
        let (root_is, root) = match *root {
            coll::Root::None => (ROOT_NONE, 0),
            coll::Root::Here => (ROOT_HERE, 0),
            coll::Root::At(root) => (ROOT_AT, root),
        };
        let mut shown = Self {
            comm: comm.get(),
            kind: *kind as u32,
            rank: *rank,
            root_is,
            root,
            in_place: u32::from(*in_place),
            size: *size,
            bytes: 0,
            with: None,
            volumes: null(),
        };
        match volume {
            coll::Volume::Each(bytes) => shown.bytes = *bytes,
            coll::Volume::By(volumes) => {
                shown.with = Some(with);
                shown.volumes = from_ref::<ByteCounts<'_>>(volumes).cast();
            }
        }
        to(&shown)
    }
}

/// Returns the bytes for a rank: `with` of a `struct mpit_operation` made of [`coll::Volume::By`].
unsafe extern "C" fn with(volumes: *const c_void, rank: u32) -> u64 {
    // SAFETY: `show` stored a pointer to a `ByteCounts` that is borrowed until it returns, and the struct is valid only until then.
    let volumes = unsafe { &*volumes.cast::<ByteCounts<'_>>() };
    // A panic is a defect of the host and must not reach the image; the panic hook has reported it.
    catch_panic(|| volumes(rank)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Access, Message, Operation};
    use crate::component::{CommId, WindowId, coll, osc, pml};

    #[test]
    fn messages() {
        for (number, mode) in (0..).zip(pml::Mode::ALL) {
            let comm = CommId::from_number(1 << 40);
            let send = pml::Send { comm, dest: 2, to: 3, bytes: 1 << 41, tag: -4, mode };
            let Message { comm, bytes, dest, to, tag, mode } = Message::from(&send);
            assert_eq!((comm, bytes, dest, to, tag, mode), (1 << 40, 1 << 41, 2, 3, -4, number));
        }
    }

    #[test]
    fn accesses() {
        for (number, kind) in (0..).zip(osc::Kind::ALL) {
            let window = WindowId::from_number(1 << 40);
            let access = osc::Access { window, rank: 1, target: 2, kind, sent: 3, received: 4 };
            let Access { window, sent, received, rank, target, kind } = Access::from(&access);
            assert_eq!((window, sent, received, rank, target, kind), (1 << 40, 3, 4, 1, 2, number));
        }
    }

    fn operation(volume: coll::Volume<'_>) -> coll::Operation<'_> {
        let (comm, kind) = (CommId::from_number(9), coll::Kind::Alltoallv);
        coll::Operation { comm, kind, rank: 3, size: 6, root: coll::Root::None, volume, in_place: false }
    }

    /// Returns the bytes for a rank as C code reads them.
    fn received(shown: &Operation, rank: u32) -> u64 {
        match shown.with {
            // SAFETY: `show` stored `with` and `volumes` together, and still runs.
            Some(with) => unsafe { with(shown.volumes, rank) },
            None => shown.bytes,
        }
    }

    #[test]
    fn operations() {
        for (number, kind) in (0..).zip(coll::Kind::ALL) {
            let of_kind = coll::Operation { kind, ..operation(coll::Volume::Each(1 << 50)) };
            Operation::show(&of_kind, |shown| {
                assert_eq!(
                    (shown.comm, shown.kind, shown.rank, shown.size, shown.in_place),
                    (9, number, 3, 6, 0)
                );
                assert_eq!((received(shown, 0), shown.volumes.is_null()), (1 << 50, true));
            });
        }
        for (root, expected) in
            [(coll::Root::None, (0, 0)), (coll::Root::Here, (1, 0)), (coll::Root::At(5), (2, 5))]
        {
            let of_root = coll::Operation { root, in_place: true, ..operation(coll::Volume::Each(0)) };
            Operation::show(&of_root, |shown| {
                assert_eq!(((shown.root_is, shown.root), shown.in_place), (expected, 1));
            });
        }
    }

    #[test]
    fn volumes_by_rank() {
        let factor = 1 << 33;
        let volumes = |rank| u64::from(rank) * factor;
        Operation::show(&operation(coll::Volume::By(&volumes)), |shown| {
            assert_eq!([0, 1, 5].map(|rank| received(shown, rank)), [0, factor, 5 * factor]);
        });
    }

    #[test]
    fn a_panic_does_not_cross() {
        let volumes = |rank| if rank == 0 { 8 } else { panic!("on purpose") };
        Operation::show(&operation(coll::Volume::By(&volumes)), |shown| {
            assert_eq!((received(shown, 0), received(shown, 1)), (8, 0));
        });
    }
}
