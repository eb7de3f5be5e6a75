//! The directory of a job's tables: who it belongs to, its parts, and the manifest that says that they are all.

use std::fmt::Display;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use mpit_format::Identity;
use mpit_format::files;
use mpit_format::names::directory_of;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tempfile::{Builder, TempDir};

use super::columns::Table;
use super::part::PartFile;

/// The ending of the names of directories with tables.
pub const ENDING: &str = ".tables";

/// The version of the tables, which grows when a column is removed or changes its meaning.
const VERSION: u32 = 1;

/// The file that names the job, from the beginning.
const JOB: &str = "job.json";

/// The file that is written last.
const MANIFEST: &str = "manifest.json";

/// The beginning of the names of parts that are being written.
const UNFINISHED: &str = ".part-";

/// The number of parts of one node with names of their own: its processes may end at different times.
const MOST_PARTS_OF_NODE: u32 = 1 << 16;

#[derive(Debug, Serialize, Deserialize)]
struct JobFile {
    version: u32,
    /// The run and the world, as in the first lines of texts; none if the texts name none.
    identity: Option<String>,
}

/// Ranks, as ranges of a first and a last one.
pub(crate) type Ranges = Vec<(u32, u32)>;

#[derive(Debug, Default, Serialize, Deserialize)]
struct Manifest {
    version: u32,
    /// The version of mpit.
    mpit: String,
    size: u32,
    /// The parts, by the names of their directories, with their processes as ranges of ranks.
    parts: Vec<(String, Ranges)>,
    /// The processes without records.
    missing: Ranges,
    /// The nodes without records, as far as they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    missing_nodes: Vec<String>,
}

