//! Export of event types and their sources.

use std::ffi::c_int;
use std::ptr::null;

use super::text::{ExportResult, list, optional, structs, text};
use crate::abi;
use crate::event::{EventDesc, SourceDesc};

pub(super) fn source(desc: &'static SourceDesc) -> ExportResult<abi::Source> {
    Ok(abi::Source {
        size: size_of::<abi::Source>(),
        name: text(desc.name())?,
        description: optional(desc.description())?,
        order: desc.order() as c_int,
        file: text(desc.origin().file())?,
        line: desc.origin().line(),
    })
}

/// Binds the cell of an event type to it. Returns the reason why the event type cannot be exported, if there is one.
pub(super) fn claim_cell(desc: &'static EventDesc) -> Option<&'static str> {
    if desc.cell().has_mirror() {
        return Some("the host counts the listeners of a plug-in's event: remove `listeners`");
    }
    if !desc.cell().claim(desc) {
        return Some("its cell serves another event type: each needs its own");
    }
    None
}

/// Returns the C struct of an event type. The host counts listeners in the cell that the event's own code checks.
pub(super) fn entry(desc: &'static EventDesc) -> ExportResult<abi::Event> {
    let names = desc.element_names().map_or(&[][..], |names| names.items());
    let name_of = |place: usize| match names.iter().find(|item| usize::try_from(item.value()) == Ok(place)) {
        Some(item) => text(item.name()),
        None => Ok(null()),
    };
    let elements = desc.elements().iter().enumerate().map(|(place, element)| {
        let (datatype, displacement) = (element.datatype() as c_int, element.displacement());
        Ok(abi::Element { datatype, displacement, name: name_of(place)? })
    });
    let (elements, num_elements) = structs(elements.collect::<ExportResult<Vec<_>>>()?);
    Ok(abi::Event {
        size: size_of::<abi::Event>(),
        name: text(desc.name())?,
        description: optional(desc.description())?,
        verbosity: desc.verbosity() as c_int,
        bind: desc.bind() as c_int,
        source: text(desc.source().name())?,
        elements,
        num_elements,
        categories: list(desc.categories().iter().map(|category| category.name()))?,
        cell: desc.cell().shared(),
        file: text(desc.origin().file())?,
        line: desc.origin().line(),
    })
}
