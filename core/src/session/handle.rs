//! The state of one handle: what it is bound to, whether it runs, and its account.

use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};

use crate::cell::Gauge;
use crate::desc::{Behaviour, PvarDesc};
use crate::object::Object;
use crate::words::Bind;

/// Words that a handle has without further memory: enough for every scalar.
const INLINE: usize = 4;

/// Sections of a handle's words, each with one word per element. See [`super::account`].
pub(super) const SECTIONS: usize = 4;

/// What a slot has room for: handles of like needs share slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Room {
    /// log2 of the words, or 0 for the inline ones.
    words: u8,
    /// log2 of the ranks + 1, or 0 for none.
    ranks: u8,
}

impl Room {
    pub(super) fn of(behaviour: Behaviour, count: usize, object: &Object<'_>) -> Self {
        let words = if behaviour == Behaviour::Custom { 0 } else { count * SECTIONS };
        let words = if words <= INLINE { 0 } else { words.next_power_of_two().ilog2() as u8 };
        let ranks =
            object.ranks().map_or(0, |ranks| ranks.len().max(1).next_power_of_two().ilog2() as u8 + 1);
        Self { words, ranks }
    }
}

/// One handle. Everything in it is atomic, and memory once made stays, so that even a call that uses a handle
/// while another thread frees it reads no foreign memory.
#[derive(Debug)]
pub(super) struct Handle {
    session: AtomicU64,
    desc: AtomicPtr<PvarDesc>,
    gauge: AtomicPtr<Gauge>,
    count: AtomicU32,
    object_kind: AtomicU32,
    object_id: AtomicU64,
    object_size: AtomicU32,
    object_has_ranks: AtomicBool,
    /// Bit 0: runs. Bit 1: was ever started, or holds a value of its own. Bit 2: has an overlay. The rest counts
    /// changes; the last bit of the count says which of two sections is the present one.
    control: AtomicU64,
    /// What the user asked for last.
    pub(super) wants_to_run: AtomicBool,
    /// The user asked for a reset that is still to be done.
    pub(super) wants_reset: AtomicBool,
    /// Somebody is changing the state.
    pub(super) busy: AtomicBool,
    inline: [AtomicU64; INLINE],
    words: OnceLock<Box<[AtomicU64]>>,
    ranks: OnceLock<Box<[AtomicU32]>>,
}

/// The parts of [`Handle::control`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Control(u64);

const RUNS: u64 = 1;
const TOUCHED: u64 = 2;
const OVERLAY: u64 = 4;
const CHANGE: u64 = 8;

impl Control {
    pub(super) fn runs(self) -> bool {
        self.0 & RUNS != 0
    }

    pub(super) fn touched(self) -> bool {
        self.0 & TOUCHED != 0
    }

    pub(super) fn overlay(self) -> bool {
        self.0 & OVERLAY != 0
    }

    /// Which of the two account sections is the present one.
    pub(super) fn section(self) -> usize {
        (self.0 / CHANGE % 2) as usize
    }

    /// The next state, with the other section as the present one.
    pub(super) fn next(self, runs: bool, overlay: bool) -> Self {
        let flags = TOUCHED | if runs { RUNS } else { 0 } | if overlay { OVERLAY } else { 0 };
        Self(((self.0 / CHANGE).wrapping_add(1) * CHANGE) | flags)
    }
}

/// What a handle is, read at one moment.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) handle: &'a Handle,
    pub(super) id: u64,
    pub(super) session: u64,
    pub(super) desc: &'static PvarDesc,
    pub(super) count: usize,
    pub(super) object: Object<'a>,
}

impl Handle {
    pub(super) fn with_room(room: Room) -> Self {
        let words = match room.words {
            0 => OnceLock::new(),
            log2 => OnceLock::from((0..1_usize << log2).map(|_| AtomicU64::new(0)).collect::<Box<[_]>>()),
        };
        let ranks = match room.ranks {
            0 => OnceLock::new(),
            log2 => {
                OnceLock::from((0..1_usize << (log2 - 1)).map(|_| AtomicU32::new(0)).collect::<Box<[_]>>())
            }
        };
        Self {
            session: AtomicU64::new(0),
            desc: AtomicPtr::default(),
            gauge: AtomicPtr::default(),
            count: AtomicU32::new(0),
            object_kind: AtomicU32::new(0),
            object_id: AtomicU64::new(0),
            object_size: AtomicU32::new(0),
            object_has_ranks: AtomicBool::new(false),
            control: AtomicU64::new(0),
            wants_to_run: AtomicBool::new(false),
            wants_reset: AtomicBool::new(false),
            busy: AtomicBool::new(false),
            inline: [const { AtomicU64::new(0) }; INLINE],
            words,
            ranks,
        }
    }

