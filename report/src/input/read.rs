//! Reading: files of one process each on all processors, files of several processes in pieces.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use rayon::prelude::*;

use super::container::{self, FIRST_WORD, Section};
use super::{ReadLeft, Run};
use crate::Job;
use crate::job::Part;
use crate::parse::{self, Origin};
use crate::problem::Problem;

/// Sections are parsed together when they have as many bytes: enough work for all processors, little memory.
const BATCH: usize = 32 << 20;

/// A file of one process.
#[derive(Clone, Copy)]
enum Single<'a> {
    Whole(&'a Path),
    Left(&'a Path),
}

pub(super) fn run(run: &Run, left: &ReadLeft<'_>, progress: &(dyn Fn(u64) + Sync)) -> Job {
    let Run { by_rank, together, .. } = run;
    let together = together.as_deref();
    let mut notes = Vec::new();
    let mut whole = Part::default();
    if let Some(path) = together {
        let mut part = Part::default();
        match several(path, &mut part, progress) {
            // The processes themselves say it better than a copy.
            Ok(Form::Concatenated) if !by_rank.is_empty() => {
                notes.push(format!("{} is left out: there are files of single processes", path.display()));
            }
            Ok(_) => whole = part,
            Err(error) => whole.problems.add(|| Problem::of_file(path, format!("cannot read: {error}"))),
        }
    }
    // What a container lacks may lie beside it.
    let (mut known, mut wanted) = (whole.ranks.clone(), Vec::new());
    known.sort_unstable();
    for (rank, path) in by_rank {
        if known.binary_search(rank).is_ok() {
            notes.push(format!("{} is left out: {} has this process", path.display(), stem_of(together)));
        } else if let Some(newer) = run.left.get(rank) {
            // It goes when the process has written the other one.
            notes.push(format!("{} is left out: {} is newer", path.display(), newer.display()));
        } else {
            wanted.push((*rank, Single::Whole(path)));
            if !known.is_empty() {
                notes.push(format!("{} is from beside", path.display()));
            }
        }
    }
    for (rank, path) in &run.left {
        if known.binary_search(rank).is_ok() {
            notes.push(format!("{} is left out: {} has this process", path.display(), stem_of(together)));
        } else {
            wanted.push((*rank, Single::Left(path)));
        }
    }
    let rest = wanted
        .into_par_iter()
        .fold(Part::default, |mut part, (rank, file)| {
            single(file, rank, &mut part, left, progress);
            part
        })
        .reduce(Part::default, Part::absorb);
    whole.absorb(rest).finish(notes)
}

fn stem_of(path: Option<&Path>) -> String {
    path.map(|path| path.display().to_string()).unwrap_or_default()
}

fn single(
    file: Single<'_>,
    rank: u32,
    part: &mut Part,
    left: &ReadLeft<'_>,
    progress: &(dyn Fn(u64) + Sync),
) {
    let (path, text) = match file {
        Single::Whole(path) => (path, std::fs::read(path).map_err(|error| format!("cannot read: {error}"))),
        Single::Left(path) => {
            let read = left(path).map(|left| {
                part.notes.push((rank, left.note));
                left.text
            });
            (path, read)
        }
    };
    match text {
        Ok(text) => {
            parse::text(part, &text, Origin { path, line: 1, rank: Some(rank) });
            progress(std::fs::metadata(path).map_or(0, |file| file.len()));
        }
        Err(why) => part.problems.add(|| Problem::of_file(path, why)),
    }
}

/// What a file of several processes is.
enum Form {
    Container,
    Concatenated,
}

fn several(path: &Path, part: &mut Part, progress: &(dyn Fn(u64) + Sync)) -> io::Result<Form> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    if !file.fill_buf()?.starts_with(FIRST_WORD) {
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        parse::text(part, &text, Origin { path, line: 1, rank: None });
        progress(text.len() as u64);
        return Ok(Form::Concatenated);
    }
    let mut first = Vec::new();
    file.by_ref().take(4096).read_until(b'\n', &mut first)?;
    let mut batch: Vec<Section> = Vec::new();
    let mut bytes = 0;
    let parse = |batch: &mut Vec<Section>, part: &mut Part| {
        let read = std::mem::take(batch)
            .into_par_iter()
            .fold(Part::default, |mut part, section| {
                let origin = Origin { path, line: section.line, rank: Some(section.rank) };
                parse::text(&mut part, &section.text, origin);
                progress(section.text.len() as u64);
                part
            })
            .reduce(Part::default, Part::absorb);
        *part = std::mem::take(part).absorb(read);
    };
    container::read(path, &first, &mut file, part, |section, part| {
        bytes += section.text.len();
        batch.push(section);
        if bytes > BATCH {
            bytes = 0;
            parse(&mut batch, part);
        }
    })?;
    parse(&mut batch, part);
    Ok(Form::Container)
}
