//! Conversion of a table into descriptors.

use std::collections::HashMap;
use std::ffi::{c_char, c_uint};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use super::c_strings::{DESCRIPTION, NAME, PATH, borrowed, from_code, names, optional, text};
use super::c_structs::{EntryResult, LoadResult, Prefixed, Specified, list, member, read, read_list};
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
    latest_file: Option<(*const c_char, &'static str)>,
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
    // SAFETY: the caller ensures that `table` is null or satisfies `mpit_plugin.h`.
    register_specified(unsafe { Specified::new(table) })
}

/// Registers all definitions of a table like [`register`].
pub(super) fn register_specified(table: Specified<'_, *const Table>) -> Result<(), String> {
    add_to(Registry::global(), table).map(Claim::publish)
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
    // SAFETY: the caller ensures that `table` is null or satisfies `mpit_plugin.h`.
    add_to(registry, unsafe { Specified::new(table) })
}

fn add_to(registry: &Registry, table: Specified<'_, *const Table>) -> Result<Claim, String> {
    if !memory::admits(LEAST_MEMORY) {
        return Err("memory is short".to_owned());
    }
    let definitions = convert(table, None)?;
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
pub(super) fn convert(
    at: Specified<'_, *const Table>,
    activation: Option<&'static Activation>,
) -> LoadResult<Definitions> {
    let (table, mut builder) = TableBuilder::begin(at, activation)?;
    let taken = builder.convert_lists(&table);
    taken.map_err(|left_out| format!("{}: {}", builder.component, left_out.line))?;
    Ok(builder.definitions)
}

/// Converts a table like [`convert`], but leaves out entries with faults and returns all faults.
pub(super) fn convert_leniently(
    at: Specified<'_, *const Table>,
    activation: Option<&'static Activation>,
) -> Result<(Definitions, Vec<Refusal>), Fault> {
    let (table, mut builder) = TableBuilder::begin(at, activation)?;
    builder.left_out = Some(Vec::new());
    let last = builder.convert_lists(&table).err();
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
    fn texts<'t>(from: &Specified<'t, Self>) -> (Text<'t>, Text<'t>, Text<'t>, c_uint);
}

type Text<'t> = Specified<'t, *const c_char>;

macro_rules! listed {
    ($($desc:ident $kind:literal;)*) => {$(
        impl Listed for abi::$desc {
            const KIND: &'static str = $kind;

            fn texts<'t>(from: &Specified<'t, Self>) -> (Text<'t>, Text<'t>, Text<'t>, c_uint) {
                (member!(from, name), member!(from, description), member!(from, file), from.line)
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
    fn begin<'t>(
        at: Specified<'t, *const Table>,
        activation: Option<&'static Activation>,
    ) -> EntryResult<(Specified<'t, Table>, Self)> {
        let mut pages = Pages::default();
        let (table, _) = read(&mut pages, "the table", at)?;
        if table.version != u32::from(MAJOR) {
            let version = table.version;
            let need = if version > u32::from(MAJOR) { "it needs a later mpit: " } else { "" };
            let why =
                format!("{need}the table has version {version}, and this mpit knows version {MAJOR} only");
            return Err(why.into());
        }
        let component = text(&mut pages, "the table's component", member!(&table, component), NAME)?;
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
            latest_file: None,
            left_out: None,
        };
        Ok((table, builder))
    }

    /// Converts all lists, beginning with those that others refer to by name.
    fn convert_lists(&mut self, table: &Specified<'_, Table>) -> Result<(), LeftOut> {
        self.convert_list(list!(table, categories, num_categories), Self::category)?;
        self.convert_list(list!(table, sources, num_sources), Self::source)?;
        self.convert_list(list!(table, events, num_events), Self::event)?;
        self.convert_list(list!(table, pvars, num_pvars), Self::pvar)?;
        self.convert_list(list!(table, cvars, num_cvars), Self::cvar)?;
        self.convert_list(list!(table, components, num_components), Self::component)
    }

    /// Converts a list of entries of one kind with `convert_entry`.
    fn convert_list<'t, T: Listed>(
        &mut self,
        list: Specified<'t, *const [T]>,
        convert_entry: fn(&mut Self, &Specified<'t, T>, &Entry) -> EntryResult<()>,
    ) -> Result<(), LeftOut> {
        let place: &'static str = leak_text(format!("{}, {} ", self.component, T::KIND));
        let all = match read_list(&mut self.pages, T::KIND, list) {
            Ok(all) => all,
            Err(why) => {
                let (what, origin) = (format!("the list of kind {}", T::KIND), Origin::new(place, 0));
                return self.leave_out(LeftOut { what, origin, fault: why.clone().into(), line: why });
            }
        };
        for (number, one) in (1..).zip(&all) {
            let left_out = match self.entry(one, Origin::new(place, number)) {
                Ok(entry) => convert_entry(self, one, &entry)
                    .err()
                    .map(|fault| LeftOut::entry(entry.kind, entry.name, entry.origin, fault)),
                Err(left_out) => Some(left_out),
            };
            left_out.map_or(Ok(()), |left_out| self.leave_out(left_out))?;
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
    fn entry<T: Listed>(&mut self, one: &Specified<'_, T>, position: Origin) -> Result<Entry, LeftOut> {
        let (kind, number) = (T::KIND, position.line());
        let (name, description, file, line) = T::texts(one);
        let file = self.file(file);
        let origin = match file {
            Ok(file) if !file.is_empty() => Origin::new(file, line),
            _ => position,
        };
        let what = format_args!("the name of {kind} {number}");
        let name = borrowed(&mut self.pages, what, name, NAME).map_err(|fault| LeftOut {
            what: format!("{kind} {number}"),
            origin,
            line: fault.why.clone(),
            fault,
        })?;
        let refuse = |fault| LeftOut::entry(kind, name, origin, fault);
        file.map_err(refuse)?;
        let description = optional(&mut self.pages, "its description", description, DESCRIPTION);
        let texts: &'static str = leak_text([name, description.map_err(refuse)?].concat());
        let (name, description) = texts.split_at(name.len());
        Ok(Entry { kind, name, description, texts, origin })
    }

    /// Returns a copy of the path of an entry's source file; the empty string for a null pointer.
    fn file(&mut self, at: Specified<'_, *const c_char>) -> EntryResult<&'static str> {
        match self.latest_file {
            Some((latest, path)) if latest == *at => Ok(path),
            latest => {
                let path = optional(&mut self.pages, "its file", at, PATH)?;
                let same = latest.map(|(_, latest)| latest).filter(|latest| *latest == path);
                let path = same.unwrap_or_else(|| leak_text(path.to_owned()));
                self.latest_file = Some((*at, path));
                Ok(path)
            }
        }
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
    fn category(&mut self, from: &Specified<'_, abi::Category>, entry: &Entry) -> EntryResult<()> {
        let parent = optional(&mut self.pages, "the name of its parent", member!(from, parent), NAME)?;
        let parents =
            if parent.is_empty() { &[][..] } else { self.metadata.categories(&[parent], entry.origin) };
        let inside = names(&mut self.pages, "the name of a category in it", member!(from, contains))?;
        let inside = self.metadata.categories(&inside, entry.origin);
        let desc: &'static CategoryDesc =
            leak(CategoryDesc::new(entry.name, entry.description, parents, inside, entry.origin));
        self.definitions.image.categories.push(desc);
        self.metadata.define_category(desc);
        Ok(())
    }

    /// Adds a source.
    fn source(&mut self, from: &Specified<'_, abi::Source>, entry: &Entry) -> EntryResult<()> {
        let order = from_code("order", from.order, SourceOrder::ALL)?;
        let shared = self.metadata.shared(&[], None, entry.origin);
        let desc = SourceDesc::new(entry.metadata(shared), order, leak(SourceCell::new()));
        self.definitions.image.sources.push(leak(desc));
        Ok(())
    }

    /// Adds a component.
    fn component(&mut self, from: &Specified<'_, abi::Component>, entry: &Entry) -> EntryResult<()> {
        let framework = text(&mut self.pages, "the name of its framework", member!(from, framework), NAME)?;
        let Entry { name, description, origin, .. } = *entry;
        let about = ComponentInfo { framework, name, description, origin, activation: self.activation };
        // SAFETY: the subscription is null or valid for the rest of the process, and so are the functions, as `Specified` says.
        self.definitions.components.push(unsafe { ForeignComponent::new(**from, about) }?);
        Ok(())
    }
}
