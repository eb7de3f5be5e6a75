//! Runs the models of the lock-free structures, on the sources of `core`, compiled against a standard library of loom's.
#![cfg(not(test))]
#![allow(
    dead_code,
    unused_imports,
    reason = "all of core is compiled, of which models use parts, and nothing is public here"
)]
#![allow(clippy::duplicate_mod, reason = "a model of a private structure contains its source once more")]
#![allow(clippy::modulo_one, reason = "some tables have one slot here, so that they run out")]
#![allow(clippy::new_without_default, reason = "for statics of core, and `Default` is not const")]
extern crate mpit_models_std as std;
extern crate self as mpit;

/// `std::thread_local`, for the threads of a model.
macro_rules! thread_local {
    ($($(#[$meta:meta])* static $name:ident: $type:ty = const { $initial:expr };)*) => {$(
        $(#[$meta])*
        static $name: std::thread::LocalKey<$type> = std::thread::LocalKey::new(|| $initial);
    )*};
}

#[path = "../../base/src/abi.rs"]
pub mod abi;
#[path = "../../base/src/cell/mod.rs"]
pub mod cell;
#[path = "../../base/src/component/mod.rs"]
pub mod component;
#[path = "../../base/src/cvar/mod.rs"]
pub mod cvar;
#[path = "../../base/src/desc/mod.rs"]
mod desc;
#[path = "../../base/src/error.rs"]
mod error;
#[path = "../../base/src/event/mod.rs"]
pub mod event;
#[path = "../../base/src/export/mod.rs"]
mod export;
#[path = "../../base/src/host/mod.rs"]
pub mod host;
#[path = "../../base/src/internal.rs"]
pub mod internal;
#[path = "../../base/src/leak.rs"]
mod leak;
#[path = "../../base/src/lists/mod.rs"]
mod lists;
#[path = "../../base/src/object.rs"]
pub mod object;
#[path = "../../base/src/os/mod.rs"]
pub mod os;
#[path = "../../base/src/panic.rs"]
pub mod panic;
#[path = "../../base/src/plugin/mod.rs"]
mod plugin;
#[path = "../../base/src/process.rs"]
mod process;
#[path = "../../base/src/registry/mod.rs"]
pub mod registry;
#[path = "../../base/src/session/mod.rs"]
pub mod session;
#[path = "../../base/src/tool/mod.rs"]
pub mod tool;

#[path = "../../base/src/__private.rs"]
pub mod __private;

mod proofs;

pub use desc::{Category, MpitEnum};
pub use error::{Error, Result};
pub use mpit_macros::{MpitEnum, category, component, cvar, event, plugin, pvar, source};
use mpit_models_sync::{
    active_calls, atomic_record, barrier, errno, lock, log, memory, probe_table, slots, sparse, static_ref,
    thread_end, thread_number,
};
pub use mpit_vocabulary as vocabulary;

pub fn components() -> impl Iterator<Item = &'static component::ComponentDesc> {
    lists::all(lists::dependents::Reader::Other).flat_map(|lists| lists.components).copied()
}

fn main() -> std::process::ExitCode {
    std::harness::main(&proofs::all())
}
