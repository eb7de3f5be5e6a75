//! Reading of files: those of one process in parallel, those of several processes in pieces.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use mpit_format::Identity;
use mpit_format::container::{self, FIRST_WORD, Item, Text};
use mpit_format::files::{self, MAX_PROCESS_BYTES, open, read_first_line};
use mpit_format::parse::{self, Origin};
use mpit_format::rows::Section as Heading;
use mpit_format::store::StoreFile;
use mpit_format::summary::{MAX_FILE, SummaryFile};
use rayon::prelude::*;

use super::Run;
use crate::job::Job;
use crate::job_part::{Part, PartOf};
use crate::problem::{Problem, Problems, unreadable};
use crate::records::{self, JobTables, TextOf};
use crate::series::{SeriesFile, SeriesRow};

/// The number of bytes of sections that are parsed together: enough work for all processors, with little memory.
const BATCH: usize = 32 << 20;

/// The size of the pieces of files of several processes that have no lines between the processes.
const CUT: u64 = 2 << 20;

pub(super) fn run(run: &Run, progress: &(dyn Fn(u64) + Sync)) -> Job {
    // Where there are other files, these have all that a summary has.
    if let Some(path) = &run.summary
        && run.is_summary()
    {
        return of_summary(path);
    }
    let (part, notes) = part(run, progress);
    part.finish(run.identity.clone(), notes)
}

/// Reads the file of a summary.
fn of_summary(path: &Path) -> Job {
    let problem = |what: String| {
        let mut job = Job::default();
        job.problems.push(Problem::of_file(path, what));
        job
    };
    match files::read_text(path, MAX_FILE as u64) {
        Err(error) => problem(format!("cannot read: {error}")),
        Ok(text) => match SummaryFile::parse(&text) {
            Ok(file) => Job::of_summary(file),
            Err(line) => problem(format!("line {line} is not one of a summary")),
        },
    }
}

/// Adds up several runs of the same processes.
pub(super) fn sum(runs: &[&Run]) -> Job {
    let (mut all, mut notes) = (Part::default(), Vec::new());
    for run in runs {
        let (part, more) = part(run, &|_| ());
        all = all.absorb(part);
        notes.extend(more);
    }
    all.ranks.sort_unstable();
    all.ranks.dedup();
    all.finish(runs.first().and_then(|run| run.identity.clone()), notes)
}

fn part(run: &Run, progress: &(dyn Fn(u64) + Sync)) -> (Part, Vec<String>) {
    let mut notes = Vec::new();
    let mut whole = Part::default();
    if let Some(tables) = &run.tables {
        whole = records::read(tables, progress);
        if !tables.is_finished() {
            notes.push(format!(
                "{} is not finished: parts are missing, or still being written; if the job has ended, `mpit pack {}` finishes it",
                tables.directory().display(),
                run.path().display()
            ));
        }
    }
    if let Some(path) = combined(run, &mut notes) {
        let mut part = Part::default();
        whole.ranks.sort_unstable();
        match read_several(path, &whole.ranks, &mut part, progress) {
            Ok(()) => whole = whole.absorb(part),
            Err(error) => whole.problems.add(|| unreadable(path, &error)),
        }
    }
    let rest = beside(run, &whole.ranks, &mut notes)
        .into_par_iter()
        .fold(Part::default, |mut part, (rank, path)| {
            if let Some(text) = single_text(path, rank, &mut part) {
                parse::text(
                    &mut PartOf { part: &mut part, path },
                    &text,
                    Origin { line: 1, rank: Some(rank) },
                );
                progress(std::fs::metadata(path).map_or(0, |file| file.len()));
            }
            part
        })
        .reduce(Part::default, Part::absorb);
    whole = whole.absorb(rest);
    read_series(run, &mut whole, progress);
    (whole, notes)
}

