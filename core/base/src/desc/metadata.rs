//! Metadata of variables, events and sources, in a compact representation.
//!
//! A program may have thousands of variables. In a position-independent one, each pointer in a descriptor takes four words of the
//! file: the pointer, and a relocation of three words. So a descriptor has few pointers, and the metadata that variables defined
//! side by side share is reached through one of them.

use super::{CategoryDesc, EnumDesc, Origin};
use crate::desc::Activation;
use crate::leak::leak_text;

/// The longest description of a variable, in bytes.
pub const LONGEST_DESCRIPTION: usize = u16::MAX as usize;

/// The metadata that neighboring variables share, or that few variables have: component, source file, categories, and further
/// names. An optimizing compiler merges equal ones.
#[derive(Clone, Copy, Debug)]
pub struct SharedMetadata {
    component: &'static str,
    file: &'static str,
    enumeration: Option<&'static EnumDesc>,
    categories: &'static [&'static CategoryDesc],
    aliases: &'static [&'static str],
    environment: &'static [&'static str],
    activation: Option<&'static Activation>,
}

impl SharedMetadata {
    /// Creates the metadata for a component, the first key of the index order and by convention the name of the crate, and a
    /// source file, as `file!()` returns it.
    pub const fn new(component: &'static str, file: &'static str) -> Self {
        Self {
            component,
            file,
            enumeration: None,
            categories: &[],
            aliases: &[],
            environment: &[],
            activation: None,
        }
    }

    /// Adds the variables to categories.
    #[must_use]
    pub const fn with_categories(mut self, categories: &'static [&'static CategoryDesc]) -> Self {
        self.categories = categories;
        self
    }

    /// Sets the enumeration of `INT` variables, in place of that of their cells, or the names of an event's elements: item i has the value i
    /// and the name of element i.
    #[must_use]
    pub const fn with_enumeration(mut self, enumeration: &'static EnumDesc) -> Self {
        self.enumeration = Some(enumeration);
        self
    }

    /// Sets the aliases of a control variable, under which `--set`, parameter files and `MPIT_<NAME>` set it.
    #[must_use]
    pub const fn with_aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Sets further environment variables that set a control variable, strongest first; all are weaker than `MPIT_<NAME>`.
    #[must_use]
    pub const fn with_environment(mut self, names: &'static [&'static str]) -> Self {
        self.environment = names;
        self
    }

    /// Restricts the definitions to the activation of a plug-in.
    #[must_use]
    pub const fn with_activation(mut self, activation: &'static Activation) -> Self {
        self.activation = Some(activation);
        self
    }
}

/// The metadata of a definition.
#[derive(Clone, Copy)]
pub struct Metadata {
    /// The name, directly followed by the description.
    texts: *const u8,
    shared: &'static SharedMetadata,
    line: u32,
    name_bytes: u16,
    description_bytes: u16,
}

// SAFETY: `texts` came from a `&'static str`, and `shared` is `Sync`; both may be shared between threads.
unsafe impl Sync for Metadata {}
// SAFETY: `texts` came from a `&'static str`, and `shared` is `Sync`; both may be sent to other threads.
unsafe impl Send for Metadata {}

impl Metadata {
    /// Creates the metadata from a text that consists of the name (`name_bytes` long) and the description, which may be empty,
    /// and from the `line!()` of the definition.
    ///
    /// # Panics
    ///
    /// Panics if the text has no character boundary after the name, or one of its parts is longer than [`LONGEST_DESCRIPTION`];
    /// in a static it does not compile.
    pub const fn new(
        texts: &'static str,
        name_bytes: usize,
        shared: &'static SharedMetadata,
        line: u32,
    ) -> Self {
        assert!(texts.is_char_boundary(name_bytes), "the text does not begin with a name of that length");
        let description_bytes = texts.len() - name_bytes;
        assert!(name_bytes <= LONGEST_DESCRIPTION, "the name is longer than 65535 bytes");
        assert!(description_bytes <= LONGEST_DESCRIPTION, "the description is longer than 65535 bytes");
        Self {
            texts: texts.as_ptr(),
            shared,
            line,
            name_bytes: name_bytes as u16,
            description_bytes: description_bytes as u16,
        }
    }

    /// Creates the metadata at run time, from separate texts. The concatenation is leaked.
    ///
    /// # Panics
    ///
    /// Panics if a text is longer than [`LONGEST_DESCRIPTION`].
    pub fn of(name: &'static str, description: &str, shared: &'static SharedMetadata, line: u32) -> Self {
        let texts = if description.is_empty() { name } else { leak_text([name, description].concat()) };
        Self::new(texts, name.len(), shared, line)
    }

