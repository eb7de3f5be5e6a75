//! Tests of definitions that are refused or left out, and of calls with unknown values. The export of each kind of definition is
//! tested by loading plug-ins.

use std::ffi::{CStr, c_char};
use std::sync::atomic::AtomicU32;

use super::c_tables::Tables;
use super::{About, export_as, only_one};
use crate::abi::{self, Host, MAGIC, MAJOR, MINOR};
use crate::cell::{Counter, Custom, PvarDesc};
use crate::component::ComponentDesc;
use crate::desc::{CategoryDesc, Metadata, Origin, SharedMetadata};
use crate::event::{EventCell, EventDesc, SourceCell, SourceDesc};
use crate::leak::leak;
use crate::object::Object;
use crate::registry::{Image, Refusal};
use crate::vocabulary::{Bind, Class, SourceOrder};

const HERE: Origin = Origin::new("there.rs", 7);

/// Returns the table of an image, and the messages for what is left out of it.
fn table_of(image: &Image, components: &[&'static ComponentDesc]) -> (&'static abi::Table, Vec<String>) {
    let (tables, left_out) = Tables::of("acme", image, components).expect("a table");
    // SAFETY: `leak` returns a valid table that is never freed.
    (unsafe { &*tables.leak() }, left_out.iter().map(Refusal::to_string).collect())
}

fn text(at: *const c_char) -> &'static str {
    // SAFETY: exported strings end with a NUL and are never freed.
    unsafe { CStr::from_ptr(at) }.to_str().expect("UTF-8")
}

fn metadata(name: &'static str, description: &str) -> Metadata {
    static SHARED: SharedMetadata = SharedMetadata::new("acme", HERE.file());
    Metadata::of(name, description, &SHARED, HERE.line())
}

fn counter(name: &'static str) -> PvarDesc {
    PvarDesc::new(metadata(name, ""), Class::Counter, leak(Counter::<u64>::new()))
}

#[test]
fn a_host_of_other_structs_gets_nothing() {
    let about = leak(About { name: "acme", origin: HERE, activate: None, deactivate: None });
    let size = size_of::<Host>();
    let host = Host { magic: MAGIC, major: MAJOR, minor: MINOR, size, name: c"test".as_ptr() };
    assert!(export_as(None, about).is_none());
    assert!(export_as(Some(&Host { magic: MAGIC + 1, ..host }), about).is_none());
    assert!(export_as(Some(&Host { major: MAJOR + 1, ..host }), about).is_none());
}

#[test]
fn one_image_is_one_plug_in() {
    let about = |name| About { name, origin: HERE, activate: None, deactivate: None };
    assert_eq!(only_one(&[&about("acme")]), Ok(()));
    assert_eq!(
        only_one(&[&about("acme"), &about("other"), &about("third")]).expect_err("refused"),
        "two plug-ins are linked into it, `acme` at there.rs:7 and `other` at there.rs:7; remove one `plugin!`"
    );
}

#[test]
fn a_text_that_c_would_cut_short_is_refused() {
    let cut = PvarDesc::new(metadata("cut", "a\0b"), Class::Counter, leak(Counter::<u64>::new()));
    let image = Image { pvars: vec![leak(cut)], ..Image::new("acme") };
    let why = Tables::of("acme", &image, &[]).expect_err("refused");
    assert_eq!(why, "pvar `cut` (COUNTER) at there.rs:7: its text \"a\\0b\" has a NUL in it");
}

