//! A line of the table of calls, as data.

use crate::arguments::Kind;
use crate::calls::Interest;
use crate::watch::{MeasuredCall, Role};

/// The time of recording, see `interpose`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types, reason = "the words of the table")]
pub(crate) enum Time {
    after,
    around,
    in_advance,
    timed,
    always,
    initializing,
    creating,
    freeing,
    opening,
    before,
    finalizing,
    variadic,
}

/// The lengths of the arrays of a call with large counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrayLengths {
    /// The call has no arrays.
    None,
    /// A block for each process at the root, and none elsewhere.
    AtRoot,
    /// A block for each process; with `MPI_IN_PLACE`, the arrays of blocks to send are not significant.
    OfAll,
    /// A block for each process of the local group.
    OfOwn,
    /// A block for each neighbor.
    OfNeighbors,
}

/// The time for which a library may read the arrays of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrayLifetime {
    /// Valid until the call returns.
    Blocking,
    /// Valid until the operation is complete, which is not observed.
    Nonblocking,
    /// Valid until the request is freed, which may never happen.
    Persistent,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    pub(crate) kind: Kind,
    pub(crate) role: Role,
}

pub(crate) const MAX_ARGUMENTS: usize = 14;

/// The maximum length of a name without its prefix and ending.
const MAX_NAME: usize = 31;

/// A line of the table. Without pointers, which the dynamic linker would have to write in every program.
#[derive(Debug)]
pub(crate) struct Line {
    name: [u8; MAX_NAME],
    name_len: u8,
    pub(crate) time: Time,
    pub(crate) interest: Interest,
    arguments: [Argument; MAX_ARGUMENTS],
    arguments_len: u8,
    pub(crate) array_lengths: ArrayLengths,
    pub(crate) array_lifetime: ArrayLifetime,
    /// `None` for a call that is neither described nor measured.
    pub(crate) call: Option<MeasuredCall>,
}

impl Line {
    /// Describes a line by the call's name, its symbol in C, and its arguments.
    pub(crate) const fn new(
        name: &str,
        symbol: &str,
        (time, interest): (Time, Interest),
        given: &[(&str, Kind)],
        (array_lengths, array_lifetime): (ArrayLengths, ArrayLifetime),
    ) -> Self {
        let mut letters = [0; MAX_NAME];
        let mut at = 0;
        while at < name.len() {
            letters[at] = name.as_bytes()[at];
            at += 1;
        }
        let mut arguments = [Argument { kind: Kind::Pointer, role: Role::None }; MAX_ARGUMENTS];
        at = 0;
        while at < given.len() {
            let (name, kind) = given[at];
            arguments[at] = Argument { kind, role: Role::of(name, kind) };
            at += 1;
        }
        let is_variadic = matches!(time, Time::variadic);
        Self {
            name: letters,
            name_len: name.len() as u8,
            time,
            interest,
            arguments,
            arguments_len: given.len() as u8,
            array_lengths,
            array_lifetime,
            call: if is_variadic { None } else { MeasuredCall::of_symbol(symbol) },
        }
    }

    pub(crate) fn name(&self) -> &str {
        str::from_utf8(&self.name[..usize::from(self.name_len)]).unwrap_or_default()
    }

    pub(crate) fn arguments(&self) -> &[Argument] {
        &self.arguments[..usize::from(self.arguments_len)]
    }
}
