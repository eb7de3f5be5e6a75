//! What goes over a connection between two ranks: a header of fixed size and, for messages, the data.

use std::io::{self, Read};

/// Where a message belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Envelope {
    /// The communicator.
    pub(super) context: u32,
    /// The rank of the sender in the communicator.
    pub(super) source: u32,
    /// User tags are 0 or more, those of the host itself are negative.
    pub(super) tag: i32,
}

/// A header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// A message of so many bytes follows. The sender of a synchronous one waits for its receipt.
    Message { envelope: Envelope, receipt: Option<u64>, bytes: u64 },
    /// The synchronous message with this receipt has met its receive.
    Matched { receipt: u64 },
    /// Nothing more will come.
    Goodbye,
}

const MESSAGE: u64 = 1;
const MATCHED: u64 = 2;
const GOODBYE: u64 = 3;

impl Frame {
    pub(super) fn encode(self) -> [u64; 4] {
        match self {
            Self::Message { envelope: Envelope { context, source, tag }, receipt, bytes } => [
                MESSAGE << 32 | u64::from(context),
                u64::from(source) << 32 | u64::from(tag.cast_unsigned()),
                receipt.unwrap_or(0),
                bytes,
            ],
            Self::Matched { receipt } => [MATCHED << 32, 0, receipt, 0],
            Self::Goodbye => [GOODBYE << 32, 0, 0, 0],
        }
    }

    fn decode([kind_context, source_tag, receipt, bytes]: [u64; 4]) -> Option<Self> {
        match kind_context >> 32 {
            MESSAGE => Some(Self::Message {
                envelope: Envelope {
                    context: kind_context as u32,
                    source: (source_tag >> 32) as u32,
                    tag: source_tag as i32,
                },
                receipt: (receipt != 0).then_some(receipt),
                bytes,
            }),
            MATCHED => Some(Self::Matched { receipt }),
            GOODBYE => Some(Self::Goodbye),
            _ => None,
        }
    }

    pub(super) fn read(stream: &mut impl Read) -> io::Result<Self> {
        let mut words = [0; 4];
        stream.read_exact(bytemuck::bytes_of_mut(&mut words))?;
        Self::decode(words).ok_or(io::ErrorKind::InvalidData.into())
    }
}

#[cfg(test)]
mod tests {
    use super::{Envelope, Frame};

    #[test]
    fn frames_survive_the_wire() {
        let envelope = Envelope { context: u32::MAX, source: 70_000, tag: -16 };
        for frame in [
            Frame::Message { envelope, receipt: None, bytes: 0 },
            Frame::Message { envelope, receipt: Some(9), bytes: 1 << 40 },
            Frame::Matched { receipt: u64::MAX },
            Frame::Goodbye,
        ] {
            let words = frame.encode();
            assert_eq!(Frame::read(&mut bytemuck::bytes_of(&words)).unwrap(), frame);
        }
        assert!(Frame::read(&mut [0; 32].as_slice()).is_err());
        assert!(Frame::read(&mut [0; 31].as_slice()).is_err());
    }
}
