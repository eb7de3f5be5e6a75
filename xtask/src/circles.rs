//! The check for circles of imports between sibling modules, at every level of every crate.
//!
//! A file names items by paths from the crate's root, or relative to its own module. An edge leads from the child of a module to another
//! child if a file of the first, or of a module below it, names an item of the second, directly or through a name that a module imports.
//! Code that only tests use does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use mpit_tests::{Context, Outcome};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, Lit, Meta, UseTree};

use crate::Files;

/// The names of a path, or of a module from the root of its crate.
type Path = Vec<String>;

type Modules = BTreeMap<Path, Module>;

/// The edges between the children of a module, each with the files that make it.
type Edges = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// A module that not only tests use.
#[derive(Default)]
struct Module {
    file: String,
    /// The names of its items and imports. Those of imports have their paths.
    names: BTreeMap<String, Option<Path>>,
    /// The modules whose items it imports all.
    globs: Vec<Path>,
    /// The paths that it names.
    paths: BTreeSet<Path>,
}

pub(crate) fn run() -> Outcome<ExitCode> {
    let mut found = 0;
    for root in crate::files(&["*src/lib.rs", "*src/main.rs"])?.keys() {
        let source = root.trim_end_matches("lib.rs").trim_end_matches("main.rs");
        let (name, files) = (source.trim_end_matches("/src/"), crate::files(&[&format!("{source}*.rs")])?);
        let modules = modules(root, source, &files)?;
        let mut circles_of_crate = 0;
        for (parent, edges) in edges(&modules) {
            for circle in circles(&edges) {
                let path = |module: &String| [&parent[..], std::slice::from_ref(module)].concat().join("::");
                let line = format!("{name}: {}", circle.iter().map(path).collect::<Vec<_>>().join(", "));
                circles_of_crate += 1;
                println!("{line}");
                for from in &circle {
                    for (to, files) in edges[from].iter().filter(|(to, _)| circle.contains(*to)) {
                        let files: Vec<_> = files.iter().map(String::as_str).collect();
                        println!("    {from} -> {to}: {}", files.join(", "));
                    }
                }
            }
        }
        if modules.len() > 1 {
            println!("{root}: {} modules, {circles_of_crate} circles", modules.len());
        }
        found += circles_of_crate;
    }
    let faults = crate::crates::faults()?;
    for fault in &faults {
        println!("{fault}");
    }
    Ok(if found == 0 && faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the modules of the crate with a root in the directory `source`.
fn modules(root: &str, source: &str, files: &Files) -> Outcome<Modules> {
    let mut modules = Modules::new();
    let mut waiting = vec![(Path::new(), root.to_owned(), source.to_owned())];
    while let Some((path, file, directory)) = waiting.pop() {
        let text = files.get(&file).context(format!("there is no {file}"))?;
        let parsed = syn::parse_file(text).context(&file)?;
        let mut reader =
            Reader { path, directory, file: &file, modules: &mut modules, waiting: &mut waiting, files };
        reader.module(&parsed.items);
    }
    Ok(modules)
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string().contains("test"))
    })
}

/// Returns the value of `#[path = ".."]`.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

/// Calls `each` for each name that a `use` brings in, with its path.
fn imports(tree: &UseTree, path: &mut Path, each: &mut dyn FnMut(&str, Path)) {
    let with = |path: &Path, name: &syn::Ident| [&path[..], &[name.to_string()]].concat();
    match tree {
        UseTree::Path(part) => {
            path.push(part.ident.to_string());
            imports(&part.tree, path, each);
            path.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| imports(tree, path, each)),
        UseTree::Name(name) if name.ident == "self" => {
            each(path.last().map_or("", String::as_str), path.clone());
        }
        UseTree::Name(name) => each(&name.ident.to_string(), with(path, &name.ident)),
        UseTree::Rename(name) if name.ident == "self" => each(&name.rename.to_string(), path.clone()),
        UseTree::Rename(name) => each(&name.rename.to_string(), with(path, &name.ident)),
        UseTree::Glob(_) => each("*", path.clone()),
    }
}

