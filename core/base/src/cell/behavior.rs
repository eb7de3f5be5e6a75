//! The properties of a variable that decide on the calls that its handles admit.

/// The way in which the handles of a variable account for its value.
///
/// Tools never reset or write the cell: the value of a handle is computed from the cell's value and the state of the handle, so
/// handles are independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[doc(hidden)]
pub enum Behavior {
    /// A handle shows what the cell gained while the handle was started.
    Sum,
    /// A handle shows the cell's present value, or the one at its last stop.
    Current,
    /// A handle shows the highest level since its first start or last reset.
    Highest,
    /// A handle shows the lowest level since its first start or last reset.
    Lowest,
    /// The variable keeps the state of each handle itself: see [`Custom`](super::Custom).
    Custom,
}

/// The flags of a performance variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
#[doc(hidden)]
pub struct PvarFlags(u8);

impl PvarFlags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// Can only be read: no write, no reset.
    pub const READONLY: Self = Self(1);
    /// Always running; cannot be started or stopped.
    pub const CONTINUOUS: Self = Self(2);
    /// Can be read and reset in one atomic step.
    pub const ATOMIC: Self = Self(4);

    /// Returns the union of two sets of flags.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the flags without those of `other`.
    #[must_use]
    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns true if all of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}
