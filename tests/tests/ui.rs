//! Compiler messages about definitions that break a rule.
//!
//! `ui/` has a file for each kind of mistake; its last line names the rules that it proves. After a change of messages
//! run `TRYBUILD=overwrite cargo test -p mpit-tests --test ui`, then read the difference.

use std::fs;

use mpit_tests::{Context, Failure, Outcome, paths};

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}

#[test]
fn readme_shows_compiler_messages() -> Outcome {
    let readme = paths::workspace().join("README.md");
    let readme = fs::read_to_string(&readme).context(readme.display())?;
    let blocks = readme.split("```text\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let messages: Vec<&str> = blocks.flat_map(|block| block.split("\n\n")).collect();
    Failure::unless(!messages.is_empty(), || "README.md shows no message".into())?;
    for message in messages {
        let at = message.lines().find_map(|line| line.trim_start().strip_prefix("--> "));
        let file = at.and_then(|at| at.split(".rs:").next()).context(format!("no place in\n{message}"))?;
        let file = paths::source(&format!("{file}.stderr"));
        let all = fs::read_to_string(&file).context(file.display())?;
        let printed = all.split("\n\n").any(|one| one.trim_end() == message);
        Failure::unless(printed, || format!("{} does not have\n{message}", file.display()))?;
    }
    Ok(())
}