/// Reads the files of the series, for the ranks of which tables have none.
fn read_series(run: &Run, whole: &mut Part, progress: &(dyn Fn(u64) + Sync)) {
    let Part { series, problems, .. } = whole;
    let in_tables = series.iter().map(|row| row.rank).collect();
    // Killed processes may have left nothing else.
    let size = Cell::new(whole.size);
    let read_identity = |_: Option<u32>, identity: Option<&Identity>| {
        size.set(size.get().max(identity.map_or(0, |identity| identity.size)));
        true
    };
    each_series(run, in_tables, problems, &read_identity, |path, rows| {
        series.extend_from_slice(rows);
        progress(std::fs::metadata(path).map_or(0, |file| file.len()));
    });
    whole.size = size.get();
}

/// Reads the files of a run's series one after the other, and passes on the rows of each, except the rows of ranks that are `known` or in an earlier
/// file: with `mpit run --series` in front of the launcher and behind it, several have the same processes. Files that `is_wanted` refuses are left out.
pub(crate) fn each_series(
    run: &Run,
    mut known: BTreeSet<u32>,
    problems: &mut Problems,
    is_wanted: &dyn Fn(Option<u32>, Option<&Identity>) -> bool,
    mut each: impl FnMut(&Path, &[SeriesRow]),
) {
    // The file of several processes is the first one.
    for (rank, path) in &run.series {
        let SeriesFile { identity, mut rows } = SeriesFile::read(path, problems);
        if is_wanted(*rank, identity.as_ref()) {
            rows.retain(|row| !known.contains(&row.rank));
            known.extend(rows.iter().map(|row| row.rank));
            each(path, &rows);
        }
    }
}

/// Reads the texts of a run one after the other. Returns what is known of processes beside their texts, and notes for the user.
pub(crate) fn each_text(run: &Run, each: &mut dyn FnMut(TextOf<'_>)) -> (Part, Vec<String>) {
    let (mut notes, mut rest, mut known) = (Vec::new(), Part::default(), Vec::new());
    if let Some(path) = combined(run, &mut notes) {
        let read = sections(path, &mut rest, |Section { rank, line, text, host }, _| {
            known.extend(rank);
            each(TextOf { path, text, origin: Origin { line, rank }, host });
        });
        if let Err(error) = read {
            rest.problems.add(|| unreadable(path, &error));
        }
    }
    for (rank, path) in beside(run, &known, &mut notes) {
        if let Some(text) = single_text(path, rank, &mut rest) {
            let origin = Origin { line: 1, rank: Some(rank) };
            each(TextOf { path, text, origin, host: String::new() });
        }
    }
    notes.extend(std::mem::take(&mut rest.notes).into_iter().map(|(_, note)| note));
    (rest, notes)
}

/// Returns the file of several processes, unless other files have the same.
fn combined<'a>(run: &'a Run, notes: &mut Vec<String>) -> Option<&'a Path> {
    let path = run.combined.as_deref()?;
    // Files of the processes are more reliable than a copy.
    let why = if is_container(path) {
        return Some(path);
    } else if run.tables.is_some() {
        "there are tables"
    } else if !run.by_rank.is_empty() {
        "there are files of single processes"
    } else {
        return Some(path);
    };
    notes.push(format!("{} is left out: {why}", path.display()));
    None
}

/// Returns the files of single processes to read. Processes that the file of several processes lacks may have files of their own beside
/// it.
fn beside<'a>(run: &'a Run, known: &[u32], notes: &mut Vec<String>) -> Vec<(u32, &'a Path)> {
    let Run { by_rank, recovered, combined, tables, .. } = run;
    let whole = tables.as_ref().map(JobTables::directory).or(combined.as_deref());
    let whole = || whole.map(|path| path.display().to_string()).unwrap_or_default();
    let (mut known, mut wanted) = (known.to_vec(), Vec::new());
    known.sort_unstable();
    let mut in_tables = 0;
    for (rank, path) in by_rank.iter().chain(recovered) {
        let is_store = StoreFile::at(path).is_some();
        let is_known = known.binary_search(rank).is_ok();
        if is_known && tables.is_some() {
            in_tables += 1;
        } else if is_known {
            notes.push(format!("{} is left out: {} has this process", path.display(), whole()));
        } else if !is_store && let Some(newer) = recovered.get(rank) {
            // The process removes the store after it has written the other file, so the store is newer.
            notes.push(format!("{} is left out: {} is newer", path.display(), newer.display()));
        } else {
            wanted.push((*rank, path.as_path()));
            if !known.is_empty() && !is_store {
                notes.push(format!("{} is from beside", path.display()));
            }
        }
    }
    if in_tables > 0 {
        notes.push(format!("{in_tables} files of processes are left out: {} has these processes", whole()));
    }
    wanted
}

