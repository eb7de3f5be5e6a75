//! The values that files, the environment and launchers give to control variables.
//!
//! The documentation of [`mod@crate::cvar`] has the order of the sources and the syntax of files. A privileged process has only
//! the values that tools write: see `crate::os::environment`.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::CvarDesc;
use crate::cell::{Value, fits};
use crate::object::Object;
use crate::os::environment;
use crate::os::terminal::print as warn;
use crate::os::trusted_path::{self, Distrust};
use crate::vocabulary::Datatype;

/// The environment variable that names the parameter file. If it is not set, `$HOME/.mpit/params.conf` is read if it exists.
pub const PARAM_FILE: &str = "MPIT_PARAM_FILE";

/// The environment variable that names the site's parameter file, whose settings are the weakest ones; `off` for none. If it is not
/// set, [`SITE_DEFAULT`] is read if it exists.
pub const SITE_FILE: &str = "MPIT_SITE_FILE";

/// The site's parameter file.
pub const SITE_DEFAULT: &str = "/etc/mpit/mpit.conf";

/// The environment variable in which the launcher passes its `--set` arguments, one `name=value` per line.
pub const LAUNCHER_SETTINGS: &str = "MPIT_SET";

/// The source of the value of a control variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueSource {
    /// The definition.
    Default,
    /// A line of a parameter file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// An environment variable.
    Environment {
        /// The variable's name.
        variable: String,
    },
    /// `mpit run --set`.
    Launcher,
    /// A write through the tools interface.
    Tool,
}

impl fmt::Display for ValueSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment { variable } => write!(f, "environment {variable}"),
            Self::Launcher => f.write_str("--set"),
            Self::Tool => f.write_str("MPI_T write"),
        }
    }
}

/// A value from a source, not yet assigned to a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The name as written; in the environment, the name of the environment variable.
    pub name: String,
    /// The value as written.
    pub value: String,
    /// The source.
    pub source: ValueSource,
}

impl Setting {
    /// Returns false for an environment variable that only a definition makes a setting.
    fn is_for_any(&self) -> bool {
        !matches!(self.source, ValueSource::Environment { .. }) || self.name.starts_with(PREFIX)
    }
}

/// The beginning of the names of environment variables that are settings.
const PREFIX: &str = "MPIT_";

thread_local! {
    /// The settings for any control variable, as last read inside [`reading_once`].
    static READ: RefCell<Reading> = const { RefCell::new(Reading::EachTime) };
}

/// The settings that this thread has read.
enum Reading {
    /// None are kept.
    EachTime,
    /// They are kept from now on.
    Once,
    Kept(Vec<Setting>),
}

/// Runs a function in which `for_any` reads the settings only if [`for_cvars`] has not read them already.
pub fn reading_once<R>(during: impl FnOnce() -> R) -> R {
    struct Forget;
    impl Drop for Forget {
        fn drop(&mut self) {
            let _ = READ.try_with(|kept| kept.replace(Reading::EachTime));
        }
    }
    let _ = READ.try_with(|kept| kept.replace(Reading::Once));
    let _forget = Forget;
    during()
}

/// Keeps settings inside [`reading_once`].
fn keep(settings: &[Setting]) {
    // A thread that is ending keeps none.
    let _ = READ.try_with(|kept| {
        if !matches!(*kept.borrow(), Reading::EachTime) {
            let for_any = settings.iter().filter(|setting| setting.is_for_any()).cloned().collect();
            kept.replace(Reading::Kept(for_any));
        }
    });
}

/// Returns the settings of this process that may apply to control variables, from weakest to strongest. From the environment,
/// these are variables that begin with `MPIT_`, and those that the definitions name.
pub fn for_cvars(cvars: &[&CvarDesc]) -> Vec<Setting> {
    let named: HashSet<&str> = cvars.iter().flat_map(|desc| desc.environment()).copied().collect();
    environment::report_ignored();
    let settings = read(&named, &warn);
    keep(&settings);
    settings
}

/// Returns the settings that may apply to any control variable, like [`for_cvars`]. Faults were reported before.
pub(crate) fn for_any() -> Vec<Setting> {
    let kept = READ.try_with(|kept| match &*kept.borrow() {
        Reading::Kept(all) => Some(all.clone()),
        Reading::EachTime | Reading::Once => None,
    });
    kept.ok().flatten().unwrap_or_else(|| {
        let settings = read(&HashSet::new(), &|_| ());
        keep(&settings);
        settings
    })
}

