//! What the frameworks have in common: the components that are open, and whether they want to hear anything.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use mpit::desc::ComponentDesc;
use mpit::log::Log;
use mpit::plugin::component::{self, ForeignComponent};
use mpit::traffic;
pub(crate) use mpit::traffic::{Lifecycle, Lines, Switch};

use crate::complaint::complain;
use crate::host::World;
use crate::selection::{List, Selection};

/// The number of components that were opened in this process.
static OPENINGS: AtomicU64 = AtomicU64::new(0);

/// A component that takes part, or did until its plug-in was deactivated.
struct Listener<C: ?Sized + 'static> {
    component: &'static C,
    switch: &'static Switch,
}

/// A component of this process, open or not.
struct Known<C: ?Sized + 'static> {
    name: &'static str,
    component: &'static C,
    /// A component of another image, which may be activated and deactivated at any time.
    guest: Option<&'static ForeignComponent>,
    /// The last epoch in which it was asked to take part,
    asked: Option<u64>,
    /// and whether it has taken part since.
    is_open: bool,
    is_listed: bool,
    /// The position among all openings of this process, if it is open.
    opened: u64,
    /// A thread runs its `open` or `close`, and looks at it once more afterwards.
    is_busy: bool,
}

impl<C: ?Sized + Lifecycle> Known<C> {
    fn new(name: &'static str, component: &'static C, guest: Option<&'static ForeignComponent>) -> Self {
        Self {
            name,
            component,
            guest,
            asked: None,
            is_open: false,
            is_listed: false,
            opened: 0,
            is_busy: false,
        }
    }

    fn can_close(&self) -> bool {
        self.is_open && !self.is_busy
    }

    /// Marks it as being closed.
    fn begin_close(&mut self) -> Step<C> {
        (self.is_open, self.is_busy) = (false, true);
        if self.guest.is_some() {
            self.component.switch().pause();
        }
        Step::Close(self.component)
    }

    /// The time in which it may take part: what is linked into the program may for ever.
    fn epoch(&self) -> Option<u64> {
        self.guest.map_or(Some(1), ForeignComponent::epoch)
    }
}

/// What is fixed when MPI is initialized.
struct Choice {
    world: World,
    /// The selection list.
    list: String,
}

/// What the framework knows of its components.
struct Register<C: ?Sized + 'static> {
    choice: Option<Choice>,
    /// Only grows, so that a step can be finished by its place.
    known: Vec<Known<C>>,
    is_closed: bool,
}

