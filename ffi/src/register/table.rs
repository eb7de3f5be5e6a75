//! From a table in C to descriptors.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use mpit::cell::Gauge;
use mpit::cvar::sources;
use mpit::desc::{
    CategoryDesc, Element, EnumDesc, EnumItem, EventDesc, LARGEST_EVENT, Origin, PvarDesc, PvarFlags,
    SourceDesc,
};
use mpit::registry::{Image, Registry};
use mpit::words::{Bind, Class, Datatype, SourceOrder, Verbosity};

use super::cell::{self, Origins};
use super::layout::{
    self, Category, Checked, Event, EventCell, Pvar, Source, Sum, Table, VERSION, placed, read, read_list,
};
use super::texts::{DESCRIPTION, NAME, names, optional, text, word};

/// Descriptors live as long as the process: the registry never forgets.
pub(super) fn forever<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

pub(super) fn forever_list<T>(values: Vec<T>) -> &'static [T] {
    values.leak()
}

/// What is being made of a table.
pub(super) struct Making {
    component: &'static str,
    image: Image,
    cells: Vec<(&'static EventCell, &'static EventDesc)>,
    /// By their addresses in the table: variables may share one.
    pub(super) enums: Vec<(*const layout::Enum, &'static EnumDesc)>,
}

/// Registers a table, or says why not.
///
/// # Safety
///
/// As `mpit_register`.
pub(super) unsafe fn register(at: *const Table) -> Checked<()> {
    // SAFETY: by the caller's promise.
    let (table, _) = unsafe { read("the table", at) }?;
    if table.version != VERSION {
        return Err(format!(
            "the table has version {}; this libmpit knows version {VERSION} only",
            table.version
        ));
    }
    // SAFETY: by the caller's promise.
    let component = unsafe { text("the table's component", table.component, NAME) }?;
    if let Some(fault) = mpit::registry::name_fault(component) {
        return Err(format!("the table's component: {fault}"));
    }
    let mut making = Making { component, image: Image::new(component), cells: Vec::new(), enums: Vec::new() };
    // SAFETY: by the caller's promise.
    unsafe { making.take(&table) }.map_err(|why| format!("{component}: {why}"))?;
    making.publish().map_err(|why| format!("{component}: {why}"))
}

impl Making {
    /// Takes all lists, those first that others name.
    ///
    /// # Safety
    ///
    /// As `mpit_register`.
    unsafe fn take(&mut self, table: &Table) -> Checked<()> {
        // SAFETY: by the caller's promise.
        let categories = unsafe { read_list("category", table.categories, table.num_categories) }?;
        // SAFETY: by the caller's promise.
        let sources = unsafe { read_list("source", table.sources, table.num_sources) }?;
        // SAFETY: by the caller's promise.
        let events = unsafe { read_list("event", table.events, table.num_events) }?;
        // SAFETY: by the caller's promise.
        let pvars = unsafe { read_list("pvar", table.pvars, table.num_pvars) }?;
        for (number, one) in (1..).zip(&categories) {
            // SAFETY: by the caller's promise.
            let desc = unsafe { self.category(one, number) }?;
            self.image.categories.push(forever(desc));
        }
        for (number, one) in (1..).zip(&sources) {
            // SAFETY: by the caller's promise.
            let desc = unsafe { self.source(one, number) }?;
            self.image.sources.push(forever(desc));
        }
        for (number, one) in (1..).zip(&events) {
            // SAFETY: by the caller's promise.
            unsafe { self.event(one, number) }?;
        }
        for (number, one) in (1..).zip(&pvars) {
            // SAFETY: by the caller's promise.
            let desc = unsafe { self.pvar(one, number) }?;
            self.image.pvars.push(forever(desc));
        }
        // SAFETY: by the caller's promise.
        let cvars = unsafe { read_list("cvar", table.cvars, table.num_cvars) }?;
        for (number, one) in (1..).zip(&cvars) {
            // SAFETY: by the caller's promise.
            let desc = unsafe { self.cvar(one, number) }?;
            self.image.cvars.push(forever(desc.component(self.component)));
        }
        Ok(())
    }

