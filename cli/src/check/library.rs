//! Conflicts between definitions of plug-ins and of an MPI library.

use mpit::internal::desc::CategoryDesc;
use mpit::internal::registry::{Image, Rule};
use mpit::tool::EnumDesc;
use mpit_ffi::inventory::Inventory;
use serde::{Deserialize, Serialize};

use super::finding::Finding;

/// A definition whose name must be unique.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Definition {
    kind: Kind,
    name: String,
    /// The class of a performance variable.
    class: Option<String>,
    /// The items of an enumeration.
    items: Vec<(i32, String)>,
    place: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Pvar,
    Cvar,
    Event,
    Source,
    Category,
    Enumeration,
}

impl Definition {
    /// Returns the definitions of an image whose names an MPI library could have, too.
    pub(super) fn all_of(image: &Image) -> Vec<Self> {
        let new = |kind, name: &str, place: mpit::internal::desc::Origin| Self {
            kind,
            name: name.into(),
            class: None,
            items: Vec::new(),
            place: place.to_string(),
        };
        let pvars = image.pvars.iter().map(|desc| Self {
            class: Some(desc.class().to_string()),
            ..new(Kind::Pvar, desc.name(), desc.origin())
        });
        let cvars = image.cvars.iter().map(|desc| new(Kind::Cvar, desc.name(), desc.origin()));
        let events = image.events.iter().map(|desc| new(Kind::Event, desc.name(), desc.origin()));
        let sources = image.sources.iter().map(|desc| new(Kind::Source, desc.name(), desc.origin()));
        let mut all: Vec<_> = pvars.chain(cvars).chain(events).chain(sources).collect();
        for desc in categories(image) {
            if !all.iter().any(|known| known.kind == Kind::Category && known.name == desc.name()) {
                all.push(new(Kind::Category, desc.name(), desc.origin()));
            }
        }
        for desc in enumerations(image) {
            let items = desc.items().iter().map(|item| (item.value(), item.name().to_owned())).collect();
            all.push(Self { items, ..new(Kind::Enumeration, desc.name(), desc.origin()) });
        }
        all
    }

    /// Returns the finding if the library has the same definition.
    pub(super) fn conflict_with(&self, inventory: &Inventory) -> Option<Finding> {
        let name = &self.name;
        let is_defined = match self.kind {
            Kind::Pvar => inventory
                .pvars
                .iter()
                .any(|one| !one.own && one.name == *name && Some(&one.class) == self.class.as_ref()),
            Kind::Cvar => inventory.cvars.iter().any(|one| !one.own && one.name == *name),
            Kind::Event => inventory.events.iter().any(|one| !one.own && one.name == *name),
            Kind::Source => inventory.sources.iter().any(|one| !one.own && one.name == *name),
            Kind::Category => inventory.categories.iter().any(|one| !one.own && one.name == *name),
            Kind::Enumeration => self.has_other_items(inventory),
        };
        if !is_defined {
            return None;
        }
        let library = format!("the MPI library ({})", inventory.library.as_deref().unwrap_or("unknown"));
        let (rule, why) = match self.kind {
            Kind::Enumeration => (Rule::R67, format!("{library} has one of this name with other items")),
            _ => (Rule::R318, format!("{library} defines it as well, and its own is hidden behind this one")),
        };
        Some(Finding::new(rule, self.label(), &self.place, why))
    }

    /// Returns true if the library has an enumeration with this name and other items.
    fn has_other_items(&self, inventory: &Inventory) -> bool {
        let of_pvars = inventory.pvars.iter().filter(|one| !one.own).map(|one| &one.enumeration);
        let of_settings = inventory.cvars.iter().filter(|one| !one.own).map(|one| &one.enumeration);
        let is_used_by_library = of_pvars.chain(of_settings).flatten().any(|name| *name == self.name);
        let items = |one: &mpit_ffi::inventory::Enumeration| -> Vec<_> {
            one.items.iter().map(|item| (item.value, item.name.clone())).collect()
        };
        let mut alike = inventory.enumerations.iter().filter(|one| one.name == self.name);
        is_used_by_library && alike.any(|one| items(one) != self.items)
    }

    fn label(&self) -> String {
        let name = &self.name;
        match (self.kind, &self.class) {
            (Kind::Pvar, Some(class)) => format!("pvar `{name}` ({class})"),
            (Kind::Pvar, None) => format!("pvar `{name}`"),
            (Kind::Cvar, _) => format!("cvar `{name}`"),
            (Kind::Event, _) => format!("event `{name}`"),
            (Kind::Source, _) => format!("source `{name}`"),
            (Kind::Category, _) => format!("category `{name}`"),
            (Kind::Enumeration, _) => format!("enumeration `{name}`"),
        }
    }
}

/// Returns the categories that an image describes, and those that it only refers to.
pub(super) fn categories(image: &Image) -> impl Iterator<Item = &'static CategoryDesc> + '_ {
    let of_variables = image.pvars.iter().flat_map(|desc| desc.categories());
    let of_settings = image.cvars.iter().flat_map(|desc| desc.categories());
    let of_events = image.events.iter().flat_map(|desc| desc.categories());
    image.categories.iter().chain(of_variables).chain(of_settings).chain(of_events).copied()
}

/// Returns the enumerations of an image's variables, each once.
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
    use mpit_ffi::inventory::{self, Inventory};

    use super::{Definition, Kind, Rule};

    fn enumeration(item: &str) -> Definition {
        let items = vec![(1, item.to_owned())];
        Definition {
            kind: Kind::Enumeration,
            name: "modes".into(),
            class: None,
            items,
            place: "a.c:1".into(),
        }
    }

    /// Proves R67.
    #[test]
    fn enumerations_may_be_shared() {
        let cvar = |own| inventory::Cvar { own, enumeration: Some("modes".into()), ..Default::default() };
        let items = vec![inventory::Item { value: 1, name: "fast".into() }];
        let enumerations = vec![inventory::Enumeration { name: "modes".into(), items }];
        let library = Inventory { cvars: vec![cvar(false)], enumerations, ..Default::default() };
        assert_eq!(enumeration("fast").conflict_with(&library), None);
        let rule = enumeration("slow").conflict_with(&library).map(|finding| finding.rule);
        assert_eq!(rule, Some(Rule::R67));
        // The registry reports conflicts with mpit's own definitions.
        let ours = Inventory { cvars: vec![cvar(true)], ..library };
        assert_eq!(enumeration("slow").conflict_with(&ours), None);
    }
}