/// A function of a component that has to run now.
enum Step<C: ?Sized + 'static> {
    Open(&'static C, World),
    Close(&'static C),
}

/// A framework whose components implement `C`.
pub(crate) struct Framework<C: ?Sized + 'static> {
    which: traffic::Framework,
    /// How it sees a component of another image.
    invite: fn(&'static ForeignComponent) -> &'static C,
    /// Those that take part: what traffic looks at. Most often there is only monitoring.
    first: OnceLock<Listener<C>>,
    others: Log<Listener<C>>,
    /// Never held while a function of a component runs: that may need another thread, which may come here.
    register: Mutex<Register<C>>,
}

impl<C: ?Sized + Lifecycle> Framework<C> {
    pub(crate) const fn new(
        which: traffic::Framework,
        invite: fn(&'static ForeignComponent) -> &'static C,
    ) -> Self {
        let register = Mutex::new(Register { choice: None, known: Vec::new(), is_closed: false });
        Self { which, invite, first: OnceLock::new(), others: Log::new(), register }
    }

    /// Tells all who listen. No lock, no allocation.
    #[inline]
    pub(crate) fn each(&'static self, tell: impl Fn(&'static C)) {
        let Some(first) = self.first.get() else { return };
        if first.switch.is_on() {
            tell(first.component);
        }
        if !self.others.is_empty() {
            self.each_other(&tell);
        }
    }

    #[inline(never)]
    fn each_other(&'static self, tell: &dyn Fn(&'static C)) {
        for listener in self.others.iter().filter(|listener| listener.switch.is_on()) {
            tell(listener.component);
        }
    }

    /// Tells all who take part, whether they listen or not.
    pub(crate) fn all(&'static self, tell: impl Fn(&'static C)) {
        self.first.get().into_iter().chain(self.others.iter()).for_each(|listener| tell(listener.component));
    }

    fn register(&self) -> MutexGuard<'_, Register<C>> {
        self.register.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens those of the components that a selection list names, and of those that other images brought so far. Only the
    /// first call counts.
    pub(crate) fn open(
        &self,
        components: impl Iterator<Item = (&'static str, &'static C)>,
        list: &List,
        world: World,
    ) {
        let linked = components.map(|(name, component)| Known::new(name, component, None));
        let mut known: Vec<_> = linked.collect();
        known.extend(self.guests());
        // The order of definitions is the linker's.
        known.sort_unstable_by_key(|known| known.name);
        let names: Vec<_> = known.iter().map(|known| known.name).collect();
        {
            let mut register = self.register();
            if register.choice.is_some() {
                return;
            }
            register.known = known;
            register.choice = Some(Choice { world, list: list.text.clone() });
        }
        // What a launcher handed on is the same in all processes.
        if list.variable.is_none() || world.rank == 0 {
            for complaint in list.complaints(&names) {
                complain(format_args!("{}_components: {complaint}", self.which.name()));
            }
        }
        self.settle();
    }

    /// Looks at the components of other images: opens those that came or came again, and closes those that went.
    pub(crate) fn look(&self) {
        {
            let mut register = self.register();
            if register.choice.is_none() || register.is_closed {
                return;
            }
            for guest in self.guests() {
                if !register.known.iter().any(|known| is_same(known.guest, guest.guest)) {
                    register.known.push(guest);
                }
            }
        }
        self.settle();
    }

    fn guests(&self) -> impl Iterator<Item = Known<C>> {
        let guests = component::all().filter(|component| component.framework() == self.which);
        guests.map(|guest| Known::new(guest.name(), (self.invite)(guest), Some(guest)))
    }

    /// Opens and closes components until each is in the state that it should be in. A component that another thread is
    /// opening or closing is left to that thread, which does the rest when the function returns; nothing waits.
    fn settle(&self) {
        while let Some((at, step)) = self.next_step() {
            self.run(at, &step);
        }
    }

    /// Runs the function of a component, without a lock, and notes the outcome.
    fn run(&self, at: usize, step: &Step<C>) {
        let is_open = match step {
            Step::Open(component, world) => component.open(*world),
            Step::Close(component) => {
                component.close();
                false
            }
        };
        let mut register = self.register();
        let Some(known) = register.known.get_mut(at) else { return };
        known.is_busy = false;
        if is_open {
            self.admit(known);
        } else if known.guest.is_none() && matches!(step, Step::Open(..)) {
            known.component.switch().leave_out();
        }
    }

    /// The first function that has to run, by the place of its component, which is marked as busy.
    fn next_step(&self) -> Option<(usize, Step<C>)> {
        let mut register = self.register();
        let Register { choice, known, is_closed } = &mut *register;
        let choice = choice.as_ref()?;
        for (at, known) in known.iter_mut().enumerate().filter(|(_, known)| !known.is_busy) {
            let epoch = known.epoch();
            let is_over = *is_closed || known.asked != epoch;
            if known.is_open && is_over {
                return Some((at, known.begin_close()));
            }
            if *is_closed || !is_over {
                continue;
            }
            known.asked = epoch;
            if epoch.is_some() && Selection::parse(&choice.list, &[known.name]).0.admits(known.name) {
                known.is_busy = true;
                return Some((at, Step::Open(known.component, choice.world)));
            }
            if known.guest.is_none() {
                known.component.switch().leave_out();
            }
        }
        None
    }

    /// The component takes part from now on.
    fn admit(&self, known: &mut Known<C>) {
        known.is_open = true;
        known.opened = OPENINGS.fetch_add(1, Relaxed);
        if !known.is_listed {
            let (component, switch) = (known.component, known.component.switch());
            // Nobody else appends, and there is room for more than fit into memory.
            known.is_listed = match self.first.set(Listener { component, switch }) {
                Ok(()) => true,
                Err(other) => self.others.push(other).is_ok(),
            };
        }
        if known.guest.is_some() {
            // Asleep until it was open.
            known.component.switch().resume();
        }
    }

    /// The components that are open, with their full names. Their functions may be called: no lock is held.
    fn open_ones(&self) -> Vec<(String, &'static C)> {
        let register = self.register();
        let open = register.known.iter().filter(|known| known.is_open);
        open.map(|known| (format!("{}.{}", self.which.name(), known.name), known.component)).collect()
    }
}

