//! The measured parts of pages in `docs`, which tasks write: a part is the text between `<!-- NAME: .. -->` and
//! `<!-- end of NAME -->`.

use std::fs;
use std::path::Path;

use mpit_tests::{Context, Outcome};

/// Replaces a part of a page.
pub(crate) fn write_part(page: &Path, name: &str, content: &str) -> Outcome {
    let text = fs::read_to_string(page).context(page.display())?;
    let text = with_part(&text, name, content).context(format!(
        "{}: no lines `<!-- {name}: .. -->` and `<!-- end of {name} -->`",
        page.display()
    ))?;
    fs::write(page, text).context(page.display())
}

fn with_part(text: &str, name: &str, content: &str) -> Option<String> {
    let begin = text.find(&format!("<!-- {name}: "))?;
    let begin = begin + text[begin..].find("-->\n")? + "-->\n".len();
    let end = begin + text[begin..].find(&format!("<!-- end of {name} -->"))?;
    Some(format!("{}\n{}\n\n{}", &text[..begin], content.trim(), &text[end..]))
}

/// Returns the head of a table in Markdown.
pub(crate) fn head(columns: &[&str]) -> String {
    format!("| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len()))
}

/// Returns a row of a table in Markdown.
pub(crate) fn row(cells: &[String]) -> String {
    let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_replaced() {
        let page = "# Page\n\n<!-- run: by bench -->\n\nold\n\n<!-- end of run -->\nrest\n";
        let once = with_part(page, "run", "new\n").unwrap();
        assert_eq!(once, "# Page\n\n<!-- run: by bench -->\n\nnew\n\n<!-- end of run -->\nrest\n");
        assert_eq!(with_part(&once, "run", "new").unwrap(), once);
        assert_eq!(with_part(page, "plots", "new"), None);
        assert_eq!(with_part("<!-- run: x -->\n", "run", "new"), None);
    }

    #[test]
    fn the_pages_on_costs_have_their_parts() {
        let docs = mpit_tests::paths::workspace().join("docs");
        for (page, name) in [
            ("performance.md", "bench"),
            ("performance.md", "missed"),
            ("performance.md", "plots"),
            ("internal/costs.md", "instructions"),
        ] {
            let page = fs::read_to_string(docs.join(page)).unwrap();
            assert!(with_part(&page, name, "").is_some(), "{name}");
        }
    }

    #[test]
    fn tables_are_markdown() {
        assert_eq!(head(&["a", "b"]), "| a | b |\n|---|---|\n");
        assert_eq!(row(&["1".into(), "x|y".into()]), "| 1 | x\\|y |\n");
    }
}
