//! The fixture of event tests: a source with two event types, and tools that record what they receive.

use std::ffi::c_void;
use std::sync::Mutex;

use mpit::Result;
use mpit::event::{
    Abi, Context, Delivery, DropReport, EventCell, FreeNotice, InstanceId, RegistrationId, Safety,
    SourceCell, instance, raise,
};
use mpit::internal::desc::{Element, Origin};
use mpit::internal::plugin::Activation;
use mpit::internal::registry::Image;
use mpit::internal::session::{Interface, Limits};
use mpit::internal::vocabulary::SourceOrder;
use mpit::object::{Bind, Object};
use mpit::tool::{Datatype, EventDesc, Registry, SourceDesc};

use crate::support::metadata::{VariableMetadata, variable};
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
    Drops(i64),
    /// The free callback.
    End,
}

/// Returns an event that a callback of the lowest level received in a context without requirements.
pub(crate) fn event(number: u64) -> Delivered {
    Delivered::Event(number, Safety::None, Safety::None)
}

/// The `user_data` of a tool's functions: the tool that they belong to, and their level.
pub(crate) struct CallbackData {
    pub(crate) label: char,
    level: Safety,
    log: &'static DeliveryLog,
    /// A function that the callback calls at its end.
    action: Option<fn(&Delivery, &Self)>,
    pub(crate) fixture: EventFixture,
}

impl CallbackData {
    /// The registration that a callback was called for.
    pub(crate) fn tool(&self, id: RegistrationId) -> Tool {
        Tool { fixture: self.fixture, label: self.label, id }
    }
}

/// The deliveries to tools, in order.
#[derive(Debug, Default)]
pub(crate) struct DeliveryLog {
    delivered: Mutex<Vec<(char, Delivered)>>,
    pub(crate) deliveries: Mutex<Vec<(InstanceId, RegistrationId, i64)>>,
    pub(crate) reports: Mutex<Vec<(RegistrationId, u32, Safety)>>,
    pub(crate) frees: Mutex<Vec<(RegistrationId, Safety)>>,
}

impl DeliveryLog {
    /// Returns the deliveries since the last call.
    pub(crate) fn take_deliveries(&self) -> Vec<(char, Delivered)> {
        std::mem::take(&mut self.delivered.lock().unwrap())
    }

    /// Adds an entry of the test's own.
    pub(crate) fn mark(&self, label: char) {
        self.write(label, Delivered::End);
    }

    fn write(&self, label: char, delivered: Delivered) {
        self.delivered.lock().unwrap().push((label, delivered));
    }
}

pub(crate) fn number_of(id: InstanceId) -> Result<u64> {
    let mut number = 0_u64;
    // SAFETY: the call writes at most one element, and no data type is larger than the 8 bytes of `number`.
    unsafe { instance::read(id, 0, (&raw mut number).cast()) }.map(|()| number)
}

/// A handler of drops: it records the count, or the negative count.
#[derive(Clone, Copy)]
pub(crate) enum DropHandler {
    Plain = 1,
    Negating = 2,
}

/// The pointer that tests register in place of a function: [`ABI`] ignores it, or takes it for the number of a [`DropHandler`].
fn function(number: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(number)
}

// SAFETY: tests register pointers of `function` with this `Abi`, and a `CallbackData` that is never freed.
pub(crate) static ABI: Abi = unsafe { Abi::new(deliver, report, free_callback) };

unsafe extern "C" fn deliver(_: *mut c_void, delivery: &Delivery) {
    // SAFETY: tests pass a `CallbackData`, which is leaked.
    let callback_data = unsafe { &*delivery.user_data.cast::<CallbackData>() };
    let CallbackData { label, level, log, action, .. } = callback_data;
    let number = number_of(delivery.instance).unwrap_or(u64::MAX);
    log.write(*label, Delivered::Event(number, delivery.safety, *level));
    let time = instance::timestamp(delivery.instance).unwrap();
    log.deliveries.lock().unwrap().push((delivery.instance, delivery.registration, time));
    if let Some(action) = action {
        action(delivery, callback_data);
    }
}

unsafe extern "C" fn report(function: *mut c_void, report: &DropReport) {
    // SAFETY: tests pass a `CallbackData`, which is leaked.
    let CallbackData { label, log, .. } = unsafe { &*report.user_data.cast::<CallbackData>() };
    if function.addr() == DropHandler::Negating as usize {
        return log.write(*label, Delivered::Drops(-report.count));
    }
    log.write(*label, Delivered::Drops(report.count));
    log.reports.lock().unwrap().push((report.registration, report.source, report.safety));
}

unsafe extern "C" fn free_callback(_: *mut c_void, notice: &FreeNotice) {
    // SAFETY: tests pass a `CallbackData`, which is leaked.
    let CallbackData { label, log, .. } = unsafe { &*notice.user_data.cast::<CallbackData>() };
    log.write(*label, Delivered::End);
    log.frees.lock().unwrap().push((notice.registration, notice.safety));
}

/// A source with two event types, `sent` and `seen`, of which the second is bound to communicators.
#[derive(Clone, Copy)]
pub(crate) struct EventFixture {
    pub(crate) bench: Bench,
    pub(crate) source: &'static SourceDesc,
    pub(crate) log: &'static DeliveryLog,
    sent: &'static EventDesc,
    seen: &'static EventDesc,
}

impl EventFixture {
    pub(crate) fn new() -> Self {
        Self::with(SourceOrder::Ordered, Limits::default())
    }

    pub(crate) fn with(order: SourceOrder, limits: Limits) -> Self {
        Self::of_events(Payload::ELEMENTS, order, limits, variable)
    }

    pub(crate) fn without_elements() -> Self {
        Self::of_events(&[], SourceOrder::Ordered, Limits::default(), variable)
    }