/// Reads the text of a process. `part` gets what its store says beside it, and problems.
fn single_text(path: &Path, rank: u32, part: &mut Part) -> Option<Vec<u8>> {
    let text = match StoreFile::at(path) {
        None => files::read(path, MAX_PROCESS_BYTES).map_err(|error| format!("cannot read: {error}")),
        Some(store) => read_store(&store).map(|Left { text, note, end, problem }| {
            part.notes.push((rank, note));
            if let Some(what) = problem {
                part.problems.add(|| Problem::of_file(path, what));
            }
            match end {
                End::Finalized => (),
                End::Killed => part.recovered.push(rank),
                End::Unfinished => part.unfinished.push(rank),
            }
            text
        }),
    };
    text.inspect_err(|why| part.problems.add(|| Problem::of_file(path, why.as_str()))).ok()
}

/// The data of a process, as its store has it.
struct Left {
    /// The text that the process would have written.
    text: Vec<u8>,
    /// A note for the user.
    note: String,
    end: End,
    /// The reason why records are missing, if the file was damaged.
    problem: Option<String>,
}

/// The end of a process with a store.
enum End {
    Finalized,
    /// It ended without `MPI_Finalize`.
    Killed,
    /// It did not reach `MPI_Finalize` before its store was read.
    Unfinished,
}

/// Reads the store of a process that did not reach its end, or is still running.
fn read_store(file: &StoreFile) -> Result<Left, String> {
    let in_use = file.is_in_use();
    let recovered = file.read(None).map_err(|error| error.to_string())?;
    let place = match (in_use, recovered.ended) {
        (true, _) => "is still running: records so far",
        (false, true) => "has written its records elsewhere: a copy",
        (false, false) if recovered.finalized => "could not write in MPI_Finalize: recovered",
        (false, false) => "left no other file: recovered",
    };
    let end = match (recovered.finalized, in_use || recovered.ended) {
        (true, _) => End::Finalized,
        (false, true) => End::Unfinished,
        (false, false) => End::Killed,
    };
    let mut note = format!("rank {} {place}, from {}", file.rank, file.path.display());
    if recovered.truncated {
        note.push_str("; its last records are missing, because the file could not grow");
    }
    let problem = match recovered.missing_bytes {
        0 => None,
        missing => Some(format!(
            "the file was cut off: its last {missing} bytes are missing, with the records in them"
        )),
    };
    Ok(Left { text: recovered.text(), note, end, problem })
}

/// Returns true if a file of several processes names them; in others, texts of processes follow each other.
fn is_container(path: &Path) -> bool {
    let first = open(path).and_then(|file| read_first_line(BufReader::with_capacity(1024, file)));
    first.is_ok_and(|line| line.starts_with(FIRST_WORD.as_bytes()))
}

struct Section {
    /// The rank that the text belongs to; `None` if only its lines name it.
    rank: Option<u32>,
    line: u64,
    text: Vec<u8>,
    /// The machine, if the text does not name it.
    host: String,
}

