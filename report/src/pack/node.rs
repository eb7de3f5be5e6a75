//! Packing of the files of one node's processes, while other nodes pack those of theirs.

use std::io;
use std::path::{Path, PathBuf};

use mpit_format::Identity;

use super::{ALL, Packed, REST, write};
use crate::input::{self, NodeProcesses, Run};
use crate::records::{self, JobTables};

/// The result of packing the files of a node.
#[derive(Debug, Default)]
pub struct NodePacked {
    /// The parts that were written: one, unless files of another job were there.
    pub parts: Vec<NodePart>,
    /// Directories that have something else, or the tables of another job. The files stay.
    pub taken: Vec<PathBuf>,
    /// Directories with the tables of this job, which were finished before this node had written its part. The files stay.
    pub finished: Vec<PathBuf>,
    /// Files of the job that tables cannot have: stores, and older ones.
    pub left: Vec<PathBuf>,
    /// Other files with these ranks, which name another job or none.
    pub others: Vec<PathBuf>,
    /// The ranks without any files.
    pub missing: Vec<u32>,
}

/// The part of a node.
#[derive(Debug)]
pub struct NodePart {
    /// The directory of the tables.
    pub directory: PathBuf,
    /// True if this was the last part of the job.
    pub is_last: bool,
    /// The content of the part.
    pub packed: Packed,
}

/// Writes the part of a node into the tables of a job. `stem` is the beginning of the files' names. The files stay.
///
/// # Errors
///
/// Those of the file system. What was packed until then may be in tables and in files.
pub fn pack_node(stem: &Path, processes: &NodeProcesses) -> io::Result<NodePacked> {
    let files = input::files_of_node(stem, processes)?;
    let mut result = NodePacked { left: files.left, others: files.others, ..NodePacked::default() };
    let mut missing = processes.since.clone();
    for run in &files.runs {
        let directory = records::tables_of(&run.path());
        match pack_run(run, &directory, processes)? {
            RunOutcome::Written { is_last, packed } => {
                result.parts.push(NodePart { directory, is_last, packed });
            }
            RunOutcome::Taken => result.taken.push(directory),
            RunOutcome::Finished => result.finished.push(directory),
        }
        missing.retain(|rank, _| !run.by_rank.contains_key(rank));
    }
    let left = |rank: u32| result.left.iter().any(|path| input::rank_of(path) == Some(rank));
    result.missing = missing.into_keys().filter(|rank| !left(*rank)).collect();
    Ok(result)
}

/// The result of packing one run of a node.
enum RunOutcome {
    Written {
        /// True if this was the last part of the job.
        is_last: bool,
        packed: Packed,
    },
    /// The tables are not of this job.
    Taken,
    /// The tables are of this job, and finished.
    Finished,
}

/// Writes the files of a run as a part.
fn pack_run(run: &Run, directory: &Path, processes: &NodeProcesses) -> io::Result<RunOutcome> {
    let Some(identity) = run.identity() else { return Ok(RunOutcome::Taken) };
    let Some(tables) = JobTables::join(directory, identity)? else { return Ok(RunOutcome::Taken) };
    let ranks: Vec<u32> = run.by_rank.keys().copied().collect();
    if tables.is_finished() {
        // Some launchers use names of worlds again. Each node writes its ranks once, so tables that have them from a node are of another
        // job. Otherwise `mpit pack` finished these, with or without the ranks.
        let is_of_other = tables.is_finished_with(&ranks, &[ALL, REST])?;
        return Ok(if is_of_other { RunOutcome::Taken } else { RunOutcome::Finished });
    }
    if tables.has_ranks_of(&processes.host, &ranks)? {
        return Ok(RunOutcome::Taken);
    }
    let is_own = |rank: Option<u32>, identity: Option<&Identity>| {
        rank.zip(identity).is_some_and(|(rank, identity)| processes.wrote(rank, identity))
    };
    let (unfinished, packed) = write(run, &tables, processes.step_nodes.as_deref(), &is_own)?;
    tables.end_part(unfinished, &processes.host, packed.processes)?;
    let is_last = tables.finish_if_whole(identity.size)?;
    Ok(RunOutcome::Written { is_last, packed })
}
