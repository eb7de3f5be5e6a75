//! The ten classes of performance variables: rules R106 to R128 of the interface.

use crate::support::{Bench, Phase, assert_refusals, image, leak, pvar};
use mpit::MpitEnum;
use mpit::cell::{
    Aggregate, Counter, Generic, HighWatermark, Level, LowWatermark, Percentage, Size, State, Timer,
};
use mpit::internal::session::{HandleSelection, PvarHandle, SessionId};
use mpit::tool::{Class, Datatype, PvarDesc, Registry};

/// A session and a started handle of a variable of its own.
fn started(desc: PvarDesc) -> (Bench, SessionId, PvarHandle) {
    let (bench, session, [handle]) = Bench::open([desc]);
    bench.start(session, handle).unwrap();
    (bench, session, handle)
}

/// Proves R107, R109, R110, R111, R112.
#[test]
fn classes_have_their_datatypes() {
    use Datatype::{Double, Int, Unsigned, UnsignedLong, UnsignedLongLong};
    for class in Class::ALL {
        let expected = match class {
            Class::State => &[Int][..],
            Class::Percentage => &[Double],
            Class::Counter => &[Unsigned, UnsignedLong, UnsignedLongLong],
            Class::Generic => Datatype::ALL,
            _ => &[Unsigned, UnsignedLong, UnsignedLongLong, Double],
        };
        assert_eq!(class.datatypes(), expected, "{class}");
    }
    // The registry applies the table.
    let desc = pvar("counter", Class::Counter, leak(Aggregate::<f64>::new()));
    let part = "the class COUNTER does not admit DOUBLE values";
    assert_refusals(&Registry::new(), &image([desc], []), &[part]);
}

/// Proves R108.
#[test]
fn state_has_an_enumeration() {
    let desc = pvar("state", Class::State, leak(Generic::<i32>::new()));
    assert_refusals(&Registry::new(), &image([desc], []), &["names its states by an enumeration"]);
}

/// Proves R111.
#[test]
fn percentage_stays_within_0_and_1() {
    let cell = leak(Percentage::new(0.5));
    let (bench, session, handle) = started(pvar("share", Class::Percentage, cell));
    for (set, read) in [
        (0.25, 0.25),
        (-0.1, 0.0),
        (1.5, 1.0),
        (f64::NAN, 0.0),
        (f64::INFINITY, 1.0),
        (f64::NEG_INFINITY, 0.0),
    ] {
        cell.set(set);
        assert_eq!(bench.read::<f64>(session, handle), Ok(read), "{set}");
    }
}

/// Proves R113.
#[test]
fn amounts_are_never_negative() {
    let (level, size, sum) =
        (leak(Level::<f64>::new()), leak(Size::<f64>::new()), leak(Aggregate::<f64>::new()));
    let (high, low) = (leak(HighWatermark::<f64>::new()), leak(LowWatermark::<f64>::new()));
    let timer = leak(Timer::<f64>::new());
    let (bench, session, handles) = Bench::open([
        pvar("level", Class::Level, level),
        pvar("size", Class::Size, size),
        pvar("sum", Class::Aggregate, sum),
        pvar("high", Class::HighWatermark, high),
        pvar("low", Class::LowWatermark, low),
        pvar("timer", Class::Timer, timer),
    ]);
    bench.interface.start(session, HandleSelection::All).unwrap();
    for amount in [-1.0, f64::NAN, f64::NEG_INFINITY, -0.0] {
        level.set(amount);
        size.set(amount);
        sum.add(amount);
        high.set(amount);
        low.set(amount);
        timer.add(amount);
        for handle in handles {
            let value = bench.read::<f64>(session, handle).unwrap();
            assert_eq!((value, value.is_sign_negative()), (0.0, false), "{amount}");
        }
    }
}

