//! One file for a whole job, and the output of `mpit report`, for all ways in which a program ends.

use std::{fs, path::Path, time::Instant};

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Prof, Stack, paths, record, stacks};

use crate::{
    equal, for_each_in_dir, lifecycle::has_sessions, on_each_in_dir, read_all, report, written_to,
    written_with,
};

const RANKS: u32 = 4;

/// Returns the settings that make all processes write one file `<stem>.prof`.
fn together(stem: &str) -> Vec<(&str, &str)> {
    written_with(stem, &[("monitoring_container", "1")])
}

/// Returns the same settings with a shorter timeout for missing processes, long enough for a machine that stalls.
fn soon_together(stem: &str) -> Vec<(&str, &str)> {
    written_with(stem, &[("monitoring_container", "1"), ("monitoring_gather_timeout", "4")])
}

/// Returns the text of each process in a file of the whole job, in the order of the file.
fn sections(path: &Path) -> Outcome<Vec<(u32, String)>> {
    let text = fs::read_to_string(path).context(path.display())?;
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    Failure::unless(first.starts_with(&format!("# MPIT JOB\t1\t{RANKS} ranks\t")), || {
        format!("first line {first}")
    })?;
    let mut sections: Vec<(u32, String)> = Vec::new();
    for line in lines {
        let mut fields = line.trim_end().split('\t');
        match fields.next() {
            Some("# RANK") => {
                let rank = fields.next().and_then(|rank| rank.parse().ok()).context("no rank")?;
                sections.push((rank, String::new()));
            }
            Some("# END") => return Ok(sections),
            _ => sections.last_mut().context("no rank before")?.1.push_str(line),
        }
    }
    Err(Failure::new("no end of the file"))
}

fn run(stack: &Stack, line: &[&str], settings: &[(&str, &str)], dir: &Path) -> Outcome<Finished> {
    job(stack, line, dir)?.under_mpit(settings)?.succeed()
}

fn job(stack: &Stack, line: &[&str], dir: &Path) -> Outcome<Job> {
    let job = Job::mpi(stack, RANKS).arg(stack.compile(line[0])?).args(&line[1..]);
    Ok(job.dir(dir).seconds(120))
}

#[test]
fn one_file_equals_many_files() -> Outcome {
    on_each_in_dir("container", |stack, dir| {
        for settings in [&written_to("each")[..], &together("all")] {
            // Times differ between runs.
            let settings = [settings, &[("monitoring_time", "off")]].concat();
            run(stack, &["ring"], &settings, dir)?;
        }
        let sections = sections(&dir.join("all.prof"))?;
        let ranks: Vec<_> = sections.iter().map(|(rank, _)| *rank).collect();
        equal("the processes", &ranks, &(0..RANKS).collect())?;
        let parse = |(rank, text): &(u32, String)| {
            Ok(Prof::parse(text, *rank).context(format!("rank {rank}"))?.without_times())
        };
        let together = sections.iter().map(parse).collect::<Outcome<Vec<_>>>()?;
        let each = read_all(&dir.join("each"), RANKS)?;
        let each: Vec<_> = each.into_iter().map(Prof::without_times).collect();
        Failure::unless(together == each, || format!("together {together:?}\neach {each:?}"))?;
        Failure::unless(!dir.join("all.0.prof").exists(), || "there is a file of one process too".into())?;
        // The reports are equal except for the name.
        let of = |stem: &str| -> Outcome<String> {
            let finished = report(dir, &[stem])?;
            finished.expect(finished.code == Some(0))?;
            Ok(finished.stdout.replacen(stem, "", 1))
        };
        let (all, each) = (of("all")?, of("each")?);
        Failure::unless(all == each && all.contains("4 of 4 processes"), || format!("{all}\n{each}"))?;
        let version = stack.label().trim_end_matches("-abi").trim_start_matches(char::is_alphabetic);
        let is_library = |line: &str| line.starts_with("MPI library: ") && line.contains(version);
        Failure::unless(all.lines().any(is_library), || format!("no MPI library {version}: {all}"))
    })
}

