//! From a table to descriptors.

use std::ffi::{c_char, c_uint};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use super::abi::{self, EventCell, MAJOR, Sum, Table};
use super::cell::{self, Origins};
use super::component::{About, Claim, ForeignComponent};
use super::event;
use super::life::Life;
use super::read::{Checked, Prefixed, Ruled, read, read_list};
use super::texts::{DESCRIPTION, NAME, PATH, names, optional, text, word};
use crate::cell::Gauge;
use crate::cvar::sources;
use crate::desc::{CategoryDesc, Common, EnumDesc, EventDesc, Head, Origin, SourceDesc};
use crate::event::SourceCell;
use crate::registry::{Fault, Image, Refusal, Registry, text_fault};
use crate::threads;
use crate::words::SourceOrder;

/// Descriptors live as long as the process: the registry never forgets.
pub(super) fn forever<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

pub(super) fn forever_list<T>(values: Vec<T>) -> &'static [T] {
    values.leak()
}

/// What a table defines: checked, and known to nobody yet.
#[derive(Debug)]
pub(super) struct Definitions {
    /// For the registry.
    pub(super) image: Image,
    /// To be claimed before the image is registered, and published afterwards.
    pub(super) components: Vec<ForeignComponent>,
    /// To be bound before the image is registered.
    pub(super) cells: Cells,
}

/// The parts of a table's image that updates come to, which need the host's functions.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) events: Vec<(&'static EventCell, &'static EventDesc)>,
    sums: Vec<&'static Sum>,
    levels: Vec<&'static Gauge>,
}

/// What all kinds of entries have.
#[derive(Debug)]
pub(super) struct Entry {
    kind: &'static str,
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) origin: Origin,
}

/// What is being made of a table.
pub(super) struct Making {
    pub(super) component: &'static str,
    /// When the entries have values; `None`: for ever.
    pub(super) life: Option<&'static Life>,
    pub(super) made: Definitions,
    /// By their addresses in the table: variables may share one.
    pub(super) enums: Vec<(*const abi::Enum, &'static EnumDesc)>,
    /// What was left out so far; without a list, the first fault ends it all.
    left_out: Option<Vec<LeftOut>>,
}

/// An entry or a list that cannot be taken.
struct LeftOut {
    what: String,
    origin: Origin,
    fault: Fault,
    /// What is wrong, with the entry, in one line.
    line: String,
}

/// Registers all that a table describes, or nothing.
///
/// # Errors
///
/// What is wrong with the table, for people.
///
/// # Safety
///
/// `table` is null or as the header `mpit_plugin.h` says: lists have as many entries as their numbers say, strings end with
/// a NUL, and storage, cells and functions stay for ever.
pub unsafe fn register(table: *const Table) -> Result<(), String> {
    // SAFETY: by the caller's promise.
    let claim = unsafe { register_in(Registry::global(), table) }?;
    claim.publish();
    Ok(())
}

/// Registers all that a table describes in a registry, or nothing. The table's components are not shown yet.
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
    // SAFETY: by the caller's promise.
    let made = unsafe { make(table, None) }?;
    let component = &made.image.name;
    let inside = |why: String| format!("{component}: {why}");
    made.cells.bind().map_err(inside)?;
    let (claim, refusals) = Claim::new(made.components);
    let added = if refusals.is_empty() {
        registry.add_whole(&made.image, &sources::for_image(&made.image))
    } else {
        Err(refusals)
    };
    match added {
        Ok(()) => Ok(claim),
        Err(refusals) => {
            made.cells.unbind();
            Err(inside(in_one_line(&refusals)))
        }
    }
}

/// What is wrong with a table that is refused for several reasons.
pub(super) fn in_one_line(refusals: &[Refusal]) -> String {
    let first = refusals.first().map(|one| format!("{} at {}: {}", one.what, one.place, one.why));
    match refusals.len() {
        0 | 1 => first.unwrap_or_default(),
        all => format!("{} (and {} more)", first.unwrap_or_default(), all - 1),
    }
}

/// Reads a table, and makes what is to be registered, with values while `life` goes on. Nobody knows of it afterwards.
///
/// # Safety
///
/// The conditions of [`register`] hold.
pub(super) unsafe fn make(at: *const Table, life: Option<&'static Life>) -> Checked<Definitions> {
    // SAFETY: by the caller's promise.
    let (table, mut making) = unsafe { Making::begin(at, life) }?;
    // SAFETY: by the caller's promise.
    let taken = unsafe { making.take(&table) };
    taken.map_err(|left_out| format!("{}: {}", making.component, left_out.line))?;
    Ok(making.made)
}

