//! Handles by definition: cells in place of names.

use std::ffi::c_char;

use crate::support::{Bench, leak, pvar};
use mpit::Error;
use mpit::cell::{Counter, Custom};
use mpit::tool::Tool;
use mpit::words::Class;

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
