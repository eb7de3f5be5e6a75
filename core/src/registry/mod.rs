//! The registry: what there is to see, under indices that never move.
//!
//! Each kind of entry has an index space of its own, an append-only list. An [`Image`] is added as one batch,
//! sorted by (component, name, class), so that indices do not depend on the order in which a linker happened to
//! lay things out. Nothing that is in goes away or changes.

mod categories;
mod check;
mod image;
mod names;
mod whole;

use std::sync::atomic::{
    AtomicI32,
    Ordering::{Acquire, Release},
};

pub use categories::{Category, Members};
pub use check::{LONGEST_NAME, Refusal, class_admits, name_fault};
pub use image::Image;

use crate::cvar::sources::{self, Setting, Source};
use crate::desc::{CategoryDesc, CvarDesc, EnumDesc, EventDesc, PvarDesc, SourceDesc};
use crate::lock::{Mutex, Once};
use crate::log::Log;
use crate::words::Class;
use check::{category_label, cvar_label, enum_label, event_label, pvar_label, source_label};
use names::Names;

/// A control variable of the registry: its definition and where its present value came from.
#[derive(Debug)]
pub struct CvarEntry {
    desc: &'static CvarDesc,
    source: Mutex<Source>,
}

impl CvarEntry {
    /// Its definition.
    #[must_use]
    pub fn desc(&self) -> &'static CvarDesc {
        self.desc
    }

    /// Where its present value came from.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source.lock().clone()
    }

    pub(crate) fn set_source(&self, source: Source) {
        *self.source.lock() = source;
    }
}

/// Everything that is defined, under its index.
#[derive(Debug, Default)]
pub struct Registry {
    pvars: Space<&'static PvarDesc>,
    cvars: Space<CvarEntry>,
    events: Space<&'static EventDesc>,
    sources: Space<&'static SourceDesc>,
    enums: Space<&'static EnumDesc>,
    categories: Space<Category>,
    update: AtomicI32,
    adding: Mutex<()>,
}

/// One index space, and its names.
#[derive(Debug)]
struct Space<T> {
    entries: Log<T>,
    names: Names,
}

impl<T> Default for Space<T> {
    fn default() -> Self {
        Self { entries: Log::new(), names: Names::default() }
    }
}

impl<T> Space<T> {
    fn get(&self, index: u32) -> Option<&T> {
        self.entries.get(index as usize)
    }

    /// Appends an entry whose key is new. The caller holds the lock on `adding`.
    fn append<'a, K: std::hash::Hash + Eq>(&'a self, entry: T, key_of: impl Fn(&'a T) -> K) -> u32 {
        let Ok(index) = self.entries.push(entry) else {
            unreachable!("one image is added at a time, and lists are longer than memory")
        };
        let index = index as u32;
        self.names.insert(index, |index| key_of(self.get(index).expect("indices in the table exist")));
        index
    }

    fn find<'a, K: std::hash::Hash + Eq>(&'a self, key: &K, key_of: impl Fn(&'a T) -> K) -> Option<u32> {
        self.names.find(key, |index| key_of(self.get(index).expect("indices in the table exist")))
    }
}

