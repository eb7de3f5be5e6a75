//! The list of components: claimed names and subscriptions, publication, and the notification of changes.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Release};

use super::{DROPPED, ForeignComponent, PUBLISHED};
use crate::component::Framework;
use crate::desc::{Activation, Origin};
use crate::leak::leak;
use crate::lock::Mutex;
use crate::log::Log;
use crate::registry::Refusal;

/// All components that were ever claimed.
static ALL: Log<&'static ForeignComponent> = Log::new();

static CLAIMING: Mutex<()> = Mutex::new(());

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
    ALL.iter().copied().filter(|component| component.stage.load(Acquire) == PUBLISHED)
}

/// A set of components whose names and subscriptions are claimed, and which are not published yet. Dropping it releases them.
#[derive(Debug, Default)]
#[must_use = "what is not published is dropped"]
pub struct Claim(Vec<&'static ForeignComponent>);

impl Claim {
    /// Claims the names and subscriptions of components. Those whose name or subscription is taken are refused.
    pub fn new(components: Vec<ForeignComponent>) -> (Self, Vec<Refusal>) {
        let _guard = CLAIMING.lock();
        let (mut claim, mut refusals) = (Self::default(), Vec::new());
        for component in components {
            if let Some(first) = first_of(component.framework, component.name()) {
                refusals.push(Refusal::duplicate(component.label(), component.origin(), first));
                continue;
            }
            let component: &'static ForeignComponent = leak(component);
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

    /// Returns true if nothing is claimed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Publishes the components to their frameworks. Runs functions of components, so the caller must hold no lock.
    pub fn publish(mut self) {
        let components = std::mem::take(&mut self.0);
        for component in &components {
            component.copy_reasons();
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

/// Returns the place where the component with this name is defined, and the activation of its plug-in.
fn first_of(framework: Framework, name: &str) -> Option<(Origin, Option<&'static Activation>)> {
    let linked = crate::components().find(|desc| desc.framework() == framework.name() && desc.name() == name);
    let foreign = || {
        let mut kept = ALL.iter().filter(|component| component.stage.load(Acquire) != DROPPED);
        kept.find(|component| component.framework == framework && component.name() == name)
            .map(|component| (component.origin(), component.about.activation))
    };
    linked.map(|desc| (desc.origin(), None)).or_else(foreign)
}
