//! A listing of all that MPI_T shows a tool, as JSON: of this process, or of a process that runs under the preload library.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use mpit::internal::vocabulary::{SourceOrder, ThreadLevel};
use mpit::object::Bind;
use mpit::tool::{Class, CvarDesc, Datatype, Scope, Verbosity};
use mpit_sync::lock::Mutex;

use crate::abi::{Abi, Handle};
use crate::host::Host;
use crate::json::Object;
use crate::merge::{Entry, Enumeration, HostInfo, Member, Merged, MergedSpace};

/// The environment variable that requests a listing: the path of a JSON file. One process of a job writes it,
/// when MPI is initialized.
pub const INVENTORY_FILE: &str = "MPIT_LISTING_FILE";

/// The numbers of pvars, cvars, events and categories.
type Lengths = [u32; 4];

fn lengths(merged: &Merged) -> Lengths {
    let Merged { pvars, cvars, events, categories, .. } = merged;
    [pvars.len(), cvars.len(), events.len(), categories.len()].map(|len| len as u32)
}

/// An entry of the merged list.
struct Place<'a> {
    merged: &'a Merged,
    abi: &'a Abi,
    index: u32,
    /// The index in the registry, if the entry is ours.
    own: Option<u32>,
    /// True if the entry was appended after the initialization of MPI.
    late: bool,
}

/// Lists all entries that a tool would see in this process now. Indices without an entry are left out.
pub fn of_this_process() -> String {
    let merged = Merged::get();
    merged.sync();
    list(merged, lengths(merged))
}

/// Lists all entries. Those beyond the `first` ones are late.
fn list(merged: &Merged, first: Lengths) -> String {
    let [pvars, cvars, events, categories] = first;
    Object::default()
        .with("library", Host::get().map(|host| host.abi().name))
        .with("pvars", objects(merged, &merged.pvars, pvars, pvar))
        .with("cvars", objects(merged, &merged.cvars, cvars, cvar))
        .with("events", objects(merged, &merged.events, events, event))
        .with("sources", objects(merged, &merged.sources, 0, source))
        .with("categories", objects(merged, &merged.categories, categories, category))
        // Last: the descriptions above add the enumerations that they name.
        .with("enumerations", merged.enums.iter().map(enumeration).collect::<Vec<_>>())
        .into_text()
}

fn objects<I: HostInfo>(
    merged: &Merged,
    space: &MergedSpace<I>,
    first: u32,
    describe: impl Fn(&Place<'_>) -> Option<Object>,
) -> Vec<Object> {
    let describe = |(index, entry): (u32, &Entry<I>)| {
        let own = if let Entry::Own(own) = entry { Some(*own) } else { None };
        describe(&Place { merged, abi: crate::abi(), index, own, late: index >= first })
    };
    space.iter().filter_map(describe).collect()
}

impl Place<'_> {
    /// Returns the members that all entries have.
    fn object(&self) -> Object {
        Object::default().with("index", self.index).with("own", self.own.is_some())
    }

    fn datatype(&self, handle: Handle) -> String {
        name_or(self.abi.to_datatype(handle).map(Datatype::as_str), "other")
    }

    fn bind(&self, number: i32) -> String {
        name_or(self.abi.to_bind(number).map(Bind::as_str), number)
    }

    fn verbosity(&self, number: i32) -> String {
        name_or(self.abi.to_verbosity(number).map(Verbosity::as_str), number)
    }

    fn enumeration(&self, handle: usize) -> Option<&str> {
        self.merged.enums.get(handle).map(|known| known.name.as_str())
    }
}

fn pvar(place: &Place<'_>) -> Option<Object> {
    let info = place.merged.pvars.info(place.merged, place.index.cast_signed())?;
    let object = place
        .object()
        .with("late", place.late)
        .with("name", &info.name)
        .with("class", name_or(place.abi.to_class(info.class).map(Class::as_str), info.class))
        .with("datatype", place.datatype(info.datatype))
        .with("bind", place.bind(info.bind))
        .with("verbosity", place.verbosity(info.verbosity))
        .with("readonly", info.readonly != 0)
        .with("continuous", info.continuous != 0)
        .with("atomic", info.atomic != 0)
        .with("enumeration", place.enumeration(info.enumeration))
        .with("description", String::from_utf8_lossy(&info.desc).as_ref());
    Some(object)
}

