//! Sessions and handles: rules R138 to R157 of the interface. `session_end.rs` has the tests of R149.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::support::{Bench, image, leak, pvar};
use mpit::cell::{Aggregate, Counter, Level, PeerArray, Size};
use mpit::internal::desc::PvarFlags;
use mpit::internal::session::{HandleSelection, Limits, PvarHandle, SessionId};
use mpit::object::{Bind, Object};
use mpit::tool::{Class, Registry};
use mpit::{Error, Result};

/// Two sessions with a handle each of every kind of variable.
struct Two {
    bench: Bench,
    counter: &'static Counter<u64>,
    level: &'static Level<u64>,
    size: &'static Size<u64>,
    a: (SessionId, [PvarHandle; 3]),
    b: (SessionId, [PvarHandle; 3]),
}

impl Two {
    fn new() -> Self {
        let (counter, level, size) = (leak(Counter::new()), leak(Level::new()), leak(Size::new()));
        let bench = Bench::of_pvars([
            pvar("sum", Class::Counter, counter).with_flags(PvarFlags::ATOMIC),
            pvar("mark", Class::HighWatermark, level),
            pvar("size", Class::Size, size).writable(),
        ]);
        let open = || {
            let session = bench.session();
            let sum = bench.handle(session, "sum", Class::Counter);
            let mark = bench.handle(session, "mark", Class::HighWatermark);
            (session, [sum, mark, bench.handle(session, "size", Class::Size)])
        };
        Self { bench, counter, level, size, a: open(), b: open() }
    }

    /// Both sessions have started their handles, and then something happened.
    fn running() -> Self {
        let two = Self::new();
        two.each(two.a, Bench::start);
        two.each(two.b, Bench::start);
        two.happen();
        two
    }

    fn happen(&self) {
        self.counter.add(10);
        self.level.set(self.level.get() + 10);
        self.size.set(self.size.get() + 10);
    }

    fn each(
        &self,
        (session, handles): (SessionId, [PvarHandle; 3]),
        act: impl Fn(Bench, SessionId, PvarHandle) -> Result<()>,
    ) {
        for handle in handles {
            act(self.bench, session, handle).unwrap();
        }
    }

    fn read(&self, (session, handles): (SessionId, [PvarHandle; 3])) -> [u64; 3] {
        handles.map(|handle| self.bench.read(session, handle).unwrap())
    }
}

/// Proves R138.
#[test]
fn sessions_are_not_null_and_distinct() {
    let bench = Bench::of_pvars([]);
    let sessions: HashSet<_> = (0..100).map(|_| bench.session()).collect();
    assert_eq!(sessions.len(), 100);
    assert!(!sessions.contains(&SessionId(0)));
}

/// Proves R140.
#[test]
fn freed_session_is_refused() {
    let two = Two::new();
    let (freed, [handle, ..]) = two.a;
    two.bench.interface.session_free(freed).unwrap();
    let interface = two.bench.interface;
    for session in [freed, SessionId(0), SessionId(u64::MAX), SessionId(handle.0)] {
        let expected = Err(Error::InvalidSession);
        assert_eq!(interface.session_free(session), expected);
        assert_eq!(interface.check_session(session), expected);
        assert_eq!(interface.handle_alloc(session, 0, None).map(drop), expected);
        assert_eq!(interface.handle_free(session, handle), expected);
        for which in [HandleSelection::One(handle), HandleSelection::All] {
            assert_eq!(interface.start(session, which), expected);
            assert_eq!(interface.stop(session, which), expected);
            assert_eq!(interface.reset(session, which), expected);
        }
        assert_eq!(two.bench.read::<u64>(session, handle).map(drop), expected);
        assert_eq!(two.bench.read_and_reset::<u64>(session, handle).map(drop), expected);
        assert_eq!(two.bench.write(session, handle, 1_u64), expected);
    }
}

/// Proves R141.
#[test]
fn start_leaves_other_sessions_stopped() {
    let two = Two::new();
    two.each(two.b, Bench::start);
    two.each(two.b, Bench::stop);
    let before = two.read(two.b);
    two.each(two.a, Bench::start);
    two.happen();
    assert_eq!(two.read(two.a), [10, 10, 10]);
    assert_eq!(two.read(two.b), before);
}

/// Proves R142.
#[test]
fn stop_leaves_other_sessions_running() {
    let two = Two::running();
    two.each(two.a, Bench::stop);
    two.happen();
    assert_eq!(two.read(two.a), [10; 3]);
    assert_eq!(two.read(two.b), [20; 3]);
    two.bench.interface.stop(two.a.0, HandleSelection::All).unwrap();
    two.happen();
    assert_eq!(two.read(two.b), [30; 3]);
}

