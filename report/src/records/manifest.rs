//! The manifest of a job's tables, by which they are finished.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::atomic::{read_json, write_json};
use super::part::part_file;

/// The version of the tables, which grows when a column is removed or changes its meaning.
pub(super) const VERSION: u32 = 1;

/// The file that is written last.
pub(super) const MANIFEST: &str = "manifest.json";

/// Ranks, as ranges of a first and a last one.
pub(crate) type Ranges = Vec<(u32, u32)>;

/// The parts of a job, and what they lack.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) version: u32,
    /// The version of mpit.
    pub(super) mpit: String,
    pub(super) size: u32,
    /// The parts, by the names of their directories, with their processes as ranges of ranks.
    pub(super) parts: Vec<(String, Ranges)>,
    /// The processes without records.
    pub(super) missing: Ranges,
    /// The nodes without records, as far as they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) missing_nodes: Vec<String>,
}

impl Manifest {
    /// Reads the manifest in a directory of tables, if there is one.
    pub(super) fn read(directory: &Path) -> io::Result<Option<Self>> {
        match read_json::<Self>(&directory.join(MANIFEST)) {
            Ok(manifest) if manifest.version > VERSION => {
                Err(io::Error::new(ErrorKind::Unsupported, "these tables are of a newer mpit"))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            manifest => manifest.map(Some),
        }
    }

    /// Creates the manifest of the parts in these directories.
    pub(super) fn of_parts(directories: &[PathBuf]) -> io::Result<Self> {
        let (mut size, mut parts) = (0, Vec::new());
        for part in directories {
            let file = part_file(part)?;
            size = size.max(file.size);
            let name = part.file_name().unwrap_or_default().to_string_lossy().into_owned();
            parts.push((name, file.ranks));
        }
        let missing = gaps(size, parts.iter().flat_map(|(_, ranks)| ranks.iter().copied()).collect());
        let mpit = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Self { version: VERSION, mpit, size, parts, missing, missing_nodes: Vec::new() })
    }

    /// Writes the manifest into a directory of tables.
    pub(super) fn write(&self, directory: &Path) -> io::Result<()> {
        write_json(&directory.join(MANIFEST), self)
    }
}

/// Returns true if ranges have one of these ranks.
pub(super) fn has_one_of(ranges: &[(u32, u32)], ranks: &[u32]) -> bool {
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
}
