//! Coverage of the rules in `docs/internal/conformance.tsv`: the tests that prove each of them.
//!
//! A rule is a line of five fields, separated by tabs: number, kind, section, the reason why no test proves the rule, and text. Tests
//! name rules, such as `R38, R39`, in markers, found by a scan of all sources line by line:
//!
//! - `/// Proves RULES.` among the comments and attributes of a Rust test;
//! - `// Proves RULES.` in a definition of `ui`, which must not compile;
//! - `/* Proves RULES. */` or `/* Proves RULES: why. */` in a C file, alone or after code.

use std::collections::HashSet;
use std::{fmt::Write as _, fs, process::ExitCode};

use mpit_tests::{Context, Failure, Outcome, paths};

use crate::{Files, files};

const RULES: &str = "docs/internal/conformance.tsv";

/// The first line of the file.
const HEADER: &str = "rule\tkind\tsection\tnot tested because\ttext";

/// A marker: the rules that it names, the place of the test, and whether that runs.
struct Marker<'a> {
    rules: Vec<&'a str>,
    place: String,
    runs: bool,
}

/// Options of `cargo xtask rules`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Fail unless each rule has a test or a reason, and each marker names rules and is on a test that runs
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let (listing, problems) = coverage_of_workspace()?;
    print!("{listing}");
    for problem in &problems {
        eprintln!("rules: {problem}");
    }
    Ok(if problems.is_empty() || !arguments.check { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn coverage_of_workspace() -> Outcome<(String, Vec<String>)> {
    let rules = fs::read_to_string(paths::workspace().join(RULES)).context(RULES)?;
    let (header, rules) = rules.split_once('\n').unwrap_or_default();
    Failure::unless(header == HEADER, || format!("{RULES}: the first line is not `{HEADER}`"))?;
    Ok(coverage(rules, &files(&["*.rs", "*.c", "*.h"])?))
}

fn parts(file: &str) -> (&str, &str, &str) {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let (name, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    (folder, name, extension)
}

fn coverage(rules: &str, files: &Files) -> (String, Vec<String>) {
    let running = running(files);
    let markers = files.iter().flat_map(|(file, text)| markers(file, text, running.contains(file)));
    let markers: Vec<Marker> = markers.collect();
    let (mut listing, mut problems) = (String::new(), Vec::new());
    let (mut ids, mut covered, mut reasoned) = (Vec::new(), 0, 0);
    for line in rules.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, "N" | "D" | "P", section, reason, text] = fields[..] else {
            problems.push(format!(
                "{line}: not number, kind (N, D, P), section, reason, text, separated by tabs"
            ));
            continue;
        };
        if !is_id(id) {
            problems.push(format!("{line}: a number begins with R, F or C"));
            continue;
        }
        ids.push(id);
        // Each letter counts from 1 without a gap, so that no rule is lost.
        let next = format!("{}{}", &id[..1], ids.iter().filter(|other| other[..1] == id[..1]).count());
        if id != next || section.is_empty() || text.is_empty() {
            problems.push(format!("{line}: the text of {next} comes next"));
        }
        let tests = markers.iter().filter(|marker| marker.runs && marker.rules.contains(&id));
        let tests: Vec<&str> = tests.map(|marker| marker.place.as_str()).collect();
        match (tests.is_empty(), reason.is_empty()) {
            (true, true) => problems.push(format!("{id} has neither a test nor a reason")),
            (true, false) => reasoned += 1,
            (false, true) => covered += 1,
            (false, false) => problems.push(format!("{id} has a reason, but also {}", tests[0])),
        }
        let reason = format!("not tested: {reason}");
        let evidence = if tests.is_empty() { reason } else { tests.join("\n          ") };
        let _ = writeln!(listing, "{id:5} {text}\n          {evidence}");
    }
    for Marker { rules, place, runs } in &markers {
        if !runs {
            problems.push(format!("{place}: move the marker of {} to a test that runs", rules.join(", ")));
        }
        let unknown = rules.iter().filter(|rule| !ids.contains(rule));
        problems.extend(unknown.map(|rule| format!("{place}: there is no rule `{rule}`")));
    }
    let open = ids.len() - covered - reasoned;
    (listing + &format!("{covered} covered, {reasoned} with a reason, {open} open\n"), problems)
}

/// Returns true if a text begins like the number of a rule.
fn is_id(text: &str) -> bool {
    matches!(text.as_bytes(), [b'R' | b'F' | b'C', b'0'..=b'9', ..])
}

/// Returns the markers of a file, and whether tests run what they are on.
fn markers<'a>(file: &str, text: &'a str, file_runs: bool) -> Vec<Marker<'a>> {
    let (folder, _, extension) = parts(file);
    let has_tests = extension == "rs" && !folder.ends_with("/ui");
    let dead_code = if has_tests { "/*" } else { "#if 0" };
    let file_runs = file_runs && !text.lines().any(|line| line.trim_start().starts_with(dead_code));
    let (mut markers, mut attributes, mut assigned) = (Vec::<Marker>::new(), Vec::new(), 0);
    for (line, number) in text.lines().map(str::trim).chain(["end of file"]).zip(1..) {
        if let Some((before, rules)) = line.split_once("Proves ")
            && is_id(rules)
        {
            let rules = rules.split(['.', ':']).take(1).flat_map(|rules| rules.split(", ")).collect();
            // Neither a string nor another comment may be open.
            let code = before.strip_suffix("/* ").or(before.strip_suffix("// "));
            let begins = code.is_some_and(|code| !code.contains("//") && code.matches('"').count() % 2 == 0);
            let is_marker = if has_tests { before == "/// " } else { begins };
            markers.push(Marker { rules, place: format!("{file}:{number}"), runs: is_marker && file_runs });
        } else if line.starts_with("#[") {
            attributes.push(line);
        } else if has_tests && !line.starts_with("//") {
            // The item that the markers, comments and attributes above it belong to.
            let is_test = attributes.contains(&"#[test]")
                && !attributes.iter().any(|attribute| attribute.starts_with("#[ignore"));
            let function = line.split_once("fn ").map(|(_, rest)| rest.split('(').next().unwrap_or(rest));
            for marker in &mut markers[assigned..] {
                marker.place = format!("{file}: {}", function.unwrap_or(line));
                marker.runs &= function.is_some() && is_test;
            }
            assigned = markers.len();
            attributes.clear();
        }
    }
    markers
}

