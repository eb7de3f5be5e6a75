//! The directory of a job's tables: the job that it belongs to, and its parts.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use mpit_format::Identity;
use mpit_format::names::directory_of;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::atomic::{read_json, sync, unfinished_in, write_json};
use super::manifest::{MANIFEST, Manifest, Ranges, VERSION, has_one_of};
use super::names::{in_name, part_name, processes_of};
use super::part::{PartFile, part_file};
use super::record_tables::RecordTable;

/// The ending of the names of directories with tables.
pub const ENDING: &str = ".tables";

/// The file that names the job, from the beginning.
pub(super) const JOB: &str = "job.json";

/// The number of parts of one node with names of their own: its processes may end at different times.
const MOST_PARTS_OF_NODE: u32 = 1 << 16;

#[derive(Debug, Serialize, Deserialize)]
struct JobFile {
    version: u32,
    /// The run and the world, as in the first lines of texts; none if the texts name none.
    identity: Option<String>,
}

/// The tables of a job.
#[derive(Clone, Debug)]
pub(crate) struct JobTables {
    directory: PathBuf,
}

impl JobTables {
    /// Names the tables in a directory, which may not exist.
    pub(crate) fn at(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }

    /// Returns the directory.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns true if the directory has tables, finished or not.
    pub(crate) fn is_there(&self) -> bool {
        self.directory.join(JOB).is_file()
    }

    /// Creates the directory for the tables of a job. It is there with the file that names the job, or not at all.
    /// Fails with [`AlreadyExists`](ErrorKind::AlreadyExists) if there is something of that name.
    pub(crate) fn create(directory: &Path, identity: Option<&Identity>) -> io::Result<Self> {
        if fs::symlink_metadata(directory).is_ok() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let new = unfinished_in(directory_of(directory))?;
        let job = JobFile { version: VERSION, identity: identity.map(|of| without_host(of).fields()) };
        write_json(&new.path().join(JOB), &job)?;
        match fs::rename(new.path(), directory) {
            Ok(()) => {
                // It has another name now.
                let _ = new.keep();
                sync(directory_of(directory))?;
                Ok(Self::at(directory))
            }
            // Another process was faster.
            Err(_) if fs::symlink_metadata(directory).is_ok() => Err(ErrorKind::AlreadyExists.into()),
            Err(error) => Err(error),
        }
    }

