//! Events: registrations, their callbacks, and instances.

use core::sync::atomic::AtomicU64 as Seen;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr::{from_ref, null_mut};
use std::rc::Rc;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use std::execution::Mode;
use std::harness::Model;

use super::at_once;
use super::bench::{Bench, Lasting, unless_invalid};
use crate::Error;
use crate::desc::Activation;
use crate::event::instance::{self, Payload};
use crate::event::{
    Abi, Context, Delivery, DropReport, Event, EventCell, FreeNotice, InstanceId, RegistrationId, SourceCell,
};
use crate::internal::desc::{Element, EventDesc, Metadata, SharedMetadata, SourceDesc};
use crate::tool::EventInstance;
use crate::vocabulary::{Datatype, Safety, SourceOrder};

pub(super) const MODELS: &[Model] = &[
    Model::new("events::free_callbacks_come_last", free_callbacks_come_last),
    Model::new("events::free_callbacks_follow_all_raises", free_callbacks_follow_all_raises)
        .preemptions(2)
        .mode(Mode::Latest),
    Model::new("events::free_callbacks_follow_later_raises", free_callbacks_follow_later_raises)
        .preemptions(2)
        .mode(Mode::Latest),
    Model::new("events::registrations_are_freed_once", registrations_are_freed_once),
    Model::new("events::registrations_are_reused_after_their_end", registrations_are_reused_after_their_end)
        .preemptions(2),
    Model::new("events::a_finalized_interface_is_silent", a_finalized_interface_is_silent),
    Model::new("events::abandoned_registrations_end_once", abandoned_registrations_end_once).preemptions(2),
    Model::new("events::no_registration_begins_after_the_end", no_registration_begins_after_the_end),
    Model::new("events::dropped_ones_are_counted", dropped_ones_are_counted).preemptions(2),
];

/// An event with a payload that shows whether it is whole.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Tick {
    pub(super) number: u64,
    pub(super) complement: u64,
}

static CLOCK_CELL: SourceCell = SourceCell::new();
static CLOCK: SourceDesc = SourceDesc::new(metadata("clock", &SHARED), SourceOrder::Unordered, &CLOCK_CELL);
static TICK_CELL: EventCell = EventCell::new();
pub(super) static TICK: EventDesc = EventDesc::new(metadata("tick", &SHARED), ELEMENTS, &CLOCK, &TICK_CELL);
static SHARED: SharedMetadata = SharedMetadata::new("models", file!());
const ELEMENTS: &[Element] = &[
    Element::new(Datatype::Uint64, offset_of!(Tick, number)),
    Element::new(Datatype::Uint64, offset_of!(Tick, complement)),
];

/// The event of a plug-in.
static ACTIVATION: Activation = Activation::new();
static LIMITED_CELL: EventCell = EventCell::new();
static LIMITED_SHARED: SharedMetadata = SHARED.with_activation(&ACTIVATION);
static LIMITED: EventDesc =
    EventDesc::new(metadata("tick", &LIMITED_SHARED), ELEMENTS, &CLOCK, &LIMITED_CELL);

const fn metadata(name: &'static str, shared: &'static SharedMetadata) -> Metadata {
    Metadata::new(name, name.len(), shared, line!())
}

#[derive(Clone, Copy, Debug)]
struct LimitedTick(Tick);

impl Event for Tick {
    const DESC: &'static EventDesc = &TICK;

    fn fill(&self, payload: &mut Payload) {
        payload.put(offset_of!(Self, number), self.number);
        payload.put(offset_of!(Self, complement), self.complement);
    }

    fn collect(tick: &EventInstance) -> crate::Result<Self> {
        Ok(Self { number: tick.read(0)?, complement: tick.read(1)? })
    }
}

impl Event for LimitedTick {
    const DESC: &'static EventDesc = &LIMITED;

    fn fill(&self, payload: &mut Payload) {
        self.0.fill(payload);
    }

    fn collect(tick: &EventInstance) -> crate::Result<Self> {
        Tick::collect(tick).map(Self)
    }
}

fn tick(number: u64) -> Tick {
    Tick { number, complement: !number }
}

/// Raises an event in a context that admits all callbacks.
pub(super) fn raise(number: u64) {
    Tick::raise(Context::ANYWHERE, || tick(number));
}

/// Raises an event in a context that does not admit the callback of a [`Listener`].
fn raise_restricted(number: u64) {
    Tick::raise(Context::requiring(Safety::ThreadSafe), || tick(number));
}

/// Reads an instance. `None` if it is over.
pub(super) fn read(id: InstanceId) -> Option<Tick> {
    let mut tick = tick(0);
    // SAFETY: `tick` has the extent of the event type.
    match unsafe { instance::copy(id, (&raw mut tick).cast()) } {
        Ok(()) => Some(tick),
        Err(error) => {
            assert_eq!(error, Error::InvalidHandle);
            None
        }
    }
}

