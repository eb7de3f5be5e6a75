//! Conflicts between definitions of plug-ins and of an MPI library.

use mpit::internal::desc::CategoryDesc;
use mpit::internal::registry::{self, Image, Rule};
use mpit::tool::{EnumDesc, PvarDesc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::finding::Finding;
use crate::inventory::{Entry, Inventory};

/// A definition whose name must be unique.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Definition {
    kind: Kind,
    name: String,
    /// Kind and name, for messages.
    label: String,
    place: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Pvar { class: String },
    Cvar,
    Event,
    Source,
    Category,
    Enumeration { items: Vec<(i32, String)> },
}

impl Definition {
    fn new(kind: Kind, desc: &impl registry::Definition) -> Self {
        Self { kind, name: desc.name().into(), label: desc.label(), place: desc.origin().to_string() }
    }

    pub(super) fn all_of(image: &Image) -> Vec<Self> {
        let class_of = |desc: &PvarDesc| Kind::Pvar { class: desc.class().to_string() };
        let pvars = image.pvars.iter().map(|desc| Self::new(class_of(desc), *desc));
        let cvars = image.cvars.iter().map(|desc| Self::new(Kind::Cvar, *desc));
        let events = image.events.iter().map(|desc| Self::new(Kind::Event, *desc));
        let sources = image.sources.iter().map(|desc| Self::new(Kind::Source, *desc));
        let mut all: Vec<_> = pvars.chain(cvars).chain(events).chain(sources).collect();
        for desc in categories(image) {
            if !all.iter().any(|known| known.kind == Kind::Category && known.name == desc.name()) {
                all.push(Self::new(Kind::Category, desc));
            }
        }
        for desc in enumerations(image) {
            let items = desc.items().iter().map(|item| (item.value(), item.name().to_owned())).collect();
            all.push(Self::new(Kind::Enumeration { items }, desc));
        }
        all
    }

    pub(super) fn conflict_with(&self, inventory: &Inventory) -> Option<Finding> {
        let library_has = |kind: &str, is_alike: &dyn Fn(&Entry) -> bool| {
            let mut named = inventory.list(kind).iter().filter(|entry| entry.text("name") == self.name);
            named.any(|entry| !entry.is("own") && is_alike(entry))
        };
        let is_defined = match &self.kind {
            Kind::Pvar { class } => library_has("pvars", &|pvar| pvar.text("class") == class),
            Kind::Cvar => library_has("cvars", &|_| true),
            Kind::Event => library_has("events", &|_| true),
            Kind::Source => library_has("sources", &|_| true),
            Kind::Category => library_has("categories", &|_| true),
            Kind::Enumeration { items } => self.has_other_items(items, inventory),
        };
        if !is_defined {
            return None;
        }
        let library = format!("the MPI library ({})", inventory.library.as_deref().unwrap_or("unknown"));
        let (rule, why) = match self.kind {
            Kind::Enumeration { .. } => {
                (Rule::R67, format!("{library} has one of this name with other items"))
            }
            _ => (Rule::R318, format!("{library} defines it as well, and its own is hidden behind this one")),
        };
        Some(Finding::new(rule, self.label.as_str(), &self.place, why))
    }

    fn has_other_items(&self, items: &[(i32, String)], inventory: &Inventory) -> bool {
        let mut variables = inventory.list("pvars").iter().chain(inventory.list("cvars"));
        let is_used_by_library =
            variables.any(|variable| !variable.is("own") && variable.text("enumeration") == self.name);
        let items: Vec<_> =
            items.iter().map(|(value, name)| json!({ "value": value, "name": name })).collect();
        let mut named = inventory.list("enumerations").iter().filter(|known| known.text("name") == self.name);
        is_used_by_library && named.any(|known| *known.get("items") != Value::Array(items.clone()))
    }
}

pub(super) fn categories(image: &Image) -> impl Iterator<Item = &'static CategoryDesc> + '_ {
    let of_variables = image.pvars.iter().flat_map(|desc| desc.categories());
    let of_settings = image.cvars.iter().flat_map(|desc| desc.categories());
    let of_events = image.events.iter().flat_map(|desc| desc.categories());
    image.categories.iter().chain(of_variables).chain(of_settings).chain(of_events).copied()
}

pub(super) fn enumerations(image: &Image) -> Vec<&'static EnumDesc> {
    let of_variables = image.pvars.iter().filter_map(|desc| desc.enumeration());
    let of_settings = image.cvars.iter().filter_map(|desc| desc.enumeration());
    let mut all: Vec<_> = of_variables.chain(of_settings).collect();
    all.sort_by_key(|desc| desc.name());
    all.dedup_by_key(|desc| desc.name());
    all
}

#[cfg(test)]
mod tests {
    use mpit::internal::desc::Origin;

    use serde_json::json;

    use super::{Definition, EnumDesc, Inventory, Kind, Rule};

    fn enumeration(item: &str) -> Definition {
        let items = vec![(1, item.to_owned())];
        let desc = EnumDesc::new("modes", &[], Origin::new("a.c", 1));
        Definition::new(Kind::Enumeration { items }, &desc)
    }

    /// Proves R67.
    #[test]
    fn enumerations_may_be_shared() {
        let with_cvar = |own: bool| {
            let items = json!([{ "value": 1, "name": "fast" }]);
            let text = json!({
                "library": null, "pvars": [], "events": [], "sources": [], "categories": [],
                "cvars": [{
                    "index": 0, "own": own, "late": false, "name": "mode", "datatype": "INT", "scope": "ALL",
                    "bind": "NO_OBJECT", "verbosity": "USER_BASIC", "enumeration": "modes", "value": null,
                    "source": null, "description": "",
                }],
                "enumerations": [{ "name": "modes", "items": items }],
            });
            Inventory::parse(text.to_string().as_bytes()).unwrap()
        };
        let library = with_cvar(false);
        assert_eq!(enumeration("fast").conflict_with(&library), None);
        let rule = enumeration("slow").conflict_with(&library).map(|finding| finding.rule);
        assert_eq!(rule, Some(Rule::R67));
        // The registry reports conflicts with mpit's own definitions.
        assert_eq!(enumeration("slow").conflict_with(&with_cvar(true)), None);
    }
}
