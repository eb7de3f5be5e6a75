//! The properties common to all kinds of definitions.

use crate::cell::PvarDesc;
use crate::cvar::CvarDesc;
use crate::desc::{CategoryDesc, EnumDesc, Origin};
use crate::event::{EventDesc, SourceDesc};

/// A definition of any kind. Sealed: the kinds are those of the registry.
pub trait Definition: sealed::Sealed + 'static {
    /// Returns the name.
    fn name(&self) -> &'static str;

    /// Returns true if the names collide: names are unique among definitions of one kind.
    fn is_named_as(&self, other: &Self) -> bool {
        self.name() == other.name()
    }

    /// Returns the place of the definition.
    fn origin(&self) -> Origin;

    /// Returns kind and name, for messages: ``pvar `messages` (COUNTER)``.
    fn label(&self) -> String;

    /// Returns true if both are the same definition.
    fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for PvarDesc {}

impl Definition for PvarDesc {
    fn name(&self) -> &'static str {
        self.name()
    }

    /// Returns true if the names collide: variables of different classes may have one name.
    fn is_named_as(&self, other: &Self) -> bool {
        self.class() == other.class() && self.name() == other.name()
    }

    fn origin(&self) -> Origin {
        self.origin()
    }

    fn label(&self) -> String {
        format!("pvar `{}` ({})", self.name(), self.class())
    }
}

macro_rules! named {
    ($($desc:ident $label:literal $({ $is:item })?;)*) => {$(
        impl sealed::Sealed for $desc {}

        impl Definition for $desc {
            fn name(&self) -> &'static str {
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
        /// Returns true if both descriptors are the same definition: a constant may have several addresses.
        fn is(&self, other: &Self) -> bool {
            std::ptr::eq(self, other) || (self.name() == other.name() && self.origin() == other.origin())
        }
    };
}
