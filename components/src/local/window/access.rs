//! Accesses to the memory of a window.

use std::any::type_name;
use std::sync::atomic::Ordering::Relaxed;

use super::target::{Action, Request};
use super::{Number, Op, Window};
use crate::calls::Area;
use crate::local::request::{Request as Pending, State};
use crate::local::timed::timed;
use crate::local::{Data, Error, PROC_NULL, Result, Status};
use crate::osc::{self, Access, Kind};

/// All accesses fail when the process does not have the place, or is known to be gone; one that goes while an
/// access is under way that is not waited for is found out by the next synchronization. To [`PROC_NULL`] nothing is
/// done.
impl<T: Number> Window<T> {
    /// Overwrites elements of a process, from a place on.
    ///
    /// # Errors
    ///
    /// The process must have the place. Fails when it is gone.
    pub fn put(&self, values: &[T], rank: usize, displacement: usize) -> Result<()> {
        timed(Area::OneSided, || self.send(Kind::Put, Action::Put, values, rank, displacement))
    }

    /// As [`put`](Self::put); the values are copied at once, so the request is complete.
    ///
    /// # Errors
    ///
    /// As of [`put`](Self::put).
    pub fn rput(&self, values: &[T], rank: usize, displacement: usize) -> Result<Pending<'static>> {
        self.put(values, rank, displacement)?;
        Ok(Pending::send(State::Over(Status::EMPTY)))
    }

    /// Reads elements of a process, from a place on, as many as the buffer holds.
    ///
    /// # Errors
    ///
    /// The process must have the place. Fails when it is gone.
    pub fn get(&self, buffer: &mut [T], rank: usize, displacement: usize) -> Result<()> {
        timed(Area::OneSided, || self.start_get(buffer, rank, displacement)?.finish().map(drop))
    }

    /// Begins a [`get`](Self::get).
    ///
    /// # Errors
    ///
    /// The process must have the place. Fails when it is gone, then or when the request is waited for.
    pub fn rget<'a>(&self, buffer: &'a mut [T], rank: usize, displacement: usize) -> Result<Pending<'a>> {
        timed(Area::OneSided, || {
            self.unfinished(rank);
            self.start_get(buffer, rank, displacement)
        })
    }

    /// Combines elements of a process with values.
    ///
    /// # Errors
    ///
    /// The process must have the place, and the type the operation. Fails when the process is gone.
    pub fn accumulate(&self, values: &[T], rank: usize, displacement: usize, op: Op) -> Result<()> {
        check_op::<T>(op)?;
        timed(Area::OneSided, || {
            self.send(Kind::Accumulate, Action::Accumulate(op), values, rank, displacement)
        })
    }

    /// As [`accumulate`](Self::accumulate); the values are copied at once, so the request is complete.
    ///
    /// # Errors
    ///
    /// As of [`accumulate`](Self::accumulate).
    pub fn raccumulate(
        &self,
        values: &[T],
        rank: usize,
        displacement: usize,
        op: Op,
    ) -> Result<Pending<'static>> {
        self.accumulate(values, rank, displacement, op)?;
        Ok(Pending::send(State::Over(Status::EMPTY)))
    }

    /// Combines elements of a process with values; the buffer, as long as the values, gets what was there before.
    ///
    /// # Errors
    ///
    /// As of [`accumulate`](Self::accumulate); the buffer must be as long as the values.
    pub fn get_accumulate(
        &self,
        values: &[T],
        buffer: &mut [T],
        rank: usize,
        displacement: usize,
        op: Op,
    ) -> Result<()> {
        check_op::<T>(op)?;
        timed(Area::OneSided, || {
            self.start_get_accumulate(values, buffer, rank, displacement, op)?.finish().map(drop)
        })
    }

    /// Begins a [`get_accumulate`](Self::get_accumulate).
    ///
    /// # Errors
    ///
    /// As of [`get_accumulate`](Self::get_accumulate).
    pub fn rget_accumulate<'a>(
        &self,
        values: &[T],
        buffer: &'a mut [T],
        rank: usize,
        displacement: usize,
        op: Op,
    ) -> Result<Pending<'a>> {
        check_op::<T>(op)?;
        timed(Area::OneSided, || {
            self.unfinished(rank);
            self.start_get_accumulate(values, buffer, rank, displacement, op)
        })
    }

    /// Combines one element of a process with a value; returns what was there before.
    ///
    /// # Errors
    ///
    /// As of [`accumulate`](Self::accumulate).
    pub fn fetch_and_op(&self, value: T, rank: usize, displacement: usize, op: Op) -> Result<T> {
        check_op::<T>(op)?;
        self.fetch(Kind::FetchAndOp, Action::GetAccumulate(op), &[value], rank, displacement)
    }

    /// Replaces one element of a process by a new value if it is what is expected, bit by bit; returns what was there
    /// before.
    ///
    /// # Errors
    ///
    /// The process must have the place. Fails when it is gone.
    pub fn compare_and_swap(&self, new: T, expected: T, rank: usize, displacement: usize) -> Result<T> {
        self.fetch(Kind::CompareAndSwap, Action::CompareAndSwap, &[expected, new], rank, displacement)
    }

    fn fetch(&self, kind: Kind, action: Action, values: &[T], rank: usize, displacement: usize) -> Result<T> {
        let mut before = [T::zeroed()];
        timed(Area::OneSided, || {
            let state = self.ask(kind, action, values.bytes(), 1, rank, displacement)?;
            Pending::receive(state, before.bytes_mut()).finish()
        })?;
        Ok(before[0])
    }

    fn start_get<'a>(&self, buffer: &'a mut [T], rank: usize, displacement: usize) -> Result<Pending<'a>> {
        let state = self.ask(Kind::Get, Action::Get, &[], buffer.len(), rank, displacement)?;
        Ok(Pending::receive(state, buffer.bytes_mut()))
    }

    fn start_get_accumulate<'a>(
        &self,
        values: &[T],
        buffer: &'a mut [T],
        rank: usize,
        displacement: usize,
        op: Op,
    ) -> Result<Pending<'a>> {
        let (given, needed) = (values.len(), buffer.len());
        if given != needed {
            return Err(Error::Sum { given, needed });
        }
        let action = Action::GetAccumulate(op);
        let state = self.ask(Kind::GetAccumulate, action, values.bytes(), given, rank, displacement)?;
        Ok(Pending::receive(state, buffer.bytes_mut()))
    }

    /// An access that nothing comes back from.
    fn send(&self, kind: Kind, action: Action, values: &[T], rank: usize, displacement: usize) -> Result<()> {
        let Some(peer) = self.place(values.len(), rank, displacement)? else { return Ok(()) };
        self.unfinished(rank);
        self.access(peer, action, 0, values.bytes(), values.len(), displacement)?;
        self.report(kind, peer, rank, size_of_val(values), 0);
        Ok(())
    }

    /// An access that elements come back from.
    fn ask(
        &self,
        kind: Kind,
        action: Action,
        data: &[u8],
        count: usize,
        rank: usize,
        displacement: usize,
    ) -> Result<State> {
        let Some(peer) = self.place(count, rank, displacement)? else {
            return Ok(State::Over(Status::PROC_NULL));
        };
        let bytes = count * size_of::<T>();
        let state =
            self.expect(peer, |ticket| self.access(peer, action, ticket, data, count, displacement))?;
        let sent = if kind == Kind::Get { 0 } else { bytes };
        self.report(kind, peer, rank, sent, bytes);
        Ok(state)
    }

    /// Something is started there that the call does not wait for: the next synchronization does.
    fn unfinished(&self, rank: usize) {
        if let Some(pending) = self.pending.get(rank) {
            pending.store(true, Relaxed);
        }
    }

    /// The process that has a place, if it is there.
    pub(super) fn place(&self, count: usize, rank: usize, displacement: usize) -> Result<Option<u32>> {
        if rank == PROC_NULL {
            return Ok(None);
        }
        let peer = self.comm.peer(rank)?;
        let length = self.lengths[rank];
        match displacement.checked_add(count) {
            Some(end) if end <= length => Ok(Some(peer)),
            _ => Err(Error::OutsideOfWindow { displacement, count, length }),
        }
    }

    pub(super) fn access(
        &self,
        peer: u32,
        action: Action,
        ticket: u64,
        data: &[u8],
        count: usize,
        displacement: usize,
    ) -> Result<()> {
        let (displacement, bytes) = (displacement as u64, (count * size_of::<T>()) as u64);
        let request = Request { window: self.comm.context, action, ticket, displacement, bytes };
        self.comm.process.access(peer, request, data)
    }

    /// Asks a process for something that it answers.
    pub(super) fn expect(&self, peer: u32, ask: impl FnOnce(u64) -> Result<()>) -> Result<State> {
        let ticket = self.comm.engine().expect_word_of(peer);
        let state = State::begun(ticket, &self.comm);
        ask(ticket)?;
        Ok(state)
    }

    fn report(&self, kind: Kind, target: u32, rank: usize, sent: usize, received: usize) {
        osc::accessed(&Access {
            window: self.id,
            rank: rank as u32,
            target,
            kind,
            sent: sent as u64,
            received: received as u64,
        });
    }
}

fn check_op<T: Number>(op: Op) -> Result<()> {
    match T::zeroed().combined(T::zeroed(), op) {
        Some(_) => Ok(()),
        None => Err(Error::NoBits(type_name::<T>())),
    }
}