/// Proves R143.
#[test]
fn reset_leaves_values_of_other_sessions() {
    let two = Two::running();
    two.level.set(3);
    two.each(two.a, Bench::reset);
    assert_eq!(two.read(two.a), [0, 3, 10]);
    assert_eq!(two.read(two.b), [10, 10, 10]);
    two.bench.interface.reset(two.a.0, HandleSelection::All).unwrap();
    assert_eq!(two.read(two.b), [10, 10, 10]);
}

/// Proves R144.
#[test]
fn write_leaves_values_of_other_sessions() {
    let two = Two::running();
    for handle in [two.a.1[0], two.a.1[2]] {
        two.bench.write(two.a.0, handle, 77_u64).unwrap();
    }
    assert_eq!(two.read(two.a), [77, 10, 77]);
    assert_eq!(two.read(two.b), [10; 3]);
    two.happen();
    assert_eq!(two.read(two.a), [87, 20, 20]);
    assert_eq!(two.read(two.b), [20; 3]);
    assert_eq!(two.counter.total(), 20, "the cell itself is never written");
}

/// Proves R145.
#[test]
fn readreset_leaves_other_sessions_values() {
    let two = Two::running();
    assert_eq!(two.bench.read_and_reset(two.a.0, two.a.1[0]), Ok(10_u64));
    assert_eq!(two.read(two.a)[0], 0);
    assert_eq!(two.read(two.b)[0], 10);
}

/// Proves R146.
#[test]
fn handle_is_refused_in_another_session() {
    let two = Two::new();
    let (session, handle) = (two.b.0, two.a.1[0]);
    two.each(two.a, Bench::start);
    two.happen();
    let interface = two.bench.interface;
    let expected = Err(Error::InvalidHandle);
    assert_eq!(interface.handle_free(session, handle), expected);
    assert_eq!(two.bench.start(session, handle), expected);
    assert_eq!(two.bench.stop(session, handle), expected);
    assert_eq!(two.bench.reset(session, handle), expected);
    assert_eq!(two.bench.write(session, handle, 1_u64), expected);
    assert_eq!(two.bench.read::<u64>(session, handle).map(drop), expected);
    assert_eq!(two.bench.read_and_reset::<u64>(session, handle).map(drop), expected);
    two.happen();
    assert_eq!(two.read(two.a)[0], 20, "and nothing has happened to it");
}

/// Proves R148.
#[test]
fn null_handle_cannot_be_freed() {
    let two = Two::new();
    let freed = two.a.1[0];
    assert_eq!(two.bench.interface.handle_free(two.a.0, freed), Ok(()));
    for handle in [PvarHandle(0), PvarHandle(1), PvarHandle(u64::MAX), freed, PvarHandle(two.a.0.0)] {
        assert_eq!(two.bench.interface.handle_free(two.a.0, handle), Err(Error::InvalidHandle));
    }
    assert!(!PvarHandle(0).is_plausible() && freed.is_plausible());
}

/// Proves R150.
#[test]
fn unbound_variable_ignores_the_object() {
    let two = Two::new();
    for object in [None, Some(Object::new(Bind::Win, 3)), Some(Object::world(1, 4))] {
        let made = two.bench.interface.handle_alloc(two.a.0, 0, object.as_ref());
        assert_eq!(made.map(|(_, count)| count), Ok(1));
    }
}

/// Proves R151.
#[test]
fn bound_variable_needs_a_matching_object() {
    let bench = Bench::of_pvars([pvar("peers", Class::Counter, leak(PeerArray::<u64>::new()))]);
    let session = bench.session();
    for object in [None, Some(Object::NONE), Some(Object::new(Bind::Win, 3))] {
        let made = bench.interface.handle_alloc(session, 0, object.as_ref());
        assert_eq!(made, Err(Error::InvalidHandle));
    }
    assert_eq!(bench.interface.handle_alloc(session, 1, None), Err(Error::InvalidIndex));
}

