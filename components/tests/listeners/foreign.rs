//! Components of other images beside monitoring: they count the same, and nothing while they are inactive.

#![allow(unsafe_code, reason = "they are functions of C")]

use std::ffi::{c_int, c_void};
use std::ptr::from_ref;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::thread;

use mpit::internal::plugin::{Activation, abi, component as foreign};
use mpit::tool::{Class, Handle, Session, Tool};
use mpit_components::coll::{Kind, Root, Volume};
use mpit_components::comms::CommId;
use mpit_components::host::{self, World};
use mpit_components::{osc, windows};

use super::support::{access, create_world, operate, send};
use super::{in_own_process, publish};

const ME: World = World::new(0, 3);

/// The record of a component: calls, bytes sent, bytes received.
#[derive(Default)]
struct Sums([AtomicU64; 3]);

impl Sums {
    const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; 3])
    }

    fn add(&self, amounts: [u64; 3]) {
        self.0.iter().zip(amounts).for_each(|(sum, amount)| _ = sum.fetch_add(amount, SeqCst));
    }

    fn get(&self) -> [u64; 3] {
        [0, 1, 2].map(|at: usize| self.0[at].load(SeqCst))
    }
}

/// Returns the sums of a component.
///
/// # Safety
/// `user_data` is that of a [`component`].
unsafe fn sums(user_data: *mut c_void) -> &'static Sums {
    // SAFETY: the callers pass the `user_data` of `component`: a `&'static Sums`.
    unsafe { &*user_data.cast() }
}

unsafe extern "C" fn open(_: *mut c_void, _rank: u32, _size: u32) -> c_int {
    0
}

unsafe extern "C" fn sent(user_data: *mut c_void, message: *const abi::Message) {
    // SAFETY: the framework passes a message that is valid during the call (mpit_plugin.h).
    let message = unsafe { &*message };
    if message.tag >= 0 {
        // SAFETY: the framework passes the `user_data` of `component`.
        unsafe { sums(user_data) }.add([1, message.bytes, 0]);
    }
}

unsafe extern "C" fn accessed(user_data: *mut c_void, access: *const abi::Access) {
    // SAFETY: the framework passes an access that is valid during the call (mpit_plugin.h).
    let access = unsafe { &*access };
    // SAFETY: the framework passes the `user_data` of `component`.
    unsafe { sums(user_data) }.add([1, access.sent, access.received]);
}

/// Counts a message for each other process of an operation with data for all.
unsafe extern "C" fn done(user_data: *mut c_void, operation: *const abi::Operation) {
    // SAFETY: the framework passes an operation that is valid during the call (mpit_plugin.h).
    let operation = unsafe { &*operation };
    let others = (0..operation.size).filter(|rank| *rank != operation.rank);
    let bytes = others.map(|rank| match operation.with {
        // SAFETY: `with` takes the operation's `volumes` and a rank of its communicator (mpit_plugin.h).
        Some(with) => unsafe { with(operation.volumes, rank) },
        None => operation.bytes,
    });
    // SAFETY: the framework passes the `user_data` of `component`.
    unsafe { sums(user_data) }.add([u64::from(operation.size) - 1, bytes.sum(), 0]);
}

fn component(sums: &'static Sums) -> abi::Component {
    abi::Component {
        user_data: from_ref(sums).cast_mut().cast(),
        open: Some(open),
        sent: Some(sent),
        accessed: Some(accessed),
        done: Some(done),
        ..abi::Component::EMPTY
    }
}

static RECEIVED: [Sums; 3] = [const { Sums::new() }; 3];

fn add_all() {
    // Reasons that were there before.
    static SUBSCRIPTION: abi::Subscription = abi::Subscription {
        reasons: AtomicU32::new(1),
        host: AtomicPtr::new(std::ptr::null_mut()),
        turn: AtomicPtr::new(std::ptr::null_mut()),
    };
    static ACTIVATION: Activation = Activation::new();
    let [pml, osc, coll] = &RECEIVED;
    let subscribed = abi::Component { listening: &raw const SUBSCRIPTION, ..component(osc) };
    let components = [("pml", component(pml)), ("osc", subscribed), ("coll", component(coll))];
    for (framework, functions) in components {
        // SAFETY: its functions, its sums and its subscription are statics.
        unsafe { publish(functions, framework, "acme", &ACTIVATION) };
    }
}

