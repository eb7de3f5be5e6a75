//! What goes over a connection between two ranks: a header of fixed size and, for some, data.

use std::io::{self, Read};

use super::ANY_TAG;
use super::window::{Action, Request};

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

impl Envelope {
    /// Of data that came in another way than as a message, so that there is nothing to tell of it.
    pub(super) const NONE: Self = Self { context: u32::MAX, source: u32::MAX, tag: ANY_TAG };
}

/// A header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// A message of so many bytes follows. The sender of a synchronous one waits for its receipt.
    Message { envelope: Envelope, receipt: Option<u64>, bytes: u64 },
    /// The synchronous message with this receipt has met its receive.
    Matched { receipt: u64 },
    /// Somebody's memory is accessed. Data follows, as the request says.
    Access(Request),
    /// The answer to such a request, of so many bytes that follow; `None` if the window is gone.
    Answer { ticket: u64, bytes: Option<u64> },
    /// Nothing more will come.
    Goodbye,
}

const MESSAGE: u64 = 1;
const MATCHED: u64 = 2;
const GOODBYE: u64 = 3;
const ACCESS: u64 = 4;
const ANSWER: u64 = 5;
const REFUSAL: u64 = 6;

/// A header as it travels.
pub(super) type Words = [u64; 5];

impl Frame {
    pub(super) fn encode(self) -> Words {
        match self {
            Self::Message { envelope: Envelope { context, source, tag }, receipt, bytes } => [
                MESSAGE << 32 | u64::from(context),
                u64::from(source) << 32 | u64::from(tag.cast_unsigned()),
                receipt.unwrap_or(0),
                bytes,
                0,
            ],
            Self::Matched { receipt } => [MATCHED << 32, 0, receipt, 0, 0],
            Self::Access(Request { window, action, ticket, displacement, bytes }) => {
                [ACCESS << 32 | u64::from(window), u64::from(action.number()), ticket, bytes, displacement]
            }
            Self::Answer { ticket, bytes: Some(bytes) } => [ANSWER << 32, 0, ticket, bytes, 0],
            Self::Answer { ticket, bytes: None } => [REFUSAL << 32, 0, ticket, 0, 0],
            Self::Goodbye => [GOODBYE << 32, 0, 0, 0, 0],
        }
    }

    fn decode([kind_context, detail, ticket, bytes, displacement]: Words) -> Option<Self> {
        let context = kind_context as u32;
        match kind_context >> 32 {
            MESSAGE => Some(Self::Message {
                envelope: Envelope { context, source: (detail >> 32) as u32, tag: detail as i32 },
                receipt: (ticket != 0).then_some(ticket),
                bytes,
            }),
            MATCHED => Some(Self::Matched { receipt: ticket }),
            ACCESS => {
                let action = Action::numbered(detail as u32)?;
                Some(Self::Access(Request { window: context, action, ticket, displacement, bytes }))
            }
            ANSWER => Some(Self::Answer { ticket, bytes: Some(bytes) }),
            REFUSAL => Some(Self::Answer { ticket, bytes: None }),
            GOODBYE => Some(Self::Goodbye),
            _ => None,
        }
    }

    pub(super) fn read(stream: &mut impl Read) -> io::Result<Self> {
        let mut words = [0; 5];
        stream.read_exact(bytemuck::bytes_of_mut(&mut words))?;
        Self::decode(words).ok_or(io::ErrorKind::InvalidData.into())
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, Envelope, Frame, Request};

    #[test]
    fn frames_survive_the_wire() {
        let envelope = Envelope { context: u32::MAX, source: 70_000, tag: -16 };
        for frame in [
            Frame::Message { envelope, receipt: None, bytes: 0 },
            Frame::Message { envelope, receipt: Some(9), bytes: 1 << 40 },
            Frame::Matched { receipt: u64::MAX },
            Frame::Access(Request {
                window: 3,
                action: Action::CompareAndSwap,
                ticket: 1 << 50,
                displacement: 1 << 60,
                bytes: 8,
            }),
            Frame::Answer { ticket: 7, bytes: Some(0) },
            Frame::Answer { ticket: 8, bytes: None },
            Frame::Goodbye,
        ] {
            let words = frame.encode();
            assert_eq!(Frame::read(&mut bytemuck::bytes_of(&words)).unwrap(), frame);
        }
        assert!(Frame::read(&mut [0; 40].as_slice()).is_err());
        assert!(Frame::read(&mut [0; 39].as_slice()).is_err());
    }
}
