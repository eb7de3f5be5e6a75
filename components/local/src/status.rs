//! Statuses of messages, and special values of ranks and tags.

/// The source of a receive that accepts messages from any rank.
pub const ANY_SOURCE: usize = usize::MAX;

/// The tag of a receive that accepts any tag.
pub const ANY_TAG: i32 = -1;

/// The status of a message that was received or found by a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The rank that sent it.
    pub source: usize,
    /// Its tag.
    pub tag: i32,
    /// Its length in bytes.
    pub bytes: usize,
}
