//! The plug-ins of this process: loaded once and for ever, active or not.
//!
//! No lock is held while a plug-in's code runs, so it may load others, register tables, and use the whole interface. Who
//! finds a plug-in while somebody else changes it is refused and does not wait.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{
    AtomicBool, AtomicU8,
    Ordering::{Acquire, Relaxed, Release},
};

use super::component;
use super::export;
use super::find::{self, File};
use super::image;
use super::life::Life;
use super::load::{self, Hooks, Opened};
use super::read::Checked;
use super::table::{forever, in_one_line};
use crate::cvar::sources;
use crate::environment;
use crate::lock::Mutex;
use crate::log::Log;
use crate::registry::{Refusal, Registry};
use crate::session::Interface;
use crate::{Error, threads};

/// One plug-in.
#[derive(Debug)]
struct Loaded {
    number: u32,
    name: &'static str,
    file: File,
    life: &'static Life,
    hooks: Hooks,
    phase: AtomicU8,
}

const INACTIVE: u8 = 0;
const ACTIVE: u8 = 1;
/// Somebody activates or deactivates it.
const CHANGING: u8 = 2;

static LOADED: Log<Loaded> = Log::new();

/// Files that are being loaded, by their identities. Also taken to append to [`LOADED`].
static LOADING: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

/// A plug-in that was loaded.
#[derive(Clone, Copy, Debug)]
pub struct Plugin(&'static Loaded);

/// Why a plug-in was not loaded or activated.
#[derive(Clone, Debug, thiserror::Error)]
pub struct Refused {
    attempt: Attempt,
    path: PathBuf,
    why: String,
    error: Error,
}

/// An operation that was refused.
#[derive(Clone, Copy, Debug)]
enum Attempt {
    /// To load a plug-in.
    Load,
    /// To load the plug-ins of a directory.
    LoadAll,
    /// To activate or deactivate a plug-in that is loaded.
    Change,
}

impl Refused {
    fn new(path: &Path, error: Error, why: impl Into<String>) -> Self {
        Self { attempt: Attempt::Load, path: path.into(), why: why.into(), error }
    }

    /// Replaces the operation.
    fn of(self, attempt: Attempt) -> Self {
        Self { attempt, ..self }
    }

    /// What is wrong with it.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Tells people on standard error.
    pub fn tell(&self) {
        tell(&self.to_string());
    }

    /// The error class that comes closest.
    #[must_use]
    pub fn error(&self) -> Error {
        self.error
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, why) = (self.path.display(), &self.why);
        match self.attempt {
            Attempt::Load => write!(f, "the plug-in {path} is not loaded: {why}"),
            Attempt::LoadAll => write!(f, "the plug-ins in {path} are not loaded: {why}"),
            Attempt::Change => write!(f, "the plug-in {path} stays as it is: {why}"),
        }
    }
}

/// Loads a plug-in by the path of its file, and activates it; one that is loaded already is activated if it is not active.
///
/// # Errors
///
/// What is wrong with the file, or with what it defines. A name that is taken already is no error: the one definition is
/// left out and reported on standard error, the rest is there.
///
/// # Safety
///
/// The file is a plug-in as `mpit_plugin.h` says: what it has at the start may run here, its lists have as many entries as
/// their numbers say, strings end with a NUL, and its functions may be called by any thread at any time. [`check`](super::check)
/// finds out in a process of its own what is not so.
pub unsafe fn load(path: impl AsRef<Path>) -> Result<Plugin, Refused> {
    let path = path.as_ref();
    if export::is_exported() {
        let why = "the program loads plug-ins, and this is asked for in one, whose copy of mpit has nothing";
        return Err(Refused::new(path, Error::NotSupported, why));
    }
    // What the environment asks for comes first.
    Registry::global();
    // SAFETY: by the caller's promise.
    unsafe { load_one(path) }
}

/// All plug-ins, by number.
pub fn all() -> impl Iterator<Item = Plugin> {
    LOADED.iter().map(Plugin)
}

/// The plug-in of a number.
#[must_use]
pub fn numbered(number: u32) -> Option<Plugin> {
    LOADED.get(number as usize).map(Plugin)
}

/// Whether the environment's plug-ins are loaded, or being loaded, or not wanted.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Leaves the plug-ins that the environment asks for to other processes: for one that only starts those.
pub fn leave_to_others() {
    BEGUN.store(true, Relaxed);
}

/// Loads what the environment asks for, once. What cannot be loaded is told on standard error.
#[inline]
pub(crate) fn load_what_is_asked_for() {
    if !BEGUN.load(Relaxed) && !BEGUN.swap(true, Relaxed) {
        load_all();
    }
}

#[cold]
fn load_all() {
    let (paths, faults) = find::asked_for();
    for (dir, why) in faults {
        Refused::new(&dir, Error::Invalid, why).of(Attempt::LoadAll).tell();
    }
    for path in paths {
        // SAFETY: whoever sets the variables promises that.
        if let Err(refused) = unsafe { load_one(&path) } {
            refused.tell();
        }
    }
}

/// Tells all plug-ins whether several threads may communicate at once.
pub(crate) fn tell_concurrent(concurrent: bool) {
    for plugin in LOADED.iter().filter(|plugin| plugin.phase.load(Acquire) != INACTIVE) {
        plugin.hooks.set_concurrent(concurrent);
    }
    image::tell_concurrent(concurrent);
}

/// A file that nobody else loads meanwhile.
struct Turn((u64, u64));

impl Drop for Turn {
    fn drop(&mut self) {
        LOADING.lock().retain(|identity| *identity != self.0);
    }
}

