//! A plug-in, and `every`, which is one itself.
#![forbid(unsafe_code)]

use every as _;

mpit::plugin!(name = "twice");
