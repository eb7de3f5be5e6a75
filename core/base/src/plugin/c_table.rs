//! Conversion of a table into descriptors.

use std::collections::HashMap;
use std::ffi::{c_char, c_uint};
use std::ptr::null;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use super::c_strings::{DESCRIPTION, NAME, PATH, borrowed, from_code, names, optional, text};
use super::c_structs::{EntryResult, LoadResult, Prefixed, read, read_list};
use super::cell::{self, ValueSource};
use super::component::{Claim, ComponentInfo, ForeignComponent};
use super::metadata::MetadataBuilder;
use super::raise::raise;
use crate::abi::{self, EventCell, MAJOR, Sum, Table};
use crate::cell::LevelStorage;
use crate::cvar::sources;
use crate::desc::{Activation, CategoryDesc, EnumDesc, Metadata, Origin, SharedMetadata};
use crate::event::{EventDesc, SourceCell, SourceDesc};
use crate::host::threads;
use crate::leak::{leak, leak_text};
use crate::memory;
use crate::os::readable::Pages;
use crate::registry::{Fault, Image, Refusal, Registry, check_text};
use crate::vocabulary::SourceOrder;

/// The definitions of a table: checked, and not registered yet.
#[derive(Debug)]
pub(super) struct Definitions {
    pub(super) image: Image,
    /// The components, to be claimed before the image is registered, and published afterwards.
    pub(super) components: Vec<ForeignComponent>,
    /// The cells, to be bound before the image is registered.
    pub(super) cells: Cells,
}

/// The cells of a table whose updates call functions of the host.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) events: Vec<(&'static EventCell, &'static EventDesc)>,
    sums: Vec<&'static Sum>,
    levels: Vec<&'static LevelStorage>,
}

/// The members that all kinds of entries have.
#[derive(Debug)]
pub(super) struct Entry {
    kind: &'static str,
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    /// The name, directly followed by the description.
    texts: &'static str,
    pub(super) origin: Origin,
}

