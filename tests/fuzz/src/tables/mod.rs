//! Tables of `mpit_plugin.h` as C code could define them: valid, invalid, and with invalid pointers.
//!
//! The obligations that the header leaves to the caller are met: function pointers are valid, lists have the length in the
//! table, and storage has the size of its count.
//!
//! | module | contents |
//! |---|---|
//! | `entries` | tables and their entries, built from choices |
//! | `functions` | functions of variables |
//! | `memory` | all that a table refers to: texts, lists, cells |
//! | `tool` | uses of the registered entries |

#![allow(unsafe_code, reason = "registers tables as C code does")]

mod entries;
mod functions;
mod memory;
mod tool;

use arbitrary::Unstructured;
use mpit::internal::plugin::register_in;
use mpit::tool::Registry;

use memory::{Memory, zeros};

/// Builds a table from choices and registers it. It must be accepted as a whole or refused, and registered entries must be
/// usable.
pub fn target(data: &[u8]) {
    let mut memory = Memory::default();
    let Ok(table) = memory.table(&mut Unstructured::new(data)) else { return };
    let registry: &'static Registry = Box::leak(Box::new(Registry::new()));
    // SAFETY: `memory` owns all that the table refers to, and nothing uses the registry after this function has returned.
    let outcome = unsafe { register_in(registry, table) };
    // SAFETY: `memory` owns the table, and a table that was registered is readable.
    let registered = if outcome.is_ok() { unsafe { table.read_unaligned() } } else { zeros() };
    assert_eq!(registry.pvar_count() as usize, registered.num_pvars);
    assert_eq!(registry.cvar_count() as usize, registered.num_cvars);
    assert_eq!(registry.event_count() as usize, registered.num_events);
    assert_eq!(registry.source_count() as usize, registered.num_sources);
    match outcome {
        Ok(claim) => {
            tool::use_all(registry);
            memory.raise_events();
            drop(claim);
        }
        Err(why) => {
            assert!(!why.is_empty());
            memory.events_are_free();
        }
    }
}
