//! Descriptions of the text that was expected where a line is not understood.

use std::fmt;

use crate::profile::PATTERNS;
use crate::rows::{Kind, Section};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Text(&'static str),
    AnyLine,
    Under(Section),
}

impl From<&'static str> for Expected {
    #[inline]
    fn from(text: &'static str) -> Self {
        Self::Text(text)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::AnyLine => {
                let words = Section::ALL.into_iter().flat_map(words).collect::<Vec<_>>().join(", ");
                write!(f, "a line that begins with {words} or #, and a tab")
            }
            Self::Under(section) => {
                let words = words(*section);
                let (last, others) = words.split_last().ok_or(fmt::Error)?;
                let others = others.join(", ");
                write!(f, "lines {others} and {last} under the heading {}", section.heading())
            }
        }
    }
}

fn words(section: Section) -> Vec<String> {
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.section() == section);
    let mut words: Vec<_> = kinds.map(|kind| kind.letter().to_string()).collect();
    if section == Section::Collectives {
        words.push("D".into());
        words.extend(PATTERNS.map(Into::into));
    }
    words
}