impl Registry {
    /// An empty registry. Programs use [`Registry::global`]; tests make their own.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The registry of this process. The first call adds what is linked into the program and reports on standard
    /// error what had to be left out; the program runs on in any case.
    pub fn global() -> &'static Self {
        static GLOBAL: Once<Registry> = Once::new();
        GLOBAL.get_or_init(|| {
            let registry = Self::new();
            let refusals = registry.add(&Image::linked(), &sources::of_process());
            report(&refusals);
            registry
        })
    }

    /// Adds an image as one batch and gives its control variables their values from `settings`. What breaks a
    /// rule is left out and returned; the rest stands.
    pub fn add(&self, image: &Image, settings: &[Setting]) -> Vec<Refusal> {
        let _alone = self.adding.lock();
        self.add_alone(image, settings)
    }

    /// Adds an image as one batch, if nothing in it breaks a rule.
    ///
    /// # Errors
    ///
    /// What breaks a rule; then nothing was added.
    pub fn add_whole(&self, image: &Image, settings: &[Setting]) -> Result<(), Vec<Refusal>> {
        let _alone = self.adding.lock();
        let mut refusals = self.refusals(image);
        if refusals.is_empty() {
            refusals = self.add_alone(image, settings);
            debug_assert!(refusals.is_empty(), "{refusals:?}");
        }
        if refusals.is_empty() { Ok(()) } else { Err(refusals) }
    }

    /// The caller holds the lock on `adding`.
    fn add_alone(&self, image: &Image, settings: &[Setting]) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        let mut changed = false;
        self.add_enums(image, &mut refusals);
        let links = self.add_categories(image, &mut changed, &mut refusals);
        self.add_links(&links, &mut changed, &mut refusals);
        self.add_pvars(image, &mut changed, &mut refusals);
        self.add_cvars(image, settings, &mut changed, &mut refusals);
        self.add_sources(image, &mut refusals);
        self.add_events(image, &mut changed, &mut refusals);
        if changed {
            // Only now, so that who sees the new number sees the new content.
            self.update.store(categories::next_update(self.update.load(Acquire)), Release);
        }
        refusals
    }

    fn add_enums(&self, image: &Image, refusals: &mut Vec<Refusal>) {
        for desc in image.all_enums() {
            if let Some(fault) = check::enum_fault(desc) {
                refusals.push(Refusal::new(enum_label(desc), desc.origin(), fault));
            } else if let Some(first) = self.enum_named(desc.name()) {
                if !same_enum(first, desc) {
                    refusals.push(Refusal::duplicate(enum_label(desc), desc.origin(), first.origin()));
                }
            } else {
                self.enums.append(desc, |desc| desc.name());
            }
        }
    }

    /// Adds the categories themselves; returns the links between them, (parent, child).
    fn add_categories(
        &self,
        image: &Image,
        changed: &mut bool,
        refusals: &mut Vec<Refusal>,
    ) -> Vec<(&'static CategoryDesc, &'static CategoryDesc)> {
        let mut links = Vec::new();
        for desc in image.all_categories() {
            if let Some(fault) = check::category_fault(desc) {
                refusals.push(Refusal::new(category_label(desc), desc.origin(), fault));
                continue;
            }
            links.extend(desc.parents().iter().map(|parent| (*parent, desc)));
            links.extend(desc.contains().iter().map(|child| (desc, *child)));
            match self.category_index(desc.name()) {
                None => {
                    self.categories.append(Category::new(desc.name(), desc.description()), Category::name);
                    *changed = true;
                }
                // A second image names a category to put something in; it need not describe it again.
                Some(index) => {
                    let first = self.category(index).map_or("", Category::description);
                    if !desc.description().is_empty() && desc.description() != first {
                        refusals.push(Refusal::new(
                            category_label(desc),
                            desc.origin(),
                            "a category of this name has another description, which stays; \
                             what is put into it is not lost",
                        ));
                    }
                }
            }
        }
        links
    }

    fn add_links(
        &self,
        links: &[(&'static CategoryDesc, &'static CategoryDesc)],
        changed: &mut bool,
        refusals: &mut Vec<Refusal>,
    ) {
        for (parent_desc, child_desc) in links {
            let (Some(parent), Some(child)) =
                (self.category_index(parent_desc.name()), self.category_index(child_desc.name()))
            else {
                continue;
            };
            if self.contains(child, parent) {
                refusals.push(Refusal::new(
                    category_label(child_desc),
                    child_desc.origin(),
                    format!("putting it into `{}` would make it its own ancestor", parent_desc.name()),
                ));
            } else if let Some(category) = self.category(parent) {
                *changed |= category.put_category(child);
            }
        }
    }

    /// Whether category `from` is `target`, or contains it at any depth.
    fn contains(&self, from: u32, target: u32) -> bool {
        from == target
            || self.category(from).is_some_and(|category| {
                let children = category.with_members(|members| members.categories.clone());
                children.into_iter().any(|child| self.contains(child, target))
            })
    }

    fn add_pvars(&self, image: &Image, changed: &mut bool, refusals: &mut Vec<Refusal>) {
        let mut pvars = image.pvars.clone();
        pvars.sort_by_key(|desc| (desc.owner(), desc.name(), desc.class(), desc.origin()));
        for desc in pvars {
            let fault = check::pvar_fault(desc).or_else(|| self.missing_enum(desc.enumeration()));
            if let Some(fault) = fault {
                refusals.push(Refusal::new(pvar_label(desc), desc.origin(), fault));
                continue;
            }
            if let Some(first) = self.pvar_index(desc.name(), desc.class()).and_then(|index| self.pvar(index))
            {
                if !std::ptr::eq(first, desc) {
                    refusals.push(Refusal::duplicate(pvar_label(desc), desc.origin(), first.origin()));
                }
                continue;
            }
            let index = self.pvars.append(desc, |desc| (desc.name(), desc.class()));
            for category in desc.category_list() {
                *changed |= self.put(category, |members| &mut members.pvars, index);
            }
        }
    }

    fn add_cvars(
        &self,
        image: &Image,
        settings: &[Setting],
        changed: &mut bool,
        refusals: &mut Vec<Refusal>,
    ) {
        let mut cvars = image.cvars.clone();
        cvars.sort_by_key(|desc| (desc.owner(), desc.name(), desc.origin()));
        for desc in cvars {
            let fault = check::cvar_fault(desc).or_else(|| self.missing_enum(desc.enumeration()));
            if let Some(fault) = fault {
                refusals.push(Refusal::new(cvar_label(desc), desc.origin(), fault));
                continue;
            }
            if let Some(first) = self.cvar_index(desc.name()).and_then(|index| self.cvar(index)) {
                if !std::ptr::eq(first.desc, desc) {
                    refusals.push(Refusal::duplicate(cvar_label(desc), desc.origin(), first.desc.origin()));
                }
                continue;
            }
            let source = sources::apply(desc, settings);
            let entry = CvarEntry { desc, source: Mutex::new(source) };
            let index = self.cvars.append(entry, |entry| entry.desc.name());
            for category in desc.category_list() {
                *changed |= self.put(category, |members| &mut members.cvars, index);
            }
        }
    }

    fn add_sources(&self, image: &Image, refusals: &mut Vec<Refusal>) {
        for desc in image.all_sources() {
            if let Some(fault) = check::source_fault(desc) {
                refusals.push(Refusal::new(source_label(desc), desc.origin(), fault));
            } else if let Some(first) = self.source_index(desc.name()).and_then(|index| self.source(index)) {
                if !std::ptr::eq(first, desc) {
                    refusals.push(Refusal::duplicate(source_label(desc), desc.origin(), first.origin()));
                }
            } else {
                let index = self.sources.append(desc, |desc| desc.name());
                desc.cell().set_index(index);
            }
        }
    }

    fn add_events(&self, image: &Image, changed: &mut bool, refusals: &mut Vec<Refusal>) {
        let mut events = image.events.clone();
        events.sort_by_key(|desc| (desc.owner(), desc.name(), desc.origin()));
        for desc in events {
            let known = self.source_index(desc.source().name()).and_then(|index| self.source(index));
            let no_source = !known.is_some_and(|known| std::ptr::eq(known, desc.source()));
            let fault = check::event_fault(desc)
                .or_else(|| self.missing_enum(desc.element_names()))
                .or_else(|| no_source.then(|| format!("its source `{}` was left out", desc.source().name())));
            if let Some(fault) = fault {
                refusals.push(Refusal::new(event_label(desc), desc.origin(), fault));
            } else if let Some(first) = self.event_index(desc.name()).and_then(|index| self.event(index)) {
                if !std::ptr::eq(first, desc) {
                    refusals.push(Refusal::duplicate(event_label(desc), desc.origin(), first.origin()));
                }
            } else {
                let index = self.events.append(desc, |desc| desc.name());
                desc.source().cell().add_event(desc);
                for category in desc.category_list() {
                    *changed |= self.put(category, |members| &mut members.events, index);
                }
            }
        }
    }

    fn missing_enum(&self, desc: Option<&'static EnumDesc>) -> Option<String> {
        let desc = desc?;
        let known = self.enum_named(desc.name()).is_some_and(|known| same_enum(known, desc));
        (!known).then(|| format!("its enumeration `{}` was left out", desc.name()))
    }

    fn put(
        &self,
        category: &CategoryDesc,
        list: impl FnOnce(&mut Members) -> &mut Vec<u32>,
        index: u32,
    ) -> bool {
        let category = self.category_index(category.name()).and_then(|at| self.category(at));
        category.is_some_and(|category| category.put_newest(list, index))
    }
}