/// The paths in a directory of tables.
struct Contents {
    files: Vec<PathBuf>,
    /// The directories of the parts.
    parts: Vec<PathBuf>,
    /// The files in the parts.
    of_parts: Vec<PathBuf>,
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
    ///
    /// # Errors
    ///
    /// The errors of the file system: [`AlreadyExists`](ErrorKind::AlreadyExists) if there is something of that name.
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
    ///
    /// # Errors
    ///
    /// The errors of the file system.
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
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub(super) fn parts(&self) -> io::Result<Vec<PathBuf>> {
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            let is_finished = path.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b"."));
            if is_finished && path.join(PartFile::NAME).is_file() {
                all.push(path);
            }
        }
        if let Some(manifest) = self.manifest()? {
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
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub(crate) fn has_ranks_of(&self, node: &str, ranks: &[u32]) -> io::Result<bool> {
        let begin = part_name(node, "");
        for part in self.parts()? {
            let is_of_node =
                part.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(begin.as_bytes()));
            if !is_of_node {
                continue;
            }
            if has_one_of(&part_file(&part)?.ranks, ranks) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if finished tables have one of these ranks in a part that a node wrote. `packed` are the names of the other parts, in the
    /// place of the node.
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub(crate) fn is_finished_with(&self, ranks: &[u32], packed: &[&str]) -> io::Result<bool> {
        let Some(manifest) = self.manifest()? else { return Ok(false) };
        let is_of_node = |name: &str| !packed.iter().any(|other| name.split('.').next() == Some(*other));
        Ok(manifest.parts.iter().any(|(name, known)| is_of_node(name) && has_one_of(known, ranks)))
    }

    /// Returns the number of bytes of all tables.
    pub(crate) fn bytes(&self) -> u64 {
        let parts = self.parts().unwrap_or_default();
        let files = parts.iter().flat_map(|part| Table::ALL.map(|table| part.join(table.file())));
        files.filter_map(|file| fs::metadata(file).ok()).map(|file| file.len()).sum()
    }

    /// Returns the manifest, if there is one.
    fn manifest(&self) -> io::Result<Option<Manifest>> {
        match read_json::<Manifest>(&self.directory.join(MANIFEST)) {
            Ok(manifest) if manifest.version > VERSION => {
                Err(io::Error::new(ErrorKind::Unsupported, "these tables are of a newer mpit"))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            manifest => manifest.map(Some),
        }
    }

    /// Returns true if the manifest was written: no part comes any more.
    pub(crate) fn is_finished(&self) -> bool {
        self.directory.join(MANIFEST).is_file()
    }

    /// Writes the manifest if all processes of the job have records. Returns true if so. Each node comes to this at its end, so it looks into
    /// the parts only if the numbers in their names add up.
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub(crate) fn finish_if_whole(&self, size: u32) -> io::Result<bool> {
        let processes = |part: &PathBuf| part.file_name()?.to_str().and_then(processes_of);
        let known: Option<Vec<u64>> = self.parts()?.iter().map(processes).collect();
        if known.is_some_and(|known| known.iter().sum::<u64>() < size.into()) {
            return Ok(false);
        }
        let manifest = self.manifest_of_parts()?;
        let is_whole = manifest.missing.is_empty();
        if is_whole {
            write_json(&self.directory.join(MANIFEST), &manifest)?;
        }
        Ok(is_whole)
    }

    /// Writes the manifest, after which nodes write no further part. `missing_nodes` finds the nodes without records, if processes have none.
    /// Returns the processes and nodes without records.
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub(crate) fn finish(
        &self,
        missing_nodes: impl FnOnce() -> Vec<String>,
    ) -> io::Result<(Ranges, Vec<String>)> {
        let mut manifest = self.manifest_of_parts()?;
        if !manifest.missing.is_empty() {
            manifest.missing_nodes = missing_nodes();
        }
        write_json(&self.directory.join(MANIFEST), &manifest)?;
        Ok((manifest.missing, manifest.missing_nodes))
    }

    fn manifest_of_parts(&self) -> io::Result<Manifest> {
        let (mut size, mut parts) = (0, Vec::new());
        for part in self.parts()? {
            let file = part_file(&part)?;
            size = size.max(file.size);
            let name = part.file_name().unwrap_or_default().to_string_lossy().into_owned();
            parts.push((name, file.ranks));
        }
        let missing = gaps(size, parts.iter().flat_map(|(_, ranks)| ranks.iter().copied()).collect());
        let mpit = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Manifest { version: VERSION, mpit, size, parts, missing, missing_nodes: Vec::new() })
    }

    /// Removes the tables, if there is nothing else in the directory.
    ///
    /// # Errors
    ///
    /// The errors of the file system: [`DirectoryNotEmpty`](ErrorKind::DirectoryNotEmpty) if there is something else.
    pub(crate) fn remove(&self) -> io::Result<()> {
        let Contents { files, parts, of_parts } = self.own_contents()?;
        // First, so that the rest is not taken for finished.
        remove_if_there(&self.directory.join(MANIFEST))?;
        of_parts.iter().try_for_each(|path| remove_if_there(path))?;
        parts.iter().try_for_each(fs::remove_dir)?;
        files.iter().try_for_each(|path| remove_if_there(path))?;
        fs::remove_dir(&self.directory)
    }

    /// Fails as [`remove`](Self::remove) does if there is something else in the directory. Removes nothing.
    ///
    /// # Errors
    ///
    /// Those of [`remove`](Self::remove).
    pub(crate) fn require_removable(&self) -> io::Result<()> {
        self.own_contents().map(drop)
    }

    /// Returns the contents of the directory, if they are tables only.
    fn own_contents(&self) -> io::Result<Contents> {
        if !fs::symlink_metadata(&self.directory)?.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
        let (mut files, mut parts) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                parts.push(entry.path());
            } else {
                files.push(entry.path());
            }
        }
        let is_own = |path: &PathBuf, names: &[String]| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            names.iter().any(|own| *own == name) || name.starts_with(UNFINISHED)
        };
        let own: Vec<String> = [JOB, MANIFEST].map(str::to_owned).into();
        let tables = Table::ALL.iter().map(|table| table.file());
        let in_parts: Vec<String> = tables.chain([PartFile::NAME.to_owned()]).collect();
        let mut of_parts = Vec::new();
        for part in &parts {
            for entry in fs::read_dir(part)? {
                of_parts.push(entry?.path());
            }
        }
        let other = files.iter().find(|path| !is_own(path, &own));
        if let Some(other) = other.or_else(|| of_parts.iter().find(|path| !is_own(path, &in_parts))) {
            let what = format!("{} is not one of its files", other.display());
            return Err(io::Error::new(ErrorKind::DirectoryNotEmpty, what));
        }
        Ok(Contents { files, parts, of_parts })
    }
}

/// Creates a directory for something that is not finished, which others can read once it has its name.
fn unfinished_in(directory: &Path) -> io::Result<TempDir> {
    Builder::new().prefix(UNFINISHED).permissions(Permissions::from_mode(0o777)).tempdir_in(directory)
}