/// Reads the modules of a file.
struct Reader<'a> {
    path: Path,
    /// The directory of the files of the module's children.
    directory: String,
    file: &'a str,
    modules: &'a mut Modules,
    /// Modules in files of their own, with the directories of their children.
    waiting: &'a mut Vec<(Path, String, String)>,
    files: &'a Files,
}

impl Reader<'_> {
    fn module(&mut self, items: &[Item]) {
        self.own().file = self.file.to_owned();
        for item in items {
            self.visit_item(item);
        }
    }

    fn own(&mut self) -> &mut Module {
        self.modules.entry(self.path.clone()).or_default()
    }

    /// Returns the path from the crate's root.
    fn absolute(&self, path: &[String]) -> Path {
        let supers = path.iter().take_while(|part| *part == "super").count();
        match path.first().map(String::as_str) {
            Some("crate") => path[1..].to_vec(),
            Some("self") => [&self.path[..], &path[1..]].concat(),
            _ => [&self.path[..self.path.len().saturating_sub(supers)], &path[supers..]].concat(),
        }
    }

    fn child(&mut self, module: &syn::ItemMod) {
        let name = module.ident.to_string();
        let path = [&self.path[..], std::slice::from_ref(&name)].concat();
        let directory = format!("{}{name}/", self.directory);
        if let Some((_, items)) = &module.content {
            let Self { file, files, .. } = *self;
            Reader { path, directory, file, modules: self.modules, waiting: self.waiting, files }
                .module(items);
            return;
        }
        let named = path_attribute(&module.attrs).map(|path| format!("{}{path}", self.directory));
        let places = [format!("{}{name}.rs", self.directory), format!("{directory}mod.rs")];
        // A file of another crate is checked there.
        if let Some(file) = named.into_iter().chain(places).find(|file| self.files.contains_key(file)) {
            self.waiting.push((path, file, directory));
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = match item {
            Item::Mod(item) => (&item.attrs, Some(&item.ident)),
            Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            Item::Impl(item) => (&item.attrs, None),
            Item::Use(item) => (&item.attrs, None),
            Item::Static(item) => (&item.attrs, Some(&item.ident)),
            Item::Const(item) => (&item.attrs, Some(&item.ident)),
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            _ => return visit::visit_item(self, item),
        };
        if is_for_tests(attributes) {
            return;
        }
        if let Some(name) = name {
            self.own().names.entry(name.to_string()).or_default();
        }
        match item {
            Item::Mod(module) => self.child(module),
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        imports(&import.tree, &mut Path::new(), &mut |name, path| {
            let path = self.absolute(&path);
            self.own().paths.insert(path.clone());
            match name {
                "*" => self.own().globs.push(path),
                _ => _ = self.own().names.entry(name.to_owned()).or_insert(Some(path)),
            }
        });
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Path = path.segments.iter().map(|part| part.ident.to_string()).collect();
        if ["crate", "super", "self"].contains(&parts[0].as_str()) {
            let path = self.absolute(&parts);
            self.own().paths.insert(path);
        }
        visit::visit_path(self, path);
    }
}

/// The largest number of imports on the way to an item.
const MAX_IMPORTS: u32 = 16;

/// Returns the module of the item that a path leads to, as far as it leads through modules of the crate.
fn module_of(modules: &Modules, path: &[String], imports: u32) -> Path {
    let mut module = Path::new();
    for (at, name) in path.iter().enumerate() {
        let own = &modules[&module];
        module.push(name.clone());
        if modules.contains_key(&module) {
            continue;
        }
        module.pop();
        let has = |glob: &&Path| {
            let target = modules.get(&module_of(modules, glob, imports + 1));
            target.is_some_and(|target| target.names.contains_key(name))
        };
        let import = match own.names.get(name) {
            Some(import) => import.clone(),
            None if imports < MAX_IMPORTS => {
                own.globs.iter().find(has).map(|glob| [&glob[..], std::slice::from_ref(name)].concat())
            }
            None => None,
        };
        return match import {
            Some(target) if imports < MAX_IMPORTS => {
                module_of(modules, &[&target[..], &path[at + 1..]].concat(), imports + 1)
            }
            _ => module,
        };
    }
    module
}

/// Returns the edges between the children of each module.
fn edges(modules: &Modules) -> BTreeMap<Path, Edges> {
    let mut all: BTreeMap<Path, Edges> = BTreeMap::new();
    for path in modules.keys() {
        if let Some((name, parent)) = path.split_last() {
            all.entry(parent.to_vec()).or_default().entry(name.clone()).or_default();
        }
    }
    for (from, module) in modules {
        for to in module.paths.iter().map(|path| module_of(modules, path, 0)) {
            let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
            if let (Some(one), Some(other)) = (from.get(common), to.get(common)) {
                let edges = all.entry(from[..common].to_vec()).or_default().entry(one.clone()).or_default();
                edges.entry(other.clone()).or_default().insert(module.file.clone());
            }
        }
    }
    all
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

    fn files(texts: &[(&str, &str)]) -> Files {
        texts.iter().map(|(path, text)| (format!("x/src/{path}"), (*text).to_owned())).collect()
    }

    fn edges_of(parent: &[&str], texts: &[(&str, &str)]) -> Edges {
        let modules = modules("x/src/lib.rs", "x/src/", &files(texts)).unwrap();
        let parent: Path = parent.iter().map(ToString::to_string).collect();
        edges(&modules).remove(&parent).unwrap()
    }

    /// Modules that import each other, directly and through others, by all kinds of paths.
    #[test]
    fn circles_are_found_and_tests_do_not_count() {
        let lib = "mod a; mod b; mod c; mod d; #[cfg(test)] mod t; pub use c::Item; pub use m::a;";
        let edges = edges_of(
            &[],
            &[
                ("lib.rs", lib),
                ("a.rs", "fn f() { crate::b::inner::g() } #[cfg(test)] mod tests { use crate::d; }"),
                ("b/mod.rs", "mod inner; #[cfg(test)] mod tests;"),
                ("b/inner.rs", "use super::super::Item;"),
                ("b/tests.rs", "use crate::d;"),
                ("c.rs", "mod x { use super::super::{a, a::f}; }"),
                ("d.rs", "use crate::{a::{f, g as h}, b::*};"),
            ],
        );
        let of = |module: &str| edges[module].keys().cloned().collect::<Vec<_>>();
        assert_eq!([of("a"), of("b"), of("c"), of("d")], [vec!["b"], vec!["c"], vec!["a"], vec!["a", "b"]]);
        let circles = circles(&edges);
        assert_eq!(circles.len(), 1);
        assert!(circles[0].iter().eq(["a", "b", "c"]));
    }

    /// Children of a module that is no root, and names that it imports from one of them.
    #[test]
    fn circles_below_modules_are_found() {
        let edges = edges_of(
            &["a"],
            &[
                ("lib.rs", "mod a;"),
                ("a/mod.rs", "mod b; mod c; pub(crate) use c::*; use b::Other; struct Own;"),
                ("a/b/mod.rs", "pub(crate) struct Other; mod deep { use crate::a::{Item, Own}; }"),
                ("a/c.rs", "pub(crate) struct Item; fn f() -> super::Other { super::Own }"),
            ],
        );
        assert!(circles(&edges).iter().flatten().eq(["b", "c"]), "{edges:?}");
    }

    #[test]
    fn files_of_a_crate_are_read() -> Outcome {
        let source = "components/format/src/";
        let root = format!("{source}lib.rs");
        let mut files = crate::files(&["components/format/src/*.rs"])?;
        assert!(modules(&root, source, &files)?.len() > 10);
        files.insert(root.clone(), "mod".to_owned());
        let failure = modules(&root, source, &files).err().unwrap().to_string();
        assert!(failure.starts_with("components/format/src/lib.rs: "), "{failure}");
        let failure = modules("x/lib.rs", "x/", &files).err().unwrap().to_string();
        assert_eq!(failure, "there is no x/lib.rs");
        Ok(())
    }
}
