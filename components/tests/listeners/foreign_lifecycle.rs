//! Components of other images: when the frameworks open and close them, and what they receive meanwhile.

#![allow(unsafe_code, reason = "they are functions of C")]

use std::ffi::{c_int, c_void};
use std::mem::take;
use std::sync::{Mutex, PoisonError};

use mpit::component;
use mpit::internal::plugin::{Activation, abi, component as foreign};
use mpit::tool::Tool;
use mpit_components::coll::{self, Kind, Root, Volume};
use mpit_components::comms::{self, CommId};
use mpit_components::host::{self, World};
use mpit_components::pml::{self, Send};
use mpit_components::{Lifecycle, Subscription};

use super::support::{self, create_world, operate};
use super::{in_own_process, publish};

const ME: World = World::new(0, 1);

static RECEIVED: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn receive(what: String) {
    RECEIVED.lock().unwrap_or_else(PoisonError::into_inner).push(what);
}

fn received() -> Vec<String> {
    take(&mut *RECEIVED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The `user_data` of the functions.
struct TestComponent {
    name: &'static str,
    framework: &'static str,
    activation: Activation,
    /// The result of its `open`, and a step that `open` takes.
    refuses: c_int,
    then: fn(),
}

impl TestComponent {
    const fn new(framework: &'static str, name: &'static str) -> Self {
        Self { name, framework, activation: Activation::new(), refuses: 0, then: || () }
    }

    fn publish(&'static self) {
        let functions = abi::Component {
            user_data: std::ptr::from_ref(self).cast_mut().cast(),
            open: Some(open),
            close: Some(close),
            sent: Some(sent),
            done: Some(done),
            freed: Some(freed),
            ..abi::Component::EMPTY
        };
        // SAFETY: its functions are called with `self`, which is `'static`, and it has no subscription.
        unsafe { publish(functions, self.framework, self.name, &self.activation) };
    }

    fn deactivate(&self) {
        assert!(self.activation.end());
        foreign::changed();
    }
}

/// # Safety
/// `user_data` is of a [`TestComponent`], as [`TestComponent::publish`] registered it.
unsafe fn component(user_data: *mut c_void) -> &'static TestComponent {
    // SAFETY: the callers pass the `user_data` that the framework got from `TestComponent::publish`: a
    // `&'static TestComponent`.
    unsafe { &*user_data.cast() }
}

unsafe extern "C" fn open(user_data: *mut c_void, rank: u32, size: u32) -> c_int {
    // SAFETY: the framework passes the `user_data` of `TestComponent::publish`.
    let component = unsafe { component(user_data) };
    receive(format!("{} opens on {rank} of {size}", component.name));
    (component.then)();
    component.refuses
}

unsafe extern "C" fn close(user_data: *mut c_void) {
    // SAFETY: the framework passes the `user_data` of `TestComponent::publish`.
    receive(format!("{} closes", unsafe { component(user_data) }.name));
}

unsafe extern "C" fn sent(user_data: *mut c_void, message: *const abi::Message) {
    // SAFETY: the framework passes the `user_data` of `TestComponent::publish`.
    let component = unsafe { component(user_data) };
    // SAFETY: the framework passes a message that is valid during the call (mpit_plugin.h).
    receive(format!("{} receives {}", component.name, unsafe { &*message }.bytes));
}

unsafe extern "C" fn done(user_data: *mut c_void, operation: *const abi::Operation) {
    // SAFETY: the framework passes the `user_data` of `TestComponent::publish`.
    let component = unsafe { component(user_data) };
    // SAFETY: the framework passes an operation that is valid during the call (mpit_plugin.h).
    receive(format!("{} receives an operation of {}", component.name, unsafe { &*operation }.size));
}

unsafe extern "C" fn freed(user_data: *mut c_void, _comm: u64) {
    // SAFETY: the framework passes the `user_data` of `TestComponent::publish`.
    receive(format!("{} receives an end", unsafe { component(user_data) }.name));
}

struct Linked;

impl Lifecycle for Linked {
    fn subscription(&self) -> &'static Subscription {
        static SUBSCRIPTION: Subscription = Subscription::pml();
        &SUBSCRIPTION
    }

    fn open(&self, _world: World) -> bool {
        receive("linked opens".to_owned());
        self.subscription().add();
        true
    }

    fn close(&self) {
        self.subscription().remove();
        receive("linked closes".to_owned());
    }
}

