//! Descriptors of components.

use crate::desc::Origin;

/// The description of a component: an object that is notified of the traffic of one framework.
#[derive(Clone, Copy)]
pub struct ComponentDesc {
    framework: &'static str,
    name: &'static str,
    description: &'static str,
    origin: Origin,
    object: fn() -> &'static (dyn std::any::Any + Send + Sync),
}

impl ComponentDesc {
    /// Creates a component of a framework. `object` returns a `&'static &'static dyn Trait` as [`std::any::Any`], where `Trait`
    /// is the framework's component trait.
    #[doc(hidden)]
    pub const fn new(
        framework: &'static str,
        name: &'static str,
        description: &'static str,
        origin: Origin,
        object: fn() -> &'static (dyn std::any::Any + Send + Sync),
    ) -> Self {
        Self { framework, name, description, origin, object }
    }

    /// Returns the name of the framework.
    pub const fn framework(&self) -> &'static str {
        self.framework
    }

    /// Returns the name within the framework.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the description for users.
    pub const fn description(&self) -> &'static str {
        self.description
    }

    /// Returns the place of the definition.
    #[doc(hidden)]
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns the object, as the framework's component trait `T` (a `dyn` type); `None` if it implements another trait.
    pub fn object<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&'static T> {
        (self.object)().downcast_ref::<&'static T>().copied()
    }
}
