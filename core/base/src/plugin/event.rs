//! Event types of tables.

use super::c_strings::{NAME, borrowed, from_code, names, text};
use super::c_structs::{EntryResult, Specified, list, member, read_array, shared_cell};
use super::c_table::{Entry, TableBuilder};
use crate::abi;
use crate::desc::{EnumDesc, EnumItem};
use crate::event::{self, Element, EventDesc, LARGEST_EVENT, SourceDesc};
use crate::leak::{leak, leak_list, leak_text};
use crate::os::readable::Pages;
use crate::registry::{Fault, Registry, Rule};
use crate::vocabulary::{Bind, Datatype, Verbosity};

impl TableBuilder {
    /// Adds an event type.
    pub(super) fn event(&mut self, from: &Specified<'_, abi::Event>, entry: &Entry) -> EntryResult<()> {
        let verbosity = from_code("verbosity", from.verbosity, Verbosity::ALL)?;
        let bind = from_code("bind", from.bind, Bind::ALL)?;
        let source = borrowed(&mut self.pages, "the name of its source", member!(from, source), NAME)?;
        let source = self.source_named(source)?;
        let (elements, element_names) = elements(&mut self.pages, from)?;
        let categories =
            names(&mut self.pages, "the name of one of its categories", member!(from, categories))?;
        let cell = shared_cell(&mut self.pages, "its cell", member!(from, cell))?;
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
fn elements(pages: &mut Pages, from: &Specified<'_, abi::Event>) -> EntryResult<Elements> {
    let count = from.num_elements;
    if count > LARGEST_EVENT {
        let why = format!("{count} elements do not fit into {LARGEST_EVENT} bytes");
        return Err(Fault::of(Rule::C33, why));
    }
    let list = read_array(pages, "its list of elements", list!(from, elements, num_elements))?;
    let (mut all, mut items) = (Vec::new(), Vec::new());
    for (place, one) in list.iter().enumerate() {
        let inside = |fault: Fault| fault.within(format_args!("element {place}"));
        let datatype = from_code("datatype", one.datatype, Datatype::ALL).map_err(inside)?;
        if one.displacement > LARGEST_EVENT {
            let why = format!("its displacement {} is too large", one.displacement);
            return Err(inside(Fault::of(Rule::C33, why)));
        }
        all.push(Element::new(datatype, one.displacement));
        if !one.name.is_null() {
            let name = text(pages, "its name", member!(one, name), NAME).map_err(inside)?;
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
