//! Handles by definition: cells in place of names.

use std::ffi::c_char;

use crate::support::{Bench, cvar, leak, pvar};
use mpit::Error;
use mpit::cell::{Counter, Custom, Level, PerObject};
use mpit::cvar::{Cvar, Text};
use mpit::object::Object;
use mpit::tool::{Class, Tool};

/// A cell that stores another one at its address.
#[repr(transparent)]
struct Wrapper(Counter<u64>);

impl Custom for Wrapper {
    type Value = u64;
    const COUNT: usize = 1;
}

/// Cells without a size share an address.
#[derive(Debug)]
struct Log;

impl Custom for Log {
    type Value = c_char;
    const COUNT: usize = 8;
}

struct Trace;

impl Custom for Trace {
    type Value = c_char;
    const COUNT: usize = 8;
}

#[test]
fn cells_at_an_address_differ_by_type() {
    let wrapper = leak(Wrapper(Counter::new()));
    let (log, trace) = (leak(Log), leak(Trace));
    let bench = Bench::of_pvars([
        pvar("wrapper", Class::Generic, wrapper),
        pvar("count", Class::Counter, &wrapper.0),
        pvar("log", Class::Generic, log),
        pvar("trace", Class::Generic, trace),
    ]);
    let tool = Tool::of(bench.interface);
    let session = tool.session().unwrap();
    assert_eq!(session.handle_of(wrapper).unwrap().desc().name(), "wrapper");
    assert_eq!(session.handle_of(&wrapper.0).unwrap().desc().name(), "count");
    assert_eq!(session.handle_of(log).unwrap().desc().name(), "log");
    assert_eq!(session.handle_of(trace).unwrap().desc().name(), "trace");
}

#[test]
fn cells_without_size_can_be_ambiguous() {
    let (one, two) = (leak(Log), leak(Log));
    let bench = Bench::of_pvars([pvar("one", Class::Generic, one), pvar("two", Class::Generic, two)]);
    let tool = Tool::of(bench.interface);
    let session = tool.session().unwrap();
    assert_eq!(session.handle_of(two).unwrap_err(), Error::InvalidName);
}

#[test]
fn watermarks_by_static_are_bound() {
    let cell = leak(PerObject::<Level<u64>>::new());
    let classes = [Class::Level, Class::HighWatermark, Class::LowWatermark];
    let bench = Bench::of_pvars(classes.map(|class| pvar("queue", class, cell)));
    let tool = Tool::of(bench.interface);
    let session = tool.session().unwrap();
    let (level, world) = (cell.of(1), Object::world(1, 4));
    level.set(5);
    let high = session.handle_of_class(cell, Class::HighWatermark, Some(&world)).unwrap();
    let low = session.handle_of_class(cell, Class::LowWatermark, Some(&world)).unwrap();
    session.start_all().unwrap();
    level.set(9);
    level.set(3);
    level.set(4);
    assert_eq!((high.get(), low.get()), (Ok(9), Ok(3)));
    let high = session.handle_of_class(cell, Class::HighWatermark, None);
    assert_eq!(high.unwrap_err(), Error::InvalidHandle);
}

#[test]
fn text_with_a_nul_is_refused() {
    let cell = leak(Cvar::new(Text::<8>::new("old")));
    let bench = Bench::of_cvars([cvar("text", cell)]);
    let tool = Tool::of(bench.interface);
    let text = tool.setting_of(cell).unwrap();
    for refused in ["a\0b", "ab\0", "\0"] {
        assert_eq!(text.set(Text::new(refused)), Err(Error::Invalid), "{refused:?}");
        assert_eq!(text.write_text(refused), Err(Error::Invalid), "{refused:?}");
    }
    assert_eq!(cell.get().as_str(), "old");
    text.set(Text::new("")).unwrap();
    assert_eq!(cell.get().as_str(), "");
}
