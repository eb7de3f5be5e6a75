//! Lines that a component adds to the output of monitoring.

use std::fmt::Display;

/// A list of lines that a component adds to the output of monitoring. In a `.prof` file, each becomes `# COMPONENT`, the
/// component's name and the text, separated by tabs.
#[derive(Clone, Debug, Default)]
pub struct Lines(Vec<String>);

impl Lines {
    /// Creates an empty list, for the code that collects the lines of components.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a line. Control characters, including line breaks, are replaced by spaces.
    pub fn add(&mut self, text: impl Display) {
        self.0.push(text.to_string().replace(char::is_control, " "));
    }

    /// Returns the lines, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}
