//! `mpit run --read`: values of variables and counts of events, at the end of a run and in its files.

use std::fs;
use std::path::Path;

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Stack, plugins, stacks};

use crate::{equal, on_each_family_in_dir, on_each_in_dir, report};

const RANKS: u32 = 3;

/// The lines that a run prints about its values. Numbers are those of ranks: least, mean, most, and the rank that has it.
const LINES: [&str; 13] = [
    "variable class ranks min mean max rank",
    "acme_activation LEVEL 3 1 1 1 0",
    "acme_depth HIGHWATERMARK 3 1 1 1 0",
    "acme_done EVENT 3 1 1 1 0",
    // Its function also runs when the handle is started.
    "acme_step SIZE 3 2 2 2 0",
    "acme_work COUNTER 3 1 1 1 0",
    "values_broken SIZE 0 not read: invalid argument (error N)",
    "values_diverged EVENT 3 2 3 4 2",
    "values_late COUNTER 3 5 5 5 0",
    "values_method GENERIC 3 cg (2 ranks)",
    "values_reductions COUNTER 3 6 6 6 0",
    "values_sizes SIZE 3 60 61 62 2 by element: 33,60,90",
    "values_steps COUNTER 3 1 2 3 2",
];
const VECTORS: [&str; 2] = ["values_vectors HIGHWATERMARK 3 7 7 7 0", "values_vectors LEVEL 3 4 4 4 0"];

/// Runs the program with a plug-in, both of which publish variables.
fn run(stack: &Stack, dir: &Path, options: &[&str]) -> Outcome<Finished> {
    let job = Job::mpi(stack, RANKS).arg(stack.compile_tool("published_values")?).dir(dir);
    let job = job.env("MPIT_PLUGINS", plugins::good(dir, "acme")?);
    let read = ["--read", "values_*", "--read", "acme_*", "--read", "nothing_*", "--quiet"];
    job.under_mpit_with(&[&read[..], options].concat())?.succeed()
}

/// Returns a line with one blank between its fields, and without the number of an error, which depends on the library.
fn fields(line: &str) -> String {
    let text = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.split_once("(error ") {
        Some((before, _)) => format!("{before}(error N)"),
        None => text,
    }
}

fn expect_lines(finished: &Finished) -> Outcome {
    let lines = finished.stderr.lines().filter_map(|line| line.strip_prefix("mpit: "));
    let lines: Vec<String> = lines.filter(|line| !line.starts_with("wrote ")).map(fields).collect();
    let unknown = "--read 'nothing_*': no variable or event has such a name; see `mpit vars`";
    let wanted: Vec<_> = LINES.into_iter().chain(VECTORS).chain([unknown]).map(str::to_owned).collect();
    equal(finished, &lines, &wanted)
}

#[test]
fn values_are_printed_at_the_end() -> Outcome {
    on_each_in_dir("values", |stack, dir| expect_lines(&run(stack, dir, &[])?))
}

/// All kinds of files have the same values.
#[test]
fn files_have_the_values() -> Outcome {
    on_each_in_dir("values_in_files", |stack, dir| {
        let mut tables = Vec::new();
        for (stem, option) in [
            ("each/run", None),
            ("one/run", Some("--one-file")),
            ("safe/run", Some("--crash-safe")),
            ("packed/run", Some("--tables")),
        ] {
            let options: Vec<_> = ["--output", stem].into_iter().chain(option).collect();
            expect_lines(&run(stack, dir, &options)?)?;
            let reported = report(dir, &[stem, "--format", "csv,json", "--output", stem])?;
            reported.expect(reported.stdout.contains("\nVariables and events (--read)"))?;
            let path = dir.join(stem).join("run_variables.csv");
            tables.push(fs::read_to_string(&path).context(path.display())?);
        }
        let rows: Vec<_> = tables[0].lines().collect();
        equal("rows", &rows.len(), &(LINES.len() + VECTORS.len()))?;
        let steps = "values_steps,COUNTER,,3,1.0,0,2.0,3.0,2,6.0,1,,,,";
        let reductions = "values_reductions,COUNTER,MPI_COMM_WORLD,3,6.0,0,6.0,6.0,0,18.0,1,,,,";
        Failure::unless([steps, reductions].iter().all(|row| rows.contains(row)), || tables[0].clone())?;
        Failure::unless(tables.iter().all(|table| *table == tables[0]), || format!("{tables:#?}"))
    })
}

/// All variables of mpit and of the library: none crashes the program, and the library's are among them.
#[test]
fn each_variable_can_be_read() -> Outcome {
    stacks::on_each("values_of_all", |stack| {
        let dir = stack.scratch("values_of_all")?;
        let job = Job::mpi(stack, 2).arg(stack.compile("ring")?).dir(&dir).seconds(120);
        let finished = job.under_mpit_with(&["--read", "*", "--output", "prof/run"])?.succeed()?;
        let lines: Vec<String> = finished.stderr.lines().map(fields).collect();
        let has = |start: &str| lines.iter().any(|line| line.starts_with(start));
        finished.expect(
            has("mpit: pml_monitoring_messages_count SIZE 2 ") && has("mpit: calls_p2p_count COUNTER 2 "),
        )?;
        finished.expect(
            lines
                .iter()
                .filter(|line| line.contains(" not read: "))
                .all(|line| line.contains(" 0 not read: ")),
        )?;
        report(&dir, &["prof/run"])?.expect_printed("pml_monitoring_messages_count")
    })
}

/// The sessions of a tool have the same values with a reader of all variables beside it.
#[test]
fn tools_are_independent_of_the_reader() -> Outcome {
    on_each_family_in_dir("values_and_tools", |stack, dir| {
        let job = Job::mpi(stack, 2).arg(stack.compile("session_isolation")?).arg(dir).dir(dir);
        job.under_mpit_with(&["--read", "*"])?.succeed().map(drop)
    })
}
