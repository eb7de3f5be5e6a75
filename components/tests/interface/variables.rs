//! Definitions of the monitoring components, as tools see them: Open MPI's names, classes, datatypes and bindings.

use mpit::Error;
use mpit::internal::desc::PvarFlags;
use mpit::object::Bind;
use mpit::tool::{Class, Datatype, Registry, Scope, Tool, Verbosity};

use super::alone;

/// Bound to a communicator and read-only, a number for each of its processes or a sum.
const BOUND: [(&str, Class); 14] = [
    ("pml_monitoring_messages_count", Class::Size),
    ("pml_monitoring_messages_size", Class::Size),
    ("osc_monitoring_messages_sent_count", Class::Size),
    ("osc_monitoring_messages_sent_size", Class::Size),
    ("osc_monitoring_messages_recv_count", Class::Size),
    ("osc_monitoring_messages_recv_size", Class::Size),
    ("coll_monitoring_messages_count", Class::Size),
    ("coll_monitoring_messages_size", Class::Size),
    ("coll_monitoring_o2a_count", Class::Counter),
    ("coll_monitoring_o2a_size", Class::Aggregate),
    ("coll_monitoring_a2o_count", Class::Counter),
    ("coll_monitoring_a2o_size", Class::Aggregate),
    ("coll_monitoring_a2a_count", Class::Counter),
    ("coll_monitoring_a2a_size", Class::Aggregate),
];

/// Variables that Open MPI does not have: sums over all processes, bound to nothing.
const TOTALS: [(&str, Class); 8] = [
    ("pml_monitoring_messages_total", Class::Counter),
    ("pml_monitoring_bytes_total", Class::Aggregate),
    ("osc_monitoring_messages_sent_total", Class::Counter),
    ("osc_monitoring_bytes_sent_total", Class::Aggregate),
    ("osc_monitoring_messages_recv_total", Class::Counter),
    ("osc_monitoring_bytes_recv_total", Class::Aggregate),
    ("coll_monitoring_messages_total", Class::Counter),
    ("coll_monitoring_bytes_total", Class::Aggregate),
];

#[test]
fn pvars_are_named_as_in_open_mpi() {
    let registry = Tool::new().registry();
    let bound = BOUND.map(|(name, class)| {
        let kind = (Datatype::UnsignedLongLong, Bind::Comm, PvarFlags::READONLY, Verbosity::TunerBasic);
        (name, class, kind)
    });
    let totals = TOTALS.map(|(name, class)| {
        let kind = (Datatype::UnsignedLongLong, Bind::NoObject, PvarFlags::NONE, Verbosity::UserBasic);
        (name, class, kind)
    });
    let flush = [(
        "pml_monitoring_flush",
        Class::Generic,
        (Datatype::Char, Bind::NoObject, PvarFlags::NONE, Verbosity::UserBasic),
    )];
    for (name, class, (datatype, bind, flags, verbosity)) in bound.into_iter().chain(totals).chain(flush) {
        let desc = registry.pvar(registry.pvar_index(name, class).unwrap()).unwrap();
        assert_eq!((desc.datatype(), desc.bind()), (datatype, bind), "{name}");
        assert_eq!((desc.flags(), desc.verbosity()), (flags, verbosity), "{name}");
        assert!(!desc.description().is_empty() && desc.enumeration().is_none(), "{name}");
        let in_bytes = name.contains("size") || name.contains("bytes");
        assert_eq!(
            desc.description().contains("bytes") || desc.description().contains("Bytes"),
            in_bytes,
            "{name}"
        );
    }
}

#[test]
fn cvars_are_named_as_in_open_mpi() {
    // Some are settable until MPI is initialized.
    let (_alone, tool) = alone();
    let registry = tool.registry();
    let versions = ["pml", "osc", "coll"].into_iter().flat_map(|framework| {
        ["major", "minor", "release"].map(|part| {
            (format!("{framework}_monitoring_{part}_version"), 1, Scope::Constant, Verbosity::MpidevAll)
        })
    });
    let settings = [
        ("pml_monitoring_enable", 1, Scope::ReadOnly, Verbosity::TunerBasic),
        ("pml_monitoring_enable_output", 1, Scope::ReadOnly, Verbosity::MpidevAll),
        ("pml_monitoring_filename", 2048, Scope::ReadOnly, Verbosity::MpidevAll),
        ("coll_monitoring_compat", 1, Scope::Local, Verbosity::TunerDetail),
    ]
    .map(|(name, count, scope, verbosity)| (name.to_owned(), count, scope, verbosity));
    for (name, count, scope, verbosity) in versions.chain(settings) {
        let desc = registry.cvar(registry.cvar_index(&name).unwrap()).unwrap();
        assert_eq!((desc.count(), desc.scope(), desc.verbosity()), (count, scope, verbosity), "{name}");
        let datatype = if count == 1 { Datatype::Int } else { Datatype::Char };
        assert_eq!(desc.datatype(), datatype, "{name}");
        if count == 1 {
            let written = tool.cvar(&name).unwrap().write(&[1_i32]);
            assert_eq!(written, Err(Error::CvarSetNever), "{name}");
        }
    }
}

/// The control variables and the performance variables of a category that are called after it.
fn members(registry: &Registry, name: &str) -> (usize, usize) {
    let category = registry.category(registry.category_index(name).unwrap()).unwrap();
    assert!(!category.description().is_empty(), "{name}");
    category.with_members(|members| {
        let cvar = |index: &&u32| registry.cvar(**index).unwrap().name().starts_with(name);
        let pvar = |index: &&u32| registry.pvar(**index).unwrap().name().starts_with(name);
        (members.cvars.iter().filter(cvar).count(), members.pvars.iter().filter(pvar).count())
    })
}

#[test]
fn categories_hold_a_components_variables() {
    let registry = Tool::new().registry();
    for (framework, cvars, pvars) in [("pml", 6, 6), ("osc", 3, 12), ("coll", 4, 10)] {
        let name = format!("{framework}_monitoring");
        assert_eq!(members(registry, &name), (cvars, pvars), "{name}");
        let child = registry.category_index(&name).unwrap();
        let parent = registry.category(registry.category_index(framework).unwrap()).unwrap();
        assert!(parent.with_members(|members| members.categories.contains(&child)), "{name}");
    }
    assert_eq!(members(registry, "calls"), (0, 10));
}