/// Queries. Each answers for what is there at the moment of the call.
impl Registry {
    /// How many performance variables there are.
    pub fn pvar_count(&self) -> u32 {
        self.pvars.entries.len() as u32
    }

    /// A performance variable.
    pub fn pvar(&self, index: u32) -> Option<&'static PvarDesc> {
        self.pvars.get(index).copied()
    }

    /// The performance variable of that name in that class.
    pub fn pvar_index(&self, name: &str, class: Class) -> Option<u32> {
        self.pvars.find(&(name, class), |desc| (desc.name(), desc.class()))
    }

    /// How many control variables there are.
    pub fn cvar_count(&self) -> u32 {
        self.cvars.entries.len() as u32
    }

    /// A control variable.
    pub fn cvar(&self, index: u32) -> Option<&CvarEntry> {
        self.cvars.get(index)
    }

    /// The control variable of that name.
    pub fn cvar_index(&self, name: &str) -> Option<u32> {
        self.cvars.find(&name, |entry| entry.desc.name())
    }

    /// How many event types there are.
    pub fn event_count(&self) -> u32 {
        self.events.entries.len() as u32
    }

    /// An event type.
    pub fn event(&self, index: u32) -> Option<&'static EventDesc> {
        self.events.get(index).copied()
    }

    /// The event type of that name.
    pub fn event_index(&self, name: &str) -> Option<u32> {
        self.events.find(&name, |desc| desc.name())
    }

    /// How many sources there are.
    pub fn source_count(&self) -> u32 {
        self.sources.entries.len() as u32
    }

    /// A source.
    pub fn source(&self, index: u32) -> Option<&'static SourceDesc> {
        self.sources.get(index).copied()
    }

    /// The source of that name.
    pub fn source_index(&self, name: &str) -> Option<u32> {
        self.sources.find(&name, |desc| desc.name())
    }

    /// How many categories there are.
    pub fn category_count(&self) -> u32 {
        self.categories.entries.len() as u32
    }

    /// A category.
    pub fn category(&self, index: u32) -> Option<&Category> {
        self.categories.get(index)
    }

    /// The category of that name.
    pub fn category_index(&self, name: &str) -> Option<u32> {
        self.categories.find(&name, |category| category.name())
    }

    /// The enumerations.
    pub fn enums(&self) -> impl Iterator<Item = &'static EnumDesc> + '_ {
        self.enums.entries.iter().copied()
    }

    /// The enumeration of that name.
    pub fn enum_named(&self, name: &str) -> Option<&'static EnumDesc> {
        let index = self.enums.find(&name, |desc| desc.name())?;
        self.enums.get(index).copied()
    }

    /// The number that grows whenever the content of a category grows.
    pub fn update_number(&self) -> i32 {
        self.update.load(Acquire)
    }
}

/// Whether two descriptors are one definition. A constant may have several addresses.
fn same_enum(a: &EnumDesc, b: &EnumDesc) -> bool {
    std::ptr::eq(a, b) || (a.name() == b.name() && a.origin() == b.origin())
}

/// Tells people what was left out, each in one line.
#[allow(clippy::print_stderr, reason = "nobody else is there to tell")]
fn report(refusals: &[Refusal]) {
    for refusal in refusals {
        eprintln!("{refusal}");
    }
}