/// Proves R114, R115.
#[test]
fn watermarks_move_in_one_direction() {
    let (highest, lowest) = (leak(HighWatermark::<u64>::new()), leak(LowWatermark::<u64>::new()));
    lowest.set(20);
    let (bench, session, handles) =
        Bench::open([pvar("high", Class::HighWatermark, highest), pvar("low", Class::LowWatermark, lowest)]);
    bench.interface.start(session, HandleSelection::All).unwrap();
    let mut last = [0, 20];
    for (high, low) in [(5, 15), (3, 30), (9, 9), (0, 12), (9, 9), (8, 40), (12, 4), (1, 100)] {
        highest.set(high);
        lowest.set(low);
        let marks = handles.map(|handle| bench.read::<u64>(session, handle).unwrap());
        assert!(marks[0] >= last[0] && marks[0] >= high, "{marks:?} after {last:?}");
        assert!(marks[1] <= last[1] && marks[1] <= low, "{marks:?} after {last:?}");
        last = marks;
    }
    assert_eq!(last, [12, 4]);
}

/// One level with its watermarks, and a handle of each.
struct Marks {
    bench: Bench,
    session: SessionId,
    level: &'static Level<u64>,
    high: PvarHandle,
    low: PvarHandle,
}

impl Marks {
    fn new() -> Self {
        let level = leak(Level::new());
        let (bench, session, [_, high, low]) = Bench::open([
            pvar("use", Class::Level, level),
            pvar("use", Class::HighWatermark, level),
            pvar("use", Class::LowWatermark, level),
        ]);
        Self { bench, session, level, high, low }
    }

    fn read(&self) -> (u64, u64) {
        let read = |handle| self.bench.read(self.session, handle).unwrap();
        (read(self.low), read(self.high))
    }

    fn each(&self, act: impl Fn(Bench, SessionId, PvarHandle) -> mpit::Result<()>) {
        act(self.bench, self.session, self.high).unwrap();
        act(self.bench, self.session, self.low).unwrap();
    }
}

/// Proves R116.
#[test]
fn watermark_starts_at_the_current_level() {
    let marks = Marks::new();
    marks.level.set(1000);
    marks.level.set(1);
    marks.level.set(50);
    assert_eq!(marks.read(), (50, 50), "before the start it is the present use");
    marks.level.set(40);
    marks.each(Bench::start);
    assert_eq!(marks.read(), (40, 40));
}

/// Proves R117.
#[test]
fn watermark_is_reset_to_the_current_level() {
    let marks = Marks::new();
    marks.each(Bench::start);
    marks.level.set(1000);
    marks.level.set(60);
    assert_eq!(marks.read(), (0, 1000));
    marks.each(Bench::reset);
    assert_eq!(marks.read(), (60, 60));
    marks.level.set(70);
    marks.level.set(50);
    assert_eq!(marks.read(), (50, 70));
    marks.each(Bench::stop);
    marks.level.set(5);
    marks.each(Bench::reset);
    assert_eq!(marks.read(), (5, 5), "also while it is stopped");
}

/// Proves R118.
#[test]
fn watermarks_enclose_every_level() {
    let marks = Marks::new();
    let level = marks.bench.handle(marks.session, "use", Class::Level);
    marks.level.set(500);
    marks.each(Bench::start);
    let mut seed = 1_u64;
    for _ in 0..1000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        marks.level.set(seed >> 40);
        let sample = marks.bench.read::<u64>(marks.session, level).unwrap();
        let (low, high) = marks.read();
        assert!(low <= sample && sample <= high);
    }
    // Without a tool that samples in between, too.
    marks.level.set(u64::MAX);
    marks.level.set(0);
    marks.level.set(7);
    assert_eq!(marks.read(), (0, u64::MAX));
}

/// Proves R118.
#[test]
fn watermark_handles_are_independent() {
    let level = leak(Level::<u32>::new());
    let bench = Bench::of_pvars([pvar("use", Class::HighWatermark, level)]);
    let session = bench.session();
    let handles: Vec<_> = (0..20).map(|_| bench.handle(session, "use", Class::HighWatermark)).collect();
    for (n, handle) in handles.iter().enumerate() {
        // Each peak is lower than the one before, so each handle sees the first one of its own time.
        bench.start(session, *handle).unwrap();
        level.set(1000 - n as u32);
        level.set(1);
    }
    for (n, handle) in handles.iter().enumerate() {
        assert_eq!(bench.read(session, *handle), Ok(1000 - n as u32));
    }
    // Marks of freed handles are used again, and begin anew.
    bench.interface.session_free(session).unwrap();
    let session = bench.session();
    let again = bench.handle(session, "use", Class::HighWatermark);
    assert_eq!(bench.read(session, again), Ok(1_u32));
    bench.start(session, again).unwrap();
    assert_eq!(bench.read(session, again), Ok(1_u32));
}

