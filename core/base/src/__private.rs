//! Items that the expansion of the attributes refers to. Not a public interface: anything here may change without notice.

pub use crate::cell::{Computed, ComputedPvar, PvarFlags};
pub use crate::component::ComponentDesc;
pub use crate::desc::{CategoryDesc, CategoryLink, EnumDesc, EnumItem, Metadata, Origin, SharedMetadata};
pub use crate::error::{Error, Result};
pub use crate::event::instance::Payload;
pub use crate::event::{Element, EventCell, SourceCell, element, read_element};
pub use crate::lists::element_types;
pub use crate::object::{Comm, Object};
pub use crate::tool::{CvarDesc, EventDesc, EventInstance, PvarDesc, SourceDesc};
pub use crate::{__mpit_element as element_of_list, __mpit_register_lists as register_lists};
/// The items that the constructor of an image refers to.
pub mod dependents {
    pub use crate::lists::dependents::{COPY, REGISTER};
}
/// Items that the expansion of `plugin!` refers to.
pub mod plugin {
    pub use crate::abi::{Host, Plugin};
    pub use crate::export::export;
}
pub use crate::export::About;
pub use crate::vocabulary::{Bind, Class, Datatype, Scope, SourceOrder, Verbosity};
pub use inventory;

/// Returns the item of an enumeration with the given value.
pub fn item_of<E: crate::MpitEnum>(items: &[E], value: i32) -> Option<E> {
    items.iter().copied().find(|item| item.value() == value)
}

/// Compile-time checks of a definition's cell.
pub mod cell_of {
    pub use crate::cell::class_of::*;
    use crate::cell::{AtomicReadReset, Behavior, Cell, EnumValue, Value, fits};
    use crate::cvar::{CvarCell, CvarValue};
    use crate::desc::EnumDesc;
    use crate::vocabulary::{Bind, Datatype};

    /// Requires a cell that can be read and reset in one step.
    pub const fn atomic<C: AtomicReadReset>() {}

    /// Returns the enumeration of the states that a function returns.
    pub const fn states<E: EnumValue>() -> &'static EnumDesc {
        E::DESC
    }

    /// Returns true if the cell supports the binding. A cell with custom behavior receives the object itself, of any kind.
    pub const fn bound_to<C: Cell>(bind: Bind) -> bool {
        matches!(C::BEHAVIOR, Behavior::Custom)
            || C::BIND as u32 == bind as u32
            || C::IS_BOUND_TO_ANY && bind as u32 != Bind::NoObject as u32
    }

    /// Returns the datatype, or the cell's own if their C representations differ; [`represented_as`] has reported that already.
    pub const fn datatype_of<C: Cell>(datatype: Datatype) -> Datatype {
        if fits::<C::Value>(datatype) { datatype } else { C::Value::DATATYPE }
    }

    /// Returns the datatype of a control variable, or the cell's own if their C representations differ.
    pub const fn datatype_of_setting<C: CvarCell>(datatype: Datatype) -> Datatype {
        if setting_represented_as::<C>(datatype) { datatype } else { C::DATATYPE }
    }

    /// Returns true if the cell's value can be published as the datatype.
    pub const fn represented_as<C: Cell>(datatype: Datatype) -> bool {
        fits::<C::Value>(datatype)
    }

    pub const fn has_value_of_each_object<C: CvarCell>() -> bool {
        C::IS_BOUND
    }

    /// Returns true if the value of a control variable can be published as the datatype.
    pub const fn setting_represented_as<C: CvarCell>(datatype: Datatype) -> bool {
        fits::<<C::Value as CvarValue>::Element>(datatype)
    }
}

/// Compile-time checks of the trait that a component implements.
pub mod component_of {
    use crate::component;

    #[diagnostic::on_unimplemented(
        message = "components of the framework `pml` implement `mpit::component::pml::Component`, this is another trait",
        label = "name the framework of the trait"
    )]
    pub trait Pml {}
    #[diagnostic::do_not_recommend]
    impl Pml for dyn component::pml::Component {}

    #[diagnostic::on_unimplemented(
        message = "components of the framework `osc` implement `mpit::component::osc::Component`, this is another trait",
        label = "name the framework of the trait"
    )]
    pub trait Osc {}
    #[diagnostic::do_not_recommend]
    impl Osc for dyn component::osc::Component {}

    #[diagnostic::on_unimplemented(
        message = "components of the framework `coll` implement `mpit::component::coll::Component`, this is another trait",
        label = "name the framework of the trait"
    )]
    pub trait Coll {}
    #[diagnostic::do_not_recommend]
    impl Coll for dyn component::coll::Component {}

    pub const fn pml<T: Pml + ?Sized>() {}
    pub const fn osc<T: Osc + ?Sized>() {}
    pub const fn coll<T: Coll + ?Sized>() {}
}
