//! A guide as a sequence of steps.

use std::fs;

use mpit_tests::{Context, Failure, Outcome, paths};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Writes a file, relative to the current directory of the commands before.
    File { line: usize, path: String, text: String },
    /// Runs a command and expects this output, in which `...` matches anything.
    Command { line: usize, command: String, shown: Vec<String>, fails: bool },
}

impl Step {
    /// Returns true for a command of cargo.
    pub(crate) fn is_build(&self) -> bool {
        matches!(self, Self::Command { command, .. } if command.contains("cargo "))
    }
}

struct Block {
    line: usize,
    info: String,
    text: Vec<String>,
}

/// Returns the steps of a guide on the MPI library `library`, in order.
///
/// A block is a file (`file=NAME` after its language), commands with their output (`console`; `console fails`
/// if the last one has to end with an error), or an excerpt from one of the files or from the workspace
/// (`from=NAME`). Other blocks are errors, because no test would cover them.
///
/// Commands with `on=NAME` are for libraries whose names begin with one of the given names.
pub(crate) fn steps(page: &str, library: &str) -> Outcome<Vec<Step>> {
    let mut steps = Vec::new();
    let mut excerpts = Vec::new();
    for block in blocks(page)? {
        let mut words = block.info.split_whitespace();
        let language = words.next().unwrap_or_default();
        let attributes: Vec<_> = words.collect();
        if language == "console" {
            let fails = attributes.contains(&"fails");
            let on: Vec<_> = attributes.iter().filter_map(|word| word.strip_prefix("on=")).collect();
            let is_meant = on.is_empty() || on.iter().any(|name| library.starts_with(name));
            let known = attributes.iter().all(|word| *word == "fails" || word.starts_with("on="));
            if !known {
                return Err(at(block.line, "`console` has no attributes but `fails` and `on=NAME`"));
            }
            // Checked also if they are for another library.
            let commands = commands(&block, fails)?;
            if is_meant {
                steps.extend(commands);
            }
            continue;
        }
        match attributes[..] {
            [] => excerpts.push(block),
            [file] if file.strip_prefix("file=").is_some_and(|path| !path.is_empty()) => {
                let path = file["file=".len()..].to_owned();
                let text = block.text.join("\n") + "\n";
                steps.push(Step::File { line: block.line, path, text });
            }
            [file] if file.starts_with("from=") => {
                let path = paths::workspace().join(&file["from=".len()..]);
                let text = fs::read_to_string(&path).context(at(block.line, &path.display().to_string()))?;
                if !is_part(&block, &text) {
                    return Err(at(block.line, "these lines are not in the file"));
                }
            }
            _ => return Err(at(block.line, "a block has `file=` or `from=` after its language, or nothing")),
        }
    }
    for excerpt in excerpts {
        let is_there =
            steps.iter().any(|step| matches!(step, Step::File { text, .. } if is_part(&excerpt, text)));
        if !is_there {
            let what = "this block is neither a file, nor commands, nor lines of one of the files";
            return Err(at(excerpt.line, what));
        }
    }
    Ok(steps)
}

fn at(line: usize, what: &str) -> Failure {
    Failure::new(format!("line {line}: {what}"))
}

fn blocks(page: &str) -> Outcome<Vec<Block>> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for (number, line) in (1..).zip(page.lines()) {
        if let Some(info) = line.strip_prefix("```") {
            if is_open {
                Failure::unless(info.trim().is_empty(), || at(number, "a block in a block").to_string())?;
            } else {
                blocks.push(Block { line: number, info: info.to_owned(), text: Vec::new() });
            }
            is_open = !is_open;
        } else if is_open && let Some(block) = blocks.last_mut() {
            block.text.push(line.to_owned());
        } else if line.starts_with("    ") || line.trim_start().starts_with("```") || line.starts_with("~~~")
        {
            return Err(at(number, "code stands in blocks between lines of ``` that are not indented"));
        }
    }
    Failure::unless(!is_open, || "the last block has no end".into())?;
    Ok(blocks)
}

