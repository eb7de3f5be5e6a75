//! What a tool registered for an event type: callbacks by level, a handler of drops, and how it all ends.

use std::ffi::c_void;
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};

use super::instance::InstanceId;
use crate::desc::EventDesc;
use crate::switch::{Flags, Switch};
use crate::words::Safety;

/// A registration, as a tool holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegistrationId(pub u64);

const KIND: u64 = 0x52;
const GENERATION_BITS: u32 = 24;
const LAST_GENERATION: u64 = (1 << GENERATION_BITS) - 1;

impl RegistrationId {
    pub(super) fn new(number: u32, generation: u64) -> Self {
        Self((KIND << 56) | (generation << 32) | u64::from(number))
    }

    /// Slot and generation, if it could be one at all.
    pub(super) fn parts(self) -> Option<(u32, u64)> {
        (self.0 >> 56 == KIND).then_some((self.0 as u32, self.0 >> 32 & LAST_GENERATION))
    }
}

/// What an event callback is told.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Delivery {
    /// The instance.
    pub instance: InstanceId,
    /// The registration.
    pub registration: RegistrationId,
    /// What the context requires.
    pub safety: Safety,
    /// What was given when the callback was registered.
    pub user_data: *mut c_void,
}

/// What a handler of drops is told.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DropReport {
    /// How many instances were lost since the last report.
    pub count: i64,
    /// The registration.
    pub registration: RegistrationId,
    /// The index of the source of the lost events.
    pub source: u32,
    /// What the context requires.
    pub safety: Safety,
    /// What was given when the callback of this level was registered.
    pub user_data: *mut c_void,
}

/// What a free callback is told.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Farewell {
    /// The registration that is no more.
    pub registration: RegistrationId,
    /// What the context requires.
    pub safety: Safety,
    /// What was given when the registration was freed.
    pub user_data: *mut c_void,
}

/// How the functions of a tool are called. Functions of a C tool take an ABI's numbers, so whoever registers them says
/// how; the pointers below are the tool's functions and are never called in any other way.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Abi {
    /// Calls an event callback.
    pub deliver: unsafe extern "C" fn(function: *mut c_void, delivery: &Delivery),
    /// Calls a handler of drops.
    pub report: unsafe extern "C" fn(function: *mut c_void, report: &DropReport),
    /// Calls a free callback.
    pub farewell: unsafe extern "C" fn(function: *mut c_void, farewell: &Farewell),
}

/// A function of the tool's, and what it asked to be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) function: *mut c_void,
    pub(super) user_data: *mut c_void,
}

impl Function {
    const NONE: Self = Self { function: std::ptr::null_mut(), user_data: std::ptr::null_mut() };

    fn is_some(&self) -> bool {
        !self.function.is_null()
    }
}

/// The tool's functions at one moment: one for each level, and the handler of drops.
#[derive(Clone, Copy, Debug)]
pub(super) struct Functions {
    pub(super) callbacks: [Function; 4],
    pub(super) handler: *mut c_void,
}

impl Functions {
    /// The callback for a context: the lowest level registered that meets what the context requires.
    pub(super) fn select(&self, context: Safety) -> Option<Function> {
        self.callbacks[context as usize..].iter().copied().find(Function::is_some)
    }
}

/// Records of functions: one present, the others to be prepared, by so many changes at once.
const RECORDS: usize = 4;

#[derive(Debug)]
struct Record {
    callbacks: [(AtomicPtr<c_void>, AtomicPtr<c_void>); 4],
    handler: AtomicPtr<c_void>,
}