/// The same, but leaves out what cannot be taken, and tells all of it.
///
/// # Safety
///
/// The conditions of [`register`] hold.
pub(super) unsafe fn make_leniently(
    at: *const Table,
    life: Option<&'static Life>,
) -> Result<(Definitions, Vec<Refusal>), Fault> {
    // SAFETY: by the caller's promise.
    let (table, mut making) = unsafe { Making::begin(at, life) }?;
    making.left_out = Some(Vec::new());
    // SAFETY: by the caller's promise.
    let last = unsafe { making.take(&table) }.err();
    let left_out = making.left_out.into_iter().flatten().chain(last);
    let left_out = left_out.map(|one| Refusal::new(one.what, one.origin, one.fault)).collect();
    Ok((making.made, left_out))
}

impl Cells {
    /// Lets updates find the host. To be called before tools can see the entries: what is set here is there as soon as
    /// there is a listener or a handle.
    ///
    /// # Errors
    ///
    /// When a cell serves somebody else; then no event cell is bound.
    pub(super) fn bind(&self) -> Checked<()> {
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
            cell.raise.store(event::raise as *mut _, Release);
        }
        Ok(())
    }

    /// Undoes [`Self::bind`], for what was refused. Sums and levels may be others' as well, and are right as they are.
    pub(super) fn unbind(&self) {
        self.events.iter().for_each(|(cell, _)| release(cell));
    }
}

fn release(cell: &EventCell) {
    cell.raise.store(std::ptr::null_mut(), Release);
    cell.event.store(std::ptr::null_mut(), Release);
}

impl Entry {
    fn refuse(&self, fault: Fault) -> LeftOut {
        let what = format!("{} `{}`", self.kind, self.name);
        let line = format!("{what} at {}: {}", self.origin, fault.why);
        LeftOut { what, origin: self.origin, fault, line }
    }

    /// What a variable says of itself.
    pub(super) fn head(&self, common: Common) -> Head {
        Head::of(self.name, self.description, forever(common), self.origin.line())
    }
}

/// A struct of which tables have lists.
trait Listed: Prefixed {
    const KIND: &'static str;

    /// Its name and description, and the file and line where it is written.
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

impl Making {
    /// Reads the beginning of a table.
    ///
    /// # Safety
    ///
    /// The conditions of [`register`] hold.
    unsafe fn begin(at: *const Table, life: Option<&'static Life>) -> Ruled<(Table, Self)> {
        // SAFETY: by the caller's promise.
        let (table, _) = unsafe { read("the table", at) }?;
        if table.version != u32::from(MAJOR) {
            let version = table.version;
            let why = format!("the table has version {version}; this libmpit knows version {MAJOR} only");
            return Err(why.into());
        }
        // SAFETY: by the caller's promise.
        let component = unsafe { text("the table's component", table.component, NAME) }?;
        if let Some(Fault { rule, why }) = text_fault(component, "") {
            return Err(Fault::of(rule, format!("the table's component: {why}")));
        }
        let made =
            Definitions { image: Image::new(component), components: Vec::new(), cells: Cells::default() };
        Ok((table, Self { component, life, made, enums: Vec::new(), left_out: None }))
    }

    /// Takes all lists, those first that others name.
    ///
    /// # Safety
    ///
    /// The conditions of [`register`] hold.
    unsafe fn take(&mut self, table: &Table) -> Result<(), LeftOut> {
        // SAFETY: by the caller's promise.
        unsafe { self.take_list(table.categories, table.num_categories, Self::category) }?;
        // SAFETY: by the caller's promise.
        unsafe { self.take_list(table.sources, table.num_sources, Self::source) }?;
        // SAFETY: by the caller's promise.
        unsafe { self.take_list(table.events, table.num_events, Self::event) }?;
        // SAFETY: by the caller's promise.
        unsafe { self.take_list(table.pvars, table.num_pvars, Self::pvar) }?;
        // SAFETY: by the caller's promise.
        unsafe { self.take_list(table.cvars, table.num_cvars, Self::cvar) }?;
        // SAFETY: by the caller's promise.
        unsafe { self.take_list(table.components, table.num_components, Self::listener) }
    }

    /// # Safety
    ///
    /// The conditions of [`register`] hold.
    unsafe fn take_list<T: Listed>(
        &mut self,
        list: *const T,
        count: usize,
        take: unsafe fn(&mut Self, &T, &Entry) -> Ruled<()>,
    ) -> Result<(), LeftOut> {
        // SAFETY: by the caller's promise.
        let all = match unsafe { read_list(T::KIND, list, count) } {
            Ok(all) => all,
            Err(why) => {
                let (what, origin) =
                    (format!("the list of kind {}", T::KIND), Origin::new(self.component, 0));
                return self.leave_out(LeftOut { what, origin, fault: why.clone().into(), line: why });
            }
        };
        for (number, one) in (1..).zip(&all) {
            // SAFETY: by the caller's promise.
            let taken = unsafe { self.entry(one, number) }.and_then(|entry| {
                // SAFETY: by the caller's promise.
                unsafe { take(self, one, &entry) }.map_err(|fault| entry.refuse(fault))
            });
            taken.or_else(|left_out| self.leave_out(left_out))?;
        }
        Ok(())
    }

