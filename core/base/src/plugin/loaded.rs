//! The plug-ins of this process: loaded once and never unloaded, active or not.
//!
//! No lock is held while a plug-in's code runs, so it may load other plug-ins, register tables, and use the whole interface. To
//! load a file that another thread is loading fails and does not wait.

use std::fmt;
use std::path::Path;

use super::c_structs::LoadResult;
use super::c_table::{LEAST_MEMORY, in_one_line};
use super::component;
use super::find::{self, File};
use super::load::{self, Hooks, Opened};
use crate::Error;
use crate::cvar::sources;
use crate::desc::Activation;
use crate::export::{self, fault_log};
use crate::host::threads;
use crate::leak::{leak, leak_text};
use crate::lock::Mutex;
use crate::memory;
use crate::os::environment;
use crate::os::terminal::print_line;
use crate::registry::{Refusal, Registry};
use crate::session::Interface;

#[derive(Debug)]
struct Loaded {
    number: u32,
    name: &'static str,
    file: File,
    activation: &'static Activation,
    hooks: Hooks,
}

/// The plug-ins of this process.
struct State {
    /// The loaded ones, by number.
    loaded: Vec<&'static Loaded>,
    /// The identities of files that are being loaded.
    loading: Vec<(u64, u64)>,
}

static STATE: Mutex<State> = Mutex::new(State { loaded: Vec::new(), loading: Vec::new() });

/// A plug-in that was loaded.
#[derive(Clone, Copy, Debug)]
pub struct Plugin(&'static Loaded);

/// The error of a plug-in that could not be loaded.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The message about what is not loaded, without the reason.
    what: String,
    why: String,
    error: Error,
}

impl Refused {
    fn new(path: &Path, error: Error, why: impl Into<String>) -> Self {
        Self { what: format!("the plug-in {} is not loaded", path.display()), why: why.into(), error }
    }

    /// Creates the error of a directory, none of whose plug-ins is loaded.
    fn of_directory(path: &Path, why: String) -> Self {
        let what = format!("the plug-ins in {} are not loaded", path.display());
        Self { what, why, error: Error::Invalid }
    }

    /// Returns the reason.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Prints the error on standard error.
    pub fn print(&self) {
        print_line(&self.to_string());
    }

    /// Returns the error class that comes closest.
    pub fn error(&self) -> Error {
        self.error
    }
}

impl std::error::Error for Refused {}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

/// Loads and activates a plug-in by the path of its file; no effect if it is loaded and active already.
///
/// # Errors
///
/// The fault of the file or of its definitions; [`Error::NotAccessible`] for a plug-in that was deactivated, or that another
/// thread is loading. A name that is taken already is no error: that definition is reported on standard error, mostly left out,
/// and the others are registered.
///
/// # Safety
///
/// The file is a plug-in as `mpit_plugin.h` specifies: its constructors may run here, its lists have as many entries as their
/// counts state, strings end with a NUL, and its functions may be called by any thread at any time. [`check`](super::check) finds
/// violations in a process of its own.
pub unsafe fn load(path: impl AsRef<Path>) -> Result<Plugin, Refused> {
    let path = path.as_ref();
    if export::is_exported() {
        let why = "only the program can load plug-ins, and this call was made in a plug-in";
        return Err(Refused::new(path, Error::NotSupported, why));
    }
    if !memory::admits(LEAST_MEMORY) {
        return Err(Refused::new(path, Error::Memory, "memory is short"));
    }
    // The environment's plug-ins are loaded first, when the registry is made.
    Registry::global();
    // SAFETY: the caller ensures that the file is a plug-in as `mpit_plugin.h` specifies, whose constructors may run here.
    unsafe { load_one(path) }
}

/// Returns all plug-ins, in the order of their numbers.
pub fn all() -> impl Iterator<Item = Plugin> {
    let loaded = STATE.lock().loaded.clone();
    loaded.into_iter().map(Plugin)
}

/// Returns the plug-in with a number.
pub fn numbered(number: u32) -> Option<Plugin> {
    STATE.lock().loaded.get(number as usize).copied().map(Plugin)
}

/// Loads the plug-ins that the environment names. Failures are reported on standard error.
#[cfg(feature = "plugins")]
pub(crate) fn load_all() {
    let (paths, faults) = find::of_environment();
    for (dir, why) in faults {
        Refused::of_directory(&dir, why).print();
    }
    for path in paths {
        // SAFETY: the user who sets `MPIT_PLUGINS` or `MPIT_PLUGIN_PATH` vouches for the files, and `find` refuses files that
        // other users could have replaced.
        if let Err(refused) = unsafe { load_one(&path) } {
            refused.print();
        }
    }
}

/// Notifies all plug-ins of the thread level: true if several threads may communicate at once.
pub(super) fn notify_concurrent(concurrent: bool) {
    for plugin in all().filter(|plugin| plugin.is_active()) {
        plugin.0.hooks.set_concurrent(concurrent);
    }
}

