//! The list of components: whose names and switches are taken, who is shown, and who looks at it.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Release};

use super::{DROPPED, ForeignComponent, PUBLISHED};
use crate::desc::Origin;
use crate::lock::Mutex;
use crate::log::Log;
use crate::registry::Refusal;
use crate::traffic::Framework;

/// All that were ever claimed.
static ALL: Log<&'static ForeignComponent> = Log::new();

/// Held while names are looked up and taken.
static CLAIMING: Mutex<()> = Mutex::new(());

/// Who is told of changes.
static HOOK: OnceLock<fn()> = OnceLock::new();

/// Names itself as the one who is told when components come, and when plug-ins are activated or deactivated: the function
/// looks at [`all`] of them, and at their [epochs](ForeignComponent::epoch). Only the first call counts.
pub fn on_change(hook: fn()) {
    HOOK.get_or_init(|| hook);
}

/// Says that plug-ins were activated or deactivated: components of those that are not active hear nothing from now on.
/// Runs functions of components, so the caller holds no lock.
pub fn changed() {
    all().filter(|component| component.epoch().is_none()).for_each(|component| component.switch.pause());
    if let Some(hook) = HOOK.get() {
        hook();
    }
}

/// The components that are published, in the order in which they came.
pub fn all() -> impl Iterator<Item = &'static ForeignComponent> {
    ALL.iter().copied().filter(|component| component.stage.load(Acquire) == PUBLISHED)
}

/// Components whose names and switches are taken, before anybody can see them. When it is dropped, they are free again.
#[derive(Debug, Default)]
#[must_use = "what is not published is dropped"]
pub struct Claim(Vec<&'static ForeignComponent>);

impl Claim {
    /// Takes the names and switches of components; those that somebody has already are left out.
    pub fn new(components: Vec<ForeignComponent>) -> (Self, Vec<Refusal>) {
        let _alone = CLAIMING.lock();
        let (mut claim, mut refusals) = (Self::default(), Vec::new());
        for component in components {
            if let Some(first) = first_of(component.framework, component.name()) {
                refusals.push(Refusal::duplicate(component.label(), component.origin(), first));
                continue;
            }
            let component: &'static ForeignComponent = Box::leak(Box::new(component));
            if !component.bind() {
                refusals.push(component.refusal("its switch serves another component; each needs its own"));
            } else if ALL.push(component).is_ok() {
                claim.0.push(component);
            } else {
                component.unbind();
                refusals.push(component.refusal("there are too many components"));
            }
        }
        (claim, refusals)
    }

    /// Whether nothing is claimed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Shows them to their frameworks. Runs functions of components, so the caller holds no lock.
    pub fn publish(mut self) {
        let components = std::mem::take(&mut self.0);
        for component in &components {
            component.follow();
            component.stage.store(PUBLISHED, Release);
        }
        if !components.is_empty() {
            changed();
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        for component in &self.0 {
            component.unbind();
            component.stage.store(DROPPED, Release);
        }
    }
}

/// Where the component that has this name is defined.
fn first_of(framework: Framework, name: &str) -> Option<Origin> {
    let linked = crate::components().find(|desc| desc.framework() == framework.name() && desc.name() == name);
    let foreign = || {
        let mut kept = ALL.iter().filter(|component| component.stage.load(Acquire) != DROPPED);
        kept.find(|component| component.framework == framework && component.name() == name)
            .map(|component| component.origin())
    };
    linked.map(crate::desc::ComponentDesc::origin).or_else(foreign)
}
