//! Descriptions of the text that was expected where a line is not understood.

use std::borrow::Cow;

use crate::profile::PATTERNS;
use crate::rows::{Kind, Section};

pub(super) type Expected = Cow<'static, str>;

pub(super) fn any_line() -> Expected {
    let words = Section::ALL.into_iter().flat_map(words).collect::<Vec<_>>().join(", ");
    format!("a line that begins with {words} or #, and a tab").into()
}

pub(super) fn line_under(section: Section) -> Expected {
    let mut words = words(section);
    let last = words.pop().unwrap_or_default();
    format!("lines {} and {last} under the heading {}", words.join(", "), section.heading()).into()
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
