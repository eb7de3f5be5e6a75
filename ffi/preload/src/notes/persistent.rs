//! Records of persistent requests: made when the request is created, delivered each time it is started.

use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed,
};

use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::pml::Mode::{self, Buffered, Ready, Standard, Synchronous};
use mpit_components::pml::{self, Send};
use mpit_ffi::abi::Handle;
use mpit_ffi::comms::Comm;
use mpit_ffi::table::Table;

use super::collectives::{self, Amounts, Collective, Look, Noting};
use super::messages::{self, Sending};
use super::volumes::Volumes;
use super::{Begun, Note, Tell};
use crate::arguments::{Language, Request};

/// The message that a request sends when it is started.
#[derive(Debug, Default)]
struct Message {
    comm: AtomicPtr<Comm>,
    dest: AtomicU32,
    to: AtomicU32,
    bytes: AtomicU64,
    tag: AtomicI32,
    mode: AtomicU8,
}

static MESSAGES: Table<Message> = Table::new();

const MODES: [Mode; 4] = [Standard, Buffered, Synchronous, Ready];

impl Message {
    fn set(&self, comm: &'static Comm, send: &Send) {
        self.comm.store(std::ptr::from_ref(comm).cast_mut(), Relaxed);
        self.dest.store(send.dest, Relaxed);
        self.to.store(send.to, Relaxed);
        self.bytes.store(send.bytes, Relaxed);
        self.tag.store(send.tag, Relaxed);
        let mode = MODES.iter().position(|mode| *mode == send.mode).unwrap_or_default();
        self.mode.store(mode as u8, Relaxed);
    }

    fn started(&self) {
        // SAFETY: null, or the address of a `&'static Comm` that `set` stored.
        let Some(comm) = (unsafe { self.comm.load(Relaxed).as_ref() }) else { return };
        pml::sent(&Send {
            comm: comm.id(),
            dest: self.dest.load(Relaxed),
            to: self.to.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            tag: self.tag.load(Relaxed),
            mode: MODES[usize::from(self.mode.load(Relaxed)) % MODES.len()],
        });
    }
}

/// The collective operation that a request performs when it is started.
#[derive(Debug, Default)]
struct Planned {
    comm: AtomicPtr<Comm>,
    kind: AtomicU8,
    root: AtomicU64,
    in_place: AtomicBool,
    /// The bytes exchanged with each process, unless they are listed.
    bytes: AtomicU64,
    listed: AtomicBool,
    list: Volumes,
}

static COLLECTIVES: Table<Planned> = Table::new();

/// Encodings of roots without a rank; ranks are smaller.
const NO_ROOT: u64 = u64::MAX;
const ROOT_HERE: u64 = u64::MAX - 1;

impl Planned {
    fn set(&self, what: &Collective, list: Option<&[u64]>) {
        self.comm.store(std::ptr::from_ref(what.comm).cast_mut(), Relaxed);
        let kind = Kind::ALL.iter().position(|kind| *kind == what.kind).unwrap_or_default();
        self.kind.store(kind as u8, Relaxed);
        let root = match what.root {
            Root::None => NO_ROOT,
            Root::Here => ROOT_HERE,
            Root::At(rank) => rank.into(),
        };
        self.root.store(root, Relaxed);
        self.in_place.store(what.in_place, Relaxed);
        let bytes = if let Amounts::Each(bytes) = what.amounts { bytes } else { 0 };
        self.bytes.store(bytes, Relaxed);
        self.listed.store(list.is_some(), Relaxed);
        self.list.set(list.unwrap_or(&[]));
    }

