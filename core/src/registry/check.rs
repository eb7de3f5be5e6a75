//! Rules that can be checked only at registration, although each definition compiled by itself.

use std::fmt;

use super::Rule;
use crate::cell::{Behavior, PvarDesc, PvarFlags};
use crate::cvar::CvarDesc;
use crate::desc::{EnumDesc, Origin};
use crate::event::{EventDesc, LARGEST_EVENT};
use crate::object::Object;
use crate::vocabulary::{Bind, Class, Datatype, Scope};

/// The largest length of a name, in bytes.
pub const LONGEST_NAME: usize = 255;

/// A fault of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The broken rule.
    pub rule: Rule,
    /// The explanation.
    pub why: String,
}

impl Fault {
    pub(crate) fn of(rule: Rule, why: impl Into<String>) -> Self {
        Self { rule, why: why.into() }
    }
}

/// Creates a fault of malformed structs and pointers.
impl From<&str> for Fault {
    fn from(why: &str) -> Self {
        Self::of(Rule::Table, why)
    }
}

impl From<String> for Fault {
    fn from(why: String) -> Self {
        Self::of(Rule::Table, why)
    }
}

/// Drops the rule.
impl From<Fault> for String {
    fn from(fault: Fault) -> Self {
        fault.why
    }
}

/// A definition that was not registered, with the reason.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The broken rule.
    pub rule: Rule,
    /// The kind and name of the definition: ``pvar `messages` (COUNTER)``.
    pub what: String,
    /// The place of the definition.
    pub place: String,
    /// The reason.
    pub why: String,
    /// True if the definition itself has no fault: its name is taken, or that of another definition that it needs.
    pub is_taken: bool,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mpit: {} at {} is left out: {}", self.what, self.place, self.why)
    }
}

impl Refusal {
    pub(crate) fn new(what: String, origin: Origin, fault: impl Into<Fault>) -> Self {
        let Fault { rule, why } = fault.into();
        Self { rule, what, place: origin.to_string(), why, is_taken: false }
    }

    /// Creates the refusal of a second definition with a name; the first one stays.
    pub(crate) fn duplicate(what: String, origin: Origin, first: Origin) -> Self {
        let why = format!("{first} already defines it, and names are unique; rename one of the two");
        Self { is_taken: true, ..Self::new(what, origin, Fault::of(Rule::C45, why)) }
    }
}

/// Returns the reason why a name cannot be used, if there is one.
pub fn name_fault(name: &str) -> Option<&'static str> {
    broken_by_name(name).map(|(_, why)| why)
}

/// Returns the rule that a name breaks, if it does, and an explanation.
fn broken_by_name(name: &str) -> Option<(Rule, &'static str)> {
    if name.is_empty() {
        Some((Rule::C1, "its name is empty"))
    } else if name.len() > LONGEST_NAME {
        Some((Rule::C3, "its name is longer than 255 bytes"))
    } else if name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',') {
        // The fast path, for nearly every name.
        None
    } else if name.contains(|c: char| c == ',' || c.is_whitespace() || c.is_control()) {
        Some((Rule::C2, "its name contains white space, a comma or a control character"))
    } else {
        None
    }
}

pub(crate) fn text_fault(name: &str, description: &str) -> Option<Fault> {
    if let Some((rule, why)) = broken_by_name(name) {
        Some(Fault::of(rule, why))
    } else if description.contains('\0') {
        Some(Fault::of(Rule::C2, "its description contains a NUL"))
    } else {
        None
    }
}