/// # Safety
///
/// As [`load`].
unsafe fn load_one(path: &Path) -> Result<Plugin, Refused> {
    let refused = |why: String| Refused::new(path, Error::Invalid, why);
    if environment::is_privileged() {
        let why = "this program has privileges that its user lacks, and loads no plug-ins";
        return Err(Refused::new(path, Error::NotAccessible, why));
    }
    let file = find::file(path).map_err(refused)?;
    let turn = {
        let mut loading = LOADING.lock();
        let known = LOADED.iter().find(|plugin| plugin.file.identity == file.identity);
        if let Some(known) = known {
            drop(loading);
            return Plugin(known).activate().map(|()| Plugin(known));
        }
        if loading.contains(&file.identity) {
            return Err(Refused::new(path, Error::NotAccessible, "it is being loaded at this moment"));
        }
        loading.push(file.identity);
        Turn(file.identity)
    };
    let life: &'static Life = forever(Life::new());
    // SAFETY: by the caller's promise.
    let opened = unsafe { load::open(&file.path, life) }.map_err(refused)?;
    let told = threads::concurrent();
    let name = opened.name;
    let hooks = appear(path, opened, life, told).map_err(refused)?;
    let plugin = {
        let _alone = LOADING.lock();
        let number = LOADED.len() as u32;
        let loaded = Loaded { number, name, file, life, hooks, phase: AtomicU8::new(ACTIVE) };
        let index = LOADED.push(loaded).ok();
        index.and_then(|index| LOADED.get(index)).map(Plugin)
    };
    drop(turn);
    if threads::concurrent() != told {
        hooks.set_concurrent(!told);
    }
    plugin.ok_or_else(|| Refused::new(path, Error::Memory, "there are too many"))
}

/// Activates what was opened, and lets tools see it.
fn appear(path: &Path, opened: Opened, life: &'static Life, concurrent: bool) -> Checked<Hooks> {
    let Opened { made, hooks, .. } = opened;
    hooks.set_concurrent(concurrent);
    hooks.activate()?;
    if let Err(why) = made.cells.bind() {
        hooks.deactivate();
        return Err(why);
    }
    let (components, taken) = component::Claim::new(made.components);
    report(path, &taken);
    life.begin();
    match Registry::global().add_unless_faulty(&made.image, &sources::for_image(&made.image)) {
        Ok(taken) => report(path, &taken),
        Err(faults) => {
            life.end();
            made.cells.unbind();
            drop(components);
            hooks.deactivate();
            return Err(in_one_line(&faults));
        }
    }
    components.publish();
    Ok(hooks)
}

/// Tells people what is left out of a plug-in, since others have it.
fn report(path: &Path, taken: &[Refusal]) {
    for Refusal { what, place, why, .. } in taken {
        tell(&format!("the plug-in {}: {what} at {place} is left out: {why}", path.display()));
    }
}

/// Writes a line at once, since other processes write to the same place. Texts of a plug-in's own may have lines.
#[allow(clippy::print_stderr, reason = "nobody else is there to tell")]
fn tell(line: &str) {
    let line = format!("mpit: {}\n", line.replace(char::is_control, "?"));
    eprint!("{}", crate::printable(&line));
}

impl Plugin {
    /// What C calls it by.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0.number
    }

    /// What it calls itself.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Its file.
    #[must_use]
    pub fn path(self) -> &'static Path {
        &self.0.file.path
    }

    /// Whether its variables have values, and its events are told.
    #[must_use]
    pub fn is_active(self) -> bool {
        self.0.life.is_active()
    }

    /// Activates it again: tools make new handles under the old indices. One that is active stays so.
    ///
    /// # Errors
    ///
    /// [`Error::NotAccessible`] while it is being activated or deactivated; what it says itself.
    pub fn activate(self) -> Result<(), Refused> {
        if !self.begin_change(INACTIVE)? {
            return Ok(());
        }
        self.0.hooks.set_concurrent(threads::concurrent());
        let activated = self.0.hooks.activate();
        if activated.is_ok() {
            self.0.life.begin();
            component::changed();
        }
        self.0.phase.store(if activated.is_ok() { ACTIVE } else { INACTIVE }, Release);
        activated.map_err(|why| Refused::new(&self.0.file.path, Error::Invalid, why).of(Attempt::Change))
    }

    /// Deactivates it. Its variables and events stay listed, but handles on them are invalid from now on, except that they
    /// can be freed. Callbacks may run meanwhile: with what waits for them, and with what was lost. Code of the plug-in's
    /// own that runs now runs on. One that is not active stays so.
    ///
    /// # Errors
    ///
    /// [`Error::NotAccessible`] while it is being activated or deactivated.
    pub fn deactivate(self) -> Result<(), Refused> {
        if !self.begin_change(ACTIVE)? {
            return Ok(());
        }
        self.0.life.end();
        component::changed();
        Interface::global().release(self.0.life);
        self.0.hooks.deactivate();
        self.0.phase.store(INACTIVE, Release);
        Ok(())
    }

    /// Keeps others from changing it, if it is in this phase; whether it is.
    fn begin_change(self, from: u8) -> Result<bool, Refused> {
        match self.0.phase.compare_exchange(from, CHANGING, Acquire, Acquire) {
            Ok(_) => Ok(true),
            Err(CHANGING) => {
                let why = "it is being activated or deactivated at this moment";
                Err(Refused::new(&self.0.file.path, Error::NotAccessible, why).of(Attempt::Change))
            }
            Err(_) => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Attempt, Refused};
    use crate::Error;

    #[test]
    fn messages_name_what_was_refused() {
        let refused = Refused::new(Path::new("a.so"), Error::Invalid, "it returned 1");
        assert_eq!(refused.to_string(), "the plug-in a.so is not loaded: it returned 1");
        assert_eq!(refused.of(Attempt::Change).to_string(), "the plug-in a.so stays as it is: it returned 1");
    }
}
