//! Execution of a registration plan.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Release};

use super::Registry;
use super::categories::{self, Category, Members};
use super::plan::{Pending, RegistrationPlan};
use crate::cell::PvarDesc;
use crate::cvar::CvarDesc;
use crate::cvar::sources::{self, Setting, ValueSource};
use crate::desc::CategoryDesc;
use crate::event::EventDesc;
use crate::lock::Mutex;
use crate::vocabulary::Bind;

impl Registry {
    /// Adds the planned entries, and returns the indices of the control variables, which have their defaults. The caller has held
    /// the lock on `adding` since the plan was made.
    pub(super) fn execute(&self, plan: RegistrationPlan) -> Range<u32> {
        for (desc, key) in plan.enums.iter() {
            self.enums.append(desc, key);
        }
        let mut changed = self.append_categories(&plan);
        changed |= self.append_pvars(plan.pvars);
        let first_cvar = self.cvars.len();
        changed |= self.append_cvars(plan.cvars);
        for (desc, key) in plan.sources.iter() {
            desc.cell().set_index(self.sources.append(desc, key));
        }
        changed |= self.append_events(&plan.events);
        if changed {
            // Last, so that a reader that sees the new number also sees the new content.
            self.update.store(categories::next_update(self.update.load(Acquire)), Release);
        }
        first_cvar..self.cvars.len()
    }

    /// Sets control variables from their sources. Runs their functions, so the caller must hold no lock.
    pub(super) fn apply(&self, cvars: Range<u32>, settings: &[Setting]) {
        for (index, desc) in cvars.filter_map(|index| Some((index, self.cvar(index)?))) {
            let source = sources::apply(desc, settings);
            if source != ValueSource::Default {
                self.set_cvar_source(index, source);
            }
        }
    }

    /// Adds the planned categories. Returns true if any category changed, as do the functions below.
    fn append_categories(&self, plan: &RegistrationPlan) -> bool {
        let mut changed = false;
        for (desc, key) in plan.categories.iter() {
            self.categories.append(Category::new(desc.name(), desc.description()), key);
            changed = true;
        }
        for (parent, child) in &plan.links {
            let child = self.category_index(child);
            let parent = self.category_named(parent);
            changed |= parent.zip(child).is_some_and(|(parent, child)| parent.put_category(child));
        }
        changed
    }

    fn append_pvars(&self, pvars: Pending<PvarDesc>) -> bool {
        let mut members = NewMembers::new(self);
        pvars.append_to(&self.pvars, |index, desc| {
            members.add(index, desc.categories());
            desc
        });
        members.put(|members| &mut members.pvars)
    }

    fn append_cvars(&self, cvars: Pending<CvarDesc>) -> bool {
        let mut members = NewMembers::new(self);
        cvars.append_to(&self.cvars, |index, desc| {
            if desc.bind() != Bind::NoObject {
                // If the list is full, the variable keeps the values of freed objects.
                let _ = self.bound_cvars.push(desc);
            }
            members.add(index, desc.categories());
            // Before the variable is found. One image is added at a time, and lists are longer than memory.
            let _ = self.cvar_sources.push(Mutex::new(ValueSource::Default));
            desc
        });
        members.put(|members| &mut members.cvars)
    }

    fn append_events(&self, events: &Pending<EventDesc>) -> bool {
        let mut members = NewMembers::new(self);
        for (desc, key) in events.iter() {
            members.add(self.events.append(desc, key), desc.categories());
            desc.source().cell().add_event(desc.cell());
        }
        members.put(|members| &mut members.events)
    }
}

/// The new entries of one kind, by category, so that each category is locked once.
struct NewMembers<'a> {
    registry: &'a Registry,
    by_category: HashMap<usize, Vec<u32>>,
    /// The categories of the latest entries, and the indices of these. Neighbors are mostly in the same categories.
    latest: (&'static [&'static CategoryDesc], Vec<u32>),
}

impl<'a> NewMembers<'a> {
    fn new(registry: &'a Registry) -> Self {
        Self { registry, by_category: HashMap::new(), latest: (&[], Vec::new()) }
    }

    /// Adds the newest entry to its categories, once each.
    fn add(&mut self, index: u32, into: &'static [&'static CategoryDesc]) {
        if !std::ptr::eq(self.latest.0, into) {
            self.add_latest();
            self.latest.0 = into;
        }
        if !into.is_empty() {
            self.latest.1.push(index);
        }
    }

    fn add_latest(&mut self) {
        let (categories, entries) = &mut self.latest;
        let found = categories.iter().filter_map(|desc| self.registry.category_index(desc.name()));
        let found: Vec<u32> = found.collect();
        for (at, category) in found.iter().enumerate() {
            if !found[..at].contains(category) {
                self.by_category.entry(*category as usize).or_default().extend_from_slice(entries);
            }
        }
        entries.clear();
    }

    /// Appends the entries to one of the lists of their categories. Returns true if any of them changed.
    fn put(mut self, list: impl Fn(&mut Members) -> &mut Vec<u32>) -> bool {
        self.add_latest();
        let changed = !self.by_category.is_empty();
        for (category, members) in self.by_category {
            if let Some(category) = self.registry.category(category as u32) {
                category.put_entries(&list, &members);
            }
        }
        changed
    }
}