/// Returns when the names in a directory are on the disk, if its file system can say so.
fn sync(directory: &Path) -> io::Result<()> {
    match File::open(directory)?.sync_all() {
        Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(()),
        result => result,
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Returns the name of a part. The node has no dots in it, so that the number is found again.
fn part_name(node: &str, processes: impl Display) -> String {
    format!("{}.{processes}", in_name(node).replace('.', "_"))
}

/// Returns the number of processes in the name of a part.
fn processes_of(name: &str) -> Option<u64> {
    name.split('.').nth(1)?.parse().ok()
}

fn without_host(identity: &Identity) -> Identity {
    Identity { host: String::new(), ..identity.clone() }
}

/// Reads the file of a part.
pub(crate) fn part_file(part: &Path) -> io::Result<PartFile> {
    read_json(&part.join(PartFile::NAME))
}

fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    Ok(serde_json::from_reader(io::BufReader::new(files::open_regular(path)?))?)
}

/// Writes a file through a temporary one in the same directory, so that it is whole or not there.
pub(super) fn write_json(path: &Path, content: &impl Serialize) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut file = Builder::new()
        .prefix(UNFINISHED)
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory)?;
    serde_json::to_writer_pretty(&mut file, content)?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Returns a text as a part of a file's name, which does not begin with a dot.
fn in_name(text: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '_' };
    let name: String = text.chars().take(100).map(allowed).collect();
    let name = name.trim_start_matches('.');
    if name.is_empty() { "node".into() } else { name.into() }
}

/// Returns true if ranges have one of these ranks.
fn has_one_of(ranges: &[(u32, u32)], ranks: &[u32]) -> bool {
    ranks.iter().any(|rank| ranges.iter().any(|(first, last)| (first..=last).contains(&rank)))
}

/// Returns the ranges of ranks below `size` that are in no range.
fn gaps(size: u32, mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let (mut all, mut next) = (Vec::new(), 0);
    for (first, last) in ranges {
        if next < first.min(size) {
            all.push((next, first.min(size) - 1));
        }
        next = next.max(last.saturating_add(1));
    }
    if next < size {
        all.push((next, size - 1));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_between_ranges() {
        assert_eq!(gaps(4, vec![]), [(0, 3)]);
        assert_eq!(gaps(9, vec![(6, 6), (1, 2), (2, 3)]), [(0, 0), (4, 5), (7, 8)]);
        assert_eq!(gaps(2, vec![(0, 7)]), []);
        assert_eq!(gaps(3, vec![(5, u32::MAX)]), [(0, 2)]);
    }

    #[test]
    fn names_stay_in_the_directory() {
        for (text, name) in [("n1", "n1"), ("../../etc", "_.._etc"), ("", "node"), (".x y/", "x_y_")] {
            assert_eq!(in_name(text), name);
        }
    }

    #[test]
    fn names_of_parts_have_numbers_of_processes() {
        for (node, processes, name) in
            [("n1", 4, "n1.4"), ("n1.site.org", 128, "n1_site_org.128"), ("", 1, "node.1")]
        {
            assert_eq!(part_name(node, processes), name);
            assert_eq!(processes_of(name), Some(processes as u64));
            assert_eq!(processes_of(&format!("{name}.2")), Some(processes as u64));
        }
        assert_eq!(processes_of("n1"), None);
    }

    #[test]
    #[cfg_attr(miri, ignore = "calls of the file system that Miri does not know")]
    fn other_files_are_not_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.tables");
        let tables = JobTables::create(&path, None).unwrap();
        fs::create_dir(path.join("mine")).unwrap();
        fs::write(path.join("mine/pairs.parquet"), "").unwrap();
        let unfinished = tables.begin_part().unwrap().keep();
        fs::write(path.join("mine/notes"), "").unwrap();
        assert_eq!(tables.remove().unwrap_err().kind(), ErrorKind::DirectoryNotEmpty);
        assert!(path.join("mine/pairs.parquet").exists() && unfinished.exists() && tables.is_there());
        fs::remove_file(path.join("mine/notes")).unwrap();
        std::os::unix::fs::symlink(&path, directory.path().join("link.tables")).unwrap();
        assert!(JobTables::at(&directory.path().join("link.tables")).remove().is_err());
        tables.remove().unwrap();
        assert!(!path.exists());
    }

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
        write_json(&path.join(MANIFEST), &newer).unwrap();
        assert_eq!(tables.parts().unwrap_err().kind(), ErrorKind::Unsupported);
    }
}