fn read(named: &HashSet<&str>, warn: &dyn Fn(&str)) -> Vec<Setting> {
    let mut settings = from_site();
    settings.append(&mut from_file(warn));
    for (variable, value) in environment::vars_os() {
        // Most variables are for others, and are not looked at any further.
        if (!named.is_empty() || variable.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
            && let (Some(variable), Some(value)) = (variable.to_str(), value.to_str())
            && (variable.starts_with(PREFIX) || named.contains(variable))
        {
            let source = ValueSource::Environment { variable: variable.into() };
            settings.push(Setting { name: variable.into(), value: value.into(), source });
        }
    }
    if let Some(lines) = environment::var(LAUNCHER_SETTINGS) {
        for line in lines.lines().filter(|line| !line.is_empty()) {
            match line.split_once('=') {
                Some((name, value)) => settings.push(Setting {
                    name: name.trim().into(),
                    value: value.into(),
                    source: ValueSource::Launcher,
                }),
                None => warn(&format!("--set: expected `name=value`, found `{line}`")),
            }
        }
    }
    settings
}

fn from_site() -> Vec<Setting> {
    if environment::is_privileged() {
        return Vec::new();
    }
    let named = environment::var_os(SITE_FILE).filter(|path| !path.is_empty());
    if named.as_ref().is_some_and(|path| path == "off") {
        return Vec::new();
    }
    let is_named = named.is_some();
    let path = named.map_or_else(|| SITE_DEFAULT.into(), PathBuf::from);
    settings_of_file(&path, SITE_FILE, is_named, &warn_of_site)
}

/// Returns the settings in a file. Reports one that is not used, in one process of a job, and `warn`s of its lines. It may be absent if no
/// variable names it.
fn settings_of_file(path: &Path, variable: &str, is_named: bool, warn: &dyn Fn(&str)) -> Vec<Setting> {
    match read_file(path) {
        Ok(text) => return parse_file(path, &text, warn),
        Err(Distrust::Io(error)) if !is_named && is_ignored(&error) => {}
        Err(why) if is_first_of_job() => warn(&unusable(path, variable, &why)),
        Err(_) => {}
    }
    Vec::new()
}

/// Returns true for an error of a file that the user never named: it is absent, or the program lacks descriptors or memory.
fn is_ignored(error: &io::Error) -> bool {
    let is_short = matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM));
    is_short || error.kind() == ErrorKind::NotFound
}

/// Reports a fault of the site's file, which its user cannot mend: in one process of a job.
fn warn_of_site(text: &str) {
    if is_first_of_job() {
        warn(text);
    }
}

/// Returns true in one process of a job, which reports a fault that is the same in all.
fn is_first_of_job() -> bool {
    const RANKS: [&str; 4] = ["PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"];
    let rank = RANKS.into_iter().find_map(environment::var);
    rank.is_none_or(|rank| rank == "0")
}

/// Returns the message about a parameter file that is not used.
fn unusable(path: &Path, variable: &str, why: &Distrust) -> String {
    let path = path.display();
    match why {
        Distrust::Io(_) | Distrust::Directory | Distrust::NotRegular => {
            format!("cannot read the parameter file {path} ({variable}): {why}")
        }
        Distrust::Owner { .. } => {
            format!("the parameter file {path} ({variable}) is ignored: {why}; use a copy of your own")
        }
        Distrust::Writable { .. } => format!("the parameter file {path} ({variable}) is ignored: {why}"),
    }
}

/// The size that no parameter file exceeds.
const MAX_SIZE: u64 = 1 << 20;

/// Reads a regular file that no other user can change: settings name files that are written.
fn read_file(path: &Path) -> Result<String, Distrust> {
    let mut text = String::new();
    let file = trusted_path::open(path)?.file;
    if file.take(MAX_SIZE + 1).read_to_string(&mut text)? as u64 > MAX_SIZE {
        return Err(io::Error::other(format!("it has more than {MAX_SIZE} bytes")).into());
    }
    Ok(text)
}

fn from_file(warn: &dyn Fn(&str)) -> Vec<Setting> {
    let named = environment::var_os(PARAM_FILE).filter(|path| !path.is_empty()).map(PathBuf::from);
    // A directory above is checked only if the file exists.
    let at_home = || Some(environment::home()?.join(".mpit/params.conf")).filter(|path| path.exists());
    let variable = if named.is_some() { PARAM_FILE } else { "HOME" };
    let Some(path) = named.or_else(at_home) else { return Vec::new() };
    settings_of_file(&path, variable, true, warn)
}

/// Parses a parameter file. Lines with faults are reported to `warn` and skipped.
pub fn parse_file(path: &Path, text: &str, warn: &dyn Fn(&str)) -> Vec<Setting> {
    let mut settings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        match parse_line(line.trim()) {
            Ok(None) => {}
            Ok(Some((name, value))) => settings.push(Setting {
                name: name.into(),
                value: value.into(),
                source: ValueSource::File { path: path.into(), line: number },
            }),
            Err(why) => warn(&format!("{}:{number}: {why}", path.display())),
        }
    }
    settings
}

/// Returns the name and the value on a line, if there are any.
fn parse_line(line: &str) -> Result<Option<(&str, &str)>, String> {
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let expected = || format!("expected `name = value`, found `{line}`");
    let (name, value) = line.split_once('=').ok_or_else(expected)?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || name.contains('#') {
        return Err(expected());
    }
    let Some(quoted) = value.strip_prefix('"') else {
        return Ok(Some((name, value.split('#').next().unwrap_or_default().trim())));
    };
    let (text, rest) = quoted.split_once('"').ok_or_else(|| format!("no closing quote in `{line}`"))?;
    let rest = rest.trim();
    if rest.is_empty() || rest.starts_with('#') { Ok(Some((name, text))) } else { Err(expected()) }
}

