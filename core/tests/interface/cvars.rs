//! Control variables: rules R80 to R105 of the interface.

use crate::support::metadata::variable;
use crate::support::process::in_own_process;
use crate::support::{Bench, Phase, assert_refusals, cvar, image, leak};
use mpit::cvar::sources::ValueSource;
use mpit::cvar::{Cvar, Text};
use mpit::internal::host;
use mpit::internal::session::CvarHandle;
use mpit::tool::{Datatype, Registry, Scope, Verbosity};
use mpit::{Error, MpitEnum};

/// An interface with one setting of a `u32`, 5 by default and at most 10.
fn one(scope: Scope) -> (Bench, CvarHandle) {
    let cell = leak(Cvar::new(5_u32).range(0..=10));
    let bench = Bench::of_cvars([
        cvar(variable("limit").with_description("for this group: a limit"), cell).with_scope(scope)
    ]);
    let (handle, count) = bench.cvar("limit");
    assert_eq!(count, 1);
    (bench, handle)
}

const WRITABLE: [Scope; 5] = [Scope::Local, Scope::Group, Scope::GroupEq, Scope::All, Scope::AllEq];

/// Proves R81.
#[test]
fn metadata_never_changes() {
    let cell = leak(Cvar::new(5_u32));
    let desc = cvar(variable("limit").with_description("A limit."), cell)
        .with_verbosity(Verbosity::UserBasic)
        .with_scope(Scope::All);
    let bench = Bench::of_cvars([desc]);
    let answers = || {
        let desc = bench.registry().cvar(0).unwrap();
        let words = (desc.name(), desc.verbosity(), desc.datatype(), desc.description());
        (words, desc.enumeration().is_none(), desc.bind(), desc.scope(), desc.count())
    };
    let before = answers();
    let words = ("limit", Verbosity::UserBasic, Datatype::Unsigned, "A limit.");
    assert_eq!((before.0, before.3), (words, Scope::All));
    bench.cvar_write(bench.cvar("limit").0, 6_u32).unwrap();
    assert_eq!(answers(), before);
    bench.registry().add(&image([], [cvar("another", leak(Cvar::new(1_i32)))]), &[]);
    host::set_initialized();
    assert_eq!(answers(), before);
}

/// Proves R82.
#[test]
fn names_are_nonempty_and_distinct() {
    let (cell, other) = (leak(Cvar::new(1_u32)), leak(Cvar::new(2_u32)));
    let registry = Registry::new();
    let image = image([], [cvar("same", cell), cvar("same", other), cvar("", cell)]);
    assert_refusals(&registry, &image, &["its name is empty", "already defines it"]);
    assert_eq!(registry.cvar_count(), 1);
}

/// Proves R84, R85.
#[test]
fn names_lead_to_their_indices() {
    let names = ["b", "a", "a_longer_one", "c"];
    let bench = Bench::of_cvars(names.map(|name| cvar(name, leak(Cvar::new(0_i32)))));
    let registry = bench.registry();
    assert_eq!(registry.cvar_count(), 4);
    for index in 0..4 {
        assert_eq!(registry.cvar_index(registry.cvar(index).unwrap().name()), Some(index));
    }
    assert!(registry.cvar(4).is_none());
    for name in ["", "a_longer_on", "a ", "A", "unknown"] {
        assert_eq!(registry.cvar_index(name), None, "{name:?}");
    }
}

/// Proves R89.
#[test]
fn value_has_at_least_one_element() {
    let bench = Bench::of_cvars([
        cvar("bool", leak(Cvar::new(true))),
        cvar("double", leak(Cvar::new(0.5))),
        cvar("text", leak(Cvar::new(Text::<20>::new("")))),
    ]);
    assert_eq!([bench.cvar("bool").1, bench.cvar("double").1, bench.cvar("text").1], [1, 1, 20]);
    let image = image([], [cvar("empty", leak(Cvar::new(Phantom)))]);
    assert_refusals(&Registry::new(), &image, &["no element"]);
}

/// A value of no element, which no definition should have.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Phantom;

impl mpit::cvar::CvarValue for Phantom {
    type Element = u32;
    type Store = <u32 as mpit::cvar::CvarValue>::Store;
    const COUNT: usize = 0;

    fn from_elements(_: &[u32]) -> Option<Self> {
        Some(Self)
    }

    fn to_elements(&self, _: &mut [u32]) {}
}

