//! The check for circles of imports between the modules of a crate.
//!
//! A module is a child of the crate's root, with all below it. An edge leads to a module whose items a file names by a path from
//! the crate's root. Code that only tests use does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use mpit_tests::{Context, Outcome};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

use crate::Files;

const CRATES: [&str; 10] = [
    "core",
    "core/base",
    "macros",
    "components",
    "components/format",
    "components/frameworks",
    "components/monitoring",
    "ffi",
    "ffi/preload",
    "report",
];

/// The edges of one crate, each with the files that make it.
type Edges = BTreeMap<String, BTreeMap<String, Vec<String>>>;

pub(crate) fn run() -> Outcome<ExitCode> {
    let mut found = 0;
    for name in CRATES {
        let source = format!("{name}/src/");
        let edges = edges(&source, &crate::files(&[&format!("{source}*.rs")])?)?;
        let circles = circles(&edges);
        println!("{name}: {} modules, {} circles", edges.len(), circles.len());
        for circle in &circles {
            found += 1;
            println!("  {}", circle.iter().cloned().collect::<Vec<_>>().join(", "));
            for from in circle {
                for (to, files) in edges[from].iter().filter(|(to, _)| circle.contains(*to)) {
                    println!("    {from} -> {to}: {}", files.join(", "));
                }
            }
        }
    }
    Ok(if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the edges of the crate whose files are in the directory `source`.
fn edges(source: &str, files: &Files) -> Outcome<Edges> {
    let root = format!("{source}lib.rs");
    let text = files.get(&root).context(format!("there is no {root}"))?;
    let root = syn::parse_file(text).context(root)?;
    let mut modules = BTreeSet::new();
    let mut reexported = BTreeMap::new();
    for item in &root.items {
        match item {
            Item::Mod(module) if !is_for_tests(&module.attrs) => _ = modules.insert(module.ident.to_string()),
            Item::Use(import) => names(&import.tree, &mut Vec::new(), &mut |path, name| {
                if let [module, ..] = path {
                    reexported.insert(name.to_owned(), module.clone());
                }
            }),
            _ => {}
        }
    }
    let mut edges: Edges = modules.iter().map(|module| (module.clone(), BTreeMap::new())).collect();
    for (name, text) in files {
        let path = name.trim_start_matches(source);
        let parts: Vec<&str> = path.trim_end_matches(".rs").trim_end_matches("/mod").split('/').collect();
        let Some(from) = edges.get_mut(parts[0]) else { continue };
        if parts.contains(&"tests") {
            continue;
        }
        let (module, depth, to) = (parts[0], parts.len(), BTreeSet::new());
        let mut found = Found { module, depth, modules: &modules, reexported: &reexported, to };
        found.visit_file(&syn::parse_file(text).context(name)?);
        for to in found.to {
            from.entry(to).or_default().push(path.to_owned());
        }
    }
    Ok(edges)
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string().contains("test"))
    })
}

/// Calls `each` for each name that a `use` brings in, with the path before it.
fn names(tree: &UseTree, path: &mut Vec<String>, each: &mut dyn FnMut(&[String], &str)) {
    match tree {
        UseTree::Path(part) => {
            path.push(part.ident.to_string());
            names(&part.tree, path, each);
            path.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| names(tree, path, each)),
        UseTree::Name(name) => each(path, &name.ident.to_string()),
        UseTree::Rename(name) => each(path, &name.ident.to_string()),
        UseTree::Glob(_) => each(path, "*"),
    }
}

struct Found<'a> {
    module: &'a str,
    /// The number of modules between the current one and the crate's root.
    depth: usize,
    modules: &'a BTreeSet<String>,
    reexported: &'a BTreeMap<String, String>,
    to: BTreeSet<String>,
}