/// In the program.
#[component(framework = "pml", name = "linked")]
impl pml::Component for Linked {
    fn sent(&self, send: &Send) {
        receive(format!("linked receives {}", send.bytes));
    }
}

fn send(comm: CommId, bytes: u64) -> Vec<String> {
    support::send(comm, 0, bytes, 0);
    received()
}

static EARLY: TestComponent = TestComponent::new("pml", "early");
static LAST: TestComponent = TestComponent::new("pml", "z");
static UNWANTED: TestComponent = TestComponent::new("pml", "unwanted");
static DEACTIVATED: TestComponent = TestComponent::new("pml", "deactivated");
static LATE: TestComponent = TestComponent::new("pml", "late");
static LATE_AND_UNWANTED: TestComponent = TestComponent::new("pml", "late_and_unwanted");
static REFUSES: TestComponent = TestComponent { refuses: 1, ..TestComponent::new("pml", "refuses") };
static OPERATIONS: TestComponent = TestComponent::new("coll", "operations");
static TO_THE_END: TestComponent = TestComponent::new("pml", "to_the_end");
static OPERATIONS_TO_THE_END: TestComponent = TestComponent::new("coll", "operations_to_the_end");
static TOO_LATE: TestComponent = TestComponent::new("pml", "too_late");
/// Publishes another component when it is opened, and is deactivated before it receives more.
static NESTS: TestComponent = TestComponent {
    then: || {
        NESTED.publish();
        NESTS.deactivate();
    },
    ..TestComponent::new("pml", "nests")
};
static NESTED: TestComponent = TestComponent::new("pml", "nested");

#[test]
fn foreign_components_are_toggled() {
    in_own_process(|| {
        let comm = create_world(1);
        let tool = Tool::new();
        let list = tool.cvar("pml_components").unwrap();
        list.write_text("^unwanted,late_and_unwanted,monitoring,test").unwrap();
        tool.cvar("coll_components").unwrap().write_text("^test,second").unwrap();
        for component in [&LAST, &DEACTIVATED, &EARLY, &UNWANTED] {
            component.publish();
        }
        DEACTIVATED.deactivate();
        assert_eq!(received(), [""; 0]);
        assert!(!pml::active());

        host::initialized(ME);
        assert_eq!(received(), ["early opens on 0 of 1", "linked opens", "z opens on 0 of 1"]);
        assert_eq!(send(comm, 1), ["early receives 1", "linked receives 1", "z receives 1"]);

        // A late component receives after the others.
        LATE.publish();
        LATE_AND_UNWANTED.publish();
        REFUSES.publish();
        assert_eq!(received(), ["late opens on 0 of 1", "refuses opens on 0 of 1"]);
        let four = ["early", "linked", "z", "late"].map(|name| format!("{name} receives 2"));
        assert_eq!(send(comm, 2), four);

        EARLY.deactivate();
        LATE.deactivate();
        REFUSES.deactivate();
        assert_eq!(received(), ["early closes", "late closes"]);
        assert_eq!(send(comm, 3), ["linked receives 3", "z receives 3"]);

        NESTS.publish();
        assert_eq!(received(), ["nests opens on 0 of 1", "nests closes", "nested opens on 0 of 1"]);
        NESTED.deactivate();
        LAST.deactivate();
        assert_eq!(received(), ["nested closes", "z closes"]);

        assert!(!coll::active());
        OPERATIONS.publish();
        assert!(coll::active());
        let barrier = || operate(ME, comm, Kind::Barrier, Root::None, Volume::Each(0));
        barrier();
        comms::freed(comm);
        assert_eq!(
            received(),
            [
                "operations opens on 0 of 1",
                "operations receives an operation of 1",
                "operations receives an end"
            ]
        );
        OPERATIONS.deactivate();
        assert!(!coll::active());
        comms::freed(create_world(1));
        barrier();
        assert_eq!(received(), ["operations closes"]);

        TO_THE_END.publish();
        OPERATIONS_TO_THE_END.publish();
        received();
        host::finalizing();
        // In the reverse order of their opening.
        assert_eq!(received(), ["operations_to_the_end closes", "to_the_end closes", "linked closes"]);
        assert!(!pml::active() && !coll::active());
        // They receive nothing more.
        TO_THE_END.deactivate();
        TOO_LATE.publish();
        assert_eq!(send(comm, 5), [""; 0]);
    });
}
