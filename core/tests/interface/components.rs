//! Components that tables of C bring: what is refused, how their switches count, and what their functions receive.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{from_ref, null, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};

use mpit::component;
use mpit::plugin::abi;
use mpit::plugin::component::{self as foreign, About, Claim, ForeignComponent};
use mpit::plugin::{Activation, register};
use mpit::traffic::{CommId, Framework, Lifecycle, Subscription, WindowId, World, coll, osc, pml};

/// The words that count who listens are the process's.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn listening(framework: Framework) -> u32 {
    let word = match framework {
        Framework::Pml => &pml::LISTENING,
        Framework::Osc => &osc::LISTENING,
        Framework::Coll => &coll::LISTENING,
    };
    word.load(Relaxed)
}

const fn off() -> abi::Subscription {
    abi::Subscription {
        reasons: AtomicU32::new(0),
        host: AtomicPtr::new(null_mut()),
        turn: AtomicPtr::new(null_mut()),
    }
}

/// A component that has no functions.
fn nothing(framework: &'static CStr, name: &'static CStr) -> abi::Component {
    abi::Component {
        size: size_of::<abi::Component>(),
        framework: framework.as_ptr(),
        name: name.as_ptr(),
        description: null(),
        listening: null(),
        user_data: null_mut(),
        open: None,
        close: None,
        sent: None,
        accessed: None,
        done: None,
        freed: None,
        file: null(),
        line: 0,
        pcontrol: None,
        report: None,
    }
}

/// Registers a table of these components, as `mpit_register` does.
fn add(table: &'static CStr, components: &[abi::Component]) -> Result<(), String> {
    let table = abi::Table {
        size: size_of::<abi::Table>(),
        version: abi::MAJOR.into(),
        component: table.as_ptr(),
        pvars: null(),
        num_pvars: 0,
        sources: null(),
        num_sources: 0,
        events: null(),
        num_events: 0,
        categories: null(),
        num_categories: 0,
        cvars: null(),
        num_cvars: 0,
        components: components.as_ptr(),
        num_components: components.len(),
    };
    // SAFETY: a table as the header says, whose functions and switches are statics.
    unsafe { register(from_ref(&table)) }
}

fn why(table: &'static CStr, components: &[abi::Component]) -> String {
    let before = foreign::all().count();
    let why = add(table, components).unwrap_err();
    assert_eq!(foreign::all().count(), before, "{why}");
    why
}

fn named(name: &str) -> &'static ForeignComponent {
    foreign::all().find(|component| component.name() == name).unwrap()
}

struct Linked;

impl Lifecycle for Linked {
    fn subscription(&self) -> &'static Subscription {
        static SUBSCRIPTION: Subscription = pml::subscription();
        &SUBSCRIPTION
    }

    fn open(&self, _world: World) -> bool {
        false
    }
}

/// In the program.
#[component(framework = "pml", name = "linked")]
impl pml::Component for Linked {
    fn sent(&self, _send: &pml::Send) {}
}

#[test]
fn a_bad_component_refuses_its_table() {
    let _alone = alone();
    let fine = nothing(c"coll", c"fine");
    let refused = |component| why(c"refused", &[fine, component]);
    assert_eq!(
        refused(nothing(c"btl", c"some")),
        "refused: component `some` at refused:2: there is no framework `btl`, but pml, osc and coll"
    );
    assert_eq!(
        refused(nothing(c"pml", c"a,b")),
        "refused: component `a,b` at refused:2: its name contains white space, a comma or a control character"
    );
    let askew = abi::Component { listening: null::<abi::Subscription>().wrapping_byte_add(9), ..fine };
    assert!(refused(askew).ends_with("its switch at 0x9 is not aligned"));
    // The name was not taken.
    add(c"accepted", &[fine]).unwrap();
}

#[test]
fn a_name_is_taken_once_in_a_framework() {
    let _alone = alone();
    add(c"first", &[nothing(c"pml", c"unique"), nothing(c"osc", c"unique")]).unwrap();
    let here = abi::Component { file: c"second.c".as_ptr(), line: 7, ..nothing(c"pml", c"unique") };
    assert_eq!(
        why(c"second", &[nothing(c"coll", c"unique"), here]),
        "second: component `unique` of `pml` at second.c:7: first:1 already defines it, and names are unique; \
         rename one of the two"
    );
    let clash = why(c"third", &[nothing(c"pml", c"linked")]);
    assert!(clash.contains(&format!("{}:", file!())), "{clash}");
    let twice = why(c"fourth", &[nothing(c"coll", c"twice"), nothing(c"coll", c"twice")]);
    assert!(twice.contains("fourth:1 already defines it"), "{twice}");
    // What was refused with others left its names free.
    add(c"fifth", &[nothing(c"coll", c"unique"), nothing(c"coll", c"twice")]).unwrap();
}

