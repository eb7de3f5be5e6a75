//! Discovery of the files of runs, and reading them.
//!
//! Files whose names are equal up to `.<rank>.prof`, `.<rank>.store` or `.prof` belong to one run, or to one phase of a
//! run: `phase_1.0.prof`, `phase_1.1.prof`, and `phase_1.prof`, which has the texts of several processes. Names are
//! compared as a whole, so `phase_1` does not match `phase_10`. Files of one name are separated if their first lines name
//! different runs, or different worlds of a run.

mod node;
mod phases;
mod read;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use mpit_format::names::{FileName, directory_of, is_temporary};
use mpit_format::store::identity_of;
use mpit_format::summary::{ENDING, SummaryFile};
use rayon::prelude::*;
use thiserror::Error;

pub use mpit_format::Identity;

use crate::job::Job;
use crate::records::{self, JobTables};
use crate::series::{self, SeriesFile};
pub use node::NodeProcesses;
pub(crate) use node::files_of_node;
use phases::phase_of;
pub use phases::{Phases, phases};
pub(crate) use read::{each_series, each_text};

/// The reason why there are no files to read.
#[derive(Debug, Error)]
pub enum Error {
    /// A path that is neither a file nor a directory, nor the beginning of file names.
    #[error("there is no file or directory {0}, and no files {0}.<rank>.prof")]
    NotThere(PathBuf),
    /// A directory without monitoring files.
    #[error("no files *.prof, *.store or *.summary in {0}")]
    Nothing(PathBuf),
    /// A file with another kind of name.
    #[error("{0}: expected a file whose name ends in .prof, .<rank>.store or .summary")]
    NotProf(PathBuf),
    /// An error of the file system.
    #[error("cannot read {0}: {1}")]
    Io(PathBuf, io::Error),
}

/// The files of one run, or of one phase of one.
#[derive(Clone, Debug, Default)]
pub struct Run {
    directory: PathBuf,
    stem: String,
    identity: Option<Identity>,
    newer: usize,
    /// The time at which the newest of its files was written.
    written: Option<SystemTime>,
    /// The texts of single processes, by rank.
    pub(crate) by_rank: BTreeMap<u32, PathBuf>,
    /// Files of processes that did not reach their end, by rank.
    recovered: BTreeMap<u32, PathBuf>,
    /// A file of several processes.
    pub(crate) combined: Option<PathBuf>,
    /// A file with the summary of the job only.
    summary: Option<PathBuf>,
    /// A directory with the records as tables.
    pub(crate) tables: Option<JobTables>,
    /// The files of the series, by rank; `None` for one of several processes.
    pub(crate) series: BTreeMap<Option<u32>, PathBuf>,
}

