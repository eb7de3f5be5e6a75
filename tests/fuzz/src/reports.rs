//! Parts shared by the targets that read files as `mpit report` does.

use std::{fs, io};

use mpit_report::{Job, data, export, html, input, picture, summary};

/// Reads files of one run, and writes all kinds of reports about it.
pub(crate) fn report(files: &[(&str, &[u8])]) -> Job {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, bytes) in files {
        fs::write(directory.path().join(name), bytes).expect("a file in it");
    }
    let runs = input::find(&[directory.path().to_owned()], false).expect("files are there");
    assert_eq!(runs.len(), 1, "the files are of one run");
    let job = runs[0].read(&|_| ());
    let mut text = String::new();
    summary::write(&mut text, &job, 5).expect("a string takes everything");
    let data = data::Report::of(&job, "name");
    data::write_json(io::sink(), &data).expect("a sink takes everything");
    for table in export::ReportTable::ALL {
        export::write_csv(io::sink(), &job, table).expect("a sink takes everything");
        export::write_parquet(io::sink(), &job, table, "name").expect("a sink takes everything");
    }
    picture::write_svg(io::sink(), &job, "title").expect("a sink takes everything");
    if job.problems.is_empty() {
        html::write(io::sink(), &job, "title").expect("a sink takes everything");
    }
    job
}

/// Checks that two jobs that were read from the same texts are equal.
pub(crate) fn assert_same(one: &Job, other: &Job) {
    for kind in mpit_report::Kind::ALL {
        assert!(one.matrix(kind).cells().eq(other.matrix(kind).cells()), "{kind:?}");
    }
    assert_eq!(one.sizes, other.sizes);
    assert_eq!(one.comms.len(), other.comms.len());
    assert_eq!(one.lines.len(), other.lines.len());
}
