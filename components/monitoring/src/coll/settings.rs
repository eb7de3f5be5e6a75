//! The control variable of the component.

use mpit::cvar;
use mpit::cvar::Cvar;

use super::CollMonitoring;

/// Counts collective operations like Open MPI's component, where its counts differ from the data that is exchanged. 0: no.
/// 1: yes. MPI_Scan and MPI_Exscan then count one receiver more in the communicator's size, MPI_Scatterv counts the root
/// itself, and MPI_Allgather, MPI_Allgatherv and MPI_Alltoall with MPI_IN_PLACE count 0 bytes. On an intercommunicator, an
/// operation does not count the process of the same rank in the other group, as if the two groups had the same size; an
/// operation with a root is recorded by the process of the other group that has the root's rank, not by the root. An
/// operation that the library builds from others still counts once. Read when MPI is initialized.
#[cvar(
    name = "coll_monitoring_compat", scope = "LOCAL", settable = "before_init", verbosity = "TUNER_DETAIL",
    category = CollMonitoring
)]
pub(super) static COMPAT: Cvar<i32> = Cvar::new(0).range(0..=1);
