//! The list of lines that are inserted into the sources of an MPI library (`places.txt`), and their insertion.
//!
//! A file that is changed is kept beside its directory first, so that it is always the original that lines are inserted into.

use std::fs;
use std::path::{Path, PathBuf};

use mpit_tests::{Context, Failure, Outcome};

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Place {
    /// The line behind which the line is looked for.
    from: Option<String>,
    /// The line at which lines are inserted, without blanks at its ends; `None` for the end of the file.
    line: Option<String>,
    is_before: bool,
    /// True if the line may be there several times.
    all: bool,
    inserted: Vec<String>,
}

/// The places in a file, or in all files of a directory with an ending.
#[derive(Debug, Default)]
struct Block {
    path: String,
    places: Vec<Place>,
}

/// Inserts the lines of a list into the sources below a directory. `originals` is the directory for the files as they were. Returns the number of
/// inserted lines.
pub(super) fn insert(list: &str, sources: &Path, originals: &Path) -> Outcome<usize> {
    let mut count = 0;
    for block in blocks(list)? {
        for file in files(sources, &block.path)? {
            let original = originals.join(file.strip_prefix(sources).context(file.display())?);
            if !original.exists() {
                fs::create_dir_all(original.parent().context("a file is in a directory")?)
                    .context(original.display())?;
                fs::copy(&file, &original).context(original.display())?;
            }
            let text = fs::read_to_string(&original).context(original.display())?;
            let (text, inserted) = inserted_into(&text, &block.places).context(file.display())?;
            fs::write(&file, text).context(file.display())?;
            count += inserted;
        }
    }
    Ok(count)
}

/// Returns the files of a path, whose name may be `*` with an ending.
fn files(sources: &Path, path: &str) -> Outcome<Vec<PathBuf>> {
    let Some((directory, ending)) = path.split_once("/*") else { return Ok(vec![sources.join(path)]) };
    let directory = sources.join(directory);
    let names = crate::names_in(&directory)?;
    Ok(names.iter().filter(|name| name.ends_with(ending)).map(|name| directory.join(name)).collect())
}

fn blocks(list: &str) -> Outcome<Vec<Block>> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut from = None;
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(path) = line.strip_prefix("file ") {
            blocks.push(Block { path: path.to_owned(), places: Vec::new() });
            from = None;
            continue;
        }
        let places = &mut blocks.last_mut().context("the list begins with a file")?.places;
        if let Some(text) = line.strip_prefix("    ") {
            places.last_mut().context(line)?.inserted.push(text.to_owned());
        } else if let Some(start) = line.strip_prefix("from ") {
            from = Some(start.to_owned());
        } else {
            places.push(place(line, from.clone())?);
        }
    }
    Ok(blocks)
}

fn place(line: &str, from: Option<String>) -> Outcome<Place> {
    let place = Place { from, ..Place::default() };
    if line == "end" {
        return Ok(place);
    }
    let (word, rest) = line.split_once(' ').context(line)?;
    Failure::unless(["after", "before"].contains(&word), || format!("`{line}` is no place"))?;
    let (all, rest) = rest.strip_prefix("all ").map_or((false, rest), |rest| (true, rest));
    Ok(Place { line: Some(rest.to_owned()), is_before: word == "before", all, ..place })
}

/// Returns a text with the lines of all places, and their number.
fn inserted_into(text: &str, places: &[Place]) -> Outcome<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut at: Vec<(usize, &[String])> = Vec::new();
    for place in places {
        let Some(line) = &place.line else {
            at.push((lines.len(), &place.inserted));
            continue;
        };
        let start = match &place.from {
            Some(from) => lines
                .iter()
                .position(|line| line.trim() == from.trim())
                .context(format!("there is no line `{from}`"))?,
            None => 0,
        };
        let found: Vec<usize> = (start..lines.len()).filter(|at| lines[*at].trim() == line).collect();
        let is_right = place.all || place.from.is_some() || found.len() == 1;
        Failure::unless(!found.is_empty() && is_right, || format!("{} lines are `{line}`", found.len()))?;
        let used = if place.all { found.len() } else { 1 };
        at.extend(
            found[..used].iter().map(|at| (at + usize::from(!place.is_before), place.inserted.as_slice())),
        );
    }
    let count = at.iter().map(|(_, inserted)| inserted.len()).sum();
    let mut changed: Vec<&str> = Vec::new();
    for number in 0..=lines.len() {
        for (_, inserted) in at.iter().filter(|(place, _)| *place == number) {
            changed.extend(inserted.iter().map(String::as_str));
        }
        changed.extend(lines.get(number));
    }
    // The last line ends as well.
    changed.push("");
    Ok((changed.join("\n"), count))
}

#[cfg(test)]
mod tests {
    use super::{blocks, inserted_into};

    const LIST: &str = "# A comment.\nfile a.c\nafter all x();\n    y();\nbefore z();\n    w();\nfrom int f(void)\nafter return;\n    last\nend\n    tail\n";

    #[test]
    fn lines_are_inserted_at_each_place() {
        let blocks = blocks(LIST).unwrap();
        assert_eq!(blocks[0].path, "a.c");
        let text = "  x();\nx();\n\tz();\nreturn;\nint f(void)\nreturn;\nreturn;\n";
        let (changed, count) = inserted_into(text, &blocks[0].places).unwrap();
        assert_eq!(
            (changed.as_str(), count),
            (
                "  x();\ny();\nx();\ny();\nw();\n\tz();\nreturn;\nint f(void)\nreturn;\nlast\nreturn;\ntail\n",
                5
            )
        );
    }

    #[test]
    fn a_place_that_is_not_there_is_an_error() {
        let blocks = blocks(LIST).unwrap();
        assert!(inserted_into("x();\nint f(void)\nreturn;\n", &blocks[0].places).is_err());
        assert!(inserted_into("x();\nz();\nz();\nint f(void)\nreturn;\n", &blocks[0].places).is_err());
    }
}