/// Reads a file of several processes, but for those that are known.
fn read_several(
    path: &Path,
    known: &[u32],
    part: &mut Part,
    progress: &(dyn Fn(u64) + Sync),
) -> io::Result<()> {
    let is_known = |rank: u32| known.binary_search(&rank).is_ok();
    let mut batch: Vec<Section> = Vec::new();
    let mut bytes = 0;
    let parse = |batch: &mut Vec<Section>, part: &mut Part| {
        let read = std::mem::take(batch)
            .into_par_iter()
            .fold(Part::default, |mut part, Section { rank, line, text, host }| {
                if let Some(rank) = rank.filter(|_| !host.is_empty()) {
                    part.hosts.push((rank, host));
                }
                let sink = &mut PartOf { part: &mut part, path };
                parse::text(sink, &text, Origin { line, rank });
                progress(text.len() as u64);
                part
            })
            .reduce(Part::default, Part::absorb);
        *part = std::mem::take(part).absorb(read);
    };
    sections(path, part, |section, part| {
        if section.rank.is_some_and(is_known) {
            progress(section.text.len() as u64);
            return;
        }
        bytes += section.text.len();
        batch.push(section);
        if bytes > BATCH {
            bytes = 0;
            parse(&mut batch, part);
        }
    })?;
    parse(&mut batch, part);
    part.missing.retain(|(rank, _)| !is_known(*rank));
    Ok(())
}

/// Splits a file of several processes. `part` gets what the file says beside their texts.
fn sections(path: &Path, part: &mut Part, mut each: impl FnMut(Section, &mut Part)) -> io::Result<()> {
    let mut file = BufReader::with_capacity(1 << 20, open(path)?);
    if !file.fill_buf()?.starts_with(FIRST_WORD.as_bytes()) {
        return concatenated(&mut file, CUT, part, each);
    }
    let first = read_first_line(&mut file)?;
    container::read(&first, &mut file, |item| match item {
        Item::Size(size) => part.size = part.size.max(size),
        Item::Text { text: Text { rank, text, host }, line } => {
            each(Section { rank: Some(rank), line, text, host }, part);
        }
        Item::Missing { rank, reason } => part.missing.push((rank, reason)),
        Item::Problem { line, what } => {
            part.problems.add(|| Problem { path: path.to_owned(), line, what });
        }
    })
}

/// Splits a file where the text of a process begins, into pieces of at least `piece` bytes.
fn concatenated(
    file: &mut impl Read,
    piece: u64,
    part: &mut Part,
    mut each: impl FnMut(Section, &mut Part),
) -> io::Result<()> {
    let begin = format!("\n{}\n", Heading::PointToPoint.heading());
    let mut line = 1;
    let mut text = Vec::new();
    loop {
        // The part that was searched before has no beginning except its first one.
        let fresh = text.len().saturating_sub(begin.len());
        let read = file.by_ref().take(piece).read_to_end(&mut text)? as u64;
        let at_end = read < piece;
        let cut = match memchr::memmem::rfind(&text[fresh..], begin.as_bytes()) {
            _ if at_end => text.len(),
            Some(at) => fresh + at + 1,
            None if text.len() as u64 > MAX_PROCESS_BYTES => {
                let what = format!("a process has more than {MAX_PROCESS_BYTES} bytes");
                return Err(io::Error::new(ErrorKind::FileTooLarge, what));
            }
            None => continue,
        };
        let rest = text.split_off(cut);
        let lines = memchr::memchr_iter(b'\n', &text).count() as u64;
        each(Section { rank: None, line, text, host: String::new() }, part);
        if at_end {
            return Ok(());
        }
        line += lines;
        text = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, Section, concatenated};

    #[test]
    fn pieces_begin_at_processes() {
        let one = "# POINT TO POINT\n# OSC\n# COLLECTIVES\nD\tMPI_COMM_SELF\tprocs: 0\n";
        let text = one.repeat(20);
        let step = if cfg!(miri) { 100 } else { 1 };
        for piece in (1..text.len() as u64 + 2).step_by(step) {
            let (mut all, mut lines) = (Vec::new(), 1);
            let mut part = Part::default();
            concatenated(&mut text.as_bytes(), piece, &mut part, |Section { rank, line, text, .. }, _| {
                assert!(rank.is_none() && (text.is_empty() || text.starts_with(b"# POINT TO POINT\n")));
                assert_eq!(line, lines);
                lines += memchr::memchr_iter(b'\n', &text).count() as u64;
                all.extend(text);
            })
            .unwrap();
            assert_eq!(all, text.as_bytes(), "{piece}");
        }
    }
}