    /// Adds everything to the registry, or nothing.
    fn publish(self) -> Checked<()> {
        let mut claimed: Vec<&EventCell> = Vec::new();
        let mut outcome = Ok(());
        // Before tools can see the events: who raises one finds the descriptor as soon as there is a listener.
        for (cell, desc) in &self.cells {
            let event = std::ptr::from_ref::<EventDesc>(desc).cast_mut();
            let free = cell.event.compare_exchange(std::ptr::null_mut(), event, AcqRel, Acquire);
            if free.is_err() {
                outcome = Err(format!(
                    "event `{}`: its cell serves an event type already; each needs its own",
                    desc.name()
                ));
                break;
            }
            claimed.push(cell);
        }
        let outcome = outcome.and_then(|()| {
            Registry::global().add_whole(&self.image, &sources::of_process()).map_err(|refusals| {
                let more = refusals.len().saturating_sub(1);
                let first =
                    refusals.first().map_or_else(String::new, |one| format!("{}: {}", one.what, one.why));
                if more == 0 { first } else { format!("{first} (and {more} more)") }
            })
        });
        if outcome.is_err() {
            for cell in claimed {
                cell.event.store(std::ptr::null_mut(), Release);
            }
        }
        outcome
    }

    /// For messages: the `number`-th of its kind in the table.
    pub(super) fn origin(&self, number: u32) -> Origin {
        Origin::new(self.component, number)
    }

