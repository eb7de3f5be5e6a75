//! Finds all tests of the workspace, with the rules that they check.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use mpit_tests::{Context, Outcome};

use super::{c, id::RuleId, rust};

/// A test that names rules.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Test {
    /// The rules that it checks.
    pub(crate) rules: Vec<RuleId>,
    /// Where it is: a file below the root of the workspace, and a function or a line.
    pub(crate) place: String,
}

/// What the workspace has.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// The tests that name rules.
    pub(crate) tests: Vec<Test>,
    /// What looks like a test and is none.
    pub(crate) problems: Vec<String>,
}

/// Looks through all sources of the workspace.
pub(crate) fn collect(workspace: &Path) -> Outcome<Evidence> {
    let mut files = Vec::new();
    list(workspace, &mut files)?;
    files.sort();
    let mut evidence = Evidence::default();
    let (mut sources, mut programs) = (Vec::new(), Vec::new());
    // What the tests name, among it the C programs that they run.
    let mut strings = HashSet::new();
    let mut modules = HashSet::new();
    for file in files {
        let name = file.strip_prefix(workspace).context(file.display())?.to_string_lossy().into_owned();
        let within = |folder: &str| Path::new(&name).iter().any(|part| part == OsStr::new(folder));
        match file.extension().and_then(OsStr::to_str) {
            Some("rs") if within("ui") => evidence.add_refusal(&file, name),
            Some("rs") => {
                let text = fs::read_to_string(&file).context(&name)?;
                let source = rust::read(&text).context(&name)?;
                if within("tests") {
                    strings.extend(source.strings);
                }
                modules.extend(source.modules.iter().flat_map(|module| places_of(module, &name)));
                sources.push((name, source.tests));
            }
            Some("c" | "h") => programs.push((name, fs::read_to_string(&file).context(file.display())?)),
            _ => {}
        }
    }
    for (name, tests) in sources {
        evidence.add_functions(&name, &tests, &modules);
    }
    // Headers elsewhere are not ours.
    let folders: HashSet<_> = programs.iter().filter(|(name, _)| is_program(name)).map(folder).collect();
    programs.retain(|file| folders.contains(&folder(file)));
    let run = that_run(&programs, &strings);
    for (name, text) in &programs {
        evidence.add_program(name, text, run.contains(Path::new(name)));
    }
    Ok(evidence)
}

/// All files below a folder, but for what is built and what is hidden.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    for entry in fs::read_dir(folder).context(folder.display())? {
        let path = entry.context(folder.display())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || path.join("CACHEDIR.TAG").exists() {
            continue;
        }
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Where the module may be that a file declares, without the file's extension: beside the file, or below it.
fn places_of(module: &str, file: &str) -> [PathBuf; 2] {
    let file = Path::new(file);
    [file.with_file_name(module), file.with_extension("").join(module)]
}

/// Whether a file is compiled: cargo finds it by its place, or another file declares it.
fn is_compiled(file: &Path, modules: &HashSet<PathBuf>) -> bool {
    let folder = file.parent().unwrap_or(Path::new(""));
    match file.file_stem().and_then(OsStr::to_str) {
        Some("lib" | "main" | "build") => true,
        Some("mod") => modules.contains(folder),
        _ => {
            folder.ends_with("tests")
                || folder.ends_with("examples")
                || modules.contains(&file.with_extension(""))
        }
    }
}

fn is_program(name: &str) -> bool {
    Path::new(name).extension() == Some(OsStr::new("c"))
}

fn folder((name, _): &(String, String)) -> PathBuf {
    Path::new(name).parent().unwrap_or(Path::new("")).to_owned()
}

/// The C files that tests run: programs by their names, and the headers beside them that they include.
fn that_run(files: &[(String, String)], strings: &HashSet<String>) -> HashSet<PathBuf> {
    let is_named =
        |file: &Path| strings.iter().any(|string| Path::new(string).file_stem() == file.file_stem());
    let programs = files.iter().filter(|(name, _)| is_program(name)).map(|(name, _)| PathBuf::from(name));
    let mut waiting: Vec<_> = programs.filter(|file| is_named(file)).collect();
    let mut run = HashSet::new();
    while let Some(file) = waiting.pop() {
        if let Some((_, text)) = files.iter().find(|(name, _)| Path::new(name) == file)
            && run.insert(file.clone())
        {
            waiting.extend(c::includes(text).map(|header| file.with_file_name(header)));
        }
    }
    run
}

