//! What definitions become: every attribute with every key, read back as tools see it.
//!
//! The lints below hold for what the attributes expand to as well.

#![forbid(unsafe_code)]
#![deny(missing_docs, warnings, clippy::all, clippy::pedantic)]
#![allow(clippy::cast_precision_loss, reason = "numbers of tests are small")]

mod classes;
mod combinations;
mod events;
mod functions;
mod groups;
mod places;
mod settings;

use mpit::desc::{EventDesc, PvarDesc};
use mpit::tool::Tool;
use mpit::words::Class;

/// A variable of this program.
fn pvar(name: &str, class: Class) -> &'static PvarDesc {
    let tool = Tool::new();
    let registry = tool.registry();
    let index = registry.pvar_index(name, class).unwrap_or_else(|| panic!("no {class} `{name}`"));
    registry.pvar(index).expect("an index that was just found")
}

/// An event type of this program.
fn event(name: &str) -> &'static EventDesc {
    let registry = Tool::new().registry();
    let index = registry.event_index(name).unwrap_or_else(|| panic!("no event `{name}`"));
    registry.event(index).expect("an index that was just found")
}
