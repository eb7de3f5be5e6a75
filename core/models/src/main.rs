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

#[path = "../../src/abi.rs"]
mod abi;
#[path = "../../src/activation.rs"]
mod activation;
#[path = "../../src/active_calls.rs"]
mod active_calls;
#[path = "../../src/atomic_record.rs"]
mod atomic_record;
#[path = "../../src/barrier.rs"]
mod barrier;
#[path = "../../src/cell/mod.rs"]
pub mod cell;
#[path = "../../src/component/mod.rs"]
pub mod component;
#[path = "../../src/cvar/mod.rs"]
pub mod cvar;
#[path = "../../src/dependents/mod.rs"]
mod dependents;
#[path = "../../src/desc/mod.rs"]
mod desc;
#[path = "../../src/environment.rs"]
mod environment;
#[path = "../../src/errno.rs"]
mod errno;
#[path = "../../src/error.rs"]
mod error;
#[path = "../../src/event/mod.rs"]
pub mod event;
#[path = "../../src/files.rs"]
mod files;
#[path = "../../src/host.rs"]
mod host;
#[path = "../../src/internal.rs"]
pub mod internal;
#[path = "../../src/lists.rs"]
mod lists;
#[path = "../../src/lock.rs"]
mod lock;
#[path = "../../src/log.rs"]
mod log;
#[path = "../../src/mapping.rs"]
mod mapping;
#[path = "../../src/memory.rs"]
mod memory;
#[path = "../../src/object.rs"]
pub mod object;
#[path = "../../src/own_process.rs"]
mod own_process;
#[path = "../../src/panic.rs"]
mod panic;
#[path = "../../src/plugin/mod.rs"]
mod plugin;
#[path = "../../src/prelude.rs"]
pub mod prelude;
#[path = "../../src/printable.rs"]
mod printable;
#[path = "../../src/probe_table.rs"]
mod probe_table;
#[path = "../../src/readable.rs"]
mod readable;
#[path = "../../src/registry/mod.rs"]
mod registry;
#[path = "../../src/revision.rs"]
mod revision;
#[path = "../../src/session/mod.rs"]
mod session;
#[path = "../../src/slices.rs"]
mod slices;
#[path = "../../src/slots.rs"]
mod slots;
#[path = "../../src/sparse.rs"]
mod sparse;
#[path = "../../src/static_ref.rs"]
mod static_ref;
#[path = "../../src/thread_end.rs"]
mod thread_end;
#[path = "../../src/thread_number.rs"]
mod thread_number;
#[path = "../../src/threads.rs"]
mod threads;
#[path = "../../src/tool/mod.rs"]
pub mod tool;
#[path = "../../src/trusted_path.rs"]
mod trusted_path;
#[path = "../../src/whole.rs"]
mod whole;

#[path = "../../src/__private.rs"]
pub mod __private;

mod proofs;

pub use desc::{Category, MpitEnum};
pub use error::{Error, Result};
pub use mpit_macros::{MpitEnum, category, component, cvar, event, plugin, pvar, source};
use mpit_vocabulary as vocabulary;
pub(crate) use printable::printable;

pub fn components() -> impl Iterator<Item = &'static component::ComponentDesc> {
    slices::all(dependents::Reader::Other).flat_map(|lists| lists.components).copied()
}

fn main() -> std::process::ExitCode {
    std::harness::main(&proofs::all())
}