#[test]
fn only_what_c_cannot_have_is_left_out() {
    struct CustomCell;
    impl Custom for CustomCell {
        type Value = i32;
        const COUNT: usize = 1;
    }
    static WORD: AtomicU32 = AtomicU32::new(0);
    static SOURCE: SourceCell = SourceCell::new();
    fn object() -> &'static (dyn std::any::Any + Send + Sync) {
        &()
    }
    let source = leak(SourceDesc::new(metadata("clock", ""), SourceOrder::Ordered, &SOURCE));
    let cells = [leak(EventCell::new()), leak(EventCell::with_mirror(&WORD))];
    let [plain, mirrored] = cells.map(|cell| leak(EventDesc::new(metadata("event", ""), &[], source, cell)));
    let image = Image {
        pvars: vec![
            leak(counter("lost")),
            leak(PvarDesc::new(metadata("strange", ""), Class::Generic, leak(CustomCell))),
        ],
        events: vec![plain, mirrored],
        ..Image::new("acme")
    };
    let components =
        ["net", "pml"].map(|framework| leak(ComponentDesc::new(framework, "ear", "", HERE, object)));
    let (table, left_out) = table_of(&image, &components);
    assert_eq!((table.num_pvars, table.num_events, table.num_components), (1, 1, 0));
    // The source is exported with its events, although the image does not list it.
    assert_eq!(table.num_sources, 1);
    let whole = |what: &str, why: &str| format!("mpit: {what} at there.rs:7 is left out: {why}");
    assert_eq!(
        left_out,
        [
            whole(
                "pvar `strange` (GENERIC)",
                "a plug-in cannot have variables with behavior of their own (`mpit::cell::Custom`)"
            ),
            whole("event `event`", "the host counts the listeners of a plug-in's event: remove `listeners`"),
            whole("component `ear` of net", "there is no framework `net`, but pml, osc and coll"),
            whole("component `ear` of pml", "it does not implement `mpit::component::pml::Component`"),
        ]
    );
}

#[test]
fn each_parent_of_a_category_has_an_entry() {
    let [one, two] = ["one", "two"].map(|name| leak(CategoryDesc::new(name, "", &[], &[], HERE)));
    let parents = leak([one, two]);
    let child = leak(CategoryDesc::new("child", "In both.", parents, &[], HERE));
    let (table, _) = table_of(&Image { categories: vec![child], ..Image::new("acme") }, &[]);
    // SAFETY: `categories` points to `num_categories` structs that are never freed.
    let entries = unsafe { std::slice::from_raw_parts(table.categories, table.num_categories) };
    let parent = |entry: &abi::Category| if entry.parent.is_null() { "" } else { text(entry.parent) };
    let all: Vec<_> = entries.iter().map(|entry| (text(entry.name), parent(entry))).collect();
    assert_eq!(all, [("child", "one"), ("child", "two"), ("one", ""), ("two", "")]);
}

#[test]
fn objects_of_unknown_kind_have_no_value() {
    /// A `struct mpit_object` of a later version, with a kind that this one does not know.
    #[repr(C)]
    struct LaterObject {
        kind: u32,
        id: u64,
        size: u32,
        ranks: *const AtomicU32,
    }
    let (table, _) = table_of(&Image { pvars: vec![leak(counter("one"))], ..Image::new("acme") }, &[]);
    // SAFETY: `num_pvars` is 1, and the struct is never freed.
    let pvar = unsafe { &*table.pvars };
    let (read, count_of) = (pvar.read.expect("a function"), pvar.count_of.expect("a function"));
    let read_and_count = |kind: u32| {
        let object = LaterObject { kind, id: 1, size: 0, ranks: std::ptr::null() };
        let object: *const Object<'_> = std::ptr::from_ref(&object).cast();
        let mut out = 9_u64;
        // SAFETY: `object` has the layout of `struct mpit_object` and is alive, `out` has one element, and `user_data` is the
        // struct's.
        let answer = unsafe { read(pvar.user_data, object, (&raw mut out).cast(), 1) };
        // SAFETY: `object` has the layout of `struct mpit_object` and is alive, and `user_data` is the struct's.
        (answer, out, unsafe { count_of(pvar.user_data, object) })
    };
    assert_eq!(read_and_count(Bind::NoObject as u32), (0, 0, 1));
    assert_eq!(read_and_count(Bind::Session as u32), (0, 0, 1));
    let (answer, out, count) = read_and_count(Bind::Session as u32 + 1);
    assert!(answer != 0 && out == 9 && count == 0);
    // SAFETY: null stands for no object, and `user_data` is the struct's.
    assert_eq!(unsafe { count_of(pvar.user_data, std::ptr::null()) }, 1);
}
