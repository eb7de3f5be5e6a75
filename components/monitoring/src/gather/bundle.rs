//! The texts of several processes, as they are sent to another process of the job: in the format of the job's file.

use std::ops::Range;

use mpit_format::container::{self, Item, Text};
use mpit_format::files::read_first_line;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bundle {
    pub(super) texts: Vec<Text>,
    /// Missing ranks with the reasons.
    pub(super) missing: Vec<(u32, String)>,
}

impl Bundle {
    pub(super) fn to_bytes(&self, size: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let written = container::write(&mut bytes, size, None, &self.texts, &self.missing);
        debug_assert!(written.is_ok(), "memory takes everything");
        bytes
    }

    /// Adds the bundle that another process sent. Returns `None`, and adds nothing, if the bytes are not a bundle, or have
    /// other ranks.
    pub(super) fn add(&mut self, mut bytes: &[u8], allowed: Range<u32>) -> Option<()> {
        let (mut other, mut is_sound) = (Self::default(), true);
        let first = read_first_line(&mut bytes).ok()?;
        let read = container::read(&first, &mut bytes, |item| match item {
            Item::Size(_) => {}
            Item::Text { text, .. } => {
                is_sound &= allowed.contains(&text.rank);
                other.texts.push(text);
            }
            Item::Missing { rank, reason } => {
                is_sound &= allowed.contains(&rank);
                other.missing.push((rank, reason));
            }
            Item::Problem { .. } => is_sound = false,
        });
        if read.is_err() || !is_sound {
            return None;
        }
        self.texts.append(&mut other.texts);
        self.missing.append(&mut other.missing);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Bundle, Text};

    fn bundle() -> Bundle {
        Bundle {
            texts: vec![
                Text { rank: 4, host: "node".into(), text: b"# POINT TO POINT\n".to_vec() },
                Text { rank: 5, host: String::new(), text: Vec::new() },
            ],
            missing: vec![(6, "killed".into())],
        }
    }

    #[test]
    fn bundles_are_decoded() {
        let mut read = Bundle::default();
        read.add(&bundle().to_bytes(8), 4..8).unwrap();
        assert_eq!(read, bundle());
    }

    #[test]
    fn truncated_bundles_add_nothing() {
        let bytes = bundle().to_bytes(8);
        let mut read = Bundle::default();
        for end in 0..bytes.len() {
            assert!(read.add(&bytes[..end], 4..8).is_none(), "{end}");
        }
        assert!(read.add(&bytes, 5..8).is_none() && read.add(&bytes, 4..6).is_none());
        assert!(read.add(&[3; 24], 0..8).is_none());
        assert_eq!(read, Bundle::default());
    }
}
