//! A plug-in with a definition of every kind. Setting `every_step` to n updates all variables and raises all events n times,
//! by amounts from which a tool can derive the expected values.
#![forbid(unsafe_code)]

mod events;
mod groups;
mod settings;
mod traffic;
mod values;

mpit::plugin!(name = "every", activate = settings::activated, deactivate = settings::deactivated);
