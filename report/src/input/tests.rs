//! The files of runs are found, and separated.

use std::path::Path;

use mpit_format::summary::{Summary, SummaryFile};

use super::{find, natural, phases, series_files, summaries};

fn write_file(path: &Path, run: &str, world: &str) {
    let text = format!("# MPIT RUN\t{run}\t{world}\t2 ranks\t2026-11-22T08:15:00.000Z\n# POINT TO POINT\n");
    std::fs::write(path, text).unwrap();
}

#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn phases_are_apart_and_in_order() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["phase_10.0.prof", "phase_2.0.prof", "phase_1.1.prof", "phase_1.0.prof", "other.txt"] {
        std::fs::write(directory.path().join(name), "").unwrap();
    }
    let runs = find(&[directory.path().to_owned()], false).unwrap();
    let stems: Vec<_> = runs.iter().map(|run| (run.stem(), run.by_rank.len())).collect();
    assert_eq!(stems, [("phase_1", 2), ("phase_2", 1), ("phase_10", 1)]);
    // A path that is the beginning of names.
    let runs = find(&[directory.path().join("phase_1")], false).unwrap();
    assert_eq!((runs.len(), runs[0].by_rank.len()), (1, 2));
    let error = find(&[directory.path().join("phase")], false).unwrap_err().to_string();
    assert!(error.contains("there is no file or directory"), "{error}");
}

#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn phases_have_a_directory_and_a_name() {
    let directory = tempfile::tempdir().unwrap();
    let inner = directory.path().join("d");
    std::fs::create_dir(&inner).unwrap();
    let files = ["d_1.0.prof", "d_2.0.prof", "d/_1.0.prof", "d/_2.0.prof", "d/._1.0.prof"];
    for name in files {
        std::fs::write(directory.path().join(name), "").unwrap();
    }
    let runs = find(&[directory.path().to_owned(), inner.clone()], true).unwrap();
    let all = phases(&runs);
    let stems: Vec<Vec<_>> =
        all.iter().map(|phases| phases.runs.iter().map(|run| run.stem()).collect()).collect();
    assert_eq!(stems, [vec!["d_1", "d_2"], vec!["._1"], vec!["_1", "_2"]]);
    assert!(all.iter().all(|phases| phases.path() == inner));
}

#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn files_of_other_runs_and_worlds_are_apart() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, run, world| write_file(&directory.path().join(name), run, world);
    write("run.2.prof", "A", "1");
    write("run.3.prof", "A", "1");
    write("run.0.prof", "B", "1");
    write("run.1.prof", "B", "1");
    write("run.w2.0.prof", "B", "2");
    std::fs::write(directory.path().join("run.4.prof"), "# POINT TO POINT\n").unwrap();
    std::fs::write(directory.path().join("running.4.prof"), "# POINT TO POINT\n").unwrap();
    let runs = find(&[directory.path().join("run")], false).unwrap();
    let mut all: Vec<_> = runs
        .iter()
        .map(|run| (run.stem(), run.identity().map(|identity| identity.run.as_str()), run.by_rank.len()))
        .collect();
    all.sort_unstable();
    assert_eq!(
        all,
        [("run", None, 1), ("run", Some("A"), 2), ("run", Some("B"), 2), ("run.w2", Some("B"), 1)]
    );
    let newer: Vec<_> = runs.iter().map(super::Run::newer).collect();
    assert_eq!(newer, [0, 1, 2, 0]);
}

