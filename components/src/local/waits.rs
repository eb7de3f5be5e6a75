//! Waiting for several requests, or asking about them.

use super::request::Request;
use super::timed::timed;
use super::{Result, Status};
use crate::calls::Area;

impl Request<'_> {
    /// Waits for all requests; inactive ones count as complete. The statuses are in the order of the requests.
    ///
    /// # Errors
    ///
    /// The first error of any request. All of them are inactive then, too.
    pub fn wait_all(requests: &mut [Self]) -> Result<Vec<Status>> {
        timed(Area::Waiting, || {
            settle(requests, Some(none_pending));
            complete_all(requests)
        })
    }

    /// Waits until one of the requests ended, and says which; `None` if none is active.
    ///
    /// # Errors
    ///
    /// As of [`wait`](Self::wait).
    pub fn wait_any(requests: &mut [Self]) -> Result<Option<(usize, Status)>> {
        timed(Area::Waiting, || {
            settle(requests, Some(any_ended));
            complete_first(requests)
        })
    }

    /// Waits until at least one of the requests ended, and says which did; none if none is active.
    ///
    /// # Errors
    ///
    /// The first error of a request that ended. All that ended are inactive then, too.
    pub fn wait_some(requests: &mut [Self]) -> Result<Vec<(usize, Status)>> {
        timed(Area::Waiting, || {
            settle(requests, Some(any_ended));
            complete_ended(requests)
        })
    }

    /// Asks whether all requests ended; if so, as [`wait_all`](Self::wait_all), else none is touched.
    ///
    /// # Errors
    ///
    /// As of [`wait_all`](Self::wait_all).
    pub fn test_all(requests: &mut [Self]) -> Result<Option<Vec<Status>>> {
        timed(Area::Waiting, || {
            settle(requests, None);
            if none_pending(requests) { complete_all(requests).map(Some) } else { Ok(None) }
        })
    }

    /// Asks whether one of the requests ended, and which: `None` if none did or none is active.
    ///
    /// # Errors
    ///
    /// As of [`wait`](Self::wait).
    pub fn test_any(requests: &mut [Self]) -> Result<Option<(usize, Status)>> {
        timed(Area::Waiting, || {
            settle(requests, None);
            complete_first(requests)
        })
    }

    /// Asks which of the requests ended.
    ///
    /// # Errors
    ///
    /// As of [`wait_some`](Self::wait_some).
    pub fn test_some(requests: &mut [Self]) -> Result<Vec<(usize, Status)>> {
        timed(Area::Waiting, || {
            settle(requests, None);
            complete_ended(requests)
        })
    }
}

/// Fetches what ended, all under one lock; waits until it is enough, if that is asked for.
fn settle(requests: &mut [Request<'_>], enough: Option<fn(&[Request<'_>]) -> bool>) {
    // There is one engine in a process, whatever the communicators.
    let Some(comm) = requests.iter().find_map(Request::pending) else { return };
    comm.engine().wait(|engine| {
        for request in &mut *requests {
            request.settle(engine);
        }
        enough.is_none_or(|enough| enough(requests)).then_some(())
    });
}

fn any_ended(requests: &[Request<'_>]) -> bool {
    requests.iter().any(|request| request.is_active() && !request.is_pending())
}

fn none_pending(requests: &[Request<'_>]) -> bool {
    !requests.iter().any(Request::is_pending)
}

fn complete_all(requests: &mut [Request<'_>]) -> Result<Vec<Status>> {
    let ended: Vec<_> = requests.iter_mut().map(Request::complete).collect();
    ended.into_iter().map(|ended| Ok(ended?.unwrap_or(Status::EMPTY))).collect()
}

fn complete_first(requests: &mut [Request<'_>]) -> Result<Option<(usize, Status)>> {
    let mut ended = requests.iter_mut().enumerate().map(|(at, request)| (at, request.complete()));
    let first = ended.find(|(_, ended)| !matches!(ended, Ok(None)));
    match first {
        Some((at, ended)) => Ok(ended?.map(|status| (at, status))),
        None => Ok(None),
    }
}

fn complete_ended(requests: &mut [Request<'_>]) -> Result<Vec<(usize, Status)>> {
    let ended: Vec<_> = requests.iter_mut().map(Request::complete).enumerate().collect();
    ended
        .into_iter()
        .filter_map(|(at, ended)| Some((at, ended.transpose()?)))
        .map(|(at, ended)| Ok((at, ended?)))
        .collect()
}
