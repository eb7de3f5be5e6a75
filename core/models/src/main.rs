//! Models.
#![allow(dead_code, unused_imports)]
extern crate mpit_models_std as std;
extern crate self as mpit;

/// `std::thread_local`, for the threads of a model.
macro_rules! thread_local {
    ($($(#[$meta:meta])* static $name:ident: Cell<$type:ty> = const { Cell::new($value:expr) };)*) => {$(
        $(#[$meta])*
        static $name: std::thread::LocalCell<$type> = std::thread::LocalCell::new($value);
    )*};
}

#[path = "../../src/atomic_record.rs"]
mod atomic_record;
#[path = "../../src/cell/mod.rs"]
pub mod cell;
#[path = "../../src/cvar/mod.rs"]
pub mod cvar;
#[path = "../../src/desc/mod.rs"]
pub mod desc;
#[path = "../../src/environment.rs"]
pub mod environment;
#[path = "../../src/error.rs"]
mod error;
#[path = "../../src/event/mod.rs"]
pub mod event;
#[path = "../../src/files.rs"]
pub mod files;
#[path = "../../src/host.rs"]
pub mod host;
#[path = "../../src/lock.rs"]
pub mod lock;
#[path = "../../src/log.rs"]
pub mod log;
#[path = "../../src/mapping.rs"]
pub mod mapping;
#[path = "../../src/object.rs"]
pub mod object;
#[path = "../../src/plugin/mod.rs"]
pub mod plugin;
#[path = "../../src/prelude.rs"]
pub mod prelude;
#[path = "../../src/printable.rs"]
mod printable;
#[path = "../../src/readable.rs"]
pub mod readable;
#[path = "../../src/registry/mod.rs"]
pub mod registry;
#[path = "../../src/section.rs"]
mod section;
#[path = "../../src/session/mod.rs"]
pub mod session;
#[path = "../../src/slots.rs"]
pub mod slots;
#[path = "../../src/sparse.rs"]
pub mod sparse;
#[path = "../../src/static_ref.rs"]
pub mod static_ref;
#[path = "../../src/threads.rs"]
pub mod threads;
#[path = "../../src/tool/mod.rs"]
pub mod tool;
#[path = "../../src/traffic/mod.rs"]
pub mod traffic;
#[path = "../../src/vocabulary.rs"]
pub mod vocabulary;

#[path = "../../src/__private.rs"]
pub mod __private;

mod proofs;

pub use desc::{Category, MpitEnum};
pub use error::{Error, Result};
pub use mpit_macros::{MpitEnum, category, component, cvar, event, plugin, pvar, source};
pub use printable::printable;

pub fn components() -> impl Iterator<Item = &'static desc::ComponentDesc> {
    __private::MPIT_COMPONENTS_V1.iter().copied()
}

fn main() -> std::process::ExitCode {
    std::harness::main(&proofs::all())
}
