//! The part that all frameworks share: the open components, and the dispatch of operations to those that listen.

mod register;
#[cfg(test)]
mod tests;

use std::ptr::{from_ref, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};

use mpit::component;
pub(crate) use mpit::component::{Lifecycle, Lines, Subscription, World};
use mpit::cvar::{Cvar, Text};
use mpit::internal::host::revision;
use mpit::internal::plugin;
use mpit::internal::plugin::component::ForeignComponent;
use mpit_sync::lock::Mutex;
use mpit_sync::log::Log;

use crate::diagnostics::warn;
use crate::selection::List;

use register::{Choice, KnownComponent, Register, Step};

/// The number of components opened so far in this process.
static OPENINGS: AtomicU64 = AtomicU64::new(0);

/// A control variable that selects the components of a framework.
pub(crate) type SelectionList = Cvar<Text<1024>>;

/// A component that is open, or was until its plug-in was deactivated.
struct Listener<C: ?Sized + 'static> {
    component: &'static C,
    subscription: &'static Subscription,
}

pub(crate) struct Framework<C: ?Sized + 'static> {
    which: component::Framework,
    /// The control variable with the selection list.
    list: &'static SelectionList,
    /// Converts a component of another image into an object of the framework's trait.
    adapt: fn(&'static ForeignComponent) -> &'static C,
    /// The first listener, which dispatch checks first: usually it is monitoring and the only one.
    first: OnceLock<Listener<C>>,
    others: Log<Listener<C>>,
    /// The subscription of the only open component; null if there are none or several.
    only: AtomicPtr<Subscription>,
    /// The state of all components. Never locked while a function of a component runs: that function may wait for another
    /// thread, which may need this lock.
    register: Mutex<Register<C>>,
}

impl<C: ?Sized + Lifecycle> Framework<C> {
    pub(crate) const fn new(
        which: component::Framework,
        list: &'static SelectionList,
        adapt: fn(&'static ForeignComponent) -> &'static C,
    ) -> Self {
        let register = Mutex::new(Register::new());
        Self {
            which,
            list,
            adapt,
            first: OnceLock::new(),
            others: Log::new(),
            only: AtomicPtr::new(null_mut()),
            register,
        }
    }

    /// Returns true if the component with this subscription listens, and no other component is open.
    #[inline]
    pub(crate) fn is_only(&self, subscription: &'static Subscription) -> bool {
        subscription.is_active() && std::ptr::eq(self.only.load(Relaxed), subscription)
    }

    /// Calls `notify` for each component that listens. Takes no lock and does not allocate.
    #[inline]
    pub(crate) fn each(&'static self, notify: impl Fn(&'static C)) {
        let Some(first) = self.first.get() else { return };
        if first.subscription.is_active() {
            notify(first.component);
        }
        if !self.others.is_empty() {
            self.each_other(&notify);
        }
    }

    #[inline(never)]
    fn each_other(&'static self, notify: &dyn Fn(&'static C)) {
        for listener in self.others.iter().filter(|listener| listener.subscription.is_active()) {
            notify(listener.component);
        }
    }

    /// Calls `notify` for each open component, also for those that do not listen at the moment.
    pub(crate) fn all(&'static self, notify: impl Fn(&'static C)) {
        for listener in self.first.get().into_iter().chain(self.others.iter()) {
            notify(listener.component);
        }
    }

    /// Opens the components that a list admits, given ones and those of other images. Only the first call has an effect.
    fn open_admitted(&self, linked: impl Iterator<Item = KnownComponent<C>>, list: &List, world: World) {
        let mut known: Vec<_> = linked.collect();
        known.extend(self.foreign_components());
        // The linker determines the order of definitions; sorting makes it reproducible.
        known.sort_unstable_by_key(|known| known.name);
        let names: Vec<_> = known.iter().map(|known| known.name).collect();
        {
            let mut register = self.register.lock();
            if register.choice.is_some() {
                return;
            }
            register.known = known;
            register.choice = Some(Choice { world, list: list.text.clone() });
        }
        // A launcher passes the same list to all processes, so one of them reports for all.
        if list.variable.is_none() || world.rank == 0 {
            for warning in list.warnings(&names) {
                warn(format_args!("{}_components: {warning}", self.which.name()));
            }
        }
        self.reconcile();
    }

    fn linked_components(&self) -> impl Iterator<Item = KnownComponent<C>> {
        let linked = mpit::components().filter(|desc| desc.framework() == self.which.name());
        linked.filter_map(|desc| {
            let object = desc.object::<C>();
            if object.is_none() {
                warn(format_args!(
                    "{}: component `{}` does not implement the trait of framework `{}`; ignored",
                    desc.origin(),
                    desc.name(),
                    desc.framework()
                ));
            }
            Some(KnownComponent::new(desc.name(), object?, None))
        })
    }

    fn foreign_components(&self) -> impl Iterator<Item = KnownComponent<C>> {
        let foreign_components =
            plugin::component::all().filter(|component| component.framework() == self.which);
        foreign_components
            .map(|foreign| KnownComponent::new(foreign.name(), (self.adapt)(foreign), Some(foreign)))
    }

    /// Opens and closes components until each is in its intended state. A component that another thread is opening or
    /// closing is left to that thread, which completes the rest when the function returns. Does not wait.
    fn reconcile(&self) {
        loop {
            // A separate statement, so that the lock is released at its end.
            let next = self.register.lock().next_step();
            let Some((at, step)) = next else { return };
            self.run(at, &step);
        }
    }

    fn run(&self, at: usize, step: &Step<C>) {
        let is_open = match step {
            Step::Open(component, world) => component.open(*world),
            Step::Close(component) => {
                component.close();
                false
            }
        };
        let mut register = self.register.lock();
        let Some(known) = register.known.get_mut(at) else { return };
        known.is_busy = false;
        if is_open {
            self.activate(known);
        } else if known.foreign.is_none() && matches!(step, Step::Open(..)) {
            known.component.subscription().disable();
        }
    }

    fn activate(&self, known: &mut KnownComponent<C>) {
        known.is_open = true;
        known.opened = OPENINGS.fetch_add(1, Relaxed);
        let (component, subscription) = (known.component, known.component.subscription());
        // Only this thread appends, because the caller holds the register.
        let is_first = self.first.get().is_none();
        self.only.store(if is_first { from_ref(subscription).cast_mut() } else { null_mut() }, Relaxed);
        revision::advance();
        if let Err(other) = self.first.set(Listener { component, subscription }) {
            // The list has more slots than memory can fill.
            let _ = self.others.push(other);
        }
        if known.foreign.is_some() {
            // Paused until the component was open.
            subscription.resume();
        }
    }
}

