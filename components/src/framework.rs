//! What the frameworks have in common: the components that are open, and whether they want to hear anything.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use mpit::desc::ComponentDesc;

use crate::complaint::complain;
use crate::host::World;
use crate::selection::Selection;

/// What every component does, whatever its framework.
pub trait Lifecycle: Send + Sync {
    /// MPI is up. Traffic reaches the component while `switch` is on. Returns whether the component takes part;
    /// one that does not is neither told of traffic nor closed.
    fn open(&self, world: &World, switch: Switch) -> bool;

    /// MPI goes down: the component writes what it has to write. Nothing reaches it afterwards.
    fn close(&self) {}
}

/// Turns traffic to one component on and off. It counts: what was turned on twice is off when it was turned off
/// twice.
///
/// Takes no lock and allocates nothing, so it may be used where a tool starts and stops handles.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Reasons to listen, of all components of the framework together.
    all: &'static AtomicU32,
    /// Those of this component.
    own: &'static AtomicU32,
}

impl Switch {
    /// One reason more to listen.
    pub fn on(self) {
        self.own.fetch_add(1, Relaxed);
        self.all.fetch_add(1, Relaxed);
    }

    /// One reason less. Must follow an [`on`](Self::on).
    pub fn off(self) {
        self.all.fetch_sub(1, Relaxed);
        self.own.fetch_sub(1, Relaxed);
    }
}

/// A component that is selected.
struct Listener<C: ?Sized + 'static> {
    component: &'static C,
    reasons: AtomicU32,
    /// Whether it takes part.
    open: AtomicBool,
}

/// A framework whose components implement `C`.
pub(crate) struct Framework<C: ?Sized + 'static> {
    name: &'static str,
    /// Reasons to listen, of all components together; 0 when nobody does.
    reasons: AtomicU32,
    listeners: OnceLock<Box<[Listener<C>]>>,
    closed: AtomicBool,
}

impl<C: ?Sized + Lifecycle> Framework<C> {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, reasons: AtomicU32::new(0), listeners: OnceLock::new(), closed: AtomicBool::new(false) }
    }

    /// Whether anybody listens: one load.
    #[inline]
    pub(crate) fn active(&self) -> bool {
        self.reasons.load(Relaxed) != 0
    }

    /// Tells all who listen. No lock, no allocation.
    #[inline]
    pub(crate) fn each(&self, tell: impl Fn(&'static C)) {
        for listener in self.listeners.get().into_iter().flatten() {
            if listener.reasons.load(Relaxed) != 0 {
                tell(listener.component);
            }
        }
    }

    /// Opens those of the components that a selection list names. Only the first call counts.
    pub(crate) fn open<'a>(
        &'static self,
        components: impl Iterator<Item = (&'a str, &'static C)>,
        list: &str,
        world: &World,
    ) {
        let mut components: Vec<_> = components.collect();
        // The order of definitions is the linker's.
        components.sort_unstable_by_key(|(name, _)| *name);
        let names: Vec<_> = components.iter().map(|(name, _)| *name).collect();
        let (selection, complaints) = Selection::parse(list, &names);
        for complaint in complaints {
            complain(format_args!("{}_components: {complaint}", self.name));
        }
        let listeners = components
            .iter()
            .filter(|(name, _)| selection.admits(name))
            .map(|(_, component)| Listener {
                component: *component,
                reasons: AtomicU32::new(0),
                open: AtomicBool::new(false),
            })
            .collect();
        if self.listeners.set(listeners).is_ok() {
            for listener in self.listeners.get().into_iter().flatten() {
                let switch = Switch { all: &self.reasons, own: &listener.reasons };
                listener.open.store(listener.component.open(world, switch), Relaxed);
            }
        }
    }

    /// Closes the components that are open. Only the first call counts.
    pub(crate) fn close(&self) {
        if self.closed.swap(true, Relaxed) {
            return;
        }
        for listener in self.listeners.get().into_iter().flatten() {
            if listener.open.load(Relaxed) {
                listener.component.close();
            }
        }
    }
}

