//! Isolation of sessions, for each variable: starts, stops and resets in one session change no value in another. A handle
//! omits the traffic while it is stopped, also when another session records it.

use mpit::Error;
use mpit::object::Object;
use mpit::tool::{Class, Handle, Session, Tool};
use mpit_components::calls;
use mpit_components::coll::{Kind, Root, Volume};
use mpit_components::comms::CommId;
use mpit_components::control::pcontrol;
use mpit_components::host::{self, World};
use mpit_components::record::{BINS, bin};
use mpit_components::{osc, windows};

use super::support::{access, create_world, operate, send};
use super::{AREAS, assert_quiet, in_own_process};

const ME: World = World::new(0, 4);
/// The receiver of all traffic.
const PEER: usize = 3;

/// Reports the same traffic of all kinds.
fn act(comm: CommId) {
    let to = PEER as u32;
    send(comm, to, 100, 1);
    access(windows::created(ME.size), to, osc::Kind::FetchAndOp, 8, 16);
    for (kind, root, bytes) in
        [(Kind::Bcast, Root::Here, 5), (Kind::Reduce, Root::Here, 6), (Kind::Allreduce, Root::None, 7)]
    {
        operate(ME, comm, kind, root, Volume::Each(bytes));
    }
    for area in AREAS {
        if calls::active(area) {
            calls::begin(area).end();
        }
    }
}

/// A variable: its name and class, true if it is bound to a communicator, the element to read, and the sum that one
/// [`act`] adds to it.
pub(super) type Variable = (&'static str, Class, bool, usize, u64);

pub(super) const VARIABLES: [Variable; 28] = [
    ("pml_monitoring_messages_count", Class::Size, true, PEER, 1),
    ("pml_monitoring_messages_size", Class::Size, true, PEER, 100),
    ("pml_monitoring_messages_histogram", Class::Size, true, PEER * BINS + bin(100), 1),
    ("pml_monitoring_messages_total", Class::Counter, false, 0, 1),
    ("pml_monitoring_bytes_total", Class::Aggregate, false, 0, 100),
    ("osc_monitoring_messages_sent_count", Class::Size, true, PEER, 1),
    ("osc_monitoring_messages_sent_size", Class::Size, true, PEER, 8),
    ("osc_monitoring_messages_recv_count", Class::Size, true, PEER, 1),
    ("osc_monitoring_messages_recv_size", Class::Size, true, PEER, 16),
    ("osc_monitoring_messages_sent_total", Class::Counter, false, 0, 1),
    ("osc_monitoring_bytes_sent_total", Class::Aggregate, false, 0, 8),
    ("osc_monitoring_messages_recv_total", Class::Counter, false, 0, 1),
    ("osc_monitoring_bytes_recv_total", Class::Aggregate, false, 0, 16),
    ("coll_monitoring_messages_count", Class::Size, true, PEER, 3),
    ("coll_monitoring_messages_size", Class::Size, true, PEER, 18),
    ("coll_monitoring_o2a_count", Class::Counter, true, 0, 1),
    ("coll_monitoring_o2a_size", Class::Aggregate, true, 0, 15),
    ("coll_monitoring_a2o_count", Class::Counter, true, 0, 1),
    ("coll_monitoring_a2o_size", Class::Aggregate, true, 0, 18),
    ("coll_monitoring_a2a_count", Class::Counter, true, 0, 1),
    ("coll_monitoring_a2a_size", Class::Aggregate, true, 0, 21),
    ("coll_monitoring_messages_total", Class::Counter, false, 0, 9),
    ("coll_monitoring_bytes_total", Class::Aggregate, false, 0, 54),
    ("calls_p2p_count", Class::Counter, false, 0, 1),
    ("calls_osc_count", Class::Counter, false, 0, 1),
    ("calls_coll_count", Class::Counter, false, 0, 1),
    ("calls_wait_count", Class::Counter, false, 0, 1),
    ("calls_io_count", Class::Counter, false, 0, 1),
];

fn handle<'s>(session: &'s Session<'_>, variable: &Variable, comm: CommId) -> Handle<'s> {
    let (name, class, bound, ..) = *variable;
    let object = Object::world(comm.get(), ME.size);
    session.handle(name, class, if bound { Some(&object) } else { None }).unwrap()
}

fn acts(handle: &Handle<'_>, variable: &Variable) -> u64 {
    let (name, .., element, each) = *variable;
    let value = handle.read::<u64>().unwrap()[element];
    assert_eq!(value % each, 0, "{name}: {value}");
    value / each
}

#[test]
fn sessions_isolate_and_a_pause_is_for_all() {
    in_own_process(|| {
        host::initialized(ME);
        let comm = create_world(ME.size);
        let tool = Tool::new();
        for variable in &VARIABLES {
            let name = variable.0;
            assert_quiet(name);
            let (one, two) = (tool.session().unwrap(), tool.session().unwrap());
            let (first, second) = (handle(&one, variable, comm), handle(&two, variable, comm));
            let shown = || (acts(&first, variable), acts(&second, variable));
            act(comm);
            first.start().unwrap();
            act(comm);
            second.start().unwrap();
            assert_eq!(shown(), (1, 0), "{name}");
            act(comm);
            first.stop().unwrap();
            act(comm);
            assert_eq!(shown(), (2, 2), "{name}");
            second.stop().unwrap();
            assert_quiet(name);
            act(comm);
            assert_eq!(shown(), (2, 2), "{name}");
            first.start().unwrap();
            act(comm);
            second.start().unwrap();
            act(comm);
            assert_eq!(shown(), (4, 3), "{name}");

            // Recording stops for all handles. A handle that is started meanwhile counts after it resumes.
            pcontrol(0);
            assert_quiet(name);
            act(comm);
            first.stop().unwrap();
            first.start().unwrap();
            assert_quiet(name);
            act(comm);
            assert_eq!(shown(), (4, 3), "{name}");
            pcontrol(7);
            assert_quiet(name);
            pcontrol(1);
            act(comm);
            assert_eq!(shown(), (5, 4), "{name}");

            let reset = first.reset();
            assert!(matches!(reset, Ok(()) | Err(Error::PvarNoWrite)), "{name}: {reset:?}");
            let kept = if reset.is_ok() { 0 } else { 5 };
            assert_eq!(shown(), (kept, 4), "{name}");
            act(comm);
            assert_eq!(shown(), (kept + 1, 5), "{name}");
            drop(first);
            act(comm);
            assert_eq!(acts(&second, variable), 6, "{name}");
            drop(second);
            assert_quiet(name);
        }
    });
}