fn handle<'s>(session: &'s Session<'_>, name: &str, class: Class) -> Handle<'s> {
    let handle = session.handle(name, class, None).unwrap();
    handle.start().unwrap();
    handle
}

/// Reports messages, accesses and operations.
fn report(comm: CommId) {
    for lap in 0..10 {
        for tag in [7, -7] {
            send(comm, 1, 8 * lap, tag);
        }
    }
    let window = windows::created(3);
    for (rank, kind, sent, received) in
        [(1, osc::Kind::Put, 8, 0), (0, osc::Kind::Accumulate, 8, 0), (1, osc::Kind::Get, 0, 16)]
    {
        access(window, rank, kind, sent, received);
    }
    windows::freed(window);
    for (kind, volume) in [
        (Kind::Allreduce, Volume::Each(24)),
        (Kind::Allgather, Volume::Each(20)),
        (Kind::Alltoallv, Volume::By(&|rank| 16 * u64::from(rank))),
        (Kind::Barrier, Volume::Each(0)),
    ] {
        operate(ME, comm, kind, Root::None, volume);
    }
}

#[test]
fn foreign_counts_equal_monitoring() {
    in_own_process(|| {
        add_all();
        host::initialized(ME);
        let comm = create_world(3);
        let tool = Tool::new();
        let session = tool.session().unwrap();
        let variables = [
            ("pml_monitoring_messages_total", Class::Counter),
            ("pml_monitoring_bytes_total", Class::Aggregate),
            ("osc_monitoring_messages_sent_total", Class::Counter),
            ("osc_monitoring_bytes_sent_total", Class::Aggregate),
            ("osc_monitoring_bytes_recv_total", Class::Aggregate),
            ("coll_monitoring_messages_total", Class::Counter),
            ("coll_monitoring_bytes_total", Class::Aggregate),
        ];
        let handles = variables.map(|(name, class)| handle(&session, name, class));
        let before = RECEIVED.each_ref().map(Sums::get);
        report(comm);
        let after = RECEIVED.each_ref().map(Sums::get);
        let [pml, osc, coll] =
            [0, 1, 2].map(|at: usize| [0, 1, 2].map(|part| after[at][part] - before[at][part]));
        let expected: Vec<_> = handles.iter().map(|handle| handle.read::<u64>().unwrap()[0]).collect();
        assert_eq!(expected, [pml[0], pml[1], osc[0], osc[1], osc[2], coll[0], coll[1]]);
        assert!(expected.iter().all(|sum| *sum > 0), "{expected:?}");
    });
}

/// A thread may still complete the delivery that it had begun; later messages are not delivered.
#[test]
fn inactive_components_receive_nothing() {
    in_own_process(|| {
        static SUMS: Sums = Sums::new();
        static TURNS: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
        static STOP: AtomicBool = AtomicBool::new(false);
        // Without the components of other tests.
        Tool::new().cvar("pml_components").unwrap().write_text("^test,linked").unwrap();
        host::initialized(World::new(0, 1));
        let comm = create_world(1);
        let turns = || TURNS.each_ref().map(|turns| turns.load(SeqCst));
        let wait_for_two_messages_each = || {
            let seen = turns();
            while turns().iter().zip(seen).any(|(now, then)| *now < then + 2) {
                thread::yield_now();
            }
        };
        thread::scope(|scope| {
            for turns in &TURNS {
                scope.spawn(move || {
                    while !STOP.load(SeqCst) {
                        send(comm, 0, 8, 0);
                        turns.fetch_add(1, SeqCst);
                    }
                });
            }
            for number in 0..30 {
                let activation: &Activation = Box::leak(Box::new(Activation::new()));
                let name = Box::leak(format!("temporary_{number}").into_boxed_str());
                // SAFETY: its functions and its sums are statics, and it has no subscription.
                unsafe { publish(component(&SUMS), "pml", name, activation) };
                let before = SUMS.get();
                wait_for_two_messages_each();
                assert!(SUMS.get()[0] >= before[0] + 2, "it receives from both threads");
                assert!(activation.end());
                foreign::changed();
                wait_for_two_messages_each();
                let silent = SUMS.get();
                wait_for_two_messages_each();
                assert_eq!(SUMS.get(), silent);
            }
            STOP.store(true, SeqCst);
        });
    });
}