/// The components of a framework in this program.
pub(crate) fn components<C: ?Sized + Send + Sync + 'static>(
    framework: &'static str,
) -> impl Iterator<Item = (&'static str, &'static C)> {
    mpit::components().filter(move |desc| desc.framework() == framework).filter_map(object)
}

fn object<C: ?Sized + Send + Sync + 'static>(
    desc: &'static ComponentDesc,
) -> Option<(&'static str, &'static C)> {
    let object = desc.object::<C>();
    if object.is_none() {
        complain(format_args!(
            "{}: component `{}` does not implement the trait of framework `{}`; ignored",
            desc.origin(),
            desc.name(),
            desc.framework()
        ));
    }
    object.map(|object| (desc.name(), object))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use std::sync::{Mutex, OnceLock};

    use super::{Framework, Lifecycle, Switch};
    use crate::host::World;

    const WORLD: World = World { rank: 0, size: 1 };

    trait Hears: Lifecycle {
        fn hear(&self, what: u32);
    }

    struct Ear {
        wants: bool,
        switch: OnceLock<Switch>,
        heard: AtomicU32,
        closed: AtomicU32,
    }

    impl Ear {
        const fn new(wants: bool) -> Self {
            Self { wants, switch: OnceLock::new(), heard: AtomicU32::new(0), closed: AtomicU32::new(0) }
        }
    }

    impl Lifecycle for Ear {
        fn open(&self, world: &World, switch: Switch) -> bool {
            assert_eq!(*world, WORLD);
            self.switch.set(switch).unwrap();
            self.wants
        }

        fn close(&self) {
            self.closed.fetch_add(1, Relaxed);
        }
    }

    impl Hears for Ear {
        fn hear(&self, what: u32) {
            self.heard.fetch_add(what, Relaxed);
        }
    }

    #[test]
    fn tells_those_who_listen() {
        static FRAMEWORK: Framework<dyn Hears> = Framework::new("test");
        static LEFT: Ear = Ear::new(true);
        static RIGHT: Ear = Ear::new(true);
        static DEAF: Ear = Ear::new(false);
        static UNSELECTED: Ear = Ear::new(true);
        let say = |what| {
            if FRAMEWORK.active() {
                FRAMEWORK.each(|ear| ear.hear(what));
            }
        };

        say(1);
        let all: [(&str, &'static dyn Hears); 4] =
            [("right", &RIGHT), ("left", &LEFT), ("unselected", &UNSELECTED), ("deaf", &DEAF)];
        FRAMEWORK.open(all.into_iter(), "^unselected", &WORLD);
        FRAMEWORK.open(all.into_iter(), "", &WORLD);
        assert!(UNSELECTED.switch.get().is_none());
        assert!(!FRAMEWORK.active());

        let (left, right) = (*LEFT.switch.get().unwrap(), *RIGHT.switch.get().unwrap());
        left.on();
        say(2);
        right.on();
        right.on();
        say(4);
        left.off();
        right.off();
        say(8);
        assert!(FRAMEWORK.active());
        right.off();
        say(16);
        assert!(!FRAMEWORK.active());
        assert_eq!((LEFT.heard.load(Relaxed), RIGHT.heard.load(Relaxed)), (6, 12));

        FRAMEWORK.close();
        FRAMEWORK.close();
        let closed = [&LEFT, &RIGHT, &DEAF, &UNSELECTED].map(|ear| ear.closed.load(Relaxed));
        assert_eq!(closed, [1, 1, 0, 0]);
    }

    #[test]
    fn opens_in_the_order_of_names() {
        static FRAMEWORK: Framework<Named> = Framework::new("test");
        static ORDER: Mutex<Vec<&str>> = Mutex::new(Vec::new());
        struct Named(&'static str);
        impl Lifecycle for Named {
            fn open(&self, _world: &World, _switch: Switch) -> bool {
                ORDER.lock().unwrap().push(self.0);
                true
            }
        }
        static A: Named = Named("a");
        static B: Named = Named("b");
        FRAMEWORK.open([("b", &B), ("a", &A)].into_iter(), "", &WORLD);
        assert_eq!(*ORDER.lock().unwrap(), ["a", "b"]);
    }
}