/// Proves R152.
#[test]
fn count_depends_on_the_object() {
    let peers = leak(PeerArray::<u64>::new());
    let bench = Bench::of_pvars([pvar("peers", Class::Counter, peers)]);
    let session = bench.session();
    let mut ranks: Vec<_> = [5, 2, 7].map(AtomicU32::new).into();
    let (world, of_world) = bench.bound(session, "peers", Class::Counter, &Object::world(0, 8));
    let (own, of_own) = bench.bound(session, "peers", Class::Counter, &Object::comm(1, &ranks[1..2]));
    let (some, of_some) = bench.bound(session, "peers", Class::Counter, &Object::comm(2, &ranks));
    assert_eq!([of_world, of_own, of_some], [8, 1, 3]);
    // The handle keeps the ranks that it was made with.
    for rank in &ranks {
        rank.store(0, Relaxed);
    }
    ranks.clear();
    bench.interface.start(session, HandleSelection::All).unwrap();
    for rank in 0..8 {
        peers.add(rank, u64::from(rank) * 100 + 1);
    }
    assert_eq!(bench.read_all::<u64>(session, world, 8).unwrap(), [1_u64, 101, 201, 301, 401, 501, 601, 701]);
    assert_eq!(bench.read_all::<u64>(session, own, 1).unwrap(), [201_u64]);
    assert_eq!(bench.read_all::<u64>(session, some, 3).unwrap(), [501_u64, 201, 701]);
}

/// Proves R153.
#[test]
fn handles_of_a_session_are_independent() {
    let sum = leak(Aggregate::<f64>::new());
    let bench = Bench::of_pvars([pvar("sum", Class::Aggregate, sum)]);
    let session = bench.session();
    let [first, second] = [(); 2].map(|()| bench.handle(session, "sum", Class::Aggregate));
    assert_ne!(first, second);
    bench.start(session, first).unwrap();
    sum.add(1.0);
    bench.start(session, second).unwrap();
    sum.add(2.0);
    assert_eq!((bench.read(session, first), bench.read(session, second)), (Ok(3.0), Ok(2.0)));
    bench.reset(session, first).unwrap();
    bench.write(session, second, 10.0).unwrap();
    sum.add(4.0);
    bench.stop(session, first).unwrap();
    sum.add(8.0);
    assert_eq!((bench.read(session, first), bench.read(session, second)), (Ok(4.0), Ok(22.0)));
}

/// Proves R156.
#[test]
fn read_writes_only_its_elements() {
    const CANARY: u64 = 0xdead_beef_dead_beef;
    let (narrow, peers) = (leak(Counter::<u32>::new()), leak(PeerArray::<u32>::new()));
    let bench =
        Bench::of_pvars([pvar("narrow", Class::Counter, narrow), pvar("peers", Class::Counter, peers)]);
    let session = bench.session();
    let (narrow, _) = bench.bound(session, "narrow", Class::Counter, &Object::NONE);
    let (peers, count) = bench.bound(session, "peers", Class::Counter, &Object::world(0, 4));
    for (handle, words) in [(narrow, 1), (peers, count)] {
        let bytes = words * 4;
        let mut out = [CANARY; 4];
        // SAFETY: there is more room than `words` elements of 4 bytes.
        unsafe { bench.interface.read(session, handle, out.as_mut_ptr().cast()) }.unwrap();
        let written: Vec<u8> = out.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let untouched: Vec<u8> = [CANARY; 4].iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert!(written[..bytes].iter().all(|byte| *byte == 0));
        assert_eq!(written[bytes..], untouched[bytes..]);
    }
}

/// Proves R157.
#[test]
fn full_tables_leave_existing_handles_alone() {
    let counter = leak(Counter::<u64>::new());
    let registry = Registry::new();
    registry.add(&image([pvar("sum", Class::Counter, counter)], []), &[]);
    let bench = Bench::over(registry, Limits { sessions: 2, handles: 3 });
    let (one, two) = (bench.session(), bench.session());
    assert_eq!(bench.interface.session_create(), Err(Error::OutOfSessions));
    let handles =
        [one, one, two].map(|session| (session, bench.interface.handle_alloc(session, 0, None).unwrap().0));
    assert_eq!(bench.interface.handle_alloc(two, 0, None), Err(Error::OutOfHandles));
    bench.interface.start(one, HandleSelection::All).unwrap();
    counter.add(5);
    assert_eq!(
        handles.map(|(session, handle)| bench.read(session, handle)),
        [Ok(5_u64), Ok(5), Ok(0)],
        "the earlier ones are fine"
    );
    bench.interface.handle_free(one, handles[0].1).unwrap();
    assert!(bench.interface.handle_alloc(two, 0, None).is_ok(), "room again");
    bench.interface.session_free(two).unwrap();
    assert!(bench.interface.session_create().is_ok());
}
