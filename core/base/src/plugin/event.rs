//! Event types of tables.

use super::c_strings::{NAME, from_code, names, text};
use super::c_structs::{EntryResult, check_list, check_writable};
use super::c_table::{Entry, TableBuilder};
use crate::abi::{self, EventCell};
use crate::desc::{EnumDesc, EnumItem};
use crate::event::{self, Element, EventDesc, LARGEST_EVENT, SourceDesc};
use crate::leak::{leak, leak_list, leak_text};
use crate::os::readable::Pages;
use crate::registry::{Fault, Registry, Rule};
use crate::vocabulary::{Bind, Datatype, Verbosity};

impl TableBuilder {
    /// Adds an event type.
    ///
    /// # Safety
    ///
    /// `from` is an entry of a table that satisfies the conditions of [`super::register`].
    pub(super) unsafe fn event(&mut self, from: &abi::Event, entry: &Entry) -> EntryResult<()> {
        let verbosity = from_code("verbosity", from.verbosity, Verbosity::ALL)?;
        let bind = from_code("bind", from.bind, Bind::ALL)?;
        // SAFETY: the string is null or ends with a NUL, by the conditions of `register`.
        let source = unsafe { text(&mut self.pages, "the name of its source", from.source, NAME) }?;
        let source = self.source_named(source)?;
        // SAFETY: `from` is an entry of a table, so its lists and strings satisfy `mpit_plugin.h`: the caller ensures it.
        let (elements, element_names) = unsafe { elements(&mut self.pages, from) }?;
        // SAFETY: the list is null or ends with a null pointer, by the conditions of `register`.
        let categories =
            unsafe { names(&mut self.pages, "the name of one of its categories", from.categories) }?;
        check_writable(&mut self.pages, "its cell", from.cell)?;
        // SAFETY: `check_writable` checked that it is not null, aligned and writable; cells of a table are valid for the rest
        // of the process, by the conditions of `register`, and all members are atomic.
        let cell: &'static EventCell = unsafe { &*from.cell };
        let core = leak(event::EventCell::with_mirror(&cell.listeners));
        let element_names = element_names.map(|items| -> &'static EnumDesc {
            // The attribute `event` generates the same name.
            let list: &'static str = leak_text(format!("{}_elements", entry.name));
            leak(EnumDesc::new(list, items, entry.origin).of_plugin(self.activation))
        });
        let shared = self.metadata.shared(&categories, element_names, entry.origin);
        let desc = EventDesc::new(entry.metadata(shared), elements, source, core);
        let desc = leak(desc.with_verbosity(verbosity).with_bind(bind));
        self.definitions.image.events.push(desc);
        self.definitions.cells.events.push((cell, desc));
        Ok(())
    }

    fn source_named(&self, name: &str) -> EntryResult<&'static SourceDesc> {
        if let Some(ours) = self.definitions.image.sources.iter().find(|desc| desc.name() == name) {
            return Ok(ours);
        }
        let registry = Registry::global();
        let known = registry.source_index(name).and_then(|index| registry.source(index));
        known.ok_or_else(|| {
            if self.has_left_out("source", name) {
                return Fault::of(Rule::LeftOut, format!("its source `{name}` was left out"));
            }
            Fault::of(Rule::C35, format!("there is no source `{name}`, in the table or registered before"))
        })
    }
}

/// The elements of an event, and their names if they have any.
type Elements = (&'static [Element], Option<&'static [EnumItem]>);

/// Copies and checks the elements of an event type.
///
/// # Safety
///
/// `from` is an entry of a table that satisfies the conditions of [`super::register`].
unsafe fn elements(pages: &mut Pages, from: &abi::Event) -> EntryResult<Elements> {
    let count = from.num_elements;
    if count == 0 {
        return Ok((&[], None));
    }
    if count > LARGEST_EVENT {
        let why = format!("{count} elements do not fit into {LARGEST_EVENT} bytes");
        return Err(Fault::of(Rule::C33, why));
    }
    check_list(pages, "its list of elements", from.elements, count)?;
    let (mut all, mut items) = (Vec::new(), Vec::new());
    for place in 0..count {
        // SAFETY: `place` is less than `count`, and `check_list` checked that so many elements are aligned and readable.
        let one: abi::Element = unsafe { from.elements.wrapping_add(place).read() };
        let inside = |fault: Fault| fault.within(format_args!("element {place}"));
        let datatype = from_code("datatype", one.datatype, Datatype::ALL).map_err(inside)?;
        if one.displacement > LARGEST_EVENT {
            let why = format!("its displacement {} is too large", one.displacement);
            return Err(inside(Fault::of(Rule::C33, why)));
        }
        all.push(Element::new(datatype, one.displacement));
        if !one.name.is_null() {
            // SAFETY: the string is not null and ends with a NUL, by the conditions of `register`.
            let name = unsafe { text(pages, "its name", one.name, NAME) }.map_err(inside)?;
            items.push(EnumItem::new(place as i32, name));
        }
    }
    match items.len() {
        0 => Ok((leak_list(all), None)),
        named if named == count => Ok((leak_list(all), Some(leak_list(items)))),
        named => Err(Fault::of(
            Rule::C34,
            format!("{named} of its {count} elements have names; all have, or none"),
        )),
    }
}
