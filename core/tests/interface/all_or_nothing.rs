//! Images that are added whole or not at all.

use crate::support::metadata::{VariableMetadata, variable};
use crate::support::{Phase, category, cvar, enumeration, event, here, image, leak, pvar, source};
use mpit::cell::{Counter, State};
use mpit::cvar::Cvar;
use mpit::event::EventCell;
use mpit::internal::desc::{CategoryDesc, Element, Origin};
use mpit::internal::registry::Image;
use mpit::tool::{Class, Datatype, EnumDesc, EnumItem, EventDesc, PvarDesc, Registry};

fn counter(variable: impl Into<VariableMetadata>) -> PvarDesc {
    pvar(variable, Class::Counter, leak(Counter::<u64>::new()))
}

/// Returns an image with entries of all kinds, in categories, one of which contains another.
fn good() -> Image {
    let inner = category("inner", &[], &[]);
    let outer = category("outer", &[], &[inner]);
    let mut image = image(
        [counter(variable("sent").with_categories(leak(vec![inner]))), counter("received")],
        [cvar("limit", leak(Cvar::new(1_i32)))],
    );
    let clock = source("clock");
    image.categories = vec![outer];
    image.enums = vec![enumeration("phases", &[(0, "idle")])];
    image.sources = vec![clock];
    image.events = vec![leak(event("arrived", &[], clock))];
    image
}

/// Returns the number of each kind, and the update number.
fn extent(registry: &Registry) -> [usize; 7] {
    [
        registry.pvar_count() as usize,
        registry.cvar_count() as usize,
        registry.event_count() as usize,
        registry.source_count() as usize,
        registry.category_count() as usize,
        registry.enums().count(),
        registry.update_number() as usize,
    ]
}

/// Images with one fault each, and the definition that the refusal names.
fn faulty_images() -> Vec<(Image, &'static str)> {
    let mut all = Vec::new();
    let mut add_fault = |what: &'static str, add_fault: &dyn Fn(&mut Image)| {
        let mut image = good();
        add_fault(&mut image);
        all.push((image, what));
    };
    add_fault("pvar `sent` (COUNTER)", &|image| image.pvars.push(leak(counter("sent"))));
    add_fault("cvar `limit`", &|image| image.cvars.push(leak(cvar("limit", leak(Cvar::new(2_i32))))));
    add_fault("event `arrived`", &|image| image.events.push(leak(event("arrived", &[], image.sources[0]))));
    add_fault("source `clock`", &|image| image.sources.push(source("clock")));
    add_fault("enumeration `phases`", &|image| image.enums.push(enumeration("phases", &[(1, "busy")])));
    add_fault("pvar ``", &|image| image.pvars.push(leak(counter(""))));
    add_fault("enumeration `empty`", &|image| image.enums.push(enumeration("empty", &[])));
    add_fault("event `far`", &|image| {
        let elements = leak(vec![Element::new(Datatype::Int, 4)]);
        image.events.push(leak(event("far", elements, image.sources[0])));
    });
    add_fault("category `outer`", &|image| {
        image.categories.push(category("outer", &[category("inner", &[], &[])], &[]));
    });
    add_fault("category `same`", &|image| {
        let same = |text| leak(CategoryDesc::new("same", text, &[], &[], here())) as &_;
        image.categories.extend([same("One."), same("Two.")]);
    });
    all
}

#[test]
fn whole_or_not_at_all() {
    for (image, what) in faulty_images() {
        let registry = Registry::new();
        let refusals = registry.add_whole(&image, &[]).expect_err(what);
        assert_eq!(extent(&registry), [0; 7], "{what}: nothing was added");
        assert_eq!(refusals.len(), 1, "{refusals:?}");
        assert!(refusals[0].what.starts_with(what), "{refusals:?}");

        // Else the same is left out, and the rest stands.
        let refused_when_added = Registry::new().add(&image, &[]);
        assert_eq!(refused_when_added[0].to_string(), refusals[0].to_string());
        assert_eq!(refused_when_added.len(), 1, "{refused_when_added:?}");

        // What was refused leaves no trace.
        assert!(registry.add_whole(&good(), &[]).is_ok(), "{what}");
        assert_eq!(extent(&registry), [2, 1, 1, 1, 2, 1, 1]);
    }
}

#[test]
fn a_second_image_of_equal_names_is_refused() {
    let registry = Registry::new();
    assert!(registry.add_whole(&good(), &[]).is_ok());
    let before = extent(&registry);
    let refusals = registry.add_whole(&good(), &[]).unwrap_err();
    let labels: Vec<_> = refusals.iter().map(|refusal| refusal.what.as_str()).collect();
    assert_eq!(
        labels,
        [
            "pvar `received` (COUNTER)",
            "pvar `sent` (COUNTER)",
            "cvar `limit`",
            "source `clock`",
            "event `arrived`"
        ],
        "categories may be named again, and an enumeration of one place is one"
    );
    assert_eq!(extent(&registry), before);
}

/// Returns an image with events of these names, all of which have one cell.
fn of_one_cell<const N: usize>(cell: &'static EventCell, names: [&'static str; N]) -> Image {
    let source = source("clock");
    let mut image = Image::new("test");
    image.events =
        names.map(|name| leak(EventDesc::new(variable(name).metadata(here()), &[], source, cell))).to_vec();
    image
}

#[test]
fn refused_images_bind_no_cells() {
    let cell = leak(EventCell::new());
    assert!(Registry::new().refusals_of(&of_one_cell(cell, ["queried"])).is_empty());
    let mut faulty = of_one_cell(cell, ["refused"]);
    faulty.pvars.push(leak(counter("")));
    assert_eq!(Registry::new().add_whole(&faulty, &[]).unwrap_err().len(), 1);

    let registry = Registry::new();
    assert!(registry.add_whole(&of_one_cell(cell, ["added"]), &[]).is_ok());
    let refusals = Registry::new().refusals_of(&of_one_cell(cell, ["late"]));
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    assert!(refusals[0].why.contains("its cell serves another event type"), "{refusals:?}");
}

#[test]
fn a_cell_serves_one_event_of_an_image() {
    let mut image = of_one_cell(leak(EventCell::new()), ["one", "other"]);
    // The same definition may come twice.
    image.events.push(image.events[0]);
    let registry = Registry::new();
    let refusals = registry.add(&image, &[]);
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    assert_eq!(refusals[0].what, "event `other`");
    assert!(refusals[0].why.contains("its cell serves another event type"), "{refusals:?}");
    assert_eq!(registry.event_count(), 1);
}

const OTHER: &[EnumItem] = &[EnumItem::new(0, "other")];

#[test]
fn refusals_take_dependents_and_name_both() {
    let one = leak(EnumDesc::new("phase", OTHER, Origin::new("a.rs", 1)));
    let state = leak(State::<Phase>::new());
    let mut image =
        image([PvarDesc::new(variable("state").metadata(Origin::new("a.rs", 2)), Class::State, state)], []);
    image.enums = vec![one];
    image.sources = vec![source("clock")];
    let lost = source("clock");
    image.events = vec![leak(event("ticks", &[], lost))];
    let refusals = Registry::new().add_whole(&image, &[]).unwrap_err();
    let lines: Vec<_> = refusals.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    for (line, parts) in lines.iter().zip([
        ["enumeration `phase`", "already defines it"],
        ["pvar `state` (STATE) at a.rs:2", "its enumeration `phase` was left out"],
        ["source `clock`", "already defines it"],
        ["event `ticks`", "its source `clock` was left out"],
    ]) {
        assert!(parts.iter().all(|part| line.contains(part)), "{parts:?}: {line}");
    }
}
