//! Control variables with the version of the component.

use mpit::cvar;
use mpit::cvar::Cvar;

use super::PmlMonitoring;
use crate::settings::number;

/// Major version of the component.
#[cvar(name = "pml_monitoring_major_version", scope = "CONSTANT", verbosity = "MPIDEV_ALL", category = PmlMonitoring)]
static MAJOR: Cvar<i32> = Cvar::new(number(env!("CARGO_PKG_VERSION_MAJOR")));

/// Minor version of the component.
#[cvar(name = "pml_monitoring_minor_version", scope = "CONSTANT", verbosity = "MPIDEV_ALL", category = PmlMonitoring)]
static MINOR: Cvar<i32> = Cvar::new(number(env!("CARGO_PKG_VERSION_MINOR")));

/// Release version of the component.
#[cvar(name = "pml_monitoring_release_version", scope = "CONSTANT", verbosity = "MPIDEV_ALL", category = PmlMonitoring)]
static RELEASE: Cvar<i32> = Cvar::new(number(env!("CARGO_PKG_VERSION_PATCH")));
