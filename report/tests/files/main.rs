//! Reading of files, with mistakes and without, and what is made of them.

mod malformed;
mod output;
mod read;
mod support;