fn cvar(place: &Place<'_>) -> Option<Object> {
    let info = place.merged.cvars.info(place.merged, place.index.cast_signed())?;
    let registry = place.merged.registry;
    let desc = place.own.and_then(|own| registry.cvar(own));
    let source = place.own.and_then(|own| registry.cvar_source(own));
    let object = place
        .object()
        .with("late", place.late)
        .with("name", &info.name)
        .with("datatype", place.datatype(info.datatype))
        .with("scope", name_or(place.abi.to_scope(info.scope).map(Scope::as_str), info.scope))
        .with("bind", place.bind(info.bind))
        .with("verbosity", place.verbosity(info.verbosity))
        .with("enumeration", place.enumeration(info.enumeration))
        .with("value", desc.map(CvarDesc::value_as_text))
        .with("source", source.map(|source| source.to_string()))
        .with("description", String::from_utf8_lossy(&info.desc).as_ref());
    Some(object)
}

fn event(place: &Place<'_>) -> Option<Object> {
    let info = place.merged.events.info(place.merged, place.index.cast_signed())?;
    let names = place.merged.enums.get(info.enumeration).map(|known| known.items.as_slice());
    let element = |(at, (datatype, displacement)): (usize, &(Handle, isize))| {
        Object::default()
            .with("name", names.and_then(|names| names.get(at)).map(|(_, name)| name))
            .with("datatype", place.datatype(*datatype))
            .with("displacement", *displacement)
    };
    // Of the library's event types, only an instance has a source.
    let source = place.own.and_then(|own| place.merged.registry.event(own)).map(|desc| desc.source().name());
    let object = place
        .object()
        .with("late", place.late)
        .with("name", &info.name)
        .with("source", source.unwrap_or_default())
        .with("elements", info.elements.iter().enumerate().map(element).collect::<Vec<_>>())
        .with("bind", place.bind(info.bind))
        .with("verbosity", place.verbosity(info.verbosity))
        .with("description", String::from_utf8_lossy(&info.desc).as_ref());
    Some(object)
}

fn source(place: &Place<'_>) -> Option<Object> {
    let info = place.merged.sources.info(place.merged, place.index.cast_signed())?;
    let ordering = place.abi.to_source_order(info.ordering).map(SourceOrder::as_str);
    let object = place
        .object()
        .with("name", &info.name)
        .with("ordering", name_or(ordering, info.ordering))
        .with("ticks_per_second", info.ticks_per_second)
        .with("description", String::from_utf8_lossy(&info.desc).as_ref());
    Some(object)
}

fn category(place: &Place<'_>) -> Option<Object> {
    let (merged, at) = (place.merged, place.index.cast_signed());
    let (name, description) = merged.category_texts(at)?;
    let object = place
        .object()
        .with("late", place.late)
        .with("name", name)
        .with("pvars", merged.members(at, Member::Pvar)?)
        .with("cvars", merged.members(at, Member::Cvar)?)
        .with("events", merged.members(at, Member::Event)?)
        .with("categories", merged.members(at, Member::Category)?)
        .with("description", String::from_utf8_lossy(description).as_ref());
    Some(object)
}

fn enumeration(known: &Enumeration) -> Object {
    let item = |(value, name): &(i32, String)| Object::default().with("value", *value).with("name", name);
    Object::default()
        .with("name", &known.name)
        .with("items", known.items.iter().map(item).collect::<Vec<_>>())
}

/// Returns the standard's name of a constant, or the number itself if the constant is unknown.
fn name_or(known: Option<&'static str>, otherwise: impl Display) -> String {
    known.map_or_else(|| otherwise.to_string(), str::to_owned)
}

/// The lengths of the listing at `MPI_Init`, if one is requested.
static FIRST_LENGTHS: Mutex<Option<Lengths>> = Mutex::new(None);

/// Writes the listing at the initialization of MPI if the environment requests it. Only the first process of
/// a job does so; errors are reported on standard error.
pub(crate) fn write_if_requested() {
    let Some(path) = requested_path() else { return };
    // The host describes its entries only while its MPI_T is initialized.
    let merged = Merged::get();
    merged.lifecycle.begin(ThreadLevel::Single);
    merged.sync();
    let first = lengths(merged);
    write(&path, &list(merged, first));
    *FIRST_LENGTHS.lock() = Some(first);
}

/// Writes the listing again in `MPI_Finalize`, while the library can still be queried, with the entries that
/// appeared in the meantime.
pub(crate) fn write_at_end() {
    let Some(path) = requested_path() else { return };
    let first = FIRST_LENGTHS.lock().take();
    let Some(first) = first else { return };
    let merged = Merged::get();
    merged.sync();
    write(&path, &list(merged, first));
}

fn requested_path() -> Option<PathBuf> {
    let path = mpit::internal::os::environment::var_os(INVENTORY_FILE)?;
    let has_nonzero_rank = mpit_components::host::world().is_some_and(|world| world.rank != 0);
    if has_nonzero_rank { None } else { Some(path.into()) }
}

fn write(path: &Path, listing: &str) {
    if let Err(error) = std::fs::write(path, listing) {
        crate::warn(&format!("cannot write the list of variables to {}: {error}", path.display()));
    }
}
