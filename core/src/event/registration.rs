//! What a tool registered for an event type, from its beginning to its end.

use std::ffi::c_void;
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst},
};

use super::functions::{Abi, Delivery, Farewell, Function, FunctionTable, Functions};
use super::instance::{self, InstanceId, POOL};
use super::ring::Ring;
use super::source::SourceCell;
use crate::desc::EventDesc;
use crate::words::Safety;

/// A registration, as a tool holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct RegistrationId(u64);

const KIND: u64 = 0x52;
const GENERATION_BITS: u32 = 24;
const LAST_GENERATION: u64 = (1 << GENERATION_BITS) - 1;

impl RegistrationId {
    /// The registration of a number that a tool holds; one that is none is refused when it is used.
    #[must_use]
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// The number for a tool to hold.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    fn new(number: u32, generation: u64) -> Self {
        Self((KIND << 56) | (generation << 32) | u64::from(number))
    }

    /// Slot and generation, if it could be one at all.
    pub(super) fn parts(self) -> Option<(u32, u64)> {
        (self.0 >> 56 == KIND).then_some((self.0 as u32, self.0 >> 32 & LAST_GENERATION))
    }
}

/// Bit 0: live. Then the number of visits, whether it is abandoned, and the generation.
const LIVE: u64 = 1;
const VISIT: u64 = 2;
const VISITS_MASK: u64 = 0x7fff_fffe;
/// Its event is gone, but it is still its tool's, who has to free it.
const ABANDONED: u64 = 1 << 31;
const GENERATION_SHIFT: u32 = 32;

/// One registration. Made of atomics and never dropped: freed ones are used again for the same event type.
///
/// Whoever uses it pays it a [`Visit`], or has claimed an [`Instance`] of its event. A registration that was freed ends with
/// the last visit, so until then nobody meets another one in its place; those who have an instance are counted as visitors
/// when it is freed.
///
/// [`Instance`]: super::instance::Instance
#[derive(Debug)]
pub(crate) struct Registration {
    number: u32,
    /// Its place in the event type's list.
    pub(super) place: u32,
    pub(super) next_free: AtomicU32,
    pub(super) desc: &'static EventDesc,
    state: AtomicU64,
    /// Places of instances under which it may be in use since before it was freed: a bit for each. Each is a visit.
    owed: [AtomicU64; POOL / 64],
    abi: AtomicPtr<Abi>,
    /// The object it is bound to.
    object: AtomicU64,
    pub(super) functions: FunctionTable,
    /// Instances that were lost and not told of.
    pub(super) dropped: AtomicI64,
    /// Whether what cannot be delivered at once may wait.
    pub(super) defers: AtomicBool,
    /// What waits, or null: made when the first tool asks for it, kept for later registrations.
    pub(super) waiting: AtomicPtr<Ring>,
    /// Whether somebody delivers what waits.
    pub(super) draining: AtomicBool,
    farewell: AtomicPtr<c_void>,
    farewell_data: AtomicPtr<c_void>,
}

/// The beginning.
impl Registration {
    pub(super) fn new(number: u32, place: u32, desc: &'static EventDesc) -> Self {
        Self {
            number,
            place,
            next_free: AtomicU32::new(0),
            desc,
            state: AtomicU64::new(0),
            owed: [const { AtomicU64::new(0) }; POOL / 64],
            abi: AtomicPtr::default(),
            object: AtomicU64::new(0),
            functions: FunctionTable::new(),
            dropped: AtomicI64::new(0),
            defers: AtomicBool::new(false),
            waiting: AtomicPtr::default(),
            draining: AtomicBool::new(false),
            farewell: AtomicPtr::default(),
            farewell_data: AtomicPtr::default(),
        }
    }

    /// Gives the slot to a new registration. Only for whoever took it out of the list of free ones.
    pub(super) fn begin(&self, object: u64, abi: &'static Abi) -> RegistrationId {
        self.object.store(object, Relaxed);
        self.abi.store(std::ptr::from_ref(abi).cast_mut(), Relaxed);
        self.defers.store(false, Relaxed);
        self.farewell.store(std::ptr::null_mut(), Relaxed);
        // Nobody visits, so nobody else is at it. Drops and what waited went with the last visit.
        self.functions.change(|functions| *functions = Functions::NONE);
        let generation = self.generation() + 1;
        self.state.store((generation << GENERATION_SHIFT) | LIVE, Release);
        RegistrationId::new(self.number, generation)
    }

    fn generation(&self) -> u64 {
        self.state.load(Acquire) >> GENERATION_SHIFT
    }

    /// Whether the slot can be used once more.
    pub(super) fn has_future(&self) -> bool {
        self.generation() < LAST_GENERATION
    }

    /// Whether it was not freed yet.
    #[inline]
    pub(super) fn is_live(&self) -> bool {
        self.state.load(SeqCst) & LIVE != 0
    }

    /// Who is in the slot now, or was last.
    pub(super) fn id(&self) -> RegistrationId {
        RegistrationId::new(self.number, self.generation())
    }

    #[inline]
    pub(super) fn is_bound_to(&self, object: u64) -> bool {
        self.object.load(Relaxed) == object
    }

    pub(super) fn source(&self) -> &'static SourceCell {
        self.desc.source().cell()
    }

    pub(super) fn abi(&self) -> Option<&'static Abi> {
        // SAFETY: null, or what `begin` stored: a `&'static`.
        unsafe { self.abi.load(Relaxed).as_ref() }
    }

    /// Runs a callback.
    #[inline]
    pub(super) fn deliver(&self, callback: Function, instance: InstanceId, safety: Safety) {
        if let Some(abi) = self.abi() {
            let delivery =
                Delivery { instance, registration: self.id(), safety, user_data: callback.user_data };
            // SAFETY: the function is the tool's callback, and `deliver` of the ABI that it was registered with calls it.
            unsafe { (abi.deliver)(callback.function, &delivery) };
        }
    }
}

