//! Control variables that are bound to objects: a value for each.

use crate::support::metadata::variable;
use crate::support::{Bench, cvar, image, leak, refusals};
use mpit::Error;
use mpit::cvar::sources::{Setting, ValueSource};
use mpit::cvar::{Cvar, ObjectCvar, Text};
use mpit::internal::host;
use mpit::internal::session::CvarHandle;
use mpit::object::{Bind, Object};
use mpit::tool::{CvarDesc, Registry, Scope};

fn comm(number: u64) -> Object<'static> {
    Object::world(number, 4)
}

/// An interface with one setting of a `u32` for each communicator, 5 by default and at most 10.
fn one(adapt: impl FnOnce(CvarDesc) -> CvarDesc) -> (Bench, &'static ObjectCvar<u32>) {
    let cell = leak(ObjectCvar::new(5_u32).range(0..=10));
    (Bench::of_cvars([adapt(cvar("limit", cell).with_bind(Bind::Comm))]), cell)
}

fn bound(bench: Bench, number: u64) -> CvarHandle {
    bench.cvar_of("limit", &comm(number)).0
}

#[test]
fn each_object_has_a_value_of_its_own() {
    let (bench, cell) = one(|desc| desc);
    let [first, same, other] = [1, 1, 2].map(|number| bound(bench, number));
    assert_eq!(bench.cvar_read::<u32>(first), Ok(5));
    assert_eq!(bench.cvar_write(first, 7_u32), Ok(()));
    let values = [first, same, other].map(|handle| bench.cvar_read::<u32>(handle).unwrap());
    assert_eq!(values, [7, 7, 5]);
    assert_eq!([cell.get(1), cell.get(2), cell.default()], [7, 5, 5]);
    cell.set(2, 8).unwrap();
    assert_eq!(bench.cvar_read::<u32>(other), Ok(8));
    assert_eq!(bench.cvar_write(other, 11_u32), Err(Error::Invalid));
    assert_eq!(bench.cvar_read::<u32>(other), Ok(8));
    let source = bench.registry().cvar_source(0);
    assert_eq!(source, Some(ValueSource::Default), "the default is as it was");
}

#[test]
fn an_object_of_the_kind_is_needed() {
    let (bench, _) = one(|desc| desc);
    assert_eq!(bench.registry().cvar(0).unwrap().bind(), Bind::Comm);
    let window = Object::new(Bind::Win, 1);
    for object in [None, Some(&Object::NONE), Some(&window)] {
        assert_eq!(bench.interface.cvar_handle_alloc(0, object), Err(Error::InvalidHandle));
    }
}

#[test]
fn settings_change_all_objects_defaults() {
    let cell = leak(ObjectCvar::new(5_u32));
    let image = image([], [cvar("limit", cell).with_bind(Bind::Comm)]);
    let setting = Setting { name: "limit".into(), value: "9".into(), source: ValueSource::Launcher };
    let bench = Bench::with(&image, &[setting]);
    assert_eq!(bench.cvar_read::<u32>(bound(bench, 3)), Ok(9));
    let registry = bench.registry();
    assert_eq!(registry.cvar_source(0), Some(ValueSource::Launcher));
    assert_eq!(registry.cvar(0).unwrap().value_as_text(), "9");
}

#[test]
fn handles_and_values_end_with_the_object() {
    let (bench, cell) = one(|desc| desc);
    let [freed, kept] = [1, 2].map(|number| bound(bench, number));
    for handle in [freed, kept] {
        bench.cvar_write(handle, 7_u32).unwrap();
    }
    bench.interface.object_freed(Bind::Win, 1);
    assert_eq!(bench.cvar_read::<u32>(freed), Ok(7), "another kind of object");
    bench.interface.object_freed(Bind::Comm, 1);
    assert_eq!(bench.cvar_read::<u32>(freed), Err(Error::InvalidHandle));
    assert_eq!(bench.cvar_write(freed, 8_u32), Err(Error::InvalidHandle));
    assert_eq!((cell.get(1), cell.get(2)), (5, 7));
    assert_eq!(bench.interface.cvar_handle_free(freed), Ok(()), "the handle can be freed");
    assert_eq!(bench.cvar_read::<u32>(kept), Ok(7));
}

#[test]
fn scopes_hold_for_each_object() {
    for scope in [Scope::Constant, Scope::ReadOnly] {
        let (bench, _) = one(|desc| desc.with_scope(scope));
        assert_eq!(bench.cvar_write(bound(bench, 1), 6_u32), Err(Error::CvarSetNever));
    }
    let (bench, _) = one(CvarDesc::before_init);
    assert_eq!(bench.registry().cvar(0).unwrap().bind(), Bind::Comm);
    host::set_initialized();
    assert_eq!(bench.cvar_write(bound(bench, 1), 6_u32), Err(Error::CvarSetNever));
}

#[test]
fn text_has_a_value_for_each_object() {
    let cell = leak(ObjectCvar::new(Text::<8>::new("none")));
    let bench = Bench::of_cvars([cvar("name", cell).with_bind(Bind::Win)]);
    let (handle, count) = bench.cvar_of("name", &Object::new(Bind::Win, 1));
    bench.cvar_write_text(handle, b"first\0").unwrap();
    assert_eq!(bench.cvar_read_text(handle, count).unwrap(), b"first\0\0\0");
    assert_eq!((cell.get(1).as_str(), cell.get(2).as_str()), ("first", "none"));
}

#[test]
fn a_cell_of_the_other_sort_is_refused() {
    let single = cvar(variable("single"), leak(Cvar::new(1_i32))).with_bind(Bind::File);
    let each = cvar(variable("each"), leak(ObjectCvar::new(1_i32)));
    let registry = Registry::new();
    let messages = refusals(&registry, &image([], [single, each]));
    assert!(messages.iter().any(|message| message.contains("use an `ObjectCvar`")), "{messages:?}");
    assert!(messages.iter().any(|message| message.contains("bound to none")), "{messages:?}");
    assert_eq!(registry.cvar_count(), 0);
}
