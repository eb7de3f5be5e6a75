//! Components of C tables: refusals, the counts of their subscriptions, and the arguments of their functions.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{from_ref, null, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};

use mpit::component;
use mpit::component::{CommId, Framework, Lifecycle, Subscription, WindowId, World, coll, osc, pml};
use mpit::internal::plugin::abi;
use mpit::internal::plugin::component::{self as foreign, Claim, ComponentInfo, ForeignComponent};
use mpit::internal::plugin::{Activation, register};

/// Serializes tests that use the counters of listeners, which belong to the process.
fn lock_counters() -> MutexGuard<'static, ()> {
    static COUNTERS: Mutex<()> = Mutex::new(());
    COUNTERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn listening(framework: Framework) -> u32 {
    let word = match framework {
        Framework::Pml => &pml::LISTENING,
        Framework::Osc => &osc::LISTENING,
        Framework::Coll => &coll::LISTENING,
    };
    word.load(Relaxed)
}

const fn unused_subscription() -> abi::Subscription {
    abi::Subscription {
        reasons: AtomicU32::new(0),
        host: AtomicPtr::new(null_mut()),
        turn: AtomicPtr::new(null_mut()),
    }
}

fn without_functions(framework: &'static CStr, name: &'static CStr) -> abi::Component {
    abi::Component { framework: framework.as_ptr(), name: name.as_ptr(), ..abi::Component::EMPTY }
}

/// Registers a table of these components, as `mpit_register` does.
fn add(table: &'static CStr, components: &[abi::Component]) -> Result<(), String> {
    let table = abi::Table {
        component: table.as_ptr(),
        components: components.as_ptr(),
        num_components: components.len(),
        ..abi::Table::EMPTY
    };
    // SAFETY: a table as `mpit_plugin.h` specifies, whose functions and subscriptions are statics.
    unsafe { register(from_ref(&table)) }
}

fn refusal_of(table: &'static CStr, components: &[abi::Component]) -> String {
    let before = foreign::all().count();
    let refusal = add(table, components).unwrap_err();
    assert_eq!(foreign::all().count(), before, "{refusal}");
    refusal
}

fn named(name: &str) -> &'static ForeignComponent {
    foreign::all().find(|component| component.name() == name).unwrap()
}

struct Linked;

impl Lifecycle for Linked {
    fn subscription(&self) -> &'static Subscription {
        static SUBSCRIPTION: Subscription = Subscription::pml();
        &SUBSCRIPTION
    }

    fn open(&self, _world: World) -> bool {
        false
    }
}

/// A component of the program.
#[component(framework = "pml", name = "linked")]
impl pml::Component for Linked {
    fn sent(&self, _send: &pml::Send) {}
}

#[test]
fn a_bad_component_refuses_its_table() {
    let _guard = lock_counters();
    let fine = without_functions(c"coll", c"fine");
    let refused = |component| refusal_of(c"refused", &[fine, component]);
    assert_eq!(
        refused(without_functions(c"btl", c"some")),
        "refused: component `some` at refused, component 2: there is no framework `btl`, but pml, osc and coll"
    );
    assert_eq!(
        refused(without_functions(c"pml", c"a,b")),
        "refused: component `a,b` at refused, component 2: its name contains white space, a comma or a control character"
    );
    let misaligned = abi::Component { listening: null::<abi::Subscription>().wrapping_byte_add(9), ..fine };
    assert!(refused(misaligned).ends_with("its switch at 0x9 is not aligned"));
    // The name was not taken.
    add(c"accepted", &[fine]).unwrap();
}

#[test]
fn a_name_is_taken_once_in_a_framework() {
    let _guard = lock_counters();
    add(c"first", &[without_functions(c"pml", c"unique"), without_functions(c"osc", c"unique")]).unwrap();
    let here = abi::Component { file: c"second.c".as_ptr(), line: 7, ..without_functions(c"pml", c"unique") };
    assert_eq!(
        refusal_of(c"second", &[without_functions(c"coll", c"unique"), here]),
        "second: component `unique` of `pml` at second.c:7: first, component 1 already defines it, and names are unique; \
         rename one of the two"
    );
    let conflict = refusal_of(c"third", &[without_functions(c"pml", c"linked")]);
    assert!(conflict.contains(&format!("{}:", file!())), "{conflict}");
    let twice =
        refusal_of(c"fourth", &[without_functions(c"coll", c"twice"), without_functions(c"coll", c"twice")]);
    assert!(twice.contains("fourth, component 1 already defines it"), "{twice}");
    // What was refused with others left its names free.
    add(c"fifth", &[without_functions(c"coll", c"unique"), without_functions(c"coll", c"twice")]).unwrap();
}

#[test]
fn a_switch_serves_one_component() {
    static SUBSCRIPTION: abi::Subscription = unused_subscription();
    let _guard = lock_counters();
    let with =
        |name| abi::Component { listening: &raw const SUBSCRIPTION, ..without_functions(c"osc", name) };
    let shared = refusal_of(c"sharing", &[with(c"one"), with(c"other")]);
    assert!(shared.contains(
        "`other` of `osc` at sharing, component 2: its switch serves another component; each needs its own"
    ));
    assert!(SUBSCRIPTION.turn.load(SeqCst).is_null() && SUBSCRIPTION.host.load(SeqCst).is_null());
    add(c"one", &[with(c"one")]).unwrap();
    assert!(!SUBSCRIPTION.turn.load(SeqCst).is_null());
}