/// A framework, whatever its components implement.
pub(crate) trait AnyFramework: Sync {
    /// Opens components of other images that came, and closes those that went.
    fn look(&self);

    /// Opens no component from now on. One that another thread is opening is closed by that thread.
    fn begin_close(&self);

    /// Returns when the component that was opened last was opened, as a position among all openings of the process.
    fn last_opened(&self) -> Option<u64>;

    /// Closes the component that was opened last.
    fn close_last(&self);

    /// Hands a call of `MPI_Pcontrol` to the open components.
    fn pcontrol(&self, level: i32);

    /// Asks the open components for their lines; returns them with the components' full names.
    fn report(&self) -> Vec<(String, Lines)>;
}

impl<C: ?Sized + Lifecycle> AnyFramework for Framework<C> {
    fn look(&self) {
        self.look();
    }

    fn begin_close(&self) {
        self.register().is_closed = true;
    }

    fn last_opened(&self) -> Option<u64> {
        self.register().known.iter().filter(|known| known.can_close()).map(|known| known.opened).max()
    }

    fn close_last(&self) {
        let last = {
            let mut register = self.register();
            let open = register.known.iter_mut().enumerate().filter(|(_, known)| known.can_close());
            open.max_by_key(|(_, known)| known.opened).map(|(at, known)| (at, known.begin_close()))
        };
        if let Some((at, step)) = last {
            self.run(at, &step);
        }
    }

    fn pcontrol(&self, level: i32) {
        // The list only grows; its lock is not held while a component runs, and nothing is allocated.
        for at in 0.. {
            let component = {
                let register = self.register();
                let Some(known) = register.known.get(at) else { return };
                if known.is_open { Some(known.component) } else { None }
            };
            if let Some(component) = component {
                component.pcontrol(level);
            }
        }
    }

    fn report(&self) -> Vec<(String, Lines)> {
        let mut all = Vec::new();
        for (name, component) in self.open_ones() {
            let mut lines = Lines::new();
            component.report(&mut lines);
            all.push((name, lines));
        }
        all
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

fn is_same(one: Option<&'static ForeignComponent>, other: Option<&'static ForeignComponent>) -> bool {
    one.zip(other).is_some_and(|(one, other)| std::ptr::eq(one, other))
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

    use mpit::traffic;

    use super::{Framework, Lifecycle, List, Switch};
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
        static FRAMEWORK: Framework<dyn Hears> = Framework::new(traffic::Framework::Pml, |_| &NOBODY);
        static LEFT: Ear = Ear::new(true, &SWITCHES[0]);
        static RIGHT: Ear = Ear::new(true, &SWITCHES[1]);
        static DEAF: Ear = Ear::new(false, &SWITCHES[2]);
        static NOBODY: Ear = Ear::new(false, &SWITCHES[2]);
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
        FRAMEWORK.open(all.into_iter(), &List::in_force("test", "^unselected"), WORLD);
        FRAMEWORK.open(all.into_iter(), &List::in_force("test", ""), WORLD);
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

        super::close_all(&[&FRAMEWORK]);
        super::close_all(&[&FRAMEWORK]);
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
        static FRAMEWORK: Framework<Named> = Framework::new(traffic::Framework::Pml, |_| &A);
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
        FRAMEWORK.open([("b", &B), ("a", &A)].into_iter(), &List::in_force("test", ""), WORLD);
        assert_eq!(*ORDER.lock().unwrap(), ["a", "b"]);
    }
}
