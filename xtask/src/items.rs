//! The check of the size of the public interface of `mpit`: the items and modules that its documentation lists.
//!
//! It reads what `cargo doc` wrote for the crate: all items are in `all.html`, and each module's page names the modules in it.

use std::{collections::BTreeSet, fs, path::Path, process::ExitCode};

use mpit_tests::{Context, Failure, Outcome, paths};

const MOST: usize = 90;

pub(crate) fn run() -> Outcome<ExitCode> {
    let folder = paths::target().join("doc/mpit");
    let items = items(&read(&folder.join("all.html"))?);
    let mut modules = BTreeSet::new();
    add_modules(&folder, "mpit", &mut modules)?;
    // Without them, the pages are of another rustdoc.
    Failure::unless(items > 0 && !modules.is_empty(), || {
        format!("{}: found {items} items and {} modules", folder.display(), modules.len())
    })?;
    let all = items + modules.len();
    println!(
        "items: {items} items and {} modules in the documentation of mpit, at most {MOST} in all",
        modules.len()
    );
    if all <= MOST {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("items: {all} are too many; hide what users of attributes, tools and components do not need");
    Ok(ExitCode::FAILURE)
}

fn read(page: &Path) -> Outcome<String> {
    fs::read_to_string(page)
        .context(format!("{} (first run `cargo doc --workspace --no-deps`)", page.display()))
}

fn items(page: &str) -> usize {
    let lists = page.split("class=\"all-items\"").skip(1);
    lists.map(|list| list.split("</ul>").next().unwrap_or_default().matches("<li>").count()).sum()
}

fn add_modules(folder: &Path, module: &str, modules: &mut BTreeSet<String>) -> Outcome {
    let page = read(&folder.join("index.html"))?;
    for name in names(&page, module) {
        if modules.insert(format!("{module}::{name}")) {
            add_modules(&folder.join(name), &format!("{module}::{name}"), modules)?;
        }
    }
    Ok(())
}

/// Returns the names of the modules directly in a module. A page also links to modules elsewhere.
fn names<'a>(page: &'a str, module: &str) -> Vec<&'a str> {
    let title = format!("title=\"mod {module}::");
    let names = page.split(&title).skip(1).filter_map(|link| link.split('"').next());
    names.filter(|name| !name.contains("::")).collect()
}

#[cfg(test)]
mod tests {
    use super::{items, names};

    #[test]
    fn entries_of_all_lists_are_counted() {
        let page = "<ul><li>Structs</li></ul><ul class=\"all-items\"><li>A</li><li>B</li></ul>\
                    <ul class=\"all-items\"><li>C</li></ul><ul><li>D</li></ul>";
        assert_eq!(items(page), 3);
    }

    #[test]
    fn modules_are_those_directly_inside() {
        let page =
            "<a title=\"mod a::b\">b</a> <a title=\"mod a::b::c\">c</a> <a title=\"struct a::S\">S</a>";
        assert_eq!(names(page, "a"), ["b"]);
        assert_eq!(names(page, "a::b"), ["c"]);
    }
}
