//! The side of a window whose memory is accessed: what the threads that read from the other ranks do with it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::op::{Number, Op};
use crate::local::Data;

/// What a process asks of the owner of a window's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Action {
    Put,
    Get,
    Accumulate(Op),
    GetAccumulate(Op),
    CompareAndSwap,
    Lock(Lock),
    Unlock,
    /// An answer, when all that came before is done.
    Flush,
}

/// How a process holds the lock on the memory of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lock {
    /// Together with others that hold it shared (`MPI_LOCK_SHARED`).
    Shared,
    /// Alone (`MPI_LOCK_EXCLUSIVE`).
    Exclusive,
}

impl Action {
    /// As a number, to travel.
    pub(in super::super) fn number(self) -> u32 {
        let (kind, op) = match self {
            Self::Put => (0, None),
            Self::Get => (1, None),
            Self::Accumulate(op) => (2, Some(op)),
            Self::GetAccumulate(op) => (3, Some(op)),
            Self::CompareAndSwap => (4, None),
            Self::Lock(Lock::Shared) => (5, None),
            Self::Lock(Lock::Exclusive) => (6, None),
            Self::Unlock => (7, None),
            Self::Flush => (8, None),
        };
        kind << 8 | op.map_or(0, |op| op as u32)
    }

    pub(in super::super) fn numbered(number: u32) -> Option<Self> {
        let op = Op::numbered(number as u8);
        match number >> 8 {
            0 => Some(Self::Put),
            1 => Some(Self::Get),
            2 => op.map(Self::Accumulate),
            3 => op.map(Self::GetAccumulate),
            4 => Some(Self::CompareAndSwap),
            5 => Some(Self::Lock(Lock::Shared)),
            6 => Some(Self::Lock(Lock::Exclusive)),
            7 => Some(Self::Unlock),
            8 => Some(Self::Flush),
            _ => None,
        }
    }

    /// Whether what asks for it waits for an answer.
    fn is_answered(self) -> bool {
        !matches!(self, Self::Put | Self::Accumulate(_))
    }
}

/// An action on a window, and where in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Request {
    /// The context of the window.
    pub(in super::super) window: u32,
    pub(in super::super) action: Action,
    /// What the answer is for.
    pub(in super::super) ticket: u64,
    /// In elements.
    pub(in super::super) displacement: u64,
    /// Of the data that is to come back, or that comes along.
    pub(in super::super) bytes: u64,
}

impl Request {
    /// How many bytes come along.
    pub(in super::super) fn payload(&self) -> u64 {
        match self.action {
            Action::Put | Action::Accumulate(_) | Action::GetAccumulate(_) => self.bytes,
            // What is expected, and the new value.
            Action::CompareAndSwap => 2 * self.bytes,
            Action::Get | Action::Lock(_) | Action::Unlock | Action::Flush => 0,
        }
    }
}

/// What the asking process gets: the data, or nothing when the window is gone.
pub(in super::super) struct Answer {
    pub(in super::super) to: u32,
    pub(in super::super) ticket: u64,
    pub(in super::super) data: Option<Vec<u8>>,
}

/// The memory that a process exposes in a window.
pub(super) struct Memory<T>(Mutex<Vec<T>>);

