//! Handles that run and handles that are stopped.

use mpit::cell::{Aggregate, Level, Size, State};
use mpit::internal::desc::PvarFlags;
use mpit::internal::session::HandleSelection;
use mpit::tool::Class;
use mpit::{Error, MpitEnum};

use super::counter::One;
use crate::support::{Bench, Phase, leak, pvar};

/// Proves R158.
#[test]
fn new_handle_is_stopped() {
    let one = One::new();
    one.watch_in_other_session();
    one.cell.add(5);
    assert_eq!(one.read(), Ok(0));
    one.start().unwrap();
    assert_eq!(one.read(), Ok(0));
    one.cell.add(2);
    assert_eq!(one.read(), Ok(2));
}

/// Proves R159, R160.
#[test]
fn continuous_handle_refuses_start_and_stop() {
    let one = One::flagged(PvarFlags::CONTINUOUS);
    one.cell.add(5);
    assert_eq!(one.read(), Ok(5), "it runs from the start");
    assert_eq!(one.start(), Err(Error::PvarNoStartStop));
    assert_eq!(one.stop(), Err(Error::PvarNoStartStop));
    one.cell.add(5);
    assert_eq!(one.read(), Ok(10));
}

/// Proves R161.
#[test]
fn second_start_has_no_effect() {
    let one = One::new();
    one.start().unwrap();
    one.cell.add(5);
    assert_eq!(one.start(), Ok(()));
    assert_eq!(one.read(), Ok(5));
    one.stop().unwrap();
    assert!(!one.cell.watched(), "one stop is enough");
}

/// Proves R162.
#[test]
fn second_stop_has_no_effect() {
    let one = One::new();
    assert_eq!(one.stop(), Ok(()));
    one.start().unwrap();
    one.cell.add(5);
    one.stop().unwrap();
    assert_eq!(one.stop(), Ok(()));
    assert_eq!(one.read(), Ok(5));
    one.start().unwrap();
    assert!(one.cell.watched(), "one start is enough");
}

/// Proves R168.
#[test]
fn stopped_value_is_frozen() {
    let (sum, level) = (leak(Aggregate::<f64>::new()), leak(Level::<u64>::new()));
    let (size, state) = (leak(Size::<u32>::new()), leak(State::<Phase>::new()));
    let (bench, session, [sum_handle, levels @ .., size_handle, state_handle]) = Bench::open([
        pvar("sum", Class::Aggregate, sum),
        pvar("level", Class::Level, level),
        pvar("level", Class::HighWatermark, level),
        pvar("level", Class::LowWatermark, level),
        pvar("size", Class::Size, size),
        pvar("state", Class::State, state),
    ]);
    let read = || {
        let levels = levels.map(|handle| bench.read::<u64>(session, handle));
        let size = bench.read::<u32>(session, size_handle);
        (bench.read::<f64>(session, sum_handle), levels, size, bench.read::<i32>(session, state_handle))
    };
    let happen = |n: u32| {
        sum.add(f64::from(n));
        level.set(u64::from(n));
        size.set(n);
        state.set(Phase::ALL[n as usize % 3]);
    };
    let other = bench.session();
    bench.start(other, bench.handle(other, "sum", Class::Aggregate)).unwrap();
    bench.interface.start(session, HandleSelection::All).unwrap();
    happen(4);
    happen(2);
    bench.interface.stop(session, HandleSelection::All).unwrap();
    let frozen = read();
    assert_eq!(frozen, (Ok(6.0), [Ok(2), Ok(4), Ok(0)], Ok(2), Ok(Phase::ALL[2].value())));
    happen(100);
    happen(0);
    assert_eq!(read(), frozen);
    bench.interface.start(session, HandleSelection::All).unwrap();
    assert_eq!(read(), (Ok(6.0), [Ok(0), Ok(4), Ok(0)], Ok(0), Ok(Phase::ALL[0].value())));
}

/// Proves R169.
#[test]
fn sum_continues_where_it_stopped() {
    let one = One::new();
    one.watch_in_other_session();
    for n in 1..=3 {
        one.start().unwrap();
        one.cell.add(10);
        one.stop().unwrap();
        one.cell.add(1000);
        assert_eq!(one.read(), Ok(10 * n));
    }
}

/// Proves R170.
#[test]
fn watermark_continues_where_it_stopped() {
    let level = leak(Level::<u64>::new());
    let (bench, session, handles) =
        Bench::open([pvar("use", Class::LowWatermark, level), pvar("use", Class::HighWatermark, level)]);
    let read = || handles.map(|handle| bench.read::<u64>(session, handle).unwrap());
    level.set(50);
    bench.interface.start(session, HandleSelection::All).unwrap();
    level.set(60);
    level.set(40);
    bench.interface.stop(session, HandleSelection::All).unwrap();
    level.set(1000);
    level.set(0);
    level.set(45);
    assert_eq!(read(), [40, 60]);
    bench.interface.start(session, HandleSelection::All).unwrap();
    assert_eq!(read(), [40, 60], "what happened meanwhile does not count");
    level.set(55);
    assert_eq!(read(), [40, 60]);
    bench.interface.stop(session, HandleSelection::All).unwrap();
    level.set(70);
    bench.interface.start(session, HandleSelection::All).unwrap();
    assert_eq!(read(), [40, 70], "the level at the restart does");
}

/// Proves R172.
#[test]
fn unstarted_handle_has_the_starting_value() {
    let (level, size) = (leak(Level::<u64>::new()), leak(Size::<u64>::new()));
    let one = One::new();
    one.watch_in_other_session();
    one.cell.add(9);
    assert_eq!(one.read(), Ok(0), "0 for sums");
    let (bench, session, handles) = Bench::open([
        pvar("a", Class::Level, level),
        pvar("b", Class::HighWatermark, level),
        pvar("c", Class::Size, size),
    ]);
    for n in [30, 20] {
        level.set(n);
        size.set(n);
        for handle in handles {
            assert_eq!(bench.read(session, handle), Ok(n), "the present value for others");
        }
    }
}

/// Proves R181.
#[test]
fn reset_keeps_the_run_state() {
    let one = One::new();
    one.watch_in_other_session();
    one.reset().unwrap();
    one.cell.add(5);
    assert_eq!(one.read(), Ok(0), "stopped stays stopped");
    one.start().unwrap();
    one.reset().unwrap();
    one.cell.add(5);
    assert_eq!(one.read(), Ok(5), "running stays running");
}

/// Proves R182.
#[test]
fn reset_works_while_stopped() {
    let one = One::new();
    one.start().unwrap();
    one.cell.add(5);
    one.stop().unwrap();
    one.reset().unwrap();
    assert_eq!(one.read(), Ok(0));
    one.start().unwrap();
    one.cell.add(2);
    assert_eq!(one.read(), Ok(2));
}
