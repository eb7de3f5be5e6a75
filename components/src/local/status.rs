//! What a completed operation says of its message, and the values with a meaning of their own.

/// In place of a source: a message from any rank of the communicator.
pub const ANY_SOURCE: usize = usize::MAX;

/// In place of a rank: nobody. What is sent there vanishes, what is received from there is empty.
pub const PROC_NULL: usize = usize::MAX - 1;

/// In place of a tag: a message with any tag.
pub const ANY_TAG: i32 = -1;

/// What is known of a message that was received or found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The rank that sent it.
    pub source: usize,
    /// Its tag.
    pub tag: i32,
    /// Its length in bytes.
    pub bytes: usize,
}

impl Status {
    /// The status of requests that have no message to tell of: sends, accesses to windows, collective operations, and
    /// those that are inactive.
    pub const EMPTY: Self = Self { source: ANY_SOURCE, tag: ANY_TAG, bytes: 0 };

    /// The status of a receive from [`PROC_NULL`].
    pub const PROC_NULL: Self = Self { source: PROC_NULL, tag: ANY_TAG, bytes: 0 };

    /// The number of values of type `T` in the message; `None` if it does not hold a whole number of them.
    #[must_use]
    pub fn count<T>(&self) -> Option<usize> {
        match size_of::<T>() {
            0 => (self.bytes == 0).then_some(0),
            size => self.bytes.is_multiple_of(size).then_some(self.bytes / size),
        }
    }
}
