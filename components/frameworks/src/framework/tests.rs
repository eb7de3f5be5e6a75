use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mpit::component;
use mpit::cvar::Text;
use mpit::internal::host::revision;

use super::{Framework, KnownComponent, Lifecycle, List, SelectionList, Subscription, World};

const WORLD: World = World::new(0, 1);

trait Receives: Lifecycle {
    fn receive(&self, what: u32);
}

struct TestListener {
    wants: bool,
    subscription: &'static Subscription,
    received: AtomicU32,
    opened: AtomicU32,
    closed: AtomicU32,
}

impl TestListener {
    const fn new(wants: bool, subscription: &'static Subscription) -> Self {
        let (received, opened, closed) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
        Self { wants, subscription, received, opened, closed }
    }
}

impl Lifecycle for TestListener {
    fn subscription(&self) -> &'static Subscription {
        self.subscription
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

impl Receives for TestListener {
    fn receive(&self, what: u32) {
        self.received.fetch_add(what, Relaxed);
    }
}

static NO_LIST: SelectionList = SelectionList::new(Text::new(""));

fn open(framework: &Framework<dyn Receives>, all: &[(&'static str, &'static TestListener)], list: &str) {
    let linked = all.iter().map(|(name, listener)| KnownComponent::new(name, *listener as _, None));
    framework.open_admitted(linked, &List::effective("test", list), WORLD);
}

static REASONS: AtomicU32 = AtomicU32::new(0);
static SUBSCRIPTIONS: [Subscription; 4] = [const { Subscription::new(&REASONS) }; 4];

#[test]
fn listeners_are_notified() {
    static FRAMEWORK: Framework<dyn Receives> =
        Framework::new(component::Framework::Pml, &NO_LIST, |_| &DEFAULT);
    static LEFT: TestListener = TestListener::new(true, &SUBSCRIPTIONS[0]);
    static RIGHT: TestListener = TestListener::new(true, &SUBSCRIPTIONS[1]);
    static DECLINING: TestListener = TestListener::new(false, &SUBSCRIPTIONS[2]);
    static DEFAULT: TestListener = TestListener::new(false, &SUBSCRIPTIONS[2]);
    static UNSELECTED: TestListener = TestListener::new(true, &SUBSCRIPTIONS[3]);
    let (left, right) = (LEFT.subscription, RIGHT.subscription);
    let notify = |what| {
        if REASONS.load(Relaxed) != 0 {
            FRAMEWORK.each(|listener| listener.receive(what));
        }
    };

    left.add();
    notify(1);
    let all = [("right", &RIGHT), ("left", &LEFT), ("unselected", &UNSELECTED), ("declining", &DECLINING)];
    open(&FRAMEWORK, &all, "^unselected");
    open(&FRAMEWORK, &all, "");
    notify(2);
    right.add();
    right.add();
    notify(4);
    left.remove();
    right.remove();
    notify(8);
    assert!(right.is_active() && !left.is_active());
    right.remove();
    notify(16);
    assert_eq!(REASONS.load(Relaxed), 0);
    assert_eq!((LEFT.received.load(Relaxed), RIGHT.received.load(Relaxed)), (6, 12));

    super::close_all(&[&FRAMEWORK]);
    super::close_all(&[&FRAMEWORK]);
    let all = [&LEFT, &RIGHT, &DECLINING, &UNSELECTED];
    // Components that are not notified must not keep the slow path active.
    DECLINING.subscription.add();
    UNSELECTED.subscription.add();
    assert!(!DECLINING.subscription.is_active() && !UNSELECTED.subscription.is_active());
    assert_eq!(REASONS.load(Relaxed), 0);
    assert_eq!(all.map(|listener| listener.opened.load(Relaxed)), [1, 1, 1, 0]);
    assert_eq!(all.map(|listener| listener.closed.load(Relaxed)), [1, 1, 0, 0]);
}

/// Traffic may be counted without a call of `each` only while one component takes part.
#[test]
fn a_second_component_ends_the_shortcut() {
    static REASONS: AtomicU32 = AtomicU32::new(0);
    static SUBSCRIPTIONS: [Subscription; 2] = [const { Subscription::new(&REASONS) }; 2];
    static ONE: TestListener = TestListener::new(true, &SUBSCRIPTIONS[0]);
    static TWO: TestListener = TestListener::new(true, &SUBSCRIPTIONS[1]);
    static ALONE: Framework<dyn Receives> = Framework::new(component::Framework::Pml, &NO_LIST, |_| &ONE);
    static BOTH: Framework<dyn Receives> = Framework::new(component::Framework::Pml, &NO_LIST, |_| &ONE);
    let before = revision::current();
    open(&ALONE, &[("one", &ONE)], "");
    assert!(!ALONE.is_only(&SUBSCRIPTIONS[0]));
    // Routes rely on the shortcut. Components of other tests may advance the revision as well.
    assert!(revision::current() > before);
    SUBSCRIPTIONS[0].add();
    assert!(ALONE.is_only(&SUBSCRIPTIONS[0]) && !ALONE.is_only(&SUBSCRIPTIONS[1]));
    let before = revision::current();
    open(&BOTH, &[("one", &ONE), ("two", &TWO)], "");
    assert!(revision::current() > before + 1);
    assert!(!BOTH.is_only(&SUBSCRIPTIONS[0]) && !BOTH.is_only(&SUBSCRIPTIONS[1]));
    SUBSCRIPTIONS[0].remove();
    assert!(!ALONE.is_only(&SUBSCRIPTIONS[0]));
}
