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
fn listeners_are_notified() {
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
    // Components that are not notified must not keep the slow path active.
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

/// Traffic may be counted without a call of `each` only while one component takes part.
#[test]
fn a_second_component_ends_the_shortcut() {
    static REASONS: AtomicU32 = AtomicU32::new(0);
    static SWITCHES: [Switch; 2] = [const { Switch::new(&REASONS) }; 2];
    static ONE: Ear = Ear::new(true, &SWITCHES[0]);
    static TWO: Ear = Ear::new(true, &SWITCHES[1]);
    static ALONE: Framework<dyn Hears> = Framework::new(traffic::Framework::Pml, |_| &ONE);
    static BOTH: Framework<dyn Hears> = Framework::new(traffic::Framework::Pml, |_| &ONE);
    let all: [(&str, &'static dyn Hears); 2] = [("one", &ONE), ("two", &TWO)];
    let list = List::in_force("test", "");
    ALONE.open(all[..1].iter().copied(), &list, WORLD);
    assert!(!ALONE.is_only(&SWITCHES[0]));
    SWITCHES[0].on();
    assert!(ALONE.is_only(&SWITCHES[0]) && !ALONE.is_only(&SWITCHES[1]));
    BOTH.open(all.into_iter(), &list, WORLD);
    assert!(!BOTH.is_only(&SWITCHES[0]) && !BOTH.is_only(&SWITCHES[1]));
    SWITCHES[0].off();
    assert!(!ALONE.is_only(&SWITCHES[0]));
}
