//! What this image gives to a host that loads it as a plug-in: its definitions, as the tables of `mpit_plugin.h`.
//!
//! Nothing of Rust crosses: a host has a copy of this crate of its own, perhaps another version made by another
//! compiler, or none. So each definition becomes a struct of C whose functions call the definition's; the structs are
//! made once and stay for ever. No panic leaves the functions.

mod component;
mod cvar;
mod event;
mod groups;
mod pvar;
mod tables;
#[cfg(test)]
mod tests;
mod text;

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null;
use std::sync::OnceLock;

use super::{abi, image};
use crate::__private::{MPIT_COMPONENTS_V1, MPIT_PLUGINS_V1};
use crate::desc::Origin;
use crate::registry::{Image, Refusal};
use crate::threads;
use tables::Tables;

/// What `plugin!` says of a plug-in.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name, for messages and as the first key of the order of indices.
    pub name: &'static str,
    /// Where it says so.
    pub origin: Origin,
    /// Called before its variables appear.
    pub activate: Option<fn() -> crate::Result<()>>,
    /// Called after its variables lost their values.
    pub deactivate: Option<fn()>,
}

/// What was made for the host.
#[derive(Debug)]
struct Exported {
    about: &'static About,
    plugin: abi::Plugin,
}

// SAFETY: the pointers lead to what is never changed or freed, but for cells, which are atomic.
unsafe impl Send for Exported {}
// SAFETY: as above.
unsafe impl Sync for Exported {}

/// One image is one plug-in.
static EXPORTED: OnceLock<Exported> = OnceLock::new();

/// Whether a host has this image's definitions, so that this copy of the crate lists none itself.
pub(crate) fn is_exported() -> bool {
    is_made() && !image::is_adopted()
}

/// Returns true if a host has this image's definitions, in whatever way.
pub(super) fn is_made() -> bool {
    EXPORTED.get().is_some()
}

/// The definitions of an image that is no plug-in, or is not loaded as one. `None` if there are none to give.
pub(super) fn export_image(host: Option<&abi::Host>) -> Option<&'static abi::Plugin> {
    let about = match &MPIT_PLUGINS_V1[..] {
        [about, ..] => about,
        [] => default_about()?,
    };
    if !image::give() {
        return None;
    }
    export(host, about)
}

/// Returns the description of an image without `plugin!`; `None` if it defines nothing.
fn default_about() -> Option<&'static About> {
    let own = env!("CARGO_PKG_NAME");
    let linked = Image::linked();
    let pvars = linked.pvars.iter().map(|desc| (desc.owner(), desc.origin()));
    let cvars = linked.cvars.iter().map(|desc| (desc.owner(), desc.origin()));
    let events = linked.events.iter().map(|desc| (desc.owner(), desc.origin()));
    let components = MPIT_COMPONENTS_V1.iter().map(|desc| (desc.name(), desc.origin()));
    let (name, origin) =
        pvars.chain(cvars).chain(events).chain(components).find(|(owner, _)| *owner != own)?;
    Some(Box::leak(Box::new(About { name, origin, activate: None, deactivate: None })))
}

/// The body of `mpit_plugin_v1`: the definitions of this image, made at the first call. `None` for a host that speaks of
/// other structs.
#[must_use]
pub fn export(host: Option<&abi::Host>, about: &'static About) -> Option<&'static abi::Plugin> {
    let host = host?;
    if host.magic != abi::MAGIC || host.major != abi::MAJOR {
        return None;
    }
    Some(&EXPORTED.get_or_init(|| Exported::of_linked(about)).plugin)
}

impl Exported {
    /// The definitions that are linked into this image, but for this crate's own, which the host has as well.
    fn of_linked(about: &'static About) -> Self {
        let made: Result<text::Made<*const abi::Table>, _> = catch_unwind(|| {
            only_one(&MPIT_PLUGINS_V1)?;
            let mut image = Image::linked();
            let own = env!("CARGO_PKG_NAME");
            image.cvars.retain(|desc| desc.owner() != own);
            let (tables, left_out) = Tables::of(about.name, &image, &MPIT_COMPONENTS_V1)?;
            report(&left_out);
            Ok(tables.leak())
        });
        match made.unwrap_or_else(|_| {
            Err("its definitions could not be gathered, which is a defect of mpit".into())
        }) {
            Ok(table) => Self::new(about, table, null()),
            Err(problem) => Self::new(about, null(), text::or_empty(&problem)),
        }
    }

    fn new(about: &'static About, table: *const abi::Table, problem: *const std::ffi::c_char) -> Self {
        let plugin = abi::Plugin {
            magic: abi::MAGIC,
            major: abi::MAJOR,
            minor: abi::MINOR,
            size: size_of::<abi::Plugin>(),
            name: text::or_empty(about.name),
            table,
            activate: about.activate.map(|_| activate as _),
            deactivate: about.deactivate.map(|_| deactivate as _),
            problem,
            set_concurrent: Some(set_concurrent),
        };
        Self { about, plugin }
    }
}

/// An image with two plug-ins in it would be the one or the other, whichever the linker took.
fn only_one(plugins: &[&About]) -> text::Made<()> {
    if let [one, other, ..] = plugins {
        let [one, other] = [one, other].map(|about| format!("`{}` at {}", about.name, about.origin));
        return Err(format!("two plug-ins are linked into it, {one} and {other}; leave one `plugin!` away"));
    }
    Ok(())
}

/// Tells people what was left out, each in one line.
#[allow(clippy::print_stderr, reason = "nobody else is there to tell")]
fn report(left_out: &[Refusal]) {
    for refusal in left_out {
        eprintln!("{refusal}");
    }
}

/// What a function of this image says, or `otherwise` if it panics; the panic hook has told where.
fn guarded<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

/// An outcome as the functions of C tell it: 0, or anything else for a failure.
fn code(outcome: crate::Result<()>) -> c_int {
    outcome.err().map_or(0, crate::Error::code)
}

unsafe extern "C" fn activate() -> c_int {
    let Some(activate) = EXPORTED.get().and_then(|exported| exported.about.activate) else { return 0 };
    guarded(crate::Error::Invalid.code(), || code(activate()))
}

unsafe extern "C" fn deactivate() {
    if let Some(deactivate) = EXPORTED.get().and_then(|exported| exported.about.deactivate) {
        guarded((), deactivate);
    }
}

unsafe extern "C" fn set_concurrent(concurrent: c_int) {
    threads::set_concurrent(concurrent != 0);
}