    /// Returns the tables of a job, of which this process writes a part; the first one creates them. `None` if there is something else of
    /// that name, or another job's tables.
    pub(crate) fn join(directory: &Path, identity: &Identity) -> io::Result<Option<Self>> {
        match Self::create(directory, Some(identity)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let tables = Self::at(directory);
                if !tables.identity().is_some_and(|job| job.is_of_same_world(identity)) {
                    return Ok(None);
                }
                // The process that created it may not have come to this.
                sync(directory_of(directory))?;
                Ok(Some(tables))
            }
            created => created.map(Some),
        }
    }

    /// Returns the run and world, if they are known.
    pub(crate) fn identity(&self) -> Option<Identity> {
        let job: JobFile = read_json(&self.directory.join(JOB)).ok()?;
        Identity::parse(&job.identity?)
    }

    /// Creates the directory of a part that is being written.
    pub(crate) fn begin_part(&self) -> io::Result<TempDir> {
        unfinished_in(&self.directory)
    }

    /// Gives a part its name, by which it is finished: that of its node, and its number of processes. Once this returns, a crash of the
    /// machine does not lose it.
    pub(crate) fn end_part(&self, unfinished: TempDir, node: &str, processes: usize) -> io::Result<()> {
        sync(unfinished.path())?;
        let name = part_name(node, processes);
        for number in 1..MOST_PARTS_OF_NODE {
            let name = if number == 1 { name.clone() } else { format!("{name}.{number}") };
            let part = self.directory.join(name);
            match fs::rename(unfinished.path(), &part) {
                Err(error) if part.exists() && error.kind() != ErrorKind::PermissionDenied => {}
                renamed => {
                    renamed?;
                    // The directory has another name now.
                    let _ = unfinished.keep();
                    return sync(&self.directory);
                }
            }
        }
        Err(io::Error::other("the directory has too many parts of this node"))
    }

    /// Returns the directories of the parts, by name. Those that the manifest lists must be there.
    pub(super) fn parts(&self) -> io::Result<Vec<PathBuf>> {
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            let is_finished = path.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b"."));
            if is_finished && path.join(PartFile::NAME).is_file() {
                all.push(path);
            }
        }
        if let Some(manifest) = Manifest::read(&self.directory)? {
            let listed = manifest.parts.iter().map(|(name, _)| self.directory.join(in_name(name)));
            all.extend(listed);
        }
        all.sort();
        all.dedup();
        Ok(all)
    }

    /// Returns the processes with records, as ranges of ranks in ascending order.
    pub(crate) fn ranks(&self) -> io::Result<Vec<(u32, u32)>> {
        let mut all = Vec::new();
        for part in self.parts()? {
            all.extend(part_file(&part)?.ranks);
        }
        all.sort_unstable();
        Ok(all)
    }

    /// Returns true if parts of a node have one of these ranks.
    pub(crate) fn has_ranks_of(&self, node: &str, ranks: &[u32]) -> io::Result<bool> {
        let begin = part_name(node, "");
        for part in self.parts()? {
            let is_of_node =
                part.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(begin.as_bytes()));
            if is_of_node && has_one_of(&part_file(&part)?.ranks, ranks) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if finished tables have one of these ranks in a part that a node wrote. `packed` are the names of the other parts, in the
    /// place of the node.
    pub(crate) fn is_finished_with(&self, ranks: &[u32], packed: &[&str]) -> io::Result<bool> {
        let Some(manifest) = Manifest::read(&self.directory)? else { return Ok(false) };
        let is_of_node = |name: &str| !packed.iter().any(|other| name.split('.').next() == Some(*other));
        Ok(manifest.parts.iter().any(|(name, known)| is_of_node(name) && has_one_of(known, ranks)))
    }

    /// Returns the number of bytes of all tables.
    pub(crate) fn bytes(&self) -> u64 {
        let parts = self.parts().unwrap_or_default();
        let files = parts.iter().flat_map(|part| RecordTable::ALL.map(|table| part.join(table.file())));
        files.filter_map(|file| fs::metadata(file).ok()).map(|file| file.len()).sum()
    }

    /// Returns true if the manifest was written: no part comes any more.
    pub(crate) fn is_finished(&self) -> bool {
        self.directory.join(MANIFEST).is_file()
    }

    /// Writes the manifest if all processes of the job have records. Returns true if so. Each node comes to this at its end, so it looks into
    /// the parts only if the numbers in their names add up.
    pub(crate) fn finish_if_whole(&self, size: u32) -> io::Result<bool> {
        let processes = |part: &PathBuf| part.file_name()?.to_str().and_then(processes_of);
        let known: Option<Vec<u64>> = self.parts()?.iter().map(processes).collect();
        if known.is_some_and(|known| known.iter().sum::<u64>() < size.into()) {
            return Ok(false);
        }
        let manifest = Manifest::of_parts(&self.parts()?)?;
        let is_whole = manifest.missing.is_empty();
        if is_whole {
            manifest.write(&self.directory)?;
        }
        Ok(is_whole)
    }

    /// Writes the manifest, after which nodes write no further part. `missing_nodes` finds the nodes without records, if processes have none.
    /// Returns the processes and nodes without records.
    pub(crate) fn finish(
        &self,
        missing_nodes: impl FnOnce() -> Vec<String>,
    ) -> io::Result<(Ranges, Vec<String>)> {
        let mut manifest = Manifest::of_parts(&self.parts()?)?;
        if !manifest.missing.is_empty() {
            manifest.missing_nodes = missing_nodes();
        }
        manifest.write(&self.directory)?;
        Ok((manifest.missing, manifest.missing_nodes))
    }
}

fn without_host(identity: &Identity) -> Identity {
    Identity { host: String::new(), ..identity.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "calls of the file system that Miri does not know")]
    fn tables_are_those_of_one_job() {
        let directory = tempfile::tempdir().unwrap();
        let identity = |run: &str, host: &str| {
            Identity::parse(&format!("{run}\tw\t4 ranks\t2026-11-22T08:15:00.123Z\t{host}")).unwrap()
        };
        let path = directory.path().join("run.tables");
        for (of, is_own) in
            [(identity("r-1", "n1"), true), (identity("r-1", "n2"), true), (identity("r-2", "n1"), false)]
        {
            assert_eq!(JobTables::join(&path, &of).unwrap().is_some(), is_own);
        }
        let other = directory.path().join("other.tables");
        fs::write(&other, "").unwrap();
        assert!(JobTables::join(&other, &identity("r-1", "n1")).unwrap().is_none());
        let names: Vec<_> =
            fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }

    #[test]
    #[cfg_attr(miri, ignore = "calls of the file system that Miri does not know")]
    fn tables_are_created_once() {
        let directory = tempfile::tempdir().unwrap();
        let identity = Identity::parse("r-1\tw\t4 ranks\t2026-11-22T08:15:00.123Z\tn1").unwrap();
        let path = directory.path().join("run.tables");
        let tables = JobTables::create(&path, Some(&identity)).unwrap();
        assert!(tables.is_there() && !tables.is_finished());
        let found = tables.identity().unwrap();
        assert!(found.is_of_same_world(&identity) && found.host.is_empty());
        assert_eq!(JobTables::create(&path, None).unwrap_err().kind(), ErrorKind::AlreadyExists);
        let newer = Manifest { version: VERSION + 1, ..Manifest::default() };
        newer.write(&path).unwrap();
        assert_eq!(tables.parts().unwrap_err().kind(), ErrorKind::Unsupported);
    }
}