/// The exclusive right to load a file, by its identity. Returned on drop.
struct LoadingGuard((u64, u64));

impl Drop for LoadingGuard {
    fn drop(&mut self) {
        STATE.lock().loading.retain(|identity| *identity != self.0);
    }
}

/// Loads and activates a plug-in, unless it is loaded already.
///
/// # Safety
///
/// The file satisfies the conditions of [`load()`].
unsafe fn load_one(path: &Path) -> Result<Plugin, Refused> {
    let refused = |why: String| Refused::new(path, Error::Invalid, why);
    if environment::is_privileged() {
        let why = "this program has privileges that its user lacks, and loads no plug-ins";
        return Err(Refused::new(path, Error::NotAccessible, why));
    }
    let file = find::file(path).map_err(refused)?;
    let loading_guard = {
        let mut state = STATE.lock();
        let known = state.loaded.iter().copied().find(|plugin| plugin.file.identity == file.identity);
        if let Some(known) = known {
            return if known.activation.is_active() {
                Ok(Plugin(known))
            } else {
                let why = "it was deactivated, and a plug-in is activated once in a process";
                Err(Refused::new(path, Error::NotAccessible, why))
            };
        }
        if state.loading.contains(&file.identity) {
            return Err(Refused::new(path, Error::NotAccessible, "it is being loaded at this moment"));
        }
        state.loading.push(file.identity);
        LoadingGuard(file.identity)
    };
    let activation: &'static Activation = leak(Activation::of(leak_text(file.path.display().to_string())));
    // SAFETY: the caller ensures that the file is a plug-in as `mpit_plugin.h` specifies, whose constructors may run here.
    let opened = unsafe { load::open(&file.path, activation) }.map_err(refused)?;
    let notified = threads::concurrent();
    let name = opened.name;
    let hooks = activate_and_register(path, opened, activation, notified).map_err(refused)?;
    super::listen_to_thread_level();
    let plugin = {
        let loaded = &mut STATE.lock().loaded;
        let plugin: &'static Loaded =
            leak(Loaded { number: loaded.len() as u32, name, file, activation, hooks });
        loaded.push(plugin);
        Plugin(plugin)
    };
    drop(loading_guard);
    if threads::concurrent() != notified {
        hooks.set_concurrent(!notified);
    }
    Ok(plugin)
}

fn activate_and_register(
    path: &Path,
    opened: Opened,
    activation: &'static Activation,
    concurrent: bool,
) -> LoadResult<Hooks> {
    let Opened { definitions, hooks, .. } = opened;
    hooks.set_concurrent(concurrent);
    hooks.activate()?;
    if let Err(why) = definitions.cells.bind() {
        hooks.deactivate();
        return Err(why);
    }
    let (components, taken) = component::Claim::new(definitions.components);
    report(path, &taken);
    activation.begin();
    match Registry::global()
        .add_unless_faulty(&definitions.image, &sources::for_cvars(&definitions.image.cvars))
    {
        Ok(taken) => report(path, &taken),
        Err(faults) => {
            activation.end();
            definitions.cells.unbind();
            drop(components);
            hooks.deactivate();
            return Err(in_one_line(&faults));
        }
    }
    components.publish();
    Ok(hooks)
}

/// Reports the definitions that are refused because their names are taken: to `mpit check`, or on standard error.
fn report(path: &Path, taken: &[Refusal]) {
    for refusal in taken {
        if !fault_log::append_refusal(refusal) {
            let Refusal { what, place, effect, why, .. } = refusal;
            print_line(&format!("the plug-in {}: {what} at {place} {effect}: {why}", path.display()));
        }
    }
}

impl Plugin {
    /// Returns the number that identifies the plug-in in the C interface.
    pub fn number(self) -> u32 {
        self.0.number
    }

    /// Returns the name that the plug-in states.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the path of the file.
    pub fn path(self) -> &'static Path {
        &self.0.file.path
    }

    /// Returns true if its variables have values and its events are delivered.
    pub fn is_active(self) -> bool {
        self.0.activation.is_active()
    }

    /// Deactivates the plug-in for the rest of the process; no effect if it is not active. Its variables and events stay listed,
    /// but handles on them are invalid from now on and can only be freed. Handlers of drops may run before this returns. Running
    /// code of the plug-in continues.
    pub fn deactivate(self) {
        if self.0.activation.end() {
            component::changed();
            Interface::global().release(self.0.activation);
            self.0.hooks.deactivate();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Refused;
    use crate::Error;

    #[test]
    fn messages_name_what_was_refused() {
        let refused = Refused::new(Path::new("a.so"), Error::Invalid, "it returned 1");
        assert_eq!(refused.to_string(), "the plug-in a.so is not loaded: it returned 1");
        let refused = Refused::of_directory(Path::new("a.so"), "it returned 1".into());
        assert_eq!(refused.to_string(), "the plug-ins in a.so are not loaded: it returned 1");
    }
}
