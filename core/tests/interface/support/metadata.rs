//! Metadata of a test's variable: a name, or more than that.

use mpit::desc::{CategoryDesc, Common, Head, Origin};
use mpit::plugin::Life;

use super::leak;

#[derive(Clone, Copy)]
pub(crate) struct Said {
    name: &'static str,
    description: &'static str,
    component: &'static str,
    categories: &'static [&'static CategoryDesc],
    aliases: &'static [&'static str],
    environment: &'static [&'static str],
    life: Option<&'static Life>,
}

/// To say more than a name.
pub(crate) fn said(name: &'static str) -> Said {
    Said { name, description: "", component: "", categories: &[], aliases: &[], environment: &[], life: None }
}

impl From<&'static str> for Said {
    fn from(name: &'static str) -> Self {
        said(name)
    }
}

impl Said {
    pub(crate) fn description(self, description: &'static str) -> Self {
        Self { description, ..self }
    }

    pub(crate) fn component(self, component: &'static str) -> Self {
        Self { component, ..self }
    }

    pub(crate) fn categories(self, categories: &'static [&'static CategoryDesc]) -> Self {
        Self { categories, ..self }
    }

    pub(crate) fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    pub(crate) fn environment(self, environment: &'static [&'static str]) -> Self {
        Self { environment, ..self }
    }

    pub(crate) fn living(self, life: &'static Life) -> Self {
        Self { life: Some(life), ..self }
    }

    /// All of it, at a place.
    pub(crate) fn head(self, place: Origin) -> Head {
        let mut common = Common::new(self.component, place.file());
        common = common.categories(self.categories).aliases(self.aliases).environment(self.environment);
        if let Some(life) = self.life {
            common = common.living(life);
        }
        Head::of(self.name, self.description, leak(common), place.line())
    }
}