    /// Prepares a handle that nobody knows yet.
    pub(super) fn fill(&self, session: u64, desc: &'static PvarDesc, count: usize, object: &Object<'_>) {
        self.session.store(session, Relaxed);
        self.desc.store(std::ptr::from_ref(desc).cast_mut(), Relaxed);
        let gauge = desc.gauge().filter(|_| is_mark(desc.behaviour()));
        self.gauge
            .store(gauge.map_or(std::ptr::null_mut(), |gauge| std::ptr::from_ref(gauge).cast_mut()), Relaxed);
        self.count.store(count as u32, Relaxed);
        self.object_kind.store(object.kind as u32, Relaxed);
        self.object_id.store(object.id, Relaxed);
        self.object_size.store(object.size, Relaxed);
        let ranks = object.ranks();
        self.object_has_ranks.store(ranks.is_some(), Relaxed);
        if let (Some(from), Some(to)) = (ranks, self.ranks.get()) {
            for (from, to) in from.iter().zip(to) {
                to.store(from.load(Relaxed), Relaxed);
            }
        }
        self.control.store(0, Relaxed);
        self.wants_to_run.store(false, Relaxed);
        self.wants_reset.store(false, Relaxed);
        self.busy.store(false, Relaxed);
        for word in self.words() {
            word.store(0, Relaxed);
        }
    }

    fn words(&self) -> &[AtomicU64] {
        self.words.get().map_or(&self.inline, |words| words)
    }

    /// What the handle is now. Whether it was still that, the caller checks by its identifier afterwards.
    #[inline]
    pub(super) fn view(&self, id: u64) -> Option<View<'_>> {
        let desc = self.desc.load(Relaxed).cast_const();
        // SAFETY: null, or what `fill` stored: a `&'static`.
        let desc = unsafe { desc.as_ref() }?;
        let size = self.object_size.load(Relaxed);
        let has_ranks = self.object_has_ranks.load(Relaxed);
        let ranks =
            if has_ranks { self.ranks.get().filter(|ranks| ranks.len() >= size as usize) } else { None };
        if has_ranks && ranks.is_none() {
            return None;
        }
        let kind = Bind::ALL.get(self.object_kind.load(Relaxed) as usize).copied()?;
        let id_of_object = self.object_id.load(Relaxed);
        let object = Object { kind, id: id_of_object, size, ranks: ranks.and_then(|ranks| ranks.first()) };
        let count = self.count.load(Relaxed) as usize;
        Some(View { handle: self, id, session: self.session.load(Relaxed), desc, count, object })
    }

    #[inline]
    pub(super) fn session(&self) -> u64 {
        self.session.load(Relaxed)
    }

    pub(super) fn watches(&self, gauge: &Gauge) -> bool {
        std::ptr::eq(self.gauge.load(Relaxed), gauge)
    }

    #[inline]
    pub(super) fn control(&self) -> Control {
        Control(self.control.load(Acquire))
    }

    /// Makes a prepared section the present one.
    pub(super) fn set_control(&self, control: Control) {
        self.control.store(control.0, Release);
    }

    /// Takes the right to change the state, unless somebody has it.
    pub(super) fn try_begin(&self) -> bool {
        !self.busy.swap(true, SeqCst)
    }

    pub(super) fn end(&self) {
        self.busy.store(false, SeqCst);
    }
}

impl<'a> View<'a> {
    /// One section of the handle's words; empty if the handle has been reused with less room meanwhile.
    #[inline]
    pub(super) fn section(&self, number: usize) -> &'a [AtomicU64] {
        self.handle.words().get(number * self.count..(number + 1) * self.count).unwrap_or_default()
    }
}

/// Whether handles of this behaviour keep a mark.
pub(super) fn is_mark(behaviour: Behaviour) -> bool {
    matches!(behaviour, Behaviour::Highest | Behaviour::Lowest)
}
