//! Files of a whole job.

use mpit_format::container::{self, Text};

use crate::reports::{assert_same, report};

const MAX_TEXTS: usize = 8;

/// Reads bytes as the file of a job. Bytes without its header are texts of processes, separated by zeros: one file for all
/// of them and a file for each must give the same report.
pub fn target(data: &[u8]) {
    if data.starts_with(b"# MPIT JOB") {
        report(&[("run.prof", data)]);
        return;
    }
    let texts: Vec<Text> = (0..)
        .zip(data.splitn(MAX_TEXTS, |byte| *byte == 0))
        .map(|(rank, text)| Text { rank, host: "node".into(), text: text.into() })
        .collect();
    let mut container = Vec::new();
    container::write(&mut container, texts.len() as u32, None, &texts, &[]).expect("memory takes everything");
    let names: Vec<String> = texts.iter().map(|text| format!("run.{}.prof", text.rank)).collect();
    let files: Vec<(&str, &[u8])> =
        names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.text.as_slice())).collect();
    // A file whose first line names a run is read as another run.
    if texts.iter().any(|text| text.text.starts_with(b"# MPIT ")) {
        report(&[("run.prof", &container)]);
        return;
    }
    let (together, apart) = (report(&[("run.prof", &container)]), report(&files));
    assert_same(&together, &apart);
    assert_eq!(together.problems.len(), apart.problems.len(), "{:?} {:?}", together.problems, apart.problems);
}
