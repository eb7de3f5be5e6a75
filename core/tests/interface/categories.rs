//! Categories: rules R195 to R216 of the interface.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::support::metadata::variable;
use crate::support::{assert_refusals, category, cvar, here, image, leak, pvar, refusals};
use mpit::cell::Counter;
use mpit::cvar::Cvar;
use mpit::internal::desc::{CategoryDesc, Origin};
use mpit::internal::registry::{Image, Members};
use mpit::tool::{Class, CvarDesc, PvarDesc, Registry};

#[track_caller]
fn counter(name: &'static str, categories: &[&'static CategoryDesc]) -> PvarDesc {
    pvar(
        variable(name).with_categories(leak(categories.to_vec())),
        Class::Counter,
        leak(Counter::<u64>::new()),
    )
}

#[track_caller]
fn setting(name: &'static str, categories: &[&'static CategoryDesc]) -> CvarDesc {
    cvar(variable(name).with_categories(leak(categories.to_vec())), leak(Cvar::new(1_i32)))
}

fn add(registry: &Registry, image: &Image) {
    assert_refusals(registry, image, &[]);
}

fn members(registry: &Registry, name: &str) -> Members {
    registry.category(registry.category_index(name).unwrap()).unwrap().with_members(Clone::clone)
}

fn only_categories(categories: &[&'static CategoryDesc]) -> Image {
    let mut image = Image::new("test");
    image.categories = categories.to_vec();
    image
}

/// Proves R195.
#[test]
fn names_are_nonempty_and_distinct() {
    let registry = Registry::new();
    let twice = [category("same", &[], &[]), category("same", &[], &[])];
    add(&registry, &only_categories(&twice));
    assert_eq!(registry.category_count(), 1, "the first mention creates it");
    assert_refusals(&registry, &only_categories(&[category("", &[], &[])]), &["its name is empty"]);
    let silent = category("described", &[], &[]);
    let first = leak(CategoryDesc::new("described", "One.", &[], &[], here()));
    let second = leak(CategoryDesc::new("described", "Two.", &[], &[], here()));
    let image = only_categories(&[second, first, silent]);
    let kept = format!(
        "mpit: category `described` at {} keeps its first description: a category of this name has another \
         description, which stays",
        second.origin()
    );
    assert_eq!(refusals(&registry, &image), [kept]);
    let index = registry.category_index("described").unwrap();
    assert_eq!(registry.category(index).unwrap().description(), "One.");
}

/// Proves R197.
#[test]
fn names_lead_to_their_indices() {
    let registry = Registry::new();
    let categories = ["b", "c", "a"].map(|name| category(name, &[], &[]));
    add(&registry, &only_categories(&categories));
    for index in 0..3 {
        let category = registry.category(index).unwrap();
        assert_eq!(registry.category_index(category.name()), Some(index));
    }
    assert!(registry.category(3).is_none());
    for name in ["", "A", "aa", "d"] {
        assert_eq!(registry.category_index(name), None);
    }
}

/// Returns true if following "contains" from a category leads back to it.
fn is_on_cycle(registry: &Registry, index: u32) -> bool {
    let mut waiting = vec![index];
    let mut seen = Vec::new();
    while let Some(next) = waiting.pop() {
        for child in registry.category(next).unwrap().with_members(|members| members.categories.clone()) {
            if child == index {
                return true;
            }
            if !seen.contains(&child) {
                seen.push(child);
                waiting.push(child);
            }
        }
    }
    false
}

/// Proves R198.
#[test]
fn categories_never_contain_themselves() {
    let registry = Registry::new();
    let c = category("c", &[], &[]);
    let b = category("b", &[], &[c]);
    let a = category("a", &[], &[b, c]);
    // The same names again, now the other way round, from both sides.
    let a_in_c = category("a", &[category("c", &[], &[])], &[]);
    let itself = category("b", &[category("b", &[], &[])], &[]);
    refusals(&registry, &only_categories(&[a, a_in_c, itself]));
    assert_eq!(registry.category_count(), 3);
    for index in 0..3 {
        assert!(!is_on_cycle(&registry, index));
    }
}

/// Proves R199, C43.
#[test]
fn edge_that_closes_a_cycle_is_refused() {
    let registry = Registry::new();
    let inner = category("inner", &[], &[]);
    let middle = category("middle", &[], &[inner]);
    add(&registry, &only_categories(&[category("outer", &[], &[middle])]));
    let (update, before) = (registry.update_number(), members(&registry, "inner").categories);
    let closing = category("inner", &[], &[category("outer", &[], &[])]);
    assert_refusals(&registry, &only_categories(&[closing]), &["its own ancestor"]);
    assert_eq!(members(&registry, "inner").categories, before);
    assert_eq!(registry.update_number(), update);
}

/// Proves C43.
#[test]
fn refused_links_cite_their_declaration() {
    let of = |name, parents: &[&'static CategoryDesc], contains: &[&'static CategoryDesc], line| {
        let origin = Origin::new("here.rs", line);
        leak(CategoryDesc::new(name, "", leak(parents.to_vec()), leak(contains.to_vec()), origin))
    };
    let registry = Registry::new();
    add(&registry, &only_categories(&[of("outer", &[], &[of("inner", &[], &[], 1)], 2)]));
    let by_parent = of("inner", &[], &[of("outer", &[], &[], 3)], 4);
    let message = "mpit: category `inner` at here.rs:4 does not contain `outer`: with `outer` in it, it would \
                   be its own ancestor";
    assert_eq!(refusals(&registry, &only_categories(&[by_parent])), [message]);
    let by_child = of("outer", &[of("inner", &[], &[], 5)], &[], 6);
    let message = "mpit: category `outer` at here.rs:6 is not placed in `inner`: in `inner` it would be its \
                   own ancestor";
    assert_eq!(refusals(&registry, &only_categories(&[by_child])), [message]);
}

/// Proves R200.
#[test]
fn lists_only_grow_at_their_end() {
    let registry = Registry::new();
    let group = category("group", &[], &[]);
    let mut before = Members::default();
    for batch in 0..5 {
        // Later batches sort before earlier ones.
        let name =
            |what: char, n: u8| -> &'static str { leak(format!("{}_{what}{n}", char::from(b'z' - batch))) };
        let mut image = image(
            [0, 1, 2].map(|n| counter(name('p', n), &[group])),
            [0, 1].map(|n| setting(name('c', n), &[group])),
        );
        image.categories.push(category(name('k', 0), &[group], &[]));
        add(&registry, &image);
        let now = members(&registry, "group");
        assert!(now.pvars.starts_with(&before.pvars) && now.pvars.len() == before.pvars.len() + 3);
        assert!(now.cvars.starts_with(&before.cvars) && now.cvars.len() == before.cvars.len() + 2);
        assert!(now.categories.starts_with(&before.categories));
        assert_eq!(now.categories.len(), before.categories.len() + 1);
        before = now;
    }
}

/// Proves R201, R205.
#[test]
fn lists_contain_only_existing_entries() {
    let registry = Registry::new();
    let child = category("child", &[], &[]);
    let group = category("group", &[], &[child]);
    let mut image = image([counter("p", &[group]), counter("q", &[])], [setting("c", &[group])]);
    image.categories.push(group);
    add(&registry, &image);
    let members = members(&registry, "group");
    assert_eq!((members.pvars.len(), members.cvars.len(), members.categories.len()), (1, 1, 1));
    assert_eq!(registry.pvar(members.pvars[0]).unwrap().name(), "p");
    assert_eq!(registry.cvar(members.cvars[0]).unwrap().name(), "c");
    assert_eq!(registry.category(members.categories[0]).unwrap().name(), "child");
}

/// Proves R206.
#[test]
fn member_may_be_in_several_categories() {
    let registry = Registry::new();
    let both = category("both", &[], &[]);
    let one = category("one", &[], &[both]);
    let two = category("two", &[], &[both]);
    let mut image = image([counter("shared", &[one, two]), counter("free", &[])], []);
    image.categories = vec![one, two];
    add(&registry, &image);
    let shared = registry.pvar_index("shared", Class::Counter).unwrap();
    let inside = registry.category_index("both").unwrap();
    for name in ["one", "two"] {
        assert_eq!(members(&registry, name).pvars, [shared]);
        assert_eq!(members(&registry, name).categories, [inside]);
    }
}

/// Proves R207.
#[test]
fn nothing_is_listed_twice() {
    let registry = Registry::new();
    let group = category("group", &[], &[]);
    let again = category("group", &[], &[]);
    let child = category("child", &[group, again], &[]);
    let parent = category("group", &[], &[child]);
    let mut image = image([counter("p", &[group, again, group])], [setting("c", &[group, again])]);
    image.categories = vec![child, parent];
    add(&registry, &image);
    add(&registry, &image);
    let members = members(&registry, "group");
    assert_eq!((members.pvars.len(), members.cvars.len(), members.categories.len()), (1, 1, 1));
}

/// Proves R208, R209, R210.
#[test]
fn update_number_grows_with_every_change() {
    let registry = Registry::new();
    let group = category("group", &[], &[]);
    let mut last = registry.update_number();
    let mut grows = |image: &Image, what: &str| {
        add(&registry, image);
        assert_eq!(registry.update_number(), last + 1, "{what}: once for each batch");
        last += 1;
        add(&registry, image);
        assert_eq!(registry.update_number(), last, "{what}: nothing has changed");
    };
    grows(&only_categories(&[group]), "a category");
    grows(&image([counter("p", &[group]), counter("q", &[group])], []), "pvars in it");
    grows(&image([], [setting("c", &[group])]), "a cvar in it");
    let (one, two) = (category("one", &[], &[]), category("two", &[], &[]));
    grows(&only_categories(&[one, two]), "more categories");
    grows(&only_categories(&[category("one", &[two], &[])]), "one in another");
}

/// Proves R211.
#[test]
fn update_number_stays_without_a_change() {
    let registry = Registry::new();
    add(&registry, &image([counter("p", &[])], [setting("c", &[])]));
    assert_eq!(registry.update_number(), 0);
    add(&registry, &Image::new("empty"));
    assert_eq!(registry.update_number(), 0);
}

/// Proves R214.
#[test]
fn update_number_is_published_after_content() {
    let registry = &Registry::new();
    let group = category("group", &[], &[]);
    add(registry, &only_categories(&[group]));
    let done = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while !done.load(Relaxed) {
                let seen = registry.update_number();
                let pvars = members(registry, "group").pvars;
                // The first number stands for the category, each further one for a batch of two variables.
                assert!(pvars.len() as i32 >= (seen - 1) * 2);
                assert!(pvars.iter().all(|index| registry.pvar(*index).is_some()));
            }
        });
        for batch in 0..500 {
            let name = |n| -> &'static str { leak(format!("v{batch}_{n}")) };
            add(registry, &image([0, 1].map(|n| counter(name(n), &[group])), []));
        }
        done.store(true, Relaxed);
    });
    assert_eq!(registry.update_number(), 501);
}
