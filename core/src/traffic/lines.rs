//! Lines that a component adds to the output of monitoring.

use std::fmt::Display;

/// Lines that a component adds to the output of monitoring; in a `.prof` file each is `# COMPONENT`, the component and the
/// text, separated by tabs.
#[derive(Clone, Debug, Default)]
pub struct Lines(Vec<String>);

impl Lines {
    /// Returns an empty list, for a host that asks components for theirs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a line. Control characters, line breaks among them, become spaces.
    pub fn add(&mut self, text: impl Display) {
        self.0.push(text.to_string().replace(char::is_control, " "));
    }

    /// Returns the lines, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}
