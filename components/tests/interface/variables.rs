//! Definitions of the monitoring components, as tools see them: Open MPI's names, classes, datatypes and bindings.

use mpit::Error;
use mpit::internal::desc::PvarFlags;
use mpit::object::Bind;
use mpit::tool::{Class, Datatype, Registry, Scope, Tool, Verbosity};

use super::alone;
use super::sessions::VARIABLES;

#[test]
fn pvars_are_named_as_in_open_mpi() {
    let registry = Tool::new().registry();
    let number = Datatype::UnsignedLongLong;
    let numbers = VARIABLES.map(|(name, class, is_bound, ..)| {
        let kind = if is_bound {
            (number, Bind::Comm, PvarFlags::READONLY, Verbosity::TunerBasic)
        } else {
            (number, Bind::NoObject, PvarFlags::NONE, Verbosity::UserBasic)
        };
        (name, class, kind)
    });
    let kind = (Datatype::Char, Bind::NoObject, PvarFlags::NONE, Verbosity::UserBasic);
    let flush = ("pml_monitoring_flush", Class::Generic, kind);
    for (name, class, kind) in numbers.into_iter().chain([flush]) {
        let desc = registry.pvar(registry.pvar_index(name, class).unwrap()).unwrap();
        assert_eq!((desc.datatype(), desc.bind(), desc.flags(), desc.verbosity()), kind, "{name}");
        assert!(!desc.description().is_empty() && desc.enumeration().is_none(), "{name}");
        let in_bytes = ["size", "bytes", "histogram"].iter().any(|word| name.contains(word));
        assert_eq!(desc.description().to_lowercase().contains("bytes"), in_bytes, "{name}");
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
    // Two variables for each area, and for each call by name.
    assert_eq!(members(registry, "calls"), (0, 2 * (5 + 85)));
}
