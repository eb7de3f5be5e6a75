//! A listing of all that MPI_T shows a tool: of this process, or of a process that ran under the preload
//! library.

use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use mpit::internal::vocabulary::SourceOrder;
use mpit::object::Bind;
use mpit::tool::{Class, CvarDesc, Datatype, Scope, Verbosity};
use serde::{Deserialize, Serialize};

use crate::abi::{Abi, Handle};
use crate::host::Host;
use crate::merge::{Entry, Member, Merged};

/// The environment variable that requests a listing: the path of a JSON file. One process of a job writes it,
/// when MPI is initialized.
pub const INVENTORY_FILE: &str = "MPIT_LISTING_FILE";

/// The entries of all kinds that MPI_T shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    /// The flavor of the MPI library underneath; `None` for the embedded registry.
    pub library: Option<String>,
    /// Performance variables, by index.
    pub pvars: Vec<Pvar>,
    /// Control variables, by index.
    pub cvars: Vec<Cvar>,
    /// Event types, by index.
    pub events: Vec<Event>,
    /// Event sources, by index.
    pub sources: Vec<Source>,
    /// Categories, by index.
    pub categories: Vec<Category>,
    /// Enumerations, in the order in which variables name them.
    pub enumerations: Vec<Enumeration>,
}

/// A performance variable.
#[allow(clippy::struct_excessive_bools, reason = "three flags of the standard, and two of the list")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pvar {
    /// Index.
    pub index: u32,
    /// True if it is ours; false if it is the MPI library's.
    pub own: bool,
    /// True if it appeared after the initialization of MPI.
    #[serde(default)]
    pub late: bool,
    /// Name.
    pub name: String,
    /// Class.
    pub class: String,
    /// Datatype.
    pub datatype: String,
    /// The kind of object that handles are bound to.
    pub bind: String,
    /// Verbosity: the intended audience.
    pub verbosity: String,
    /// True if handles cannot be written or reset.
    pub readonly: bool,
    /// True if handles cannot be started or stopped.
    pub continuous: bool,
    /// True if handles can be read and reset in one atomic step.
    pub atomic: bool,
    /// The name of the enumeration.
    pub enumeration: Option<String>,
    /// Description.
    pub description: String,
}

/// A control variable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cvar {
    /// Index.
    pub index: u32,
    /// True if it is ours; false if it is the MPI library's.
    pub own: bool,
    /// True if it appeared after the initialization of MPI.
    #[serde(default)]
    pub late: bool,
    /// Name.
    pub name: String,
    /// Datatype.
    pub datatype: String,
    /// Scope: the processes that have to write it.
    pub scope: String,
    /// The kind of object that handles are bound to.
    pub bind: String,
    /// Verbosity: the intended audience.
    pub verbosity: String,
    /// The name of the enumeration.
    pub enumeration: Option<String>,
    /// The current value, if it is ours.
    pub value: Option<String>,
    /// The source of the value, if it is ours.
    pub source: Option<String>,
    /// Description.
    pub description: String,
}

/// An event type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Index.
    pub index: u32,
    /// True if it is ours; false if it is the MPI library's.
    #[serde(default)]
    pub own: bool,
    /// True if it appeared after the initialization of MPI.
    #[serde(default)]
    pub late: bool,
    /// Name.
    pub name: String,
    /// The name of the event source, if it is ours; for the MPI library's event types, only an instance has a
    /// source.
    pub source: String,
    /// The elements of an instance, in order.
    pub elements: Vec<Element>,
    /// The kind of object that registrations are bound to.
    pub bind: String,
    /// Verbosity: the intended audience.
    pub verbosity: String,
    /// Description.
    pub description: String,
}

/// An element of an event type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Element {
    /// Name, if it has one.
    pub name: Option<String>,
    /// Datatype.
    pub datatype: String,
    /// Displacement from the start of the buffer, in bytes.
    pub displacement: usize,
}

/// An event source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Index.
    pub index: u32,
    /// True if it is ours; false if it is the MPI library's.
    #[serde(default)]
    pub own: bool,
    /// Name.
    pub name: String,
    /// The ordering of its time stamps.
    pub ordering: String,
    /// Ticks per second.
    pub ticks_per_second: i64,
    /// Description.
    pub description: String,
}

/// A category.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Category {
    /// Index.
    pub index: u32,
    /// True if it is ours; false if it is the MPI library's.
    pub own: bool,
    /// True if it appeared after the initialization of MPI.
    #[serde(default)]
    pub late: bool,
    /// Name.
    pub name: String,
    /// The indices of its performance variables.
    pub pvars: Vec<i32>,
    /// The indices of its control variables.
    pub cvars: Vec<i32>,
    /// The indices of its event types.
    pub events: Vec<i32>,
    /// The indices of the categories in it.
    pub categories: Vec<i32>,
    /// Description.
    pub description: String,
}

