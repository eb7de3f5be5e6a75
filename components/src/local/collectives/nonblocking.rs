//! Operations that go on while the program does something else: each in a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

use bytemuck::Pod;

use super::{Tag, each};
use crate::coll::{Kind, Volume};
use crate::local::comm::{Comm, Shared};
use crate::local::error::system;
use crate::local::request::{Request, State};
use crate::local::{Data, Error, Result};

impl Comm {
    /// Begins a [`barrier`](Self::barrier).
    ///
    /// # Errors
    ///
    /// The request fails when a process of the communicator is gone.
    pub fn ibarrier(&self) -> Result<Request<'static>> {
        let begun = self.collective(Kind::Barrier, 0, Volume::Each(0), |comm| {
            comm.apart(|comm, tag| comm.meet(tag).map(|()| Vec::new()))
        });
        begun.map(Request::send)
    }

    /// Begins a [`bcast`](Self::bcast). The root's data is copied at once.
    ///
    /// # Errors
    ///
    /// The communicator must have the root. The request fails as the operation does.
    pub fn ibcast<'a, D: Data + ?Sized>(&self, data: &'a mut D, root: usize) -> Result<Request<'a>> {
        self.shared.peer(root)?;
        let mut copy = data.bytes().to_vec();
        let begun = self.collective(Kind::Bcast, root, each(&copy), |comm| {
            comm.apart(move |comm, tag| {
                comm.spread(&mut copy, root, tag)?;
                Ok(copy)
            })
        });
        Ok(Request::receive(begun?, data.bytes_mut()))
    }

    /// Begins an [`allreduce`](Self::allreduce), whose result goes to a buffer of the length of the values. Those are
    /// copied at once.
    ///
    /// # Errors
    ///
    /// The buffer must be as long as the values. The request fails as the operation does, and when the function panics.
    pub fn iallreduce<'a, T: Pod + Send>(
        &self,
        values: &[T],
        buffer: &'a mut [T],
        operation: impl Fn(T, T) -> T + Send + 'static,
    ) -> Result<Request<'a>> {
        super::ragged::check_sum(values, &[buffer.len()])?;
        let copy = values.to_vec();
        let begun = self.collective(Kind::Allreduce, 0, each(values), |comm| {
            comm.apart(move |comm, tag| {
                comm.reduce_to_all(&copy, operation, tag).map(|result| result.bytes().to_vec())
            })
        });
        Ok(Request::receive(begun?, buffer.bytes_mut()))
    }
}

impl Shared {
    /// Does the work in another thread, under a tag of its own: the operations of a communicator begin in the same
    /// order in all processes, but need not end in it.
    fn apart(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>, Tag) -> Result<Vec<u8>> + Send + 'static,
    ) -> Result<State> {
        let tag = Tag::nonblocking(self.nonblocking.fetch_add(1, Relaxed));
        let ticket = self.engine().expect_own();
        let (state, comm) = (State::begun(ticket, self), Arc::clone(self));
        let body = move || {
            // What the program's own function makes of it must not leave the request waiting.
            let done = catch_unwind(AssertUnwindSafe(|| work(&comm, tag)));
            let done = done.unwrap_or(Err(Error::Panicked));
            comm.engine().done(ticket, done);
        };
        thread::Builder::new().name("nonblocking".into()).spawn(body).map_err(system("start a thread"))?;
        Ok(state)
    }
}
