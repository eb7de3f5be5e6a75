//! The kinds of rows. A row counts the traffic between the process of the file and another one.

use std::fmt;

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

    /// Returns a description of the lines of the section and of its heading, for messages.
    pub(crate) const fn lines(self) -> &'static str {
        match self {
            Self::PointToPoint => "lines E and I under the heading # POINT TO POINT",
            Self::OneSided => "lines S and R under the heading # OSC",
            Self::Collectives => "lines C, D, O2A, A2O and A2A under the heading # COLLECTIVES",
        }
    }
}

/// A description of all lines, for messages.
pub(crate) const ANY_LINE: &str = "a line that begins with E, I, S, R, C, D, O2A, A2O, A2A or #, and a tab";

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $letter:literal, $name:literal, $section:ident;)*) => {
        /// A kind of rows, by the letter of its lines.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        /// The letter, name and section of each kind.
        const PROPERTIES: &[(char, &str, Section)] = &[$(($letter, $name, Section::$section),)*];

        impl Kind {
            /// All kinds, in the order of the files.
            pub const ALL: [Self; PROPERTIES.len()] = [$(Self::$kind,)*];
        }
    };
}

kinds! {
    /// `E`: messages of the program.
    External: 'E', "messages", PointToPoint;
    /// `I`: internal messages of the library.
    Internal: 'I', "messages of the library's own", PointToPoint;
    /// `S`: data sent by one-sided operations.
    Sent: 'S', "one-sided, sent", OneSided;
    /// `R`: data fetched by one-sided operations.
    Received: 'R', "one-sided, fetched", OneSided;
    /// `C`: data exchanged by collective operations, as if each pair of ranks communicated directly.
    Collective: 'C', "collective", Collectives;
}

const BY_LETTER: [Option<Kind>; 256] = {
    let mut by_letter = [None; 256];
    let mut at = 0;
    while at < Kind::ALL.len() {
        by_letter[PROPERTIES[at].0 as usize] = Some(Kind::ALL[at]);
        at += 1;
    }
    by_letter
};

impl Kind {
    #[inline]
    pub(crate) fn of_word(word: &[u8]) -> Option<Self> {
        match word {
            [letter] => BY_LETTER[usize::from(*letter)],
            _ => None,
        }
    }

    /// Returns the letter at the beginning of lines.
    #[must_use]
    pub const fn letter(self) -> char {
        PROPERTIES[self as usize].0
    }

    /// Returns the name of the kind in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        PROPERTIES[self as usize].1
    }

    /// Returns the section that has the lines.
    #[must_use]
    pub const fn section(self) -> Section {
        PROPERTIES[self as usize].2
    }

    /// Returns the ranks of sender and receiver, for a row of process `me` about `peer`.
    #[inline]
    #[must_use]
    pub(crate) fn direction(self, me: u32, peer: u32) -> (u32, u32) {
        // Fetched data was sent by the other process.
        if self == Self::Received { (peer, me) } else { (me, peer) }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::{ANY_LINE, Kind, Section};

    #[test]
    fn letters_differ_and_sections_are_in_order() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of_word(&[kind.letter() as u8]), Some(kind));
            let letter = format!(" {}", kind.letter());
            assert!(kind.section().lines().contains(&letter) && ANY_LINE.contains(&letter), "{kind}");
        }
        for section in Section::ALL {
            assert!(section.lines().ends_with(section.heading()));
        }
        assert!(Kind::ALL.is_sorted_by_key(|kind| kind.section()) && Section::ALL.is_sorted());
        for word in [&b""[..], b"D", b"EE", b"O2A", b"e"] {
            assert_eq!(Kind::of_word(word), None);
        }
    }
}
