//! The source code of places in the program, from the symbols of its modules on this machine.

use std::fmt::{self, Write as _};
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use addr2line::Loader;
use hashbrown::HashMap;
use mpit_format::files;
use mpit_format::times::PYTHON;
use object::Object;
use object::read::ReadCache;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Origins, Site};

/// The maximum number of inlined functions of a place.
const MAX_FRAMES: usize = 32;

/// A function of the program, and a line of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Code {
    /// The name of the function; null if it is not known.
    pub function: Option<String>,
    /// The path of the source; null if the module has no debug information.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
}

/// The source code of a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Location {
    /// The functions, of which each one is inlined into the next one. Empty if the module has no symbols.
    pub(crate) frames: Vec<Code>,
    /// The reason why there are no functions.
    pub(crate) problem: Option<String>,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.as_deref().map(|path| Path::new(path).file_name().unwrap_or_default());
        match (file, self.line, &self.function) {
            (Some(file), Some(line), Some(function)) => {
                write!(f, "{}:{line} ({function})", file.to_string_lossy())
            }
            (Some(file), Some(line), None) => write!(f, "{}:{line}", file.to_string_lossy()),
            (_, _, Some(function)) => f.write_str(function),
            (..) => f.write_str("?"),
        }
    }
}

impl Origins {
    /// Finds the source code of all places. Returns notes about modules for which that is not possible.
    pub(crate) fn resolve(&mut self) -> Vec<String> {
        let mut modules = HashMap::<(Arc<str>, Arc<str>), Result<Loader, String>>::new();
        let mut notes = Vec::new();
        for calls in &self.sites {
            let Site::At { module, build_id, offset } = &calls.origin else { continue };
            if module.is_empty() || self.locations.contains_key(&calls.origin) {
                continue;
            }
            if let Some(function) = build_id.strip_prefix(PYTHON) {
                let (file, line) = (Some((**module).to_owned()), u32::try_from(*offset).ok());
                let frames = vec![Code { function: Some(function.to_owned()), file, line }];
                self.locations.insert(calls.origin.clone(), Location { frames, problem: None });
                continue;
            }
            let key = (Arc::clone(module), Arc::clone(build_id));
            let symbols = modules.entry(key).or_insert_with(|| {
                load(module, build_id)
                    .inspect_err(|why| notes.push(format!("{module}: {why}; its sites are shown as offsets")))
            });
            let location = match symbols {
                Ok(loader) => locate(loader, *offset),
                Err(why) => Location { frames: Vec::new(), problem: Some(why.clone()) },
            };
            self.locations.insert(calls.origin.clone(), location);
        }
        notes
    }

    /// Returns the description of a place for users.
    pub(crate) fn describe(&self, site: &Site) -> String {
        let (module, offset) = match site {
            Site::At { module, offset, .. } if !module.is_empty() => (module, *offset),
            Site::At { .. } => return "(generated code)".into(),
            Site::Others => return "(other sites)".into(),
            Site::Unknown => return "(unknown)".into(),
        };
        let name = Path::new(&**module).file_name().unwrap_or_default().to_string_lossy();
        let frames = self.locations.get(site).map_or(&[][..], |location| &location.frames);
        let [first, rest @ ..] = frames else { return format!("{name}+{offset:#x}") };
        let mut text = first.to_string();
        if first.line.is_none() {
            _ = write!(text, " in {name}+{offset:#x}");
        }
        if let Some(last) = rest.last() {
            _ = write!(text, ", inlined into {last}");
        }
        text
    }
}

/// Opens a module of the run. Fails if it is not here, or another one.
fn load(module: &str, build_id: &str) -> Result<Loader, String> {
    let file = files::open(Path::new(module)).map_err(|error| format!("cannot read: {error}"))?;
    let cache = ReadCache::new(file);
    let parsed =
        object::File::<&ReadCache<File>>::parse(&cache).map_err(|error| format!("cannot read: {error}"))?;
    if !build_id.is_empty() {
        let mut found = String::new();
        for byte in parsed.build_id().ok().flatten().unwrap_or_default() {
            _ = write!(found, "{byte:02x}");
        }
        if found != build_id {
            return Err("it has changed since the run (the build IDs differ)".into());
        }
    }
    // Distributions put debug information into files of their own.
    if let Some((directory, rest)) = build_id.split_at_checked(2)
        && let path = format!("/usr/lib/debug/.build-id/{directory}/{rest}.debug")
        && fs::metadata(&path).is_ok_and(|file| file.is_file())
        && let Ok(loader) = Loader::new(path)
    {
        return Ok(loader);
    }
    Loader::new(module).map_err(|error| format!("cannot read its symbols: {error}"))
}

fn locate(loader: &Loader, offset: u64) -> Location {
    // The return address may be that of the next statement.
    let address = offset.saturating_sub(1);
    let mut frames = Vec::new();
    if let Ok(mut found) = loader.find_frames(address) {
        while let Ok(Some(frame)) = found.next() {
            let function = frame.function.as_ref();
            let function = function.and_then(|function| Some(function.demangle().ok()?.into_owned()));
            let (file, line) = frame.location.map_or((None, None), |location| (location.file, location.line));
            frames.push(Code { function, file: file.map(str::to_owned), line });
            if frames.len() == MAX_FRAMES {
                break;
            }
        }
    }
    if frames.iter().all(|frame| frame.function.is_none() && frame.line.is_none()) {
        let name =
            loader.find_symbol(address).map(|name| addr2line::demangle_auto(name.into(), None).into_owned());
        frames = name.map(|name| Code { function: Some(name), file: None, line: None }).into_iter().collect();
    }
    let problem = if frames.is_empty() { Some("the module has no symbols".into()) } else { None };
    Location { frames, problem }
}
