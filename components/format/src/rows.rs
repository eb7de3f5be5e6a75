//! The kinds of rows. A row counts the traffic between the process of the file and another one.
//!
//! A line of the table is all that writer, parser, store, recorders and reports need of a kind.

use std::fmt;

use crate::block_kinds::BlockKind;

/// A part of the text of a process, under a heading of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Messages.
    PointToPoint,
    /// One-sided accesses.
    OneSided,
    /// Collective operations, and communicators.
    Collectives,
}

impl Section {
    /// All sections, in the order of the files.
    pub const ALL: [Self; 3] = [Self::PointToPoint, Self::OneSided, Self::Collectives];

    /// Returns the line at the beginning of the section.
    #[must_use]
    pub const fn heading(self) -> &'static str {
        match self {
            Self::PointToPoint => "# POINT TO POINT",
            Self::OneSided => "# OSC",
            Self::Collectives => "# COLLECTIVES",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    /// The process of the file.
    Writer,
    /// The other process.
    Peer,
}

/// The columns of a line behind the rank of its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineShape {
    /// The other process, the sum, and a histogram of sizes: one for each pair of processes.
    Sizes,
    /// The other process, and the sum.
    Sum,
    /// The other process, or several whose ranks follow each other, and the sum with each.
    SumOfEach,
}

struct Properties {
    letter: u8,
    name: &'static str,
    section: Section,
    sender: Sender,
    shape: LineShape,
    block: BlockKind,
}

macro_rules! kinds {
    ($($(#[$doc:meta])*
    $kind:ident: $letter:literal, $name:literal, $section:ident, $sender:ident, $shape:ident, $block:ident;)*) => {
        /// A kind of rows, by the letter of its lines.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        const PROPERTIES: &[Properties] = &[$(Properties {
            letter: $letter,
            name: $name,
            section: Section::$section,
            sender: Sender::$sender,
            shape: LineShape::$shape,
            block: BlockKind::$block,
        },)*];

        impl Kind {
            /// All kinds, in the order of the files.
            pub const ALL: [Self; PROPERTIES.len()] = [$(Self::$kind,)*];
        }
    };
}

// A block has the sums of its kinds in this order.
kinds! {
    /// `E`: messages of the program.
    External: b'E', "messages", PointToPoint, Writer, Sizes, Messages;
    /// `I`: internal messages of the library.
    Internal: b'I', "messages of the library's own", PointToPoint, Writer, Sizes, Messages;
    /// `S`: data sent by one-sided operations.
    Sent: b'S', "one-sided, sent", OneSided, Writer, Sum, Accesses;
    /// `R`: data fetched by one-sided operations.
    Received: b'R', "one-sided, fetched", OneSided, Peer, Sum, Accesses;
    /// `C`: data exchanged by collective operations, as if each pair of ranks communicated directly.
    Collective: b'C', "collective", Collectives, Writer, SumOfEach, Exchanged;
}

const BY_LETTER: [Option<Kind>; 256] = {
    let mut by_letter = [None; 256];
    let mut at = 0;
    while at < Kind::ALL.len() {
        by_letter[PROPERTIES[at].letter as usize] = Some(Kind::ALL[at]);
        at += 1;
    }
    by_letter
};

impl Kind {
    const fn properties(self) -> &'static Properties {
        &PROPERTIES[self as usize]
    }

    #[inline]
    pub(crate) fn of_word(word: &[u8]) -> Option<Self> {
        match word {
            [letter] => BY_LETTER[usize::from(*letter)],
            _ => None,
        }
    }

    /// Returns [`letter`](Self::letter) as text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        std::str::from_utf8(std::slice::from_ref(&self.properties().letter)).unwrap_or_default()
    }

    /// Returns the letter at the beginning of lines.
    #[must_use]
    pub const fn letter(self) -> char {
        self.properties().letter as char
    }

    /// Returns the name of the kind in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.properties().name
    }

    /// Returns the section that has the lines.
    #[must_use]
    pub const fn section(self) -> Section {
        self.properties().section
    }

    #[inline]
    pub(crate) const fn shape(self) -> LineShape {
        self.properties().shape
    }

    /// Returns the kind of the blocks in which a store has the sums.
    #[must_use]
    pub const fn block(self) -> BlockKind {
        self.properties().block
    }

    /// Returns the kinds whose sums are in blocks of a kind, in their order there.
    pub fn in_block(block: BlockKind) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |kind| kind.block() == block)
    }

    /// Returns the ranks of sender and receiver, for a row of process `me` about `peer`.
    #[inline]
    #[must_use]
    pub(crate) fn direction(self, me: u32, peer: u32) -> (u32, u32) {
        match self.properties().sender {
            Sender::Writer => (me, peer),
            Sender::Peer => (peer, me),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Section};

    #[test]
    fn letters_differ_and_sections_are_in_order() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of_word(&[kind.letter() as u8]), Some(kind));
        }
        assert!(Kind::ALL.is_sorted_by_key(|kind| kind.section()) && Section::ALL.is_sorted());
        for word in [&b""[..], b"D", b"EE", b"O2A", b"e"] {
            assert_eq!(Kind::of_word(word), None);
        }
    }
}