    /// Notes what is left out, or gives it back if that ends it all.
    fn leave_out(&mut self, what: LeftOut) -> Result<(), LeftOut> {
        match &mut self.left_out {
            Some(all) => {
                all.push(what);
                Ok(())
            }
            None => Err(what),
        }
    }

    /// Reads what all kinds have. `number` is the entry's place in its list, from 1.
    ///
    /// # Safety
    ///
    /// The conditions of [`register`] hold.
    unsafe fn entry<T: Listed>(&self, one: &T, number: u32) -> Result<Entry, LeftOut> {
        let kind = T::KIND;
        let (name, description, file, line) = one.texts();
        // SAFETY: by the caller's promise.
        let file = unsafe { optional("its file", file, PATH) };
        let origin = match file {
            Ok(file) if !file.is_empty() => Origin::new(file, line),
            _ => Origin::new(self.component, number),
        };
        // SAFETY: by the caller's promise.
        let name = unsafe { text(&format!("the name of {kind} {number}"), name, NAME) }.map_err(|fault| {
            LeftOut { what: format!("{kind} {number}"), origin, line: fault.why.clone(), fault }
        })?;
        let mut entry = Entry { kind, name, description: "", origin };
        file.map_err(|fault| entry.refuse(fault))?;
        // SAFETY: by the caller's promise.
        let description = unsafe { optional("its description", description, DESCRIPTION) };
        entry.description = description.map_err(|fault| entry.refuse(fault))?;
        Ok(entry)
    }

    /// Notes the cell of a variable, to be bound.
    pub(super) fn remember(&mut self, value: &Origins) {
        match value {
            Origins::Sum(sum) => self.made.cells.sums.push(sum),
            Origins::Level(level) => self.made.cells.levels.push(level),
            Origins::LevelOf(_) | Origins::Storage(_) | Origins::Function(_) => {}
        }
    }

    /// The category of a name: the table's, or one that merely has the name.
    fn category_named(&self, name: &'static str, origin: Origin) -> &'static CategoryDesc {
        let known = self.made.image.categories.iter().find(|desc| desc.name() == name);
        known.copied().unwrap_or_else(|| forever(CategoryDesc::new(name, "", &[], &[], origin)))
    }

    pub(super) fn categories_named(
        &self,
        names: &[&'static str],
        origin: Origin,
    ) -> &'static [&'static CategoryDesc] {
        forever_list(names.iter().map(|name| self.category_named(name, origin)).collect())
    }

    /// What a variable has beside what all have.
    pub(super) fn common(
        &self,
        categories: &[&'static str],
        enumeration: Option<&'static EnumDesc>,
        origin: Origin,
    ) -> Common {
        let mut common = Common::new(self.component, origin.file());
        common = common.categories(self.categories_named(categories, origin));
        if let Some(enumeration) = enumeration {
            common = common.values_named(enumeration);
        }
        if let Some(life) = self.life {
            common = common.living(life);
        }
        common
    }

    /// # Safety
    ///
    /// The conditions of [`register`] hold.
    unsafe fn category(&mut self, from: &abi::Category, entry: &Entry) -> Ruled<()> {
        // SAFETY: by the caller's promise.
        let parent = unsafe { optional("the name of its parent", from.parent, NAME) }?;
        let parents =
            if parent.is_empty() { &[][..] } else { self.categories_named(&[parent], entry.origin) };
        // SAFETY: by the caller's promise.
        let inside = unsafe { names("the name of a category in it", from.contains) }?;
        let inside = self.categories_named(&inside, entry.origin);
        let desc = CategoryDesc::new(entry.name, entry.description, parents, inside, entry.origin);
        self.made.image.categories.push(forever(desc));
        Ok(())
    }

    /// # Safety
    ///
    /// The conditions of [`register`] hold.
    unsafe fn source(&mut self, from: &abi::Source, entry: &Entry) -> Ruled<()> {
        let order = word("order", from.order, SourceOrder::ALL)?;
        let desc = SourceDesc::new(entry.name, order, forever(SourceCell::new()), entry.origin);
        let desc = desc.component(self.component).description(entry.description);
        self.made.image.sources.push(forever(desc));
        Ok(())
    }

    /// # Safety
    ///
    /// The conditions of [`register`] hold.
    unsafe fn listener(&mut self, from: &abi::Component, entry: &Entry) -> Ruled<()> {
        // SAFETY: by the caller's promise.
        let framework = unsafe { text("the name of its framework", from.framework, NAME) }?;
        let Entry { name, description, origin, .. } = *entry;
        let about = About { framework, name, description, origin, life: self.life };
        // SAFETY: by the caller's promise.
        self.made.components.push(unsafe { ForeignComponent::new(*from, about) }?);
        Ok(())
    }
}
