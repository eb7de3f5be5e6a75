//! Links and paths in the project's documentation.

use std::fs;
use std::path::{Path, PathBuf};

use mpit_tests::{Context, Failure, Outcome, paths};

const PAGES: [&str; 11] = [
    "README.md",
    "SECURITY.md",
    "GOVERNANCE.md",
    "packaging/README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs",
    "examples",
    "macros/docs",
    "tests/README.md",
];

fn collect(path: &Path, pages: &mut Vec<PathBuf>) -> Outcome {
    if path.is_dir() {
        for entry in fs::read_dir(path).context(path.display())? {
            collect(&entry.context(path.display())?.path(), pages)?;
        }
    } else if path.extension().is_some_and(|extension| extension == "md") {
        pages.push(path.to_owned());
    }
    Ok(())
}

/// Returns the destinations of links outside of code blocks.
fn links(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split("](").skip(1)).filter_map(|rest| rest.split(')').next()).collect()
}

/// Returns the anchor of a heading, as code hosting sites derive it.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the reason why a link of a page is dead.
fn fault(page: &Path, link: &str) -> Outcome<Option<String>> {
    if link.starts_with("https://") {
        return Ok(None);
    }
    let (file, section) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { page.to_owned() } else { page.parent().unwrap_or(page).join(file) };
    if !target.exists() {
        return Ok(Some(format!("links to {link}, which does not exist")));
    }
    if section.is_empty() {
        return Ok(None);
    }
    let text = fs::read_to_string(&target).context(target.display())?;
    let has_section = text.lines().filter(|line| line.starts_with('#')).any(|line| anchor(line) == section);
    Ok(if has_section { None } else { Some(format!("links to {link}, which has no such section")) })
}

/// Returns the paths in backquotes, outside of code blocks, that look like files or directories of the project.
fn named_files(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2)).filter(|code| {
        let is_path = code.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '.'));
        is_path && code.contains('/') && !code.starts_with(['/', '.'])
    })
}

fn pages() -> Outcome<Vec<PathBuf>> {
    let mut pages = Vec::new();
    for page in PAGES {
        collect(&paths::workspace().join(page), &mut pages)?;
    }
    Ok(pages)
}

#[test]
fn links_are_valid() -> Outcome {
    let mut faults = Vec::new();
    for page in &pages()? {
        let text = fs::read_to_string(page).context(page.display())?;
        for link in links(&text) {
            faults.extend(fault(page, link)?.map(|fault| format!("{}: {fault}", page.display())));
        }
    }
    Failure::unless(faults.is_empty(), || faults.join("\n"))
}

/// Paths in backquotes begin at the top of the project, or beside the page.
#[test]
fn named_files_exist() -> Outcome {
    let mut faults = Vec::new();
    for page in &pages()? {
        let text = fs::read_to_string(page).context(page.display())?;
        let beside = page.parent().unwrap_or(page);
        for file in named_files(&text) {
            if ![paths::workspace(), beside].iter().any(|top| top.join(file).exists()) {
                faults.push(format!("{} names {file}, which does not exist", page.display()));
            }
        }
    }
    Failure::unless(faults.is_empty(), || faults.join("\n"))
}

#[test]
fn dead_links_are_found() -> Outcome {
    let page = paths::workspace().join("README.md");
    for (link, is_dead) in [
        ("https://example.org", false),
        ("docs/files.md", false),
        ("docs/files.md#one-run-several-worlds", false),
        ("docs/files.md#no-such-section", true),
        ("docs/no-such-file.md", true),
    ] {
        Failure::unless(fault(&page, link)?.is_some() == is_dead, || format!("wrong answer for {link}"))?;
    }
    assert_eq!(links("[a](b) `c`\n```\n[d](e)\n```\n[f](g#h)"), ["b", "g#h"]);
    assert_eq!(anchor("## What `mpit report` makes of them"), "what-mpit-report-makes-of-them");
    let named = "`a/b.rs`, `c`, `/d`, `e f/g`\n```\n$(cat `h/i`)\n```\n`j/`";
    assert_eq!(named_files(named).collect::<Vec<_>>(), ["a/b.rs", "j/"]);
    Ok(())
}
