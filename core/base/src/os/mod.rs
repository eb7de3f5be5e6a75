//! The system around this process: its environment, files, memory and terminal.

pub mod environment;
pub mod files;
#[cfg(feature = "store")]
pub mod mapping;
#[cfg(any(feature = "host", feature = "store"))]
pub mod own_process;
#[cfg(feature = "host")]
pub mod peer_port;
#[cfg(feature = "host")]
pub mod readable;
pub(crate) mod terminal;
pub mod trusted_path;

pub use terminal::printable;
