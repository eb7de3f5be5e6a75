//! Export of this image's definitions to a host, the mpit that loads or adopts the image, as the tables of `mpit_plugin.h`.
//!
//! A plug-in written in Rust exports them by `plugin!`; other images, by their [`image`] note and [`announcement`]. Both also log
//! their faults for `mpit check` ([`fault_log`]).
//!
//! No Rust types cross the boundary: a host has its own copy of this crate, perhaps of another version or made by another
//! compiler, or none at all. Each definition becomes a C struct whose functions call the definition's; the structs are made once
//! and never freed. The functions catch panics.

pub mod announcement;
mod c_tables;
mod component;
mod cvar;
mod enums;
mod event;
pub mod fault_log;
mod groups;
pub mod image;
mod pvar;
#[cfg(test)]
mod tests;
mod text;

use std::ffi::c_int;
use std::ptr::null;
use std::sync::OnceLock;

use crate::abi;
use crate::desc::Origin;
use crate::host::threads;
use crate::leak::leak;
use crate::lists::dependents::Reader;
use crate::panic::catch_panic;
use crate::registry::{Image, Refusal};
use c_tables::Tables;

/// The component of the definitions of mpit itself, which a host has as well.
const OWN: &str = "mpit";

/// The arguments of `plugin!`.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The plug-in's name, for messages and as the first key of the order of indices.
    pub name: &'static str,
    /// The place of the `plugin!`.
    pub origin: Origin,
    /// The function that is called before the variables appear.
    pub activate: Option<fn() -> crate::Result<()>>,
    /// The function that is called after the variables lost their values.
    pub deactivate: Option<fn()>,
}

inventory::collect!(About);

/// Returns the descriptions that `plugin!` made in this image, which has at most one.
fn plugins() -> Vec<&'static About> {
    inventory::iter::<About>.into_iter().collect()
}

/// The structs that were made for the host.
#[derive(Debug)]
struct Exported {
    about: &'static About,
    plugin: abi::Plugin,
}

// SAFETY: its pointers lead to leaked memory that is not written, except for cells, which are atomic.
unsafe impl Send for Exported {}
// SAFETY: shared access only reads leaked memory that is not written, except for cells, which are atomic.
unsafe impl Sync for Exported {}

/// The export of this image, which is made at most once.
static EXPORTED: OnceLock<Exported> = OnceLock::new();

/// Returns true if a host loaded this image as a plug-in, so that this copy of the crate lists no definitions itself.
pub(crate) fn is_exported() -> bool {
    has_export() && !image::is_adopted()
}

/// Returns true if a host has this image's definitions, loaded as a plug-in or adopted.
pub(super) fn has_export() -> bool {
    EXPORTED.get().is_some()
}

/// Returns the definitions of an image that was not loaded as a plug-in, or `None` if there are none.
pub(super) fn export_image(host: Option<&abi::Host>) -> Option<&'static abi::Plugin> {
    let about = match plugins()[..] {
        [about, ..] => about,
        [] => default_about()?,
    };
    if !image::mark_adopted() {
        return None;
    }
    export_as(host, about)
}

/// Returns the description of an image without `plugin!`; `None` if it defines nothing.
fn default_about() -> Option<&'static About> {
    let linked = Image::linked(Reader::Other);
    let pvars = linked.pvars.iter().map(|desc| (desc.component(), desc.origin()));
    let cvars = linked.cvars.iter().map(|desc| (desc.component(), desc.origin()));
    let events = linked.events.iter().map(|desc| (desc.component(), desc.origin()));
    let components = crate::components().map(|desc| (desc.name(), desc.origin()));
    let (name, origin) =
        pvars.chain(cvars).chain(events).chain(components).find(|(owner, _)| *owner != OWN)?;
    Some(leak(About { name, origin, activate: None, deactivate: None }))
}

/// Returns the definitions of this image, a plug-in: the body of `mpit_plugin_v1`. `None` for a host with another version of the
/// structs.
pub fn export(host: Option<&abi::Host>) -> Option<&'static abi::Plugin> {
    export_as(host, plugins().first()?)
}

/// Returns the definitions of this image, made at the first call.
fn export_as(host: Option<&abi::Host>, about: &'static About) -> Option<&'static abi::Plugin> {
    let host = host?;
    if host.magic != abi::MAGIC || host.major != abi::MAJOR {
        return None;
    }
    Some(&EXPORTED.get_or_init(|| Exported::of_linked(about)).plugin)
}

impl Exported {
    /// Exports the definitions that are linked into this image, except for this crate's own, which the host has as well.
    fn of_linked(about: &'static About) -> Self {
        fault_log::open_for_panics();
        let made: Option<text::ExportResult<*const abi::Table>> = catch_panic(|| {
            only_one(&plugins())?;
            let mut image = Image::linked(Reader::Export);
            image.cvars.retain(|desc| desc.component() != OWN);
            let (tables, left_out) =
                Tables::of(about.name, &image, &crate::components().collect::<Vec<_>>())?;
            report(&left_out);
            Ok(tables.leak())
        });
        match made
            .unwrap_or_else(|| Err("its definitions could not be exported, which is a defect of mpit".into()))
        {
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

/// Refuses an image with two plug-ins in it, since the linker would choose one of their entry functions arbitrarily.
fn only_one(plugins: &[&About]) -> text::ExportResult<()> {
    if let [one, other, ..] = plugins {
        let [one, other] = [one, other].map(|about| format!("`{}` at {}", about.name, about.origin));
        return Err(format!("two plug-ins are linked into it, {one} and {other}; remove one `plugin!`"));
    }
    Ok(())
}

/// Reports what was left out, one line each: to `mpit check`, or on standard error.
#[allow(clippy::print_stderr, reason = "there is no caller to return an error to")]
fn report(left_out: &[Refusal]) {
    for refusal in left_out {
        if !fault_log::append_refusal(refusal) {
            eprintln!("{refusal}");
        }
    }
}

/// Returns the result of a function, or `otherwise` if it panics. The panic hook has reported the panic.
fn guarded<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_panic(body).unwrap_or(otherwise)
}

/// Converts a result to the code that C functions return: 0 for success.
fn code(outcome: crate::Result<()>) -> c_int {
    match outcome {
        Ok(()) => 0,
        Err(error) => error.code(),
    }
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
