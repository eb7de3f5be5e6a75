//! `--set NAME=VALUE`, checked before the command runs, while the user can still correct it.

use mpit::cvar::sources;
use mpit::internal::registry::nearest;
use mpit::tool::Registry;

#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// Parses `NAME=VALUE`. The name must be that of a control variable or its alias, which accepts the value.
pub(crate) fn parse(text: &str) -> Result<Setting, String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    if value.contains('\n') {
        return Err("a value is one line".into());
    }
    // Plug-ins add variables that are not known here; the process that loads them reports errors.
    let plug_ins =
        std::env::var_os("MPIT_PLUGINS").is_some() || std::env::var_os("MPIT_PLUGIN_PATH").is_some();
    match find(name) {
        Some(desc) => sources::set_text(desc, value).map_err(|why| format!("`{value}`: {why}"))?,
        None if plug_ins => (),
        None => return Err(unknown(name)),
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

pub(crate) fn find(name: &str) -> Option<&'static mpit::tool::CvarDesc> {
    let registry = Registry::global();
    let mut all = (0..registry.cvar_count()).filter_map(|index| registry.cvar(index));
    all.find(|desc| desc.name() == name || desc.aliases().contains(&name))
}

fn unknown(name: &str) -> String {
    let registry = Registry::global();
    let names = (0..registry.cvar_count()).filter_map(|index| Some(registry.cvar(index)?.name()));
    let nearest = nearest(name, names, 0.7);
    match nearest {
        Some(known) => format!("no control variable is called `{name}`; did you mean `{known}`?"),
        None => format!("no control variable is called `{name}`; `mpit vars` lists those of mpit"),
    }
}

/// Returns the value for the variable of launchers: the settings already in it, then these, which take precedence.
pub(crate) fn for_environment(settings: &[Setting]) -> String {
    let before = std::env::var(sources::LAUNCHER_SETTINGS).ok().filter(|lines| !lines.is_empty());
    let ours = settings.iter().map(|Setting { name, value }| format!("{name}={value}"));
    before.into_iter().chain(ours).collect::<Vec<_>>().join("\n")
}
