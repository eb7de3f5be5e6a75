//! The messages to one process, with a histogram of their sizes.

/// The number of bins. Bin 0 is for empty messages, bin k + 1 for 2^k up to 2^(k+1) - 1 bytes. The last bin stays empty:
/// tools expect 66.
pub const BINS: usize = 66;

/// Returns the bin of a size in bytes.
#[inline]
#[must_use]
pub const fn bin(bytes: u64) -> usize {
    (u64::BITS - bytes.leading_zeros()) as usize
}

/// Messages to one process, of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeerSnapshot {
    /// The number of messages.
    pub count: u64,
    /// The sum of bytes of all messages.
    pub bytes: u64,
    /// The bins of the histogram that are not 0, in ascending order.
    sizes: Vec<(u8, u64)>,
}

impl PeerSnapshot {
    /// Creates a snapshot from bins that are not 0, in ascending order, and from bytes, which are read after the bins.
    #[must_use]
    pub fn new(bins: impl Iterator<Item = (usize, u64)>, bytes: impl FnOnce() -> u64) -> Self {
        let sizes: Vec<_> = bins.map(|(bin, count)| (bin as u8, count)).collect();
        let count = sizes.iter().fold(0, |all: u64, (_, count)| all.wrapping_add(*count));
        Self { count, bytes: bytes(), sizes }
    }

    /// Returns true if there are no messages and no bytes.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.count == 0 && self.bytes == 0
    }

    /// Returns this snapshot, or the earlier one while the count is the same, like
    /// [`TrafficSum::without_in_flight`](crate::TrafficSum::without_in_flight).
    #[must_use]
    pub fn without_in_flight(self, earlier: &Self) -> Self {
        if self.count == earlier.count { earlier.clone() } else { self }
    }

    /// Adds the histogram to `bins`. The counts saturate, because those of a damaged store can have any value.
    pub fn add_sizes_to(&self, bins: &mut [u64; BINS]) {
        for (bin, count) in &self.sizes {
            if let Some(sum) = bins.get_mut(usize::from(*bin)) {
                *sum = sum.saturating_add(*count);
            }
        }
    }

    /// Returns the difference to an earlier snapshot.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let before =
            |bin| earlier.sizes.iter().find(|(earlier, _)| *earlier == bin).map_or(0, |(_, count)| *count);
        Self {
            count: self.count - earlier.count,
            bytes: self.bytes.wrapping_sub(earlier.bytes),
            sizes: self
                .sizes
                .iter()
                .map(|(bin, count)| (*bin, count - before(*bin)))
                .filter(|(_, count)| *count != 0)
                .collect(),
        }
    }
}

/// The messages sent to one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The rank in the world.
    pub to: u32,
    /// The user's messages.
    pub external: PeerSnapshot,
    /// The library's internal messages.
    pub internal: PeerSnapshot,
}

#[cfg(test)]
mod tests {
    use super::{BINS, bin};

    fn reference(bytes: u64) -> usize {
        if bytes == 0 {
            return 0;
        }
        (0..64).rev().find(|k| bytes >= 1 << k).unwrap() + 1
    }

    #[test]
    fn bins_are_exact_at_every_power_of_two() {
        for k in 0..64 {
            let power = 1_u64 << k;
            for bytes in [power - 1, power, power + 1] {
                assert_eq!(bin(bytes), reference(bytes), "{bytes} bytes");
            }
            assert_eq!(bin(power), k + 1);
        }
        assert_eq!(bin(u64::MAX), 64);
        assert!(bin(u64::MAX) < BINS);
    }
}
