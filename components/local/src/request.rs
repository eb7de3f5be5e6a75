//! Requests of nonblocking sends.

use mpit_components::calls::Area;

use super::timed;

/// A send that was begun. The data is copied when it begins, so waiting returns at once; the frameworks see the wait.
#[derive(Debug)]
#[must_use = "a program waits for each request"]
pub struct Request(());

impl Request {
    pub(crate) fn complete() -> Self {
        Self(())
    }

    /// Waits until the send is complete.
    #[allow(clippy::unused_self, reason = "a request can be waited for once")]
    pub fn wait(self) {
        timed(Area::Waiting, || ());
    }
}
