//! Sessions do not reach each other: what one starts, stops or resets changes nothing that another reads, whatever the
//! variable. What happens while a handle is stopped is not in it, whatever other sessions record meanwhile.

use mpit::Error;
use mpit::object::Object;
use mpit::tool::{Class, Handle, Session, Tool};
use mpit_components::calls::{self, Area};
use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::comms::{self, CommId, Description, Ranks};
use mpit_components::control::pcontrol;
use mpit_components::host::{self, World};
use mpit_components::osc::{self, Access};
use mpit_components::pml::{self, Mode, Send};
use mpit_components::record::{BINS, bin};
use mpit_components::windows;

use super::in_own_process;

const SIZE: u32 = 4;
/// To whom all goes.
const PEER: usize = 3;

/// Something of everything, always the same.
fn act(comm: CommId) {
    let to = PEER as u32;
    pml::sent(&Send::new(comm, to, to, 100, 1, Mode::Standard));
    let window = windows::created(SIZE);
    let kind = osc::Kind::FetchAndOp;
    osc::accessed(&Access::new(window, to, to, kind, 8, 16));
    for (kind, root, bytes) in
        [(Kind::Bcast, Root::Here, 5), (Kind::Reduce, Root::Here, 6), (Kind::Allreduce, Root::None, 7)]
    {
        let volume = Volume::Each(bytes);
        coll::end(&Operation::new(comm, kind, 0, SIZE, root, volume, false));
    }
    for area in [Area::PointToPoint, Area::OneSided, Area::Collective, Area::Waiting, Area::Files] {
        if calls::active(area) {
            calls::begin(area).end();
        }
    }
}

/// A variable: whether it is bound to a communicator, which element is looked at, and what one [`act`] adds to it.
type Variable = (&'static str, Class, bool, usize, u64);

const VARIABLES: [Variable; 28] = [
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
    let object = Object::world(comm.get(), SIZE);
    session.handle(name, class, if bound { Some(&object) } else { None }).unwrap()
}

fn acts(handle: &Handle<'_>, variable: &Variable) -> u64 {
    let (name, .., element, each) = *variable;
    let value = handle.read::<u64>().unwrap()[element];
    assert_eq!(value % each, 0, "{name}: {value}");
    value / each
}

fn assert_quiet(name: &str) {
    let areas = [Area::PointToPoint, Area::OneSided, Area::Collective, Area::Waiting, Area::Files];
    let calls = areas.iter().any(|area| calls::active(*area));
    assert!(!pml::active() && !osc::active() && !coll::active() && !calls, "{name}: there is a listener");
}

#[test]
fn sessions_isolate_and_a_pause_is_for_all() {
    in_own_process(|| {
        host::initialized(World::new(0, SIZE));
        let comm = comms::created(Description::new(Ranks::World(SIZE), "world"));
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

            // Recording stops for all, and what is started meanwhile waits for it to go on.
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
