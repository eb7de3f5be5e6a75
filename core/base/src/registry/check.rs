//! Rules that can be checked only at registration, although each definition compiled by itself.

use std::fmt;

use super::{Definition, Rule};
use crate::cell::{Behavior, PvarDesc, PvarFlags};
use crate::cvar::CvarDesc;
use crate::desc::{Activation, EnumDesc, Origin};
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

    /// Adds the place of the fault in the definition.
    pub(crate) fn within(self, place: impl fmt::Display) -> Self {
        Self { why: format!("{place}: {}", self.why), ..self }
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

/// The effect of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The definition is not registered.
    LeftOut,
    /// The category is registered with the description of an earlier mention.
    KeepsFirstDescription,
    /// The category is registered, and is not placed in the category with this name.
    NotPlacedIn(&'static str),
    /// The category is registered, and does not contain the category with this name.
    DoesNotContain(&'static str),
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut => f.write_str("is left out"),
            Self::KeepsFirstDescription => f.write_str("keeps its first description"),
            Self::NotPlacedIn(name) => write!(f, "is not placed in `{name}`"),
            Self::DoesNotContain(name) => write!(f, "does not contain `{name}`"),
        }
    }
}

/// A definition that was not registered, or not as it is written, with the reason.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The broken rule.
    pub rule: Rule,
    /// The kind and name of the definition: ``pvar `messages` (COUNTER)``.
    pub what: String,
    /// The place of the definition.
    pub place: String,
    /// The effect on the definition.
    pub effect: Effect,
    /// The reason.
    pub why: String,
    /// True if the definition itself has no fault: its name is taken, or that of another definition that it needs.
    pub is_taken: bool,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mpit: {} at {} {}: {}", self.what, self.place, self.effect, self.why)
    }
}

impl Refusal {
    /// Creates the refusal of a definition that is left out.
    pub(crate) fn new(what: String, origin: Origin, fault: impl Into<Fault>) -> Self {
        let Fault { rule, why } = fault.into();
        Self { rule, what, place: origin.to_string(), effect: Effect::LeftOut, why, is_taken: false }
    }

    pub(crate) fn of(desc: &impl Definition, fault: impl Into<Fault>) -> Self {
        Self::new(desc.label(), desc.origin(), fault)
    }

