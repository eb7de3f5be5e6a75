//! A source with two event types, and tools that record what they receive.

use std::ffi::c_void;
use std::sync::Mutex;

use mpit::Result;
use mpit::desc::{Element, EventDesc, Origin, SourceDesc};
use mpit::event::{
    Abi, Context, Delivery, DropReport, EventCell, FreeNotice, Hints, InstanceId, RegistrationId, SourceCell,
    instance, raise,
};
use mpit::object::Object;
use mpit::plugin::Activation;
use mpit::registry::{Image, Registry};
use mpit::session::{Interface, Limits};
use mpit::vocabulary::{Bind, Datatype, Safety, SourceOrder};

use crate::support::{Bench, leak};

pub(crate) const LEVELS: [Safety; 4] =
    [Safety::None, Safety::MpiRestricted, Safety::ThreadSafe, Safety::AsyncSignalSafe];

/// A message: elements of several sizes, with padding between them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Payload {
    pub(crate) number: u64,
    pub(crate) peer: i32,
    pub(crate) share: f64,
    pub(crate) letter: u8,
}

impl Payload {
    pub(crate) const ELEMENTS: &'static [Element] = &[
        Element::new(Datatype::Uint64, std::mem::offset_of!(Self, number)),
        Element::new(Datatype::Int32, std::mem::offset_of!(Self, peer)),
        Element::new(Datatype::Double, std::mem::offset_of!(Self, share)),
        Element::new(Datatype::Char, std::mem::offset_of!(Self, letter)),
    ];

    pub(crate) const fn numbered(number: u64) -> Self {
        Self { number, peer: -7, share: 0.75, letter: b'x' }
    }
}

/// A delivery to a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Delivered {
    /// An event: its number, the level of the context, and the level of the callback.
    Event(u64, Safety, Safety),
    /// So many losses.
    Drops(i64),
    /// The end.
    End,
}

/// The `user_data` of a tool's functions: the tool that they belong to, and their level.
pub(crate) struct Notes {
    pub(crate) who: char,
    level: Safety,
    book: &'static Book,
    /// A further step of the callback.
    then: Option<fn(&Delivery, &Self)>,
    pub(crate) stage: Stage,
}

impl Notes {
    /// The registration that a callback was called for.
    pub(crate) fn tool(&self, id: RegistrationId) -> Tool {
        Tool { stage: self.stage, who: self.who, id }
    }
}

/// The deliveries to tools, in order.
#[derive(Debug, Default)]
pub(crate) struct Book {
    delivered: Mutex<Vec<(char, Delivered)>>,
    pub(crate) deliveries: Mutex<Vec<(InstanceId, RegistrationId, i64)>>,
    pub(crate) reports: Mutex<Vec<(RegistrationId, u32, Safety)>>,
    pub(crate) farewells: Mutex<Vec<(RegistrationId, Safety)>>,
}

impl Book {
    /// Returns the deliveries since the last call.
    pub(crate) fn take_deliveries(&self) -> Vec<(char, Delivered)> {
        std::mem::take(&mut self.delivered.lock().unwrap())
    }

    /// A line of the test's own.
    pub(crate) fn note(&self, who: char) {
        self.write(who, Delivered::End);
    }

    fn write(&self, who: char, delivered: Delivered) {
        self.delivered.lock().unwrap().push((who, delivered));
    }
}

pub(crate) fn number_of(id: InstanceId) -> Result<u64> {
    let mut number = 0_u64;
    // SAFETY: the first element is a `u64`.
    unsafe { instance::read(id, 0, (&raw mut number).cast()) }.map(|()| number)
}

unsafe extern "C" fn on_event(delivery: &Delivery, notes: &Notes) {
    let number = number_of(delivery.instance).unwrap_or(u64::MAX);
    notes.book.write(notes.who, Delivered::Event(number, delivery.safety, notes.level));
    let time = instance::timestamp(delivery.instance).unwrap();
    notes.book.deliveries.lock().unwrap().push((delivery.instance, delivery.registration, time));
    if let Some(then) = notes.then {
        then(delivery, notes);
    }
}

unsafe extern "C" fn on_drops(report: &DropReport, notes: &Notes) {
    notes.book.write(notes.who, Delivered::Drops(report.count));
    notes.book.reports.lock().unwrap().push((report.registration, report.source, report.safety));
}

/// Another handler, which says so by a negative count.
unsafe extern "C" fn on_drops_otherwise(report: &DropReport, notes: &Notes) {
    notes.book.write(notes.who, Delivered::Drops(-report.count));
}