impl Run {
    /// Returns the beginning of the files' names, without the directory.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// Returns the path of the beginning of the files' names.
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.stem)
    }

    /// Returns the number of the world in the names, from 1.
    pub fn world(&self) -> u32 {
        let number = self.stem.rsplit_once(".w").filter(|(_, number)| is_number(number));
        number.and_then(|(_, number)| number.parse().ok()).unwrap_or(1)
    }

    /// Returns the beginning of the files' names without the number of the phase, if it is a numbered phase.
    fn whole(&self) -> Option<&str> {
        phase_of(&self.stem).map(|(whole, _)| whole)
    }

    /// Returns the run, if the files name it.
    pub fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// Returns the number of newer runs that have files of the same names.
    pub fn newer(&self) -> usize {
        self.newer
    }

    /// Returns true if there are stores of processes, which did not reach their end.
    pub fn has_stores(&self) -> bool {
        !self.recovered.is_empty()
    }

    /// Returns true if the records are in tables, all or some.
    pub fn has_tables(&self) -> bool {
        self.tables.is_some()
    }

    /// Returns the run with only the texts of single processes that are in no table and have no store, which would be newer. `in_tables` are ranges
    /// of ranks in ascending order.
    pub(crate) fn beside_tables(&self, in_tables: &[(u32, u32)]) -> Self {
        let is_in_tables = |rank: u32| {
            let next = in_tables.partition_point(|(first, _)| *first <= rank);
            in_tables[..next].last().is_some_and(|(_, last)| rank <= *last)
        };
        let is_wanted = |rank: u32| !is_in_tables(rank) && !self.recovered.contains_key(&rank);
        let texts = self.by_rank.iter().filter(|(rank, _)| is_wanted(**rank));
        let by_rank: BTreeMap<_, _> = texts.map(|(rank, path)| (*rank, path.clone())).collect();
        let is_of_texts = |rank: &Option<u32>| rank.is_some_and(|rank| by_rank.contains_key(&rank));
        let series = self.series.iter().filter(|(rank, _)| is_of_texts(rank));
        let series = series.map(|(rank, path)| (*rank, path.clone())).collect();
        let (directory, stem, identity) = (self.directory.clone(), self.stem.clone(), self.identity.clone());
        Self { directory, stem, identity, by_rank, series, ..Self::default() }
    }

    /// Returns true if there are files with the records of processes.
    pub fn has_texts(&self) -> bool {
        self.combined.is_some() || !self.by_rank.is_empty() || !self.recovered.is_empty()
    }

    /// Returns the files with the texts of processes.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &Path> {
        self.by_rank.values().chain(&self.combined).map(PathBuf::as_path)
    }

    /// Returns true if there is only a summary.
    pub(crate) fn is_summary(&self) -> bool {
        self.summary.is_some() && !self.has_texts() && !self.has_tables()
    }

    /// Returns the number of bytes to read.
    pub fn bytes(&self) -> u64 {
        let files = self.by_rank.values().chain(self.recovered.values()).chain(self.series.values());
        let files = files.chain(&self.combined).chain(&self.summary);
        let of_tables = self.tables.as_ref().map_or(0, JobTables::bytes);
        of_tables + files.filter_map(|file| fs::metadata(file).ok()).map(|file| file.len()).sum::<u64>()
    }

    /// Reads the files on all processors. `progress` receives the number of bytes of each piece that was read. Anything that
    /// cannot be read or understood is among the problems of the job.
    pub fn read(&self, progress: &(dyn Fn(u64) + Sync)) -> Job {
        read::run(self, progress)
    }
}

/// Finds the runs of paths. A path is a file, a directory, or the beginning of file names. Runs are sorted by name,
/// `phase_2` before `phase_10`, and those of one name from the newest on. With `phases`, the beginning of names also matches
/// those of numbered phases.
///
/// # Errors
///
/// Fails if a path matches no files.
pub fn find(paths: &[PathBuf], phases: bool) -> Result<Vec<Run>, Error> {
    let mut found: Vec<Named> = Vec::new();
    for path in paths {
        let inside = if path.is_dir() { files_of(path)? } else { Vec::new() };
        if let Some(tables) = named(path).filter(|file| file.content == Content::Tables && path.is_dir()) {
            found.push(tables);
        } else if !inside.is_empty() {
            found.extend(inside);
        } else if path.exists()
            && !path.is_dir()
            && let Some(file) = named(path)
        {
            found.push(file);
        } else {
            let stem = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            let directory = path.parent().unwrap_or(Path::new(""));
            let here = directory_of(path);
            let files = if here.is_dir() { files_of(here)? } else { Vec::new() };
            let mut wanted = files
                .into_iter()
                .filter(|file| {
                    is_of(stem, &file.stem)
                        || phases && phase_of(&file.stem).is_some_and(|(whole, _)| whole == stem)
                })
                .peekable();
            if wanted.peek().is_none() {
                let none = match fs::metadata(path) {
                    Ok(there) if there.is_dir() => Error::Nothing,
                    // It may be a program that is called like the files.
                    Ok(_) => Error::NotProf,
                    Err(_) => Error::NotThere,
                };
                return Err(none(path.clone()));
            }
            found.extend(wanted.map(|file| Named { directory: directory.to_owned(), ..file }));
        }
    }
    let identity = |file: &Named| match file.content {
        Content::Tables => JobTables::at(&file.path).identity(),
        Content::Series => SeriesFile::identity_at(&file.path),
        Content::Text | Content::Store | Content::Summary => identity_of(&file.path),
    };
    let with_run = |file: Named| (identity(&file), file);
    let found: Vec<_> = found.into_par_iter().map(with_run).collect();
    let mut runs: Vec<Run> = Vec::new();
    let (known, unknown): (Vec<_>, Vec<_>) = found.into_iter().partition(|(of, _)| of.is_some());
    for (of, file) in known.into_iter().chain(unknown) {
        add(&mut runs, file, of);
    }
    let place = |a: &Run, b: &Run| a.directory.cmp(&b.directory).then_with(|| natural(&a.stem, &b.stem));
    runs.sort_by(|a, b| place(a, b).then_with(|| b.written.cmp(&a.written)));
    for at in 1..runs.len() {
        if place(&runs[at - 1], &runs[at]).is_eq() {
            runs[at].newer = runs[at - 1].newer + 1;
        }
    }
    Ok(runs)
}

