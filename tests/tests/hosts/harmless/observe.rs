//! Runs a program with and without `mpit run`, and compares all observable effects.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt};

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Stack, build, paths, stacks};

use super::{
    modes::{Mode, OUTPUT},
    programs::{ExpectedFiles, Row, Source},
};
use crate::foreign;

/// A program that was built, and the directory in which it runs.
pub(crate) struct Case<'a> {
    row: &'a Row,
    stack: Option<&'a Stack>,
    /// The command of the executable: an interpreter and its script are two words.
    program: Vec<String>,
    beside: String,
    /// The directory, below that of the stack.
    dir: String,
}

pub(crate) struct Observed {
    finished: Finished,
    stdout: String,
    stderr: String,
    files: BTreeMap<String, String>,
    /// Names of the files that mpit wrote.
    recorded: Vec<String>,
}

impl<'a> Case<'a> {
    pub(crate) fn prepare(row: &'a Row, stack: Option<&'a Stack>) -> Outcome<Self> {
        let (program, beside) = build_source(row.source, stack)?;
        let name: String =
            row.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let dir = format!("harmless/{name}");
        let beside = beside.map(|path| path.display().to_string()).unwrap_or_default();
        Ok(Self { row, stack, program, beside, dir })
    }

    /// Runs the program in an empty directory, whose path is always the same: without mpit, or in a mode.
    pub(crate) fn observe(&self, mode: Option<&Mode>) -> Outcome<Observed> {
        let dir = paths::scratch(self.stack.map_or("plain", Stack::label), &self.dir)?;
        let (work, output) = (dir.join("work"), dir.join("output"));
        for dir in [&work, &output] {
            fs::create_dir(dir).context(dir.display())?;
        }
        let finished = self.prepared(mode, &work, &output)?.finish()?;
        let mut files = BTreeMap::new();
        list(&work, "", &mut files)?;
        // Launchers print about a failure at the same time as the program.
        let (row, fails) = (self.row, self.stack.is_some() && finished.code != Some(0));
        let several = row.ranks > 1 || fails;
        let has_steady_errors = self.stack.is_none_or(|stack| row.has_steady_errors(stack));
        let errors = if has_steady_errors { finished.stderr.as_str() } else { "" };
        Ok(Observed {
            stdout: comparable(&finished.stdout, &output, row.has_numbers, several),
            stderr: comparable(errors, &output, row.has_numbers, several),
            files,
            recorded: names(&output.join("files"))?,
            finished,
        })
    }

    fn prepared(&self, used: Option<&Mode>, work: &Path, output: &Path) -> Outcome<Job> {
        let row = self.row;
        let library = self.stack.map(|stack| stack.library.display().to_string()).unwrap_or_default();
        let expand = |text: &str| match text {
            "%1" => self.program[0].clone(),
            "%2" => self.beside.clone(),
            "%mpi" => library.clone(),
            other => other.replace("%2", &self.beside),
        };
        let mut line: Vec<String> = row.outside.iter().map(|one| expand(one)).collect();
        if let Some(mode) = used {
            line.extend([build::artifacts()?.mpit.display().to_string(), "run".into()]);
            let stem = output.join("files/run").display().to_string();
            let option = |one: &&str| if *one == OUTPUT { stem.clone() } else { one.to_string() };
            line.extend(mode.options.iter().map(option));
            line.push("--".into());
        }
        if row.ranks > 0 {
            line.extend(self.stack.context("a stack")?.mpiexec(row.ranks));
        }
        if !row.script.is_empty() {
            line.extend(["sh", "-c", row.script, "sh"].map(str::to_owned));
        }
        line.extend(self.program.iter().cloned());
        line.extend(row.words.iter().map(|one| expand(one)));
        let job = self.stack.map_or_else(|| Job::plain(&[]), Job::alone);
        let mut job = job.args(&line).dir(work).seconds(120);
        if used.is_some_and(|mode| mode.has_plugin) {
            job = job.env("MPIT_PLUGINS", build::plugin("component")?).env("ACME_DIR", output);
        }
        Ok(job)
    }
}

impl Observed {
    /// Fails if a run in a mode differs from this one, or recorded too much or nothing.
    pub(crate) fn equals(&self, other: &Self, row: &Row, mode: &Mode) -> Outcome {
        let (bare, under) = (&self.finished, &other.finished);
        let records = mode.options.contains(&OUTPUT);
        let is_recorded = match row.expected_files {
            ExpectedFiles::Files => other.recorded.is_empty() != records,
            ExpectedFiles::FilesIfCrashSafe => other.recorded.is_empty() != mode.is_crash_safe,
            ExpectedFiles::Nothing => other.recorded.is_empty(),
            ExpectedFiles::Anything => true,
        };
        let equal = [
            ("end", (bare.code, bare.signal) == (under.code, under.signal)),
            ("standard output", self.stdout == other.stdout),
            ("standard error", self.stderr == other.stderr),
            ("files", self.files == other.files),
            ("what was recorded", is_recorded),
        ];
        let different: Vec<_> =
            equal.iter().filter(|(_, is_equal)| !is_equal).map(|(what, _)| *what).collect();
        Failure::unless(different.is_empty(), || {
            format!(
                "in the mode `{}` differ: {}\n--- bare: {bare}{:?}\n--- under mpit: {under}{:?}\nrecorded: {:?}\n",
                mode.name,
                different.join(", "),
                self.files,
                other.files,
                other.recorded
            )
        })
    }
}