/// Returns the reason why a performance variable cannot be registered, if there is one.
pub(super) fn pvar_fault(desc: &PvarDesc) -> Option<Fault> {
    if let Some(fault) = text_fault(desc.name(), desc.description()) {
        return Some(fault);
    }
    if !desc.class().datatypes().contains(&desc.datatype()) {
        return Some(Fault::of(
            Rule::C6,
            format!("the class {} does not admit {} values", desc.class(), desc.datatype()),
        ));
    }
    if desc.class() == Class::State && desc.enumeration().is_none() {
        return Some(Fault::of(Rule::C9, "a STATE names its states by an enumeration"));
    }
    if desc.enumeration().is_some() && desc.datatype() != Datatype::Int {
        return Some(Fault::of(Rule::C10, "only INT variables have an enumeration"));
    }
    let flags = desc.flags();
    if flags.has(PvarFlags::ATOMIC) && flags.has(PvarFlags::READONLY) {
        return Some(Fault::of(Rule::C21, "what can only be read cannot be read and reset in one step"));
    }
    if flags.has(PvarFlags::ATOMIC) && desc.behavior() != Behavior::Sum {
        return Some(Fault::of(Rule::C22, "only sums can be read and reset in one atomic step"));
    }
    if matches!(desc.behavior(), Behavior::Highest | Behavior::Lowest)
        && desc.level_storage(&Object::NONE).is_none()
    {
        return Some(Fault::of(Rule::C6, "a watermark needs a cell that knows its level"));
    }
    None
}

pub(super) fn cvar_fault(desc: &CvarDesc) -> Option<Fault> {
    if let Some(fault) = text_fault(desc.name(), desc.description()) {
        return Some(fault);
    }
    if desc.count() == 0 {
        return Some(Fault::of(Rule::C28, "its value has no element"));
    }
    if matches!(desc.scope(), Scope::Group | Scope::GroupEq) && desc.description().trim().is_empty() {
        return Some(Fault::of(
            Rule::C25,
            format!("the description of a {} setting has to name the group", desc.scope()),
        ));
    }
    if desc.enumeration().is_some() && desc.datatype() != Datatype::Int {
        return Some(Fault::of(Rule::C10, "only INT variables have an enumeration"));
    }
    match (desc.has_bound_cell(), desc.bind()) {
        (true, Bind::NoObject) => {
            let why = "it has a value for each object and is bound to none: say to which kind";
            Some(Fault::of(Rule::C29, why))
        }
        (false, kind) if kind != Bind::NoObject => {
            let why = format!("it is bound to {kind} and has one value for all objects: use an `ObjectCvar`");
            Some(Fault::of(Rule::C29, why))
        }
        _ => None,
    }
}

pub(super) fn enum_fault(desc: &EnumDesc) -> Option<Fault> {
    if let Some(fault) = text_fault(desc.name(), "") {
        return Some(fault);
    }
    if desc.items().is_empty() {
        return Some(Fault::of(Rule::C11, "it has no item"));
    }
    for (at, item) in desc.items().iter().enumerate() {
        if item.name().is_empty() || item.name().contains('\0') {
            return Some(Fault::of(Rule::R68, "one of its items has no usable name"));
        }
        for other in &desc.items()[..at] {
            if other.name() == item.name() || other.value() == item.value() {
                return Some(Fault::of(
                    Rule::C12,
                    format!("its items `{}` and `{}` are not distinct", other.name(), item.name()),
                ));
            }
        }
    }
    None
}

/// Returns the reason why an event type cannot be registered, or binds its cell to it.
pub(super) fn event_fault(desc: &'static EventDesc) -> Option<Fault> {
    if let Some(fault) = text_fault(desc.name(), desc.description()) {
        return Some(fault);
    }
    if desc.extent() > LARGEST_EVENT {
        return Some(Fault::of(Rule::C33, format!("its payload is larger than {LARGEST_EVENT} bytes")));
    }
    let elements = desc.elements();
    if elements.first().is_some_and(|first| first.displacement() != 0) {
        return Some(Fault::of(Rule::C32, "its first element does not lie at the start"));
    }
    if elements.windows(2).any(|pair| pair[0].end() > pair[1].displacement()) {
        return Some(Fault::of(
            Rule::C32,
            "its elements overlap, or are not in the order of their displacements",
        ));
    }
    let names = desc.element_names().map(EnumDesc::items);
    let fitting = |items: &[crate::desc::EnumItem]| {
        items.len() == elements.len() && items.iter().zip(0..).all(|(item, at)| item.value() == at)
    };
    if names.is_some_and(|items| !fitting(items)) {
        return Some(Fault::of(Rule::C34, "its enumeration does not name its elements in order"));
    }
    if !desc.cell().claim(desc) {
        return Some(Fault::from("its cell serves another event type; each needs its own"));
    }
    None
}