/// Proves R118.
#[test]
fn watermarks_among_threads_miss_no_level() {
    // One thread moves the level; the others start, stop and reset handles of their own.
    let level = leak(Level::<u64>::new());
    let bench =
        Bench::of_pvars([pvar("use", Class::HighWatermark, level), pvar("use", Class::LowWatermark, level)]);
    let done = &std::sync::atomic::AtomicBool::new(false);
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(move || {
                let session = bench.session();
                let high = bench.handle(session, "use", Class::HighWatermark);
                let low = bench.handle(session, "use", Class::LowWatermark);
                while !done.load(relaxed) {
                    for handle in [high, low] {
                        bench.start(session, handle).unwrap();
                        bench.reset(session, handle).unwrap();
                    }
                    for _ in 0..20 {
                        let sample = level.get();
                        // The level may have moved before the sample was taken, so it is inside.
                        assert!(bench.read::<u64>(session, high).unwrap() >= sample);
                        assert!(bench.read::<u64>(session, low).unwrap() <= sample);
                    }
                    let frozen = |handle| {
                        bench.stop(session, handle).unwrap();
                        bench.read::<u64>(session, handle).unwrap()
                    };
                    let (first, second) = (frozen(high), frozen(low));
                    assert_eq!(bench.read(session, high), Ok(first));
                    assert_eq!(bench.read(session, low), Ok(second));
                }
            });
        }
        let mut seed = 7_u64;
        for _ in 0..200_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            level.set(seed >> 54);
        }
        done.store(true, relaxed);
    });
}

/// Proves R119.
#[test]
fn counter_rises_by_one_for_each_event() {
    let cell = leak(Counter::<u64>::new());
    let (bench, session, handle) = started(pvar("events", Class::Counter, cell));
    for n in 1..=100 {
        cell.increment();
        assert_eq!(bench.read::<u64>(session, handle), Ok(n));
    }
}

/// Proves R120.
#[test]
fn sums_start_at_0_and_are_reset_to_0() {
    let (counter, sum, timer) =
        (leak(Counter::<u32>::new()), leak(Aggregate::<u64>::new()), leak(Timer::<f64>::new()));
    let bench = Bench::of_pvars([
        pvar("a", Class::Counter, counter),
        pvar("b", Class::Aggregate, sum),
        pvar("c", Class::Timer, timer),
    ]);
    let events = || {
        counter.add(3);
        sum.add(30);
        timer.add(0.1);
    };
    // Another tool has made the cells run ahead.
    let other = bench.session();
    for (name, class) in [("a", Class::Counter), ("b", Class::Aggregate), ("c", Class::Timer)] {
        bench.start(other, bench.handle(other, name, class)).unwrap();
    }
    events();
    let session = bench.session();
    let a = bench.handle(session, "a", Class::Counter);
    let b = bench.handle(session, "b", Class::Aggregate);
    let c = bench.handle(session, "c", Class::Timer);
    let read = || (bench.read(session, a), bench.read(session, b), bench.read(session, c));
    bench.interface.start(session, HandleSelection::All).unwrap();
    assert_eq!(read(), (Ok(0_u32), Ok(0_u64), Ok(0.0)));
    events();
    assert_eq!((read().0, read().1), (Ok(3), Ok(30)));
    bench.interface.reset(session, HandleSelection::All).unwrap();
    assert_eq!(read(), (Ok(0), Ok(0), Ok(0.0)));
}

/// Proves R121.
#[test]
fn aggregate_rises_by_the_amount() {
    let cell = leak(Aggregate::<f64>::new());
    let (bench, session, handle) = started(pvar("bytes", Class::Aggregate, cell));
    for (amount, sum) in [(1.5, 1.5), (0.0, 1.5), (1e6, 1_000_001.5)] {
        cell.add(amount);
        assert_eq!(bench.read::<f64>(session, handle), Ok(sum));
    }
}

