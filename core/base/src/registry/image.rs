//! The definitions of one image: the program or a plug-in.

use std::collections::HashSet;

use super::order::in_order;
use crate::cell::PvarDesc;
use crate::cvar::CvarDesc;
use crate::desc::{CategoryDesc, EnumDesc};
use crate::event::{EventDesc, SourceDesc};
use crate::lists::dependents::Reader;
use crate::lists::{self, Lists};

/// The definitions of one image, to be registered as one batch.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The name of the image in messages.
    pub name: String,
    /// Performance variables.
    pub pvars: Vec<&'static PvarDesc>,
    /// Control variables.
    pub cvars: Vec<&'static CvarDesc>,
    /// Event types.
    pub events: Vec<&'static EventDesc>,
    /// Sources of events.
    pub sources: Vec<&'static SourceDesc>,
    /// Enumerations.
    pub enums: Vec<&'static EnumDesc>,
    /// Categories.
    pub categories: Vec<&'static CategoryDesc>,
}

impl Image {
    /// Creates an image without definitions.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Returns the definitions of the image that this crate is linked into, and of those that use it from there.
    ///
    /// They include only crates that the linker has a reference to; a crate that merely defines variables is linked with `use
    /// that_crate as _;`.
    pub(crate) fn linked(reader: Reader) -> Self {
        let mut image = Self::new("program");
        for lists in lists::all(reader) {
            image.extend(lists);
        }
        image
    }

    /// Adds the definitions of lists.
    pub(super) fn extend(&mut self, lists: Lists) {
        self.pvars.extend(lists.pvars);
        self.cvars.extend(lists.cvars);
        self.events.extend(lists.events);
        self.sources.extend(lists.sources);
        self.enums.extend(lists.enums);
        self.categories.extend(lists.categories);
    }

    /// Returns the categories that the image refers to: its own, those of its variables and events, and all that are reached from
    /// them. They are sorted by name.
    pub(crate) fn all_categories(&self) -> Vec<&'static CategoryDesc> {
        let of_variables = self.pvars.iter().map(|pvar| pvar.categories());
        let of_settings = self.cvars.iter().map(|cvar| cvar.categories());
        let of_events = self.events.iter().map(|event| event.categories());
        let mut waiting = self.categories.clone();
        let mut latest: &[_] = &[];
        for categories in of_variables.chain(of_settings).chain(of_events) {
            // Neighbors mostly share one list.
            if !std::ptr::eq(latest, categories) {
                latest = categories;
                waiting.extend(categories);
            }
        }
        let mut found: Vec<&'static CategoryDesc> = Vec::new();
        let mut seen = HashSet::new();
        while let Some(category) = waiting.pop() {
            if seen.insert(std::ptr::from_ref(category)) {
                found.push(category);
                waiting.extend(category.parents());
                waiting.extend(category.contains());
            }
        }
        // Sorted, so that indices do not depend on the linker; of one name, those with a description come first.
        let key =
            |category: &CategoryDesc| (category.name(), category.description().is_empty(), category.origin());
        in_order(&found, |a, b| key(a).cmp(&key(b)))
    }

    /// Returns the sources that the image refers to: its own, and those of its events.
    pub(crate) fn all_sources(&self) -> Vec<&'static SourceDesc> {
        let of_events = self.events.iter().map(|event| event.source());
        let found: Vec<&'static SourceDesc> = self.sources.iter().copied().chain(of_events).collect();
        let key = |desc: &SourceDesc| (desc.component(), desc.name(), desc.origin());
        let mut found = in_order(&found, |a, b| key(a).cmp(&key(b)));
        found.dedup_by(|a, b| std::ptr::eq(*a, *b));
        found
    }

    /// Returns the enumerations that the image refers to: its own, and those of its variables and events.
    pub(crate) fn all_enums(&self) -> Vec<&'static EnumDesc> {
        let of_variables = self.pvars.iter().filter_map(|pvar| pvar.enumeration());
        let of_settings = self.cvars.iter().filter_map(|cvar| cvar.enumeration());
        let of_events = self.events.iter().filter_map(|event| event.element_names());
        let of_all = of_variables.chain(of_settings).chain(of_events);
        let found: Vec<&'static EnumDesc> = self.enums.iter().copied().chain(of_all).collect();
        let key = |desc: &EnumDesc| (desc.name(), desc.origin());
        let mut found = in_order(&found, |a, b| key(a).cmp(&key(b)));
        found.dedup_by(|a, b| std::ptr::eq(*a, *b));
        found
    }
}