/// An enumeration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enumeration {
    /// Name.
    pub name: String,
    /// Items.
    pub items: Vec<Item>,
}

/// An item of an enumeration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Value.
    pub value: i32,
    /// Name.
    pub name: String,
}

impl Inventory {
    /// Lists all entries that a tool would see in this process now. Indices without an entry are left out.
    #[must_use]
    pub fn of_this_process() -> Self {
        let merged = Merged::get();
        merged.sync();
        let abi = crate::abi();
        let mut inventory =
            Self { library: Host::get().map(|host| host.abi().name.to_owned()), ..Self::default() };
        for (index, entry) in merged.pvars.iter() {
            inventory.pvars.extend(pvar(merged, abi, index, matches!(entry, Entry::Own(_))));
        }
        for (index, entry) in merged.cvars.iter() {
            let own = if let Entry::Own(own) = entry { Some(*own) } else { None };
            inventory.cvars.extend(cvar(merged, abi, index, own));
        }
        for (index, entry) in merged.events.iter() {
            let own = if let Entry::Own(own) = entry { Some(*own) } else { None };
            inventory.events.extend(event(merged, abi, index, own));
        }
        for (index, entry) in merged.sources.iter() {
            inventory.sources.extend(source(merged, abi, index, matches!(entry, Entry::Own(_))));
        }
        for (index, entry) in merged.categories.iter() {
            inventory.categories.extend(category(merged, index, matches!(entry, Entry::Own(_))));
        }
        for known in merged.enums.iter() {
            let items = known.items.iter().map(|(value, name)| Item { value: *value, name: name.clone() });
            inventory.enumerations.push(Enumeration { name: known.name.clone(), items: items.collect() });
        }
        inventory
    }
}

impl Inventory {
    /// Marks the entries that are not in an earlier listing of this process. Indices never change.
    fn mark_late_entries(&mut self, first: &Self) {
        let pvars: HashSet<u32> = first.pvars.iter().map(|pvar| pvar.index).collect();
        self.pvars.iter_mut().for_each(|pvar| pvar.late = !pvars.contains(&pvar.index));
        let cvars: HashSet<u32> = first.cvars.iter().map(|cvar| cvar.index).collect();
        self.cvars.iter_mut().for_each(|cvar| cvar.late = !cvars.contains(&cvar.index));
        let events: HashSet<u32> = first.events.iter().map(|event| event.index).collect();
        self.events.iter_mut().for_each(|event| event.late = !events.contains(&event.index));
        let categories: HashSet<u32> = first.categories.iter().map(|category| category.index).collect();
        self.categories.iter_mut().for_each(|category| category.late = !categories.contains(&category.index));
    }
}

fn pvar(merged: &Merged, abi: &Abi, index: u32, own: bool) -> Option<Pvar> {
    let info = merged.pvar_info(index.cast_signed())?;
    Some(Pvar {
        index,
        own,
        late: false,
        name: info.name.clone(),
        class: name_or(abi.to_class(info.class).map(Class::as_str), info.class),
        datatype: name_or(abi.to_datatype(info.datatype).map(Datatype::as_str), "other"),
        bind: name_or(abi.to_bind(info.bind).map(Bind::as_str), info.bind),
        verbosity: name_or(abi.to_verbosity(info.verbosity).map(Verbosity::as_str), info.verbosity),
        readonly: info.readonly != 0,
        continuous: info.continuous != 0,
        atomic: info.atomic != 0,
        enumeration: merged.enums.get(info.enumeration).map(|known| known.name.clone()),
        description: String::from_utf8_lossy(&info.desc).into_owned(),
    })
}

fn cvar(merged: &Merged, abi: &Abi, index: u32, own: Option<u32>) -> Option<Cvar> {
    let info = merged.cvar_info(index.cast_signed())?;
    let desc = own.and_then(|own| merged.registry.cvar(own));
    let source = own.and_then(|own| merged.registry.cvar_source(own));
    Some(Cvar {
        index,
        own: own.is_some(),
        late: false,
        name: info.name.clone(),
        datatype: name_or(abi.to_datatype(info.datatype).map(Datatype::as_str), "other"),
        scope: name_or(abi.to_scope(info.scope).map(Scope::as_str), info.scope),
        bind: name_or(abi.to_bind(info.bind).map(Bind::as_str), info.bind),
        verbosity: name_or(abi.to_verbosity(info.verbosity).map(Verbosity::as_str), info.verbosity),
        enumeration: merged.enums.get(info.enumeration).map(|known| known.name.clone()),
        value: desc.map(CvarDesc::value_as_text),
        source: source.map(|source| source.to_string()),
        description: String::from_utf8_lossy(&info.desc).into_owned(),
    })
}