    /// Creates a fixture with the event types of a plug-in with this activation.
    pub(crate) fn with_activation(activation: &'static Activation) -> Self {
        let change = |name| variable(name).with_activation(activation);
        Self::of_events(Payload::ELEMENTS, SourceOrder::Ordered, Limits::default(), change)
    }

    fn of_events(
        elements: &'static [Element],
        order: SourceOrder,
        limits: Limits,
        metadata: impl Fn(&'static str) -> VariableMetadata,
    ) -> Self {
        let origin = Origin::new(file!(), line!());
        let clock = variable("clock").metadata(origin);
        let source = leak(SourceDesc::new(clock, order, leak(SourceCell::new())));
        let event =
            |name| EventDesc::new(metadata(name).metadata(origin), elements, source, leak(EventCell::new()));
        let (sent, seen) = (leak(event("sent")), leak(event("seen").with_bind(Bind::Comm)));
        let mut image = Image::new("test");
        image.events = vec![sent, seen];
        let registry = Registry::new();
        assert!(registry.add(&image, &[]).is_empty());
        Self { bench: Bench::over(registry, limits), source, log: leak(DeliveryLog::default()), sent, seen }
    }

    pub(crate) fn interface(&self) -> &'static Interface {
        self.bench.interface
    }

    pub(crate) fn send(&self, number: u64, safety: Safety) {
        raise_numbered(self.sent, Context::requiring(safety), number);
    }

    /// Raises `sent`, which is not bound, with a communicator.
    pub(crate) fn send_on(&self, number: u64, comm: u64) {
        raise_numbered(self.sent, Context::ANYWHERE.about(comm), number);
    }

    /// Raises `seen` for a communicator.
    pub(crate) fn see(&self, number: u64, comm: u64) {
        raise_numbered(self.seen, Context::ANYWHERE.about(comm), number);
    }

    /// A registration for `sent` without functions.
    pub(crate) fn listen(&self, label: char) -> Tool {
        self.listen_to("sent", label)
    }

    pub(crate) fn listen_to(&self, event: &str, label: char) -> Tool {
        let index = self.bench.registry().event_index(event).unwrap();
        let id = self.interface().event_handle_alloc(index, None, &ABI).unwrap();
        Tool { fixture: *self, label, id }
    }

    /// Returns a fixture with the same log, for events of another interface.
    pub(crate) fn on_interface(self, interface: &'static Interface) -> Self {
        Self { bench: Bench { interface }, ..self }
    }

    /// A registration for `seen`, bound to a communicator.
    pub(crate) fn listen_bound(&self, label: char, comm: u64) -> Tool {
        let index = self.bench.registry().event_index("seen").unwrap();
        let object = Object::world(comm, 4);
        let id = self.interface().event_handle_alloc(index, Some(&object), &ABI).unwrap();
        Tool { fixture: *self, label, id }
    }

    /// Asserts that these are all the deliveries since the last call.
    #[track_caller]
    pub(crate) fn assert_delivered(&self, expected: &[(char, Delivered)]) {
        assert_eq!(self.log.take_deliveries(), expected);
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
    pub(crate) fixture: EventFixture,
    pub(crate) label: char,
    pub(crate) id: RegistrationId,
}

impl Tool {
    fn callback_data(&self, level: Safety, action: Option<fn(&Delivery, &CallbackData)>) -> *mut c_void {
        let (label, log, fixture) = (self.label, self.fixture.log, self.fixture);
        std::ptr::from_ref(leak(CallbackData { label, level, log, action, fixture })).cast_mut().cast()
    }

    pub(crate) fn on(self, level: Safety) -> Self {
        self.register(level, None).unwrap();
        self
    }

    /// Registers a callback that does something else after it recorded what it received.
    pub(crate) fn on_with(self, level: Safety, action: fn(&Delivery, &CallbackData)) -> Self {
        self.register(level, Some(action)).unwrap();
        self
    }

    pub(crate) fn register(&self, level: Safety, action: Option<fn(&Delivery, &CallbackData)>) -> Result<()> {
        let callback_data = self.callback_data(level, action);
        // SAFETY: `ABI` ignores the function, and its data is never freed.
        unsafe {
            self.fixture.interface().event_register_callback(self.id, level, function(1), callback_data)
        }
    }

    pub(crate) fn off(&self, level: Safety) {
        let null = std::ptr::null_mut();
        // SAFETY: null is permitted, and removes the callback.
        unsafe { self.fixture.interface().event_register_callback(self.id, level, null, null) }.unwrap();
    }

    pub(crate) fn count_drops(self) -> Self {
        self.handle_drops(Some(DropHandler::Plain)).unwrap();
        self
    }

    pub(crate) fn handle_drops(&self, handler: Option<DropHandler>) -> Result<()> {
        let handler = function(handler.map_or(0, |handler| handler as usize));
        // SAFETY: null, or the number of a `DropHandler`, as `ABI` requires.
        unsafe { self.fixture.interface().event_set_dropped_handler(self.id, handler) }
    }

    pub(crate) fn free(&self) -> Result<()> {
        let callback_data = self.callback_data(Safety::None, None);
        // SAFETY: `ABI` ignores the function, and its data is never freed.
        unsafe { self.fixture.interface().event_handle_free(self.id, callback_data, function(1)) }
    }

    pub(crate) fn free_without_callback(&self) -> Result<()> {
        let null = std::ptr::null_mut();
        // SAFETY: null is permitted, and means that no free callback runs.
        unsafe { self.fixture.interface().event_handle_free(self.id, null, null) }
    }
}

pub(crate) fn then_free(delivery: &Delivery, callback_data: &CallbackData) {
    callback_data.tool(delivery.registration).free().unwrap();
}
