//! The registry: what there is to see, under indices that never move.
//!
//! Each kind of entry has an index space of its own, an append-only list. An [`Image`] is added as one batch,
//! sorted by (component, name, class), so that indices do not depend on the order in which a linker happened to
//! lay things out. Performance variables that are bound to other objects than communicators come last, as do events that
//! are bound to any object. Nothing that is in goes away or changes.
//!
//! | module | what |
//! |---|---|
//! | `image` | what is to be added |
//! | `check`, `plan` | what of it breaks a rule, and what is added therefore |
//! | `append` | adding it |
//! | `space`, `names`, `categories` | what is there, and how it is found |

mod append;
mod categories;
mod check;
mod definition;
mod image;
mod names;
mod plan;
mod space;

use std::ops::Range;
use std::sync::atomic::{AtomicI32, Ordering::Acquire};

pub use categories::{Category, Members};
pub(crate) use check::text_fault;
pub use check::{Fault, LONGEST_NAME, Refusal, class_admits, name_fault};
pub use image::Image;

use crate::cvar::sources::{self, Setting, Source};
use crate::desc::{CvarDesc, EnumDesc, EventDesc, PvarDesc, SourceDesc};
use crate::lock::{Mutex, Once};
use crate::log::Log;
use crate::object::Object;
use crate::plugin::{self, Lease};
use crate::words::Class;
use plan::Plan;
use space::Space;

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
    /// Control variables that have a value for each object.
    bound_cvars: Log<&'static CvarDesc>,
    events: Space<&'static EventDesc>,
    sources: Space<&'static SourceDesc>,
    enums: Space<&'static EnumDesc>,
    categories: Space<Category>,
    update: AtomicI32,
    adding: Mutex<()>,
}

static GLOBAL: Once<Registry> = Once::new();

/// The registry of this process, if it was asked for.
pub(crate) fn existing() -> Option<&'static Registry> {
    GLOBAL.get()
}

/// Returns true if the registry of this process was asked for.
pub(crate) fn is_in_use() -> bool {
    GLOBAL.get().is_some()
}

impl Registry {
    /// An empty registry. Programs use [`Registry::global`]; tests make their own.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The registry of this process. The first call adds what is linked into the program and reports on standard
    /// error what had to be left out; the program runs on in any case. Then it loads the plug-ins that the environment asks
    /// for.
    ///
    /// In a plug-in written in Rust that was loaded it stays empty: all that the plug-in defines is the host's.
    pub fn global() -> &'static Self {
        let is_plugin = plugin::export::is_exported();
        let mut added = None;
        let registry = GLOBAL.get_or_init(|| {
            let registry = Self::new();
            if !is_plugin {
                let linked = Image::linked();
                let settings = sources::for_image(&linked);
                let (refusals, cvars) = registry.append(&linked);
                report(&refusals);
                added = Some((cvars, settings));
            }
            registry
        });
        if let Some((cvars, settings)) = added {
            // Not above: functions of control variables may come back here.
            registry.apply(cvars, &settings);
        }
        if !is_plugin {
            // They may come back here, so it is there already.
            plugin::load_what_is_asked_for();
        }
        registry
    }

    /// Adds an image as one batch and gives its control variables their values from `settings`. What breaks a
    /// rule is left out and returned; the rest stands.
    pub fn add(&self, image: &Image, settings: &[Setting]) -> Vec<Refusal> {
        let (refusals, cvars) = self.append(image);
        self.apply(cvars, settings);
        refusals
    }

    /// Adds an image as one batch. Returns what is left out, and the indices of the control variables, which are still to
    /// get their values.
    fn append(&self, image: &Image) -> (Vec<Refusal>, Range<u32>) {
        let _alone = self.adding.lock();
        let plan = Plan::of(self, image);
        let cvars = self.carry_out(&plan);
        (plan.refusals, cvars)
    }

    /// What of an image would be refused if it were added now.
    pub fn refusals_of(&self, image: &Image) -> Vec<Refusal> {
        let _alone = self.adding.lock();
        Plan::of(self, image).refusals
    }

    /// Adds an image as one batch, if nothing is wrong with it by itself. Of what it shares with others, what was there
    /// before stays, and what is left out is returned.
    ///
    /// # Errors
    ///
    /// What is wrong; then nothing was added.
    pub fn add_unless_faulty(
        &self,
        image: &Image,
        settings: &[Setting],
    ) -> Result<Vec<Refusal>, Vec<Refusal>> {
        let alone = self.adding.lock();
        let mut plan = Plan::of(self, image);
        if plan.refusals.iter().any(|refusal| !refusal.is_taken) {
            plan.refusals.retain(|refusal| !refusal.is_taken);
            return Err(plan.refusals);
        }
        let cvars = self.carry_out(&plan);
        drop(alone);
        self.apply(cvars, settings);
        Ok(plan.refusals)
    }

    /// Adds an image as one batch, if nothing in it breaks a rule.
    ///
    /// # Errors
    ///
    /// What breaks a rule; then nothing was added.
    pub fn add_whole(&self, image: &Image, settings: &[Setting]) -> Result<(), Vec<Refusal>> {
        let alone = self.adding.lock();
        let plan = Plan::of(self, image);
        if !plan.refusals.is_empty() {
            return Err(plan.refusals);
        }
        let cvars = self.carry_out(&plan);
        drop(alone);
        self.apply(cvars, settings);
        Ok(())
    }
}

