//! A plug-in with a definition of every kind. Setting `every_step` to n has n things happen in it, each time so that a
//! tool can derive what it should have read.
#![forbid(unsafe_code)]

mod groups;
mod happenings;
mod settings;
mod traffic;
mod values;

mpit::plugin!(name = "every", activate = settings::activated, deactivate = settings::deactivated);
