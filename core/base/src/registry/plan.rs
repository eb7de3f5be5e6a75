//! Registration plans: the entries that an image adds, and those that break a rule, determined before any change.

use std::collections::HashMap;

use super::definition::Definition;
use super::index_space::IndexSpace;
use super::name_index::{BatchNames, Key};
use super::order::sorted;
use super::{Category, Effect, Fault, Image, Refusal, Registry, Rule, check, check_text};
use crate::cell::PvarDesc;
use crate::cvar::CvarDesc;
use crate::desc::{CategoryDesc, EnumDesc};
use crate::event::{EventCell, EventDesc, SourceDesc};
use crate::vocabulary::Bind;

/// The number of definitions whose keys are computed together.
const BLOCK: usize = 32;

/// The planned definitions of one kind, in order.
#[derive(Debug)]
pub(super) struct Pending<D: 'static> {
    all: Vec<&'static D>,
    /// Positions in `all`.
    by_name: BatchNames,
}

impl<D: Definition> Pending<D> {
    fn with_capacity(count: usize) -> Self {
        Self { all: Vec::with_capacity(count), by_name: BatchNames::with_capacity(count) }
    }

    fn find(&self, key: Key<'_>) -> Option<&'static D> {
        Some(self.all[self.by_name.find(key)? as usize])
    }

    /// Computes the keys of a block of definitions, and begins to load what leads to them. Definitions in the order of names are anywhere in
    /// memory, so the processor waits for a block at once instead of for each one.
    fn put_keys_of(&self, block: &[&'static D], keys: &mut Vec<Key<'static>>) {
        keys.clear();
        keys.extend(block.iter().map(|desc| {
            let key = desc.key();
            self.by_name.prefetch(key);
            key
        }));
    }

    /// Appends a definition, unless there is one with its key, which is returned.
    fn push(&mut self, desc: &'static D, key: Key<'static>) -> Option<&'static D> {
        let first = self.by_name.find_or_insert(key, self.all.len() as u32);
        if first.is_none() {
            self.all.push(desc);
        }
        first.map(|at| self.all[at as usize])
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&'static D, Key<'static>)> + '_ {
        self.all.iter().map(|desc| (*desc, desc.key()))
    }

    /// Appends the definitions to an index space, each as the result of `entry` for its index.
    pub(super) fn append_to<T>(self, space: &IndexSpace<T>, entry: impl FnMut(u32, &'static D) -> T) {
        space.append_batch(&self.all, self.by_name, entry);
    }
}

/// The definitions to be added, and the refusals.
#[derive(Debug)]
pub(super) struct RegistrationPlan {
    pub(super) enums: Pending<EnumDesc>,
    pub(super) categories: Pending<CategoryDesc>,
    /// Links between categories by name: a category, and one that it contains.
    pub(super) links: Vec<(&'static str, &'static str)>,
    pub(super) pvars: Pending<PvarDesc>,
    pub(super) cvars: Pending<CvarDesc>,
    pub(super) sources: Pending<SourceDesc>,
    pub(super) events: Pending<EventDesc>,
    pub(super) refusals: Vec<Refusal>,
}

impl RegistrationPlan {
    /// Makes the plan for an image. The registry must not change until the plan is executed, after [`claim_cells`](Self::claim_cells).
    pub(super) fn of(registry: &Registry, image: &Image) -> Self {
        let mut plan = Self {
            enums: Pending::with_capacity(0),
            categories: Pending::with_capacity(0),
            links: Vec::new(),
            pvars: Pending::with_capacity(image.pvars.len()),
            cvars: Pending::with_capacity(image.cvars.len()),
            sources: Pending::with_capacity(0),
            events: Pending::with_capacity(image.events.len()),
            refusals: Vec::new(),
        };
        plan.plan_enums(registry, image);
        plan.plan_categories(registry, image);
        plan.plan_pvars(registry, image);
        plan.plan_cvars(registry, image);
        plan.plan_sources(registry, image);
        plan.plan_events(registry, image);
        plan
    }

    fn plan_enums(&mut self, registry: &Registry, image: &Image) {
        for desc in image.all_enums() {
            self.plan(registry, (desc, desc.key()), check::check_enum(desc));
        }
    }

    fn plan_pvars(&mut self, registry: &Registry, image: &Image) {
        // Tools that sample all variables have no object but a communicator, and some stop at the first failure. So variables
        // that are bound to other objects come last.
        let is_unusual = |desc: &PvarDesc| !matches!(desc.bind(), Bind::NoObject | Bind::Comm);
        let mut keys = Vec::with_capacity(BLOCK);
        for block in sorted(&image.pvars, is_unusual, PvarDesc::class).chunks(BLOCK) {
            self.pvars.put_keys_of(block, &mut keys);
            for (desc, key) in block.iter().copied().zip(keys.iter().copied()) {
                let enumeration = desc.enumeration();
                let checked = check::check_pvar(desc, enumeration)
                    .and_then(|()| self.check_dependency(registry, "enumeration", enumeration));
                self.plan(registry, (desc, key), checked);
            }
        }
    }