#[test]
fn one_file_is_written_at_any_end() -> Outcome {
    stacks::on_each("gather_modes", |stack| {
        for mode in ["silent", "multiple", "wildcard", "leftover"] {
            let dir = stack.scratch(&format!("gather_{mode}"))?;
            run(stack, &["gather", mode], &together("run"), &dir)?;
            let sections = sections(&dir.join("run.prof")).context(mode)?;
            Failure::unless(sections.len() == RANKS as usize, || format!("{mode}: {sections:?}"))?;
            let sent = |text: &str| text.lines().any(|line| line.starts_with("E\t"));
            let silent = sections.iter().filter(|(_, text)| !sent(text)).count();
            let wanted = if mode == "silent" { RANKS as usize } else { 0 };
            Failure::unless(silent == wanted, || format!("{mode}: {sections:?}"))?;
        }
        Ok(())
    })
}

#[test]
fn late_processes_lose_no_data() -> Outcome {
    on_each_in_dir("gather_late", |stack, dir| {
        let finished = run(stack, &["gather", "late"], &soon_together("run"), dir)?;
        finished.expect(finished.stderr.is_empty())?;
        let sections = sections(&dir.join("run.prof"))?;
        Failure::unless(sections.len() == RANKS as usize, || format!("{sections:?}"))?;
        for (rank, text) in sections {
            let prof = Prof::parse(&text, rank)?;
            let sent = prof.rows('E').get(&((rank + 1) % RANKS)).map_or(0, |row| row.messages);
            Failure::unless(sent == 1, || format!("rank {rank} sent {sent}"))?;
        }
        Ok(())
    })
}

#[test]
fn killed_processes_delay_no_other() -> Outcome {
    on_each_in_dir("gather_killed", |stack, dir| {
        let begin = Instant::now();
        let job = job(stack, &["gather", "killed"], dir)?.under_mpit(&soon_together("run"))?;
        let finished = job.finish()?;
        // 124 is the exit status of `timeout`.
        Failure::unless(finished.code != Some(0) && finished.code != Some(124), || {
            format!("after {} seconds\n{finished}", begin.elapsed().as_secs())
        })
    })
}

#[test]
fn without_a_world_nothing_is_gathered() -> Outcome {
    for_each_in_dir("gather_sessions", has_sessions, |stack, dir| {
        run(stack, &["session_only"], &together("run"), dir).map(drop)
    })
}

/// Tests MPICH's modern Fortran interface, which calls the library's `PMPI_Finalize`: the end is seen inside
/// that function only.
#[test]
fn an_unexpected_end_is_early_enough() -> Outcome {
    stacks::with_fortran("gather_fortran", |stack| {
        let dir = stack.scratch("gather_fortran")?;
        let program = stack.compile_fortran("sends", "USE_MPI_F08")?;
        Job::mpi(stack, 2).arg(program).dir(&dir).under_mpit(&together("run"))?.succeed()?;
        let text = fs::read_to_string(dir.join("run.prof")).context("run.prof")?;
        Failure::unless(text.starts_with("# MPIT JOB\t1\t2 ranks\t") && text.ends_with("# END\n"), || text)
    })
}