/// Proves R90, R103.
#[test]
fn two_handles_show_one_value() {
    let (bench, first) = one(Scope::Local);
    let (second, _) = bench.cvar("limit");
    assert_ne!(first, second);
    bench.cvar_write(first, 9_u32).unwrap();
    assert_eq!(bench.cvar_read::<u32>(second), Ok(9));
    bench.interface.cvar_handle_free(first).unwrap();
    assert_eq!(bench.cvar_write(second, 8_u32), Ok(()));
    assert_eq!(bench.cvar_read::<u32>(second), Ok(8));
}

/// Proves R92.
#[test]
fn null_and_freed_handles_are_refused() {
    let (bench, freed) = one(Scope::Local);
    bench.interface.cvar_handle_free(freed).unwrap();
    for handle in [CvarHandle(0), freed, CvarHandle(u64::MAX), CvarHandle(freed.0 + 1)] {
        assert_eq!(bench.cvar_read::<u32>(handle), Err(Error::InvalidHandle));
        assert_eq!(bench.cvar_write(handle, 1_u32), Err(Error::InvalidHandle));
        assert_eq!(bench.interface.cvar_handle_free(handle), Err(Error::InvalidHandle));
    }
    assert_eq!(bench.interface.cvar_handle_alloc(1, None), Err(Error::InvalidIndex));
}

/// Proves R93.
#[test]
fn written_value_is_read_back() {
    for scope in WRITABLE {
        let (bench, handle) = one(scope);
        assert_eq!(bench.cvar_read::<u32>(handle), Ok(5));
        for value in [0, 10, 7] {
            assert_eq!(bench.cvar_write(handle, value), Ok(()));
            assert_eq!(bench.cvar_read::<u32>(handle), Ok(value));
        }
        assert_eq!(bench.registry().cvar_source(0), Some(ValueSource::Tool));
    }
    let cell = leak(Cvar::new(-1.5));
    let bench = Bench::of_cvars([cvar("double", cell), cvar("flag", leak(Cvar::new(false)))]);
    let (double, flag) = (bench.cvar("double").0, bench.cvar("flag").0);
    bench.cvar_write(double, 2.25).unwrap();
    bench.cvar_write(flag, 1_i32).unwrap();
    assert_eq!((bench.cvar_read(double), bench.cvar_read(flag)), (Ok(2.25), Ok(1_i32)));
}

/// Proves R94, R95.
#[test]
fn unwritable_variable_answers_set_never() {
    for scope in [Scope::Constant, Scope::ReadOnly] {
        let (bench, handle) = one(scope);
        for value in 0..10_u32 {
            assert_eq!(bench.cvar_write(handle, value), Err(Error::CvarSetNever));
            assert_eq!(bench.cvar_read::<u32>(handle), Ok(5));
        }
        assert_eq!(bench.registry().cvar_source(0), Some(ValueSource::Default));
    }
    // READONLY may change by itself.
    let cell = leak(Cvar::new(5_u32));
    let bench = Bench::of_cvars([cvar("limit", cell).with_scope(Scope::ReadOnly)]);
    cell.set(8).unwrap();
    assert_eq!(bench.cvar_read::<u32>(bench.cvar("limit").0), Ok(8));
}

/// Proves R96.
#[test]
fn failed_write_changes_nothing() {
    let (bench, handle) = one(Scope::Local);
    bench.cvar_write(handle, 6_u32).unwrap();
    assert_eq!(bench.cvar_write(handle, 11_u32), Err(Error::Invalid));
    assert_eq!(bench.cvar_read::<u32>(handle), Ok(6));
    let refusing =
        leak(Cvar::new(1_u32).on_set(|value| if value == 2 { Err(Error::CvarSetNotNow) } else { Ok(()) }));
    let bench = Bench::of_cvars([cvar("refusing", refusing)]);
    let (handle, _) = bench.cvar("refusing");
    assert_eq!(bench.cvar_write(handle, 2_u32), Err(Error::CvarSetNotNow), "the error of `on_set`");
    assert_eq!(bench.cvar_read::<u32>(handle), Ok(1));
    assert_eq!(bench.registry().cvar_source(0), Some(ValueSource::Default));
    assert_eq!(bench.cvar_write(handle, 3_u32), Ok(()));
}

