//! The registry: all definitions, under indices that never change.
//!
//! Each kind of entry has its own index space, an append-only list. An [`Image`] is added as one batch, sorted by (component,
//! name, class), so that indices do not depend on the linker's layout. Performance variables that are bound to other objects than
//! communicators come last, as do events that are bound to any object. Entries are never removed or changed.
//!
//! | module | content |
//! |---|---|
//! | `image` | the definitions to be added |
//! | `order` | the order in which they are added |
//! | `check`, `rule`, `plan` | the rules, and the decision on what is added |
//! | `definition` | the properties common to all kinds of definitions |
//! | `append` | the execution of a plan |
//! | `index_space`, `name_index`, `categories` | the entries, and their lookup |
//! | `completion` | the wait for the user's settings in the registry of the process |
//! | `unknown` | settings that no control variable accepts |

mod append;
mod categories;
mod check;
mod completion;
mod definition;
mod image;
mod index_space;
mod name_index;
mod order;
mod plan;
mod rule;
mod unknown;

use std::ops::Range;
use std::sync::atomic::{
    AtomicBool, AtomicI32,
    Ordering::{Acquire, Relaxed},
};
use std::time::Duration;

pub use categories::{Category, Members};
pub(crate) use check::check_text;
pub use check::{Effect, Fault, LONGEST_NAME, Refusal, name_fault};
pub use definition::Definition;
pub use image::Image;
pub use rule::{Rule, Severity};
pub use unknown::{has_unknown, misspelled, misspelling_of, nearest, unknown};

use crate::cell::PvarDesc;
use crate::cvar::CvarDesc;
use crate::cvar::sources::{self, Setting, ValueSource};
use crate::desc::{Activation, EnumDesc};
use crate::event::{EventDesc, SourceDesc};
use crate::lists::Lists;
use crate::lists::dependents::Reader;
use crate::lock::{Mutex, Once};
use crate::log::Log;
use crate::object::Object;
use crate::os::terminal::print;
use crate::vocabulary::Class;
use completion::Completion;
use index_space::IndexSpace;
use name_index::Key;
use plan::RegistrationPlan;

/// All variables, events and categories of this process, under indices that never change.
#[derive(Debug, Default)]
pub struct Registry {
    pvars: IndexSpace<&'static PvarDesc>,
    cvars: IndexSpace<&'static CvarDesc>,
    /// The sources of the present values of control variables.
    cvar_sources: Log<Mutex<ValueSource>>,
    /// Control variables with a value for each object.
    bound_cvars: Log<&'static CvarDesc>,
    events: IndexSpace<&'static EventDesc>,
    sources: IndexSpace<&'static SourceDesc>,
    enums: IndexSpace<&'static EnumDesc>,
    categories: IndexSpace<Category>,
    update: AtomicI32,
    adding: Mutex<()>,
}

static GLOBAL: Once<Registry> = Once::new();

/// The registry of this process after the user's settings were applied.
static SETTLED: Completion<Registry> = Completion::new();

/// The time for which other threads wait for the functions of control variables that receive settings. Long enough for one that
/// initializes a device.
const SETTINGS_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the registry of this process, if it was created. The user's settings may not be applied yet.
pub(crate) fn existing() -> Option<&'static Registry> {
    GLOBAL.get()
}

/// Returns true if the user's settings were applied in the registry of this process.
pub(crate) fn is_settled() -> bool {
    SETTLED.get().is_some()
}

