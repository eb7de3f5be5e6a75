//! Datatypes and enumerations: rules R61 to R79 of the interface.

use crate::support::{Bench, Phase, assert_refusals, cvar, enumeration, image, leak, pvar, refusals};
use mpit::MpitEnum;
use mpit::cell::{Generic, State, Value};
use mpit::cvar::{Cvar, Text};
use mpit::internal::registry::Image;
use mpit::internal::session::CvarHandle;
use mpit::tool::{Class, Datatype, Registry};
use mpit::{Error, cell::Counter};

fn refused(name: &'static str, items: &[(i32, &'static str)]) -> Vec<String> {
    let mut image = Image::new("test");
    image.enums.push(enumeration(name, items));
    refusals(&Registry::new(), &image)
}

/// Proves R61.
#[test]
fn every_value_type_has_a_legal_datatype() {
    let legal = [
        "INT",
        "INT32_T",
        "INT64_T",
        "UNSIGNED",
        "UNSIGNED_LONG",
        "UNSIGNED_LONG_LONG",
        "UINT32_T",
        "UINT64_T",
        "COUNT",
        "CHAR",
        "DOUBLE",
    ];
    let mut possible = [
        i32::DATATYPES,
        i64::DATATYPES,
        u32::DATATYPES,
        u64::DATATYPES,
        f64::DATATYPES,
        i8::DATATYPES,
        u8::DATATYPES,
    ]
    .concat();
    possible.sort_unstable();
    possible.dedup();
    assert!(possible.iter().all(|datatype| legal.contains(&datatype.as_str())), "{possible:?}");
    assert_eq!(possible.len(), legal.len(), "and each of them can be had");
}

/// Proves R63.
#[test]
fn only_int_variables_have_an_enumeration() {
    let state = leak(State::<Phase>::new());
    let number = leak(Cvar::new(Phase::Idle));
    let image = image(
        [pvar("state", Class::Generic, state).with_datatype(Datatype::Int32)],
        [cvar("setting", number).with_datatype(Datatype::Int32)],
    );
    let registry = Registry::new();
    assert_refusals(&registry, &image, &["only INT variables have an enumeration"; 2]);
    assert_eq!((registry.pvar_count(), registry.cvar_count()), (0, 0));
}

/// Proves R64, R137.
#[test]
fn variables_without_an_enumeration() {
    let plain = leak(Generic::<i32>::new());
    let counter = leak(Counter::<u64>::new());
    let state = leak(State::<Phase>::new());
    let bench = Bench::of_pvars([
        pvar("plain", Class::Generic, plain),
        pvar("counter", Class::Counter, counter),
        pvar("state", Class::State, state),
    ]);
    let names = |index| bench.registry().pvar(index).unwrap().enumeration().map(mpit::tool::EnumDesc::name);
    let indexed = |name, class| bench.registry().pvar_index(name, class).unwrap();
    assert_eq!(names(indexed("plain", Class::Generic)), None);
    assert_eq!(names(indexed("counter", Class::Counter)), None);
    let state = indexed("state", Class::State);
    assert_eq!(names(state), Some("phase"));
    assert_eq!(bench.registry().pvar(state).unwrap().datatype(), Datatype::Int);
}

/// Proves R65, R66, R68, R69.
#[test]
fn names_and_values_are_distinct() {
    assert!(refused("one", &[(0, "zero")]).is_empty());
    let cases: [(_, &[_], _); 5] = [
        ("empty", &[], "no item"),
        ("", &[(0, "zero")], "its name is empty"),
        ("nameless", &[(0, "")], "no usable name"),
        ("twins", &[(0, "a"), (1, "b"), (2, "a")], "not distinct"),
        ("twins", &[(3, "a"), (1, "b"), (3, "c")], "not distinct"),
    ];
    for (name, items, why) in cases {
        assert!(refused(name, items)[0].contains(why), "{name}: {items:?}");
    }
}

