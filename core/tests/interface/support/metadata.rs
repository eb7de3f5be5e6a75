//! Metadata of a test's definition: its name, and optional properties.

use mpit::internal::desc::{CategoryDesc, EnumDesc, Metadata, Origin, SharedMetadata};
use mpit::internal::plugin::Activation;

use super::leak;

#[derive(Clone, Copy)]
pub(crate) struct VariableMetadata {
    name: &'static str,
    description: &'static str,
    component: &'static str,
    enumeration: Option<&'static EnumDesc>,
    categories: &'static [&'static CategoryDesc],
    aliases: &'static [&'static str],
    environment: &'static [&'static str],
    activation: Option<&'static Activation>,
}

pub(crate) fn variable(name: &'static str) -> VariableMetadata {
    VariableMetadata {
        name,
        description: "",
        component: "",
        enumeration: None,
        categories: &[],
        aliases: &[],
        environment: &[],
        activation: None,
    }
}

impl From<&'static str> for VariableMetadata {
    fn from(name: &'static str) -> Self {
        variable(name)
    }
}

impl VariableMetadata {
    pub(crate) fn with_description(self, description: &'static str) -> Self {
        Self { description, ..self }
    }

    pub(crate) fn with_component(self, component: &'static str) -> Self {
        Self { component, ..self }
    }

    pub(crate) fn with_enumeration(self, enumeration: &'static EnumDesc) -> Self {
        Self { enumeration: Some(enumeration), ..self }
    }

    pub(crate) fn with_categories(self, categories: &'static [&'static CategoryDesc]) -> Self {
        Self { categories, ..self }
    }

    pub(crate) fn with_aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    pub(crate) fn with_environment(self, environment: &'static [&'static str]) -> Self {
        Self { environment, ..self }
    }

    pub(crate) fn with_activation(self, activation: &'static Activation) -> Self {
        Self { activation: Some(activation), ..self }
    }

    pub(crate) fn metadata(self, place: Origin) -> Metadata {
        let mut shared = SharedMetadata::new(self.component, place.file());
        shared = shared
            .with_categories(self.categories)
            .with_aliases(self.aliases)
            .with_environment(self.environment);
        if let Some(enumeration) = self.enumeration {
            shared = shared.with_enumeration(enumeration);
        }
        if let Some(activation) = self.activation {
            shared = shared.with_activation(activation);
        }
        Metadata::of(self.name, self.description, leak(shared), place.line())
    }
}
