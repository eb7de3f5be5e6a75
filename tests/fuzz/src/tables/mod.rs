//! Tables of `mpit_plugin.h`, as C would write them: right, wrong, and with pointers that lead nowhere.
//!
//! The obligations that the header leaves to the caller are met: functions are functions, lists are as long as the table says, and storage is as
//! large as its count.
//!
//! | module | contents |
//! |---|---|
//! | `entries` | tables and their entries, made of choices |
//! | `functions` | functions of variables |
//! | `memory` | all that a table refers to: texts, lists, cells |
//! | `tool` | uses of what was registered |

#![allow(unsafe_code, reason = "hands tables over as C does")]

mod entries;
mod functions;
mod memory;
mod tool;

use arbitrary::Unstructured;
use mpit::plugin::register_in;
use mpit::registry::Registry;

use memory::{Memory, zeros};

/// Makes a table of choices and registers it: whole or not at all. What is registered can be used.
pub fn target(data: &[u8]) {
    let mut memory = Memory::default();
    let Ok(table) = memory.table(&mut Unstructured::new(data)) else { return };
    let registry: &'static Registry = Box::leak(Box::new(Registry::new()));
    // SAFETY: `memory` has all that the table refers to, and nothing uses the registry when this function has returned.
    let outcome = unsafe { register_in(registry, table) };
    // SAFETY: `memory` has the table, and a table that was registered can be read.
    let taken = if outcome.is_ok() { unsafe { table.read_unaligned() } } else { zeros() };
    assert_eq!(registry.pvar_count() as usize, taken.num_pvars);
    assert_eq!(registry.cvar_count() as usize, taken.num_cvars);
    assert_eq!(registry.event_count() as usize, taken.num_events);
    assert_eq!(registry.source_count() as usize, taken.num_sources);
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
