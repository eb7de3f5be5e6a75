//! Files that earlier versions wrote, which all later versions read.

use std::fs;
use std::path::{Path, PathBuf};

use mpit_report::export::{ReportTable, write_csv};
use mpit_report::input;

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/kept");

fn names(directory: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    all.sort_unstable();
    all
}

/// Returns all tables of the job whose files are in a directory.
fn tables(files: &Path) -> String {
    let runs = input::find(&[files.to_owned()], false).unwrap();
    assert_eq!(runs.len(), 1, "{}", files.display());
    let job = runs[0].read(&|_| ());
    let problems: Vec<_> = job.problems.iter().map(ToString::to_string).collect();
    assert_eq!((problems, job.more_problems, job.missing.len()), (vec![], 0, 0), "{}", files.display());
    let mut text = Vec::new();
    for table in ReportTable::ALL {
        text.extend(format!("== {}\n", table.as_str()).bytes());
        write_csv(&mut text, &job, table).unwrap();
    }
    String::from_utf8(text).unwrap()
}

#[test]
fn kept_files_of_all_versions_are_read() {
    let versions = names(Path::new(KEPT));
    assert!(versions.iter().any(|version| version.ends_with("0.1.0")));
    for version in versions {
        let forms = names(&version);
        assert_eq!(forms.len(), 4, "{}", version.display());
        for files in forms {
            let (found, golden) = (tables(&files), files.with_extension("csv"));
            if std::env::var_os("MPIT_TEST_ACCEPT").is_some() {
                fs::write(&golden, &found).unwrap();
            }
            assert_eq!(found, fs::read_to_string(&golden).unwrap(), "{}", files.display());
        }
    }
}
