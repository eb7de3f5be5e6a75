//! The table of tested combinations: `cargo xtask test` collects those of all profiles and prints them at its
//! end.

use std::{fmt::Write as _, fs};

use mpit_tests::{Context, Outcome};

use super::build::{self, Kind, Profile};

pub(crate) struct Row {
    profile: &'static str,
    pub(crate) linker: &'static str,
    pub(crate) cells: [&'static str; Kind::NAMES.len()],
    pub(crate) not_tried: Option<String>,
}

impl Row {
    pub(crate) fn new(profile: &'static str, linker: &'static str) -> Self {
        Self { profile, linker, cells: ["-"; Kind::NAMES.len()], not_tried: None }
    }
}

/// Writes the rows of a profile to a file, below a heading.
pub(crate) fn write(profile: Profile, rows: &[Row]) -> Outcome {
    let path = build::target().join(format!("table-{}.txt", profile as u8));
    let mut text = String::new();
    line(&mut text, "", "linker", &Kind::NAMES);
    for row in rows {
        match &row.not_tried {
            Some(reason) => line(&mut text, row.profile, row.linker, &[&format!("NOT TRIED: {reason}")]),
            None => line(&mut text, row.profile, row.linker, &row.cells),
        }
    }
    fs::write(&path, text).context(path.display())
}

fn line(text: &mut String, profile: &str, linker: &str, cells: &[&str]) {
    _ = write!(text, "  {profile:<9} {linker:<12}");
    for cell in cells {
        _ = write!(text, " {cell:<11}");
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
}