    /// Creates the refusal of a second definition with a name; the first one stays, which may be that of a plug-in.
    pub(crate) fn duplicate(
        what: String,
        origin: Origin,
        (first, activation): (Origin, Option<&'static Activation>),
    ) -> Self {
        let plugin = activation.map_or("", Activation::plugin);
        let first =
            if plugin.is_empty() { first.to_string() } else { format!("{first} of the plug-in {plugin}") };
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
    } else if !has_any(name, |byte| !byte.is_ascii_graphic() || byte == b',') {
        // The fast path, for nearly every name.
        None
    } else if name.contains(|c: char| c == ',' || c.is_whitespace() || c.is_control()) {
        Some((Rule::C2, "its name contains white space, a comma or a control character"))
    } else {
        None
    }
}

/// Returns true if `is_so` is true of a byte. Without a branch for each byte, unlike a search, which ends at the first one.
#[inline]
fn has_any(text: &str, is_so: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    in_blocks::<16>(bytes, &is_so)
        .or_else(|| in_blocks::<8>(bytes, &is_so))
        .unwrap_or_else(|| bytes.iter().fold(false, |found, byte| found | is_so(*byte)))
}

/// Returns the result of [`has_any`] for a text of at least `N` bytes. The bytes of a block are checked together. The last block may
/// overlap the one before, so that no bytes are left over to be checked one by one.
#[inline]
fn in_blocks<const N: usize>(bytes: &[u8], is_so: impl Fn(u8) -> bool) -> Option<bool> {
    let last = bytes.last_chunk::<N>()?;
    let in_block = |block: &[u8; N]| block.iter().fold(false, |found, byte| found | is_so(*byte));
    let (blocks, _) = bytes.as_chunks::<N>();
    Some(blocks.iter().fold(in_block(last), |found, block| found | in_block(block)))
}

/// Checks the texts of a definition.
pub(crate) fn check_text(name: &str, description: &str) -> Result<(), Fault> {
    match broken_by_name(name) {
        Some((rule, why)) => Err(Fault::of(rule, why)),
        None if has_any(description, |byte| byte == 0) => {
            Err(Fault::of(Rule::C2, "its description contains a NUL"))
        }
        None => Ok(()),
    }
}

/// Checks a performance variable, whose values have this enumeration, if any.
pub(super) fn check_pvar(desc: &PvarDesc, enumeration: Option<&'static EnumDesc>) -> Result<(), Fault> {
    check_text(desc.name(), desc.description())?;
    if !desc.class().datatypes().contains(&desc.datatype()) {
        let why = format!("the class {} does not admit {} values", desc.class(), desc.datatype());
        return Err(Fault::of(Rule::C6, why));
    }
    if desc.class() == Class::State && enumeration.is_none() {
        return Err(Fault::of(Rule::C9, "a STATE names its states by an enumeration"));
    }
    if enumeration.is_some() && desc.datatype() != Datatype::Int {
        return Err(Fault::of(Rule::C10, "only INT variables have an enumeration"));
    }
    let flags = desc.flags();
    if flags.has(PvarFlags::ATOMIC) && flags.has(PvarFlags::READONLY) {
        return Err(Fault::of(Rule::C21, "what can only be read cannot be read and reset in one step"));
    }
    if flags.has(PvarFlags::ATOMIC) && desc.behavior() != Behavior::Sum {
        return Err(Fault::of(Rule::C22, "only sums can be read and reset in one atomic step"));
    }
    if matches!(desc.behavior(), Behavior::Highest | Behavior::Lowest)
        && desc.level_storage(&Object::NONE).is_none()
    {
        return Err(Fault::of(Rule::C6, "a watermark needs a cell that knows its level"));
    }
    Ok(())
}

pub(super) fn check_cvar(desc: &CvarDesc) -> Result<(), Fault> {
    check_text(desc.name(), desc.description())?;
    if desc.count() == 0 {
        return Err(Fault::of(Rule::C28, "its value has no element"));
    }
    if matches!(desc.scope(), Scope::Group | Scope::GroupEq) && desc.description().trim().is_empty() {
        let why = format!("the description of a {} setting has to name the group", desc.scope());
        return Err(Fault::of(Rule::C25, why));
    }
    if desc.enumeration().is_some() && desc.datatype() != Datatype::Int {
        return Err(Fault::of(Rule::C10, "only INT variables have an enumeration"));
    }
    match (desc.has_bound_cell(), desc.bind()) {
        (true, Bind::NoObject) => {
            let why = "it has a value for each object and is bound to none: say to which kind";
            Err(Fault::of(Rule::C29, why))
        }
        (false, kind) if kind != Bind::NoObject => {
            let why = format!("it is bound to {kind} and has one value for all objects: use an `ObjectCvar`");
            Err(Fault::of(Rule::C29, why))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_enum(desc: &EnumDesc) -> Result<(), Fault> {
    check_text(desc.name(), "")?;
    if desc.items().is_empty() {
        return Err(Fault::of(Rule::C11, "it has no item"));
    }
    for (at, item) in desc.items().iter().enumerate() {
        if item.name().is_empty() || item.name().contains('\0') {
            return Err(Fault::of(Rule::R68, "one of its items has no usable name"));
        }
        for other in &desc.items()[..at] {
            if other.name() == item.name() || other.value() == item.value() {
                let why = format!("its items `{}` and `{}` are not distinct", other.name(), item.name());
                return Err(Fault::of(Rule::C12, why));
            }
        }
    }
    Ok(())
}

/// The fault of an event type whose cell is bound to another one.
pub(super) const CELL_IS_TAKEN: &str = "its cell serves another event type; each needs its own";

/// Checks an event type. `planned` is the planned event type with the same cell, if any.
pub(super) fn check_event(desc: &EventDesc, planned: Option<&EventDesc>) -> Result<(), Fault> {
    check_text(desc.name(), desc.description())?;
    if desc.extent() > LARGEST_EVENT {
        return Err(Fault::of(Rule::C33, format!("its payload is larger than {LARGEST_EVENT} bytes")));
    }
    let elements = desc.elements();
    if elements.first().is_some_and(|first| first.displacement() != 0) {
        return Err(Fault::of(Rule::C32, "its first element does not lie at the start"));
    }
    if elements.windows(2).any(|pair| pair[0].end() > pair[1].displacement()) {
        let why = "its elements overlap, or are not in the order of their displacements";
        return Err(Fault::of(Rule::C32, why));
    }
    let names = desc.element_names().map(EnumDesc::items);
    let fitting = |items: &[crate::desc::EnumItem]| {
        items.len() == elements.len() && items.iter().zip(0..).all(|(item, at)| item.value() == at)
    };
    if names.is_some_and(|items| !fitting(items)) {
        return Err(Fault::of(Rule::C34, "its enumeration does not name its elements in order"));
    }
    if planned.is_some_and(|planned| !std::ptr::eq(planned, desc)) || !desc.cell().is_free_for(desc) {
        return Err(Fault::from(CELL_IS_TAKEN));
    }
    Ok(())
}
