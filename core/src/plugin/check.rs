//! What is wrong with a plug-in: all of it, before anybody loads it.
//!
//! Loading refuses a plug-in at its first fault, or leaves out single definitions and goes on. Who writes one wants to know
//! everything at once. To find out, the plug-in's code has to run, and it may do anything; so a process is started for this
//! alone, with the plug-in's path in [`SUBJECT`] and those that are loaded before it in [`PLUGINS`](super::PLUGINS). It asks
//! here, step by step, and says after each step how far it came; then whoever started it can tell where it ended.

use std::path::{Path, PathBuf};
use std::ptr;

use super::component::Claim;
use super::life::Life;
use super::loaded::Plugin;
use super::table::{self, Definitions, forever};
use super::{abi, find, load};
use crate::environment;
use crate::registry::{Fault, Image, Refusal, Registry};

/// The environment variable with the path of the plug-in to be checked.
pub const SUBJECT: &str = "MPIT_PLUGIN_CHECKED";

/// A plug-in whose code is in this process, and of which nobody knows.
#[derive(Debug)]
pub struct Subject {
    path: PathBuf,
    name: &'static str,
    plugin: abi::Plugin,
}

/// What a plug-in defines.
#[derive(Debug)]
pub struct Contents {
    /// What can be read of its variables, events, sources and categories.
    pub image: Image,
    /// Its components: framework and name.
    pub components: Vec<(&'static str, &'static str)>,
    /// What is wrong with it.
    pub refusals: Vec<Refusal>,
    /// Whether a program could load it, without what is refused.
    pub is_whole: bool,
}

/// Opens the plug-in that [`SUBJECT`] names, and asks it for its name.
///
/// # Errors
///
/// Why it cannot be loaded: what is wrong with the file, or with what it says of itself.
///
/// # Safety
///
/// This process may run the plug-in's code, which can do anything: it is there for this alone.
pub unsafe fn open() -> Result<Subject, Fault> {
    let path = environment::var_os(SUBJECT).unwrap_or_default();
    let file = find::file(Path::new(&path)).map_err(|why| Fault::of("file", why))?;
    // SAFETY: by the promise that the plug-in's code may run here.
    let (name, plugin) = unsafe { load::greet(&file.path) }.map_err(|why| Fault::of("plug-in", why))?;
    Ok(Subject { path: file.path, name, plugin })
}

impl Subject {
    /// What it calls itself.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Reads all that it defines, and holds it against the rules, and against all that is registered.
    ///
    /// # Errors
    ///
    /// Why nothing of it can be read.
    pub fn read(&self) -> Result<Contents, Fault> {
        // SAFETY: who opened the subject promised that its code may run here.
        let made = unsafe { table::make_leniently(self.plugin.table, Some(forever(Life::new()))) };
        let (Definitions { image, components, cells }, mut refusals) = made?;
        for (place, (cell, desc)) in cells.events.iter().enumerate() {
            let first = cells.events[..place].iter().find(|(other, _)| ptr::eq(*other, *cell));
            if let Some((_, first)) = first {
                let why =
                    format!("its cell serves `{}` already; each event type needs its own", first.name());
                let what = format!("event `{}`", desc.name());
                refusals.push(Refusal::new(what, desc.origin(), Fault::of("table", why)));
            }
        }
        refusals.extend(Registry::global().refusals_of(&image));
        let is_whole = refusals.iter().all(|refusal| refusal.is_taken);
        let names = components.iter().map(|component| (component.framework().name(), component.name()));
        let names = names.collect();
        // The names that it takes are free again at once.
        let (_, taken) = Claim::new(components);
        refusals.extend(taken);
        Ok(Contents { image, components: names, refusals, is_whole })
    }

    /// Loads and activates it, as a program would.
    ///
    /// # Errors
    ///
    /// Why it is refused.
    pub fn load(&self) -> Result<Plugin, Fault> {
        // SAFETY: who opened the subject promised that its code may run here.
        unsafe { load(&self.path) }.map_err(|refused| Fault::of("plug-in", refused.why()))
    }
}
