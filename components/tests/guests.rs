//! Components of other images: when the frameworks open and close them, and what they hear meanwhile.

#![allow(unsafe_code, reason = "they are functions of C")]

use std::ffi::{c_int, c_void};
use std::mem::take;
use std::ptr::null;
use std::sync::{Mutex, PoisonError};

use mpit::component;
use mpit::desc::Origin;
use mpit::plugin::component::{self as foreign, About, Claim, ForeignComponent};
use mpit::plugin::{Life, abi};
use mpit::tool::Tool;
use mpit_components::comms::{self, CommId, Ranks};
use mpit_components::host::{self, World};
use mpit_components::pml::{self, Mode, Send};
use mpit_components::{Lifecycle, Switch, coll};

static HEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn hear(what: String) {
    HEARD.lock().unwrap_or_else(PoisonError::into_inner).push(what);
}

fn heard() -> Vec<String> {
    take(&mut *HEARD.lock().unwrap_or_else(PoisonError::into_inner))
}

/// What the functions are called with.
struct Guest {
    name: &'static str,
    framework: &'static str,
    life: Life,
    /// What its function for the opening returns, and does.
    refuses: c_int,
    then: fn(),
}

impl Guest {
    const fn new(framework: &'static str, name: &'static str) -> Self {
        Self { name, framework, life: Life::new(), refuses: 0, then: || () }
    }

    /// As a plug-in that is loaded.
    fn comes(&'static self) {
        let functions = abi::Component {
            size: size_of::<abi::Component>(),
            framework: null(),
            name: null(),
            description: null(),
            listening: null(),
            user_data: std::ptr::from_ref(self).cast_mut().cast(),
            open: Some(open),
            close: Some(close),
            sent: Some(sent),
            accessed: None,
            done: Some(done),
            freed: Some(freed),
            file: null(),
            line: 0,
            pcontrol: None,
            report: None,
        };
        let about = About {
            framework: self.framework,
            name: self.name,
            description: "",
            origin: Origin::new(file!(), line!()),
            life: Some(&self.life),
        };
        // SAFETY: its functions are for a guest that is there for ever, and it has no switch.
        let component = unsafe { ForeignComponent::new(functions, about) }.unwrap();
        let (claim, refusals) = Claim::new(vec![component]);
        assert!(refusals.is_empty(), "{refusals:?}");
        self.life.begin();
        claim.publish();
    }

    fn goes(&self) {
        assert!(self.life.end());
        foreign::changed();
    }

    fn comes_again(&self) {
        self.life.begin();
        foreign::changed();
    }
}

unsafe fn guest(user_data: *mut c_void) -> &'static Guest {
    // SAFETY: by the caller's promise.
    unsafe { &*user_data.cast() }
}

unsafe extern "C" fn open(user_data: *mut c_void, rank: u32, size: u32) -> c_int {
    // SAFETY: what the component was made with.
    let guest = unsafe { guest(user_data) };
    hear(format!("{} opens on {rank} of {size}", guest.name));
    (guest.then)();
    guest.refuses
}

unsafe extern "C" fn close(user_data: *mut c_void) {
    // SAFETY: as above.
    hear(format!("{} closes", unsafe { guest(user_data) }.name));
}

unsafe extern "C" fn sent(user_data: *mut c_void, message: *const abi::Message) {
    // SAFETY: as above.
    let guest = unsafe { guest(user_data) };
    // SAFETY: as the header says.
    hear(format!("{} hears of {}", guest.name, unsafe { &*message }.bytes));
}

unsafe extern "C" fn done(user_data: *mut c_void, operation: *const abi::Operation) {
    // SAFETY: as above.
    let guest = unsafe { guest(user_data) };
    // SAFETY: as the header says.
    hear(format!("{} hears of an operation of {}", guest.name, unsafe { &*operation }.size));
}

unsafe extern "C" fn freed(user_data: *mut c_void, _comm: u64) {
    // SAFETY: as above.
    hear(format!("{} hears of an end", unsafe { guest(user_data) }.name));
}

struct Linked;

impl Lifecycle for Linked {
    fn switch(&self) -> &'static Switch {
        static SWITCH: Switch = pml::switch();
        &SWITCH
    }

    fn open(&self, _world: World) -> bool {
        hear("linked opens".to_owned());
        self.switch().on();
        true
    }

    fn close(&self) {
        self.switch().off();
        hear("linked closes".to_owned());
    }
}

/// In the program.
#[component(framework = "pml", name = "linked")]
impl pml::Component for Linked {
    fn sent(&self, send: &Send) {
        hear(format!("linked hears of {}", send.bytes));
    }
}

