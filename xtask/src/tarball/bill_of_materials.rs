//! The list of the crates that the command and the libraries contain, in the format CycloneDX.

use std::fs;
use std::path::Path;

use mpit_tests::{Context, Outcome, build, paths};

use super::TARGET;
use crate::{cargo, files};

/// The name of the files that `cargo cyclonedx` writes beside the manifests of the workspace, without the ending.
const NAME: &str = "mpit-dist-bill";

/// The package whose list is written: the command contains all that the libraries contain.
const PACKAGE: &str = "cli";
