//! Queries of performance variables: rules R129 to R137 of the interface.

use crate::support::metadata::variable;
use crate::support::{Bench, assert_refusals, image, leak, pvar, refusals};
use mpit::cell::{Counter, Level, PeerArray};
use mpit::internal::desc::PvarFlags;
use mpit::object::Bind;
use mpit::tool::{Class, Datatype, Registry, Verbosity};

fn bench() -> Bench {
    let (counter, level) = (leak(Counter::<u64>::new()), leak(Level::<u32>::new()));
    Bench::of_pvars([
        pvar(variable("messages").with_description("Messages."), Class::Counter, counter)
            .with_verbosity(Verbosity::UserAll)
            .with_datatype(Datatype::UnsignedLong)
            .with_flags(PvarFlags::ATOMIC),
        pvar("messages", Class::Aggregate, counter).with_flags(PvarFlags::CONTINUOUS),
        pvar("queue", Class::Level, level),
        pvar("peers", Class::Counter, leak(PeerArray::<u64>::new())),
    ])
}

/// Proves R130.
#[test]
fn answers_never_change() {
    let bench = bench();
    let registry = bench.registry();
    let answers = || {
        let each = (0..4).map(|index| registry.pvar(index).unwrap());
        each.map(|desc| {
            let words = (desc.name(), desc.class(), desc.datatype(), desc.bind());
            (words, desc.verbosity(), desc.description(), desc.flags(), desc.enumeration().is_none())
        })
        .collect::<Vec<_>>()
    };
    let before = answers();
    let index = registry.pvar_index("messages", Class::Counter).unwrap() as usize;
    assert_eq!(before[index].0, ("messages", Class::Counter, Datatype::UnsignedLong, Bind::NoObject));
    assert_eq!((before[index].1, before[index].2), (Verbosity::UserAll, "Messages."));
    let session = bench.session();
    bench.handle(session, "messages", Class::Counter);
    registry.add(&image([pvar("aaa", Class::Counter, leak(Counter::<u64>::new()))], []), &[]);
    bench.interface.session_free(session).unwrap();
    assert_eq!(answers(), before);
}

/// Proves R131.
#[test]
fn names_are_unique_in_their_class() {
    let cell = leak(Counter::<u64>::new());
    let long = leak("x".repeat(256));
    let registry = Registry::new();
    let pvars = [
        pvar("", Class::Counter, cell),
        pvar("a,b", Class::Counter, cell),
        pvar("a b", Class::Counter, cell),
        pvar("a\0b", Class::Counter, cell),
        pvar(long.as_str(), Class::Counter, cell),
        pvar("same", Class::Counter, cell),
        pvar("same", Class::Aggregate, cell),
        pvar("same", Class::Counter, leak(Counter::<u64>::new())),
    ];
    let messages = refusals(&registry, &image(pvars, []));
    assert_eq!(messages.len(), 6, "{messages:#?}");
    assert_eq!(messages.iter().filter(|message| message.contains("already defines it")).count(), 1);
    assert_eq!(registry.pvar_count(), 2);
}

/// Proves R132.
#[test]
fn flags_are_those_of_the_definition() {
    let bench = bench();
    let flags = |name, class| {
        let index = bench.registry().pvar_index(name, class).unwrap();
        let flags = bench.registry().pvar(index).unwrap().flags();
        [PvarFlags::READONLY, PvarFlags::CONTINUOUS, PvarFlags::ATOMIC].map(|flag| flags.has(flag))
    };
    assert_eq!(flags("messages", Class::Counter), [false, false, true]);
    assert_eq!(flags("messages", Class::Aggregate), [false, true, false]);
    assert_eq!(flags("queue", Class::Level), [true, false, false]);
    assert_eq!(flags("peers", Class::Counter), [false, false, false]);
}

/// Proves R132.
#[test]
fn contradictory_flags_are_refused() {
    let (counter, level) = (leak(Counter::<u64>::new()), leak(Level::<u32>::new()));
    let pvars = [
        pvar("a", Class::Counter, counter).with_flags(PvarFlags::ATOMIC.with(PvarFlags::READONLY)),
        pvar("b", Class::HighWatermark, level).with_flags(PvarFlags::ATOMIC),
        pvar("c", Class::HighWatermark, counter),
    ];
    let parts = ["can only be read", "only sums", "knows its level"];
    assert_refusals(&Registry::new(), &image(pvars, []), &parts);
}

/// Proves R133.
#[test]
fn name_and_class_lead_to_the_index() {
    let bench = bench();
    assert_eq!(bench.registry().pvar_count(), 4);
    for index in 0..4 {
        let desc = bench.registry().pvar(index).unwrap();
        assert_eq!(bench.registry().pvar_index(desc.name(), desc.class()), Some(index));
    }
    assert!(bench.registry().pvar(4).is_none());
    assert!(bench.registry().pvar(u32::MAX).is_none());
}

/// Proves R134.
#[test]
fn name_alone_is_not_enough() {
    let bench = bench();
    for class in Class::ALL {
        let known = matches!(class, Class::Counter | Class::Aggregate);
        assert_eq!(bench.registry().pvar_index("messages", *class).is_some(), known, "{class}");
    }
    for name in ["", "message", "messages_", "MESSAGES"] {
        assert_eq!(bench.registry().pvar_index(name, Class::Counter), None);
    }
}
