//! What only registration can see: definitions that break a rule although each compiled by itself.

use std::fmt;

use crate::desc::{
    Behaviour, CategoryDesc, CvarDesc, EnumDesc, EventDesc, LARGEST_EVENT, Origin, PvarDesc, PvarFlags,
    SourceDesc,
};
use crate::object::Object;
use crate::words::{Class, Datatype, Scope};

/// The longest name, in bytes.
pub const LONGEST_NAME: usize = 255;

/// A definition that was not registered, and why.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What it is and what it is called: ``pvar `messages` (COUNTER)``.
    pub what: String,
    /// Where it is defined.
    pub place: String,
    /// Why it was refused.
    pub why: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mpit: {} at {} is left out: {}", self.what, self.place, self.why)
    }
}

impl Refusal {
    pub(crate) fn new(what: String, origin: Origin, why: impl Into<String>) -> Self {
        Self { what, place: origin.to_string(), why: why.into() }
    }

    /// Two definitions with one name; the first one stays.
    pub(crate) fn duplicate(what: String, origin: Origin, first: Origin) -> Self {
        Self::new(
            what,
            origin,
            format!("{first} already defines it, and names are unique; rename one of the two"),
        )
    }
}

/// Why a name cannot be used, if it cannot.
#[must_use]
pub fn name_fault(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("its name is empty")
    } else if name.len() > LONGEST_NAME {
        Some("its name is longer than 255 bytes")
    } else if name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',') {
        // As nearly every name.
        None
    } else if name.contains(|c: char| c == ',' || c.is_whitespace() || c.is_control()) {
        Some("its name contains white space, a comma or a control character")
    } else {
        None
    }
}

/// Whether variables of a class may have a datatype.
#[must_use]
pub fn class_admits(class: Class, datatype: Datatype) -> bool {
    use Datatype::{Double, Int, Unsigned, UnsignedLong, UnsignedLongLong};
    match class {
        Class::State => datatype == Int,
        Class::Percentage => datatype == Double,
        Class::Counter => matches!(datatype, Unsigned | UnsignedLong | UnsignedLongLong),
        Class::Generic => true,
        Class::Level
        | Class::Size
        | Class::HighWatermark
        | Class::LowWatermark
        | Class::Aggregate
        | Class::Timer => matches!(datatype, Unsigned | UnsignedLong | UnsignedLongLong | Double),
    }
}

/// Why a performance variable cannot be registered, if it cannot.
pub(super) fn pvar_fault(desc: &PvarDesc) -> Option<String> {
    if let Some(fault) = name_fault(desc.name()).or_else(|| text_fault(desc.text())) {
        return Some(fault.into());
    }
    if !class_admits(desc.class(), desc.element()) {
        return Some(format!("the class {} does not admit {} values", desc.class(), desc.element()));
    }
    if desc.class() == Class::State && desc.enumeration().is_none() {
        return Some("a STATE names its states by an enumeration".into());
    }
    if desc.enumeration().is_some() && desc.element() != Datatype::Int {
        return Some("only INT variables have an enumeration".into());
    }
    let flags = desc.flag_set();
    if flags.has(PvarFlags::ATOMIC) && flags.has(PvarFlags::READONLY) {
        return Some("what can only be read cannot be read and reset in one step".into());
    }
    if flags.has(PvarFlags::ATOMIC) && desc.behaviour() != Behaviour::Sum {
        return Some("only sums can be read and reset in one atomic step".into());
    }
    if matches!(desc.behaviour(), Behaviour::Highest | Behaviour::Lowest)
        && desc.gauge(&Object::NONE).is_none()
    {
        return Some("a watermark needs a cell that knows its level".into());
    }
    None
}

/// Why a control variable cannot be registered, if it cannot.
pub(super) fn cvar_fault(desc: &CvarDesc) -> Option<String> {
    if let Some(fault) = name_fault(desc.name()).or_else(|| text_fault(desc.text())) {
        return Some(fault.into());
    }
    if desc.count() == 0 {
        return Some("its value has no element".into());
    }
    if matches!(desc.reach(), Scope::Group | Scope::GroupEq) && desc.text().trim().is_empty() {
        return Some(format!("the description of a {} setting has to name the group", desc.reach()));
    }
    if desc.enumeration().is_some() && desc.element() != Datatype::Int {
        return Some("only INT variables have an enumeration".into());
    }
    None
}

/// Why an enumeration cannot be registered, if it cannot.
pub(super) fn enum_fault(desc: &EnumDesc) -> Option<String> {
    if let Some(fault) = name_fault(desc.name()) {
        return Some(fault.into());
    }
    if desc.items().is_empty() {
        return Some("it has no item".into());
    }
    for (at, item) in desc.items().iter().enumerate() {
        if item.name().is_empty() || item.name().contains('\0') {
            return Some("one of its items has no usable name".into());
        }
        for other in &desc.items()[..at] {
            if other.name() == item.name() || other.value() == item.value() {
                return Some(format!("its items `{}` and `{}` are not distinct", other.name(), item.name()));
            }
        }
    }
    None
}

/// Why a source cannot be registered, if it cannot.
pub(super) fn source_fault(desc: &SourceDesc) -> Option<String> {
    name_fault(desc.name()).or_else(|| text_fault(desc.text())).map(Into::into)
}

/// Why an event type cannot be registered, if it cannot.
pub(super) fn event_fault(desc: &EventDesc) -> Option<String> {
    if let Some(fault) = name_fault(desc.name()).or_else(|| text_fault(desc.text())) {
        return Some(fault.into());
    }
    if desc.extent() > LARGEST_EVENT {
        return Some(format!("its payload is larger than {LARGEST_EVENT} bytes"));
    }
    let elements = desc.elements();
    if elements.first().is_some_and(|first| first.displacement() != 0) {
        return Some("its first element does not lie at the start".into());
    }
    if elements.windows(2).any(|pair| pair[0].end() > pair[1].displacement()) {
        return Some("its elements do not lie one behind the other".into());
    }
    let names = desc.element_names().map(EnumDesc::items);
    let fitting = |items: &[crate::desc::EnumItem]| {
        items.len() == elements.len() && items.iter().zip(0..).all(|(item, at)| item.value() == at)
    };
    names
        .is_some_and(|items| !fitting(items))
        .then(|| "its enumeration does not name its elements in order".into())
}

/// Why a category cannot be registered, if it cannot.
pub(super) fn category_fault(desc: &CategoryDesc) -> Option<String> {
    name_fault(desc.name()).or_else(|| text_fault(desc.description())).map(Into::into)
}

fn text_fault(text: &str) -> Option<&'static str> {
    text.contains('\0').then_some("its description contains a NUL")
}
