//! Accesses to memory of other processes.

use mpit_components::osc::{self, Access, Kind};
use mpit_ffi::abi::Abi;
use mpit_ffi::host::Host;
use mpit_ffi::{datatypes, windows};

use crate::arguments::{Count, Int, Language, NewWin, Type, Win};

fn bytes<L: Language>(abi: &Abi, (count, datatype): (Count<L>, Type<L>)) -> u64 {
    count.get().max(0).cast_unsigned().wrapping_mul(size(abi, datatype))
}

fn size<L: Language>(abi: &Abi, datatype: Type<L>) -> u64 {
    datatypes::size(abi, abi.clean(datatype.get()))
}

fn accessed<L: Language>(kind: Kind, rank: Int<L>, win: Win<L>, amounts: impl FnOnce(&Abi) -> (u64, u64)) {
    let Some(abi) = Host::get().map(Host::abi) else { return };
    let rank = rank.get();
    if rank == abi.proc_null {
        return;
    }
    let Some(window) = windows::in_use(abi.clean(win.get())) else { return };
    let rank = rank.cast_unsigned();
    let (sent, received) = amounts(abi);
    osc::accessed(&Access {
        window: window.id(),
        rank,
        target: window.world_rank(rank),
        kind,
        sent,
        received,
    });
}

/// A window was made.
pub(crate) fn made<L: Language>(win: NewWin<L>) {
    // Meeting it is all.
    let _ = windows::in_use(win.get());
}

/// A put or an accumulate: the origin's elements go to the target.
pub(crate) fn sent<L: Language>(kind: Kind, origin: (Count<L>, Type<L>), rank: Int<L>, win: Win<L>) {
    accessed(kind, rank, win, |abi| (bytes(abi, origin), 0));
}

/// A get: the origin's elements come from the target.
pub(crate) fn got<L: Language>(kind: Kind, origin: (Count<L>, Type<L>), rank: Int<L>, win: Win<L>) {
    accessed(kind, rank, win, |abi| (0, bytes(abi, origin)));
}

/// Elements go to the target, others come back.
pub(crate) fn exchanged<L: Language>(
    kind: Kind,
    origin: (Count<L>, Type<L>),
    result: (Count<L>, Type<L>),
    rank: Int<L>,
    win: Win<L>,
) {
    accessed(kind, rank, win, |abi| (bytes(abi, origin), bytes(abi, result)));
}

/// The same of one element.
pub(crate) fn exchanged_one<L: Language>(kind: Kind, datatype: Type<L>, rank: Int<L>, win: Win<L>) {
    accessed(kind, rank, win, |abi| (size(abi, datatype), size(abi, datatype)));
}
