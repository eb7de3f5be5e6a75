//! What all kinds of definitions have in common, for those who decide about them.

use std::hash::Hash;

use crate::desc::{CategoryDesc, CvarDesc, EnumDesc, EventDesc, Origin, PvarDesc, SourceDesc};
use crate::words::Class;

/// A definition of any kind.
pub(super) trait Definition: 'static {
    /// What is unique among its kind.
    type Key: Hash + Eq;

    fn key(&self) -> Self::Key;

    fn origin(&self) -> Origin;

    /// For messages: kind and name.
    fn label(&self) -> String;

    /// Whether two descriptors are one definition.
    fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Definition for PvarDesc {
    type Key = (&'static str, Class);

    fn key(&self) -> Self::Key {
        (self.name(), self.class())
    }

    fn origin(&self) -> Origin {
        self.origin()
    }

    fn label(&self) -> String {
        format!("pvar `{}` ({})", self.name(), self.class())
    }
}

/// Those whose name alone is unique.
macro_rules! named {
    ($($desc:ident $label:literal $({ $is:item })?;)*) => {$(
        impl Definition for $desc {
            type Key = &'static str;

            fn key(&self) -> Self::Key {
                self.name()
            }

            fn origin(&self) -> Origin {
                self.origin()
            }

            fn label(&self) -> String {
                format!(concat!($label, " `{}`"), self.name())
            }

            $($is)?
        }
    )*};
}
named! {
    CvarDesc "cvar";
    EventDesc "event";
    SourceDesc "source";
    CategoryDesc "category";
    EnumDesc "enumeration" {
        /// A constant may have several addresses.
        fn is(&self, other: &Self) -> bool {
            std::ptr::eq(self, other) || (self.name() == other.name() && self.origin() == other.origin())
        }
    };
}
