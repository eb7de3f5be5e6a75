//! The metadata that entries of a table share. Tables of thousands of entries mostly have few categories and files, so equal
//! metadata of neighbors is made once.

use std::collections::HashMap;
use std::ptr;

use crate::desc::{Activation, CategoryDesc, EnumDesc, Origin, SharedMetadata};
use crate::leak::{leak, leak_list, leak_text};

/// The categories of a table, and the metadata of its latest entry.
#[derive(Debug)]
pub(super) struct MetadataBuilder {
    component: &'static str,
    activation: Option<&'static Activation>,
    /// The table's categories, and placeholders for others, by name.
    by_name: HashMap<&'static str, &'static CategoryDesc>,
    latest_categories: &'static [&'static CategoryDesc],
    latest_shared: Option<LatestShared>,
}

/// The metadata of the latest variable, and the parts that differ between variables.
#[derive(Debug)]
struct LatestShared {
    categories: &'static [&'static CategoryDesc],
    enumeration: Option<&'static EnumDesc>,
    file: &'static str,
    metadata: &'static SharedMetadata,
}

impl MetadataBuilder {
    pub(super) fn new(component: &'static str, activation: Option<&'static Activation>) -> Self {
        let by_name = HashMap::new();
        Self { component, activation, by_name, latest_categories: &[], latest_shared: None }
    }

    /// Adds a category that later entries can name.
    pub(super) fn define_category(&mut self, desc: &'static CategoryDesc) {
        self.by_name.insert(desc.name(), desc);
    }

    /// Returns the table's category of that name, or a placeholder that has only the name.
    fn category(&mut self, name: &str, origin: Origin) -> &'static CategoryDesc {
        if let Some(known) = self.by_name.get(name) {
            return known;
        }
        let placeholder: &'static CategoryDesc =
            leak(CategoryDesc::new(leak_text(name.to_owned()), "", &[], &[], origin));
        self.define_category(placeholder);
        placeholder
    }

    /// Returns the categories of these names.
    pub(super) fn categories(&mut self, names: &[&str], origin: Origin) -> &'static [&'static CategoryDesc] {
        let found: Vec<_> = names.iter().map(|name| self.category(name, origin)).collect();
        let latest = self.latest_categories;
        if found.len() != latest.len() || !found.iter().zip(latest).all(|(a, b)| ptr::eq(*a, *b)) {
            self.latest_categories = leak_list(found);
        }
        self.latest_categories
    }

    /// Returns the metadata of a variable beyond the members common to all kinds.
    pub(super) fn shared(
        &mut self,
        categories: &[&str],
        enumeration: Option<&'static EnumDesc>,
        origin: Origin,
    ) -> &'static SharedMetadata {
        let (categories, file) = (self.categories(categories, origin), origin.file());
        let address = |desc: Option<&'static EnumDesc>| desc.map(ptr::from_ref);
        if let Some(latest) = &self.latest_shared
            && ptr::eq(latest.categories, categories)
            && address(latest.enumeration) == address(enumeration)
            && ptr::eq(latest.file, file)
        {
            return latest.metadata;
        }
        let mut shared = SharedMetadata::new(self.component, file).with_categories(categories);
        if let Some(enumeration) = enumeration {
            shared = shared.with_enumeration(enumeration);
        }
        if let Some(activation) = self.activation {
            shared = shared.with_activation(activation);
        }
        let metadata = leak(shared);
        self.latest_shared = Some(LatestShared { categories, enumeration, file, metadata });
        metadata
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::MetadataBuilder;
    use crate::desc::{CategoryDesc, Origin};

    #[test]
    fn equal_neighbors_share_metadata() {
        static DEFINED: CategoryDesc = CategoryDesc::new("defined", "Some.", &[], &[], Origin::new("a.c", 1));
        let mut builder = MetadataBuilder::new("acme", None);
        builder.define_category(&DEFINED);
        let origin = |line| Origin::new("a.c", line);
        let names = ["defined", "other"];
        let categories = builder.categories(&names, origin(2));
        assert!(ptr::eq(categories[0], &raw const DEFINED));
        assert_eq!((categories[1].name(), categories[1].description()), ("other", ""));
        assert!(ptr::eq(builder.categories(&names, origin(3)), categories));
        let shared = builder.shared(&names, None, origin(4));
        assert!(ptr::eq(builder.shared(&names, None, origin(5)), shared));
        let others = [
            builder.shared(&["other"], None, origin(6)),
            builder.shared(&["other", "defined"], None, origin(6)),
            builder.shared(&names, None, Origin::new("b.c", 6)),
        ];
        assert!(others.iter().all(|other| !ptr::eq(*other, shared)));
        assert!(builder.categories(&[], origin(7)).is_empty());
    }
}
