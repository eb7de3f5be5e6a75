//! The calls that are counted and measured, and the properties that follow from their names.

use mpit_components::live::calls::{CALLS, Class, index_of_symbol};

/// Added to the stack position of a call whose function in the library is known to make calls of MPI by their names in C.
pub(super) const CALLS_OTHERS: u64 = 1;

/// A call that is counted and measured.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "properties that do not depend on each other")]
pub(crate) struct Call {
    pub(super) index: u32,
    pub(super) class: Class,
    pub(super) may_wait: bool,
    /// True if it counts to its communicator.
    pub(super) has_comm: bool,
    pub(super) kind: Kind,
    pub(super) is_fortran: bool,
    /// [`CALLS_OTHERS`] or 0.
    pub(super) position_flag: u64,
    /// True if the bytes of the arguments count.
    pub(super) gives_bytes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Initialization,
    Finalization,
    Usual,
}

impl Call {
    /// Returns the call of a symbol of C.
    pub(crate) const fn of_symbol(symbol: &str) -> Option<Self> {
        const INIT: Option<u32> = index_of_symbol("MPI_Init");
        const INIT_THREAD: Option<u32> = index_of_symbol("MPI_Init_thread");
        const FINALIZE: Option<u32> = index_of_symbol("MPI_Finalize");
        // The communicator that they free has no words any more when they end.
        const FREE: Option<u32> = index_of_symbol("MPI_Comm_free");
        const DISCONNECT: Option<u32> = index_of_symbol("MPI_Comm_disconnect");
        let Some(index) = index_of_symbol(symbol) else { return None };
        let call = &CALLS[index as usize];
        let kind = if is(index, INIT) || is(index, INIT_THREAD) {
            Kind::Initialization
        } else if is(index, FINALIZE) {
            Kind::Finalization
        } else {
            Kind::Usual
        };
        let has_comm = !is(index, FREE) && !is(index, DISCONNECT);
        // Libraries implement files by messages and collective operations.
        let is_of_files = matches!(call.name.as_bytes(), [b'F', b'i', b'l', b'e', b'_', ..]);
        let position_flag = if is_of_files { CALLS_OTHERS } else { 0 };
        let may_wait = call.may_wait();
        let (class, gives_bytes) = (call.class, gives_bytes(call.name, call.class));
        Some(Self { index, class, may_wait, has_comm, kind, is_fortran: false, position_flag, gives_bytes })
    }

    /// Returns the call in another language.
    pub(crate) const fn in_language(mut self, is_fortran: bool) -> Self {
        self.is_fortran = is_fortran;
        if is_fortran {
            self.position_flag = CALLS_OTHERS;
        }
        self
    }

    /// Returns true for a collective operation whose entry times are sampled.
    pub(super) const fn is_sampled_operation(self) -> bool {
        matches!(self.class, Class::Collective | Class::Rooted)
    }
}

/// Returns true if the bytes of the arguments are those of the call: it sends, writes or shares them.
const fn gives_bytes(name: &str, class: Class) -> bool {
    matches!(
        class,
        Class::Send
            | Class::Exchange
            | Class::Collective
            | Class::Rooted
            | Class::StartMessage
            | Class::StartCollective
            | Class::StartOther
            | Class::Access
            | Class::File
    ) && !is_receive(name)
}

/// Returns true for a call that receives or reads, and for one whose arguments are significant at the root only.
const fn is_receive(name: &str) -> bool {
    matches!(
        name.as_bytes(),
        b"Irecv"
            | b"Imrecv"
            | b"Recv_init"
            | b"Precv_init"
            | b"Get"
            | b"Rget"
            | b"Scatter"
            | b"Scatterv"
            | b"Iscatter"
            | b"Iscatterv"
            | b"Scatter_init"
            | b"Scatterv_init"
            | [b'F', b'i', b'l', b'e', b'_', b'r', ..]
            | [b'F', b'i', b'l', b'e', b'_', b'i', b'r', ..]
    )
}

const fn is(index: u32, other: Option<u32>) -> bool {
    matches!(other, Some(other) if other == index)
}