/// Returns the rank in the name of a process's file.
pub(crate) fn rank_of(path: &Path) -> Option<u32> {
    FileName::parse(path.file_name()?.to_str()?)?.rank
}

/// Returns true if names that begin with `name` match the run `stem`, in its first world or in another one.
#[must_use]
pub fn is_of(stem: &str, name: &str) -> bool {
    let is_world = |rest: &str| rest.strip_prefix(".w").is_some_and(is_number);
    name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || is_world(rest))
}

/// Returns the beginning of the names of all worlds of a run, and the other worlds that have files with such names in the same directory, if
/// there are any.
pub fn other_worlds(run: &Run) -> Option<(PathBuf, Vec<Run>)> {
    let base = match run.world() {
        1 => run.path(),
        number => run.directory.join(run.stem.strip_suffix(&format!(".w{number}"))?),
    };
    let mut others = find(std::slice::from_ref(&base), false).unwrap_or_default();
    others.retain(|other| {
        let is_other = other.stem != run.stem && other.directory == run.directory && other.newer == 0;
        is_other && is_same_run(other.identity.as_ref(), run.identity.as_ref())
    });
    if others.is_empty() { None } else { Some((base, others)) }
}

/// Returns true if two worlds may be of one run.
fn is_same_run(one: Option<&Identity>, other: Option<&Identity>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.run == other.run || !one.is_named() || !other.is_named(),
        _ => false,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the files with the summaries of a run's worlds. `stem` is the beginning of their names.
pub fn summaries(stem: &Path) -> Vec<PathBuf> {
    of_content(stem, Content::Summary)
}

/// Returns the files with the series of a run's worlds. `stem` is the beginning of their names.
pub fn series_files(stem: &Path) -> Vec<PathBuf> {
    of_content(stem, Content::Series)
}

fn of_content(stem: &Path, content: Content) -> Vec<PathBuf> {
    let name = stem.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let there = files_of(directory_of(stem)).unwrap_or_default();
    let mut files: Vec<_> = there
        .into_iter()
        .filter(|file| file.content == content && is_of(name, &file.stem))
        .map(|file| file.path)
        .collect();
    files.sort();
    files
}

/// Returns the temporary files in directories, of processes that were killed while they wrote, or still write.
pub fn unfinished(paths: &[PathBuf]) -> Vec<PathBuf> {
    let entries = paths.iter().filter_map(|path| fs::read_dir(path).ok()).flatten().flatten();
    let mut all: Vec<_> = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_temporary))
        .map(|entry| entry.path())
        .collect();
    all.sort();
    all
}

struct Named {
    directory: PathBuf,
    stem: String,
    rank: Option<u32>,
    content: Content,
    path: PathBuf,
}

/// The content of a file, as its name says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// The text of a process, or of several.
    Text,
    /// The records of a process that did not reach its end.
    Store,
    /// The summary of a job.
    Summary,
    /// Not a file, but a directory with tables.
    Tables,
    /// The series of a process, or of several.
    Series,
}

