//! The registry and the interface of this process, whose first use loads the plug-ins that the environment names.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::registry::{self, Registry};
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
        let is_plugin = crate::export::is_exported();
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

/// True if the environment's plug-ins are loaded, are being loaded, or are not to be loaded.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Disables the loading of the environment's plug-ins in this process, for a launcher whose child processes load them.
pub fn disable_loading() {
    BEGUN.store(true, Relaxed);
}

/// Loads the plug-ins that the environment names, once. Failures are reported on standard error.
#[inline]
fn load_from_environment() {
    if !BEGUN.load(Relaxed) {
        load_once();
    }
}

#[cold]
fn load_once() {
    // A function of a control variable that receives a setting may call this. Plug-ins are loaded when all settings are applied.
    if registry::is_settled() && !BEGUN.swap(true, Relaxed) {
        load_all();
    }
}

#[cfg(feature = "plugins")]
use crate::plugin::load_all;

#[cfg(not(feature = "plugins"))]
fn load_all() {
    if crate::os::environment::names_plugins() {
        crate::os::terminal::print_line(
            "the plug-ins of the environment are not loaded: add the feature `plugins` of the crate mpit",
        );
    }
}
