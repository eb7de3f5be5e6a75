//! The calls of an MPI library that embeds mpit: its state, the objects that it frees, and plug-ins that it loads itself.

#[doc(inline)]
pub use mpit::internal::host::set_initialized;
#[doc(inline)]
pub use mpit::internal::host::threads::set_concurrent;
#[doc(inline)]
pub use mpit::internal::plugin::{Plugin, Refused, load as load_plugin};
#[doc(inline)]
pub use mpit::internal::session::object_freed;
