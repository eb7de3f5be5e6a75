//! Number and bytes of operations.

/// The number of operations and the bytes they transferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrafficSum {
    /// The number of operations.
    pub count: u64,
    /// The sum of bytes.
    pub bytes: u64,
}

impl TrafficSum {
    /// Returns the sum of one operation.
    #[must_use]
    pub const fn one(bytes: u64) -> Self {
        Self { count: 1, bytes }
    }

    /// Returns true if there are no operations.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.count == 0 && self.bytes == 0
    }

    /// Returns this sum, or the earlier one while the count is the same: bytes that were added since belong to an operation
    /// whose count is still to be added.
    #[must_use]
    pub const fn without_in_flight(self, earlier: Self) -> Self {
        if self.count == earlier.count { earlier } else { self }
    }

    /// Returns the sum of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { count: self.count.wrapping_add(other.count), bytes: self.bytes.wrapping_add(other.bytes) }
    }

    /// Returns the difference to an earlier sum.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self { count: self.count.wrapping_sub(earlier.count), bytes: self.bytes.wrapping_sub(earlier.bytes) }
    }

    /// Returns this sum multiplied by a factor.
    #[must_use]
    pub const fn times(self, factor: u64) -> Self {
        Self { count: self.count.wrapping_mul(factor), bytes: self.bytes.wrapping_mul(factor) }
    }
}
