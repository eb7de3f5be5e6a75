//! The list of components: claimed names and subscriptions, publication, and the notification of changes.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Release};

use super::ForeignComponent;
use crate::component::Framework;
use crate::desc::{Activation, Origin};
use crate::leak::leak;
use crate::lock::Mutex;
use crate::registry::Refusal;

/// The components that are claimed or published.
static ALL: Mutex<Vec<&'static ForeignComponent>> = Mutex::new(Vec::new());

static HOOK: OnceLock<fn()> = OnceLock::new();

/// Sets the function that is called when components are added, and when plug-ins are deactivated: [`all`] and
/// [`ForeignComponent::is_active`] have new results. Only the first call takes effect.
pub fn on_change(hook: fn()) {
    HOOK.get_or_init(|| hook);
}

/// Notifies the frameworks that components were added or plug-ins deactivated. Components of deactivated plug-ins receive no
/// further notifications. Runs functions of components, so the caller must hold no lock.
pub fn changed() {
    all().filter(|component| !component.is_active()).for_each(|component| component.subscription.pause());
    if let Some(hook) = HOOK.get() {
        hook();
    }
}

/// Returns the published components, in the order of publication.
pub fn all() -> impl Iterator<Item = &'static ForeignComponent> {
    let all = ALL.lock().clone();
    all.into_iter().filter(|component| component.is_published.load(Acquire))
}

/// A set of components whose names and subscriptions are claimed, and which are not published yet. Dropping it releases them.
#[derive(Debug, Default)]
#[must_use = "what is not published is dropped"]
pub struct Claim(Vec<&'static ForeignComponent>);

impl Claim {
    /// Claims the names and subscriptions of components. Those whose name or subscription is taken are refused.
    pub fn new(components: Vec<ForeignComponent>) -> (Self, Vec<Refusal>) {
        // Declared before the guard, which so is dropped first on an unwind: dropping a claim locks the list.
        let (mut claim, mut refusals) = (Self::default(), Vec::new());
        let mut all = ALL.lock();
        for component in components {
            if let Some(first) = first_of(&all, component.framework, component.name()) {
                refusals.push(Refusal::duplicate(component.label(), component.origin(), first));
                continue;
            }
            let component: &'static ForeignComponent = leak(component);
            if component.bind() {
                all.push(component);
                claim.0.push(component);
            } else {
                refusals.push(component.refusal("its switch serves another component; each needs its own"));
            }
        }
        (claim, refusals)
    }

    /// Returns true if nothing is claimed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Publishes the components to their frameworks. Runs functions of components, so the caller must hold no lock.
    pub fn publish(mut self) {
        let components = std::mem::take(&mut self.0);
        for component in &components {
            component.copy_reasons();
            component.is_published.store(true, Release);
        }
        if !components.is_empty() {
            changed();
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.iter().for_each(|component| component.unbind());
        ALL.lock().retain(|component| !self.0.iter().any(|dropped| std::ptr::eq(*dropped, *component)));
    }
}

/// Returns the place where the component with this name is defined, and the activation of its plug-in.
fn first_of(
    all: &[&'static ForeignComponent],
    framework: Framework,
    name: &str,
) -> Option<(Origin, Option<&'static Activation>)> {
    let linked = crate::components().find(|desc| desc.framework() == framework.name() && desc.name() == name);
    let foreign = || {
        all.iter()
            .find(|component| component.framework == framework && component.name() == name)
            .map(|component| (component.origin(), component.about.activation))
    };
    linked.map(|desc| (desc.origin(), None)).or_else(foreign)
}