pub(crate) trait AnyFramework: Sync {
    /// Returns the selection list in effect.
    fn selection(&self) -> List;

    /// Opens the selected components. Only the first call has an effect.
    fn open(&self, world: World);

    /// Opens components of other images that were added, and closes those that were deactivated.
    fn refresh(&self);

    /// Prevents further openings. A component that another thread is opening is closed by that thread.
    fn begin_close(&self);

    /// Returns the position of the component that was opened last among all openings of the process.
    fn last_opened(&self) -> Option<u64>;

    fn close_last(&self);

    fn pcontrol(&self, level: i32);

    /// Returns the lines of the open components, with the components' full names.
    fn report(&self) -> Vec<(String, Lines)>;
}

impl<C: ?Sized + Lifecycle> AnyFramework for Framework<C> {
    fn selection(&self) -> List {
        List::effective(self.which.name(), self.list.get().as_str())
    }

    fn open(&self, world: World) {
        self.open_admitted(self.linked_components(), &self.selection(), world);
    }

    fn refresh(&self) {
        {
            let mut register = self.register.lock();
            if register.choice.is_none() || register.is_closed {
                return;
            }
            for foreign in self.foreign_components() {
                register.add_new(foreign);
            }
        }
        self.reconcile();
    }

    fn begin_close(&self) {
        self.register.lock().is_closed = true;
    }

    fn last_opened(&self) -> Option<u64> {
        self.register.lock().last_opened()
    }

    fn close_last(&self) {
        let last = self.register.lock().begin_close_last();
        if let Some((at, step)) = last {
            self.run(at, &step);
        }
    }

    fn pcontrol(&self, level: i32) {
        // The list only grows; its lock is not held while a component runs, and nothing is allocated.
        for at in 0.. {
            let component = {
                let register = self.register.lock();
                let Some(known) = register.known.get(at) else { return };
                if known.is_open { Some(known.component) } else { None }
            };
            if let Some(component) = component {
                component.pcontrol(level);
            }
        }
    }

    fn report(&self) -> Vec<(String, Lines)> {
        let open = |known: &KnownComponent<C>| {
            if known.is_open { Some((known.name, known.component)) } else { None }
        };
        // A separate statement, so that no lock is held while a component runs.
        let open: Vec<_> = self.register.lock().known.iter().filter_map(open).collect();
        let report = |(name, component): (&str, &'static C)| {
            let mut lines = Lines::new();
            component.report(&mut lines);
            (format!("{}.{name}", self.which.name()), lines)
        };
        open.into_iter().map(report).collect()
    }
}

/// Closes the components of all frameworks, each before those that were opened before it.
pub(crate) fn close_all(frameworks: &[&dyn AnyFramework]) {
    for framework in frameworks {
        framework.begin_close();
    }
    let newest = || {
        let opened = frameworks.iter().filter_map(|framework| Some((framework.last_opened()?, framework)));
        opened.max_by_key(|(at, _)| *at)
    };
    while let Some((_, framework)) = newest() {
        framework.close_last();
    }
}