/// The state while a table is converted.
pub(super) struct TableBuilder {
    pub(super) component: &'static str,
    /// The activation of the plug-in that the entries belong to; `None`: the entries always have values.
    pub(super) activation: Option<&'static Activation>,
    pub(super) definitions: Definitions,
    /// Enumerations by their address in the table, since variables may share one.
    pub(super) enums: HashMap<*const abi::Enum, &'static EnumDesc>,
    pub(super) enums_by_name: HashMap<&'static str, &'static EnumDesc>,
    /// The memory that was found accessible.
    pub(super) pages: Pages,
    pub(super) metadata: MetadataBuilder,
    /// The path of the latest entry's file, which its neighbors mostly share.
    latest_file: (*const c_char, &'static str),
    /// The entries that were left out so far. Without a list, the first fault ends the conversion.
    left_out: Option<Vec<LeftOut>>,
}

/// An entry or a list that is left out.
struct LeftOut {
    what: String,
    origin: Origin,
    fault: Fault,
    /// The entry and its fault, in one line.
    line: String,
}

/// The memory that a table or plug-in needs at least.
pub(super) const LEAST_MEMORY: usize = 256 << 10;

/// Registers all definitions of a table, or none.
///
/// # Errors
///
/// A message that names what is wrong with the table.
///
/// # Safety
///
/// `table` is null or satisfies `mpit_plugin.h`: lists have as many entries as their counts state, strings end with a NUL, and
/// storage, cells and functions are valid for the rest of the process.
pub unsafe fn register(table: *const Table) -> Result<(), String> {
    // SAFETY: the caller ensures that `table` is null or satisfies `mpit_plugin.h` for the rest of the process, and so for as
    // long as the global registry is used.
    let claim = unsafe { register_in(Registry::global(), table) }?;
    claim.publish();
    Ok(())
}

/// Registers all definitions of a table in a registry, or none. The table's components are not published yet.
///
/// # Errors
///
/// The conditions of [`register`] hold.
///
/// # Safety
///
/// The conditions of [`register`] hold as long as the registry is used.
#[doc(hidden)]
pub unsafe fn register_in(registry: &Registry, table: *const Table) -> Result<Claim, String> {
    if !memory::admits(LEAST_MEMORY) {
        return Err("memory is short".to_owned());
    }
    // SAFETY: the caller ensures that `table` is null or a table that satisfies `mpit_plugin.h`.
    let definitions = unsafe { convert(table, None) }?;
    let component = &definitions.image.name;
    let inside = |why: String| format!("{component}: {why}");
    definitions.cells.bind().map_err(inside)?;
    let (claim, refusals) = Claim::new(definitions.components);
    let added = if refusals.is_empty() {
        registry.add_whole(&definitions.image, &sources::for_cvars(&definitions.image.cvars))
    } else {
        Err(refusals)
    };
    match added {
        Ok(()) => Ok(claim),
        Err(refusals) => {
            definitions.cells.unbind();
            Err(inside(in_one_line(&refusals)))
        }
    }
}

/// Returns the first reason for the refusal of a table, and the number of further ones.
pub(super) fn in_one_line(refusals: &[Refusal]) -> String {
    let first = refusals.first().map(|one| format!("{} at {}: {}", one.what, one.place, one.why));
    match refusals.len() {
        0 | 1 => first.unwrap_or_default(),
        all => format!("{} (and {} more)", first.unwrap_or_default(), all - 1),
    }
}

/// Converts a table into definitions that have values while `activation` is active. Registers nothing.
///
/// # Safety
///
/// The conditions of [`register`] hold.
pub(super) unsafe fn convert(
    at: *const Table,
    activation: Option<&'static Activation>,
) -> LoadResult<Definitions> {
    // SAFETY: the caller ensures that `at` is null or a table that satisfies `mpit_plugin.h`.
    let (table, mut builder) = unsafe { TableBuilder::begin(at, activation) }?;
    // SAFETY: `table` is a copy of the struct at `at`, so its lists have as many entries as their counts state.
    let taken = unsafe { builder.convert_lists(&table) };
    taken.map_err(|left_out| format!("{}: {}", builder.component, left_out.line))?;
    Ok(builder.definitions)
}

/// Converts a table like [`convert`], but leaves out entries with faults and returns all faults.
///
/// # Safety
///
/// The conditions of [`register`] hold.
pub(super) unsafe fn convert_leniently(
    at: *const Table,
    activation: Option<&'static Activation>,
) -> Result<(Definitions, Vec<Refusal>), Fault> {
    // SAFETY: the caller ensures that `at` is null or a table that satisfies `mpit_plugin.h`.
    let (table, mut builder) = unsafe { TableBuilder::begin(at, activation) }?;
    builder.left_out = Some(Vec::new());
    // SAFETY: `table` is a copy of the struct at `at`, so its lists have as many entries as their counts state.
    let last = unsafe { builder.convert_lists(&table) }.err();
    let left_out = builder.left_out.into_iter().flatten().chain(last);
    let left_out = left_out.map(|one| Refusal::new(one.what, one.origin, one.fault)).collect();
    Ok((builder.definitions, left_out))
}

impl Cells {
    /// Stores the host's functions and flags in the cells. To be called before tools can see the entries, so that they are set
    /// before there is a listener or a handle.
    ///
    /// Fails if a cell is bound to another host or event type; then no event cell is bound.
    pub(super) fn bind(&self) -> LoadResult<()> {
        for sum in &self.sums {
            sum.concurrent.store(threads::word().cast(), Release);
        }
        if self.levels.iter().any(|level| !level.bind(&cell::REACHED)) {
            return Err("one of its levels is registered with another libmpit".into());
        }
        for (place, (cell, desc)) in self.events.iter().enumerate() {
            let event = std::ptr::from_ref::<EventDesc>(desc).cast_mut().cast();
            if cell.event.compare_exchange(std::ptr::null_mut(), event, AcqRel, Acquire).is_err() {
                self.events[..place].iter().for_each(|(cell, _)| release(cell));
                return Err(format!(
                    "event `{}` at {}: its cell serves an event type already; each needs its own",
                    desc.name(),
                    desc.origin()
                ));
            }
            cell.raise.store(raise as *mut _, Release);
        }
        Ok(())
    }

