//! The directory of a job's tables: who it belongs to, its parts, and the manifest that says that they are all.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use mpit_format::Identity;
use mpit_format::files;
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

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    version: u32,
    /// The version of mpit.
    mpit: String,
    size: u32,
    /// The parts, by the names of their directories, with their processes as ranges of ranks.
    parts: Vec<(String, Vec<(u32, u32)>)>,
    /// The processes without records, as ranges of ranks.
    missing: Vec<(u32, u32)>,
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

    /// Creates the directory for the tables of a job.
    ///
    /// # Errors
    ///
    /// The errors of the file system: [`AlreadyExists`](ErrorKind::AlreadyExists) if there is something of that name.
    pub(crate) fn create(directory: &Path, identity: Option<&Identity>) -> io::Result<Self> {
        fs::create_dir(directory)?;
        let job = JobFile { version: VERSION, identity: identity.map(|of| without_host(of).fields()) };
        match write_json(&directory.join(JOB), &job) {
            Ok(()) => Ok(Self::at(directory)),
            Err(error) => {
                // Nothing else is in it yet.
                let _ = fs::remove_dir(directory);
                Err(error)
            }
        }
    }

    /// Returns the run and world, if they are known.
    pub(crate) fn identity(&self) -> Option<Identity> {
        let job: JobFile = read_json(&self.directory.join(JOB)).ok()?;
        Identity::parse(&job.identity?)
    }

    /// Creates the directory of a part that is being written.
    pub(crate) fn begin_part(&self) -> io::Result<TempDir> {
        Builder::new().prefix(UNFINISHED).tempdir_in(&self.directory)
    }

    /// Gives a part its name, by which it is finished.
    pub(crate) fn end_part(&self, unfinished: TempDir, node: &str) -> io::Result<()> {
        let node = in_name(node);
        // Readable like other directories.
        fs::set_permissions(unfinished.path(), fs::metadata(&self.directory)?.permissions())?;
        for number in 1..MOST_PARTS_OF_NODE {
            let name = if number == 1 { node.clone() } else { format!("{node}.{number}") };
            let part = self.directory.join(name);
            match fs::rename(unfinished.path(), &part) {
                Err(error) if part.exists() && error.kind() != ErrorKind::PermissionDenied => {}
                renamed => {
                    // The directory has another name now.
                    let _ = unfinished.keep();
                    return renamed;
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

    /// Writes the manifest if all processes have records, or in any case if no other part comes. Returns the processes without records,
    /// as ranges of ranks.
    ///
    /// # Errors
    ///
    /// The errors of the file system.
    pub(crate) fn finish(&self, is_last: bool) -> io::Result<Vec<(u32, u32)>> {
        let (mut size, mut parts) = (0, Vec::new());
        for part in self.parts()? {
            let file = part_file(&part)?;
            size = size.max(file.size);
            let name = part.file_name().unwrap_or_default().to_string_lossy().into_owned();
            parts.push((name, file.ranks));
        }
        let missing = gaps(size, parts.iter().flat_map(|(_, ranks)| ranks.iter().copied()).collect());
        if missing.is_empty() || is_last {
            let mpit = env!("CARGO_PKG_VERSION").to_owned();
            let manifest = Manifest { version: VERSION, mpit, size, parts, missing: missing.clone() };
            write_json(&self.directory.join(MANIFEST), &manifest)?;
        }
        Ok(missing)
    }
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
    fn tables_are_created_once() {
        let directory = tempfile::tempdir().unwrap();
        let identity = Identity::parse("r-1\tw\t4 ranks\t2026-11-22T08:15:00.123Z\tn1").unwrap();
        let path = directory.path().join("run.tables");
        let tables = JobTables::create(&path, Some(&identity)).unwrap();
        assert!(tables.is_there() && !tables.is_finished());
        let found = tables.identity().unwrap();
        assert!(found.is_of_same_world(&identity) && found.host.is_empty());
        assert_eq!(JobTables::create(&path, None).unwrap_err().kind(), ErrorKind::AlreadyExists);
        let newer =
            Manifest { version: VERSION + 1, mpit: String::new(), size: 0, parts: vec![], missing: vec![] };
        write_json(&path.join(MANIFEST), &newer).unwrap();
        assert_eq!(tables.parts().unwrap_err().kind(), ErrorKind::Unsupported);
    }
}
