//! Defects in definitions and their values.

use std::fs;

use mpit_tests::{Context, Failure, Job, Outcome, paths, rust_plugins::Build};
use serde_json::json;

use super::{check, checked, directory, equal, named, plugin};

/// Returns the findings that the comments of a source file announce: severity, rule and place.
fn announced(source: &str) -> Outcome<Vec<[String; 3]>> {
    let path = paths::source(&format!("plugins/check/{source}.c"));
    let text = fs::read_to_string(&path).context(path.display())?;
    let mut all = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let Some((_, comment)) = line.split_once("MPIT_HERE").and_then(|(_, rest)| rest.split_once("/* "))
        else {
            continue;
        };
        for one in comment.trim_end_matches(" */").split(", ") {
            let (severity, rule) = one.split_once(' ').context(line)?;
            all.push([severity.into(), rule.into(), format!("{source}.c:{number}")]);
        }
    }
    all.sort();
    Ok(all)
}

#[test]
fn every_fault_is_found_at_its_line() -> Outcome {
    let dir = directory()?;
    for source in ["faults", "values"] {
        let object = plugin(&dir, source, source, &[])?;
        let output = checked(&[&object], 1)?;
        equal(&output.findings(0), &announced(source)?)?;
        equal(&output.plugin(0)["name"], &json!(source))?;
    }
    Ok(())
}

#[test]
fn valid_plugins_have_no_findings() -> Outcome {
    let dir = directory()?;
    let object = named(&dir, "acme", &[])?;
    let finished = check(Job::plain(&[]), &[&object], &[])?.succeed()?;
    let expected = format!(
        "{} (acme): no findings\ndefines 1 performance variable, 1 control variable, 1 category\n\n",
        object.display()
    );
    finished.expect(finished.stdout.starts_with(&expected) && finished.stderr.is_empty())?;
    finished.expect_printed("Not compared with an MPI library")
}

#[test]
fn findings_are_a_table() -> Outcome {
    let dir = directory()?;
    let object = plugin(&dir, "values", "values", &[])?;
    let finished = check(Job::plain(&[]), &[&object], &[])?.finish()?;
    let row = finished.stdout.lines().find(|line| line.contains("R111")).unwrap_or_default();
    let words: Vec<_> = row.split("  ").map(str::trim).filter(|word| !word.is_empty()).collect();
    let [pvar, advice] = ["pvar `values_share` (PERCENTAGE)", "keep the value between 0 and 1"];
    equal(&words, &vec!["error", "R111", pvar, "values.c:19", "its value is 1.5", advice])?;
    finished.expect_printed("(values): 4 errors, 2 warnings\n")?;
    equal(&finished.code, &Some(1))
}

#[test]
fn names_are_compared_with_other_plugins() -> Outcome {
    let dir = directory()?;
    let first = named(&dir, "first", &[])?;
    let options = ["-DPVAR=\"first_count\"", "-DCLASS=MPIT_CLASS_COUNTER", "-DCVAR=\"first_limit\""];
    let second = named(&dir, "second", &options)?;
    let crashes = plugin(&dir, "failing_steps", "crashes", &["-DIN_CONSTRUCTOR", "-DACTION=CRASH"])?;
    let output = checked(&[&first, &crashes, &second], 1)?;
    equal(&output.findings(0), &Vec::new())?;
    let expected = [["error", "C45"], ["error", "C45"], ["warning", "prefix"]];
    equal(&output.rules(2), &expected.map(|one| one.map(str::to_owned)).to_vec())?;
    let places = output.reasons(2).iter().filter(|why| why.starts_with("names.c:")).count();
    equal(&places, &2)?;
    equal(&(output.0["errors"].clone(), output.0["warnings"].clone()), &(json!(3), json!(1)))?;
    // Checked alone, the plug-in has no such defect.
    equal(&checked(&[&second], 0)?.findings(0).len(), &1)
}

/// Tests that defects are found which only the plug-in's copy of mpit knows: left-out definitions and panics.
#[test]
fn rust_plugins_are_checked() -> Outcome {
    let (short, every) = (Build::PLAIN.plugin("short")?, Build::PLAIN.plugin("every")?);
    let output = checked(&[&short], 0)?;
    equal(&output.plugin(0)["name"], &json!("short"))?;
    equal(&output.plugin(0)["defines"]["events"], &json!(1))?;
    let expected = ["category", "verbosity"].map(|rule| ["warning".to_owned(), rule.into()]);
    equal(&output.rules(0), &expected.to_vec())?;

    // Findings about earlier plug-ins do not appear at the next one.
    let output = checked(&[&every, &short], 1)?;
    equal(&output.errors(1), &Vec::new())?;
    let errors = output.errors(0);
    let [[_, first, left_out], [_, second, panicked]] = errors.as_slice() else {
        return Err(Failure::new(format!("two errors are expected: {errors:?}")));
    };
    equal(&(first.as_str(), second.as_str()), &("left-out", "panic"))?;
    Failure::unless([left_out, panicked].iter().all(|place| place.contains("values.rs:")), || {
        output.0.to_string()
    })?;
    let panics = output.reasons(0).iter().any(|why| why == "it panics with a value that is not text");
    Failure::unless(panics, || output.0.to_string())
}
