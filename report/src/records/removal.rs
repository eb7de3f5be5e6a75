//! The removal of a job's tables, which spares directories with other files.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use super::atomic::{UNFINISHED, remove_if_there};
use super::job::{JOB, JobTables};
use super::manifest::MANIFEST;
use super::part::PartFile;
use super::record_tables::RecordTable;

/// The paths in a directory of tables.
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
        let (mut files, mut parts) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(self.directory())? {
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
        let tables = RecordTable::ALL.iter().map(|table| table.file());
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
