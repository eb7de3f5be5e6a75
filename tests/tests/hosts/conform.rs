//! `mpit conform`: known defects of MPI libraries, mpit's own interface, and messages.

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Stack, stacks};
use serde_json::Value;

use crate::equal;

/// Known defects: the library, the program, its result, and a part of the evidence.
const DEFECTS: [(&str, &str, &str, &str); 9] = [
    // MPI_T_pvar_readreset is a stub.
    ("ompi5.0.11", "R183", "fails", "whose atomic flag is 0, answers MPI_T_ERR_INVALID_HANDLE"),
    // The update number grows without a change of categories, which makes it useless for tools that keep what they read. The standard does
    // not forbid it.
    ("ompi5.0.11", "R211-again", "advice", "and no category changes"),
    // The variable mpi_ft_verbose is on the stack of a function that has returned.
    ("ompi5.0.11", "R93", "fails", "mpi_ft_verbose is "),
    ("ompi4.1.4", "R183", "fails", "whose atomic flag is 0, answers MPI_T_ERR_INVALID_HANDLE"),
    // The flag of sums, by which a handle has a starting value, is lost in MPICH's code. Of its builds here only Intel MPI has variables.
    ("impi2021.19", "R120", "fails", "idle is "),
    ("impi2021.19-abi", "R120", "fails", "idle is "),
    // Index -1 is accepted.
    (
        "impi2021.19",
        "R13-early",
        "fails",
        "with i = -1, MPI_T_cvar_get_info(i, 0, 0, 0, 0, 0, 0, 0, 0, 0) answers MPI_SUCCESS",
    ),
    (
        "impi2021.19-abi",
        "R13-early",
        "fails",
        "with i = -1, MPI_T_cvar_get_info(i, 0, 0, 0, 0, 0, 0, 0, 0, 0) answers MPI_SUCCESS",
    ),
    ("mpich5.0.2", "R13-early", "fails", "crashes: SIGSEGV, after it printed: before MPI_Init, i = -1"),
];

/// The programs that may fail with mpit because of the library's own variables, whose properties mpit does not change.
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

/// Returns the programs with a finding: the name, the result and the evidence.
fn findings(report: &Value) -> Vec<[&str; 3]> {
    let checks = report["checks"].as_array().into_iter().flatten();
    checks
        .filter_map(|check| {
            let finding = [&check["program"], &check["result"], &check["evidence"]].map(Value::as_str);
            let [Some(program), Some(result @ ("fails" | "advice")), Some(evidence)] = finding else {
                return None;
            };
            Some([program, result, evidence])
        })
        .collect()
}

#[test]
fn known_defects_of_libraries_are_found() -> Outcome {
    stacks::on(&DEFECTS.map(|(label, ..)| label), "conform", |stack| {
        let defects: Vec<_> = DEFECTS.iter().filter(|(label, ..)| *label == stack.label()).collect();
        let programs: Vec<_> = defects.iter().map(|(_, program, ..)| *program).collect();
        let report = report(stack, &["--rule", &programs.join(",")])?;
        let findings = findings(&report);
        for (_, program, result, part) in defects {
            let is_found = findings
                .iter()
                .any(|[name, found, evidence]| name == program && found == result && evidence.contains(part));
            Failure::unless(is_found, || {
                format!("{program}: not `{result}` with {part:?} among {findings:#?}")
            })?;
        }
        Ok(())
    })
}

#[test]
fn libraries_are_scored() -> Outcome {
    stacks::on_each_family("conform_all", |stack| {
        let report = report(stack, &[])?;
        println!("{}: {}", stack.label(), report["rules"]);
        let checked = report["rules"]["hold"].as_u64().context("hold")?
            + report["rules"]["fail"].as_u64().context("fail")?;
        Failure::unless(checked >= 60, || format!("only {checked} rules were checked"))?;
        // Every library returns a wrong length for strings that are cut.
        let findings = findings(&report);
        Failure::unless(findings.iter().any(|[name, ..]| *name == "R38"), || format!("{findings:#?}"))
    })
}

/// The programs are right: an interface can pass them that no library passes. Findings about the library's own variables are those of the
/// library without mpit.
#[test]
fn mpit_breaks_no_rule() -> Outcome {
    stacks::on_each_family("conform_through_mpit", |stack| {
        let with_mpit = report(stack, &["--through-mpit"])?;
        let mut broken = findings(&with_mpit);
        let of_the_library: Vec<_> =
            broken.iter().map(|[name, ..]| *name).filter(|name| OF_THE_LIBRARY.contains(name)).collect();
        if !of_the_library.is_empty() {
            let native = report(stack, &["--rule", &of_the_library.join(",")])?;
            let native: Vec<_> = findings(&native).into_iter().map(|[name, ..]| name.to_owned()).collect();
            broken
                .retain(|[name, ..]| !OF_THE_LIBRARY.contains(name) || !native.iter().any(|own| own == name));
        }
        equal("rules that mpit breaks", &broken, &Vec::new())
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