unsafe extern "C" fn on_end(notice: &FreeNotice, notes: &Notes) {
    notes.book.write(notes.who, Delivered::End);
    notes.book.farewells.lock().unwrap().push((notice.registration, notice.safety));
}

type OnEvent = unsafe extern "C" fn(&Delivery, &Notes);
type OnDrops = unsafe extern "C" fn(&DropReport, &Notes);
type OnEnd = unsafe extern "C" fn(&FreeNotice, &Notes);

pub(crate) const HANDLER: OnDrops = on_drops;
pub(crate) const OTHER_HANDLER: OnDrops = on_drops_otherwise;

/// The calls of the functions above.
// SAFETY: the functions take what this tool registers with them.
pub(crate) static ABI: Abi = unsafe { Abi::new(deliver, report, free_callback) };

unsafe extern "C" fn deliver(function: *mut c_void, delivery: &Delivery) {
    // SAFETY: with this `Abi` tests register functions of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, OnEvent>(function) };
    // SAFETY: tests register notes, which are leaked.
    let notes = unsafe { &*delivery.user_data.cast::<Notes>() };
    // SAFETY: the function has no further demands.
    unsafe { function(delivery, notes) };
}

unsafe extern "C" fn report(function: *mut c_void, report: &DropReport) {
    // SAFETY: with this `Abi` tests register functions of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, OnDrops>(function) };
    // SAFETY: tests register notes, which are leaked.
    let notes = unsafe { &*report.user_data.cast::<Notes>() };
    // SAFETY: the function has no further demands.
    unsafe { function(report, notes) };
}

unsafe extern "C" fn free_callback(function: *mut c_void, notice: &FreeNotice) {
    // SAFETY: with this `Abi` tests register functions of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, OnEnd>(function) };
    // SAFETY: tests register notes, which are leaked.
    let notes = unsafe { &*notice.user_data.cast::<Notes>() };
    // SAFETY: the function has no further demands.
    unsafe { function(notice, notes) };
}

/// A source with two event types, `sent` and `seen`, of which the second is bound to communicators.
#[derive(Clone, Copy)]
pub(crate) struct Stage {
    pub(crate) bench: Bench,
    pub(crate) source: &'static SourceDesc,
    pub(crate) book: &'static Book,
    sent: &'static EventDesc,
    seen: &'static EventDesc,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with(SourceOrder::Ordered, Limits::default())
    }

    pub(crate) fn with(order: SourceOrder, limits: Limits) -> Self {
        Self::of_elements(Payload::ELEMENTS, order, limits)
    }

    pub(crate) fn without_elements() -> Self {
        Self::of_elements(&[], SourceOrder::Ordered, Limits::default())
    }

    fn of_elements(elements: &'static [Element], order: SourceOrder, limits: Limits) -> Self {
        Self::of_events(elements, order, limits, |desc| desc)
    }

    /// Creates a stage with the event types of a plug-in with this activation.
    pub(crate) fn with_activation(activation: &'static Activation) -> Self {
        Self::of_events(Payload::ELEMENTS, SourceOrder::Ordered, Limits::default(), |desc| {
            desc.with_activation(activation)
        })
    }

    fn of_events(
        elements: &'static [Element],
        order: SourceOrder,
        limits: Limits,
        change: impl Fn(EventDesc) -> EventDesc,
    ) -> Self {
        let origin = Origin::new(file!(), line!());
        let source = leak(SourceDesc::new("clock", order, leak(SourceCell::new()), origin));
        let event = |name| change(EventDesc::new(name, elements, source, leak(EventCell::new()), origin));
        let (sent, seen) = (leak(event("sent")), leak(event("seen").with_bind(Bind::Comm)));
        let mut image = Image::new("test");
        image.events = vec![sent, seen];
        let registry = Registry::new();
        assert!(registry.add(&image, &[]).is_empty());
        Self { bench: Bench::over(registry, limits), source, book: leak(Book::default()), sent, seen }
    }

    pub(crate) fn interface(&self) -> &'static Interface {
        self.bench.interface
    }

    /// Raises `sent`.
    pub(crate) fn send(&self, number: u64, safety: Safety) {
        raise_numbered(self.sent, Context::requiring(safety), number);
    }

    /// Raises `sent` as something that concerns a communicator.
    pub(crate) fn send_about(&self, number: u64, comm: u64) {
        raise_numbered(self.sent, Context::ANYWHERE.about(comm), number);
    }

    /// Raises `seen` for a communicator.
    pub(crate) fn see(&self, number: u64, comm: u64) {
        raise_numbered(self.seen, Context::ANYWHERE.about(comm), number);
    }

    /// A registration for `sent` without functions.
    pub(crate) fn listen(&self, who: char) -> Tool {
        self.listen_with(who, Hints::default())
    }

    pub(crate) fn listen_with(&self, who: char, hints: Hints) -> Tool {
        self.listen_to("sent", who, hints)
    }

    pub(crate) fn listen_to(&self, event: &str, who: char, hints: Hints) -> Tool {
        let index = self.bench.registry().event_index(event).unwrap();
        let id = self.interface().event_handle_alloc(index, None, hints, &ABI).unwrap();
        Tool { stage: *self, who, id }
    }

    /// Returns a stage with this book, for events of another interface.
    pub(crate) fn over(self, interface: &'static Interface) -> Self {
        Self { bench: Bench { interface }, ..self }
    }

    /// A registration for `seen`, bound to a communicator.
    pub(crate) fn listen_about(&self, who: char, comm: u64) -> Tool {
        let index = self.bench.registry().event_index("seen").unwrap();
        let object = Object::world(comm, 4);
        let id = self.interface().event_handle_alloc(index, Some(&object), Hints::default(), &ABI).unwrap();
        Tool { stage: *self, who, id }
    }

    /// Asserts that these are all the deliveries since the last call.
    #[track_caller]
    pub(crate) fn assert_told(&self, expected: &[(char, Delivered)]) {
        assert_eq!(self.book.take_deliveries(), expected);
    }
}

