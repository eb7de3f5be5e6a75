//! Definitions of every kind in a crate that knows `mpit` only as `tools`. Nothing here compiles if an attribute refers
//! to `::mpit`, uses `unsafe`, or adds an item that is public and undocumented.

#![forbid(unsafe_code)]
#![deny(missing_docs, warnings, clippy::pedantic)]

/// A category.
#[tools::category(name = "renamed_category", crate = tools)]
#[derive(Clone, Copy)]
pub struct Group;

/// A category in it.
#[tools::category(name = "renamed_inner", parent = Group, crate = tools)]
pub struct Inner;

/// An enumeration.
#[derive(Clone, Copy, tools::MpitEnum)]
#[mpit(crate = tools)]
#[repr(i32)]
pub enum Phase {
    /// An item.
    Idle,
}

/// A cell.
#[tools::pvar(class = "LEVEL", highwatermark, lowwatermark, category = Group, crate = tools)]
pub static RENAMED_LEVEL: tools::cell::Level<u64> = tools::cell::Level::new();

/// An array.
#[tools::pvar(class = "SIZE", bind = "COMM", count = |comm| 2 * comm.size(), on_start = begin, crate = tools)]
pub fn renamed_array(_: &tools::object::Comm<'_>, out: &mut [u64]) {
    out.fill(0);
}

/// A state.
#[tools::pvar(class = "STATE", crate = tools)]
#[must_use]
pub fn renamed_state() -> Phase {
    Phase::Idle
}

/// Few.
#[tools::pvar(class = "GENERIC", count = 3, crate = tools)]
pub fn renamed_few(out: &mut [i64]) {
    out.fill(0);
}

fn begin() {}

/// A setting.
#[tools::cvar(category = [Group, Inner], alias = "renamed", env = "RENAMED", crate = tools)]
pub static RENAMED_SETTING: tools::cvar::Cvar<u32> = tools::cvar::Cvar::new(1).range(0..=2);

/// The trait of components.
pub trait Listener: Send + Sync {}

/// A component.
pub struct Recorder;

#[tools::component(framework = "renamed", name = "recorder", crate = tools)]
impl Listener for Recorder {}

/// A source.
#[tools::source(ordered, name = "renamed_source", crate = tools)]
pub struct Clock;

/// An event.
#[tools::event(source = Clock, bind = "COMM", category = Group, verbosity = "USER_ALL", crate = tools)]
#[derive(Debug)]
pub struct RenamedEvent {
    /// An element.
    pub peer: i32,
    /// Another one.
    #[mpit(datatype = "UINT64_T")]
    pub bytes: u64,
}

tools::plugin!(name = "renamed", activate = activate, deactivate = deactivate, crate = tools);

fn activate() -> tools::Result<()> {
    if RENAMED_LEVEL.get() == 0 { Ok(()) } else { Err(tools::Error::NotAccessible) }
}

fn deactivate() {}
