//! Counts and times of calls.

use std::thread::sleep;
use std::time::{Duration, Instant};

use mpit::internal::desc::PvarFlags;
use mpit::object::Bind;
use mpit::tool::{Class, Datatype, Handle, Session};
use mpit_components::calls::{self, Area};

use super::alone;

const AREAS: [(Area, &str); 5] = [
    (Area::PointToPoint, "p2p"),
    (Area::OneSided, "osc"),
    (Area::Collective, "coll"),
    (Area::Waiting, "wait"),
    (Area::Files, "io"),
];
const NAP: Duration = Duration::from_millis(3);

fn call(area: Area) {
    let stopwatch = calls::begin(area);
    sleep(NAP);
    stopwatch.end();
}

/// Returns handles of the count and the time of an area.
fn handles<'s>(session: &'s Session<'_>, area: &str) -> (Handle<'s>, Handle<'s>) {
    let handle = |what, class| session.handle(&format!("calls_{area}_{what}"), class, None).unwrap();
    (handle("count", Class::Counter), handle("seconds", Class::Timer))
}

#[test]
fn each_area_has_its_own_count_and_time() {
    let (_alone, tool) = alone();
    for (area, name) in AREAS {
        let session = tool.session().unwrap();
        let (count, seconds) = handles(&session, name);
        for (handle, datatype) in [(&count, Datatype::UnsignedLongLong), (&seconds, Datatype::Double)] {
            let desc = handle.desc();
            let flags = PvarFlags::NONE;
            assert_eq!((desc.datatype(), desc.bind(), desc.flags()), (datatype, Bind::NoObject, flags));
        }
        let shown = || (count.read::<u64>().unwrap()[0], seconds.read::<f64>().unwrap()[0]);
        call(area);
        let start = Instant::now();
        session.start_all().unwrap();
        assert!(AREAS.iter().all(|(other, _)| calls::active(*other) == (*other == area)));
        for (area, _) in AREAS {
            call(area);
        }
        call(area);
        let (calls, time) = shown();
        assert_eq!(calls, 2, "{name}");
        let most = start.elapsed().as_secs_f64() * 1.01;
        assert!((2.0 * NAP.as_secs_f64() * 0.99..most).contains(&time), "{name}: {time} of {most} seconds");
        // The counter counts without the timer.
        seconds.stop().unwrap();
        call(area);
        count.stop().unwrap();
        assert!(!calls::active(area));
        call(area);
        let after = shown();
        assert_eq!(after.0, 3, "{name}");
        assert!((after.1 - time).abs() < 1e-12, "{name}: {} after {time}", after.1);
    }
}

/// A call that began without a timer handle has no time; handles that are started when it ends count it.
#[test]
fn a_call_begun_before_is_not_timed() {
    let (_alone, tool) = alone();
    let session = tool.session().unwrap();
    let (count, seconds) = handles(&session, "wait");
    let stopwatch = calls::begin(Area::Waiting);
    session.start_all().unwrap();
    sleep(NAP);
    stopwatch.end();
    assert_eq!(count.read::<u64>().unwrap(), [1]);
    assert_eq!(seconds.read::<f64>().unwrap(), [0.0]);
    let stopwatch = calls::begin(Area::Waiting);
    session.stop_all().unwrap();
    stopwatch.end();
    assert_eq!(count.read::<u64>().unwrap(), [1]);
}

#[test]
fn session_times_are_isolated() {
    let (_alone, tool) = alone();
    let (one, two) = (tool.session().unwrap(), tool.session().unwrap());
    let [first, second] =
        [&one, &two].map(|session| session.handle("calls_p2p_seconds", Class::Timer, None).unwrap());
    let shown = || [&first, &second].map(|handle| handle.read::<f64>().unwrap()[0]);
    let nap = NAP.as_secs_f64() * 0.99;
    first.start().unwrap();
    call(Area::PointToPoint);
    second.start().unwrap();
    let [early, late] = shown();
    assert!(early >= nap && late == 0.0, "{early} and {late} seconds");
    first.stop().unwrap();
    call(Area::PointToPoint);
    let [stopped, late] = shown();
    assert!((stopped - early).abs() < 1e-12 && late >= nap, "{early}, {stopped} and {late} seconds");
    first.reset().unwrap();
    assert!(shown()[0] == 0.0 && shown()[1] >= late);
}

#[test]
fn times_of_threads_add_up() {
    const THREADS: u32 = 4;
    let (_alone, tool) = alone();
    let session = tool.session().unwrap();
    let (count, seconds) = handles(&session, "coll");
    session.start_all().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..5).for_each(|_| call(Area::Collective)));
        }
    });
    assert_eq!(count.read::<u64>().unwrap(), [u64::from(5 * THREADS)]);
    let time = seconds.read::<f64>().unwrap()[0];
    assert!(time >= (5 * THREADS * NAP).as_secs_f64() * 0.99, "{time} seconds");
}