    /// Reverts [`Self::bind`] after a refusal. Sums and levels may be shared with other tables, and stay bound.
    pub(super) fn unbind(&self) {
        self.events.iter().for_each(|(cell, _)| release(cell));
    }
}

fn release(cell: &EventCell) {
    cell.raise.store(std::ptr::null_mut(), Release);
    cell.event.store(std::ptr::null_mut(), Release);
}

impl LeftOut {
    fn entry(kind: &str, name: &str, origin: Origin, fault: Fault) -> Self {
        let what = format!("{kind} `{name}`");
        let line = format!("{what} at {origin}: {}", fault.why);
        Self { what, origin, fault, line }
    }
}

impl Entry {
    pub(super) fn metadata(&self, shared: &'static SharedMetadata) -> Metadata {
        Metadata::new(self.texts, self.name.len(), shared, self.origin.line())
    }
}

/// A struct that tables have lists of.
trait Listed: Prefixed {
    const KIND: &'static str;

    /// Returns the name, the description, and the file and line of the definition.
    fn texts(&self) -> (*const c_char, *const c_char, *const c_char, c_uint);
}

macro_rules! listed {
    ($($desc:ident $kind:literal;)*) => {$(
        impl Listed for abi::$desc {
            const KIND: &'static str = $kind;

            fn texts(&self) -> (*const c_char, *const c_char, *const c_char, c_uint) {
                (self.name, self.description, self.file, self.line)
            }
        }
    )*};
}
listed! {
    Category "category";
    Component "component";
    Cvar "cvar";
    Event "event";
    Pvar "pvar";
    Source "source";
}

impl TableBuilder {
    /// Reads the header of a table.
    ///
    /// # Safety
    ///
    /// The conditions of [`register`] hold.
    unsafe fn begin(at: *const Table, activation: Option<&'static Activation>) -> EntryResult<(Table, Self)> {
        let mut pages = Pages::default();
        // SAFETY: the caller ensures that `at` is null or a table that satisfies `mpit_plugin.h`.
        let (table, _) = unsafe { read(&mut pages, "the table", at) }?;
        if table.version != u32::from(MAJOR) {
            let version = table.version;
            let need = if version > u32::from(MAJOR) { "it needs a later mpit: " } else { "" };
            let why =
                format!("{need}the table has version {version}, and this mpit knows version {MAJOR} only");
            return Err(why.into());
        }
        // SAFETY: strings of the table end with a NUL, by the conditions of `register`.
        let component = unsafe { text(&mut pages, "the table's component", table.component, NAME) }?;
        check_text(component, "").map_err(|fault| fault.within("the table's component"))?;
        let definitions =
            Definitions { image: Image::new(component), components: Vec::new(), cells: Cells::default() };
        let builder = Self {
            component,
            activation,
            definitions,
            enums: HashMap::new(),
            enums_by_name: HashMap::new(),
            pages,
            metadata: MetadataBuilder::new(component, activation),
            latest_file: (null(), ""),
            left_out: None,
        };
        Ok((table, builder))
    }

    /// Converts all lists, beginning with those that others refer to by name.
    ///
    /// # Safety
    ///
    /// The conditions of [`register`] hold.
    unsafe fn convert_lists(&mut self, table: &Table) -> Result<(), LeftOut> {
        // SAFETY: the table's list has as many entries as its count states (`register`), and `category` reads such an entry.
        unsafe { self.convert_list(table.categories, table.num_categories, Self::category) }?;
        // SAFETY: the table's list has as many entries as its count states (`register`), and `source` reads such an entry.
        unsafe { self.convert_list(table.sources, table.num_sources, Self::source) }?;
        // SAFETY: the table's list has as many entries as its count states (`register`), and `event` reads such an entry.
        unsafe { self.convert_list(table.events, table.num_events, Self::event) }?;
        // SAFETY: the table's list has as many entries as its count states (`register`), and `pvar` reads such an entry.
        unsafe { self.convert_list(table.pvars, table.num_pvars, Self::pvar) }?;
        // SAFETY: the table's list has as many entries as its count states (`register`), and `cvar` reads such an entry.
        unsafe { self.convert_list(table.cvars, table.num_cvars, Self::cvar) }?;
        // SAFETY: the table's list has as many entries as its count states (`register`), and `component` reads such an entry.
        unsafe { self.convert_list(table.components, table.num_components, Self::component) }
    }

