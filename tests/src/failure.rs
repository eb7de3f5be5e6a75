//! The error type of tests: a text for the reader of the log.

use std::fmt;

/// The reason why a test failed. `Debug` prints the plain text, because the test harness uses it.
pub struct Failure(String);

/// The result of a test, or of a step of it.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// Creates a failure with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Fails with `text` unless `good` is true.
    pub fn unless(good: bool, text: impl FnOnce() -> String) -> Outcome {
        if good { Ok(()) } else { Err(Self(text())) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", self.0)
    }
}

/// Adds the failed action to an error.
pub trait Context<T> {
    /// Turns the error into a [`Failure`] with `doing`, a colon, and the text of the error if there is one.
    fn context(self, doing: impl fmt::Display) -> Outcome<T>;
}

impl<T, E: fmt::Display> Context<T> for Result<T, E> {
    fn context(self, doing: impl fmt::Display) -> Outcome<T> {
        self.map_err(|error| Failure(format!("{doing}: {error}")))
    }
}

impl<T> Context<T> for Option<T> {
    fn context(self, doing: impl fmt::Display) -> Outcome<T> {
        self.ok_or_else(|| Failure(doing.to_string()))
    }
}