impl Evidence {
    /// A program that the compiler must refuse. What it must say to that is in a file beside it.
    fn add_refusal(&mut self, file: &Path, name: String) {
        let rules = RuleId::of_name(&file.file_stem().unwrap_or_default().to_string_lossy());
        if !file.with_extension("stderr").exists() {
            self.problems.push(format!("{name}: nothing says what the compiler must answer"));
        } else if !rules.is_empty() {
            self.tests.push(Test { rules, place: name });
        }
    }

    fn add_functions(&mut self, file: &str, functions: &[String], modules: &HashSet<PathBuf>) {
        let tests = functions.iter().map(|name| (RuleId::of_name(name), name));
        let mut tests = tests.filter(|(rules, _)| !rules.is_empty()).peekable();
        if is_compiled(Path::new(file), modules) {
            self.tests.extend(tests.map(|(rules, name)| Test { rules, place: format!("{file}: {name}") }));
        } else if tests.peek().is_some() {
            self.problems.push(format!("{file}: names rules, but is a module of nothing"));
        }
    }

    /// A C file checks nothing unless a test runs it.
    fn add_program(&mut self, file: &str, text: &str, runs: bool) {
        let tags = c::tags(text);
        if runs {
            let tests = tags.into_iter().map(|(line, rules)| Test { rules, place: format!("{file}:{line}") });
            self.tests.extend(tests);
        } else if !tags.is_empty() {
            self.problems.push(format!("{file}: names rules, but no test runs it"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_of_tests_are_found_and_nothing_else() {
        let root = std::env::temp_dir().join(format!("mpit-rules-{}", std::process::id()));
        let files = [
            ("core/src/lib.rs", "mod a; mod d;"),
            ("core/src/a.rs", "#[test] fn r1_in_a_module() {} #[test] fn without_a_rule() {} mod e;"),
            ("core/src/a/e.rs", "#[test] fn r8_in_a_module_of_a_module() {}"),
            ("core/src/d/mod.rs", "#[test] fn r9_in_a_folder() {}"),
            ("core/src/f.rs", "#[test] fn r10_not_compiled() {}"),
            ("tests/tests/b.rs", "#[test] fn runs() { compile(\"ring\") }"),
            ("tests/c/ring.c", "#include \"ring_parts.h\"\ncheck(); /* R2 */"),
            ("tests/c/ring_parts.h", "#  include \"more.h\"\ncheck(); /* R11 */"),
            ("tests/c/more.h", "check(); /* R12 */"),
            ("tests/c/orphan.h", "check(); /* R13 */"),
            ("elsewhere/foreign.h", "/* R14 */"),
            ("tests/c/orphan.c", "check(); /* R3 */"),
            ("tests/ui/c04_word.rs", "not Rust ("),
            ("tests/ui/c04_word.stderr", "error"),
            ("tests/ui/c05_word.rs", "not Rust ("),
            ("build/CACHEDIR.TAG", ""),
            ("build/x.rs", "#[test] fn r6_built() {}"),
            (".hidden/x.rs", "#[test] fn r7_hidden() {}"),
        ];
        for (name, text) in files {
            let file = root.join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, text).expect("a file");
        }
        let found = collect(&root);
        fs::remove_dir_all(&root).expect("the folder");
        let found = found.expect("evidence");
        let places: Vec<_> =
            found.tests.iter().map(|test| (test.rules[0].to_string(), &*test.place)).collect();
        let wanted = [
            ("C4", "tests/ui/c04_word.rs"),
            ("R8", "core/src/a/e.rs: r8_in_a_module_of_a_module"),
            ("R1", "core/src/a.rs: r1_in_a_module"),
            ("R9", "core/src/d/mod.rs: r9_in_a_folder"),
            ("R12", "tests/c/more.h:1"),
            ("R2", "tests/c/ring.c:2"),
            ("R11", "tests/c/ring_parts.h:2"),
        ];
        assert_eq!(places, wanted.map(|(rule, place)| (rule.to_owned(), place)));
        let wanted = [
            "tests/ui/c05_word.rs: nothing says what the compiler must answer",
            "core/src/f.rs: names rules, but is a module of nothing",
            "tests/c/orphan.c: names rules, but no test runs it",
            "tests/c/orphan.h: names rules, but no test runs it",
        ];
        assert_eq!(found.problems, wanted);
    }
}