/// Proves R97, R98.
#[test]
fn initialization_freezes_settings() {
    in_own_process(|| {
        let cell = leak(Cvar::new(5_u32));
        let bench = Bench::of_cvars([cvar("early", cell).before_init()]);
        let (handle, _) = bench.cvar("early");
        assert_eq!(bench.cvar_write(handle, 6_u32), Ok(()));
        host::set_initialized();
        for value in 7..20_u32 {
            assert_eq!(bench.cvar_write(handle, value), Err(Error::CvarSetNever));
            assert_eq!(bench.cvar_write(handle, 6_u32), Ok(()), "its value");
            assert_eq!(bench.cvar_read::<u32>(handle), Ok(6));
        }
        let text = leak(Cvar::new(Text::<8>::new("early")));
        let fixed = leak(Cvar::new(1_u32));
        let bench = Bench::of_cvars([
            cvar("text", text).before_init(),
            cvar("fixed", fixed).with_scope(Scope::ReadOnly),
        ]);
        let ((text, _), (fixed, _)) = (bench.cvar("text"), bench.cvar("fixed"));
        assert_eq!(bench.cvar_write_text(text, b"early\0"), Ok(()), "its value");
        for other in [b"earl\0".as_slice(), b"earlyr\0", b"\0", b"earlyear"] {
            assert_eq!(bench.cvar_write_text(text, other), Err(Error::CvarSetNever), "{other:?}");
        }
        assert_eq!(bench.cvar_write(fixed, 1_u32), Err(Error::CvarSetNever), "its value");
    });
}

/// Proves R99.
#[test]
fn undeclared_values_are_refused() {
    let (bench, handle) = one(Scope::Local);
    for value in [11, 12, u32::MAX] {
        assert_eq!(bench.cvar_write(handle, value), Err(Error::Invalid));
    }
    assert_eq!(bench.cvar_read::<u32>(handle), Ok(5));
    let bench = Bench::of_cvars([
        cvar("phase", leak(Cvar::new(Phase::Working))),
        cvar("flag", leak(Cvar::new(true))),
        cvar("share", leak(Cvar::new(0.5).range(0.0..=1.0))),
        cvar("text", leak(Cvar::new(Text::<8>::new("fine")))),
    ]);
    let (phase, flag, share) = (bench.cvar("phase").0, bench.cvar("flag").0, bench.cvar("share").0);
    let (text, _) = bench.cvar("text");
    assert_eq!(bench.cvar_write(phase, 0_i32), Err(Error::Invalid));
    assert_eq!(bench.cvar_write(phase, Phase::Done.value()), Ok(()));
    assert_eq!(bench.cvar_write(flag, 2_i32), Err(Error::Invalid));
    assert_eq!(bench.cvar_write(share, f64::NAN), Err(Error::Invalid));
    assert_eq!(bench.cvar_write(share, -0.1), Err(Error::Invalid));
    assert_eq!(bench.cvar_write_text(text, b"\xff\xff\0"), Err(Error::Invalid), "not UTF-8");
    assert_eq!(bench.cvar_read::<i32>(phase), Ok(40));
    assert_eq!(bench.cvar_read::<i32>(flag), Ok(1));
    assert_eq!(bench.cvar_read::<f64>(share), Ok(0.5));
    assert_eq!(bench.cvar_read_text(text, 8).unwrap(), b"fine\0\0\0\0");
}

/// Proves R100.
#[test]
fn group_scope_needs_a_description() {
    for scope in [Scope::Group, Scope::GroupEq] {
        let registry = Registry::new();
        let image = image([], [cvar("shared", leak(Cvar::new(1_i32))).with_scope(scope)]);
        assert_refusals(&registry, &image, &["description"]);
        assert_eq!(registry.cvar_count(), 0);
    }
}

/// Proves R104.
#[test]
fn every_scope_can_be_read() {
    for scope in Scope::ALL {
        let (bench, handle) = one(*scope);
        assert_eq!(bench.cvar_read::<u32>(handle), Ok(5), "{scope}");
    }
}

/// Proves R101, R102.
#[test]
fn write_contacts_no_other_process() {
    let scopes = [Scope::Local, Scope::Group, Scope::GroupEq, Scope::All, Scope::AllEq];
    for scope in scopes {
        // Two processes, of which neither knows of the other.
        let [one, other] = [(); 2].map(|()| {
            let setting = cvar(variable("size").with_description("All processes."), leak(Cvar::new(1_i32)))
                .with_scope(scope);
            Bench::of_cvars([setting])
        });
        let [(of_one, _), (of_other, _)] = [one, other].map(|bench| bench.cvar("size"));
        assert_eq!((one.cvar_write(of_one, 2), other.cvar_write(of_other, 3)), (Ok(()), Ok(())));
        assert_eq!((one.cvar_read(of_one), other.cvar_read(of_other)), (Ok(2), Ok(3)), "{scope:?}");
    }
}
