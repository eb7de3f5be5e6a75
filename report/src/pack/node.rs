//! Packing of the files of one node's processes, while other nodes pack those of theirs.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::{Packed, write};
use crate::input;
use crate::records::{self, JobTables};

/// A process of a job on this node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The rank.
    pub rank: u32,
    /// A time before the process began, as in the [identity](mpit_format::Identity) of its file: older files are of earlier jobs.
    pub since: String,
}

/// The result of packing the files of a node.
#[derive(Debug)]
pub enum NodePacked {
    /// No process has left a file that tables can have.
    Nothing,
    /// The directory has something else, or another job's tables. The files stay.
    Taken(PathBuf),
    /// The node's part is there.
    Done {
        /// The directory of the tables.
        directory: PathBuf,
        /// True if this was the last part of the job.
        is_whole: bool,
        /// The content of the part.
        packed: Packed,
    },
}

/// Writes the part of a node into the tables of a job. `stem` is the beginning of the files' names. The files stay. Those of processes that
/// the launcher did not start, and stores, are not packed.
///
/// # Errors
///
/// Those of the file system; the part is not there then, or the manifest is not.
pub fn pack_node(stem: &Path, node: &str, members: &[Member]) -> io::Result<NodePacked> {
    let mut since = BTreeMap::new();
    for Member { rank, since: begin } in members {
        since.insert(*rank, begin.as_str());
    }
    let Some(run) = input::of_processes(stem, node, &since)? else { return Ok(NodePacked::Nothing) };
    let Some(identity) = run.identity() else { return Ok(NodePacked::Nothing) };
    let directory = records::tables_of(&run.path());
    let Some(tables) = JobTables::join(&directory, identity)? else {
        return Ok(NodePacked::Taken(directory));
    };
    let (unfinished, packed) = write(&run, &tables)?;
    tables.end_part(unfinished, node, packed.processes)?;
    let is_whole = tables.finish_if_whole(identity.size)?;
    Ok(NodePacked::Done { directory, is_whole, packed })
}