fn event(merged: &Merged, abi: &Abi, index: u32, own: Option<u32>) -> Option<Event> {
    let info = merged.event_info(index.cast_signed())?;
    let names = merged.enums.get(info.enumeration).map(|known| known.items.as_slice());
    let element = |(at, (datatype, displacement)): (usize, &(Handle, isize))| Element {
        name: names.and_then(|names| names.get(at)).map(|(_, name)| name.clone()),
        datatype: name_or(abi.to_datatype(*datatype).map(Datatype::as_str), "other"),
        displacement: displacement.cast_unsigned(),
    };
    let source = own.and_then(|own| merged.registry.event(own)).map(|desc| desc.source().name());
    Some(Event {
        index,
        own: own.is_some(),
        late: false,
        name: info.name.clone(),
        source: source.unwrap_or_default().into(),
        elements: info.elements.iter().enumerate().map(element).collect(),
        bind: name_or(abi.to_bind(info.bind).map(Bind::as_str), info.bind),
        verbosity: name_or(abi.to_verbosity(info.verbosity).map(Verbosity::as_str), info.verbosity),
        description: String::from_utf8_lossy(&info.desc).into_owned(),
    })
}

fn source(merged: &Merged, abi: &Abi, index: u32, own: bool) -> Option<Source> {
    let info = merged.source_info(index.cast_signed())?;
    Some(Source {
        index,
        own,
        name: info.name.clone(),
        ordering: name_or(abi.to_source_order(info.ordering).map(SourceOrder::as_str), info.ordering),
        ticks_per_second: info.ticks_per_second,
        description: String::from_utf8_lossy(&info.desc).into_owned(),
    })
}

fn category(merged: &Merged, index: u32, own: bool) -> Option<Category> {
    let at = index.cast_signed();
    let (name, description) = merged.category_texts(at)?;
    Some(Category {
        index,
        own,
        late: false,
        name: name.into(),
        pvars: merged.members(at, Member::Pvar)?,
        cvars: merged.members(at, Member::Cvar)?,
        events: merged.members(at, Member::Event)?,
        categories: merged.members(at, Member::Category)?,
        description: String::from_utf8_lossy(description).into_owned(),
    })
}

/// Returns the standard's name of a constant, or the number itself if the constant is unknown.
fn name_or(known: Option<&'static str>, otherwise: impl Display) -> String {
    known.map_or_else(|| otherwise.to_string(), str::to_owned)
}

/// The listing at `MPI_Init`, if one is requested.
static FIRST_INVENTORY: Mutex<Option<Inventory>> = Mutex::new(None);

/// Writes the listing at the initialization of MPI if the environment requests it. Only the first process of
/// a job does so; errors are reported on standard error.
pub(crate) fn write_if_requested() {
    let Some(path) = requested_path() else { return };
    // The host describes its entries only while its MPI_T is initialized.
    let merged = Merged::get();
    merged.lifecycle.begin(crate::abi().thread_level(mpit::internal::vocabulary::ThreadLevel::Single));
    let inventory = Inventory::of_this_process();
    write(&path, &inventory);
    if let Ok(mut first) = FIRST_INVENTORY.lock() {
        *first = Some(inventory);
    }
}

/// Writes the listing again in `MPI_Finalize`, while the library can still be queried, with the entries that
/// appeared in the meantime.
pub(crate) fn write_at_end() {
    let Some(path) = requested_path() else { return };
    let Some(first) = FIRST_INVENTORY.lock().ok().and_then(|mut first| first.take()) else { return };
    let mut inventory = Inventory::of_this_process();
    inventory.mark_late_entries(&first);
    write(&path, &inventory);
}

fn requested_path() -> Option<PathBuf> {
    let path = mpit::internal::environment::var_os(INVENTORY_FILE)?;
    let has_nonzero_rank = mpit_components::host::world().is_some_and(|world| world.rank != 0);
    if has_nonzero_rank { None } else { Some(path.into()) }
}

fn write(path: &Path, inventory: &Inventory) {
    let written = serde_json::to_vec(inventory)
        .map_err(std::io::Error::from)
        .and_then(|text| std::fs::write(path, text));
    if let Err(error) = written {
        warn(&format!("cannot write the list of variables to {}: {error}", path.display()));
    }
}

#[allow(clippy::print_stderr, reason = "the user of `mpit vars` reads it")]
fn warn(message: &str) {
    eprintln!("mpit: {}", mpit::internal::printable(message));
}