/// Adds or removes a reason to listen, as the inline functions of the header do.
fn change_reasons(subscription: &abi::Subscription, more: bool) {
    let change = if more { 1 } else { u32::MAX };
    subscription.reasons.fetch_add(change, SeqCst);
    let change_reasons = subscription.turn.load(SeqCst);
    if !change_reasons.is_null() {
        // SAFETY: a host stores only functions of this type.
        let change_reasons = unsafe { std::mem::transmute::<*mut c_void, abi::TurnFunction>(change_reasons) };
        // SAFETY: the function takes the pointer that the host stored beside it.
        unsafe { change_reasons(subscription.host.load(SeqCst), if more { 1 } else { -1 }) };
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

fn with_functions(framework: &'static CStr, name: &'static CStr) -> abi::Component {
    abi::Component {
        user_data: from_ref(&FACTOR).cast_mut().cast(),
        open: Some(open),
        close: Some(close),
        sent: Some(sent),
        accessed: Some(accessed),
        done: Some(done),
        freed: Some(freed),
        ..without_functions(framework, name)
    }
}

#[test]
fn traffic_reaches_its_framework_function() {
    let _guard = lock_counters();
    add(c"recorder", &[with_functions(c"pml", c"recorder")]).unwrap();
    let recorder = named("recorder");
    assert!(!recorder.open(World::new(2, 2)));
    let comm = CommId::from_number(5);
    coll::Component::freed(recorder, comm);
    recorder.close();
    assert_eq!(received(), [0; 4], "it is not open");

    assert!(recorder.open(World::new(1, 2)));
    let mode = pml::Mode::Standard;
    pml::Component::sent(recorder, &pml::Send::new(comm, 1, 1, 7, 0, mode));
    let (window, kind) = (WindowId::from_number(1), osc::Kind::Put);
    osc::Component::accessed(recorder, &osc::Access::new(window, 0, 0, kind, 8, 0));
    let (kind, root) = (coll::Kind::Alltoallv, coll::Root::None);
    for volume in [coll::Volume::Each(10), coll::Volume::By(&|rank| u64::from(rank))] {
        let operation = coll::Operation::new(comm, kind, 0, 4, root, volume, false);
        coll::Component::done(recorder, &operation);
    }
    assert_eq!(received(), [7000, 8000, 46_000, 0]);
    coll::Component::freed(recorder, comm);
    recorder.close();
    recorder.close();
    coll::Component::freed(recorder, comm);
    assert_eq!(received(), [7000, 8000, 51_000, 1000]);

    add(c"functionless", &[without_functions(c"pml", c"functionless")]).unwrap();
    let functionless = named("functionless");
    assert!(functionless.open(World::new(9, 1)));
    pml::Component::sent(functionless, &pml::Send::new(comm, 1, 1, 7, 0, mode));
    functionless.close();
}

#[test]
fn traffic_is_free_without_open_listeners() {
    static SUBSCRIPTION: abi::Subscription = unused_subscription();
    let _guard = lock_counters();
    let at_first = Framework::ALL.map(listening);
    change_reasons(&SUBSCRIPTION, true);
    let counting =
        abi::Component { listening: &raw const SUBSCRIPTION, ..with_functions(c"osc", c"counting") };
    let incomplete = abi::Component { done: None, ..with_functions(c"coll", c"incomplete") };
    add(c"costs", &[with_functions(c"pml", c"always"), counting, incomplete]).unwrap();
    let more = || {
        let mut all = Framework::ALL.map(listening).into_iter().zip(at_first);
        [(); 3].map(|()| all.next().map_or(0, |(now, then)| now - then))
    };
    assert_eq!(more(), [0; 3], "they are not open");
    let subscriptions = ["always", "counting", "incomplete"].map(|name| named(name).subscription());
    for subscription in subscriptions {
        subscription.resume();
    }
    assert_eq!(more(), [1, 1, 0]);
    change_reasons(&SUBSCRIPTION, true);
    change_reasons(&SUBSCRIPTION, false);
    assert_eq!(more(), [1, 1, 0]);
    change_reasons(&SUBSCRIPTION, false);
    assert_eq!((more(), subscriptions[1].is_active()), ([1, 0, 0], false));

    // The last turn decides.
    let start = Barrier::new(2);
    let rounds = || {
        for _ in 0..500 {
            start.wait();
            (0..4).for_each(|turns| change_reasons(&SUBSCRIPTION, turns % 2 == 0));
            start.wait();
            assert_eq!((more(), subscriptions[1].is_active()), ([1, 0, 0], false));
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(rounds)));
    change_reasons(&SUBSCRIPTION, true);
    assert_eq!((more(), subscriptions[1].is_active()), ([1, 1, 0], true));
    for subscription in subscriptions {
        subscription.pause();
    }
    assert_eq!(more(), [0; 3]);
}

#[test]
fn what_is_inactive_sleeps() {
    static ACTIVATION: Activation = Activation::new();
    let _guard = lock_counters();
    let about = ComponentInfo {
        framework: "pml",
        name: "deactivated",
        description: "",
        origin: mpit::internal::desc::Origin::new(file!(), line!()),
        activation: Some(&ACTIVATION),
    };
    // SAFETY: its functions are statics, and it has no switch.
    let component = unsafe { ForeignComponent::new(with_functions(c"pml", c"deactivated"), about) }.unwrap();
    let (claim, refusals) = Claim::new(vec![component]);
    assert!(refusals.is_empty() && !claim.is_empty());
    assert!(!foreign::all().any(|component| component.name() == "deactivated"), "it is not published");
    ACTIVATION.begin();
    claim.publish();
    let mortal = named("deactivated");
    mortal.subscription().resume();
    foreign::changed();
    assert!(mortal.is_active() && mortal.subscription().is_active());
    ACTIVATION.end();
    foreign::changed();
    assert!(!mortal.is_active() && !mortal.subscription().is_active());
}