fn named(path: &Path) -> Option<Named> {
    let name = path.file_name()?.to_str()?;
    let (stem, rank, content) = if let Some(stem) = name.strip_suffix(ENDING) {
        (stem, None, Content::Summary)
    } else if let Some(stem) = name.strip_suffix(records::ENDING) {
        (stem, None, Content::Tables)
    } else if let Some(begin) = name.strip_suffix(series::ENDING) {
        // Ranks are in these names as in those of texts.
        let rank = FileName::parse(&format!("{begin}.prof"))?.rank;
        let end = rank.map_or(0, |_| begin.len() - begin.rfind('.').unwrap_or(begin.len()));
        (&begin[..begin.len() - end], rank, Content::Series)
    } else {
        let FileName { stem, rank, store } = FileName::parse(name)?;
        (stem, rank, if store { Content::Store } else { Content::Text })
    };
    let directory = path.parent().unwrap_or(Path::new("")).to_owned();
    Some(Named { directory, stem: stem.into(), rank, content, path: path.to_owned() })
}

fn files_of(directory: &Path) -> Result<Vec<Named>, Error> {
    let error = |error| Error::Io(directory.to_owned(), error);
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(error)? {
        let path = entry.map_err(error)?.path();
        // Other programs may use these endings.
        files.extend(named(&path).filter(|file| match file.content {
            Content::Summary => SummaryFile::is_at(&file.path),
            Content::Tables => JobTables::at(&file.path).is_there(),
            Content::Series => SeriesFile::is_at(&file.path),
            Content::Text | Content::Store => true,
        }));
    }
    Ok(files)
}

/// Returns true if files are of one world, or if neither names its own.
fn is_same_world(one: Option<&Identity>, other: Option<&Identity>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is_of_same_world(other),
        (None, None) => true,
        _ => false,
    }
}

fn add(runs: &mut Vec<Run>, file: Named, identity: Option<Identity>) {
    // Searched from the end: the files of a run usually follow each other.
    let same = |run: &Run| {
        run.stem == file.stem
            && run.directory == file.directory
            && is_same_world(run.identity.as_ref(), identity.as_ref())
    };
    // A damaged store does not name its run.
    let newest = || {
        let all = runs.iter().enumerate().filter(|(_, run)| {
            file.content == Content::Store
                && identity.is_none()
                && run.stem == file.stem
                && run.directory == file.directory
        });
        all.max_by_key(|(_, run)| run.written).map(|(at, _)| at)
    };
    let named = identity.clone().filter(Identity::is_named);
    let at = runs.iter().rposition(same).or_else(newest).unwrap_or_else(|| {
        let (directory, stem) = (file.directory.clone(), file.stem.clone());
        runs.push(Run { directory, stem, identity, ..Run::default() });
        runs.len() - 1
    });
    // Files of another run do not match from now on.
    if let (Some(of_run), Some(named)) = (&mut runs[at].identity, named)
        && !of_run.is_named()
    {
        *of_run = named;
    }
    let written = fs::metadata(&file.path).and_then(|data| data.modified()).ok();
    runs[at].written = runs[at].written.max(written);
    let Named { rank, content, path, .. } = file;
    let run = &mut runs[at];
    match (content, rank) {
        (Content::Store, rank) => _ = run.recovered.insert(rank.unwrap_or_default(), path),
        (Content::Text, Some(rank)) => _ = run.by_rank.insert(rank, path),
        (Content::Text, None) => run.combined = Some(path),
        (Content::Summary, _) => run.summary = Some(path),
        (Content::Tables, _) => run.tables = Some(JobTables::at(&path)),
        (Content::Series, rank) => _ = run.series.insert(rank, path),
    }
}

/// Compares names by text and, where both have digits, by number.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let text = |name: &str| name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
        let (left_text, left_rest) = left.split_at(text(left));
        let (right_text, right_rest) = right.split_at(text(right));
        let digits = |name: &str| name.find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len());
        let (left_number, left_after) = left_rest.split_at(digits(left_rest));
        let (right_number, right_after) = right_rest.split_at(digits(right_rest));
        let (x, y) = (left_number.trim_start_matches('0'), right_number.trim_start_matches('0'));
        let order = left_text.cmp(right_text).then_with(|| x.len().cmp(&y.len())).then_with(|| x.cmp(y));
        if order != Ordering::Equal || left_after.is_empty() || right_after.is_empty() {
            return order.then_with(|| left_after.cmp(right_after)).then_with(|| a.cmp(b));
        }
        (left, right) = (left_after, right_after);
    }
}