/// Returns the files that tests run: those that cargo or `ui.rs` finds, and modules, C programs and headers that these name.
fn running(files: &Files) -> HashSet<String> {
    let (found_names, found_folders) = (["lib", "main", "build"], ["tests", "examples", "ui"]);
    let is_found = |file: &&String| {
        let (folder, name, extension) = parts(file);
        extension == "rs" && (found_names.contains(&name) || found_folders.contains(&parts(folder).1))
    };
    let mut waiting: Vec<String> = files.keys().filter(is_found).cloned().collect();
    let programs: Vec<&String> = files.keys().filter(|file| parts(file).2 == "c").collect();
    let mut running = HashSet::new();
    while let Some(file) = waiting.pop() {
        let Some(text) = files.get(&file) else { continue };
        if !running.insert(file.clone()) {
            continue;
        }
        let (folder, name, extension) = parts(&file);
        let names_programs = extension == "rs" && folder.split('/').any(|part| part == "tests");
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            if let Some(declaration) = line.strip_suffix(';')
                && let Some((_, module)) = declaration.rsplit_once("mod ")
            {
                for folder in [folder, &format!("{folder}/{name}")] {
                    waiting.extend([format!("{folder}/{module}.rs"), format!("{folder}/{module}/mod.rs")]);
                }
            }
            for string in line.split('"').skip(1).step_by(2) {
                let is_named = |file: &&String| names_programs && parts(file).1 == parts(string).1;
                waiting.extend(programs.iter().copied().filter(is_named).cloned());
                waiting.push(format!("{folder}/{string}"));
            }
        }
    }
    running
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_markers_agree() -> Outcome {
        let (listing, problems) = coverage_of_workspace()?;
        assert_eq!(problems, [""; 0]);
        assert_eq!(listing.lines().last(), Some("424 covered, 5 with a reason, 0 open"));
        Ok(())
    }

    const RULES: &str = "R1\tN\ts\t\ta\nR2\tP\ts\tc\tb\nR3\tN\ts\t\td\nR4\tN\ts\t\te\nF1\tD\ts\t\tf\n";

    /// Returns sources that prove all rules, and one more. `@` stands for the first word of a marker.
    fn files(file: &str, text: &str) -> Files {
        let files = [
            ("a/c/part.h", "/* @R4. */"),
            ("a/c/ring.c", "#include \"part.h\"\nputs(\"\"); /* @R3: why */"),
            ("a/src/inner/mod.rs", "/// @R1, F1.\n#[test]\nfn one() {}\n/// Proves little."),
            ("a/src/lib.rs", "mod inner;"),
            ("a/tests/run.rs", "/// Why.\n  /// @R1.\n  #[test]\n  fn two() { run(\"ring\", \"off\"); }"),
            ("a/ui/bad.rs", "// @R1."),
            (file, text),
        ];
        files.map(|(file, text)| (file.to_owned(), text.replace('@', "Proves "))).into()
    }

    #[test]
    fn each_rule_is_listed_with_its_tests() {
        let (listing, problems) = coverage(RULES, &files("", ""));
        assert_eq!(problems, [""; 0]);
        let lines = listing.lines().map(str::trim).collect::<Vec<_>>().join("; ");
        let wanted = "R1    a; a/src/inner/mod.rs: one; a/tests/run.rs: two; a/ui/bad.rs:1; R2    b; not tested: c; \
                      R3    d; a/c/ring.c:2; R4    e; a/c/part.h:1; F1    f; a/src/inner/mod.rs: one; \
                      4 covered, 1 with a reason, 0 open";
        assert_eq!(lines, wanted);
    }

    #[test]
    fn mistakes_are_problems() {
        for (file, text) in [
            ("a/src/lost.rs", "/// @R1.\n#[test]\nfn lost() {}"),
            ("a/tests/x.rs", "/// @R1.\n#[test]\n#[ignore = \"slow\"]\nfn slow() {}"),
            ("a/tests/x.rs", "/// @R1.\nfn helper() {}"),
            ("a/tests/x.rs", "// @R1.\n#[test]\nfn plain() {}"),
            ("a/tests/x.rs", "/*\n/// @R1.\n#[test]\nfn dead() {}\n*/"),
            ("a/tests/x.rs", "/// @R1."),
            ("a/c/unused.c", "/* @R1. */"),
            ("a/c/off.c", "#if 0\n/* @R1. */\n#endif"),
            ("a/c/off.c", "puts(\"/* @R1. */\");"),
            ("a/c/off.c", "// puts(); /* @R1. */"),
            ("a/ui/x.rs", "//! @R1."),
            ("a/ui/x.rs", "// @R9."),
            ("a/ui/x.rs", "// @R2."),
        ] {
            assert_eq!(coverage(RULES, &files(file, text)).1.len(), 1, "{file}: {text}");
        }
        for line in
            ["F2/X/s/b/a", "F2/N/s/a", "F2/N//b/a", "F2/N/s/b/", "F2/N/s//a", "F4/N/s/b/a", "X1/N/s/b/a", ""]
        {
            let line = line.replace('/', "\t");
            assert_eq!(coverage(&format!("{RULES}{line}\n"), &files("", "")).1.len(), 1, "{line}");
        }
    }
}