/// Proves R67.
#[test]
fn names_of_enumerations_are_unique() {
    let first = enumeration("twice", &[(0, "zero")]);
    let second = enumeration("twice", &[(1, "one")]);
    let mut image = Image::new("test");
    image.enums = vec![second, first, first];
    let registry = Registry::new();
    let messages = refusals(&registry, &image);
    assert_eq!(messages.len(), 1, "the same definition may come twice: {messages:?}");
    assert!(messages[0].contains(&first.origin().to_string()), "{messages:?}");
    assert!(messages[0].contains(&second.origin().to_string()), "{messages:?}");
    assert_eq!(registry.enums().count(), 1);
}

/// Proves R71.
#[test]
fn items_keep_their_order() {
    let mut image = Image::new("test");
    image.enums.push(Phase::DESC);
    let registry = Registry::new();
    assert!(refusals(&registry, &image).is_empty());
    for _ in 0..3 {
        let desc = registry.enum_named("phase").unwrap();
        let items: Vec<_> = desc.items().iter().map(|item| (item.value(), item.name())).collect();
        assert_eq!(items, [(7, "idle"), (-3, "working"), (40, "done")]);
    }
}

/// Proves R72.
#[test]
fn values_need_not_be_dense() {
    assert_eq!(Phase::DESC.item(-3).unwrap().name(), "working");
    assert_eq!(Phase::DESC.item(40).unwrap().name(), "done");
    assert!(Phase::DESC.item(0).is_none());
}

/// Proves R73.
#[test]
fn state_is_read_as_one_of_its_values() {
    let cell = leak(State::<Phase>::new());
    let (bench, session, [handle]) = Bench::open([pvar("state", Class::State, cell)]);
    assert_eq!(bench.read::<i32>(session, handle), Ok(7), "the first item, before anything is set");
    for phase in Phase::ALL {
        cell.set(phase);
        let value = bench.read::<i32>(session, handle).unwrap();
        assert_eq!(value, phase.value());
        assert!(Phase::DESC.item(value).is_some());
    }
    let setting = leak(Cvar::new(Phase::Done));
    let bench = Bench::of_cvars([cvar("phase", setting)]);
    assert_eq!(bench.cvar_read::<i32>(bench.cvar("phase").0), Ok(40));
}

/// A text of 8 bytes, with a handle of it and its count.
fn text_bench(initial: &str) -> (&'static Cvar<Text<8>>, Bench, CvarHandle, usize) {
    let cell = leak(Cvar::new(Text::new(initial)));
    let bench = Bench::of_cvars([cvar("text", cell)]);
    let (handle, count) = bench.cvar("text");
    (cell, bench, handle, count)
}

/// Proves R75.
#[test]
fn text_ends_within_its_count() {
    let (text, bench, handle, count) = text_bench("");
    for length in 0..8 {
        text.set(Text::new(&"abcdefgh"[..length])).unwrap();
        let bytes = bench.cvar_read_text(handle, count).unwrap();
        assert_eq!(bytes.iter().position(|byte| *byte == 0), Some(length));
    }
}

/// Proves R76.
#[test]
fn count_holds_the_longest_text_and_nul() {
    let (_, bench, handle, count) = text_bench("");
    assert_eq!(count, 8);
    assert_eq!(bench.cvar_write_text(handle, b"7 bytes\0"), Ok(()));
    assert_eq!(bench.cvar_read_text(handle, count).unwrap(), b"7 bytes\0");
    assert!(Text::<8>::checked("8 bytes.").is_none());
}

/// Proves R77.
#[test]
fn bytes_after_the_nul_are_ignored() {
    let (text, bench, handle, count) = text_bench("");
    assert_eq!(bench.cvar_write_text(handle, b"ab\0\xff\xfe\0zz"), Ok(()));
    assert_eq!(text.get().as_str(), "ab");
    assert_eq!(&bench.cvar_read_text(handle, count).unwrap()[..3], b"ab\0");
}

/// Proves R78.
#[test]
fn text_without_nul_is_refused() {
    let (text, bench, handle, _) = text_bench("before");
    assert_eq!(bench.cvar_write_text(handle, b"12345678"), Err(Error::Invalid));
    assert_eq!(text.get().as_str(), "before");
}