impl Record {
    const fn new() -> Self {
        Self {
            callbacks: [const { (AtomicPtr::new(std::ptr::null_mut()), AtomicPtr::new(std::ptr::null_mut())) };
                4],
            handler: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    fn load(&self) -> Functions {
        let callbacks = self.callbacks.each_ref().map(|(function, user_data)| Function {
            function: function.load(Acquire),
            user_data: user_data.load(Acquire),
        });
        Functions { callbacks, handler: self.handler.load(Acquire) }
    }

    fn store(&self, functions: &Functions) {
        for ((function, user_data), new) in self.callbacks.iter().zip(&functions.callbacks) {
            function.store(new.function, Release);
            user_data.store(new.user_data, Release);
        }
        self.handler.store(functions.handler, Release);
    }
}

/// Bit 0: live. Then the number of callbacks that run, and the generation.
const LIVE: u64 = 1;
const RUNNING: u64 = 2;
const RUNNING_MASK: u64 = 0xffff_fffe;
const GENERATION_SHIFT: u32 = 32;

/// One registration. Made of atomics and never dropped: freed ones are used again for the same event type.
#[derive(Debug)]
pub(crate) struct Registration {
    number: u32,
    /// Its place in the event type's list.
    pub(super) place: u32,
    pub(super) next_free: AtomicU32,
    pub(super) desc: &'static EventDesc,
    state: AtomicU64,
    abi: AtomicPtr<Abi>,
    /// The object it is bound to.
    object: AtomicU64,
    /// Whether what cannot be delivered at once may wait.
    pub(super) defers: AtomicBool,
    switch: Switch,
    records: [Record; RECORDS],
    dropped: AtomicI64,
    farewell: AtomicPtr<c_void>,
    farewell_data: AtomicPtr<c_void>,
}

impl Registration {
    pub(super) fn new(number: u32, place: u32, desc: &'static EventDesc) -> Self {
        Self {
            number,
            place,
            next_free: AtomicU32::new(0),
            desc,
            state: AtomicU64::new(0),
            abi: AtomicPtr::default(),
            object: AtomicU64::new(0),
            defers: AtomicBool::new(false),
            switch: Switch::new(),
            records: [const { Record::new() }; RECORDS],
            dropped: AtomicI64::new(0),
            farewell: AtomicPtr::default(),
            farewell_data: AtomicPtr::default(),
        }
    }

    /// Gives the slot to a new registration. Only for whoever took it out of the list of free ones.
    pub(super) fn begin(&self, object: u64, abi: &'static Abi) -> RegistrationId {
        self.object.store(object, Relaxed);
        self.abi.store(std::ptr::from_ref(abi).cast_mut(), Relaxed);
        self.defers.store(false, Relaxed);
        self.dropped.store(0, Relaxed);
        self.farewell.store(std::ptr::null_mut(), Relaxed);
        let none = Functions { callbacks: [Function::NONE; 4], handler: std::ptr::null_mut() };
        self.change(|functions| *functions = none);
        let generation = self.generation() + 1;
        self.state.store((generation << GENERATION_SHIFT) | LIVE, Release);
        RegistrationId::new(self.number, generation)
    }

    fn generation(&self) -> u64 {
        self.state.load(Acquire) >> GENERATION_SHIFT
    }

    /// Whether the slot can be used once more.
    pub(super) fn has_future(&self) -> bool {
        self.generation() + 1 < LAST_GENERATION
    }

    pub(super) fn id(&self) -> RegistrationId {
        RegistrationId::new(self.number, self.generation())
    }

    pub(super) fn is_live(&self, generation: u64) -> bool {
        let state = self.state.load(Acquire);
        state & LIVE != 0 && state >> GENERATION_SHIFT == generation
    }

    pub(super) fn is_bound_to(&self, object: u64) -> bool {
        self.object.load(Relaxed) == object
    }

    fn abi(&self) -> Option<&'static Abi> {
        // SAFETY: null, or what `begin` stored: a `&'static`.
        unsafe { self.abi.load(Relaxed).as_ref() }
    }

    /// The tool's functions now.
    pub(super) fn functions(&self) -> Functions {
        loop {
            let control = self.switch.control();
            let functions = self.records[control.record()].load();
            if self.switch.unchanged(control) {
                return functions;
            }
        }
    }

    /// Changes the tool's functions; `false` when too many others were at it.
    pub(super) fn change(&self, change: impl Fn(&mut Functions)) -> bool {
        let changed = self.switch.change::<std::convert::Infallible>(RECORDS, |control, record| {
            let mut functions = self.records[control.record()].load();
            change(&mut functions);
            self.records[record].store(&functions);
            Ok(Some(Flags::NONE))
        });
        changed.is_some()
    }

    /// Holds on to a live registration: it does not end while somebody does. `None` when it is not live.
    pub(super) fn enter(&self) -> Option<Visit<'_>> {
        let mut state = self.state.load(Acquire);
        while state & LIVE != 0 {
            match self.state.compare_exchange_weak(state, state + RUNNING, SeqCst, Acquire) {
                Ok(_) => return Some(Visit { registration: self, safety: Safety::None }),
                Err(now) => state = now,
            }
        }
        None
    }

