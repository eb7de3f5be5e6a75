//! The encoding of the texts of several processes, to be sent to another process of the job.

use mpit_format::container::Text;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bundle {
    pub(super) texts: Vec<Text>,
    pub(super) missing: Vec<(u32, String)>,
}

/// The record has a text; otherwise it has only the reason for its absence.
const TEXT: u32 = 1;
const MISSING: u32 = 2;

impl Bundle {
    /// Encodes the bundle as records of kind, rank, two lengths, and the bytes of these lengths.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let size: usize = self.texts.iter().map(|text| 24 + text.host.len() + text.text.len()).sum();
        let mut bytes = Vec::with_capacity(size);
        for Text { rank, host, text } in &self.texts {
            record(&mut bytes, TEXT, *rank, host.as_bytes(), text);
        }
        for (rank, reason) in &self.missing {
            record(&mut bytes, MISSING, *rank, reason.as_bytes(), b"");
        }
        bytes
    }

    /// Adds the bundle that another process sent. Returns `None`, and adds nothing, if the bytes are not a bundle.
    pub(super) fn add(&mut self, mut bytes: &[u8], allowed: std::ops::Range<u32>) -> Option<()> {
        let mut other = Self::default();
        while !bytes.is_empty() {
            let kind = u32::from_le_bytes(take(&mut bytes, 4)?.try_into().ok()?);
            let rank = u32::from_le_bytes(take(&mut bytes, 4)?.try_into().ok()?);
            let short = u64::from_le_bytes(take(&mut bytes, 8)?.try_into().ok()?);
            let long = u64::from_le_bytes(take(&mut bytes, 8)?.try_into().ok()?);
            let words = String::from_utf8_lossy(take(&mut bytes, short)?).into_owned();
            let text = take(&mut bytes, long)?.to_vec();
            if !allowed.contains(&rank) {
                return None;
            }
            match kind {
                TEXT => other.texts.push(Text { rank, host: words, text }),
                MISSING => other.missing.push((rank, words)),
                _ => return None,
            }
        }
        self.texts.append(&mut other.texts);
        self.missing.append(&mut other.missing);
        Some(())
    }
}

fn record(bytes: &mut Vec<u8>, kind: u32, rank: u32, words: &[u8], text: &[u8]) {
    bytes.extend(kind.to_le_bytes());
    bytes.extend(rank.to_le_bytes());
    bytes.extend((words.len() as u64).to_le_bytes());
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(words);
    bytes.extend(text);
}

fn take<'a>(bytes: &mut &'a [u8], len: u64) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(usize::try_from(len).ok()?)?;
    *bytes = rest;
    Some(taken)
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
        read.add(&bundle().to_bytes(), 4..8).unwrap();
        assert_eq!(read, bundle());
    }

    #[test]
    fn truncated_bundles_add_nothing() {
        let bytes = bundle().to_bytes();
        for end in (1..bytes.len()).filter(|end| ![45, 69].contains(end)) {
            let mut read = Bundle::default();
            if read.add(&bytes[..end], 4..8).is_some() {
                // A truncation between two records.
                assert!(read.texts.len() + read.missing.len() < 3);
            } else {
                assert_eq!(read, Bundle::default());
            }
        }
        assert!(Bundle::default().add(&bytes, 5..8).is_none());
        assert!(Bundle::default().add(&[3; 24], 0..8).is_none());
    }
}