    /// Converts a list of entries of one kind with `convert_entry`.
    ///
    /// # Safety
    ///
    /// `list` and `count` are from a table that satisfies the conditions of [`register`], and `convert_entry` requires no more of
    /// an entry.
    unsafe fn convert_list<T: Listed>(
        &mut self,
        list: *const T,
        count: usize,
        convert_entry: unsafe fn(&mut Self, &T, &Entry) -> EntryResult<()>,
    ) -> Result<(), LeftOut> {
        let place: &'static str = leak_text(format!("{}, {} ", self.component, T::KIND));
        // SAFETY: `list` is null or has `count` structs of one size: the caller passes a list of a table.
        let all = match unsafe { read_list(&mut self.pages, T::KIND, list, count) } {
            Ok(all) => all,
            Err(why) => {
                let (what, origin) = (format!("the list of kind {}", T::KIND), Origin::new(place, 0));
                return self.leave_out(LeftOut { what, origin, fault: why.clone().into(), line: why });
            }
        };
        for (number, one) in (1..).zip(&all) {
            // SAFETY: `one` is a copy of an entry of the table, so its strings end with a NUL.
            let entry = match unsafe { self.entry(one, Origin::new(place, number)) } {
                Ok(entry) => entry,
                Err(left_out) => {
                    self.leave_out(left_out)?;
                    continue;
                }
            };
            // SAFETY: `one` is a copy of an entry of the table, and `convert_entry` requires no more.
            if let Err(fault) = unsafe { convert_entry(self, one, &entry) } {
                self.leave_out(LeftOut::entry(entry.kind, entry.name, entry.origin, fault))?;
            }
        }
        Ok(())
    }

    /// Records an entry that is left out, or returns it if the first fault ends the conversion.
    fn leave_out(&mut self, what: LeftOut) -> Result<(), LeftOut> {
        match &mut self.left_out {
            Some(all) => {
                all.push(what);
                Ok(())
            }
            None => Err(what),
        }
    }

    /// Returns true if the table has an entry of this kind and name that was left out.
    pub(super) fn has_left_out(&self, kind: &str, name: &str) -> bool {
        let what = format!("{kind} `{name}`");
        self.left_out.iter().flatten().any(|left_out| left_out.what == what)
    }

    /// Reads the members common to all kinds. `position` is the entry's place in its list, from 1.
    ///
    /// # Safety
    ///
    /// The conditions of [`register`] hold.
    unsafe fn entry<T: Listed>(&mut self, one: &T, position: Origin) -> Result<Entry, LeftOut> {
        let (kind, number) = (T::KIND, position.line());
        let (name, description, file, line) = one.texts();
        // SAFETY: the file is null or ends with a NUL, as all strings of a table that `register` accepts.
        let file = unsafe { self.file(file) };
        let origin = match file {
            Ok(file) if !file.is_empty() => Origin::new(file, line),
            _ => position,
        };
        // SAFETY: the name is null or ends with a NUL, by the conditions of `register`.
        let name =
            unsafe { borrowed(&mut self.pages, format_args!("the name of {kind} {number}"), name, NAME) }
                .map_err(|fault| LeftOut {
                    what: format!("{kind} {number}"),
                    origin,
                    line: fault.why.clone(),
                    fault,
                })?;
        let refuse = |fault| LeftOut::entry(kind, name, origin, fault);
        file.map_err(refuse)?;
        let mut about = "";
        if !description.is_null() {
            // SAFETY: the description is not null and ends with a NUL, by the conditions of `register`.
            let found = unsafe { borrowed(&mut self.pages, "its description", description, DESCRIPTION) };
            about = found.map_err(refuse)?;
        }
        let texts: &'static str = leak_text([name, about].concat());
        let (name, description) = texts.split_at(name.len());
        Ok(Entry { kind, name, description, texts, origin })
    }

