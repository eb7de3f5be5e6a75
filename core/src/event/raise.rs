//! Raising events.

use super::instance::{Instance, Payload};
use super::registration::Registration;
use crate::desc::EventDesc;
use crate::words::{Bind, Safety};

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

    /// Fills in the elements, each at its displacement. Written by the attribute.
    #[doc(hidden)]
    fn fill(&self, payload: &mut Payload);

    /// Tells that it happened. `payload` is computed only if somebody listens.
    #[inline]
    fn raise(context: Context, payload: impl FnOnce() -> Self) {
        if Self::DESC.cell().has_listeners() {
            announce(context, payload);
        }
    }
}

/// Computes the payload and tells it; kept out of the way of those to whom nobody listens.
#[inline(never)]
fn announce<E: Event>(context: Context, payload: impl FnOnce() -> E) {
    let mut elements = Payload::new();
    payload().fill(&mut elements);
    tell(E::DESC, context, &mut elements);
}

/// Raises an event that has a descriptor but no Rust type.
///
/// # Safety
///
/// `value` is valid for reads of each element of the event, at its displacement.
#[inline]
pub unsafe fn raise(desc: &'static EventDesc, context: Context, value: *const u8) {
    if desc.cell().has_listeners() {
        let mut elements = Payload::new();
        // SAFETY: by the caller's promise.
        unsafe { elements.copy(desc, value) };
        tell(desc, context, &mut elements);
    }
}

/// Tells everybody who listens.
#[inline(never)]
fn tell(desc: &'static EventDesc, context: Context, payload: &mut Payload) {
    if !desc.cell().is_of(desc) {
        return;
    }
    payload.complete(desc);
    let payload = payload.words();
    let safety = context.safety;
    // SAFETY: it has every element, just completed.
    if unsafe { desc.cell().hand_over(safety, context.object, payload.as_ptr().cast()) } {
        return;
    }
    let time = desc.source().stamp();
    desc.source().cell().settle(safety);
    let object = if desc.binding() == Bind::NoObject { 0 } else { context.object };
    let is_met = |slot: &&Registration| slot.is_live() && slot.is_bound_to(object);
    // Slots are looked at before a place is claimed, which costs more; what a slot says counts only then.
    let mut slots = desc.cell().registrations();
    let Some(first) = slots.find(is_met) else { return };
    let slots = std::iter::once(first).chain(slots);
    // One for all of them.
    let Some(instance) = Instance::claim(desc, safety) else {
        // Too many are there already.
        let visits = slots.filter_map(|slot| slot.enter(safety)).filter(|visit| visit.is_bound_to(object));
        return visits.for_each(|visit| visit.set_aside(time, payload));
    };
    let mut is_filled = false;
    for slot in slots.filter(is_met) {
        if slot.has_waiting() {
            slot.set_aside(time, payload);
            slot.catch_up(safety);
        } else if let Some(callback) = slot.functions.read(|record| record.select(safety)) {
            if !is_filled {
                instance.fill(time, payload);
                is_filled = true;
            }
            slot.deliver(callback, instance.id(), safety);
        } else {
            slot.set_aside(time, payload);
        }
        instance.pass(slot.place);
    }
}
