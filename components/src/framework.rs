//! What the frameworks have in common: the components that are open, and whether they want to hear anything.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mpit::desc::ComponentDesc;
pub(crate) use mpit::traffic::{Lifecycle, Switch};

use crate::complaint::complain;
use crate::host::World;
use crate::selection::Selection;

/// A component that takes part.
struct Listener<C: ?Sized + 'static> {
    component: &'static C,
    switch: &'static Switch,
}

/// A framework whose components implement `C`.
pub(crate) struct Framework<C: ?Sized + 'static> {
    name: &'static str,
    listeners: OnceLock<Box<[Listener<C>]>>,
    closed: AtomicBool,
}

impl<C: ?Sized + Lifecycle> Framework<C> {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, listeners: OnceLock::new(), closed: AtomicBool::new(false) }
    }

    fn listeners(&self) -> &[Listener<C>] {
        self.listeners.get().map_or(&[], |listeners| listeners)
    }

    /// Tells all who listen. No lock, no allocation.
    #[inline]
    pub(crate) fn each(&self, tell: impl Fn(&'static C)) {
        for listener in self.listeners() {
            if listener.switch.is_on() {
                tell(listener.component);
            }
        }
    }

    /// Tells all who take part, whether they listen or not.
    pub(crate) fn all(&self, tell: impl Fn(&'static C)) {
        self.listeners().iter().for_each(|listener| tell(listener.component));
    }

    /// Opens those of the components that a selection list names. Only the first call counts.
    pub(crate) fn open<'a>(
        &self,
        components: impl Iterator<Item = (&'a str, &'static C)>,
        list: &str,
        world: World,
    ) {
        self.listeners.get_or_init(|| {
            let mut components: Vec<_> = components.collect();
            // The order of definitions is the linker's.
            components.sort_unstable_by_key(|(name, _)| *name);
            let names: Vec<_> = components.iter().map(|(name, _)| *name).collect();
            let (selection, complaints) = Selection::parse(list, &names);
            for complaint in complaints {
                complain(format_args!("{}_components: {complaint}", self.name));
            }
            components.retain(|(name, component)| {
                let takes_part = selection.admits(name) && component.open(world);
                if !takes_part {
                    component.switch().leave_out();
                }
                takes_part
            });
            components
                .into_iter()
                .map(|(_, component)| Listener { component, switch: component.switch() })
                .collect()
        });
    }

    /// Closes the components that take part. Only the first call counts.
    pub(crate) fn close(&self) {
        if !self.closed.swap(true, Relaxed) {
            for listener in self.listeners() {
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
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use super::{Framework, Lifecycle, Switch};
    use crate::host::World;

    const WORLD: World = World { rank: 0, size: 1 };

    trait Hears: Lifecycle {
        fn hear(&self, what: u32);
    }

    struct Ear {
        wants: bool,
        switch: &'static Switch,
        heard: AtomicU32,
        opened: AtomicU32,
        closed: AtomicU32,
    }

    impl Ear {
        const fn new(wants: bool, switch: &'static Switch) -> Self {
            let (heard, opened, closed) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
            Self { wants, switch, heard, opened, closed }
        }
    }

    impl Lifecycle for Ear {
        fn switch(&self) -> &'static Switch {
            self.switch
        }

        fn open(&self, world: World) -> bool {
            assert_eq!(world, WORLD);
            self.opened.fetch_add(1, Relaxed);
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

    static REASONS: AtomicU32 = AtomicU32::new(0);
    static SWITCHES: [Switch; 4] = [const { Switch::new(&REASONS) }; 4];

    #[test]
    fn tells_those_who_listen() {
        static FRAMEWORK: Framework<dyn Hears> = Framework::new("test");
        static LEFT: Ear = Ear::new(true, &SWITCHES[0]);
        static RIGHT: Ear = Ear::new(true, &SWITCHES[1]);
        static DEAF: Ear = Ear::new(false, &SWITCHES[2]);
        static UNSELECTED: Ear = Ear::new(true, &SWITCHES[3]);
        let (left, right) = (LEFT.switch, RIGHT.switch);
        let say = |what| {
            if REASONS.load(Relaxed) != 0 {
                FRAMEWORK.each(|ear| ear.hear(what));
            }
        };

        left.on();
        say(1);
        let all: [(&str, &'static dyn Hears); 4] =
            [("right", &RIGHT), ("left", &LEFT), ("unselected", &UNSELECTED), ("deaf", &DEAF)];
        FRAMEWORK.open(all.into_iter(), "^unselected", WORLD);
        FRAMEWORK.open(all.into_iter(), "", WORLD);
        say(2);
        right.on();
        right.on();
        say(4);
        left.off();
        right.off();
        say(8);
        assert!(right.is_on() && !left.is_on());
        right.off();
        say(16);
        assert_eq!(REASONS.load(Relaxed), 0);
        assert_eq!((LEFT.heard.load(Relaxed), RIGHT.heard.load(Relaxed)), (6, 12));

        FRAMEWORK.close();
        FRAMEWORK.close();
        let all = [&LEFT, &RIGHT, &DEAF, &UNSELECTED];
        // Those that are told nothing do not make traffic costly.
        DEAF.switch.on();
        UNSELECTED.switch.on();
        assert!(!DEAF.switch.is_on() && !UNSELECTED.switch.is_on());
        assert_eq!(REASONS.load(Relaxed), 0);
        assert_eq!(all.map(|ear| ear.opened.load(Relaxed)), [1, 1, 1, 0]);
        assert_eq!(all.map(|ear| ear.closed.load(Relaxed)), [1, 1, 0, 0]);
    }

    #[test]
    fn opens_in_the_order_of_names() {
        static FRAMEWORK: Framework<Named> = Framework::new("test");
        static ORDER: Mutex<Vec<&str>> = Mutex::new(Vec::new());
        struct Named(&'static str);
        impl Lifecycle for Named {
            fn switch(&self) -> &'static Switch {
                &SWITCHES[0]
            }
            fn open(&self, _world: World) -> bool {
                ORDER.lock().unwrap().push(self.0);
                true
            }
        }
        static A: Named = Named("a");
        static B: Named = Named("b");
        FRAMEWORK.open([("b", &B), ("a", &A)].into_iter(), "", WORLD);
        assert_eq!(*ORDER.lock().unwrap(), ["a", "b"]);
    }
}