#[test]
fn a_switch_serves_one_component() {
    static SUBSCRIPTION: abi::Subscription = off();
    let _alone = alone();
    let with = |name| abi::Component { listening: &raw const SUBSCRIPTION, ..nothing(c"osc", name) };
    let shared = why(c"sharing", &[with(c"one"), with(c"other")]);
    assert!(
        shared.contains(
            "`other` of `osc` at sharing:2: its switch serves another component; each needs its own"
        )
    );
    assert!(SUBSCRIPTION.turn.load(SeqCst).is_null() && SUBSCRIPTION.host.load(SeqCst).is_null());
    add(c"one", &[with(c"one")]).unwrap();
    assert!(!SUBSCRIPTION.turn.load(SeqCst).is_null());
}

/// Turns a switch as the inline functions of the header do.
fn turn(subscription: &abi::Subscription, more: bool) {
    let change = if more { 1 } else { u32::MAX };
    subscription.reasons.fetch_add(change, SeqCst);
    let turn = subscription.turn.load(SeqCst);
    if !turn.is_null() {
        // SAFETY: what the host stored is a function of this type.
        let turn = unsafe { std::mem::transmute::<*mut c_void, abi::TurnFunction>(turn) };
        // SAFETY: with what the host stored beside it.
        unsafe { turn(subscription.host.load(SeqCst), if more { 1 } else { -1 }) };
    }
}

static RECEIVED: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

fn received() -> [u64; 4] {
    [0, 1, 2, 3].map(|at: usize| RECEIVED[at].load(Relaxed))
}

/// The value that `user_data` leads to.
const FACTOR: u64 = 1000;

unsafe fn receive(user_data: *mut c_void, at: usize, what: u64) {
    // SAFETY: the components of this test are registered with a pointer to `FACTOR`, which is never freed.
    let factor = unsafe { *user_data.cast::<u64>() };
    RECEIVED[at].fetch_add(factor * what, Relaxed);
}

unsafe extern "C" fn open(_: *mut c_void, rank: u32, size: u32) -> c_int {
    c_int::from(rank >= size)
}

unsafe extern "C" fn close(user_data: *mut c_void) {
    // SAFETY: the framework passes the `user_data` of the table.
    unsafe { receive(user_data, 3, 1) };
}

unsafe extern "C" fn sent(user_data: *mut c_void, message: *const abi::Message) {
    // SAFETY: the framework passes a message that is valid during the call (mpit_plugin.h).
    let message = unsafe { &*message };
    // SAFETY: the framework passes the `user_data` of the table.
    unsafe { receive(user_data, 0, message.bytes) };
}

unsafe extern "C" fn accessed(user_data: *mut c_void, access: *const abi::Access) {
    // SAFETY: the framework passes an access that is valid during the call (mpit_plugin.h).
    let access = unsafe { &*access };
    // SAFETY: the framework passes the `user_data` of the table.
    unsafe { receive(user_data, 1, access.sent) };
}

unsafe extern "C" fn done(user_data: *mut c_void, operation: *const abi::Operation) {
    // SAFETY: the framework passes an operation that is valid during the call (mpit_plugin.h).
    let operation = unsafe { &*operation };
    // SAFETY: `with` takes the operation's `volumes` and a rank of its communicator (mpit_plugin.h).
    let bytes =
        |rank| operation.with.map_or(operation.bytes, |with| unsafe { with(operation.volumes, rank) });
    let all = (0..operation.size).map(bytes).sum();
    // SAFETY: the framework passes the `user_data` of the table.
    unsafe { receive(user_data, 2, all) };
}

unsafe extern "C" fn freed(user_data: *mut c_void, comm: u64) {
    // SAFETY: the framework passes the `user_data` of the table.
    unsafe { receive(user_data, 2, comm) };
}

/// A component that has all functions.
fn all(framework: &'static CStr, name: &'static CStr) -> abi::Component {
    abi::Component {
        user_data: from_ref(&FACTOR).cast_mut().cast(),
        open: Some(open),
        close: Some(close),
        sent: Some(sent),
        accessed: Some(accessed),
        done: Some(done),
        freed: Some(freed),
        ..nothing(framework, name)
    }
}