/// Visits, and the end.
impl Registration {
    /// Pays a live registration a visit. `None` when it is not live.
    #[inline]
    pub(super) fn enter(&self, safety: Safety) -> Option<Visit<'_>> {
        self.enter_if(safety, |_| true)
    }

    /// Pays this registration a visit, and no later one in its slot.
    pub(super) fn enter_generation(&self, generation: u64) -> Option<Visit<'_>> {
        self.enter_if(Safety::None, |state| state >> GENERATION_SHIFT == generation)
    }

    /// Pays a registration a visit that was abandoned, in order to free it; one of any generation, if none is given. From
    /// now on nobody else can.
    pub(super) fn take_abandoned(&self, generation: Option<u64>) -> Option<Visit<'_>> {
        let take = |state: u64| {
            let is_it = generation.is_none_or(|generation| state >> GENERATION_SHIFT == generation);
            (state & ABANDONED != 0 && is_it).then_some((state & !ABANDONED) + VISIT)
        };
        let taken = self.state.fetch_update(Acquire, Acquire, take).is_ok();
        // Made only now: a visit that is dropped ends.
        taken.then(|| Visit { registration: self, safety: Safety::None })
    }

    #[inline]
    fn enter_if(&self, safety: Safety, admits: impl Fn(u64) -> bool) -> Option<Visit<'_>> {
        let mut state = self.state.load(Acquire);
        while state & LIVE != 0 && admits(state) {
            match self.state.compare_exchange_weak(state, state + VISIT, Acquire, Acquire) {
                Ok(_) => return Some(Visit { registration: self, safety }),
                Err(now) => state = now,
            }
        }
        None
    }

    /// A visit is over.
    #[inline]
    fn leave(&self, safety: Safety) {
        // What visitors did comes before what the last of them does.
        let before = self.state.fetch_sub(VISIT, AcqRel);
        if before & (LIVE | ABANDONED | VISITS_MASK) == VISIT {
            self.end(safety);
        }
    }

    /// Counts whoever has this place as a visitor. Only for visitors.
    pub(super) fn owe(&self, place: usize) {
        self.state.fetch_add(VISIT, Relaxed);
        self.owed[place / 64].fetch_or(1 << (place % 64), SeqCst);
    }

    /// The place is given up: a visit less, if it was counted as one.
    pub(super) fn leave_place(&self, place: usize, safety: Safety) {
        if self.take_owed(place) {
            self.leave(safety);
        }
    }

    /// There was no need to count the place. Only for visitors.
    pub(super) fn forgive(&self, place: usize) {
        if self.take_owed(place) {
            self.state.fetch_sub(VISIT, Relaxed);
        }
    }

    fn take_owed(&self, place: usize) -> bool {
        let bit = 1 << (place % 64);
        self.owed[place / 64].load(SeqCst) & bit != 0
            && self.owed[place / 64].fetch_and(!bit, SeqCst) & bit != 0
    }

    /// After the last visit: what is left to say, and farewell.
    #[cold]
    fn end(&self, safety: Safety) {
        let registration = self.id();
        self.lose_waiting();
        self.report_drops(safety);
        self.take_drops();
        let (function, user_data) = (self.farewell.load(Relaxed), self.farewell_data.load(Relaxed));
        let abi = self.abi();
        // From here on the slot is another's.
        self.desc.cell().retire(self);
        if let (false, Some(abi)) = (function.is_null(), abi) {
            let farewell = Farewell { registration, safety, user_data };
            // SAFETY: the function is the tool's, and `farewell` of the ABI that it was registered with calls it.
            unsafe { (abi.farewell)(function, &farewell) };
        }
    }
}

/// Somebody who uses a registration.
#[derive(Debug)]
pub(super) struct Visit<'a> {
    registration: &'a Registration,
    /// What the context requires.
    safety: Safety,
}

impl Visit<'_> {
    /// Ends the registration: no callback begins any more. Its free callback runs when the last visit is over, which
    /// may be this one. Whether it was live until now.
    pub(super) fn free(self, farewell: *mut c_void, user_data: *mut c_void) -> bool {
        let ended = self.state.fetch_and(!LIVE, SeqCst) & LIVE != 0;
        if ended {
            self.desc.cell().lose_listener();
            self.say_farewell(farewell, user_data);
            instance::leave_notes(&self);
        }
        ended
    }

    /// Has the free callback run when the last visit is over, which may be this one.
    pub(super) fn say_farewell(&self, farewell: *mut c_void, user_data: *mut c_void) {
        self.farewell_data.store(user_data, Relaxed);
        self.farewell.store(farewell, Relaxed);
    }

    /// No callback begins any more, as if it were freed; but it ends only when its tool frees it, too.
    pub(super) fn abandon(&self) {
        let next = |state: u64| (state & LIVE != 0).then_some(state & !LIVE | ABANDONED);
        if self.state.fetch_update(SeqCst, SeqCst, next).is_ok() {
            self.desc.cell().lose_listener();
            instance::leave_notes(self);
        }
    }
}

impl std::ops::Deref for Visit<'_> {
    type Target = Registration;

    #[inline]
    fn deref(&self) -> &Registration {
        self.registration
    }
}

impl Drop for Visit<'_> {
    #[inline]
    fn drop(&mut self) {
        self.leave(self.safety);
    }
}
