//! Event types of tables, and how they are raised.

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Acquire;

use super::abi::{self, EventCell};
use super::read::{Ruled, placed_list, placed_to_change};
use super::table::{Entry, Making, forever, forever_list};
use super::texts::{NAME, names, text, word};
use crate::desc::{Element, EnumDesc, EnumItem, EventDesc, LARGEST_EVENT, SourceDesc};
use crate::event::{self, Context};
use crate::registry::{Fault, Registry};
use crate::words::{Bind, Datatype, Safety, Verbosity};

impl Making {
    /// # Safety
    ///
    /// As [`super::register`].
    pub(super) unsafe fn event(&mut self, from: &abi::Event, entry: &Entry) -> Ruled<()> {
        let verbosity = word("verbosity", from.verbosity, Verbosity::ALL)?;
        let bind = word("bind", from.bind, Bind::ALL)?;
        // SAFETY: by the caller's promise.
        let source = unsafe { text("the name of its source", from.source, NAME) }?;
        let source = self.source_named(source)?;
        // SAFETY: by the caller's promise.
        let (elements, element_names) = unsafe { elements(from) }?;
        // SAFETY: by the caller's promise.
        let categories = unsafe { names("the name of one of its categories", from.categories) }?;
        placed_to_change("its cell", from.cell)?;
        // SAFETY: not null and aligned, and there for ever by the caller's promise; all its members are atomic.
        let cell: &'static EventCell = unsafe { &*from.cell };
        let core = forever(event::EventCell::with_mirror(&cell.listeners));
        let mut desc = EventDesc::new(entry.name, elements, source, core, entry.origin);
        if let Some(items) = element_names {
            // As the attribute `event` names it.
            let list: &'static str = format!("{}_elements", entry.name).leak();
            desc = desc.enumeration(forever(EnumDesc::new(list, items, entry.origin)));
        }
        if let Some(life) = self.life {
            desc = desc.living(life);
        }
        let desc =
            desc.component(self.component).description(entry.description).verbosity(verbosity).bind(bind);
        let desc = forever(desc.categories(self.categories_named(&categories, entry.origin)));
        self.made.image.events.push(desc);
        self.made.cells.events.push((cell, desc));
        Ok(())
    }

    fn source_named(&self, name: &str) -> Ruled<&'static SourceDesc> {
        if let Some(ours) = self.made.image.sources.iter().find(|desc| desc.name() == name) {
            return Ok(ours);
        }
        let registry = Registry::global();
        let known = registry.source_index(name).and_then(|index| registry.source(index));
        known.ok_or_else(|| {
            Fault::of("C35", format!("there is no source `{name}`, in the table or registered before"))
        })
    }
}

/// The elements of an event, and their names if they have any.
type Elements = (&'static [Element], Option<&'static [EnumItem]>);

/// # Safety
///
/// As [`super::register`].
unsafe fn elements(from: &abi::Event) -> Ruled<Elements> {
    let count = from.num_elements;
    if count == 0 {
        return Ok((&[], None));
    }
    if count > LARGEST_EVENT {
        let why = format!("{count} elements do not fit into {LARGEST_EVENT} bytes");
        return Err(Fault::of("C33", why));
    }
    placed_list("its list of elements", from.elements, count)?;
    let (mut all, mut items) = (Vec::new(), Vec::new());
    for place in 0..count {
        // SAFETY: within the list, by the caller's promise.
        let one: abi::Element = unsafe { from.elements.wrapping_add(place).read() };
        let inside = |fault: Fault| Fault { why: format!("element {place}: {}", fault.why), ..fault };
        let datatype = word("datatype", one.datatype, Datatype::ALL).map_err(inside)?;
        if one.displacement > LARGEST_EVENT {
            let why = format!("its displacement {} is too large", one.displacement);
            return Err(inside(Fault::of("C33", why)));
        }
        all.push(Element::new(datatype, one.displacement));
        if !one.name.is_null() {
            // SAFETY: by the caller's promise.
            let name = unsafe { text("its name", one.name, NAME) }.map_err(inside)?;
            items.push(EnumItem::new(place as i32, name));
        }
    }
    match items.len() {
        0 => Ok((forever_list(all), None)),
        named if named == count => Ok((forever_list(all), Some(forever_list(items)))),
        named => {
            Err(Fault::of("C34", format!("{named} of its {count} elements have names; all have, or none")))
        }
    }
}

/// `raise` of a `struct mpit_event_cell`: tells an event to those who listen.
///
/// # Safety
///
/// `cell` is null or a cell as the header says; `payload` is valid for reads of each element of the event, or null if it
/// has none.
pub(super) unsafe extern "C" fn raise(
    cell: *const EventCell,
    safety: c_int,
    object: u64,
    payload: *const c_void,
) {
    let body = || {
        // SAFETY: by the caller's promise.
        let Some(cell) = (unsafe { cell.as_ref() }) else { return };
        let desc = cell.event.load(Acquire).cast::<EventDesc>();
        // SAFETY: null, or stored when the table was registered, and there for ever.
        let Some(desc) = (unsafe { desc.as_ref() }) else { return };
        if payload.is_null() && !desc.elements().is_empty() {
            return;
        }
        // Of a context that nobody knows, everything is required.
        let known = usize::try_from(safety).ok().and_then(|at| Safety::ALL.get(at));
        let context = Context::requiring(known.copied().unwrap_or(Safety::AsyncSignalSafe)).about(object);
        // SAFETY: by the caller's promise; without elements nothing is read.
        unsafe { event::raise::raise(desc, context, payload.cast()) };
    };
    // What panicked was a defect of ours; the panic hook has told where, and the event is lost.
    let _ = catch_unwind(AssertUnwindSafe(body));
}