/// The record of the callbacks of a registration. Only the content belongs to the model.
#[derive(Default)]
struct Listener {
    /// Memory that callbacks use and the free callback frees: the number of callbacks.
    content: AtomicU64,
    callbacks: Seen,
    /// The sum of the numbers of the events.
    sum: Seen,
    inside: Seen,
    dropped: Seen,
    freed: Seen,
    identifiers: RefCell<Vec<u64>>,
}

impl Listener {
    fn data(&self) -> *mut c_void {
        from_ref(self).cast_mut().cast()
    }

    /// # Safety
    ///
    /// `data` is of [`Listener::data`].
    unsafe fn of<'a>(data: *mut c_void) -> &'a Self {
        // SAFETY: `data` is of `Listener::data`, and a model keeps its listeners until its threads have ended.
        unsafe { &*data.cast::<Self>() }
    }
}

static ABI: Abi = {
    // SAFETY: the functions take the `user_data` of registrations, which is of `Listener::data`, and ignore the function.
    unsafe { Abi::new(deliver, report, free_callback) }
};

pub(super) unsafe extern "C" fn deliver(_: *mut c_void, delivery: &Delivery) {
    // SAFETY: `register` passes a `Listener`.
    let listener = unsafe { Listener::of(delivery.user_data) };
    assert_eq!(listener.freed.load(Relaxed), 0, "a callback begins after the free callback");
    listener.inside.fetch_add(1, Relaxed);
    let identifier = delivery.instance.0;
    assert!(!listener.identifiers.borrow().contains(&identifier), "an identifier is used twice");
    listener.identifiers.borrow_mut().push(identifier);
    let tick = read(delivery.instance).expect("the instance is valid in its callback");
    assert_eq!(tick.complement, !tick.number, "{tick:?}");
    listener.content.fetch_add(1, Relaxed);
    listener.callbacks.fetch_add(1, Relaxed);
    listener.sum.fetch_add(tick.number, Relaxed);
    listener.inside.fetch_sub(1, Relaxed);
    assert_eq!(listener.freed.load(Relaxed), 0, "a callback ends after the free callback");
}

pub(super) unsafe extern "C" fn report(_: *mut c_void, report: &DropReport) {
    // SAFETY: `register` passes a `Listener`.
    let listener = unsafe { Listener::of(report.user_data) };
    assert_eq!(listener.freed.load(Relaxed), 0, "a report comes after the free callback");
    listener.dropped.fetch_add(report.count.unsigned_abs(), Relaxed);
}

pub(super) unsafe extern "C" fn free_callback(_: *mut c_void, notice: &FreeNotice) {
    // SAFETY: `free` passes a `Listener`.
    let listener = unsafe { Listener::of(notice.user_data) };
    assert_eq!(listener.inside.load(Relaxed), 0, "the free callback runs during a callback");
    assert_eq!(listener.freed.fetch_add(1, Relaxed), 0, "the free callback runs twice");
    let seen = listener.content.load(Relaxed);
    assert_eq!(seen, listener.callbacks.load(Relaxed), "a callback does not happen before the free callback");
}

/// A pointer that stands for a function; the functions of [`ABI`] ignore it.
pub(super) fn some_function() -> *mut c_void {
    from_ref(&ABI).cast_mut().cast()
}

/// Registers a listener, with a callback of the lowest level and a handler of drops.
fn register(bench: &Bench, listener: &Listener) -> crate::Result<RegistrationId> {
    register_with(bench, listener, &ABI)
}

fn register_with(bench: &Bench, listener: &Listener, abi: &'static Abi) -> crate::Result<RegistrationId> {
    let id = bench.event_handle_alloc(0, None, abi)?;
    // SAFETY: the functions of `ABI` ignore the pointer.
    unsafe { bench.event_set_dropped_handler(id, some_function()) }?;
    // SAFETY: the functions of `ABI` ignore the pointer, and the listener lasts as long as the registration.
    unsafe { bench.event_register_callback(id, Safety::None, some_function(), listener.data()) }?;
    Ok(id)
}

/// Frees a registration. Returns true if this call did it.
fn free(bench: &Bench, listener: &Listener, id: RegistrationId) -> bool {
    // SAFETY: the free callback ignores the function, and the listener lasts until it has run.
    let freed = unsafe { bench.event_handle_free(id, listener.data(), some_function()) };
    unless_invalid(freed);
    freed.is_ok()
}

/// An interface with a registration.
pub(super) struct Tool {
    bench: Bench,
    listener: Lasting<Listener>,
    id: RegistrationId,
}

impl Tool {
    pub(super) fn new(desc: &'static EventDesc) -> Self {
        Self::with_abi(desc, &ABI)
    }

    pub(super) fn with_abi(desc: &'static EventDesc, abi: &'static Abi) -> Self {
        let (bench, listener) = (Bench::of_event(desc), Lasting::new(Listener::default()));
        let id = register_with(&bench, listener.get(), abi).unwrap();
        Self { bench, listener, id }
    }

    pub(super) fn free(&self) -> bool {
        free(&self.bench, self.listener.get(), self.id)
    }