impl<T> Memory<T> {
    pub(super) fn new(values: Vec<T>) -> Self {
        Self(Mutex::new(values))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory of any type of elements.
trait Exposed: Send + Sync {
    /// Does what is asked and returns the data that goes back; `None` if that is not possible.
    fn access(&self, request: &Request, data: &[u8]) -> Option<Vec<u8>>;
}

impl<T: Number> Exposed for Memory<T> {
    fn access(&self, request: &Request, data: &[u8]) -> Option<Vec<u8>> {
        let mut memory = self.lock();
        let bytes =
            usize::try_from(request.bytes).ok().filter(|bytes| bytes.is_multiple_of(size_of::<T>()))?;
        let count = bytes / size_of::<T>();
        let from = usize::try_from(request.displacement).ok()?;
        let place = memory.get_mut(from..from.checked_add(count)?)?;
        let before = place.bytes().to_vec();
        match request.action {
            Action::Put => place.bytes_mut().copy_from_slice(data),
            Action::Accumulate(op) | Action::GetAccumulate(op) => {
                // What came is aligned like bytes.
                for (element, given) in place.iter_mut().zip(data.chunks_exact(size_of::<T>())) {
                    *element = element.combined(bytemuck::pod_read_unaligned(given), op)?;
                }
            }
            Action::CompareAndSwap => {
                let (expected, new) = data.split_at_checked(before.len())?;
                if expected == before {
                    place.bytes_mut().copy_from_slice(new);
                }
            }
            Action::Get | Action::Lock(_) | Action::Unlock | Action::Flush => {}
        }
        Some(before)
    }
}

/// Who holds the lock on the memory, and who waits for it, first come, first served.
#[derive(Default)]
struct Locks {
    holders: Vec<(u32, Lock)>,
    waiting: VecDeque<(u32, Lock, u64)>,
}

impl Locks {
    /// Lets in who can be; says who was, and what he waited with.
    fn admit(&mut self) -> Vec<(u32, u64)> {
        let mut admitted = Vec::new();
        while let Some((peer, lock, ticket)) = self.waiting.front().copied() {
            let shared = |(_, held): &(u32, Lock)| *held == Lock::Shared && lock == Lock::Shared;
            if !self.holders.iter().all(shared) {
                break;
            }
            self.waiting.pop_front();
            self.holders.push((peer, lock));
            admitted.push((peer, ticket));
        }
        admitted
    }
}

/// One window of this process.
struct Target {
    memory: Arc<dyn Exposed>,
    locks: Mutex<Locks>,
}

impl Target {
    /// Changes who holds or wants the lock; says who gets it thereby.
    fn relock(&self, change: impl FnOnce(&mut Locks)) -> Vec<Answer> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut locks);
        let granted = locks.admit().into_iter();
        granted.map(|(to, ticket)| Answer { to, ticket, data: Some(Vec::new()) }).collect()
    }
}

/// The windows of this process, by their contexts.
#[derive(Default)]
pub(in super::super) struct Targets(Mutex<HashMap<u32, Arc<Target>>>);

impl Targets {
    fn windows(&self) -> MutexGuard<'_, HashMap<u32, Arc<Target>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the others at the memory.
    pub(super) fn expose<T: Number>(&self, window: u32, memory: &Arc<Memory<T>>) {
        let memory: Arc<dyn Exposed> = Arc::<Memory<T>>::clone(memory);
        self.windows().insert(window, Arc::new(Target { memory, locks: Mutex::default() }));
    }

    /// Closes the memory to the others. Those who wait for its lock are told.
    pub(super) fn withdraw(&self, window: u32) -> Vec<Answer> {
        let Some(target) = self.windows().remove(&window) else { return Vec::new() };
        let mut locks = target.locks.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = locks.waiting.drain(..);
        waiting.map(|(to, _, ticket)| Answer { to, ticket, data: None }).collect()
    }

    /// Does what a process asks.
    pub(in super::super) fn serve(&self, from: u32, request: &Request, data: &[u8]) -> Vec<Answer> {
        let target = self.windows().get(&request.window).map(Arc::clone);
        let answer = |data| Answer { to: from, ticket: request.ticket, data };
        let Some(target) = target else {
            return request.action.is_answered().then(|| answer(None)).into_iter().collect();
        };
        match request.action {
            Action::Lock(lock) => {
                target.relock(|locks| locks.waiting.push_back((from, lock, request.ticket)))
            }
            Action::Unlock => {
                let mut answers = target.relock(|locks| locks.holders.retain(|(holder, _)| *holder != from));
                answers.push(answer(Some(Vec::new())));
                answers
            }
            Action::Flush => vec![answer(Some(Vec::new()))],
            action => {
                let done = target.memory.access(request, data);
                action.is_answered().then(|| answer(done)).into_iter().collect()
            }
        }
    }