#[doc(hidden)]
impl Registry {
    /// Creates an empty registry. Programs use [`Registry::global`]; tests create their own.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the registry of this process. The first call creates it, adds the definitions that are linked into the program if
    /// `has_linked`, reports refused ones on standard error, and applies the user's settings. Calls in other threads wait for the
    /// settings, with a limit; calls by functions of control variables that receive them do not.
    pub(crate) fn of_process(has_linked: bool) -> &'static Self {
        SETTLED.get().unwrap_or_else(|| Self::create(has_linked))
    }

    #[cold]
    fn create(has_linked: bool) -> &'static Self {
        let mut added = None;
        let registry = GLOBAL.get_or_init(|| {
            SETTLED.begin();
            let registry = Self::new();
            added = Some(if has_linked {
                let linked = Image::linked(Reader::Registry { add_late: Self::add_late });
                let settings = sources::for_cvars(&linked.cvars);
                let (refusals, cvars) =
                    registry.append(&linked, |_| true).unwrap_or_else(|refusals| (refusals, 0..0));
                report(&refusals);
                (cvars, settings)
            } else {
                (0..0, Vec::new())
            });
            registry
        });
        match added {
            // Outside of `get_or_init`: functions of control variables may use the registry.
            Some((cvars, settings)) => SETTLED.run(registry, || registry.apply(cvars, &settings)),
            None => wait_until_settled(registry),
        }
        registry
    }

    /// Adds the definitions of an image that was loaded after the registry of this process had been created, or while it was being
    /// created, for which this waits. Reports refused ones on standard error.
    fn add_late(lists: Lists) {
        let mut image = Image::new("program");
        image.extend(lists);
        let settings = sources::for_cvars(&image.cvars);
        report(&Self::of_process(true).add(&image, &settings));
    }

    /// Waits, with a limit, until the user's settings are applied if this is the registry of the process. For callers that did not get it
    /// from [`Registry::of_process`].
    pub(crate) fn wait_for_settings(&self) {
        if let Some(of_process) = existing()
            && std::ptr::eq(of_process, self)
            && !is_settled()
        {
            wait_until_settled(of_process);
        }
    }

    /// Returns the number of threads that wait for the user's settings, for tests of this wait.
    pub fn threads_waiting_for_settings() -> usize {
        SETTLED.waiting()
    }

    /// Adds an image as one batch and sets its control variables from `settings`: afterwards, so another thread can see a default
    /// before. Definitions that break a rule are returned with the [`Effect`], mostly that they are left out; the others are added.
    pub fn add(&self, image: &Image, settings: &[Setting]) -> Vec<Refusal> {
        self.add_if(image, settings, |_| true).unwrap_or_else(|refusals| refusals)
    }

    /// Returns the refusals that adding an image now would have.
    pub fn refusals_of(&self, image: &Image) -> Vec<Refusal> {
        let _guard = self.adding.lock();
        RegistrationPlan::of(self, image).refusals
    }

    /// Adds an image as one batch, if it has no fault by itself. Definitions whose names are taken by other images are left out
    /// and returned.
    ///
    /// # Errors
    ///
    /// The faults; then nothing was added.
    pub fn add_unless_faulty(
        &self,
        image: &Image,
        settings: &[Setting],
    ) -> Result<Vec<Refusal>, Vec<Refusal>> {
        self.add_if(image, settings, |refusal| refusal.is_taken)
    }

    /// Adds an image as one batch, if no definition is refused.
    ///
    /// # Errors
    ///
    /// The refusals; then nothing was added.
    pub fn add_whole(&self, image: &Image, settings: &[Setting]) -> Result<(), Vec<Refusal>> {
        self.add_if(image, settings, |_| false).map(drop)
    }

    /// Adds an image as one batch, if all refusals are `tolerated`, and returns them; otherwise returns the other ones.
    fn add_if(
        &self,
        image: &Image,
        settings: &[Setting],
        tolerated: fn(&Refusal) -> bool,
    ) -> Result<Vec<Refusal>, Vec<Refusal>> {
        let (refusals, cvars) = self.append(image, tolerated)?;
        self.apply(cvars, settings);
        Ok(refusals)
    }

    /// Adds an image like [`add_if`](Self::add_if), except that the control variables, whose indices it returns, are still to be set.
    fn append(
        &self,
        image: &Image,
        tolerated: fn(&Refusal) -> bool,
    ) -> Result<(Vec<Refusal>, Range<u32>), Vec<Refusal>> {
        let _guard = self.adding.lock();
        let mut plan = RegistrationPlan::of(self, image);
        if plan.refusals.iter().all(tolerated) {
            plan.claim_cells();
        }
        if !plan.refusals.iter().all(tolerated) {
            plan.refusals.retain(|refusal| !tolerated(refusal));
            return Err(plan.refusals);
        }
        let refusals = std::mem::take(&mut plan.refusals);
        Ok((refusals, self.execute(plan)))
    }

    /// Drops the values that control variables have for an object that was freed. Runs their functions, so the caller must hold
    /// no lock.
    pub(crate) fn drop_values(&self, object: &Object<'_>) {
        for desc in self.bound_cvars.iter().filter(|desc| desc.bind() == object.kind()) {
            // Functions of an inactive plug-in are not called.
            if desc.activation().is_none_or(Activation::is_active) {
                desc.drop_value(object);
            }
        }
    }
}

/// Queries, which return the state at the time of the call.
impl Registry {
    /// Returns the number of performance variables.
    pub fn pvar_count(&self) -> u32 {
        self.pvars.len()
    }

