//! What would be left out of an image, found before anything of it is added.

use std::collections::HashMap;
use std::hash::Hash;

use super::check::{self, Refusal};
use super::{
    Image, Registry, category_label, cvar_label, enum_label, event_label, pvar_label, same_enum, source_label,
};
use crate::desc::{CategoryDesc, EnumDesc, EventDesc, Origin, PvarDesc, SourceDesc};

/// The first definition of each key in the image.
struct Firsts<K>(HashMap<K, Origin>);

impl<K: Hash + Eq> Firsts<K> {
    fn new() -> Self {
        Self(HashMap::new())
    }

    /// Where the key is defined already: in the registry, or earlier in the image.
    fn meet(&mut self, key: K, origin: Origin, registered: Option<Origin>) -> Option<Origin> {
        registered.or_else(|| self.0.insert(key, origin))
    }
}

impl Registry {
    /// All that [`Registry::add`] would leave out. The caller holds the lock on `adding`.
    pub(super) fn refusals(&self, image: &Image) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        self.refused_enums(image, &mut refusals);
        self.refused_categories(image, &mut refusals);
        self.refused_variables(image, &mut refusals);
        self.refused_events(image, &mut refusals);
        refusals
    }

    fn refused_enums(&self, image: &Image, refusals: &mut Vec<Refusal>) {
        let mut seen: HashMap<&str, &'static EnumDesc> = HashMap::new();
        for desc in image.all_enums() {
            if let Some(fault) = check::enum_fault(desc) {
                refusals.push(Refusal::new(enum_label(desc), desc.origin(), fault));
            }
            let first = self.enum_named(desc.name()).or_else(|| seen.insert(desc.name(), desc));
            if let Some(first) = first.filter(|first| !same_enum(first, desc)) {
                refusals.push(Refusal::duplicate(enum_label(desc), desc.origin(), first.origin()));
            }
        }
    }

    fn refused_categories(&self, image: &Image, refusals: &mut Vec<Refusal>) {
        let all = image.all_categories();
        let mut described: HashMap<&str, &str> = HashMap::new();
        for desc in &all {
            if let Some(fault) = check::category_fault(desc) {
                refusals.push(Refusal::new(category_label(desc), desc.origin(), fault));
            }
            let known = self.category_index(desc.name()).and_then(|index| self.category(index));
            let first = match known {
                Some(known) => known.description(),
                // Those with a description come first.
                None => described.entry(desc.name()).or_insert(desc.description()),
            };
            if !desc.description().is_empty() && desc.description() != first {
                refusals.push(Refusal::new(
                    category_label(desc),
                    desc.origin(),
                    "a category of this name has another description",
                ));
            }
        }
        for desc in &all {
            if self.below(desc.name(), &all).contains(&desc.name()) {
                refusals.push(Refusal::new(
                    category_label(desc),
                    desc.origin(),
                    "it would be its own ancestor",
                ));
            }
        }
    }

    /// The names of all categories in a category, at any depth, when those of the image are added.
    fn below(&self, name: &'static str, image: &[&'static CategoryDesc]) -> Vec<&'static str> {
        let mut found = Vec::new();
        let mut waiting = vec![name];
        while let Some(parent) = waiting.pop() {
            let mut children: Vec<&'static str> = Vec::new();
            for desc in image {
                if desc.parents().iter().any(|one| one.name() == parent) {
                    children.push(desc.name());
                }
                if desc.name() == parent {
                    children.extend(desc.contains().iter().map(|child| child.name()));
                }
            }
            if let Some(category) = self.category_index(parent).and_then(|index| self.category(index)) {
                let indices = category.with_members(|members| members.categories.clone());
                let known = indices.into_iter().filter_map(|index| self.category(index));
                children.extend(known.map(super::Category::name));
            }
            for child in children {
                if !found.contains(&child) {
                    found.push(child);
                    waiting.push(child);
                }
            }
        }
        found
    }

    fn refused_variables(&self, image: &Image, refusals: &mut Vec<Refusal>) {
        let mut firsts = Firsts::new();
        for desc in &image.pvars {
            if let Some(fault) = check::pvar_fault(desc) {
                refusals.push(Refusal::new(pvar_label(desc), desc.origin(), fault));
            }
            let registered = self.pvar_index(desc.name(), desc.class()).and_then(|index| self.pvar(index));
            let registered = registered.map(PvarDesc::origin);
            if let Some(first) = firsts.meet((desc.name(), desc.class()), desc.origin(), registered) {
                refusals.push(Refusal::duplicate(pvar_label(desc), desc.origin(), first));
            }
        }
        let mut firsts = Firsts::new();
        for desc in &image.cvars {
            if let Some(fault) = check::cvar_fault(desc) {
                refusals.push(Refusal::new(cvar_label(desc), desc.origin(), fault));
            }
            let registered = self.cvar_index(desc.name()).and_then(|index| self.cvar(index));
            let registered = registered.map(|known| known.desc().origin());
            if let Some(first) = firsts.meet(desc.name(), desc.origin(), registered) {
                refusals.push(Refusal::duplicate(cvar_label(desc), desc.origin(), first));
            }
        }
    }

    fn refused_events(&self, image: &Image, refusals: &mut Vec<Refusal>) {
        let mut firsts = Firsts::new();
        for desc in image.all_sources() {
            if let Some(fault) = check::source_fault(desc) {
                refusals.push(Refusal::new(source_label(desc), desc.origin(), fault));
            }
            let known = self.source_index(desc.name()).and_then(|index| self.source(index));
            // Events of one image may have the source of another.
            if known.is_some_and(|known| std::ptr::eq(known, desc)) {
                continue;
            }
            let registered = known.map(SourceDesc::origin);
            if let Some(first) = firsts.meet(desc.name(), desc.origin(), registered) {
                refusals.push(Refusal::duplicate(source_label(desc), desc.origin(), first));
            }
        }
        let mut firsts = Firsts::new();
        for desc in &image.events {
            if let Some(fault) = check::event_fault(desc) {
                refusals.push(Refusal::new(event_label(desc), desc.origin(), fault));
            }
            let registered = self.event_index(desc.name()).and_then(|index| self.event(index));
            let registered = registered.map(EventDesc::origin);
            if let Some(first) = firsts.meet(desc.name(), desc.origin(), registered) {
                refusals.push(Refusal::duplicate(event_label(desc), desc.origin(), first));
            }
        }
    }
}
