//! Mutants: changes of the sources with which a model must fail, so that it is known to find the mistake.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use mpit_tests::{Context, Failure, Outcome, paths};

use super::build;
use crate::{files, write};

#[derive(Debug, Default, PartialEq, Eq)]
struct Mutant {
    model: String,
    file: String,
    /// The texts to replace, each of which the file has once, and their replacements.
    replacements: Vec<(String, String)>,
}

pub(super) fn run(names: &[String]) -> Outcome<ExitCode> {
    let mutants = list()?;
    let is_chosen = |mutant: &&Mutant| {
        names.is_empty() || names.iter().any(|name| mutant.model.starts_with(name.as_str()))
    };
    let chosen: Vec<&Mutant> = mutants.iter().filter(is_chosen).collect();
    for mutant in &chosen {
        mutant.apply(paths::workspace())?;
    }
    let copy = Copy::new()?;
    let (start, mut survivors) = (Instant::now(), 0);
    for mutant in &chosen {
        let found = copy.with(mutant, || copy.run(&mutant.model))?;
        survivors += usize::from(found.is_err());
        let (from, to) = mutant.replacements.first().context("an entry changes something")?;
        println!("{:44} {}: `{}` -> `{}`", mutant.model, mutant.file, in_one_line(from), in_one_line(to));
        match found {
            Ok(complaint) => println!("    {complaint}"),
            Err(why) => println!("    NOT FOUND: {why}"),
        }
    }
    let seconds = start.elapsed().as_secs();
    println!("{} mutants, {survivors} not found, {seconds} seconds", chosen.len());
    Ok(if survivors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn list() -> Outcome<Vec<Mutant>> {
    let list = paths::workspace().join("core/models/mutants.txt");
    parse(&fs::read_to_string(&list).context(list.display())?)
}

impl Mutant {
    fn apply(&self, workspace: &Path) -> Outcome<String> {
        let file = workspace.join(&self.file);
        let mut content = fs::read_to_string(&file).context(file.display())?;
        for (from, to) in &self.replacements {
            let count = content.matches(from.as_str()).count();
            Failure::unless(count == 1, || {
                format!("core/models/mutants.txt: {} has these lines {count} times:\n{from}", self.file)
            })?;
            content = content.replace(from.as_str(), to);
        }
        Ok(content)
    }
}

/// Returns the message of the panic in the output of a failed model.
fn complaint(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let message = text.lines().skip_while(|line| !line.contains("panicked at")).skip(1);
    let lines: Vec<&str> =
        message.map(str::trim).take_while(|line| !line.is_empty() && !line.starts_with("note:")).collect();
    if lines.is_empty() {
        let failed = text.lines().find(|line| line.contains("FAILED")).unwrap_or("the process ended");
        return failed.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    lines.join("; ")
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Parses the list: entries are separated by empty lines, and a line that begins with `#` is a comment.
fn parse(text: &str) -> Outcome<Vec<Mutant>> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let entries = lines.split(|line| line.is_empty()).filter(|entry| !entry.is_empty());
    entries.map(parse_entry).collect()
}

fn parse_entry(lines: &[&str]) -> Outcome<Mutant> {
    let mut mutant = Mutant::default();
    let mut is_after_replacement = true;
    for line in lines {
        if let Some(model) = line.strip_prefix("model: ") {
            mutant.model = model.into();
        } else if let Some(file) = line.strip_prefix("file: ") {
            mutant.file = file.into();
        } else if let Some(from) = line.strip_prefix('-') {
            if is_after_replacement {
                mutant.replacements.push((String::new(), String::new()));
                is_after_replacement = false;
            }
            let (text, _) = mutant.replacements.last_mut().context(line)?;
            text.extend([from, "\n"]);
        } else if let Some(to) = line.strip_prefix('+') {
            is_after_replacement = true;
            let (_, text) = mutant.replacements.last_mut().context(line)?;
            text.extend([to, "\n"]);
        } else {
            return Err(Failure::new(format!("core/models/mutants.txt: cannot parse `{line}`")));
        }
    }
    Ok(mutant)
}

/// A copy of the workspace that can be changed.
struct Copy {
    workspace: PathBuf,
    target: PathBuf,
}

impl Copy {
    fn new() -> Outcome<Self> {
        let place = paths::target().join("prove");
        let copy = Self { workspace: place.join("workspace"), target: place.join("target") };
        if copy.workspace.exists() {
            fs::remove_dir_all(&copy.workspace).context(copy.workspace.display())?;
        }
        // Binary files are left out: no source of the models includes one.
        for (name, text) in files(&[])? {
            write(&copy.workspace.join(name), &text)?;
        }
        Ok(copy)
    }

    /// Runs a model; returns its complaint, or the reason why there is none.
    fn run(&self, model: &str) -> Outcome<Result<String, String>> {
        let models = match build(&self.workspace, &self.target) {
            Ok(models) => models,
            Err(failure) => return Ok(Err(failure.to_string())),
        };
        let output = Command::new(&models).arg(model).output().context(models.display())?;
        let holds = output.status.success();
        Ok(if holds { Err("the model holds".into()) } else { Ok(complaint(&output.stdout)) })
    }

    fn with<T>(&self, mutant: &Mutant, run: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        let file = self.workspace.join(&mutant.file);
        let original = fs::read_to_string(&file).context(file.display())?;
        fs::write(&file, mutant.apply(&self.workspace)?).context(file.display())?;
        let result = run();
        fs::write(&file, original).context(file.display())?;
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_fit_the_sources_and_models() -> Outcome {
        let mutants = list()?;
        let mut models = String::new();
        let proofs = paths::workspace().join("core/models/src/proofs");
        for file in fs::read_dir(&proofs).context(proofs.display())? {
            let file = file.context(proofs.display())?.path();
            models.push_str(&fs::read_to_string(&file).context(file.display())?);
        }
        for mutant in &mutants {
            mutant.apply(paths::workspace())?;
            let name = format!("\"{}\"", mutant.model);
            Failure::unless(models.contains(&name), || format!("there is no model {}", mutant.model))?;
        }
        for model in models.split("Model::new(").skip(1) {
            let name = model.split('"').nth(1).unwrap_or_default();
            Failure::unless(mutants.iter().any(|mutant| mutant.model == name), || {
                format!("the model {name} has no mutant")
            })?;
        }
        Ok(())
    }

    #[test]
    fn entries_are_parsed() {
        let text = "# A comment.\nmodel: a::b\nfile: f\n-x\n-y\n+z\n-v\n+w\n\n\nmodel: c\nfile: g\n-u\n";
        let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        let expected = [
            Mutant {
                model: "a::b".into(),
                file: "f".into(),
                replacements: vec![pair("x\ny\n", "z\n"), pair("v\n", "w\n")],
            },
            Mutant { model: "c".into(), file: "g".into(), replacements: vec![pair("u\n", "")] },
        ];
        assert_eq!(parse(text).unwrap(), expected);
        assert!(parse("something else").is_err());
    }
}