/// Raises an event whose descriptor is not a constant, by the way that C code takes.
fn raise_numbered(desc: &'static EventDesc, context: Context, number: u64) {
    let payload = Payload::numbered(number);
    // SAFETY: the descriptor's elements are those of the payload.
    unsafe { raise::raise(desc, context, std::ptr::from_ref(&payload).cast()) };
}

/// A registration and its functions.
#[derive(Clone, Copy)]
pub(crate) struct Tool {
    pub(crate) stage: Stage,
    pub(crate) who: char,
    pub(crate) id: RegistrationId,
}

impl Tool {
    fn notes(&self, level: Safety, then: Option<fn(&Delivery, &Notes)>) -> *mut c_void {
        let (who, book, stage) = (self.who, self.stage.book, self.stage);
        std::ptr::from_ref(leak(Notes { who, level, book, then, stage })).cast_mut().cast()
    }

    /// Registers a callback for a level.
    pub(crate) fn on(self, level: Safety) -> Self {
        self.register(level, None).unwrap();
        self
    }

    /// Registers a callback that does something else after it recorded what it received.
    pub(crate) fn on_then(self, level: Safety, then: fn(&Delivery, &Notes)) -> Self {
        self.register(level, Some(then)).unwrap();
        self
    }

    pub(crate) fn register(&self, level: Safety, then: Option<fn(&Delivery, &Notes)>) -> Result<()> {
        let function = on_event as OnEvent as *mut c_void;
        let notes = self.notes(level, then);
        // SAFETY: `ABI` calls it as an `OnEvent`, and notes are never freed.
        unsafe { self.stage.interface().event_register_callback(self.id, level, function, notes) }
    }

    /// Removes the callback of a level.
    pub(crate) fn off(&self, level: Safety) {
        let null = std::ptr::null_mut();
        // SAFETY: removes a callback.
        unsafe { self.stage.interface().event_register_callback(self.id, level, null, null) }.unwrap();
    }

    /// Sets the handler of drops.
    pub(crate) fn count_drops(self) -> Self {
        self.handle_drops(Some(HANDLER)).unwrap();
        self
    }

    pub(crate) fn handle_drops(&self, handler: Option<OnDrops>) -> Result<()> {
        let handler = handler.map_or(std::ptr::null_mut(), |handler| handler as *mut c_void);
        // SAFETY: null, or what `ABI` calls as an `OnDrops`.
        unsafe { self.stage.interface().event_set_dropped_handler(self.id, handler) }
    }

    pub(crate) fn free(&self) -> Result<()> {
        let notes = self.notes(Safety::None, None);
        // SAFETY: `ABI` calls it as an `OnEnd`, and notes are never freed.
        unsafe { self.stage.interface().event_handle_free(self.id, notes, on_end as OnEnd as *mut c_void) }
    }

    pub(crate) fn free_quietly(&self) -> Result<()> {
        let null = std::ptr::null_mut();
        // SAFETY: without a free callback nothing is called.
        unsafe { self.stage.interface().event_handle_free(self.id, null, null) }
    }
}

/// Frees the registration from within its callback.
pub(crate) fn then_free(delivery: &Delivery, notes: &Notes) {
    notes.tool(delivery.registration).free().unwrap();
}
