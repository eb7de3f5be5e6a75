//! The elements of an event, and compile-time checks of the fields that they stand for.

use crate::cell::{Value, fits};
use crate::vocabulary::Datatype;

/// The largest payload of an event, in bytes.
#[doc(hidden)]
pub const LARGEST_EVENT: usize = 256;

/// One element of an event's payload.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Element {
    datatype: Datatype,
    displacement: u32,
}

impl Element {
    /// Creates an element with its offset in the payload.
    pub const fn new(datatype: Datatype, displacement: usize) -> Self {
        Self { datatype, displacement: displacement as u32 }
    }

    /// Returns the datatype.
    pub const fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Returns the offset from the start of the payload, in bytes.
    pub const fn displacement(&self) -> usize {
        self.displacement as usize
    }

    /// Returns the offset of the first byte after the element.
    pub const fn end(&self) -> usize {
        self.displacement() + self.datatype.size()
    }
}

/// A type that a field may have.
#[diagnostic::on_unimplemented(
    message = "an element of an event cannot be `{Self}`",
    label = "no MPI_T datatype stands for this type",
    note = "use i32, u32, i64, u64, f64 or `c_char`"
)]
pub trait ElementValue: Value {}
#[diagnostic::do_not_recommend]
impl<T: Value> ElementValue for T {}

/// Returns the datatype that tools see for a field without an explicit one.
pub const fn datatype<T: ElementValue>() -> Datatype {
    T::DATATYPE
}

/// Returns true if a field can be published as the datatype.
pub const fn represented_as<T: ElementValue>(datatype: Datatype) -> bool {
    fits::<T>(datatype)
}

/// Returns true if the first element is at offset 0 and no element overlaps its predecessor.
pub const fn ascend(elements: &[Element]) -> bool {
    let (mut at, mut end) = (0, 0);
    while at < elements.len() {
        let start = elements[at].displacement();
        if start < end || at == 0 && start != 0 {
            return false;
        }
        end = elements[at].end();
        at += 1;
    }
    true
}

/// Returns true if the elements fit into an event instance.
pub const fn fit(elements: &[Element]) -> bool {
    match elements.last() {
        Some(last) => last.end() <= LARGEST_EVENT,
        None => true,
    }
}
