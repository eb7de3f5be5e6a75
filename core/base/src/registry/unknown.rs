//! Settings that no control variable accepts: mostly misspelled names.

use super::Registry;
use crate::cvar::sources::{self, LAUNCHER_SETTINGS, PARAM_FILE, SITE_FILE, Setting, ValueSource};
use crate::os::environment;
use crate::vocabulary;

/// Environment variables that have the prefix of settings but set no control variable.
const NOT_SETTINGS: [&str; 10] = [
    PARAM_FILE,
    SITE_FILE,
    LAUNCHER_SETTINGS,
    environment::PLUGINS,
    environment::PLUGIN_PATH,
    "MPIT_PRELOAD",
    "MPIT_LISTING_FILE",
    "MPIT_DOCTOR",
    "MPIT_RUN",
    "MPIT_JOB",
];

/// Prefixes of internal variables, used by tests, checks of plug-ins, and `mpit-local`.
const INTERNAL: [&str; 3] = ["MPIT_LOCAL_", "MPIT_PLUGIN_", "MPIT_TEST_"];

/// The similarity (Jaro-Winkler) above which a name is taken for a misspelling of another one.
const MIN_SIMILARITY: f64 = 0.85;

/// Returns the settings of this process whose names are almost those of variables: a sentence for each.
pub fn misspelled(registry: &Registry) -> Vec<String> {
    complaints(registry).into_iter().filter(|(_, is_near)| *is_near).map(|(text, _)| text).collect()
}

/// Returns the settings of this process that no variable accepts, and whose names are similar to none: a sentence for each. To be
/// called at the end of a program, when no more variables are registered. Parameter files are shared by programs with other
/// variables, and are left out, as are processes with plug-ins, whose variables may be missing.
pub fn unknown(registry: &Registry) -> Vec<String> {
    complaints(registry).into_iter().filter(|(_, is_near)| !is_near).map(|(text, _)| text).collect()
}

/// Returns true if a setting of this process has a name that no variable has so far.
#[must_use]
pub fn has_unknown(registry: &Registry) -> bool {
    let names = names(registry);
    sources::for_any().iter().any(|setting| is_unknown(setting, &names))
}

fn complaints(registry: &Registry) -> Vec<(String, bool)> {
    let names = names(registry);
    sources::for_any().iter().filter_map(|setting| complaint(setting, &names)).collect()
}

/// Returns the known name that is most similar to `name`, if its similarity is at least `min_similarity`.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>, min_similarity: f64) -> Option<&'a str> {
    known
        .map(|known| (vocabulary::similarity(name, known), known))
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .filter(|(similarity, _)| *similarity > min_similarity)
        .map(|(_, known)| known)
}

/// Returns the known name of which `name` is certainly a misspelling: at most one letter in eight was added, left out, changed or
/// swapped with the next one, two letters at most. So short names, which differ little from each other, have none.
#[must_use]
pub fn misspelling_of<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    known
        .map(|known| (vocabulary::distance(&name, known), known))
        .filter(|(distance, known)| *distance <= 2.min(known.len() / 8))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

fn names(registry: &Registry) -> Vec<&'static str> {
    let descs = (0..registry.cvar_count()).filter_map(|index| registry.cvar(index));
    descs.flat_map(|desc| std::iter::once(desc.name()).chain(desc.aliases().iter().copied())).collect()
}

/// Returns true if the setting is for a variable, and none has its name.
fn is_unknown(setting: &Setting, names: &[&'static str]) -> bool {
    let name = setting.name.as_str();
    if !is_in_environment(setting) {
        return !names.contains(&name);
    }
    let is_internal = || INTERNAL.iter().any(|prefix| name.starts_with(prefix));
    !NOT_SETTINGS.contains(&name)
        && !is_internal()
        && !names.iter().any(|known| sources::is_environment_name(name, known))
}

fn is_in_environment(setting: &Setting) -> bool {
    matches!(setting.source, ValueSource::Environment { .. })
}

fn complaint(setting: &Setting, names: &[&'static str]) -> Option<(String, bool)> {
    if !is_unknown(setting, names) {
        return None;
    }
    let name = &setting.name;
    // The names that it could have in its source.
    let in_source = |name: &&str| {
        if is_in_environment(setting) { sources::environment_name(name) } else { (*name).to_owned() }
    };
    let known: Vec<String> = names.iter().map(in_source).collect();
    let (place, is_surely_meant) = match &setting.source {
        ValueSource::Environment { .. } => ("the environment".to_owned(), !environment::names_plugins()),
        ValueSource::Launcher => ("--set".to_owned(), true),
        other => (other.to_string(), false),
    };
    match nearest(name, known.iter().map(String::as_str), MIN_SIMILARITY) {
        Some(near) => {
            let text = format!("{place}: no control variable is called `{name}`; did you mean `{near}`?");
            Some((text, true))
        }
        None if is_surely_meant => {
            let text =
                format!("{place}: no control variable is called `{name}`; `mpit vars` lists those of mpit");
            Some((text, false))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::misspelling_of;

    #[test]
    fn only_certain_misspellings_are_found() {
        let known = ["coll", "pml_components", "pml_monitoring_enable"];
        let of = |name| misspelling_of(name, known.into_iter());
        for name in ["pml_monitoring_enabel", "pml_monitorng_enabl", "PML_MONITORING_ENABLE"] {
            assert_eq!(of(name), Some("pml_monitoring_enable"), "{name}");
        }
        assert_eq!(of("pml_component"), Some("pml_components"));
        for name in
            ["", "poll", "call", "pml_compunent", "solver_limit", "pml_monitoring", "pml_recording_enable"]
        {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