/// Tests that Open MPI's own files are read, with the same numbers as its own script computes.
#[test]
fn open_mpi_files_are_read() -> Outcome {
    let Some(script) = ["profile2mat", "profile2mat.pl"].into_iter().find_map(paths::find_program) else {
        return record::not_run("profile2mat", "not installed; Debian's package openmpi-bin has it");
    };
    for_each_in_dir("report_native", Stack::is_open_mpi, |stack, dir| {
        let job = Job::mpi(stack, RANKS).native_monitoring(&written_to("native"));
        job.arg(stack.compile("gather")?).arg("others").dir(dir).succeed()?;
        let mut all = String::new();
        for rank in 0..RANKS {
            let path = dir.join(format!("native.{rank}.prof"));
            all += &fs::read_to_string(&path).context(path.display())?;
        }
        fs::write(dir.join("all.prof"), all).context("all.prof")?;
        Job::plain(&[&script.display().to_string(), "all.prof"]).dir(dir).succeed()?;
        let arguments = ["native", "--format", "mat", "--symmetric", "--output", "ours"];
        let finished = report(dir, &arguments)?;
        finished.expect(finished.code == Some(0) && finished.stderr.is_empty())?;
        for kind in ["E", "I", "S", "R", "C"] {
            let has_it = |line: &str| line.starts_with(&format!("  {kind}  "));
            Failure::unless(finished.stdout.lines().any(has_it), || format!("no {kind}\n{finished}"))?;
        }
        for selection in ["all", "external", "internal", "osc", "coll"] {
            for value in ["size", "msg", "avg"] {
                let read = |name: String| fs::read_to_string(dir.join(&name)).context(name);
                let ours = read(format!("ours/native_{value}_{selection}.mat"))?;
                let theirs = read(format!("all_{value}_{selection}.mat"))?;
                Failure::unless(ours == theirs, || format!("{value} {selection}:\n{ours}\n{theirs}"))?;
            }
        }
        Ok(())
    })
}

/// Tests a setting that requests one file after `MPI_Init`, and that each communicator has one name in the
/// texts of all its members.
#[test]
fn settings_after_init_and_names_by_origin() -> Outcome {
    on_each_in_dir("late_settings", |stack, dir| {
        let program = stack.compile_tool("late_settings")?;
        Job::mpi(stack, RANKS).arg(program).dir(dir).under_mpit(&written_to("late"))?.succeed()?;
        let sections = sections(&dir.join("late.prof"))?;
        let raw = &sections.get(3).context("no rank 3")?.1;
        Failure::unless(raw.contains("D\tMPI_COMM_WORLD\tprocs: 0-3\n"), || format!("rank 3:\n{raw}"))?;
        // Only communicators of one process have a line together.
        let several: Vec<_> = raw.lines().filter(|line| line.contains("\tcomms: ")).collect();
        equal("rank 3", &several[..], &["D\tdup of MPI_COMM_SELF, 1 to 3\tprocs: 3\tcomms: 3"])?;
        let profs: Vec<_> =
            sections.iter().map(|(rank, text)| Prof::parse(text, *rank)).collect::<Outcome<_>>()?;
        for (rank, mine) in (0..).zip(&profs) {
            for (other, theirs) in (0..).zip(&profs) {
                equal(format!("ranks {rank} and {other}"), &shared(mine, other), &shared(theirs, rank))?;
            }
        }
        let wanted: [(&str, &[i64]); 6] = [
            ("MPI_COMM_WORLD", &[0, 1, 2, 3]),
            ("create of MPI_COMM_WORLD, 1", &[1, 3]),
            ("dup of split of MPI_COMM_WORLD, 1", &[1, 3]),
            ("split of MPI_COMM_WORLD, 1", &[0, 1, 3]),
            ("split of MPI_COMM_WORLD, 2", &[1, 3]),
            ("split of MPI_COMM_WORLD, 3", &[3, 2, 1, 0]),
        ];
        equal("ranks 3 and 1", &shared(&profs[3], 1)[..], &wanted)
    })
}

/// Returns names and members, sorted, of the communicators of a process that contain a rank.
fn shared(prof: &Prof, rank: u32) -> Vec<(&str, &[i64])> {
    let with_rank = prof.communicators.iter().filter(|comm| comm.members.contains(&rank.into()));
    let mut shared: Vec<_> = with_rank.map(|comm| (comm.name.as_str(), comm.members.as_slice())).collect();
    shared.sort_unstable();
    shared
}
