//! Advice about definitions that are valid, but could be improved for tools and their users.

use mpit::internal::desc::{CategoryDesc, Origin};
use mpit::internal::plugin::check::Contents;
use mpit::internal::registry::{Definition, Rule};
use mpit::tool::{Class, Datatype, Verbosity};

use super::finding::Finding;

struct Entry {
    what: String,
    name: &'static str,
    description: &'static str,
    verbosity: Option<Verbosity>,
    categories: &'static [&'static CategoryDesc],
    origin: Origin,
}

pub(super) fn about(contents: &Contents) -> Vec<Finding> {
    let entries = entries(contents);
    let mut all: Vec<_> =
        entries.iter().filter(|entry| entry.description.is_empty()).map(missing_description).collect();
    all.extend(about_units(contents));
    let variables: Vec<_> = entries.iter().filter(|entry| entry.verbosity.is_some()).collect();
    let prefix = format!("{}_", contents.image.name.replace('-', "_")).to_lowercase();
    let without_prefix: Vec<_> =
        variables.iter().copied().filter(|entry| !entry.name.to_lowercase().starts_with(&prefix)).collect();
    all.extend(about_several(
        Rule::Prefix,
        &without_prefix,
        &format!("the name does not begin with `{prefix}`"),
    ));
    let without_category: Vec<_> =
        variables.iter().copied().filter(|entry| entry.categories.is_empty()).collect();
    all.extend(about_several(Rule::Category, &without_category, "it is in no category"));
    all.extend(about_verbosity(&variables));
    all
}

fn entries(contents: &Contents) -> Vec<Entry> {
    let image = &contents.image;
    let pvars = image.pvars.iter();
    let pvars = pvars.map(|desc| entry(*desc, desc.description(), Some(desc.verbosity()), desc.categories()));
    let cvars = image.cvars.iter();
    let cvars = cvars.map(|desc| entry(*desc, desc.description(), Some(desc.verbosity()), desc.categories()));
    let events = image.events.iter();
    let events =
        events.map(|desc| entry(*desc, desc.description(), Some(desc.verbosity()), desc.categories()));
    let sources = image.sources.iter().map(|desc| entry(*desc, desc.description(), None, &[]));
    // Categories that are only referred to may be described elsewhere.
    pvars.chain(cvars).chain(events).chain(sources).collect()
}

fn entry(
    desc: &impl Definition,
    description: &'static str,
    verbosity: Option<Verbosity>,
    categories: &'static [&'static CategoryDesc],
) -> Entry {
    let (what, name, origin) = (desc.label(), desc.name(), desc.origin());
    Entry { what, name, description, verbosity, categories, origin }
}

fn missing_description(entry: &Entry) -> Finding {
    let is_generic = entry.what.ends_with("(GENERIC)");
    let rule = if is_generic { Rule::R127 } else { Rule::Description };
    Finding::new(rule, entry.what.as_str(), &entry.origin.to_string(), "it has no description")
}

/// Reports timers of integer type, whose unit is not known.
fn about_units(contents: &Contents) -> Vec<Finding> {
    const UNITS: [&str; 6] = ["second", "tick", "cycle", "minute", "clock", "period"];
    const UNIT_SYMBOLS: [&str; 6] = ["s", "ms", "us", "µs", "ns", "ps"];
    let has_unit = |text: &str| {
        let text = text.to_lowercase();
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        UNITS.iter().any(|unit| text.contains(unit)) || words.any(|word| UNIT_SYMBOLS.contains(&word))
    };
    let timers = contents.image.pvars.iter().filter(|desc| desc.class() == Class::Timer);
    let integers =
        timers.filter(|desc| desc.datatype() != Datatype::Double && !desc.description().is_empty());
    let without = integers.filter(|desc| !has_unit(desc.description()));
    without.map(|desc| Finding::of(*desc, Rule::R123, "its description names no unit")).collect()
}

fn about_several(rule: Rule, entries: &[&Entry], why: &str) -> Option<Finding> {
    let (first, others) = entries.split_first()?;
    let what = match others.len() {
        0 => first.what.clone(),
        more => format!("{} and {more} more", first.what),
    };
    Some(Finding::new(rule, what, &first.origin.to_string(), why))
}

/// Reports a plug-in whose variables all have the same verbosity, which is probably not intended.
fn about_verbosity(variables: &[&Entry]) -> Option<Finding> {
    const MIN_VARIABLES: usize = 4;
    let first = variables.first()?.verbosity?;
    let is_default = matches!(first, Verbosity::UserBasic | Verbosity::TunerDetail);
    let are_equal = variables.iter().all(|entry| entry.verbosity == Some(first));
    if !is_default || !are_equal || variables.len() < MIN_VARIABLES {
        return None;
    }
    let what = format!("all {} variables and events", variables.len());
    let place = variables[0].origin.to_string();
    Some(Finding::new(Rule::Verbosity, what, &place, format!("all have the verbosity {first}, the default")))
}