    fn plan_cvars(&mut self, registry: &Registry, image: &Image) {
        for desc in sorted(&image.cvars, |_| false, |_| ()) {
            let checked = check::check_cvar(desc)
                .and_then(|()| self.check_dependency(registry, "enumeration", desc.enumeration()));
            self.plan(registry, (desc, desc.key()), checked);
        }
    }

    fn plan_sources(&mut self, registry: &Registry, image: &Image) {
        for desc in image.all_sources() {
            self.plan(registry, (desc, desc.key()), check_text(desc.name(), desc.description()));
        }
    }

    fn plan_events(&mut self, registry: &Registry, image: &Image) {
        // Unbound ones first: tools that try out events take the first one, and have no object for it.
        let is_bound = |desc: &EventDesc| desc.bind() != Bind::NoObject;
        // The cells of planned event types, which are not bound while the plan is made.
        let mut cells: HashMap<*const EventCell, &'static EventDesc> = HashMap::new();
        for desc in sorted(&image.events, is_bound, |_| ()) {
            let cell = std::ptr::from_ref(desc.cell());
            let checked = check::check_event(desc, cells.get(&cell).copied())
                .and_then(|()| self.check_dependency(registry, "enumeration", desc.element_names()))
                .and_then(|()| self.check_dependency(registry, "source", Some(desc.source())));
            if self.plan(registry, (desc, desc.key()), checked) {
                cells.insert(cell, desc);
            }
        }
    }

    /// Plans a definition that was checked. Of two with one name the first one stays; the same definition may come twice. Returns true
    /// if the definition is new and was planned.
    fn plan<D: Planned>(
        &mut self,
        registry: &Registry,
        (desc, key): (&'static D, Key<'static>),
        checked: Result<(), Fault>,
    ) -> bool {
        if let Err(fault) = checked {
            let is_taken = fault.rule == Rule::LeftOut;
            self.refusals.push(Refusal { is_taken, ..Refusal::of(desc, fault) });
            return false;
        }
        let first = D::registered(registry).find_entry(key).copied();
        let Some(first) = first.or_else(|| D::planned(self).push(desc, key)) else { return true };
        if !first.is(desc) {
            let first = (first.origin(), first.activation());
            self.refusals.push(Refusal::duplicate(desc.label(), desc.origin(), first));
        }
        false
    }

    /// Refuses a definition that needs another one, such as an enumeration, which was left out.
    fn check_dependency<D: Planned>(
        &mut self,
        registry: &Registry,
        what: &str,
        needed: Option<&'static D>,
    ) -> Result<(), Fault> {
        let Some(needed) = needed else { return Ok(()) };
        let key = needed.key();
        match D::registered(registry).find_entry(key).copied().or_else(|| D::planned(self).find(key)) {
            Some(found) if found.is(needed) => Ok(()),
            _ => Err(Fault::of(Rule::LeftOut, format!("its {what} `{}` was left out", needed.name()))),
        }
    }

    /// Binds the cells of the planned event types, before tools find these. Refuses the event types whose cells another registry or the
    /// export of a plug-in has bound since the plan was made, because they would never be raised.
    pub(super) fn claim_cells(&mut self) {
        if self.events.iter().all(|(desc, _)| desc.cell().claim(desc)) {
            return;
        }
        let events = std::mem::replace(&mut self.events, Pending::with_capacity(0));
        for (desc, key) in events.iter() {
            if desc.cell().claim(desc) {
                self.events.push(desc, key);
            } else {
                self.refusals.push(Refusal::of(desc, check::CELL_IS_TAKEN));
            }
        }
    }

    /// Plans categories: the same one may be named many times, and containment must have no cycles.
    fn plan_categories(&mut self, registry: &Registry, image: &Image) {
        let mut links = Vec::new();
        for desc in image.all_categories() {
            if let Err(fault) = check_text(desc.name(), desc.description()) {
                self.refusals.push(Refusal::of(desc, fault));
                continue;
            }
            links.extend(desc.parents().iter().map(|parent| (*parent, desc, desc)));
            links.extend(desc.contains().iter().map(|child| (desc, *child, desc)));
            let first = registry.category_named(desc.name()).map(Category::description);
            let first =
                first.or_else(|| self.categories.push(desc, desc.key()).map(CategoryDesc::description));
            match first {
                None => {}
                // A second image names a category to add members; it need not repeat the description.
                Some(first) if desc.description().is_empty() || desc.description() == first => {}
                Some(_) => {
                    let why = "a category of this name has another description, which stays";
                    let refusal = Refusal::of(desc, Fault::of(Rule::C45, why));
                    let effect = Effect::KeepsFirstDescription;
                    self.refusals.push(Refusal { effect, is_taken: true, ..refusal });
                }
            }
        }
        self.plan_links(registry, &links);
    }

