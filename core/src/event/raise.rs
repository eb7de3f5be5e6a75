//! Raising events.

use super::instance::{Instance, Payload, payload_of};
use super::registration::{Functions, Registration};
use super::ring::Waiting;
use crate::desc::EventDesc;
use crate::words::Safety;

/// Where an event is raised: what it concerns, and what callbacks must be fit for there.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    object: u64,
    safety: Safety,
}

impl Context {
    /// A point in the program where callbacks may do anything.
    pub const ANYWHERE: Self = Self { object: 0, safety: Safety::None };

    /// A point where callbacks must meet a level.
    #[must_use]
    pub const fn requiring(safety: Safety) -> Self {
        Self { object: 0, safety }
    }

    /// The same point, for an event that concerns an object of the kind that its type is bound to, by the number that
    /// identifies it.
    #[must_use]
    pub const fn about(mut self, object: u64) -> Self {
        self.object = object;
        self
    }
}

/// An event type: a struct whose fields are the elements. Written as
/// `#[event(source = Clock)] struct Sent { peer: i32, bytes: u64 }`.
pub trait Event: Copy + 'static {
    /// The event type's descriptor.
    const DESC: &'static EventDesc;

    /// Whether somebody has registered for it: one load. To spare work that only serves the event.
    #[inline]
    #[must_use]
    fn has_listeners() -> bool {
        Self::DESC.cell().has_listeners()
    }

    /// Tells that it happened. `payload` is computed only if somebody listens.
    #[inline]
    fn raise(context: Context, payload: impl FnOnce() -> Self) {
        if Self::has_listeners() {
            let payload = payload();
            // SAFETY: the descriptor's elements are the fields of `Self`, which are initialized.
            let payload = unsafe { payload_of(Self::DESC, std::ptr::from_ref(&payload).cast()) };
            raise(Self::DESC, context, &payload);
        }
    }
}

#[cold]
fn raise(desc: &'static EventDesc, context: Context, payload: &Payload) {
    let source = desc.source();
    // What was observed before comes before, and so does the news of what was lost.
    let time = source.stamp();
    deliver_waiting(desc, context.safety);
    report_drops(desc, context.safety);
    let mut instance = None;
    for registration in desc.cell().registrations() {
        let Some(mut visit) = registration.enter() else { continue };
        visit.safety = context.safety;
        if !registration.is_bound_to(context.object) {
            continue;
        }
        let functions = registration.functions();
        let Some(callback) = functions.select(context.safety) else {
            defer_or_drop(registration, &functions, time, payload);
            continue;
        };
        if instance.is_none() {
            instance = Instance::new(desc, time, payload);
        }
        match &instance {
            Some(instance) => registration.deliver(callback, instance.id(), context.safety),
            None => registration.note_drop(&functions),
        }
    }
}

/// No callback of the registration is fit for the context.
fn defer_or_drop(registration: &Registration, functions: &Functions, time: i64, payload: &Payload) {
    let source = registration.desc.source().cell();
    let has_callback = functions.select(Safety::None).is_some();
    if registration.defers.load(std::sync::atomic::Ordering::Relaxed)
        && has_callback
        && let Some(ring) = source.waiting.get()
        && let Some(event) = source.events.iter().position(|event| std::ptr::eq(*event, registration.desc))
    {
        let waiting =
            Waiting { registration: registration.id().0, event: event as u32, time, payload: *payload };
        if ring.put(&waiting) {
            return;
        }
    }
    registration.note_drop(functions);
}

/// Delivers what waits at the source, as far as this context admits it.
fn deliver_waiting(desc: &EventDesc, safety: Safety) {
    let source = desc.source().cell();
    let Some(ring) = source.waiting.get() else { return };
    let owner = |waiting: &Waiting| {
        let event = source.events.get(waiting.event as usize)?;
        event.cell().registrations().find(|registration| registration.id().0 == waiting.registration)
    };
    // Nobody waits for a registration that is gone.
    let admits = |waiting: &Waiting| {
        owner(waiting).is_none_or(|registration| registration.functions().select(safety).is_some())
    };
    while let Some(waiting) = ring.take(admits) {
        let Some(registration) = owner(&waiting) else { continue };
        let Some(mut visit) = registration.enter() else { continue };
        visit.safety = safety;
        let functions = registration.functions();
        let instance = Instance::new(registration.desc, waiting.time, &waiting.payload);
        match (instance, functions.select(safety)) {
            (Some(instance), Some(callback)) => registration.deliver(callback, instance.id(), safety),
            _ => registration.note_drop(&functions),
        }
    }
}

/// Tells of losses of the source's events before its next one, whichever type that is of.
fn report_drops(desc: &EventDesc, safety: Safety) {
    let source = desc.source().cell();
    if source.pending.load(std::sync::atomic::Ordering::SeqCst) == 0 {
        return;
    }
    for event in source.events.iter() {
        for registration in event.cell().registrations() {
            if let Some(mut visit) = registration.enter() {
                visit.safety = safety;
                registration.report_drops(safety);
            }
        }
    }
}
