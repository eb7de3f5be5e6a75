//! The identities of communicators and windows.
//!
//! The lower part of an identity is the number of the object in the order of creation, the upper part its slot, or 0 where the
//! slot equals the number.

const NUMBER_BITS: u32 = 40;

/// The number of slots that an identity can have room for.
const SLOTS: u32 = 1 << (u64::BITS - NUMBER_BITS);

/// Returns the slot for the statistics of a communicator or window. The slots of objects without statistics are reused, so
/// the number of slots is bounded by the number of objects that exist at one time.
#[inline]
#[must_use]
pub fn slot(object: u64) -> u32 {
    match object >> NUMBER_BITS {
        0 => object as u32,
        slot => slot as u32,
    }
}

/// Returns the number of a communicator or window in the order of creation.
#[must_use]
pub fn number(object: u64) -> u64 {
    object & ((1 << NUMBER_BITS) - 1)
}

fn identity(number: u64, reused: Option<u32>) -> u64 {
    reused.map_or(0, u64::from) << NUMBER_BITS | number
}

pub(crate) fn is_reusable(slot: u32) -> bool {
    slot < SLOTS
}

/// The identities of one kind of objects.
pub(crate) struct Identities {
    /// The number of the newest object.
    pub(crate) newest: u64,
    /// Slots that can be used again.
    free: Vec<u32>,
}

impl Identities {
    pub(crate) const fn new() -> Self {
        Self { newest: 0, free: Vec::new() }
    }

    /// Returns the identity of the next object, in a slot that is reused if there is one.
    pub(crate) fn take(&mut self) -> u64 {
        self.newest += 1;
        identity(self.newest, self.free.pop())
    }

    /// Lets the next object have the slot of one that is not needed any more.
    pub(crate) fn release(&mut self, object: u64) {
        if is_reusable(slot(object)) {
            self.free.push(slot(object));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{identity, is_reusable, number, slot};

    #[test]
    fn slots_are_numbers_until_they_are_reused() {
        let (first, second) = (identity(7, None), identity(8, Some(3)));
        assert_eq!((slot(first), number(first)), (7, 7));
        assert_eq!((slot(second), number(second)), (3, 8));
        assert!(is_reusable(slot(identity(9, Some(0x00ff_ffff)))) && !is_reusable(1 << 24));
    }
}