    /// Plans links from a category to one that it contains, with the category that declares the link.
    fn plan_links(
        &mut self,
        registry: &Registry,
        links: &[(&'static CategoryDesc, &'static CategoryDesc, &'static CategoryDesc)],
    ) {
        let mut children: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
        for (parent, child, by) in links {
            let (above, below) = (parent.name(), child.name());
            if !self.has_category(registry, above) || !self.has_category(registry, below) {
                continue;
            }
            if contains_nested(registry, &children, below, above) {
                let (effect, why) = if std::ptr::eq(*by, *child) {
                    let why = format!("in `{above}` it would be its own ancestor");
                    (Effect::NotPlacedIn(above), why)
                } else {
                    let why = format!("with `{below}` in it, it would be its own ancestor");
                    (Effect::DoesNotContain(below), why)
                };
                self.refusals.push(Refusal { effect, ..Refusal::of(*by, Fault::of(Rule::C43, why)) });
            } else {
                children.entry(above).or_default().push(below);
                self.links.push((above, below));
            }
        }
    }

    fn has_category(&self, registry: &Registry, name: &'static str) -> bool {
        registry.category_index(name).is_some() || self.categories.find(Key::new(name)).is_some()
    }
}

/// A kind of definition that is found by its key alone.
trait Planned: Definition + Sized {
    fn registered(registry: &Registry) -> &IndexSpace<&'static Self>;

    fn planned(plan: &mut RegistrationPlan) -> &mut Pending<Self>;
}

macro_rules! planned {
    ($($desc:ident: $list:ident;)*) => {$(
        impl Planned for $desc {
            fn registered(registry: &Registry) -> &IndexSpace<&'static Self> {
                &registry.$list
            }

            fn planned(plan: &mut RegistrationPlan) -> &mut Pending<Self> {
                &mut plan.$list
            }
        }
    )*};
}
planned! {
    EnumDesc: enums;
    PvarDesc: pvars;
    CvarDesc: cvars;
    SourceDesc: sources;
    EventDesc: events;
}

/// Returns true if category `from` is `target`, or contains it at any depth: in the registry, or by the planned links.
fn contains_nested(
    registry: &Registry,
    links: &HashMap<&'static str, Vec<&'static str>>,
    from: &'static str,
    target: &str,
) -> bool {
    let (mut waiting, mut seen) = (vec![from], Vec::new());
    while let Some(name) = waiting.pop() {
        if name == target {
            return true;
        }
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        waiting.extend(links.get(name).into_iter().flatten());
        if let Some(category) = registry.category_named(name) {
            let inside = category.with_members(|members| members.categories.clone());
            waiting.extend(inside.into_iter().filter_map(|at| registry.category(at)).map(Category::name));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{EventCell, EventDesc, Image, RegistrationPlan, Registry, SourceDesc};
    use crate::desc::{Metadata, SharedMetadata};
    use crate::event::SourceCell;
    use crate::vocabulary::SourceOrder;

    static SHARED: SharedMetadata = SharedMetadata::new("test", "there.rs");

    const fn metadata(name: &'static str) -> Metadata {
        Metadata::new(name, name.len(), &SHARED, 7)
    }

    /// Tests that another registry may bind a cell between the plan and its execution.
    #[test]
    fn a_lost_race_for_a_cell_is_a_refusal() {
        static CLOCK_CELL: SourceCell = SourceCell::new();
        static CLOCK: SourceDesc = SourceDesc::new(metadata("clock"), SourceOrder::Ordered, &CLOCK_CELL);
        static CELLS: [EventCell; 2] = [const { EventCell::new() }; 2];
        static EVENTS: [EventDesc; 2] = [
            EventDesc::new(metadata("lost"), &[], &CLOCK, &CELLS[0]),
            EventDesc::new(metadata("won"), &[], &CLOCK, &CELLS[1]),
        ];
        static WINNER: EventDesc = EventDesc::new(metadata("winner"), &[], &CLOCK, &CELLS[0]);
        let mut image = Image::new("test");
        image.events = EVENTS.iter().collect();
        let registry = Registry::new();
        let mut plan = RegistrationPlan::of(&registry, &image);
        assert!(plan.refusals.is_empty() && WINNER.cell().claim(&WINNER));
        plan.claim_cells();
        let refused: Vec<_> = plan.refusals.drain(..).map(|refusal| refusal.what).collect();
        assert_eq!(refused, ["event `lost`"]);
        registry.execute(plan);
        assert_eq!((registry.event_count(), registry.event_index("won")), (1, Some(0)));
        assert!(!EVENTS[1].cell().is_free_for(&WINNER));
    }
}
