//! Execution of a registration plan.

use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Release};

use super::categories::{self, Category, Members};
use super::plan::RegistrationPlan;
use super::{CvarEntry, Registry};
use crate::cvar::sources::{self, Setting, ValueSource};
use crate::desc::CategoryDesc;
use crate::lock::Mutex;
use crate::vocabulary::Bind;

impl Registry {
    /// Adds the planned entries, and returns the indices of the control variables, which have their defaults. The caller has held
    /// the lock on `adding` since the plan was made.
    pub(super) fn execute(&self, plan: &RegistrationPlan) -> Range<u32> {
        for (desc, hash) in plan.enums.iter() {
            self.enums.append(desc, hash);
        }
        let mut changed = self.append_categories(plan);
        changed |= self.append_pvars(plan);
        let first_cvar = self.cvars.len();
        changed |= self.append_cvars(plan);
        for (desc, hash) in plan.sources.iter() {
            desc.cell().set_index(self.sources.append(desc, hash));
        }
        changed |= self.append_events(plan);
        if changed {
            // Last, so that a reader that sees the new number also sees the new content.
            self.update.store(categories::next_update(self.update.load(Acquire)), Release);
        }
        first_cvar..self.cvars.len()
    }

    /// Sets control variables from their sources. Runs their functions, so the caller must hold no lock.
    pub(super) fn apply(&self, cvars: Range<u32>, settings: &[Setting]) {
        for entry in cvars.filter_map(|index| self.cvars.get(index)) {
            let source = sources::apply(entry.desc, settings);
            if source != ValueSource::Default {
                entry.set_source(source);
            }
        }
    }

    /// Adds the planned categories. Returns true if any category changed, as do the functions below.
    fn append_categories(&self, plan: &RegistrationPlan) -> bool {
        let mut changed = false;
        for (desc, hash) in plan.categories.iter() {
            self.categories.append(Category::new(desc.name(), desc.description()), hash);
            changed = true;
        }
        for (parent, child) in &plan.links {
            let child = self.category_index(child);
            let parent = self.category_named(parent);
            changed |= parent.zip(child).is_some_and(|(parent, child)| parent.put_category(child));
        }
        changed
    }

    fn append_pvars(&self, plan: &RegistrationPlan) -> bool {
        let mut changed = false;
        self.pvars.reserve(plan.pvars.iter().len());
        for (desc, hash) in plan.pvars.iter() {
            let index = self.pvars.append(desc, hash);
            changed |= self.put(desc.categories(), |members| &mut members.pvars, index);
        }
        changed
    }

    fn append_cvars(&self, plan: &RegistrationPlan) -> bool {
        let mut changed = false;
        self.cvars.reserve(plan.cvars.iter().len());
        for (desc, hash) in plan.cvars.iter() {
            let source = Mutex::new(ValueSource::Default);
            let index = self.cvars.append(CvarEntry { desc, source }, hash);
            if desc.bind() != Bind::NoObject {
                // If the list is full, the variable keeps the values of freed objects.
                let _ = self.bound_cvars.push(desc);
            }
            changed |= self.put(desc.categories(), |members| &mut members.cvars, index);
        }
        changed
    }

    fn append_events(&self, plan: &RegistrationPlan) -> bool {
        let mut changed = false;
        for (desc, hash) in plan.events.iter() {
            let index = self.events.append(desc, hash);
            desc.source().cell().add_event(desc);
            changed |= self.put(desc.categories(), |members| &mut members.events, index);
        }
        changed
    }

    /// Adds the newest entry of an index space to its categories. Returns true if any of them changed.
    fn put(
        &self,
        into: &[&'static CategoryDesc],
        list: impl Fn(&mut Members) -> &mut Vec<u32>,
        index: u32,
    ) -> bool {
        let mut changed = false;
        for desc in into {
            if let Some(category) = self.category_named(desc.name()) {
                changed |= category.put_newest(&list, index);
            }
        }
        changed
    }
}
