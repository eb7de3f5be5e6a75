//! Components of plug-ins: they receive the same traffic as mpit's own while they are selected and active.

use std::{fs, path::Path};

use mpit_tests::{Context, Failure, Job, Outcome, Prof, Stack, build, stacks};

use crate::rows::{self, Rows};
use crate::{on_each_family_in_dir, read_all, recorded as recorded_in, report, written_to, written_with};

const RANKS: u32 = 4;

const FRAMEWORKS: [&str; 3] = ["pml", "osc", "coll"];

/// The row with the numbers of times that the plug-in's components were opened and closed.
const TIMES: (&str, &str) = ("times", "all");

/// Adds the plug-in, with a directory for its files.
fn with_plugin(job: Job, dir: &Path) -> Outcome<Job> {
    let acme = dir.join("acme");
    fs::create_dir_all(&acme).context(acme.display())?;
    Ok(job.dir(dir).env("MPIT_PLUGINS", build::plugin("component")?).env("ACME_DIR", acme))
}

/// Runs a program with monitoring and the plug-in; returns the record of each rank.
fn run(stack: &Stack, dir: &Path, line: &[&str], settings: &[(&str, &str)]) -> Outcome<Vec<Prof>> {
    let job = with_plugin(Job::mpi(stack, RANKS).arg(stack.compile(line[0])?).args(&line[1..]), dir)?;
    // Threads that wait take the processors from each other: seconds on a quiet machine, a minute on a busy one.
    let job = job.seconds(180);
    let finished = job.under_mpit(&written_with("prof", settings))?.succeed()?;
    finished.expect(finished.stderr.is_empty())?;
    read_all(&dir.join("prof"), RANKS)
}

fn received(dir: &Path, framework: &str, rank: u32) -> Outcome<Rows> {
    rows::of_lines(&dir.join(format!("acme/{framework}.{rank}")))
}

/// Returns monitoring's rows of the same traffic: collective operations on all communicators together.
fn recorded(prof: &Prof, framework: &str) -> Rows {
    let mut recorded = Rows::new();
    for ((row, about), sum) in rows::of(prof) {
        let (of_row, about) = match &*row {
            "E" => ("pml", &*about),
            "S" | "R" => ("osc", &*about),
            "O2A" | "A2O" | "A2A" => ("coll", "all"),
            _ => continue,
        };
        if of_row == framework {
            rows::add(&mut recorded, &row, about, sum.0, sum.1);
        }
    }
    recorded
}

fn with_times(mut rows: Rows, times: (u64, u64)) -> Rows {
    rows.insert((TIMES.0.to_owned(), TIMES.1.to_owned()), times);
    rows
}

fn equal_monitoring(stack: &Stack, line: &[&str], frameworks: &[&str]) -> Outcome {
    let dir = stack.scratch(&format!("components_{}", line[0]))?;
    let profs = run(stack, &dir, line, &[])?;
    for framework in frameworks {
        let mut lines = 0;
        for (rank, prof) in (0..).zip(&profs) {
            let recorded = recorded(prof, framework);
            lines += recorded.len();
            rows::same(rank, &received(&dir, framework, rank)?, &with_times(recorded, (1, 1)))?;
        }
        Failure::unless(lines > 0, || format!("{}: nothing of {framework} was recorded", line[0]))?;
    }
    Ok(())
}

#[test]
fn components_receive_every_message() -> Outcome {
    stacks::on_each_family("components_pml", |stack| equal_monitoring(stack, &["sends", "."], &["pml"]))
}

/// Tests components that are opened between equal calls.
#[test]
fn late_components_get_later_calls() -> Outcome {
    stacks::on_each("late_component", |stack| {
        let dir = stack.scratch("late_component")?;
        let job = Job::mpi(stack, 2).arg(stack.compile_tool("late_component")?).arg(".");
        rows::match_expected(&dir, &recorded_in(job, &dir, 2)?.1)
    })
}

/// Tests that equal calls are counted as Open MPI counts them, with and without a second component, which makes each call take the
/// longer path.
#[test]
fn equal_calls_count_like_open_mpi() -> Outcome {
    stacks::on_each_family("components_compat", |stack| {
        let dir = stack.scratch("components_compat")?;
        let program = stack.compile("repeated_calls")?;
        let job = || Job::mpi(stack, 3).arg(&program).arg(".");
        let settings = |stem| written_with(stem, &[("coll_monitoring_compat", "1")]);
        job().dir(&dir).under_mpit(&settings("alone"))?.succeed()?;
        with_plugin(job(), &dir)?.under_mpit(&settings("beside"))?.succeed()?;
        for (rank, (alone, beside)) in
            (0..).zip(read_all(&dir.join("alone"), 3)?.iter().zip(&read_all(&dir.join("beside"), 3)?))
        {
            rows::same(rank, &rows::of(alone), &rows::of(beside))?;
            Failure::unless(rows::of(alone).keys().any(|(row, _)| row == "A2A"), || "no operations".into())?;
        }
        Ok(())
    })
}

