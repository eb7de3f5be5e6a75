//! Files that are read, valid and damaged ones, and the reports of them.

mod data;
mod kept;
mod malformed;
mod origins;
mod output;
mod read;
mod support;