    /// A process is gone, and with it what it held and waited for.
    pub(in super::super) fn depart(&self, peer: u32) -> Vec<Answer> {
        let targets: Vec<_> = self.windows().values().map(Arc::clone).collect();
        let forget = |locks: &mut Locks| {
            locks.holders.retain(|(holder, _)| *holder != peer);
            locks.waiting.retain(|(waiting, ..)| *waiting != peer);
        };
        targets.iter().flat_map(|target| target.relock(forget)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Action, Answer, Lock, Memory, Op, Request, Targets};

    const WINDOW: u32 = 5;

    fn request(action: Action, ticket: u64) -> Request {
        Request { window: WINDOW, action, ticket, displacement: 1, bytes: 4 }
    }

    fn told(answers: &[Answer]) -> Vec<(u32, u64, bool)> {
        answers.iter().map(|answer| (answer.to, answer.ticket, answer.data.is_some())).collect()
    }

    #[test]
    fn actions_survive_the_wire() {
        let locks = [Lock::Shared, Lock::Exclusive].map(Action::Lock);
        let others = [
            Action::Put,
            Action::Get,
            Action::Accumulate(Op::NoOp),
            Action::GetAccumulate(Op::Sum),
            Action::CompareAndSwap,
            Action::Unlock,
            Action::Flush,
        ];
        for action in locks.into_iter().chain(others) {
            assert_eq!(Action::numbered(action.number()), Some(action));
        }
        assert_eq!(Action::numbered(9 << 8), None);
        assert_eq!(Action::numbered(2 << 8 | 9), None);
    }

    #[test]
    fn locks_are_given_in_the_order_of_the_requests() {
        let targets = Targets::default();
        targets.expose(WINDOW, &Arc::new(Memory::new(vec![0_u32; 2])));
        let ask = |from, action, ticket| told(&targets.serve(from, &request(action, ticket), &[]));
        let (shared, exclusive) = (Action::Lock(Lock::Shared), Action::Lock(Lock::Exclusive));
        assert_eq!(ask(1, shared, 10), [(1, 10, true)]);
        assert_eq!(ask(2, shared, 20), [(2, 20, true)]);
        assert_eq!(ask(3, exclusive, 30), []);
        assert_eq!(ask(4, shared, 40), [], "it does not overtake");
        assert_eq!(ask(1, Action::Unlock, 11), [(1, 11, true)]);
        assert_eq!(told(&targets.depart(2)), [(3, 30, true)], "the dead hold nothing");
        assert_eq!(ask(5, shared, 50), []);
        assert_eq!(ask(3, Action::Unlock, 31), [(4, 40, true), (5, 50, true), (3, 31, true)]);
        assert_eq!(ask(6, exclusive, 60), []);
        assert_eq!(told(&targets.withdraw(WINDOW)), [(6, 60, false)]);
        assert_eq!(ask(7, exclusive, 70), [(7, 70, false)]);
        assert_eq!(ask(7, Action::Put, 71), []);
    }

    #[test]
    fn nothing_is_done_outside_of_the_memory() {
        let (targets, memory) = (Targets::default(), Arc::new(Memory::new(vec![1_u32, 2, 3])));
        targets.expose(WINDOW, &memory);
        let far = |displacement| Request { displacement, ..request(Action::GetAccumulate(Op::Sum), 1) };
        for displacement in [3, u64::MAX, u64::MAX / 4] {
            assert_eq!(told(&targets.serve(1, &far(displacement), &[1; 4])), [(1, 1, false)]);
        }
        assert_eq!(told(&targets.serve(1, &far(2), &[1, 0, 0, 0])), [(1, 1, true)]);
        assert_eq!(*memory.lock(), [1, 2, 4]);
    }
}
