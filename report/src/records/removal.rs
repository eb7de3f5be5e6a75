//! The removal of a job's tables, which spares directories with other files.

use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use super::atomic::{UNFINISHED, remove_if_there};
use super::job::{JOB, JobTables};
use super::manifest::MANIFEST;
use super::part::PartFile;
use super::record_tables::RecordTable;

/// The paths in a directory of tables.
#[derive(Default)]
struct Contents {
    files: Vec<PathBuf>,
    /// The directories of the parts.
    parts: Vec<PathBuf>,
    /// The files in the parts.
    of_parts: Vec<PathBuf>,
}

impl JobTables {
    /// Removes the tables. Fails with [`DirectoryNotEmpty`](ErrorKind::DirectoryNotEmpty) if there is something else in the directory.
    pub(crate) fn remove(&self) -> io::Result<()> {
        let Contents { files, parts, of_parts } = self.own_contents()?;
        // First, so that the rest is not taken for finished.
        remove_if_there(&self.directory().join(MANIFEST))?;
        of_parts.iter().try_for_each(|path| remove_if_there(path))?;
        parts.iter().try_for_each(fs::remove_dir)?;
        files.iter().try_for_each(|path| remove_if_there(path))?;
        fs::remove_dir(self.directory())
    }

    /// Fails as [`remove`](Self::remove) does if there is something else in the directory. Removes nothing.
    pub(crate) fn require_removable(&self) -> io::Result<()> {
        self.own_contents().map(drop)
    }

    /// Returns the contents of the directory, if they are tables only.
    fn own_contents(&self) -> io::Result<Contents> {
        if !fs::symlink_metadata(self.directory())?.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
        let is_table = |name: &str| RecordTable::ALL.iter().any(|table| table.file() == name);
        let mut all = Contents::default();
        for entry in fs::read_dir(self.directory())? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                for inner in fs::read_dir(entry.path())? {
                    all.of_parts.push(own(&inner?, |name| name == PartFile::NAME || is_table(name))?);
                }
                all.parts.push(entry.path());
            } else {
                all.files.push(own(&entry, |name| [JOB, MANIFEST].contains(&name))?);
            }
        }
        Ok(all)
    }
}

/// Returns the path of a file with one of the names that tables have. Fails for another one.
fn own(entry: &DirEntry, is_own: impl Fn(&str) -> bool) -> io::Result<PathBuf> {
    let (name, path) = (entry.file_name(), entry.path());
    let name = name.to_string_lossy();
    if is_own(&name) || name.starts_with(UNFINISHED) {
        return Ok(path);
    }
    let what = format!("{} is not one of its files", path.display());
    Err(io::Error::new(ErrorKind::DirectoryNotEmpty, what))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
