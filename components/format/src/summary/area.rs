//! The areas of MPI that calls belong to.

use crate::calls::{CallName, Class};

/// An area of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Area {
    /// Sends and receives, and waits for messages.
    PointToPoint,
    /// Collective operations, and the creation of communicators.
    Collective,
    /// One-sided communication.
    OneSided,
    /// Waits for requests of any kind.
    Wait,
    /// Files.
    Io,
    /// All other calls.
    Other,
}

/// Calls that return a request for something that no area has.
const IN_NO_AREA: [&str; 5] =
    ["Buffer_iflush", "Comm_iflush_buffer", "Session_iflush_buffer", "Comm_iagree", "Grequest_start"];

impl Area {
    /// All areas, in their order.
    pub const ALL: [Self; 6] =
        [Self::PointToPoint, Self::Collective, Self::OneSided, Self::Wait, Self::Io, Self::Other];

    /// Returns the area of a call.
    #[must_use]
    pub fn of(call: &CallName) -> Self {
        match call.class {
            _ if call.name.starts_with("File_") => Self::Io,
            _ if call.name.starts_with("Win_") => Self::OneSided,
            Class::Send | Class::Receive | Class::Exchange | Class::Probe | Class::StartMessage => {
                Self::PointToPoint
            }
            Class::Collective | Class::Rooted | Class::Creation | Class::StartCollective => Self::Collective,
            // Iprobe and Improbe are of messages, and tests of requests.
            Class::Poll if call.name.contains("probe") => Self::PointToPoint,
            Class::Wait | Class::Poll => Self::Wait,
            Class::File => Self::Io,
            // These are not for one-sided communication either.
            Class::StartOther if IN_NO_AREA.contains(&call.name) => Self::Other,
            Class::StartOther if call.name.ends_with("_init") || call.name.starts_with("Comm_") => {
                Self::Collective
            }
            Class::Access | Class::StartOther => Self::OneSided,
            Class::StartPersistent => Self::PointToPoint,
            Class::Partition | Class::Local | Class::Other => Self::Other,
        }
    }

    /// Returns the name in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PointToPoint => "p2p",
            Self::Collective => "coll",
            Self::OneSided => "osc",
            Self::Wait => "wait",
            Self::Io => "io",
            Self::Other => "other",
        }
    }
}
