//! Faults that only the values of variables show.

use mpit::internal::registry::{Image, Rule};
use mpit::object::Bind;
use mpit::tool::{Class, CvarDesc, Datatype, EnumDesc, PvarDesc, Session, Tool};

use super::finding::Finding;

/// Reads all values once, as a tool may. A value that cannot be read may need MPI, so it is not a fault.
pub(super) fn invalid_values(image: &Image) -> Vec<Finding> {
    let tool = Tool::new();
    let Ok(session) = tool.session() else { return Vec::new() };
    let of_variables = image.pvars.iter().filter_map(|desc| invalid_value_of_pvar(&tool, &session, desc));
    let of_settings = image.cvars.iter().filter_map(|desc| invalid_value_of_cvar(&tool, desc));
    of_variables.chain(of_settings).collect()
}

fn invalid_value_of_pvar(tool: &Tool, session: &Session<'_>, desc: &PvarDesc) -> Option<Finding> {
    let registry = tool.registry();
    let index = registry.pvar_index(desc.name(), desc.class())?;
    // Of two definitions with the same name, only one is registered.
    let is_registered = registry.pvar(index)?.origin() == desc.origin();
    if !is_registered || desc.bind() != Bind::NoObject {
        return None;
    }
    let handle = session.handle_at(index, None).ok()?;
    // Continuous variables cannot be started.
    let _ = handle.start();
    let what = || format!("pvar `{}` ({})", desc.name(), desc.class());
    let place = desc.origin().to_string();
    match desc.datatype() {
        Datatype::Int => {
            let unknown = unknown_item(&handle.read::<i32>().ok()?, desc.enumeration())?;
            Some(Finding::new(Rule::R73, what(), &place, unknown))
        }
        Datatype::Double => {
            let values = handle.read::<f64>().ok()?;
            if desc.class() != Class::Percentage {
                return None;
            }
            let wrong = values.into_iter().find(|value| !(0.0..=1.0).contains(value))?;
            Some(Finding::new(Rule::R111, what(), &place, format!("its value is {wrong}")))
        }
        Datatype::Char => handle.read_text().err().and(None),
        Datatype::Int32 => handle.read::<i32>().err().and(None),
        Datatype::Int64 | Datatype::Count => handle.read::<i64>().err().and(None),
        Datatype::Unsigned | Datatype::Uint32 => handle.read::<u32>().err().and(None),
        Datatype::UnsignedLong | Datatype::UnsignedLongLong | Datatype::Uint64 => {
            handle.read::<u64>().err().and(None)
        }
    }
}

fn invalid_value_of_cvar(tool: &Tool, desc: &CvarDesc) -> Option<Finding> {
    let registry = tool.registry();
    let registered = registry.cvar(registry.cvar_index(desc.name())?)?;
    if registered.origin() != desc.origin() {
        return None;
    }
    if desc.enumeration().is_none() {
        let _ = registered.value_as_text();
        return None;
    }
    let values = tool.cvar(desc.name()).ok()?.read::<i32>().ok()?;
    let unknown = unknown_item(&values, desc.enumeration())?;
    let what = format!("cvar `{}`", desc.name());
    Some(Finding::new(Rule::R73, what, &desc.origin().to_string(), unknown))
}

fn unknown_item(values: &[i32], enumeration: Option<&EnumDesc>) -> Option<String> {
    let enumeration = enumeration?;
    let wrong = values.iter().find(|value| enumeration.item(**value).is_none())?;
    Some(format!("its value is {wrong}, which its enumeration `{}` does not have", enumeration.name()))
}
