//! Start, stop, read, write, reset, readreset: rules R158 to R194 of the interface.

mod all_handles;
mod counter;
mod running;
mod values;
