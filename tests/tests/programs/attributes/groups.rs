//! Categories, enumerations and components.

use mpit::cell::Counter;
use mpit::component::ComponentDesc;
use mpit::{Category, MpitEnum, category, component, pvar};

use crate::attributes::pvar;

/// Everything about the network.
///
/// Both sides of it.
#[category(contains = [Link, deeper::Switch])]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Net;

/// Links. Its parent says so, too.
#[category(name = "net.link", parent = Net)]
pub(crate) struct Link;

mod deeper {
    /// Switches.
    #[mpit::category(name = "net.switch", parent = [super::Hardware, super::Net])]
    pub(crate) struct Switch;
}

/// Touchable parts.
#[category]
struct Hardware;

/// In two categories.
#[pvar(class = "COUNTER", category = [Net, deeper::Switch])]
static COLLISIONS: Counter<u64> = Counter::new();

#[test]
fn categories_may_be_named_from_both_sides() {
    assert_eq!(Net::DESC.name(), "net");
    assert_eq!(Net::DESC.description(), "Everything about the network.\nBoth sides of it.");
    let names = |list: &[&mpit::internal::desc::CategoryDesc]| {
        list.iter().map(|desc| desc.name()).collect::<Vec<_>>()
    };
    assert_eq!(names(Net::DESC.contains()), ["net.link", "net.switch"]);
    assert_eq!(names(deeper::Switch::DESC.parents()), ["hardware", "net"]);
    assert_eq!(names(Link::DESC.parents()), ["net"]);
    assert!(!Net::DESC.is_its_own_ancestor());
}

#[test]
fn variables_are_in_their_categories() {
    let list = pvar("collisions", mpit::tool::Class::Counter).categories();
    assert_eq!(list.iter().map(|desc| desc.name()).collect::<Vec<_>>(), ["net", "net.switch"]);
    assert_eq!(COLLISIONS.total(), 0);
}

/// The protocol of a message.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, MpitEnum)]
#[repr(i32)]
pub(crate) enum Mode {
    Eager = -1,
    AfterHandshake = 1 << 4,
    /// A raw identifier.
    r#Try,
    /// A name of its own.
    #[mpit(name = "by-hand")]
    Manual,
}

#[test]
fn enumerations_are_named_crate_and_type() {
    assert_eq!(Mode::DESC.name(), "programs_mode");
    let items: Vec<_> = Mode::DESC.items().iter().map(|item| (item.value(), item.name())).collect();
    assert_eq!(items, [(-1, "eager"), (16, "after_handshake"), (17, "try"), (18, "by-hand")]);
}

#[test]
fn values_convert_to_items_and_back() {
    for mode in [Mode::Eager, Mode::AfterHandshake, Mode::r#Try, Mode::Manual] {
        assert_eq!(Mode::from_value(mode.value()), Some(mode));
    }
    assert_eq!(Mode::from_value(0), None);
}

trait Listener: Send + Sync {
    fn received(&self) -> u32;
}

/// A second framework with the same trait in another place.
mod other {
    pub(crate) trait Listener: Send + Sync {}
}

struct Antenna;

/// Listens.
#[component(framework = "air", name = "antenna")]
impl Listener for Antenna {
    fn received(&self) -> u32 {
        1
    }
}

struct Microphone {
    gain: u32,
}

impl Microphone {
    const fn new(gain: u32) -> Self {
        Self { gain }
    }
}

#[component(framework = "air", name = "microphone", object = Microphone::new(20))]
impl Listener for Microphone {
    fn received(&self) -> u32 {
        self.gain
    }
}

#[component(framework = "water", name = "antenna")]
impl other::Listener for Antenna {}

fn find(framework: &str, name: &str) -> &'static ComponentDesc {
    let found = mpit::components().find(|desc| desc.framework() == framework && desc.name() == name);
    found.unwrap_or_else(|| panic!("no component {framework}.{name}"))
}

#[test]
fn components_are_objects_of_a_framework() {
    let antenna = find("air", "antenna");
    assert_eq!(antenna.description(), "Listens.");
    assert_eq!(antenna.object::<dyn Listener>().map(Listener::received), Some(1));
    let microphone = find("air", "microphone").object::<dyn Listener>().expect("a listener");
    assert_eq!(microphone.received(), 20);
    assert!(find("water", "antenna").object::<dyn Listener>().is_none());
    assert!(find("water", "antenna").object::<dyn other::Listener>().is_some());
}
