//! Control variables of the component.

use mpit::cvar;
use mpit::cvar::Cvar;

use super::CollMonitoring;
use crate::monitoring::settings::number;

/// Collective operations count as in Open MPI's component where it does not count what is exchanged: 0 no; 1
/// yes. Then MPI_Scan and MPI_Exscan have one receiver more in the communicator's size, MPI_Scatterv counts the root
/// itself, and MPI_IN_PLACE makes 0 bytes of MPI_Allgather, MPI_Allgatherv and MPI_Alltoall. On an intercommunicator an
/// operation leaves out the process of the same rank in the other group, as if the two groups had the same size, and one
/// with a root is recorded not by the root but in the other group, by the process of the same rank. Operations that a
/// library makes out of others count once all the same. Looked at when MPI is initialized.
#[cvar(
    name = "coll_monitoring_compat",
    scope = "LOCAL",
    settable = "before_init",
    verbosity = "TUNER_DETAIL",
    category = CollMonitoring
)]
pub(super) static COMPAT: Cvar<i32> = Cvar::new(0).range(0..=1);

/// Major version of the component.
#[cvar(name = "coll_monitoring_major_version", scope = "CONSTANT", verbosity = "MPIDEV_ALL", category = CollMonitoring)]
static MAJOR: Cvar<i32> = Cvar::new(number(env!("CARGO_PKG_VERSION_MAJOR")));

/// Minor version of the component.
#[cvar(name = "coll_monitoring_minor_version", scope = "CONSTANT", verbosity = "MPIDEV_ALL", category = CollMonitoring)]
static MINOR: Cvar<i32> = Cvar::new(number(env!("CARGO_PKG_VERSION_MINOR")));

/// Release version of the component.
#[cvar(name = "coll_monitoring_release_version", scope = "CONSTANT", verbosity = "MPIDEV_ALL", category = CollMonitoring)]
static RELEASE: Cvar<i32> = Cvar::new(number(env!("CARGO_PKG_VERSION_PATCH")));