#[test]
fn components_get_pcontrol_and_add_output() -> Outcome {
    on_each_family_in_dir("components_lines", |stack, dir| {
        let job = with_plugin(Job::mpi(stack, 2).arg(stack.compile("pcontrol")?).arg("."), dir)?;
        let job = job.env("ACME_SETS", "MPIT_PML_MONITORING_ENABEL");
        let finished = job.under_mpit(&written_to("prof"))?.succeed()?;
        // Misspelled names are also reported if a component sets them while MPI starts.
        finished.expect(finished.stderr.contains("did you mean `MPIT_PML_MONITORING_ENABLE`?"))?;
        // The file of the whole run, and the numbered ones.
        for stem in ["prof", "prof_1", "prof_2"] {
            for prof in read_all(&dir.join(stem), 2)? {
                // The sum of the levels 0, 1, 77 and 2.
                let expected = FRAMEWORKS.map(|framework| format!("{framework}.acme\tlevels 80"));
                Failure::unless(prof.lines == expected, || format!("{stem}: {:?}", prof.lines))?;
            }
        }
        let report = report(dir, &["prof"])?;
        report.expect(report.code == Some(0) && report.stdout.contains("rank 1, osc.acme: levels 80"))
    })
}

#[test]
fn components_receive_every_access() -> Outcome {
    stacks::on_each_family("components_osc", |stack| equal_monitoring(stack, &["osc", "."], &["osc"]))
}

#[test]
fn components_receive_every_collective() -> Outcome {
    stacks::on_each_family("components_coll", |stack| {
        equal_monitoring(stack, &["traffic"], &FRAMEWORKS)?;
        equal_monitoring(stack, &["coll_edge_cases", "."], &["coll"])
    })
}

#[test]
fn lists_select_components_by_name() -> Outcome {
    on_each_family_in_dir("components_selected", |stack, dir| {
        let lists =
            [("pml_components", "^acme"), ("osc_components", "monitoring"), ("coll_components", "acme")];
        let profs = run(stack, dir, &["traffic"], &lists)?;
        for (rank, prof) in (0..).zip(&profs) {
            for framework in ["pml", "osc"] {
                Failure::unless(received(dir, framework, rank).is_err(), || {
                    format!("rank {rank}: {framework} was opened")
                })?;
                let recorded = recorded(prof, framework);
                Failure::unless(!recorded.is_empty(), || format!("rank {rank}: no {framework}"))?;
            }
            Failure::unless(!received(dir, "coll", rank)?.is_empty(), || format!("rank {rank}: no coll"))?;
            let coll = recorded(prof, "coll");
            Failure::unless(coll.is_empty(), || format!("rank {rank}: monitoring recorded {coll:?}"))?;
        }
        Ok(())
    })
}

/// Tests that they receive the first of three equal laps, after which the plug-in is deactivated.
#[test]
fn inactive_plugins_receive_nothing() -> Outcome {
    on_each_family_in_dir("components_inactive", |stack, dir| {
        let profs = run(stack, dir, &["traffic", "deactivate"], &[])?;
        for (rank, prof) in (0..).zip(&profs) {
            for framework in FRAMEWORKS {
                let mut one_lap = recorded(prof, framework);
                for sum in one_lap.values_mut() {
                    *sum = (sum.0 / 3, sum.1 / 3);
                }
                rows::same(rank, &received(dir, framework, rank)?, &with_times(one_lap, (1, 1)))?;
            }
        }
        Ok(())
    })
}

#[test]
fn plugins_go_while_threads_send() -> Outcome {
    on_each_family_in_dir("components_threads", |stack, dir| {
        let profs = run(stack, dir, &["traffic", "threads"], &[])?;
        for (rank, prof) in (0..).zip(&profs) {
            for framework in ["pml", "coll"] {
                let (received, recorded) = (received(dir, framework, rank)?, recorded(prof, framework));
                for (row, sum) in received {
                    let most = recorded.get(&row).copied().unwrap_or_default();
                    let is_right = if row.0 == TIMES.0 { sum == (1, 1) } else { 0 < sum.0 && sum.0 < most.0 };
                    Failure::unless(is_right, || {
                        format!("rank {rank}: {row:?} is {sum:?}, and monitoring has {most:?}")
                    })?;
                }
            }
        }
        Ok(())
    })
}