    /// Returns a copy of the path of an entry's source file; the empty string for a null pointer.
    ///
    /// # Safety
    ///
    /// `at` is the file of an entry of a table that satisfies the conditions of [`register`].
    unsafe fn file(&mut self, at: *const c_char) -> EntryResult<&'static str> {
        if at.is_null() {
            return Ok("");
        }
        if at != self.latest_file.0 {
            // SAFETY: the path is not null and ends with a NUL, as all strings of a table, by the conditions of `register`.
            let path = unsafe { borrowed(&mut self.pages, "its file", at, PATH) }?;
            let same = self.latest_file.1;
            self.latest_file = (at, if path == same { same } else { leak_text(path.to_owned()) });
        }
        Ok(self.latest_file.1)
    }

    /// Records the cell of a variable for [`Cells::bind`].
    pub(super) fn record_cell(&mut self, value: &ValueSource) {
        match value {
            ValueSource::Sum(sum) => self.definitions.cells.sums.push(sum),
            ValueSource::Level(level) => self.definitions.cells.levels.push(level),
            ValueSource::LevelOf(_) | ValueSource::Storage(_) | ValueSource::Function(_) => {}
        }
    }

    /// Adds a category.
    ///
    /// # Safety
    ///
    /// `from` is an entry of a table that satisfies the conditions of [`register`].
    unsafe fn category(&mut self, from: &abi::Category, entry: &Entry) -> EntryResult<()> {
        // SAFETY: the string is null or ends with a NUL, by the conditions of `register`.
        let parent = unsafe { optional(&mut self.pages, "the name of its parent", from.parent, NAME) }?;
        let parents =
            if parent.is_empty() { &[][..] } else { self.metadata.categories(&[parent], entry.origin) };
        // SAFETY: the list is null or ends with a null pointer, by the conditions of `register`.
        let inside = unsafe { names(&mut self.pages, "the name of a category in it", from.contains) }?;
        let inside = self.metadata.categories(&inside, entry.origin);
        let desc: &'static CategoryDesc =
            leak(CategoryDesc::new(entry.name, entry.description, parents, inside, entry.origin));
        self.definitions.image.categories.push(desc);
        self.metadata.define_category(desc);
        Ok(())
    }

    /// Adds a source.
    ///
    /// # Safety
    ///
    /// `from` is an entry of a table that satisfies the conditions of [`register`].
    unsafe fn source(&mut self, from: &abi::Source, entry: &Entry) -> EntryResult<()> {
        let order = from_code("order", from.order, SourceOrder::ALL)?;
        let shared = self.metadata.shared(&[], None, entry.origin);
        let desc = SourceDesc::new(entry.metadata(shared), order, leak(SourceCell::new()));
        self.definitions.image.sources.push(leak(desc));
        Ok(())
    }

    /// Adds a component.
    ///
    /// # Safety
    ///
    /// `from` is an entry of a table that satisfies the conditions of [`register`].
    unsafe fn component(&mut self, from: &abi::Component, entry: &Entry) -> EntryResult<()> {
        // SAFETY: the string is null or ends with a NUL, by the conditions of `register`.
        let framework = unsafe { text(&mut self.pages, "the name of its framework", from.framework, NAME) }?;
        let Entry { name, description, origin, .. } = *entry;
        let about = ComponentInfo { framework, name, description, origin, activation: self.activation };
        // SAFETY: the subscription is null or valid for the rest of the process, and so are the functions, by the conditions of
        // `register`.
        self.definitions.components.push(unsafe { ForeignComponent::new(*from, about) }?);
        Ok(())
    }
}