/// Proves R122.
#[test]
fn timer_of_double_counts_seconds() {
    let cell = leak(Timer::<f64>::new());
    let (bench, session, handle) = started(pvar("waiting", Class::Timer, cell));
    let outside = std::time::Instant::now();
    let inside = cell.time(|| {
        let begin = std::time::Instant::now();
        while begin.elapsed().as_millis() == 0 {}
        begin.elapsed().as_secs_f64()
    });
    let outside = outside.elapsed().as_secs_f64();
    let seconds = bench.read::<f64>(session, handle).unwrap();
    assert!(inside <= seconds && seconds <= outside, "{inside} <= {seconds} <= {outside}");
}

/// Proves R124.
#[test]
fn sums_wrap() {
    let narrow = leak(Counter::<u32>::new());
    let (bench, session, handle) = started(pvar("narrow", Class::Counter, narrow));
    narrow.add(u32::MAX);
    narrow.add(3);
    assert_eq!(bench.read::<u32>(session, handle), Ok(2));
    let wide = leak(Counter::<u64>::new());
    let (bench, session, handle) = started(pvar("wide", Class::Counter, wide));
    wide.add(u64::MAX);
    wide.add(3);
    assert_eq!(bench.read::<u64>(session, handle), Ok(2));
    assert_eq!(bench.read_and_reset::<u64>(session, handle), Err(mpit::Error::PvarNoAtomic));
}

/// Proves R125.
#[test]
fn levels_stay_at_their_limits() {
    let level = leak(Level::<u32>::new());
    let (bench, session, handle) = started(pvar("level", Class::Level, level));
    level.raise(u32::MAX - 1);
    level.raise(5);
    assert_eq!(bench.read(session, handle), Ok(u32::MAX));
    level.lower(u32::MAX);
    level.lower(1);
    assert_eq!(bench.read(session, handle), Ok(0_u32));
    let level = leak(Level::<u64>::new());
    let (bench, session, handle) = started(pvar("level", Class::Level, level));
    level.raise(u64::MAX);
    level.raise(1);
    assert_eq!(bench.read(session, handle), Ok(u64::MAX));
}

/// Proves R126.
#[test]
fn reset_restores_the_current_value() {
    let (state, level) = (leak(State::<Phase>::new()), leak(Level::<u64>::new()));
    let (size, share) = (leak(Size::<u64>::new()), leak(Percentage::new(0.0)));
    let (bench, session, [a, b, c, d]) = Bench::open([
        pvar("a", Class::State, state).writable(),
        pvar("b", Class::Level, level).writable(),
        pvar("c", Class::Size, size).writable(),
        pvar("d", Class::Percentage, share).writable(),
    ]);
    let write = || {
        bench.write(session, a, Phase::Done.value()).unwrap();
        bench.write(session, b, 11_u64).unwrap();
        bench.write(session, c, 12_u64).unwrap();
        bench.write(session, d, 0.75).unwrap();
    };
    let read =
        || (bench.read(session, a), bench.read(session, b), bench.read(session, c), bench.read(session, d));
    for running in [false, true] {
        if running {
            bench.interface.start(session, HandleSelection::All).unwrap();
        }
        write();
        assert_eq!(read(), (Ok(40), Ok(11_u64), Ok(12_u64), Ok(0.75)));
        state.set(Phase::Working);
        level.set(3);
        size.set(4);
        share.set(0.5);
        bench.interface.reset(session, HandleSelection::All).unwrap();
        assert_eq!(read(), (Ok(-3), Ok(3), Ok(4), Ok(0.5)), "running: {running}");
    }
}

/// Proves R128.
#[test]
fn one_name_may_have_several_classes() {
    let (level, size) = (leak(Level::<u64>::new()), leak(Size::<u64>::new()));
    let bench = Bench::of_pvars([
        pvar("pool", Class::Level, level),
        pvar("pool", Class::Size, size),
        pvar("pool", Class::HighWatermark, level),
        pvar("pool", Class::LowWatermark, level),
    ]);
    let classes = [Class::Level, Class::Size, Class::HighWatermark, Class::LowWatermark];
    let mut indices = classes.map(|class| bench.registry().pvar_index("pool", class).unwrap());
    for (class, index) in classes.iter().zip(indices) {
        assert_eq!(bench.registry().pvar(index).unwrap().class(), *class);
    }
    indices.sort_unstable();
    assert_eq!(indices, [0, 1, 2, 3]);
}
