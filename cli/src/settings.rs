//! `--set NAME=VALUE`, checked before the command runs, while the user can still correct it.

use mpit::cvar::sources;
use mpit::internal::registry::{misspelling_of, name_fault};
use mpit::tool::{CvarDesc, Registry};

#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// Parses `NAME=VALUE`. The value of a variable of mpit's must be one that it accepts. Programs, libraries and plug-ins have
/// variables that are not known here: the processes check their values, and report names that no variable has.
pub(crate) fn parse(text: &str) -> Result<Setting, String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    if value.contains('\n') {
        return Err("a value is one line".into());
    }
    if let Some(why) = name_fault(name) {
        return Err(format!("no variable can be called `{name}`: {why}"));
    }
    match find(name) {
        Some(desc) => sources::set_text(desc, value).map_err(|why| format!("`{value}`: {why}"))?,
        None => {
            if let Some(known) = misspelling(name) {
                return Err(format!("no control variable is called `{name}`; did you mean `{known}`?"));
            }
        }
    }
    Ok(Setting { name: name.into(), value: value.into() })
}

pub(crate) fn apply(settings: &[Setting]) -> Result<(), String> {
    for Setting { name, value } in settings {
        if let Some(desc) = find(name) {
            sources::set_text(desc, value).map_err(|why| format!("{name}={value}: {why}"))?;
        }
    }
    Ok(())
}

/// Returns mpit's control variable with this name or alias.
pub(crate) fn find(name: &str) -> Option<&'static CvarDesc> {
    all().find(|desc| desc.name() == name || desc.aliases().contains(&name))
}

fn all() -> impl Iterator<Item = &'static CvarDesc> {
    let registry = Registry::global();
    (0..registry.cvar_count()).filter_map(|index| registry.cvar(index))
}

/// Returns the name of mpit's that this one certainly stands for.
fn misspelling(name: &str) -> Option<&'static str> {
    let known = all().flat_map(|desc| [desc.name()].into_iter().chain(desc.aliases().iter().copied()));
    misspelling_of(name, known)
}

/// Returns the value for the variable of launchers: the settings already in it, then these, which take precedence.
pub(crate) fn for_environment(settings: &[Setting]) -> String {
    let before = std::env::var(sources::LAUNCHER_SETTINGS).ok().filter(|lines| !lines.is_empty());
    let ours = settings.iter().map(|Setting { name, value }| format!("{name}={value}"));
    before.into_iter().chain(ours).collect::<Vec<_>>().join("\n")
}
