//! The calls that are described, counted and measured, and the properties that follow from their names.

use mpit_components::live::calls::{CALLS, Class, index_of_symbol};

/// Added to the stack position of a call whose function in the library is known to make calls of MPI by their names in C.
pub(crate) const CALLS_OTHERS: u64 = 1;

/// A call that is counted and measured, and described unless its class is `Local`.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "properties that do not depend on each other")]
pub(crate) struct MeasuredCall {
    pub(crate) index: u32,
    pub(crate) class: Class,
    /// True for collective operations on a communicator, which are counted.
    pub(super) is_collective: bool,
    /// True for collective operations that a process may leave, or begin without a wait, before others enter them.
    pub(super) is_left_early: bool,
    pub(super) lock_change: Option<LockChange>,
    pub(super) buffer_use: Option<BufferUse>,
    pub(crate) is_initialization: bool,
    pub(crate) is_finalization: bool,
    pub(crate) may_wait: bool,
    /// True if it counts to its communicator. One that is freed has no words any more when the call ends.
    pub(crate) has_comm: bool,
    /// True if the bytes of the arguments are those of the call: it sends, writes or shares them.
    pub(crate) gives_bytes: bool,
    pub(crate) is_fortran: bool,
    /// [`CALLS_OTHERS`] or 0.
    pub(crate) position_flag: u64,
}

/// The effect of a call on the locks of a window.
#[derive(Clone, Copy, Debug)]
pub(super) enum LockChange {
    Lock,
    Unlock,
    LockAll,
    UnlockAll,
    Flush,
    FlushAll,
}

/// The use of a buffer of the program for messages.
#[derive(Clone, Copy, Debug)]
pub(super) enum BufferUse {
    Send,
    /// A request whose message may be sent at any time.
    PersistentSend,
    /// A wait for all messages in the buffer.
    Empty,
}

impl MeasuredCall {
    /// Returns the call of a symbol of C.
    pub(crate) const fn of_symbol(symbol: &str) -> Option<Self> {
        let Some(index) = index_of_symbol(symbol) else { return None };
        let call = &CALLS[index as usize];
        let (class, name) = (call.class, call.name.as_bytes());
        let is_collective = match class {
            Class::Collective | Class::Rooted | Class::Creation | Class::StartCollective => true,
            // Those that create persistent requests: all of this class with such names.
            Class::StartOther => {
                matches!(name, [.., b'_', b'i', b'n', b'i', b't'] | b"Comm_idup_with_info")
            }
            _ => matches!(name, b"Comm_spawn" | b"Comm_spawn_multiple" | b"Comm_accept" | b"Comm_connect"),
        };
        let is_left_early = match class {
            Class::Rooted | Class::StartCollective => true,
            Class::Collective => matches!(name, b"Scan" | b"Exscan" | [b'N', b'e', b'i', b'g', b'h', ..]),
            _ => false,
        };
        let lock_change = match name {
            b"Win_lock" => Some(LockChange::Lock),
            b"Win_unlock" => Some(LockChange::Unlock),
            b"Win_lock_all" => Some(LockChange::LockAll),
            b"Win_unlock_all" => Some(LockChange::UnlockAll),
            b"Win_flush" | b"Win_flush_local" => Some(LockChange::Flush),
            b"Win_flush_all" | b"Win_flush_local_all" => Some(LockChange::FlushAll),
            _ => None,
        };
        let buffer_use = match name {
            b"Bsend" | b"Ibsend" => Some(BufferUse::Send),
            b"Bsend_init" => Some(BufferUse::PersistentSend),
            b"Buffer_detach" | b"Buffer_flush" => Some(BufferUse::Empty),
            _ => None,
        };
        // Libraries implement files by messages and collective operations.
        let calls_others = matches!(name, [b'F', b'i', b'l', b'e', b'_', ..]);
        Some(Self {
            index,
            class,
            is_collective,
            is_left_early,
            lock_change,
            buffer_use,
            is_initialization: matches!(name, b"Init" | b"Init_thread"),
            is_finalization: matches!(name, b"Finalize"),
            may_wait: call.may_wait(),
            has_comm: !matches!(name, b"Comm_free" | b"Comm_disconnect"),
            gives_bytes: may_give_bytes(class) && !is_receive(name),
            is_fortran: false,
            position_flag: if calls_others { CALLS_OTHERS } else { 0 },
        })
    }

    /// Returns the call in another language.
    pub(crate) const fn in_language(mut self, is_fortran: bool) -> Self {
        self.is_fortran = is_fortran;
        if is_fortran {
            self.position_flag = CALLS_OTHERS;
        }
        self
    }

    /// Returns true for a call that returns a request and does not wait.
    pub(super) const fn is_start(self) -> bool {
        matches!(
            self.class,
            Class::StartMessage
                | Class::StartCollective
                | Class::StartOther
                | Class::StartPersistent
                | Class::Partition
        )
    }

    /// Returns true for a collective operation whose entry times are sampled.
    pub(crate) const fn is_sampled_operation(self) -> bool {
        matches!(self.class, Class::Collective | Class::Rooted)
    }

    pub(super) const fn name(self) -> &'static str {
        CALLS[self.index as usize].name
    }
}

const fn may_give_bytes(class: Class) -> bool {
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
    )
}

/// Returns true for a call that receives or reads, and for one whose arguments are significant at the root only.
const fn is_receive(name: &[u8]) -> bool {
    matches!(
        name,
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
