//! Values of variables: those that the standard does not allow, and the functions that return them.

use mpit::internal::registry::{Image, Rule};
use mpit::object::Bind;
use mpit::tool::{Class, CvarDesc, Datatype, EnumDesc, PvarDesc, Session, Tool};

use super::finding::Finding;

/// A value that a rule does not allow, with the reason.
type Violation = (Rule, String);

/// Reads each variable of a plug-in once, as a tool may, and returns those with a value that the standard does not allow.
///
/// A read calls functions of the plug-in. If one of them crashes or hangs, the parent of this process reports that. A read that
/// returns an error is not a fault, because the variable may need MPI.
pub(super) fn invalid_values(image: &Image) -> Vec<Finding> {
    let tool = Tool::new();
    let Ok(session) = tool.session() else { return Vec::new() };
    let mut findings = Vec::new();
    for desc in &image.pvars {
        findings.extend(check_pvar(&tool, &session, desc).map(|(rule, why)| Finding::of(*desc, rule, why)));
    }
    for desc in &image.cvars {
        findings.extend(check_cvar(&tool, desc).map(|(rule, why)| Finding::of(*desc, rule, why)));
    }
    findings
}

fn check_pvar(tool: &Tool, session: &Session<'_>, desc: &PvarDesc) -> Option<Violation> {
    let registry = tool.registry();
    let index = registry.pvar_index(desc.name(), desc.class())?;
    // Of two definitions with the same name, the registry refuses one, and this may be it.
    let is_registered = registry.pvar(index)?.origin() == desc.origin();
    if !is_registered || desc.bind() != Bind::NoObject {
        return None;
    }
    let handle = session.handle_at(index, None).ok()?;
    // Fails for continuous variables, which always run.
    let _ = handle.start();
    match desc.datatype() {
        Datatype::Int => return unknown_item(&handle.read().ok()?, desc.enumeration()?),
        Datatype::Double if desc.class() == Class::Percentage => {
            return not_a_fraction(&handle.read().ok()?);
        }
        // All values of these types are allowed: the only purpose of the read is to call the plug-in's function.
        Datatype::Double => drop(handle.read::<f64>()),
        Datatype::Char => drop(handle.read_text()),
        Datatype::Int32 => drop(handle.read::<i32>()),
        Datatype::Int64 | Datatype::Count => drop(handle.read::<i64>()),
        Datatype::Unsigned | Datatype::Uint32 => drop(handle.read::<u32>()),
        Datatype::UnsignedLong | Datatype::UnsignedLongLong | Datatype::Uint64 => drop(handle.read::<u64>()),
    }
    None
}

fn check_cvar(tool: &Tool, desc: &CvarDesc) -> Option<Violation> {
    let registry = tool.registry();
    let registered = registry.cvar(registry.cvar_index(desc.name())?)?;
    if registered.origin() != desc.origin() {
        return None;
    }
    let Some(enumeration) = desc.enumeration() else {
        // All values are allowed, as above.
        drop(registered.value_as_text());
        return None;
    };
    let values = tool.cvar(desc.name()).ok()?.read().ok()?;
    unknown_item(&values, enumeration)
}

fn unknown_item(values: &[i32], enumeration: &EnumDesc) -> Option<Violation> {
    let unknown = values.iter().find(|value| enumeration.item(**value).is_none())?;
    let why = format!("its value is {unknown}, which its enumeration `{}` does not have", enumeration.name());
    Some((Rule::R73, why))
}

/// A percentage is a value from 0 to 1.
fn not_a_fraction(values: &[f64]) -> Option<Violation> {
    let wrong = values.iter().find(|value| !(0.0..=1.0).contains(*value))?;
    Some((Rule::R111, format!("its value is {wrong}")))
}