/// Gives a variable the strongest of its settings that it accepts, and returns its source. A refused value is reported on
/// standard error, and the next weaker one is tried.
pub(crate) fn apply(desc: &CvarDesc, settings: &[Setting]) -> ValueSource {
    let mut matching: Vec<_> =
        settings.iter().filter_map(|setting| Some((rank(desc, setting)?, setting))).collect();
    // Of equally strong settings, the last one is the strongest.
    while let Some((at, _)) = matching.iter().enumerate().max_by_key(|(_, (rank, _))| *rank) {
        let (_, setting) = matching.remove(at);
        match set_text(desc, &setting.value) {
            Ok(()) => return setting.source.clone(),
            Err(why) => warn(&format!(
                "`{}` is no value for `{}` ({}): {why}",
                setting.value,
                desc.name(),
                setting.source
            )),
        }
    }
    ValueSource::Default
}

/// Returns the strength of a setting for a variable: first by its source, then by the name that was used. `None` if it is for
/// another variable.
fn rank(desc: &CvarDesc, setting: &Setting) -> Option<(u8, Reverse<usize>)> {
    let mut known_as = std::iter::once(desc.name()).chain(desc.aliases().iter().copied());
    match &setting.source {
        ValueSource::File { .. } if known_as.any(|name| name == setting.name) => Some((0, Reverse(0))),
        ValueSource::Environment { variable } => {
            let further = desc.environment().iter().map(|name| *name == variable.as_str());
            let of_names = known_as.map(|name| is_environment_name(variable, name));
            of_names.chain(further).position(|is_named| is_named).map(|at| (1, Reverse(at)))
        }
        ValueSource::Launcher if known_as.any(|name| name == setting.name) => Some((2, Reverse(0))),
        ValueSource::File { .. } | ValueSource::Launcher | ValueSource::Default | ValueSource::Tool => None,
    }
}

/// Returns the environment variable that sets a control variable: `MPIT_` and the name in upper case, with `_` for characters
/// that are neither letters nor digits.
pub fn environment_name(name: &str) -> String {
    environment_letters(name).collect()
}

/// Returns true if an environment variable is the one that sets a control variable.
pub(crate) fn is_environment_name(variable: &str, name: &str) -> bool {
    environment_letters(name).eq(variable.chars())
}

fn environment_letters(name: &str) -> impl Iterator<Item = char> {
    let upper = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    PREFIX.chars().chain(name.chars().map(upper))
}

/// Sets a variable from text: a number in decimal or `0x`, the name or the value of an enumeration's item, or the text itself.
///
/// # Errors
///
/// A message that names the fault of the text.
pub fn set_text(desc: &CvarDesc, text: &str) -> Result<(), String> {
    if let Some(enumeration) = desc.enumeration() {
        let item = enumeration.items().iter().find(|item| item.name() == text);
        let value = item.map(crate::desc::EnumItem::value).or_else(|| text.parse().ok());
        let value = value.filter(|value| enumeration.item(*value).is_some()).ok_or_else(|| {
            let names: Vec<_> = enumeration.items().iter().map(crate::desc::EnumItem::name).collect();
            format!("expected one of {}", names.join(", "))
        })?;
        return write(desc, &[value]);
    }
    match desc.datatype() {
        Datatype::Int | Datatype::Int32 => write(desc, &[number::<i32>(text)?]),
        Datatype::Int64 | Datatype::Count => write(desc, &[number::<i64>(text)?]),
        Datatype::Unsigned | Datatype::Uint32 => write(desc, &[number::<u32>(text)?]),
        Datatype::UnsignedLong | Datatype::UnsignedLongLong | Datatype::Uint64 => {
            write(desc, &[number::<u64>(text)?])
        }
        Datatype::Double => {
            let value: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
            write(desc, &[value])
        }
        Datatype::Char => {
            if text.contains('\0') || text.len() >= desc.count() {
                return Err(format!("expected at most {} bytes of text", desc.count() - 1));
            }
            write(desc, text.as_bytes())
        }
    }
}

fn number<T: TryFrom<i128>>(text: &str) -> Result<T, String> {
    let value = match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let value = value.map_err(|_| "expected a whole number".to_owned())?;
    T::try_from(value).map_err(|_| "the number is out of range for its type".to_owned())
}

fn write<T: Value>(desc: &CvarDesc, value: &[T]) -> Result<(), String> {
    assert!(fits::<T>(desc.datatype()), "the value has another type than the variable");
    // SAFETY: `value` has elements of the descriptor's datatype (checked).
    unsafe { desc.write(&Object::NONE, value.as_ptr().cast(), value.len()) }.map_err(|error| match error {
        crate::Error::Invalid => match desc.range_as_text() {
            Some(range) => format!("the variable does not accept it; its range is {range}"),
            None => format!("the variable does not accept it; `mpit vars {}` describes it", desc.name()),
        },
        other => other.to_string(),
    })
}
