//! The registry: indices that never move and do not depend on the linker, and what is left out.

use crate::support::metadata::variable;
use crate::support::{self, Phase, category, cvar, enumeration, image, leak, pvar, refusals};
use mpit::cell::Counter;
use mpit::cvar::Cvar;
use mpit::internal::desc::Origin;
use mpit::internal::registry::Image;
use mpit::tool::{Class, CvarDesc, PvarDesc, Registry};

fn names(registry: &Registry) -> Vec<String> {
    let pvars = (0..registry.pvar_count()).map(|index| registry.pvar(index).unwrap());
    let pvars = pvars.map(|desc| format!("{}/{}/{}", desc.component(), desc.name(), desc.class()));
    let cvars = (0..registry.cvar_count()).map(|index| registry.cvar(index).unwrap());
    let cvars = cvars.map(|desc| format!("{}/{}", desc.component(), desc.name()));
    let categories = (0..registry.category_count()).map(|index| registry.category(index).unwrap());
    let categories = categories.map(|category| {
        let members = category.with_members(Clone::clone);
        format!("{}: {:?} {:?} {:?}", category.name(), members.pvars, members.cvars, members.categories)
    });
    let enums = registry.enums().map(|desc| desc.name().to_owned());
    pvars.chain(cvars).chain(categories).chain(enums).collect()
}

/// An image with some of everything.
fn some_of_everything() -> Image {
    let inner = category("inner", &[], &[]);
    let outer = category("outer", &[], &[inner]);
    let both = leak(vec![inner, outer]).as_slice();
    let of = |component: &'static str, name: &'static str, class| {
        let cell = leak(Counter::<u64>::new());
        leak(pvar(variable(name).with_component(component).with_categories(both), class, cell)) as &PvarDesc
    };
    let set = |component: &'static str, name: &'static str| {
        let metadata = variable(name).with_component(component).with_categories(both);
        leak(cvar(metadata, leak(Cvar::new(Phase::Idle)))) as &CvarDesc
    };
    let mut image = Image::new("test");
    image.pvars = vec![
        of("b", "x", Class::Counter),
        of("a", "z", Class::Counter),
        of("a", "y", Class::Timer),
        of("a", "y", Class::Counter),
        of("a", "y", Class::Aggregate),
    ];
    image.cvars = vec![set("b", "k"), set("a", "m"), set("a", "l")];
    image.categories = vec![outer, inner];
    image.enums = vec![enumeration("zeta", &[(0, "zero")])];
    image
}

/// Returns all permutations of a list.
fn orders<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut orders_of_all = Vec::new();
    for first in 0..items.len() {
        let mut rest = items.to_vec();
        let item = rest.remove(first);
        for mut order in orders(&rest) {
            order.insert(0, item.clone());
            orders_of_all.push(order);
        }
    }
    orders_of_all
}

#[test]
fn indices_ignore_the_definition_order() {
    let one = some_of_everything();
    let registry = Registry::new();
    assert!(refusals(&registry, &one).is_empty());
    let expected = names(&registry);
    assert_eq!(
        expected[..8],
        ["a/y/COUNTER", "a/y/AGGREGATE", "a/y/TIMER", "a/z/COUNTER", "b/x/COUNTER", "a/l", "a/m", "b/k"]
    );
    for pvars in orders(&one.pvars) {
        for cvars in orders(&one.cvars) {
            for categories in orders(&one.categories) {
                let again = Image { pvars: pvars.clone(), cvars: cvars.clone(), categories, ..one.clone() };
                let registry = Registry::new();
                assert!(refusals(&registry, &again).is_empty());
                assert_eq!(names(&registry), expected);
            }
        }
    }
}

/// Proves R14, R15.
#[test]
fn batches_append_and_move_nothing() {
    let registry = Registry::new();
    let cell = leak(Counter::<u64>::new());
    registry.add(&image([pvar("m", Class::Counter, cell)], [cvar("m", leak(Cvar::new(1_i32)))]), &[]);
    let first: *const PvarDesc = registry.pvar(0).unwrap();
    for (at, name) in ["z", "a", "k"].into_iter().enumerate() {
        let batch = image([pvar(name, Class::Counter, cell)], [cvar(name, leak(Cvar::new(1_i32)))]);
        assert!(refusals(&registry, &batch).is_empty());
        let index = at as u32 + 1;
        assert_eq!(registry.pvar_index(name, Class::Counter), Some(index));
        assert_eq!(registry.cvar_index(name), Some(index));
    }
    assert_eq!(registry.pvar_index("m", Class::Counter), Some(0));
    assert!(std::ptr::eq(first, registry.pvar(0).unwrap()));
}

/// Proves R317.
#[test]
fn same_definition_may_come_twice() {
    let image = some_of_everything();
    let registry = Registry::new();
    assert!(refusals(&registry, &image).is_empty());
    let before = names(&registry);
    assert!(refusals(&registry, &image).is_empty());
    assert_eq!(names(&registry), before);
}

/// Proves R317.
#[test]
fn conflict_keeps_one_and_names_both_places() {
    let cell = leak(Counter::<u64>::new());
    let counter = |component, place| {
        PvarDesc::new(variable("sent").with_component(component).metadata(place), Class::Counter, cell)
    };
    let setting = |component, place| {
        CvarDesc::new(variable("limit").with_component(component).metadata(place), leak(Cvar::new(1_i32)))
    };
    let (solver, mesh) = (Origin::new("solver/src/traffic.rs", 12), Origin::new("mesh/src/exchange.rs", 340));
    for (kept, left) in [(solver, mesh), (mesh, solver)] {
        let registry = Registry::new();
        let pvars = [counter("b", left), counter("a", kept)];
        let messages = refusals(&registry, &image(pvars, [setting("b", left), setting("a", kept)]));
        assert_eq!((registry.pvar_count(), registry.cvar_count()), (1, 1));
        let message = |what: &str| {
            format!(
                "mpit: {what} at {left} is left out: {kept} already defines it, and names are unique; rename \
                 one of the two"
            )
        };
        assert_eq!(messages, ["pvar `sent` (COUNTER)", "cvar `limit`"].map(message));
    }
}

#[test]
fn a_variable_goes_with_its_enumeration() {
    let first = enumeration("phase", &[(0, "other")]);
    let registry = Registry::new();
    let mut image = Image::new("test");
    image.enums.push(first);
    assert!(refusals(&registry, &image).is_empty());
    let state = leak(mpit::cell::State::<Phase>::new());
    let messages = refusals(&registry, &support::image([pvar("state", Class::State, state)], []));
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].starts_with("mpit: enumeration `phase`"), "{messages:?}");
    assert!(messages[1].contains("its enumeration `phase` was left out"), "{messages:?}");
    assert_eq!(registry.pvar_count(), 0);
}

/// Proves R50.
#[test]
fn nul_in_names_or_descriptions_is_refused() {
    let registry = Registry::new();
    let counter = leak(Counter::<u64>::new());
    let pvars = [
        pvar("cut\0name", Class::Counter, counter),
        pvar(variable("described").with_description("cut\0description"), Class::Counter, counter),
        pvar(variable("good").with_description("whole"), Class::Counter, counter),
    ];
    assert_eq!(refusals(&registry, &image(pvars, [])).len(), 2);
    assert_eq!(registry.pvar_count(), 1);
    assert_eq!(registry.pvar_index("good", Class::Counter), Some(0));
}
