//! The registry and the interface of this process, whose first use loads the plug-ins that the environment names.

use super::{export, load_from_environment};
use crate::registry::Registry;
use crate::session::Interface;

#[doc(hidden)]
impl Registry {
    /// Returns the registry of this process. The first call adds the definitions that are linked into the program, and reports
    /// refused ones on standard error; the program continues in any case. It applies the user's settings, for which calls in other
    /// threads wait. Then it loads the plug-ins that the environment names, for which no thread waits.
    ///
    /// A function of a control variable that receives a setting may call this, and must not wait for another thread that does: that
    /// thread continues after 10 seconds only.
    ///
    /// In a plug-in written in Rust that another mpit loaded, the registry stays empty: that mpit has the plug-in's definitions.
    pub fn global() -> &'static Self {
        let is_plugin = export::is_exported();
        let registry = Self::of_process(!is_plugin);
        if !is_plugin {
            // After the registry was created, since plug-ins may call this function.
            load_from_environment();
        }
        registry
    }
}

impl Interface {
    /// Returns the interface of this process.
    #[inline]
    pub fn global() -> &'static Self {
        #[cold]
        fn create() -> &'static Interface {
            // Before the interface's lock, since this loads plug-ins, which may call `global`.
            let registry = Registry::global();
            Interface::of_process(registry)
        }
        Self::existing().unwrap_or_else(create)
    }
}
