//! `--regions`: annotations for other libraries, which `libmpit_regions.so` receives.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use crate::preload::REGIONS_NAME;
use crate::{Run, preload, print};

/// A library whose annotations become regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnnotationLibrary {
    Kokkos,
    Nvtx,
    Caliper,
}

impl AnnotationLibrary {
    fn name(self) -> &'static str {
        match self {
            Self::Kokkos => "Kokkos",
            Self::Nvtx => "NVTX",
            Self::Caliper => "Caliper",
        }
    }

    /// Returns the variables that name the tool of the library, the one that is set first. The others are names of earlier versions.
    fn variables(self) -> &'static [&'static str] {
        match self {
            Self::Kokkos => &["KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY"],
            Self::Nvtx => &["NVTX_INJECTION64_PATH"],
            Self::Caliper => &[],
        }
    }
}

/// The way of annotations to our library.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    library: PathBuf,
    /// The variables that name our library.
    names: Vec<&'static str>,
    is_preloaded: bool,
}

impl Regions {
    /// Finds our library beside the preload library. Prints which libraries have a tool of the user's.
    pub(crate) fn new(args: &Run, preload: &Path) -> Result<Self, String> {
        let mut regions = Self::default();
        if args.regions.is_empty() {
            return Ok(regions);
        }
        regions.library = find(preload)?;
        for one in &args.regions {
            let Some(first) = one.variables().first() else {
                regions.is_preloaded = true;
                continue;
            };
            let is_others = |value: &OsString| !value.is_empty() && *value != regions.library;
            let other =
                one.variables().iter().find(|name| std::env::var_os(name).as_ref().is_some_and(is_others));
            match other {
                Some(other) => print(&format!(
                    "{other} names a tool, which has the annotations of {}; to have them as regions, unset it",
                    one.name()
                )),
                None if regions.names.contains(first) => (),
                None => regions.names.push(first),
            }
        }
        Ok(regions)
    }

    /// Returns the names of the variables that processes need.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied()
    }

    /// Returns these variables with their values.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.names().map(|name| (name, self.library.as_path()))
    }

    pub(crate) fn add(&self, command: &mut Command) {
        command.envs(self.variables());
    }

    /// Returns the library, if it is to be preloaded.
    pub(crate) fn preloaded(&self) -> Option<&Path> {
        if self.is_preloaded { Some(&self.library) } else { None }
    }
}

fn find(preload: &Path) -> Result<PathBuf, String> {
    let resolved = preload.canonicalize().unwrap_or_else(|_| preload.to_owned());
    let places = [preload.with_file_name(REGIONS_NAME), resolved.with_file_name(REGIONS_NAME)];
    let found = places.iter().find(|place| place.is_file()).ok_or_else(|| {
        format!(
            "{REGIONS_NAME}, which --regions needs, is not beside {}; install mpit again, or build it in the sources with `cargo build --profile dist -p mpit-regions` and copy it there",
            preload.display()
        )
    })?;
    preload::without_separators(found)
}