#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn processes_without_a_run_have_their_world() {
    // Files of two runs of one name for the world are never put together by one that does not know its run.
    for files in
        [[(0, "A", "1"), (1, "-", "1"), (2, "-", "2")], [(0, "-", "1"), (1, "B", "1"), (2, "A", "1")]]
    {
        let directory = tempfile::tempdir().unwrap();
        for (rank, run, world) in files {
            write_file(&directory.path().join(format!("run.{rank}.prof")), run, world);
        }
        let runs = find(&[directory.path().join("run")], false).unwrap();
        let mut sizes: Vec<_> = runs.iter().map(|run| run.by_rank.len()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 2], "{files:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn summaries_are_read_if_alone() {
    let directory = tempfile::tempdir().unwrap();
    let mut summary = Summary::of_process(4, "n1", true);
    summary.merge(&Summary::of_process(4, "n2", true));
    let path = directory.path().join("job.summary");
    let read = || {
        let runs = find(&[directory.path().to_owned()], false).unwrap();
        assert_eq!((runs.len(), runs[0].stem()), (1, "job"));
        runs[0].read(&|_| ())
    };
    let text = SummaryFile { summary: summary.clone(), ..SummaryFile::default() }.text();
    std::fs::write(&path, &text).unwrap();
    let job = read();
    assert_eq!((job.size, job.present, job.is_summary, &job.summary), (4, 2, true, &summary));
    // An incomplete file.
    std::fs::write(&path, text.replace("END", "")).unwrap();
    let problems = read().problems;
    assert_eq!(problems.len(), 1);
    assert!(problems[0].to_string().ends_with("is not one of a summary"), "{}", problems[0]);
    std::fs::write(directory.path().join("job.0.prof"), "# POINT TO POINT\n").unwrap();
    let job = read();
    assert_eq!((job.present, job.is_summary), (1, false));
}

#[test]
#[cfg_attr(miri, ignore = "calls of the file system that Miri does not know")]
fn summaries_of_a_run_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let text = SummaryFile::default().text();
    let names = ["job.summary", "job.w2.summary", "job.w.summary", "job2.summary", "job.prof"];
    for name in names {
        std::fs::write(at(name), &text).unwrap();
    }
    std::fs::write(at("job.w3.summary"), "of another program").unwrap();
    assert_eq!(summaries(&at("job")), [at("job.summary"), at("job.w2.summary")]);
}

#[test]
fn numbers_in_names_are_compared_as_numbers() {
    let mut names = ["b", "a10b2", "a10b", "a2", "a02", "a"];
    names.sort_by(|a, b| natural(a, b));
    assert_eq!(names, ["a", "a02", "a2", "a10b", "a10b2", "b"]);
}

/// Series are separated by their runs, like other files.
#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn series_belong_to_runs() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    write_file(&path("run.0.prof"), "B", "1");
    write_file(&path("run.w2.0.prof"), "B", "2");
    let write = |name: &str, run: &str, world: &str| {
        let line =
            format!("# MPIT SERIES\t1\t{run}\t{world}\t2 ranks\t2026-11-22T08:15:00.000Z\n# BEGIN\t5\n");
        std::fs::write(path(name), line + "0\t0\t9\twait\t1\t2\t0\t0\n# END\n").unwrap();
    };
    write("run.series", "B", "1");
    write("run.1.series", "A", "1");
    write("run.w2.0.series", "B", "2");
    // Files of other programs.
    std::fs::write(path("run.2.series"), "a,b\n").unwrap();
    let runs = find(&[path("run")], false).unwrap();
    let found: Vec<(&str, &str, Vec<Option<u32>>)> = runs
        .iter()
        .map(|run| (run.stem(), &*run.identity().unwrap().run, run.series.keys().copied().collect()))
        .collect();
    let mut sorted = found.clone();
    sorted.sort();
    assert_eq!(
        sorted,
        [("run", "A", vec![Some(1)]), ("run", "B", vec![None]), ("run.w2", "B", vec![Some(0)])]
    );
    let of_run = runs.iter().find(|run| run.stem() == "run.w2").unwrap();
    let job = of_run.read(&|_| ());
    assert!(job.problems.iter().all(|problem| problem.path.ends_with("run.w2.0.prof")));
    assert_eq!(job.series.iter().map(|row| (row.rank, row.start, row.end)).collect::<Vec<_>>(), [(0, 5, 14)]);
    let names: Vec<_> =
        series_files(&path("run")).iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["run.1.series", "run.series", "run.w2.0.series"]);
}
