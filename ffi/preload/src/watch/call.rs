//! The calls that are described.

use mpit_components::live;
use mpit_components::live::calls::{CALLS, Class};

/// A call that is described.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(super) index: u32,
    pub(super) class: Class,
    /// True for collective operations on a communicator, which are counted.
    pub(super) is_collective: bool,
    /// True for collective operations that a process may leave, or begin without a wait, before others enter them.
    pub(super) is_left_early: bool,
}

impl Call {
    /// Returns the call of a symbol of C or Fortran, if it is described.
    pub(crate) const fn of_symbol(symbol: &str) -> Option<Self> {
        let Some(index) = live::calls::index_of_symbol(symbol) else { return None };
        let class = CALLS[index as usize].class;
        let name = CALLS[index as usize].name.as_bytes();
        let is_collective = match class {
            Class::Collective | Class::Rooted | Class::Creation | Class::StartCollective => true,
            // Those that create persistent requests: all of this class with such names.
            Class::StartOther if ends_with(name, b"_init") => true,
            _ => is_one_of(index, &COLLECTIVE),
        };
        let is_left_early = match class {
            Class::Rooted | Class::StartCollective => true,
            Class::Collective => matches!(name, b"Scan" | b"Exscan" | [b'N', b'e', b'i', b'g', b'h', ..]),
            _ => false,
        };
        if class.is_described() { Some(Self { index, class, is_collective, is_left_early }) } else { None }
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

    pub(super) const fn is_initialization(self) -> bool {
        is_one_of(self.index, &["Init", "Init_thread"])
    }

    /// Returns true for the call of this name.
    pub(super) const fn is(self, name: &str) -> bool {
        is_one_of(self.index, &[name])
    }
}

/// Collective operations on a communicator among the calls of other classes.
const COLLECTIVE: [&str; 5] =
    ["Comm_spawn", "Comm_spawn_multiple", "Comm_accept", "Comm_connect", "Comm_idup_with_info"];

/// Returns true if a call has one of these names.
pub(super) const fn is_one_of(index: u32, names: &[&str]) -> bool {
    let name = CALLS[index as usize].name.as_bytes();
    let mut at = 0;
    while at < names.len() {
        if is_equal(name, names[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && ends_with(one, other)
}

pub(super) const fn ends_with(name: &[u8], end: &[u8]) -> bool {
    let mut at = 0;
    while at < end.len() {
        if name.len() < end.len() || name[name.len() - end.len() + at] != end[at] {
            return false;
        }
        at += 1;
    }
    true
}
