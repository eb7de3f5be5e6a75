//! What all kinds of definitions have in common, for those who decide about them.

use crate::desc::{CategoryDesc, CvarDesc, EnumDesc, EventDesc, Origin, PvarDesc, SourceDesc};

/// A definition of any kind.
pub(super) trait Definition: 'static {
    fn name(&self) -> &'static str;

    /// Whether the two cannot stand beside each other: names are unique among their kind.
    fn is_named_as(&self, other: &Self) -> bool {
        self.name() == other.name()
    }

    fn origin(&self) -> Origin;

    /// For messages: kind and name.
    fn label(&self) -> String;

    /// Whether two descriptors are one definition.
    fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Definition for PvarDesc {
    fn name(&self) -> &'static str {
        self.name()
    }

    /// Variables of different classes may have one name.
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
        /// A constant may have several addresses.
        fn is(&self, other: &Self) -> bool {
            std::ptr::eq(self, other) || (self.name() == other.name() && self.origin() == other.origin())
        }
    };
}
