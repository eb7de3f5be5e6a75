//! `mpit conform`: known defects of MPI libraries, mpit's own interface, and messages.

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Stack, stacks};
use serde_json::Value;

use crate::equal;

/// Known defects: the library, the program, and a part of the evidence.
const DEFECTS: [(&str, &str, &str); 8] = [
    // MPI_T_pvar_readreset is a stub.
    ("ompi5.0.11", "R183", "whose atomic flag is 0, answers MPI_T_ERR_INVALID_HANDLE"),
    // The update number changes without the categories.
    ("ompi5.0.11", "R211-again", "and no category changes"),
    ("ompi4.1.4", "R183", "whose atomic flag is 0, answers MPI_T_ERR_INVALID_HANDLE"),
    // The flag of sums, by which a handle has a starting value, is lost in MPICH's code. Of its builds here only Intel MPI has variables.
    ("impi2021.19", "R120", "idle is "),
    ("impi2021.19-abi", "R120", "idle is "),
    // Index -1 is accepted.
    (
        "impi2021.19",
        "R13-early",
        "with i = -1, MPI_T_cvar_get_info(i, 0, 0, 0, 0, 0, 0, 0, 0, 0) answers MPI_SUCCESS",
    ),
    (
        "impi2021.19-abi",
        "R13-early",
        "with i = -1, MPI_T_cvar_get_info(i, 0, 0, 0, 0, 0, 0, 0, 0, 0) answers MPI_SUCCESS",
    ),
    ("mpich5.0.2", "R13-early", "crashes: SIGSEGV, after it printed: before MPI_Init, i = -1"),
];

/// The programs that fail with mpit because of the library's own variables, whose properties mpit does not change.
const OF_THE_LIBRARY: [&str; 4] = ["R61-cvars", "R63", "R73", "R93"];

/// Returns the report about the library of a stack.
pub(crate) fn report(stack: &Stack, options: &[&str]) -> Outcome<Value> {
    let finished = conform(stack, &[options, &["--format", "json"]].concat())?;
    finished.expect(matches!(finished.code, Some(0 | 1)))?;
    serde_json::from_str(&finished.stdout).context(&finished)
}

/// Runs `mpit conform OPTIONS -- mpiexec -n 2 ./any`. On a busy machine programs need more time than by default.
fn conform(stack: &Stack, options: &[&str]) -> Outcome<Finished> {
    let job =
        Job::mpit(&["conform", "--timeout", "60"])?.on(stack).args(options).arg("--cc").arg(stack.mpicc());
    job.arg("--").args(stack.mpiexec(2)).arg("./any").seconds(900).finish()
}

/// Returns the programs that fail, with the evidence.
fn failures(report: &Value) -> Vec<(&str, &str)> {
    let checks = report["checks"].as_array().into_iter().flatten();
    checks
        .filter(|check| check["result"] == "fails")
        .filter_map(|check| Some((check["program"].as_str()?, check["evidence"].as_str()?)))
        .collect()
}

#[test]
fn known_defects_of_libraries_are_found() -> Outcome {
    stacks::on_each("conform", |stack| {
        let report = report(stack, &[])?;
        let failures = failures(&report);
        println!("{}: {}", stack.label(), report["rules"]);
        for (_, program, part) in DEFECTS.iter().filter(|(label, ..)| *label == stack.label()) {
            let is_found = failures.iter().any(|(name, evidence)| name == program && evidence.contains(part));
            Failure::unless(is_found, || {
                format!("no failure of {program} with {part:?} among {failures:#?}")
            })?;
        }
        // Every library returns a wrong length for strings that are cut.
        let checked = report["rules"]["hold"].as_u64().context("hold")?
            + report["rules"]["fail"].as_u64().context("fail")?;
        Failure::unless(checked >= 60, || format!("only {checked} rules were checked"))?;
        Failure::unless(failures.iter().any(|(name, _)| *name == "R38"), || format!("{failures:#?}"))
    })
}

/// Shows that the programs are right: a rule that every library breaks can be kept.
#[test]
fn mpit_breaks_no_rule() -> Outcome {
    stacks::on_each_family("conform_through_mpit", |stack| {
        let report = report(stack, &["--through-mpit"])?;
        let mut failures = failures(&report);
        failures.retain(|(name, _)| !OF_THE_LIBRARY.contains(name));
        equal("rules that mpit breaks", &failures, &Vec::new())
    })
}

#[test]
fn programs_of_failures_are_printed() -> Outcome {
    let shown = Job::mpit(&["conform", "--show", "R183"])?.succeed()?;
    shown.expect(shown.stdout.starts_with("/* R183: ") && shown.stdout.contains("MPI_T_pvar_readreset("))?;
    shown.expect(shown.stdout.lines().count() <= 40)?;
    let listed = Job::mpit(&["conform", "--list"])?.succeed()?;
    listed.expect(listed.stdout.lines().any(|line| line.trim_start().starts_with("R183 ")))
}

/// A mistake of the user gives one line, and exit status 2.
#[test]
fn mistakes_are_named() -> Outcome {
    let expect = |words: &[&str], message: &str| {
        let finished = Job::mpit(&[&["conform"], words].concat())?.finish()?;
        let last = finished.stderr.lines().last().unwrap_or_default();
        finished.expect(finished.code == Some(2) && last.starts_with("mpit: ") && last.contains(message))
    };
    expect(&["--cc", "/no/mpicc", "--", "mpiexec", "-n", "2", "./any"], "there is no compiler /no/mpicc")?;
    expect(&["--rule", "R9999", "--", "mpiexec", "./any"], "no program is about a rule `R9999`")?;
    expect(&["--from", "/no/report.json"], "cannot read /no/report.json")?;
    expect(&["--", "-n", "2", "./any"], "is not a command")?;
    // No MPI program.
    expect(&["--cc", "false", "--", "env", "./any"], "does not compile MPI programs")
}

/// A compiler of another library than the launcher is noticed.
#[test]
fn compiler_of_another_library_is_refused() -> Outcome {
    let other = stacks::found().stacks.iter().find(|stack| stack.label() == "ompi4.1.4");
    let Some(other) = other else { return Ok(()) };
    stacks::on(&["mpich4.0.2"], "conform_other_compiler", |stack| {
        let mpicc = other.mpicc().display().to_string();
        let job =
            Job::mpit(&["conform", "--rule", "R54", "--cc", &mpicc, "--"])?.on(other).args(stack.mpiexec(2));
        let finished = job.arg("./any").finish()?;
        finished.expect(finished.code == Some(2) && finished.stderr.contains("--cc"))
    })
}