fn send(comm: CommId, bytes: u64) -> Vec<String> {
    pml::sent(&Send { comm, dest: 0, to: 0, bytes, tag: 0, mode: Mode::Standard });
    heard()
}

static EARLY: Guest = Guest::new("pml", "early");
static LAST: Guest = Guest::new("pml", "z");
static UNWANTED: Guest = Guest::new("pml", "unwanted");
static GONE: Guest = Guest::new("pml", "gone");
static LATE: Guest = Guest::new("pml", "late");
static LATE_AND_UNWANTED: Guest = Guest::new("pml", "late_and_unwanted");
static REFUSES: Guest = Guest { refuses: 1, ..Guest::new("pml", "refuses") };
static OPERATIONS: Guest = Guest::new("coll", "operations");
/// Brings another one when it is opened, and goes before it is told more.
static NESTS: Guest = Guest {
    then: || {
        NESTED.comes();
        NESTS.goes();
    },
    ..Guest::new("pml", "nests")
};
static NESTED: Guest = Guest::new("pml", "nested");

/// The only test in this file: MPI is initialized once.
#[test]
fn guests_come_and_go() {
    let comm = comms::created(comms::Description::new(Ranks::World(1), "world"));
    let tool = Tool::new();
    let list = tool.cvar("pml_components").unwrap();
    list.write_text("^unwanted,late_and_unwanted,monitoring").unwrap();
    for guest in [&LAST, &GONE, &EARLY, &UNWANTED] {
        guest.comes();
    }
    GONE.goes();
    assert_eq!(heard(), [""; 0]);
    assert!(!pml::active());

    host::initialized(World { rank: 0, size: 1 });
    assert_eq!(heard(), ["early opens on 0 of 1", "linked opens", "z opens on 0 of 1"]);
    assert_eq!(send(comm, 1), ["early hears of 1", "linked hears of 1", "z hears of 1"]);

    // Who comes late hears after the others.
    LATE.comes();
    LATE_AND_UNWANTED.comes();
    REFUSES.comes();
    assert_eq!(heard(), ["late opens on 0 of 1", "refuses opens on 0 of 1"]);
    GONE.comes_again();
    assert_eq!(heard(), ["gone opens on 0 of 1"], "who refused is not asked again");
    let five = ["early", "linked", "z", "late", "gone"].map(|name| format!("{name} hears of 2"));
    assert_eq!(send(comm, 2), five);

    EARLY.goes();
    LATE.goes();
    REFUSES.goes();
    assert_eq!(heard(), ["early closes", "late closes"]);
    assert_eq!(send(comm, 3), ["linked hears of 3", "z hears of 3", "gone hears of 3"]);
    EARLY.comes_again();
    REFUSES.comes_again();
    assert_eq!(heard(), ["early opens on 0 of 1", "refuses opens on 0 of 1"]);
    let four = ["early", "linked", "z", "gone"].map(|name| format!("{name} hears of 4"));
    assert_eq!(send(comm, 4), four);

    // Gone and back before anybody looked: it was closed all the same.
    assert!(GONE.life.end());
    GONE.comes_again();
    assert_eq!(heard(), ["gone closes", "gone opens on 0 of 1"]);

    NESTS.comes();
    assert_eq!(heard(), ["nests opens on 0 of 1", "nests closes", "nested opens on 0 of 1"]);
    NESTED.goes();
    LAST.goes();
    GONE.goes();
    EARLY.goes();
    assert_eq!(heard(), ["nested closes", "z closes", "gone closes", "early closes"]);

    assert!(!coll::active());
    OPERATIONS.comes();
    assert!(coll::active());
    let (kind, root, volume) = (coll::Kind::Barrier, coll::Root::None, coll::Volume::Each(0));
    let operation = coll::Operation { comm, kind, rank: 0, size: 1, root, volume, in_place: false };
    coll::end(&operation);
    comms::freed(comm);
    assert_eq!(
        heard(),
        ["operations opens on 0 of 1", "operations hears of an operation of 1", "operations hears of an end"]
    );
    OPERATIONS.goes();
    assert!(!coll::active());
    comms::freed(comms::created(comms::Description::new(Ranks::World(1), "other")));
    coll::end(&operation);
    assert_eq!(heard(), ["operations closes"]);

    LATE.comes_again();
    OPERATIONS.comes_again();
    heard();
    host::finalizing();
    // In the reverse order of their opening.
    assert_eq!(heard(), ["operations closes", "late closes", "linked closes"]);
    assert!(!pml::active() && !coll::active());
    // Nobody tells them anything any more.
    LATE.goes();
    LATE.comes_again();
    EARLY.comes_again();
    assert_eq!(send(comm, 5), [""; 0]);
}