    fn tell(&self, tell: impl FnOnce(&Operation<'_>)) {
        // SAFETY: null, or the address of a `&'static Comm` that `set` stored.
        let Some(comm) = (unsafe { self.comm.load(Relaxed).as_ref() }) else { return };
        let with = |index| self.list.get(index);
        let listed = self.listed.load(Relaxed);
        let kind = Kind::ALL[usize::from(self.kind.load(Relaxed)) % Kind::ALL.len()];
        tell(&Operation {
            comm: comm.id(),
            kind,
            rank: comm.rank(),
            size: comm.exchanges_with(kind),
            root: match self.root.load(Relaxed) {
                NO_ROOT => Root::None,
                ROOT_HERE => Root::Here,
                rank => Root::At(rank as u32),
            },
            volume: if listed { Volume::By(&with) } else { Volume::Each(self.bytes.load(Relaxed)) },
            in_place: self.in_place.load(Relaxed),
        });
    }
}

/// Removes the record of an earlier request with this handle.
fn forget(request: Handle) {
    MESSAGES.remove(request);
    COLLECTIVES.remove(request);
}

/// A call that creates a request, and the record of the operation that the request performs when it is
/// started.
pub(crate) struct Making<L: Language, N> {
    request: Request<L>,
    note: N,
}

impl<L: Language, N> Making<L, N> {
    pub(crate) fn new(request: Request<L>, note: N) -> Self {
        Self { request, note }
    }
}

/// The state that is kept during the call.
pub(crate) struct Made<L: Language, B> {
    request: Request<L>,
    plan: B,
}

/// The operation for which a request is created.
pub(crate) trait Plan {
    /// The part that is resolved before the call.
    type Begun: Keep;
    fn plan(self) -> Self::Begun;
}

/// The record of a request that was created.
pub(crate) trait Keep {
    /// Stores the record until the request is started.
    fn keep(self, request: Handle);
}

impl<L: Language, N: Plan> Note for Making<L, N> {
    type Known = Never;
    type Begun = Made<L, N::Begun>;

    fn known(self) -> Option<Never> {
        None
    }

    fn begin(self) -> Self::Begun {
        Made { request: self.request, plan: self.note.plan() }
    }
}

impl<L: Language, B: Keep> Begun for Made<L, B> {
    fn end(self) {
        let request = self.request.get();
        forget(request);
        self.plan.keep(request);
    }
}

/// The record of a call that creates a request: there is none.
pub(crate) enum Never {}

impl Tell for Never {
    fn tell(&self) {
        match *self {}
    }
}

impl Plan for Sending {
    type Begun = messages::Begun;

    fn plan(self) -> messages::Begun {
        self.begin()
    }
}

impl Keep for messages::Begun {
    fn keep(self, request: Handle) {
        if let Some((comm, send)) = self.resolve() {
            MESSAGES.insert_reusing(request, |known| known.set(comm, &send));
        }
    }
}

impl<F: Fn(Look) -> Option<Collective>> Plan for Noting<F> {
    type Begun = collectives::Begun<F>;

    fn plan(self) -> Self::Begun {
        self.prepare()
    }
}

impl<F: Fn(Look) -> Option<Collective>> Keep for collectives::Begun<F> {
    fn keep(self, request: Handle) {
        if let Some(what) = self.operation() {
            let list: Option<Vec<u64>> = what.listed().map(Iterator::collect);
            COLLECTIVES.insert_reusing(request, |known| known.set(&what, list.as_deref()));
        }
    }
}

/// Removes the record of a handle whose request is freed, or belongs to an operation without a record.
pub(crate) fn made_other<L: Language>(request: Request<L>) {
    forget(request.get());
}

/// The requests of a call that starts them.
#[derive(Clone, Copy)]
pub(crate) struct Starting<L: Language> {
    requests: Request<L>,
    count: usize,
}

impl<L: Language> Starting<L> {
    pub(crate) fn new(requests: Request<L>, count: i32) -> Self {
        Self { requests, count: count.max(0) as usize }
    }

    fn requests(self) -> impl Iterator<Item = Handle> {
        (0..self.count).map(move |at| self.requests.at(at))
    }
}

impl<L: Language> Note for Starting<L> {
    type Known = Self;
    type Begun = Self;

    fn known(self) -> Option<Self> {
        Some(self)
    }

    fn begin(self) -> Self {
        if coll::active() {
            self.requests()
                .filter_map(|request| COLLECTIVES.get(request))
                .for_each(|known| known.tell(coll::begin));
        }
        self
    }
}

impl<L: Language> Begun for Starting<L> {
    fn end(self) {
        for request in self.requests() {
            if let Some(known) = MESSAGES.get(request) {
                known.started();
            } else if let Some(known) = COLLECTIVES.get(request) {
                known.tell(coll::end);
            }
        }
    }
}

impl<L: Language> Tell for Starting<L> {
    fn tell(&self) {
        self.end();
    }
}