    pub(super) fn freed(&self) -> u64 {
        self.listener.get().freed.load(Relaxed)
    }

    fn callbacks(&self) -> u64 {
        self.listener.get().callbacks.load(Relaxed)
    }
}

/// The free callback runs once, after the last callback, and sees what callbacks did.
fn free_callbacks_come_last() {
    let tool = Rc::new(Tool::new(&TICK));
    at_once(&tool, [|_| raise(1), |tool| assert!(tool.free())]);
    assert_eq!(tool.freed(), 1);
    assert!(!TICK_CELL.has_listeners());
}

/// Free callbacks also follow two events that are raised at once.
fn free_callbacks_follow_all_raises() {
    let tool = Rc::new(Tool::new(&TICK));
    at_once(&tool, [|_| raise(1), |_| raise(2), |tool| assert!(tool.free())]);
    assert_eq!(tool.freed(), 1);
}

/// Free callbacks also follow the second event of a thread, which is in the same slot as the first.
fn free_callbacks_follow_later_raises() {
    let tool = Rc::new(Tool::new(&TICK));
    at_once(
        &tool,
        [
            |_| {
                raise(1);
                raise(2);
            },
            |tool| assert!(tool.free()),
        ],
    );
    assert_eq!(tool.freed(), 1);
}

/// One of several threads that free a registration succeeds, and the free callback runs once.
fn registrations_are_freed_once() {
    let tool = Rc::new(Tool::new(&TICK));
    let freed = Rc::new((tool, Cell::new(0)));
    fn free((tool, freed): &(Rc<Tool>, Cell<u64>)) {
        let here = u64::from(tool.free());
        freed.set(freed.get() + here);
    }
    at_once(&freed, [free, free]);
    assert_eq!((freed.0.freed(), freed.1.get()), (1, 1));
    assert!(!TICK_CELL.has_listeners());
}

/// A registration that follows a freed one gets its own events only.
fn registrations_are_reused_after_their_end() {
    let first = Tool::new(&TICK);
    let second = Lasting::new(Listener::default());
    let both = Rc::new((first, second));
    at_once(
        &both,
        [
            |_| raise(1),
            |(first, second)| {
                assert!(first.free());
                let later = register(&first.bench, second.get()).unwrap();
                assert!(later != first.id && !first.free(), "the old identifier is valid");
            },
        ],
    );
    let (first, second) = &*both;
    assert_eq!(first.freed(), 1);
    let before = second.get().callbacks.load(Relaxed);
    assert!(first.callbacks() + before <= 1);
    raise(2);
    assert_eq!(second.get().callbacks.load(Relaxed), before + 1);
}

/// No callback begins after the interface is finalized.
fn a_finalized_interface_is_silent() {
    let tool = Rc::new(Tool::new(&TICK));
    at_once(
        &tool,
        [
            |_| raise(1),
            |tool| {
                tool.bench.finalize().unwrap();
                let before = tool.callbacks();
                raise(2);
                // The callback of the first event may have begun before.
                let sum = tool.listener.get().sum.load(Relaxed);
                assert!(tool.callbacks() <= before + 1 && sum <= 1);
            },
        ],
    );
    assert!(!TICK_CELL.has_listeners());
    assert_eq!(tool.freed(), 0, "finalization calls no free callbacks");
}

fn raise_limited(number: u64) {
    LimitedTick::raise(Context::ANYWHERE, || LimitedTick(tick(number)));
}

fn deactivate(bench: &Bench) {
    assert!(ACTIVATION.end());
    bench.release(&ACTIVATION);
}

/// A registration whose plug-in is deactivated while an event is delivered can be freed, once.
fn abandoned_registrations_end_once() {
    ACTIVATION.begin();
    let tool = Rc::new(Tool::new(&LIMITED));
    at_once(&tool, [|_| raise_limited(1), |tool| deactivate(&tool.bench), |tool| assert!(tool.free())]);
    assert!(!LIMITED_CELL.has_listeners());
    assert!(!tool.free());
    assert_eq!(tool.freed(), 1);
}

/// A registration that is made while its plug-in is deactivated does not stay.
fn no_registration_begins_after_the_end() {
    ACTIVATION.begin();
    let shared = Rc::new((Bench::of_event(&LIMITED), Lasting::new(Listener::default())));
    at_once(
        &shared,
        [
            |(bench, _)| deactivate(bench),
            |(bench, listener)| unless_invalid(register(bench, listener.get()).map(drop)),
        ],
    );
    assert!(!LIMITED_CELL.has_listeners());
}

/// An event that is not delivered is counted, and reported once.
fn dropped_ones_are_counted() {
    let tool = Rc::new(Tool::new(&TICK));
    raise_restricted(1);
    at_once(&tool, [|_| raise_restricted(1), |_| raise(10)]);
    raise(100);
    let listener = tool.listener.get();
    assert_eq!((listener.sum.load(Relaxed), listener.dropped.load(Relaxed)), (110, 2));
}