    pub(crate) const fn name(&self) -> &'static str {
        self.text(0, self.name_bytes)
    }

    pub(crate) const fn description(&self) -> &'static str {
        self.text(self.name_bytes, self.description_bytes)
    }

    const fn text(&self, from: u16, bytes: u16) -> &'static str {
        // SAFETY: the parts are the name from 0 and the description after it, both within the `&'static str` that `new` received.
        let start = unsafe { self.texts.add(from as usize) };
        // SAFETY: the part is within the `&'static str` that `new` received.
        let bytes = unsafe { std::slice::from_raw_parts(start, bytes as usize) };
        // SAFETY: `new` received UTF-8, and checked that the boundary between both parts is a character boundary.
        unsafe { std::str::from_utf8_unchecked(bytes) }
    }

    pub(crate) const fn component(&self) -> &'static str {
        self.shared.component
    }

    pub(crate) const fn origin(&self) -> Origin {
        Origin::new(self.shared.file, self.line)
    }

    /// Returns the enumeration of the values, if there is one; `own` is that of the cell.
    pub(crate) const fn enumeration(&self, own: Option<&'static EnumDesc>) -> Option<&'static EnumDesc> {
        match self.shared.enumeration {
            None => own,
            given => given,
        }
    }

    pub(crate) const fn categories(&self) -> &'static [&'static CategoryDesc] {
        self.shared.categories
    }

    pub(crate) const fn aliases(&self) -> &'static [&'static str] {
        self.shared.aliases
    }

    pub(crate) const fn environment(&self) -> &'static [&'static str] {
        self.shared.environment
    }

    pub(crate) const fn activation(&self) -> Option<&'static Activation> {
        self.shared.activation
    }
}

/// Implements the getters of the metadata, and the access to the verbosity, for descriptors that have fields of these names.
macro_rules! described {
    ($desc:ident, $verbosity:ident) => {
        $crate::desc::described!($desc);

        impl $desc {
            /// Returns the verbosity.
            pub const fn $verbosity(&self) -> Verbosity {
                self.$verbosity
            }

            #[doc(hidden)]
            #[must_use]
            pub const fn with_verbosity(mut self, $verbosity: Verbosity) -> Self {
                self.$verbosity = $verbosity;
                self
            }
        }
    };
    ($desc:ident) => {
        impl $desc {
            /// Returns the name, unique among the definitions of the kind; for performance variables, among those of the class.
            pub const fn name(&self) -> &'static str {
                self.metadata.name()
            }

            /// Returns the component that defines it.
            pub const fn component(&self) -> &'static str {
                self.metadata.component()
            }

            /// Returns the description; empty if there is none.
            pub const fn description(&self) -> &'static str {
                self.metadata.description()
            }
        }

        #[doc(hidden)]
        impl $desc {
            pub const fn categories(&self) -> &'static [&'static $crate::desc::CategoryDesc] {
                self.metadata.categories()
            }

            pub const fn origin(&self) -> $crate::desc::Origin {
                self.metadata.origin()
            }
        }

        impl std::fmt::Debug for $desc {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($desc)).field("name", &self.name()).finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use described;

#[cfg(test)]
mod tests {
    use super::{LONGEST_DESCRIPTION, Metadata, SharedMetadata};

    static SHARED: SharedMetadata = SharedMetadata::new("acme", "there.rs");

    #[test]
    fn metadata_has_both_texts() {
        let cases = [
            (Metadata::new("sentHow many.", 4, &SHARED, 7), "How many."),
            (Metadata::new("sent", 4, &SHARED, 7), ""),
            (Metadata::of("sent", "How many.", &SHARED, 7), "How many."),
            (Metadata::of("sent", "", &SHARED, 7), ""),
        ];
        for (metadata, description) in cases {
            assert_eq!((metadata.name(), metadata.description()), ("sent", description));
            assert_eq!(
                (metadata.component(), metadata.origin().to_string().as_str()),
                ("acme", "there.rs:7")
            );
        }
    }

    #[test]
    fn the_longest_texts_are_whole() {
        let longest: &'static str = "x".repeat(LONGEST_DESCRIPTION).leak();
        let metadata = Metadata::of(longest, longest, &SHARED, 7);
        assert_eq!((metadata.name(), metadata.description()), (longest, longest));
    }

    #[test]
    #[should_panic(expected = "the description is longer than 65535 bytes")]
    fn a_longer_description_is_refused() {
        _ = Metadata::of("sent", &"x".repeat(LONGEST_DESCRIPTION + 1), &SHARED, 7);
    }

    #[test]
    #[should_panic(expected = "does not begin with a name of that length")]
    fn a_name_ends_with_a_character() {
        _ = Metadata::new("größe", 3, &SHARED, 7);
    }

    #[test]
    fn descriptors_are_small() {
        use crate::cell::PvarDesc;
        use crate::cvar::CvarDesc;
        // Four pointers, and less than two words for all other fields.
        let max = 6 * size_of::<u64>();
        assert!(size_of::<PvarDesc>() <= max && size_of::<CvarDesc>() <= max);
    }
}