    /// The category of a name: the table's, or one that merely has the name.
    fn category_named(&self, name: &'static str, number: u32) -> &'static CategoryDesc {
        let known = self.image.categories.iter().find(|desc| desc.name() == name);
        known.copied().unwrap_or_else(|| forever(CategoryDesc::new(name, "", &[], &[], self.origin(number))))
    }

    pub(super) fn categories_named(
        &self,
        names: &[&'static str],
        number: u32,
    ) -> &'static [&'static CategoryDesc] {
        forever_list(names.iter().map(|name| self.category_named(name, number)).collect())
    }

    /// # Safety
    ///
    /// As `mpit_register`.
    unsafe fn category(&self, from: &Category, number: u32) -> Checked<CategoryDesc> {
        // SAFETY: by the caller's promise.
        let name = unsafe { text(&format!("the name of category {number}"), from.name, NAME) }?;
        let inside = |why: String| format!("category `{name}`: {why}");
        // SAFETY: by the caller's promise.
        let description =
            unsafe { optional("its description", from.description, DESCRIPTION) }.map_err(inside)?;
        // SAFETY: by the caller's promise.
        let parent = unsafe { optional("the name of its parent", from.parent, NAME) }.map_err(inside)?;
        let parents = if parent.is_empty() { &[][..] } else { self.categories_named(&[parent], number) };
        Ok(CategoryDesc::new(name, description, parents, &[], self.origin(number)))
    }

    /// # Safety
    ///
    /// As `mpit_register`.
    unsafe fn source(&self, from: &Source, number: u32) -> Checked<SourceDesc> {
        // SAFETY: by the caller's promise.
        let name = unsafe { text(&format!("the name of source {number}"), from.name, NAME) }?;
        let inside = |why: String| format!("source `{name}`: {why}");
        // SAFETY: by the caller's promise.
        let description =
            unsafe { optional("its description", from.description, DESCRIPTION) }.map_err(inside)?;
        let order = word("order", from.order, SourceOrder::ALL).map_err(inside)?;
        let cell = forever(mpit::event::SourceCell::new());
        let desc = SourceDesc::new(name, order, cell, self.origin(number));
        Ok(desc.component(self.component).description(description))
    }

    /// # Safety
    ///
    /// As `mpit_register`.
    unsafe fn pvar(&mut self, from: &Pvar, number: u32) -> Checked<PvarDesc> {
        // SAFETY: by the caller's promise.
        let name = unsafe { text(&format!("the name of pvar {number}"), from.name, NAME) }?;
        // SAFETY: by the caller's promise.
        unsafe { self.pvar_named(name, from, number) }.map_err(|why| format!("pvar `{name}`: {why}"))
    }

    /// # Safety
    ///
    /// As `mpit_register`.
    unsafe fn pvar_named(&mut self, name: &'static str, from: &Pvar, number: u32) -> Checked<PvarDesc> {
        // SAFETY: by the caller's promise.
        let description = unsafe { optional("its description", from.description, DESCRIPTION) }?;
        let class = word("class", from.class, Class::ALL)?;
        let datatype = word("datatype", from.datatype, Datatype::ALL)?;
        let verbosity = word("verbosity", from.verbosity, Verbosity::ALL)?;
        let bind = bind(from.bind)?;
        // SAFETY: by the caller's promise.
        let categories = unsafe { names("the name of one of its categories", from.categories) }?;
        let count = usize::try_from(from.count).ok().filter(|count| *count > 0);
        let count = count.ok_or_else(|| format!("its count is {}; it has 1 element or more", from.count))?;
        let flags = flags(from.flags)?;
        // SAFETY: by the caller's promise.
        let value = unsafe { value_of(from, datatype) }?;
        cell_fault(&value, class, datatype, (count, bind))?;
        // SAFETY: by the caller's promise.
        let enumeration = unsafe { self.enumeration(from.enumeration, number) }?;
        if flags.has(PvarFlags::ATOMIC) && (count != 1 || matches!(value, Origins::Function(..))) {
            return Err("ATOMIC needs one element in `sum` or `storage`".into());
        }
        let mut desc = cell::pvar(name, class, datatype, count, value, self.origin(number));
        if let Some(enumeration) = enumeration {
            desc = desc.values_named(enumeration);
        }
        let desc = desc.component(self.component).description(description).verbosity(verbosity).bind(bind);
        Ok(desc.flags(flags).categories(self.categories_named(&categories, number)))
    }

    /// # Safety
    ///
    /// As `mpit_register`.
    unsafe fn event(&mut self, from: &Event, number: u32) -> Checked<()> {
        // SAFETY: by the caller's promise.
        let name = unsafe { text(&format!("the name of event {number}"), from.name, NAME) }?;
        // SAFETY: by the caller's promise.
        unsafe { self.event_named(name, from, number) }.map_err(|why| format!("event `{name}`: {why}"))
    }

    /// # Safety
    ///
    /// As `mpit_register`.
    unsafe fn event_named(&mut self, name: &'static str, from: &Event, number: u32) -> Checked<()> {
        // SAFETY: by the caller's promise.
        let description = unsafe { optional("its description", from.description, DESCRIPTION) }?;
        let verbosity = word("verbosity", from.verbosity, Verbosity::ALL)?;
        let bind = bind(from.bind)?;
        // SAFETY: by the caller's promise.
        let source = unsafe { text("the name of its source", from.source, NAME) }?;
        let source = self.source_named(source)?;
        // SAFETY: by the caller's promise.
        let (elements, element_names) = unsafe { elements(from) }?;
        // SAFETY: by the caller's promise.
        let categories = unsafe { names("the name of one of its categories", from.categories) }?;
        placed("its cell", from.cell)?;
        // SAFETY: not null and aligned, and there for ever by the caller's promise; all its members are atomic.
        let cell: &'static EventCell = unsafe { &*from.cell };
        let core = forever(mpit::event::EventCell::with_mirror(&cell.listeners));
        let origin = self.origin(number);
        let mut desc = EventDesc::new(name, elements, source, core, origin);
        if let Some(items) = element_names {
            desc = desc.enumeration(forever(EnumDesc::new(name, items, origin)));
        }
        let desc = desc.component(self.component).description(description).verbosity(verbosity).bind(bind);
        let desc = forever(desc.categories(self.categories_named(&categories, number)));
        self.image.events.push(desc);
        self.cells.push((cell, desc));
        Ok(())
    }

    fn source_named(&self, name: &str) -> Checked<&'static SourceDesc> {
        if let Some(ours) = self.image.sources.iter().find(|desc| desc.name() == name) {
            return Ok(ours);
        }
        let registry = Registry::global();
        let known = registry.source_index(name).and_then(|index| registry.source(index));
        known.ok_or_else(|| format!("there is no source `{name}`, in the table or registered before"))
    }
}

/// What handles may be bound to.
fn bind(code: i32) -> Checked<Bind> {
    match word("bind", code, Bind::ALL)? {
        Bind::Comm => Err("binding to communicators is not supported for tables".into()),
        bind => Ok(bind),
    }
}

fn flags(bits: u32) -> Checked<PvarFlags> {
    let known = [PvarFlags::READONLY, PvarFlags::CONTINUOUS, PvarFlags::ATOMIC];
    let mut flags = PvarFlags::NONE;
    for (bit, flag) in known.into_iter().enumerate() {
        if bits >> bit & 1 != 0 {
            flags = flags.with(flag);
        }
    }
    if bits >> known.len() == 0 { Ok(flags) } else { Err(format!("its flags {bits:#x} are not all known")) }
}

/// Where the value is.
///
/// # Safety
///
/// As `mpit_register`.
unsafe fn value_of(from: &Pvar, datatype: Datatype) -> Checked<Origins> {
    let given = usize::from(!from.sum.is_null())
        + usize::from(!from.level.is_null())
        + usize::from(!from.storage.is_null())
        + usize::from(from.read.is_some());
    if given != 1 {
        return Err(format!(
            "its value is in exactly one of `sum`, `level`, `storage` and `read`, of which {given} are given"
        ));
    }
    if let Some(function) = from.read {
        return Ok(Origins::Function(function, from.user_data));
    }
    if !from.level.is_null() {
        placed("its level", from.level)?;
        // SAFETY: not null and aligned, and there for ever by the caller's promise; all its members are atomic, and the
        // header has it begin as zeros, without marks.
        let gauge: &'static Gauge = unsafe { &*from.level };
        return Ok(Origins::Level(gauge));
    }
    if from.sum.is_null() {
        if !from.storage.addr().is_multiple_of(datatype.size()) {
            return Err(format!("its storage at {:p} is not aligned", from.storage));
        }
        return Ok(Origins::Storage(from.storage));
    }
    placed("its sum", from.sum)?;
    // SAFETY: not null and aligned, and there for ever by the caller's promise; all its members are atomic.
    let sum: &'static Sum = unsafe { &*from.sum };
    Ok(Origins::Sum(sum))
}

/// What a `struct mpit_sum` and a `struct mpit_level` cannot hold.
fn cell_fault(
    value: &Origins,
    class: Class,
    datatype: Datatype,
    (count, bind): (usize, Bind),
) -> Checked<()> {
    let (fits, kind) = match value {
        Origins::Sum(_) => (matches!(class, Class::Counter | Class::Aggregate | Class::Timer), "sum"),
        Origins::Level(_) => {
            (matches!(class, Class::Level | Class::HighWatermark | Class::LowWatermark), "level")
        }
        _ => return Ok(()),
    };
    if !fits {
        return Err(format!("a {class} is not kept in a `{kind}`"));
    }
    if !mpit::registry::class_admits(class, datatype) {
        return Err(format!("the class {class} does not admit {datatype} values"));
    }
    if count != 1 || bind != Bind::NoObject {
        return Err(format!("a `{kind}` is one element that is bound to no object"));
    }
    Ok(())
}

/// The elements of an event, and their names if they have any.
type Elements = (&'static [Element], Option<&'static [EnumItem]>);

/// # Safety
///
/// As `mpit_register`.
unsafe fn elements(from: &Event) -> Checked<Elements> {
    let count = from.num_elements;
    if count == 0 {
        return Ok((&[], None));
    }
    if count > LARGEST_EVENT {
        return Err(format!("{count} elements do not fit into {LARGEST_EVENT} bytes"));
    }
    placed("its list of elements", from.elements)?;
    let (mut all, mut items) = (Vec::new(), Vec::new());
    for place in 0..count {
        // SAFETY: within the list, by the caller's promise.
        let one: layout::Element = unsafe { from.elements.wrapping_add(place).read() };
        let inside = |why: String| format!("element {place}: {why}");
        let datatype = word("datatype", one.datatype, Datatype::ALL).map_err(inside)?;
        if one.displacement > LARGEST_EVENT {
            return Err(inside(format!("its displacement {} is too large", one.displacement)));
        }
        all.push(Element::new(datatype, one.displacement));
        if !one.name.is_null() {
            // SAFETY: by the caller's promise.
            let name = unsafe { text("its name", one.name, NAME) }.map_err(inside)?;
            items.push(EnumItem::new(place as i32, name));
        }
    }
    match items.len() {
        0 => Ok((forever_list(all), None)),
        named if named == count => Ok((forever_list(all), Some(forever_list(items)))),
        named => Err(format!("{named} of its {count} elements have names; all have, or none")),
    }
}