/// Returns the command of a program, and the library beside it.
fn build_source(source: Source, stack: Option<&Stack>) -> Outcome<(Vec<String>, Option<PathBuf>)> {
    const LIBRARY: [&str; 2] = ["-shared", "-fPIC"];
    let on = || stack.context("a program for a stack");
    let one = |path: PathBuf| vec![path.display().to_string()];
    let mut beside = None;
    let words = match source {
        Source::Plain(name, options) => {
            let file: String =
                options.iter().flat_map(|option| option.chars()).filter(char::is_ascii_lowercase).collect();
            one(stacks::c_variant(None, name, &format!("{name}_{file}"), options)?)
        }
        Source::Beside(name, library) => {
            beside = Some(stacks::c_variant(None, library, &format!("lib{library}.so"), &LIBRARY)?);
            one(stacks::c_variant(None, name, name, &["-ldl", "-lpthread", "-lm"])?)
        }
        Source::Foreign { linked, mpi } => {
            let built = foreign::program(linked, if mpi { Some(on()?) } else { None })?;
            beside = Some(built.calls);
            one(built.program)
        }
        Source::Sequential { mpi } => {
            let built = foreign::sequential(if mpi { Some(on()?) } else { None })?;
            beside = Some(built.calls);
            one(built.program)
        }
        Source::Command(name) => vec![name.to_owned()],
        Source::C("mpi_cases") => one(stacks::c_variant(Some(on()?), "mpi_cases", "mpi_cases", &["-lm"])?),
        Source::C(name) => one(on()?.compile(name)?),
        Source::Tool(name) => {
            let tool = stacks::c_variant(Some(on()?), "pmpi_tool", "libpmpi_tool.so", &LIBRARY)?;
            let link = tool.display().to_string();
            beside = Some(tool);
            one(stacks::c_variant(stack, name, name, &[&link])?)
        }
        Source::Cxx(name) => one(on()?.compile_cxx(name)?),
        Source::Fortran(name, interface) => one(on()?.compile_fortran(name, interface)?),
        Source::Python(name) => {
            let python = on()?.mpi4py().context("mpi4py")?;
            let script = paths::source(&format!("hosts/python/{name}.py"));
            vec![python.display().to_string(), script.display().to_string()]
        }
    };
    Ok((words, beside))
}

/// Returns a text without the lines of mpit and of the plug-in about files, and without the parts that differ
/// between two runs without mpit.
fn comparable(text: &str, output: &Path, has_numbers: bool, is_of_several: bool) -> String {
    let output = output.display().to_string();
    let own = |line: &&str| !line.starts_with("mpit: ") && !line.starts_with(&output);
    let mut lines: Vec<String> = text.lines().filter(own).map(str::to_owned).collect();
    if has_numbers {
        lines = lines.iter().map(|line| without_numbers(line)).collect();
    }
    if is_of_several {
        // The order is undefined, because several processes write at the same time.
        lines.sort();
    }
    lines.join("\n")
}

/// Replaces each word that contains a digit.
fn without_numbers(line: &str) -> String {
    let words = line.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let masked = words.map(|word| {
        let end = word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len());
        let (word, rest) = word.split_at(end);
        format!("{}{rest}", if word.contains(|c: char| c.is_ascii_digit()) { "#" } else { word })
    });
    masked.collect()
}

/// Adds all entries of a directory: kind, permissions and contents by name.
fn list(dir: &Path, prefix: &str, all: &mut BTreeMap<String, String>) -> Outcome {
    for entry in fs::read_dir(dir).context(dir.display())? {
        let path = entry.context(dir.display())?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        let metadata = fs::symlink_metadata(&path).context(path.display())?;
        let mode = metadata.permissions().mode();
        if metadata.is_dir() {
            list(&path, &format!("{name}/"), all)?;
            all.insert(name, format!("{mode:o}"));
        } else {
            let contents = fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            all.insert(name, format!("{mode:o} {contents:?}"));
        }
    }
    Ok(())
}

fn names(dir: &Path) -> Outcome<Vec<String>> {
    if !dir.exists() {
        return Ok(Vec::new());
    }
    let mut all = BTreeMap::new();
    list(dir, "", &mut all)?;
    Ok(all.into_keys().collect())
}