impl Found<'_> {
    /// Adds the module that a path leads to, if it begins at the crate's root.
    fn path(&mut self, path: &[String]) {
        let supers = path.iter().take_while(|part| *part == "super").count();
        let from_root = match path.first().map(String::as_str) {
            Some("crate") => &path[1..],
            Some("super") if supers == self.depth => &path[supers..],
            _ => return,
        };
        let Some(first) = from_root.first() else { return };
        // A macro of another crate may have the name of a module.
        let to = if self.modules.contains(first) { Some(first) } else { self.reexported.get(first) };
        if let Some(to) = to
            && to != self.module
            && self.modules.contains(to)
        {
            self.to.insert(to.clone());
        }
    }
}

impl<'ast> Visit<'ast> for Found<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Mod(module) => &module.attrs,
            Item::Fn(function) => &function.attrs,
            Item::Impl(block) => &block.attrs,
            Item::Use(import) => &import.attrs,
            Item::Static(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if is_for_tests(attributes) {
            return;
        }
        let inner = usize::from(matches!(item, Item::Mod(module) if module.content.is_some()));
        self.depth += inner;
        visit::visit_item(self, item);
        self.depth -= inner;
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        names(&import.tree, &mut Vec::new(), &mut |path, name| {
            let mut path = path.to_vec();
            path.push(name.to_owned());
            self.path(&path);
        });
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<_> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.path(&parts);
        visit::visit_path(self, path);
    }
}

/// Returns the sets of modules that can reach each other.
fn circles(edges: &Edges) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<_, _> = edges.keys().map(|from| (from, reached(edges, from))).collect();
    let mut circles = BTreeSet::new();
    for (from, to) in &reached {
        let circle: BTreeSet<_> = to.iter().filter(|to| reached[*to].contains(*from)).cloned().collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

/// Returns the modules that can be reached from one, which include it only if it is in a circle.
fn reached(edges: &Edges, from: &str) -> BTreeSet<String> {
    let (mut reached, mut waiting) = (BTreeSet::new(), vec![from]);
    while let Some(module) = waiting.pop() {
        for to in edges[module].keys() {
            if reached.insert(to.clone()) {
                waiting.push(to);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Modules that import each other, directly and through others, by all kinds of paths.
    #[test]
    fn circles_are_found_and_tests_do_not_count() {
        let lib = "mod a; mod b; mod c; mod d; #[cfg(test)] mod t; pub use c::Item; pub use m::a;";
        let mut files = Files::new();
        for (path, text) in [
            ("lib.rs", lib),
            ("a.rs", "fn f() { crate::b::inner::g() } #[cfg(test)] mod tests { use crate::d; }"),
            ("b/mod.rs", "mod inner;"),
            ("b/inner.rs", "use super::super::Item;"),
            ("b/tests.rs", "use crate::d;"),
            ("c.rs", "mod x { use super::super::{a, a::f}; }"),
            ("d.rs", "use crate::{a::{f, g as h}, b::*};"),
        ] {
            files.insert(format!("x/src/{path}"), text.to_owned());
        }
        let edges = edges("x/src/", &files).unwrap();
        let of = |module: &str| edges[module].keys().cloned().collect::<Vec<_>>();
        assert_eq!([of("a"), of("b"), of("c"), of("d")], [vec!["b"], vec!["c"], vec!["a"], vec!["a", "b"]]);
        let circles = circles(&edges);
        assert_eq!(circles.len(), 1);
        assert!(circles[0].iter().eq(["a", "b", "c"]));
    }

    #[test]
    fn files_of_a_crate_are_read() -> Outcome {
        let source = "components/format/src/";
        let mut files = crate::files(&["components/format/src/*.rs"])?;
        assert!(!edges(source, &files)?.is_empty());
        files.insert(format!("{source}lib.rs"), "mod".to_owned());
        let failure = edges(source, &files).unwrap_err().to_string();
        assert!(failure.starts_with("components/format/src/lib.rs: "), "{failure}");
        assert_eq!(edges("x/", &files).unwrap_err().to_string(), "there is no x/lib.rs");
        Ok(())
    }
}
