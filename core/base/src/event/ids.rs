//! The identifiers of registrations and instances, and the limits in them.

/// The identifier of a registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
#[doc(hidden)]
pub struct RegistrationId(u64);

const KIND: u64 = 0x52;
const GENERATION_BITS: u32 = 24;
pub(super) const LAST_GENERATION: u64 = (1 << GENERATION_BITS) - 1;

impl RegistrationId {
    /// Returns the registration with a number. An invalid number is refused when it is used.
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number that tools use as a handle.
    pub const fn number(self) -> u64 {
        self.0
    }

    pub(super) fn new(number: u32, generation: u64) -> Self {
        Self((KIND << 56) | (generation << 32) | u64::from(number))
    }

    /// Returns slot and generation, or `None` for a number that no registration has.
    pub(crate) fn parts(self) -> Option<(u32, u64)> {
        if self.0 >> 56 == KIND { Some((self.0 as u32, self.0 >> 32 & LAST_GENERATION)) } else { None }
    }
}

/// The identifier of an instance, valid only while the callback runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct InstanceId(pub u64);

/// The largest number of instances at once, over all threads and nested raises. Further events are counted as dropped. In a model
/// (`core/models`) there are few, so that they run out.
pub(super) const POOL: usize = if cfg!(mpit_models) { 3 } else { 384 };
