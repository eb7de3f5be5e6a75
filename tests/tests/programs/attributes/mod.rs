//! Results of definitions: every attribute with every key, read back as tools see them.
//!
//! The lints below apply to the expansions of the attributes, too.

#![forbid(unsafe_code)]
#![deny(missing_docs, warnings, clippy::all, clippy::pedantic)]
#![allow(clippy::cast_precision_loss, reason = "numbers of tests are small")]

mod classes;
mod combinations;
mod events;
mod functions;
mod groups;
mod hygiene;
mod places;
mod settings;
mod typed;

use mpit::tool::{Class, EventDesc, PvarDesc, Tool};

fn pvar(name: &str, class: Class) -> &'static PvarDesc {
    let tool = Tool::new();
    let registry = tool.registry();
    let index = registry.pvar_index(name, class).unwrap_or_else(|| panic!("no {class} `{name}`"));
    registry.pvar(index).expect("an index that was just found")
}

fn event(name: &str) -> &'static EventDesc {
    let registry = Tool::new().registry();
    let index = registry.event_index(name).unwrap_or_else(|| panic!("no event `{name}`"));
    registry.event(index).expect("an index that was just found")
}
