//! The properties common to all kinds of definitions.

use super::name_index::Key;
use crate::cell::PvarDesc;
use crate::cvar::CvarDesc;
use crate::desc::{Activation, CategoryDesc, EnumDesc, Origin};
use crate::event::{EventDesc, SourceDesc};
use crate::vocabulary::Class;

/// A definition of any kind. Sealed: the kinds are those of the registry.
pub trait Definition: sealed::Sealed + 'static {
    /// Returns the name.
    fn name(&self) -> &'static str;

    /// Returns the key, which is unique among definitions of one kind.
    fn key(&self) -> Key<'static> {
        Key::new(self.name())
    }

    /// Returns the component that defines it; empty if definitions of the kind have none.
    fn component(&self) -> &'static str {
        ""
    }

    /// Returns the place of the definition.
    fn origin(&self) -> Origin;

    /// Returns the activation of the plug-in that defines it, if one does.
    fn activation(&self) -> Option<&'static Activation> {
        None
    }

    /// Returns kind and name, for messages: ``pvar `messages` (COUNTER)``.
    fn label(&self) -> String;

    /// Returns the text behind the name in the label.
    fn label_suffix(&self) -> String {
        String::new()
    }

    /// Returns true if both are the same definition.
    fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

mod sealed {
    pub trait Sealed {}
}

impl PvarDesc {
    /// Returns the key of a variable.
    pub(super) fn key_of(name: &str, class: Class) -> Key<'_> {
        Key::new(name).with_tag(class as u8)
    }
}

/// Implements [`Definition`] by getters of the descriptor, some of which not all kinds have, and further functions.
macro_rules! definitions {
    ($($desc:ident $label:literal [$($getter:ident: $type:ty),*] { $($more:item)* })*) => {$(
        impl sealed::Sealed for $desc {}

        impl Definition for $desc {
            fn name(&self) -> &'static str {
                self.name()
            }

            fn origin(&self) -> Origin {
                self.origin()
            }

            fn label(&self) -> String {
                format!(concat!($label, " `{}`{}"), self.name(), self.label_suffix())
            }

            $(fn $getter(&self) -> $type {
                self.$getter()
            })*

            $($more)*
        }
    )*};
}
definitions! {
    PvarDesc "pvar" [component: &'static str, activation: Option<&'static Activation>] {
        /// Returns the key: variables of different classes may have one name.
        fn key(&self) -> Key<'static> {
            Self::key_of(self.name(), self.class())
        }

        fn label_suffix(&self) -> String {
            format!(" ({})", self.class())
        }
    }
    CvarDesc "cvar" [component: &'static str, activation: Option<&'static Activation>] {}
    EventDesc "event" [component: &'static str, activation: Option<&'static Activation>] {}
    SourceDesc "source" [activation: Option<&'static Activation>] {}
    CategoryDesc "category" [] {}
    EnumDesc "enumeration" [activation: Option<&'static Activation>] {
        /// Returns true if both descriptors are the same definition: a constant may have several addresses. Plug-ins may be built from
        /// one source file with different items.
        fn is(&self, other: &Self) -> bool {
            let key = |desc: &Self| (desc.name(), desc.origin(), desc.items());
            std::ptr::eq(self, other) || key(self) == key(other)
        }
    }
}