impl Registry {
    /// Drops the values that control variables have for an object that was freed. Runs their functions, so the caller
    /// holds no lock.
    pub(crate) fn drop_values(&self, object: &Object<'_>) {
        for desc in self.bound_cvars.iter().filter(|desc| desc.binding() == object.kind()) {
            // Functions of a plug-in that is not active are not called.
            if Lease::begin(desc.life()).is_ok() {
                desc.drop_value(object);
            }
        }
    }
}

/// Queries. Each answers for what is there at the moment of the call.
impl Registry {
    /// How many performance variables there are.
    pub fn pvar_count(&self) -> u32 {
        self.pvars.len()
    }

    /// A performance variable.
    pub fn pvar(&self, index: u32) -> Option<&'static PvarDesc> {
        self.pvars.get(index).copied()
    }

    /// The performance variable of that name in that class.
    pub fn pvar_index(&self, name: &str, class: Class) -> Option<u32> {
        let hash = self.pvars.hash(name);
        self.pvars.find(hash, |desc| desc.name() == name && desc.class() == class)
    }

    /// How many control variables there are.
    pub fn cvar_count(&self) -> u32 {
        self.cvars.len()
    }

    /// A control variable.
    pub fn cvar(&self, index: u32) -> Option<&CvarEntry> {
        self.cvars.get(index)
    }

    /// The control variable of that name.
    pub fn cvar_index(&self, name: &str) -> Option<u32> {
        self.cvars.find(self.cvars.hash(name), |entry| entry.desc.name() == name)
    }

    /// How many event types there are.
    pub fn event_count(&self) -> u32 {
        self.events.len()
    }

    /// An event type.
    pub fn event(&self, index: u32) -> Option<&'static EventDesc> {
        self.events.get(index).copied()
    }

    /// The event type of that name.
    pub fn event_index(&self, name: &str) -> Option<u32> {
        self.events.find(self.events.hash(name), |desc| desc.name() == name)
    }

    /// How many sources there are.
    pub fn source_count(&self) -> u32 {
        self.sources.len()
    }

    /// A source.
    pub fn source(&self, index: u32) -> Option<&'static SourceDesc> {
        self.sources.get(index).copied()
    }

    /// The source of that name.
    pub fn source_index(&self, name: &str) -> Option<u32> {
        self.sources.find(self.sources.hash(name), |desc| desc.name() == name)
    }

    /// How many categories there are.
    pub fn category_count(&self) -> u32 {
        self.categories.len()
    }

    /// A category.
    pub fn category(&self, index: u32) -> Option<&Category> {
        self.categories.get(index)
    }

    /// The category of that name.
    pub fn category_index(&self, name: &str) -> Option<u32> {
        self.categories.find(self.categories.hash(name), |category| category.name() == name)
    }

    fn category_named(&self, name: &str) -> Option<&Category> {
        self.category_index(name).and_then(|index| self.category(index))
    }

    /// The enumerations.
    pub fn enums(&self) -> impl Iterator<Item = &'static EnumDesc> + '_ {
        self.enums.iter().copied()
    }

    /// The enumeration of that name.
    pub fn enum_named(&self, name: &str) -> Option<&'static EnumDesc> {
        let index = self.enums.find(self.enums.hash(name), |desc| desc.name() == name)?;
        self.enums.get(index).copied()
    }

    /// The number that grows whenever the content of a category grows.
    pub fn update_number(&self) -> i32 {
        self.update.load(Acquire)
    }
}

/// Tells people what was left out, each in one line.
#[allow(clippy::print_stderr, reason = "nobody else is there to tell")]
fn report(refusals: &[Refusal]) {
    for refusal in refusals {
        eprintln!("{}", crate::printable(&refusal.to_string()));
    }
}