    /// Ends a registration: no callback begins any more. Its free callback runs when the last one that runs has
    /// returned, which may be at once. Whether this call did it.
    pub(super) fn free(&self, generation: u64, farewell: *mut c_void, user_data: *mut c_void) -> bool {
        let Some(visit) = self.enter() else { return false };
        if self.generation() != generation {
            return false;
        }
        let before = self.state.fetch_and(!LIVE, SeqCst);
        let ended = before & LIVE != 0;
        if ended {
            self.desc.cell().lose_listener();
            // We are still in, so nobody says farewell before this is set.
            self.farewell_data.store(user_data, Relaxed);
            self.farewell.store(farewell, Release);
        }
        drop(visit);
        ended
    }

    /// Counts an instance that was lost, if anybody wants to know.
    pub(super) fn note_drop(&self, functions: &Functions) {
        if functions.handler.is_null() {
            return;
        }
        let mut seen = self.dropped.load(Relaxed);
        while let Err(now) = self.dropped.compare_exchange_weak(seen, seen.saturating_add(1), SeqCst, Relaxed)
        {
            seen = now;
        }
        if seen == 0 {
            self.desc.source().cell().pending.fetch_add(1, SeqCst);
        }
    }

    /// Takes the count of lost instances.
    pub(super) fn take_drops(&self) -> i64 {
        let count = self.dropped.swap(0, SeqCst);
        if count > 0 {
            self.desc.source().cell().pending.fetch_sub(1, SeqCst);
        }
        count
    }

    /// Tells of losses, if there are any and a callback's level admits it.
    pub(super) fn report_drops(&self, context: Safety) {
        if self.dropped.load(Relaxed) == 0 {
            return;
        }
        let functions = self.functions();
        let (Some(callback), false) = (functions.select(context), functions.handler.is_null()) else {
            return;
        };
        let count = self.take_drops();
        if let (1.., Some(abi)) = (count, self.abi()) {
            let source = self.desc.source().cell().index();
            let user_data = callback.user_data;
            let report = DropReport { count, registration: self.id(), source, safety: context, user_data };
            // SAFETY: the function is the tool's handler, and `report` of the ABI that it was registered with calls it.
            unsafe { (abi.report)(functions.handler, &report) };
        }
    }

    /// Runs a callback.
    pub(super) fn deliver(&self, callback: Function, instance: InstanceId, safety: Safety) {
        if let Some(abi) = self.abi() {
            let delivery =
                Delivery { instance, registration: self.id(), safety, user_data: callback.user_data };
            // SAFETY: the function is the tool's callback, and `deliver` of the ABI that it was registered with calls it.
            unsafe { (abi.deliver)(callback.function, &delivery) };
        }
    }
}

/// Somebody who uses a registration. The last one to leave after it was freed says farewell.
#[derive(Debug)]
pub(super) struct Visit<'a> {
    registration: &'a Registration,
    /// The context in which the farewell would be said.
    pub(super) safety: Safety,
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        let registration = self.registration;
        let before = registration.state.fetch_sub(RUNNING, SeqCst);
        let last = before & RUNNING_MASK == RUNNING;
        if before & LIVE != 0 || !last {
            return;
        }
        let id = registration.id();
        let function = registration.farewell.swap(std::ptr::null_mut(), SeqCst);
        let user_data = registration.farewell_data.load(Relaxed);
        let abi = registration.abi();
        registration.desc.cell().retire(registration);
        if let (false, Some(abi)) = (function.is_null(), abi) {
            let farewell = Farewell { registration: id, safety: self.safety, user_data };
            // SAFETY: the function is the tool's, and `farewell` of the ABI that it was registered with calls it.
            unsafe { (abi.farewell)(function, &farewell) };
        }
    }
}