#[test]
fn traffic_reaches_its_framework_function() {
    let _alone = alone();
    add(c"ears", &[all(c"pml", c"ears")]).unwrap();
    let ears = named("ears");
    assert!(!ears.open(World { rank: 2, size: 2 }));
    let comm = CommId::from_number(5);
    coll::Component::freed(ears, comm);
    ears.close();
    assert_eq!(received(), [0; 4], "it is not open");

    assert!(ears.open(World { rank: 1, size: 2 }));
    let mode = pml::Mode::Standard;
    pml::Component::sent(ears, &pml::Send { comm, dest: 1, to: 1, bytes: 7, tag: 0, mode });
    let (window, kind) = (WindowId::from_number(1), osc::Kind::Put);
    osc::Component::accessed(ears, &osc::Access { window, rank: 0, target: 0, kind, sent: 8, received: 0 });
    let (kind, root) = (coll::Kind::Alltoallv, coll::Root::None);
    for volume in [coll::Volume::Each(10), coll::Volume::By(&|rank| u64::from(rank))] {
        let operation = coll::Operation { comm, kind, rank: 0, size: 4, root, volume, in_place: false };
        coll::Component::done(ears, &operation);
    }
    assert_eq!(received(), [7000, 8000, 46_000, 0]);
    coll::Component::freed(ears, comm);
    ears.close();
    ears.close();
    coll::Component::freed(ears, comm);
    assert_eq!(received(), [7000, 8000, 51_000, 1000]);

    add(c"silent", &[nothing(c"pml", c"silent")]).unwrap();
    let silent = named("silent");
    assert!(silent.open(World { rank: 9, size: 1 }));
    pml::Component::sent(silent, &pml::Send { comm, dest: 1, to: 1, bytes: 7, tag: 0, mode });
    silent.close();
}

#[test]
fn traffic_is_free_without_open_listeners() {
    static SUBSCRIPTION: abi::Subscription = off();
    let _alone = alone();
    let at_first = Framework::ALL.map(listening);
    turn(&SUBSCRIPTION, true);
    let counting = abi::Component { listening: &raw const SUBSCRIPTION, ..all(c"osc", c"counting") };
    let deaf = abi::Component { done: None, ..all(c"coll", c"deaf") };
    add(c"costs", &[all(c"pml", c"always"), counting, deaf]).unwrap();
    let more = || {
        let mut all = Framework::ALL.map(listening).into_iter().zip(at_first);
        [(); 3].map(|()| all.next().map_or(0, |(now, then)| now - then))
    };
    assert_eq!(more(), [0; 3], "they are not open");
    let subscriptions = ["always", "counting", "deaf"].map(|name| named(name).subscription());
    for subscription in subscriptions {
        subscription.resume();
    }
    assert_eq!(more(), [1, 1, 0]);
    turn(&SUBSCRIPTION, true);
    turn(&SUBSCRIPTION, false);
    assert_eq!(more(), [1, 1, 0]);
    turn(&SUBSCRIPTION, false);
    assert_eq!((more(), subscriptions[1].is_on()), ([1, 0, 0], false));

    // The last turn decides.
    let start = Barrier::new(2);
    let rounds = || {
        for _ in 0..500 {
            start.wait();
            (0..4).for_each(|turns| turn(&SUBSCRIPTION, turns % 2 == 0));
            start.wait();
            assert_eq!((more(), subscriptions[1].is_on()), ([1, 0, 0], false));
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(rounds)));
    turn(&SUBSCRIPTION, true);
    assert_eq!((more(), subscriptions[1].is_on()), ([1, 1, 0], true));
    for subscription in subscriptions {
        subscription.pause();
    }
    assert_eq!(more(), [0; 3]);
}

#[test]
fn what_is_inactive_sleeps() {
    static ACTIVATION: Activation = Activation::new();
    let _alone = alone();
    let about = About {
        framework: "pml",
        name: "mortal",
        description: "",
        origin: mpit::desc::Origin::new(file!(), line!()),
        activation: Some(&ACTIVATION),
    };
    // SAFETY: its functions are statics, and it has no switch.
    let component = unsafe { ForeignComponent::new(all(c"pml", c"mortal"), about) }.unwrap();
    let (claim, refusals) = Claim::new(vec![component]);
    assert!(refusals.is_empty() && !claim.is_empty());
    assert!(!foreign::all().any(|component| component.name() == "mortal"), "it is not published");
    ACTIVATION.begin();
    claim.publish();
    let mortal = named("mortal");
    mortal.subscription().resume();
    foreign::changed();
    assert!(mortal.is_active() && mortal.subscription().is_on());
    ACTIVATION.end();
    foreign::changed();
    assert!(!mortal.is_active() && !mortal.subscription().is_on());
}
