//! What plug-ins and an MPI library both define.

use mpit::desc::CategoryDesc;
use mpit::registry::Image;
use mpit_ffi::listing::Listing;
use serde::{Deserialize, Serialize};

use super::finding::Finding;

/// Something with a name that must be unique.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Definition {
    kind: Kind,
    name: String,
    /// Of a performance variable.
    class: Option<String>,
    place: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Pvar,
    Cvar,
    Event,
    Source,
    Category,
}

impl Definition {
    /// What of an image could be in an MPI library, too.
    pub(super) fn all_of(image: &Image) -> Vec<Self> {
        let new = |kind, name: &str, place: mpit::desc::Origin| Self {
            kind,
            name: name.into(),
            class: None,
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
        all
    }

    /// The fault that the library has it, too.
    pub(super) fn taken_by(&self, listing: &Listing) -> Option<Finding> {
        let name = &self.name;
        let is_taken = match self.kind {
            Kind::Pvar => listing
                .pvars
                .iter()
                .any(|one| !one.own && one.name == *name && Some(&one.class) == self.class.as_ref()),
            Kind::Cvar => listing.cvars.iter().any(|one| !one.own && one.name == *name),
            Kind::Event => listing.events.iter().any(|one| !one.own && one.name == *name),
            Kind::Source => listing.sources.iter().any(|one| !one.own && one.name == *name),
            Kind::Category => listing.categories.iter().any(|one| !one.own && one.name == *name),
        };
        let library = listing.library.as_deref().unwrap_or("the MPI library");
        let why = format!("{library} defines it as well, and its own is hidden behind this one");
        is_taken.then(|| Finding::error("R318", self.label(), &self.place, why))
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
        }
    }
}

/// Those that it describes, and those that it merely names.
pub(super) fn categories(image: &Image) -> impl Iterator<Item = &'static CategoryDesc> + '_ {
    let of_variables = image.pvars.iter().flat_map(|desc| desc.category_list());
    let of_settings = image.cvars.iter().flat_map(|desc| desc.category_list());
    let of_events = image.events.iter().flat_map(|desc| desc.category_list());
    image.categories.iter().chain(of_variables).chain(of_settings).chain(of_events).copied()
}