    /// Returns a performance variable.
    pub fn pvar(&self, index: u32) -> Option<&'static PvarDesc> {
        self.pvars.get(index).copied()
    }

    /// Returns the index of the performance variable with a name in a class.
    pub fn pvar_index(&self, name: &str, class: Class) -> Option<u32> {
        self.pvars.find(PvarDesc::key_of(name, class))
    }

    /// Returns the indices of the performance variables whose cells are at the address of `cell`, in ascending order.
    /// Looks at each variable: this is called once for a handle, and not at all by tools that use names.
    pub(crate) fn pvars_stored_at<C>(&self, cell: &C) -> Vec<u32> {
        let address = std::ptr::from_ref(cell).addr();
        let stored = (0..).zip(self.pvars.iter()).filter(|(_, desc)| desc.cell_address() == address);
        stored.map(|(index, _)| index).collect()
    }

    /// Returns the number of control variables.
    pub fn cvar_count(&self) -> u32 {
        self.cvars.len()
    }

    /// Returns a control variable.
    pub fn cvar(&self, index: u32) -> Option<&'static CvarDesc> {
        self.cvars.get(index).copied()
    }

    /// Returns the source of the present value of a control variable.
    pub fn cvar_source(&self, index: u32) -> Option<ValueSource> {
        self.cvar_sources.get(index as usize).map(|source| source.lock().clone())
    }

    pub(crate) fn set_cvar_source(&self, index: u32, source: ValueSource) {
        if let Some(of_variable) = self.cvar_sources.get(index as usize) {
            *of_variable.lock() = source;
        }
    }

    /// Returns the index of the control variable with a name.
    pub fn cvar_index(&self, name: &str) -> Option<u32> {
        self.cvars.find(Key::new(name))
    }

    /// Returns the index of the control variable that is stored in `cell`. Looks at each variable.
    pub(crate) fn cvar_stored_in<C>(&self, cell: &C) -> Option<u32> {
        let address = std::ptr::from_ref(cell).addr();
        (0..).zip(self.cvars.iter()).find(|(_, desc)| desc.cell_address() == address).map(|(index, _)| index)
    }

    /// Returns the number of event types.
    pub fn event_count(&self) -> u32 {
        self.events.len()
    }

    /// Returns an event type.
    pub fn event(&self, index: u32) -> Option<&'static EventDesc> {
        self.events.get(index).copied()
    }

    /// Returns the index of the event type with a name.
    pub fn event_index(&self, name: &str) -> Option<u32> {
        self.events.find(Key::new(name))
    }

    /// Returns the number of sources.
    pub fn source_count(&self) -> u32 {
        self.sources.len()
    }

    /// Returns a source.
    pub fn source(&self, index: u32) -> Option<&'static SourceDesc> {
        self.sources.get(index).copied()
    }

    /// Returns the index of the source with a name.
    pub fn source_index(&self, name: &str) -> Option<u32> {
        self.sources.find(Key::new(name))
    }

    /// Returns the number of categories.
    pub fn category_count(&self) -> u32 {
        self.categories.len()
    }

    /// Returns a category.
    pub fn category(&self, index: u32) -> Option<&Category> {
        self.categories.get(index)
    }

    /// Returns the index of the category with a name.
    pub fn category_index(&self, name: &str) -> Option<u32> {
        self.categories.find(Key::new(name))
    }

    fn category_named(&self, name: &str) -> Option<&Category> {
        self.categories.find_entry(Key::new(name))
    }

    /// Returns all enumerations.
    pub fn enums(&self) -> impl Iterator<Item = &'static EnumDesc> + '_ {
        self.enums.iter().copied()
    }

    /// Returns the enumeration with a name.
    pub fn enum_named(&self, name: &str) -> Option<&'static EnumDesc> {
        self.enums.find_entry(Key::new(name)).copied()
    }

    /// Returns the number that is incremented whenever members are added to a category.
    pub fn update_number(&self) -> i32 {
        self.update.load(Acquire)
    }
}

fn wait_until_settled(registry: &'static Registry) {
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    if !SETTLED.wait(registry, SETTINGS_TIMEOUT) && !IS_REPORTED.swap(true, Relaxed) {
        print(&format!(
            "the functions of control variables that receive settings have not returned after {} seconds; other \
             threads continue and may see defaults; do not wait for other threads in such a function",
            SETTINGS_TIMEOUT.as_secs()
        ));
    }
}

#[allow(clippy::print_stderr, reason = "there is no caller to return an error to")]
fn report(refusals: &[Refusal]) {
    for refusal in refusals {
        eprintln!("{}", crate::os::printable(&refusal.to_string()));
    }
}