/// Splits a block into its commands, which begin with `$ `. A line that ends with `\` continues in the next
/// one.
fn commands(block: &Block, last_fails: bool) -> Outcome<Vec<Step>> {
    let mut lines = (block.line + 1..).zip(&block.text).peekable();
    let mut steps = Vec::new();
    while let Some((line, text)) = lines.next() {
        let Some(start) = text.strip_prefix("$ ") else {
            return Err(at(line, "a block of commands begins with one: `$ command`"));
        };
        let mut command = start.to_owned();
        while command.ends_with('\\') {
            let Some((_, more)) = lines.next() else {
                return Err(at(line, "the command goes on, but the block ends"));
            };
            command = format!("{command}\n{more}");
        }
        let mut shown = Vec::new();
        while let Some((_, text)) = lines.next_if(|(_, text)| !text.starts_with("$ ")) {
            shown.push(text.clone());
        }
        steps.push(Step::Command { line, command, shown, fails: last_fails && lines.peek().is_none() });
    }
    Failure::unless(!steps.is_empty(), || at(block.line, "no command in this block").to_string())?;
    Ok(steps)
}

/// Returns true if the lines of the excerpt are consecutive lines of the file, regardless of indentation.
fn is_part(excerpt: &Block, file: &str) -> bool {
    let part: Vec<_> = excerpt.text.iter().map(|line| line.trim()).collect();
    let file: Vec<_> = file.lines().map(str::trim).collect();
    !part.is_empty() && file.windows(part.len()).any(|lines| lines == part)
}

#[test]
fn steps_come_in_the_order_of_the_page() {
    let page = "# Title\n```c file=a.c\nint a;\n\nint b;\n```\n\
        ```console fails\n$ cc a.c \\\n     -c\n$ ./a.out\nno\n```\n```c\n  int b;\n```\n";
    let steps = steps(page, "").expect("the page is well formed");
    let file = Step::File { line: 2, path: "a.c".into(), text: "int a;\n\nint b;\n".into() };
    let command = |line, command: &str, shown: &[&str], fails| Step::Command {
        line,
        command: command.into(),
        shown: shown.iter().map(ToString::to_string).collect(),
        fails,
    };
    assert_eq!(
        steps,
        [file, command(8, "cc a.c \\\n     -c", &[], false), command(10, "./a.out", &["no"], true)]
    );
}

#[test]
fn an_untested_block_is_refused() {
    for (page, line) in [
        ("```c\nint a;\n```\n", "line 1: this block is neither"),
        ("```c file=a.c\nint a;\n```\n```c\nint b;\n```\n", "line 4: this block is neither"),
        ("```c name=a.c\n```\n", "line 1: a block has `file=`"),
        ("```c from=no-such-file\n```\n", "line 1: /"),
        ("```toml from=Cargo.toml\n[workspace]\nmembers\n```\n", "line 1: these lines are not"),
        ("```console on\n$ ls\n```\n", "line 1: `console` has no attributes but"),
        ("```console\nls\n```\n", "line 2: a block of commands begins with one"),
        ("```console\n```\n", "line 1: no command"),
        ("```console\n$ ls \\\n```\n", "line 2: the command goes on"),
        ("text\n\n    $ ls\n", "line 3: code stands in blocks"),
        ("- item\n  ```c\n", "line 2: code stands in blocks"),
        ("```c file=a.c\n", "the last block has no end"),
    ] {
        let failure = steps(page, "").expect_err(page).to_string();
        assert!(failure.starts_with(line), "{page}: {failure}");
    }
}

#[test]
fn commands_for_other_libraries_are_skipped() {
    let page =
        "```console\n$ a\n```\n```console on=mpich on=impi\n$ b\n```\n```console on=ompi fails\n$ c\n```\n";
    for (library, expected) in [("mpich4", "ab"), ("impi", "ab"), ("ompi5", "ac"), ("", "a")] {
        let commands =
            steps(page, library).expect("the page is well formed").into_iter().map(|step| match step {
                Step::Command { command, fails, .. } if fails == (command == "c") => command,
                other => panic!("{other:?}"),
            });
        assert_eq!(commands.collect::<String>(), expected);
    }
}
