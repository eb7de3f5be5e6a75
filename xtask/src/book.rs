//! The pages as a site, which `mdbook build docs` writes.
//!
//! mdbook knows the pages below `docs` only. It passes all pages of `docs/SUMMARY.md` to `cargo xtask book`, which moves those outside of
//! `docs` to the directory `project` of the site, adapts their links, and replaces links to other files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use mpit_tests::{Context, Outcome};
use serde_json::Value;

use crate::Files;

const SUMMARY: &str = "docs/SUMMARY.md";

/// Options of `cargo xtask book`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// `supports NAME`: succeed, because the pages are adapted for any kind of output
    supports: Vec<String>,
}

/// Adapts the book on standard input, as the interface of mdbook for preprocessors prescribes.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    if !arguments.supports.is_empty() {
        return Ok(());
    }
    let input = io::read_to_string(io::stdin()).context("standard input")?;
    let [settings, mut book]: [Value; 2] =
        serde_json::from_str(&input).context("the input is not from mdbook")?;
    let repository = settings.pointer("/config/output/html/git-repository-url").and_then(Value::as_str);
    let mut places = BTreeMap::new();
    visit(&mut book["items"], &mut |chapter| {
        if let (Some(source), Some(path)) = (chapter["source_path"].as_str(), chapter["path"].as_str()) {
            places.insert(resolve("docs", source), path.replace("../", "project/"));
        }
    });
    visit(&mut book["items"], &mut |chapter| {
        let source = resolve("docs", chapter["source_path"].as_str().unwrap_or_default());
        let Some(place) = places.get(&source) else { return };
        let mut content =
            adapted(chapter["content"].as_str().unwrap_or_default(), &source, &places, repository);
        if !content.starts_with("# ") {
            content = format!("# {}\n\n{content}", chapter["name"].as_str().unwrap_or_default());
        }
        chapter["content"] = content.into();
        chapter["path"] = place.as_str().into();
    });
    println!("{book}");
    Ok(())
}

/// Calls `each` for all chapters.
fn visit(items: &mut Value, each: &mut dyn FnMut(&mut Value)) {
    for item in items.as_array_mut().into_iter().flatten() {
        if let Some(chapter) = item.get_mut("Chapter") {
            each(chapter);
            visit(&mut chapter["sub_items"], each);
        }
    }
}

/// Returns the path of a link in the repository.
fn resolve(directory: &str, link: &str) -> String {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// Returns a page with its links as they are in the site. `places` has the path in the site of each page.
fn adapted(text: &str, source: &str, places: &BTreeMap<String, String>, repository: Option<&str>) -> String {
    let directory = Path::new(source).parent().and_then(Path::to_str).unwrap_or_default();
    let up = "../".repeat(places.get(source).map_or(0, |place| place.matches('/').count()));
    let mut result = String::new();
    for (number, part) in text.split("```").enumerate() {
        if number > 0 {
            result.push_str("```");
        }
        let mut pieces = part.split("](");
        result.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            let Some((link, rest)) = piece.split_once(')').filter(|_| number % 2 == 0) else {
                result.push_str("](");
                result.push_str(piece);
                continue;
            };
            let (file, section) = link.split_at(link.find('#').unwrap_or(link.len()));
            let target = resolve(directory, file);
            let link = if file.is_empty() || file.contains("://") {
                link.to_owned()
            } else if let Some(place) = places.get(&target) {
                format!("{up}{place}{section}")
            } else if let Some(file) = target.strip_prefix("docs/") {
                format!("{up}{file}")
            } else if let Some(repository) = repository {
                format!("{repository}/blob/HEAD/{target}")
            } else {
                // No link is left: the path stands beside the text, or in its place if they are equal.
                let open = result.rfind('[').unwrap_or(result.len());
                let text = result.split_off(open).split_off(1);
                if Path::new(&target).ends_with(text.trim_matches('`')) {
                    let _ = write!(result, "`{target}`{rest}");
                } else {
                    let _ = write!(result, "{text} (`{target}`){rest}");
                }
                continue;
            };
            let _ = write!(result, "]({link}){rest}");
        }
    }
    result
}

/// Returns the pages below `docs` that are not in the site.
pub(crate) fn missing_pages(files: &Files) -> Vec<&str> {
    let summary = files.get(SUMMARY).map_or("", String::as_str);
    let is_missing = |file: &&str| {
        let page = file
            .strip_prefix("docs/")
            .filter(|page| Path::new(page).extension().is_some_and(|ending| ending == "md"));
        page.is_some_and(|page| *file != SUMMARY && !summary.contains(&format!("]({page})")))
    };
    files.keys().map(String::as_str).filter(is_missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_of_the_site() {
        let places =
            [("docs/a.md", "a.md"), ("docs/b/README.md", "b/index.md"), ("x/c.md", "project/x/c.md")];
        let places = places.map(|(source, place)| (source.to_owned(), place.to_owned())).into();
        for (source, text, wanted) in [
            ("docs/a.md", "[b](b/README.md#s), [c](../x/c.md)", "[b](b/index.md#s), [c](project/x/c.md)"),
            ("docs/b/README.md", "[`a`](../a.md) [s](#s)", "[`a`](../a.md) [s](#s)"),
            ("x/c.md", "![i](../docs/i.png) [a](../docs/a.md)", "![i](../../i.png) [a](../../a.md)"),
            ("docs/a.md", "[h](../y/z.h), [z.h](../y/z.h), [d](../y/)", "h (`y/z.h`), `y/z.h`, d (`y`)"),
            (
                "docs/a.md",
                "[u](https://u/v)\n```\n[h](../y/z.h)\n```\n",
                "[u](https://u/v)\n```\n[h](../y/z.h)\n```\n",
            ),
        ] {
            assert_eq!(adapted(text, source, &places, None), wanted);
        }
        assert_eq!(adapted("[h](../y/z.h)", "docs/a.md", &places, Some("u")), "[h](u/blob/HEAD/y/z.h)");
    }

    #[test]
    fn pages_that_the_site_lacks_are_found() {
        let files = ["docs/a.md", "docs/b/c.md", "docs/d.png", "README.md"]
            .map(|file| (file.to_owned(), String::new()));
        let mut files = Files::from(files);
        files.insert(SUMMARY.to_owned(), "- [A](a.md)".to_owned());
        assert_eq!(missing_pages(&files), ["docs/b/c.md"]);
    }
}
