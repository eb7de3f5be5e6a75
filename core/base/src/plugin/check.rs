//! A complete list of a plug-in's faults, made before a program loads it.
//!
//! Loading refuses a plug-in at its first fault, or leaves out single definitions. An author wants to see all faults at once. To
//! find them, the plug-in's code has to run, and it may crash or hang; so a process is started for this purpose only, with the
//! plug-in's path in [`SUBJECT`] and the plug-ins to be loaded before it in [`PLUGINS`](crate::os::environment::PLUGINS). It calls this module
//! step by step and reports each completed step, so its parent knows at which step it ended. Faults that only the plug-in's own
//! copy of this crate knows are in its [`fault_log`].

use std::path::{Path, PathBuf};
use std::ptr;

use super::c_structs::{Specified, member};
use super::c_table::{self, Definitions};
use super::component::Claim;
use super::loaded::Plugin;
use super::{find, load};
use crate::abi;
use crate::desc::Activation;
use crate::export::fault_log;
use crate::leak::leak;
use crate::os::environment;
use crate::registry::{Fault, Image, Refusal, Registry, Rule};

/// The environment variable with the path of the plug-in to check.
pub const SUBJECT: &str = "MPIT_PLUGIN_CHECKED";

/// A plug-in that is loaded into this process, and not registered.
#[derive(Debug)]
pub struct Subject {
    path: PathBuf,
    name: &'static str,
    plugin: Specified<'static, abi::Plugin>,
}

/// The definitions of a plug-in.
#[derive(Debug)]
pub struct Contents {
    /// The readable variables, events, sources and categories.
    pub image: Image,
    /// The components: framework and name.
    pub components: Vec<(&'static str, &'static str)>,
    /// The faults.
    pub refusals: Vec<Refusal>,
    /// True if a program could load the plug-in, without the definitions that are refused.
    pub is_loadable: bool,
}

/// Opens the plug-in that [`SUBJECT`] names, and performs the handshake.
///
/// # Errors
///
/// The fault of the file or of the plug-in's description, which prevents loading.
///
/// # Safety
///
/// The plug-in's code may run in this process, where it may do anything: the process exists for this purpose only.
pub unsafe fn open() -> Result<Subject, Fault> {
    fault_log::open();
    let path = environment::var_os(SUBJECT).unwrap_or_default();
    let file = find::file(Path::new(&path)).map_err(|why| Fault::of(Rule::File, why))?;
    // SAFETY: the caller ensures that the plug-in's code may run in this process.
    let (name, plugin) =
        unsafe { load::handshake(&file.path) }.map_err(|why| Fault::of(Rule::Plugin, why))?;
    Ok(Subject { path: file.path, name, plugin })
}

impl Subject {
    /// Returns the name that the plug-in states.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Reads all definitions, and checks them against the rules and the registered entries.
    ///
    /// # Errors
    ///
    /// The fault that prevents reading the table.
    pub fn read(&self) -> Result<Contents, Fault> {
        let definitions =
            c_table::convert_leniently(member!(&self.plugin, table), Some(leak(Activation::new())));
        let (Definitions { image, components, cells }, mut refusals) = definitions?;
        for (place, (cell, desc)) in cells.events.iter().enumerate() {
            let first = cells.events[..place].iter().find(|(other, _)| ptr::eq(*other, *cell));
            if let Some((_, first)) = first {
                let why =
                    format!("its cell serves `{}` already; each event type needs its own", first.name());
                refusals.push(Refusal::of(*desc, Fault::of(Rule::Table, why)));
            }
        }
        refusals.extend(Registry::global().refusals_of(&image));
        let is_loadable = refusals.iter().all(|refusal| refusal.is_taken);
        let names = components.iter().map(|component| (component.framework().name(), component.name()));
        let names = names.collect();
        // The claim is dropped at once, which releases the names.
        let (_, taken) = Claim::new(components);
        refusals.extend(taken);
        Ok(Contents { image, components: names, refusals, is_loadable })
    }

    /// Loads and activates the plug-in, as a program would.
    ///
    /// # Errors
    ///
    /// The reason for the refusal.
    pub fn load(&self) -> Result<Plugin, Fault> {
        // SAFETY: `open`, the only constructor of a `Subject`, requires that the plug-in's code may run in this process.
        unsafe { load(&self.path) }.map_err(|refused| Fault::of(Rule::Plugin, refused.why()))
    }
}
