//! Files of a whole job.

use mpit_components::gather::{Text, write_container};

use crate::reports::{assert_same, report};

/// More texts than this are not put into one file.
const MOST: usize = 8;

/// Reads bytes as the file of a job. Bytes that do not begin like one are texts of processes, with zeros between, which say
/// the same in one file and in a file each.
pub fn target(data: &[u8]) {
    if data.starts_with(b"# MPIT JOB") {
        report(&[("run.prof", data)]);
        return;
    }
    let texts: Vec<Text> = (0..)
        .zip(data.splitn(MOST, |byte| *byte == 0))
        .map(|(rank, text)| Text { rank, host: "node".into(), text: text.into() })
        .collect();
    let mut container = Vec::new();
    write_container(&mut container, texts.len() as u32, None, &texts, &[]).expect("memory takes everything");
    let names: Vec<String> = texts.iter().map(|text| format!("run.{}.prof", text.rank)).collect();
    let files: Vec<(&str, &[u8])> =
        names.iter().map(String::as_str).zip(texts.iter().map(|text| text.text.as_slice())).collect();
    // A first line that names a run puts a file apart from the others.
    if texts.iter().any(|text| text.text.starts_with(b"# MPIT ")) {
        report(&[("run.prof", &container)]);
        return;
    }
    let (together, apart) = (report(&[("run.prof", &container)]), report(&files));
    assert_same(&together, &apart);
    assert_eq!(together.problems.len(), apart.problems.len(), "{:?} {:?}", together.problems, apart.problems);
}
