//! A report of tables is that of the texts.

use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use mpit_format::Identity;
use mpit_format::calls::CALLS;
use mpit_format::summary::Area;
use mpit_tests::patterns;
use mpit_tests::simulated::SimulatedJob;

use super::{NodePacked, Packed, PackedFile, finish, pack_all, pack_node, write};
use crate::data::Report;
use crate::input::{self, NodeProcesses, Run};
use crate::records::{Checksum, JobTables, PartFile, part_file};
use crate::series::{SeriesFile, SeriesRow};

const RUN: &str = "r-1\tw\t3 ranks\t2026-11-22T08:15:00.123Z";

/// Returns the text of a process with lines of all kinds.
fn text(rank: u32) -> String {
    let (peer, call) = ((rank + 1) % 3, CALLS[0].name);
    let mut bins = [0; 66];
    (bins[0], bins[11], bins[64]) = (1, 2, 4);
    let histogram = bins.map(|bin: u64| bin.to_string()).join(",");
    let recovered = if rank == 2 { "# RECOVERED\n" } else { "" };
    let about = if rank == 0 { "# ABOUT\tprogram\t./app -n 4\n# ABOUT\tmpit\t0.1.0\n" } else { "" };
    format!(
        "# MPIT RUN\t{RUN}\tn{rank}\n# POINT TO POINT\nE\t{rank}\t{peer}\t70 bytes\t7 msgs sent\t{histogram}\n\
         I\t{rank}\t{peer}\t8 bytes\t1 msgs sent\nI\t{rank}\t{rank}\t8 bytes\t7 msgs sent\t{histogram}\n# OSC\n\
         S\t{rank}\t{peer}\t18446744073709551615 bytes\t1 msgs sent\nR\t{rank}\t{peer}\t3 bytes\t1 msgs sent\n# COLLECTIVES\n\
         C\t{rank}\t0-2\t64 bytes\t8 msgs sent\nD\tMPI_COMM_WORLD\tprocs: 0,1,2\nO2A\t{rank}\t1 bytes\t2 msgs sent\n\
         A2O\t{rank}\t3 bytes\t4 msgs sent\nA2A\t{rank}\t5 bytes\t18446744073709551615 msgs sent\nD\tMPI_COMM_SELF\tprocs: {rank}\n\
         O2A\t{rank}\t0 bytes\t0 msgs sent\nA2O\t{rank}\t0 bytes\t0 msgs sent\nA2A\t{rank}\t1 bytes\t1 msgs sent\n\
         # TIME\t{rank}\tall\t1000000 ns\ttsc\t7 ns\t{}\n\
         # CALL\t{rank}\tMPI_{call}\tMPI_COMM_WORLD\t1\t1\t9 calls\t3 timed\t900 ns\t1 ns\t800 ns\t64 bytes\t1:1,10:2\n\
         # CALL\t{rank}\tMPI_{call}\t-\t0\t4294967295\t1 calls\t0 timed\t0 ns\t0 ns\t0 ns\t0 bytes\t\n\
         # LATE\t{rank}\t77\tMPI_COMM_WORLD\t{} ns\t1:Barrier:0:50,5:Allreduce:100:9\n\
         # SITE\t{rank}\t1\t{}\tabcd\t/usr/bin/app\n# REGION\t{rank}\t1\t{rank} mismatches\tsolver\n\
         # VISITS\t{rank}\t1\t{} visits\t5000 ns\n# COMPONENT\tpml.extra\ta line of {rank}\n{about}{recovered}",
        1 + rank / 2,
        1000 + rank,
        64 * u64::from(rank % 2),
        2 + rank,
    )
}

/// Writes the series of a process, with a row for each of some areas.
fn write_series(directory: &Path, name: &str, ranks: &[u32]) {
    let rows = ranks.iter().flat_map(|rank| {
        let row = |(at, area)| SeriesRow {
            rank: *rank,
            start: 1_000 + u64::from(*rank),
            end: u64::MAX - at,
            area,
            calls: at,
            ns: u64::MAX,
            messages: 3,
            bytes: 1 << 63,
        };
        (0..).zip([Area::PointToPoint, Area::Io]).map(row)
    });
    let identity = Identity::parse(&format!("{RUN}\tn{}", ranks[0]));
    let file = SeriesFile { identity, rows: rows.collect() };
    file.write(fs::File::create(directory.join(name)).unwrap()).unwrap();
}

fn write_files(directory: &Path, texts: impl IntoIterator<Item = (u32, String)>) {
    for (rank, text) in texts {
        fs::write(directory.join(format!("run.{rank}.prof")), text).unwrap();
    }
}

fn the_run(path: &Path) -> Run {
    let mut runs = input::find(&[path.to_owned()], false).unwrap();
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0)
}

/// Returns the JSON of a report, and the lines for the user.
fn report(run: &Run) -> (String, Vec<String>) {
    let job = run.read(&|_| ());
    let lines = job.notes.iter().cloned().chain(job.problems.iter().map(ToString::to_string)).collect();
    (serde_json::to_string(&Report::of(&job, "run")).unwrap(), lines)
}

/// Packs the files of one node.
fn packed(from: &Path, tables: &JobTables, node: &str) -> Packed {
    let (unfinished, packed) = write(&the_run(&from.join("run")), tables, None, &|_, _| true).unwrap();
    tables.end_part(unfinished, node, packed.processes).unwrap();
    packed
}

/// Returns the processes that a launcher started on the node of the first rank.
fn of_node(ranks: &[u32]) -> NodeProcesses {
    let since = ranks.iter().map(|rank| (*rank, "2026-11-22T08:15:00.123Z".into())).collect();
    NodeProcesses { world: "w".into(), host: format!("n{}", ranks[0]), since, step_nodes: None }
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn reports_are_equal() {
    let [texts, node1, node2] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    write_files(texts.path(), (0..3).map(|rank| (rank, text(rank))));
    let (expected, lines) = report(&the_run(&texts.path().join("run")));
    // Nodes pack their processes apart.
    write_files(node1.path(), [(0, text(0)), (2, text(2))]);
    write_files(node2.path(), [(1, text(1))]);
    let run = the_run(&node1.path().join("run"));
    let tables = JobTables::create(&texts.path().join("run.tables"), run.identity()).unwrap();
    let one = packed(node1.path(), &tables, "n1");
    assert_eq!((one.processes, one.problems.len()), (2, 0));
    assert!(!tables.finish_if_whole(3).unwrap() && !tables.is_finished());
    packed(node2.path(), &tables, "n1");
    assert!(tables.finish_if_whole(3).unwrap() && tables.is_finished());
    let run = the_run(tables.directory());
    assert_eq!(report(&run), (expected, lines));
    assert!(run.has_tables() && !run.has_texts() && run.bytes() > 0);
    // Texts beside tables are known already.
    let (both, notes) = report(&the_run(&texts.path().join("run")));
    assert_eq!(both, report(&run).0);
    assert!(notes.iter().any(|note| note.starts_with("3 files of processes are left out")), "{notes:?}");
}

#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn files_of_whole_jobs_are_packed() {
    let directory = tempfile::tempdir().unwrap();
    let job = SimulatedJob {
        name: "run".into(),
        program: "app".into(),
        ranks: 300,
        ranks_of_node: 16,
        first_node: 3,
        seconds: 2.0,
        waiting: 0.25,
        has_collectives: true,
        slow_node: Some(5),
    };
    let matrix = patterns::stencil([10, 6, 5], 1, [8, 64, 512], true);
    let file = fs::File::create(directory.path().join("run.prof")).unwrap();
    job.write(file, &matrix).unwrap();
    let (expected, _) = report(&the_run(&directory.path().join("run")));
    let tables = directory.path().join("packed.tables");
    let run = the_run(&directory.path().join("run"));
    assert_eq!(pack_all(&run, &tables).unwrap().processes, 300);
    assert_eq!(report(&the_run(&tables)).0, expected);
    // Tables are not replaced, and are no files to pack.
    assert!(pack_all(&run, &tables).is_err());
    assert_eq!(report(&the_run(&tables)).0, expected);
}

/// Lines that are not understood are reported.
#[test]
#[cfg_attr(miri, ignore = "calls of the file system that Miri does not know")]
fn damaged_texts_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    write_files(directory.path(), [(0, text(0)), (1, text(1).replace("A2O", "A2B"))]);
    let done =
        pack_all(&the_run(&directory.path().join("run")), &directory.path().join("run.tables")).unwrap();
    assert!(done.problems[0].path.ends_with("run.1.prof"), "{:?}", done.problems);
    assert_eq!(done.processes, 2);
    assert_eq!(done.files, []);
}

/// Only files that are as they were when they were read may be removed.
#[test]
#[cfg_attr(miri, ignore = "calls of the file system that Miri does not know")]
fn changed_files_are_not_removed() {
    let directory = tempfile::tempdir().unwrap();
    write_files(directory.path(), (0..3).map(|rank| (rank, text(rank))));
    let run = the_run(&directory.path().join("run"));
    let packed = pack_all(&run, &directory.path().join("run.tables")).unwrap();
    let paths = [0, 1, 2].map(|rank| directory.path().join(format!("run.{rank}.prof")));
    assert!(packed.files.iter().map(PackedFile::path).eq(&paths));
    fs::write(directory.path().join("new"), text(1)).unwrap();
    fs::rename(directory.path().join("new"), &paths[1]).unwrap();
    fs::remove_file(&paths[2]).unwrap();
    let removed: Vec<_> = packed.files.iter().map(|file| file.remove().unwrap()).collect();
    assert_eq!(removed, [true, false, false]);
    assert!(!paths[0].exists() && paths[1].exists());
}

#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn nodes_pack_their_processes() {
    let directory = tempfile::tempdir().unwrap();
    write_files(directory.path(), (0..3).map(|rank| (rank, text(rank))));
    let stem = directory.path().join("run");
    let (expected, _) = report(&the_run(&stem));
    let pack = |ranks: &[u32]| pack_node(&stem, &of_node(ranks)).unwrap();
    for (rank, is_last) in [(2, false), (0, false), (1, true)] {
        let NodePacked { parts, taken, finished, left, others, missing } = pack(&[rank, 9]);
        assert_eq!((parts.len(), taken.len() + finished.len()), (1, 0));
        assert_eq!((left.len() + others.len(), missing), (0, vec![9]));
        assert_eq!((parts[0].is_last, parts[0].packed.processes), (is_last, 1));
        if rank == 0 {
            // A job of the same name.
            assert_eq!(pack(&[0]).taken, [stem.with_file_name("run.tables")]);
        }
        assert!(parts[0].packed.files[0].remove().unwrap());
        // What is not packed yet is read from files.
        assert_eq!(report(&the_run(&stem)).0, expected);
    }
    // Finished tables get no further parts.
    write_files(directory.path(), [(1, text(1))]);
    assert_eq!(pack(&[1]).taken.len(), 1);
    // Nor do those of another job.
    write_files(directory.path(), [(0, text(0).replace("r-1\tw", "r-2\tw"))]);
    fs::remove_file(directory.path().join("run.tables/manifest.json")).unwrap();
    assert_eq!(pack(&[0]).taken.len(), 1);
}

/// One node has written its part, one has left files only, and nothing is there of the third one.
#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn tables_without_lost_nodes_are_finished() {
    let directory = tempfile::tempdir().unwrap();
    let stem = directory.path().join("run");
    let nodes = "# ABOUT\tslurm_step\t0\n# ABOUT\tslurm_nodes\tn[0-3]\n";
    write_files(directory.path(), [(0, text(0) + nodes), (1, text(1))]);
    let (expected, _) = report(&the_run(&stem));
    let part = pack_node(&stem, &of_node(&[0])).unwrap().parts.remove(0);
    assert!(!part.is_last && part.packed.files[0].remove().unwrap());
    let run = the_run(&stem);
    assert_eq!(run.read(&|_| ()).missing_nodes, ["n2", "n3"]);
    assert!(report(&run).1.iter().any(|note| note.contains("run.tables is not finished")));
    let packed = finish(&run).unwrap();
    assert_eq!((packed.processes, packed.missing), (1, vec![(2, 2)]));
    assert_eq!(packed.missing_nodes, ["n2", "n3"]);
    let manifest = || fs::read_to_string(directory.path().join("run.tables/manifest.json")).unwrap();
    assert!(manifest().contains("missing_nodes") && manifest().contains("\"n3\""), "{}", manifest());
    assert_eq!(report(&the_run(&directory.path().join("run.tables"))).0, expected);
    assert_eq!(finish(&the_run(&stem)).unwrap_err().kind(), ErrorKind::AlreadyExists);
    // A file that is found later.
    write_files(directory.path(), [(2, text(2))]);
    let packed = finish(&the_run(&stem)).unwrap();
    assert_eq!((packed.processes, packed.missing.len(), packed.missing_nodes.len()), (1, 0, 0));
    assert!(!manifest().contains("missing_nodes"), "{}", manifest());
    // Nodes that end after that keep their files: `mpit pack` has added those of rank 1.
    let node = pack_node(&stem, &of_node(&[1])).unwrap();
    assert_eq!((node.parts.len(), node.taken.len()), (0, 0));
    assert_eq!(node.finished, [stem.with_file_name("run.tables")]);
    // A later job whose launcher uses the name of the world again has the ranks of a node's part.
    write_files(directory.path(), [(0, text(0))]);
    assert_eq!(pack_node(&stem, &of_node(&[0])).unwrap().taken.len(), 1);
    assert_eq!(finish(&the_run(&stem)).unwrap_err().kind(), ErrorKind::AlreadyExists);
}

/// The node of rank 0 is lost, whose file names the nodes: the parts of the others name them as well.
#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn parts_name_the_node_of_rank_0() {
    let directory = tempfile::tempdir().unwrap();
    let stem = directory.path().join("run");
    write_files(directory.path(), [(1, text(1)), (2, text(2))]);
    for rank in [1, 2] {
        let processes = NodeProcesses { step_nodes: Some("n[0-2]".into()), ..of_node(&[rank]) };
        let part = pack_node(&stem, &processes).unwrap().parts.remove(0);
        assert!(!part.is_last && part.packed.files[0].remove().unwrap());
    }
    let run = the_run(&stem);
    assert_eq!(run.read(&|_| ()).missing_nodes, ["n0"]);
    let packed = finish(&run).unwrap();
    assert_eq!((packed.missing, packed.missing_nodes), (vec![(0, 0)], vec!["n0".to_owned()]));
    assert_eq!(the_run(&stem).read(&|_| ()).missing_nodes, ["n0"]);
}

/// Stores may be of processes that still run.
#[test]
#[cfg_attr(miri, ignore = "calls of the file system that Miri does not know")]
fn stores_stay_beside_finished_tables() {
    let directory = tempfile::tempdir().unwrap();
    let stem = directory.path().join("run");
    write_files(directory.path(), [(0, text(0)), (1, text(1))]);
    let part = pack_node(&stem, &of_node(&[0])).unwrap().parts.remove(0);
    assert!(part.packed.files[0].remove().unwrap());
    // It names no run, as a damaged one.
    fs::write(directory.path().join("run.1.store"), "").unwrap();
    let packed = finish(&the_run(&stem)).unwrap();
    assert_eq!((packed.processes, packed.missing, packed.notes.len()), (0, vec![(1, 2)], 1));
    assert!(directory.path().join("run.1.store").exists());
}

/// A file of a whole job has the processes that tables lack.
#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn other_files_are_read_beside_tables() {
    let directory = tempfile::tempdir().unwrap();
    write_files(directory.path(), (0..3).map(|rank| (rank, text(rank))));
    let stem = directory.path().join("run");
    let (expected, _) = report(&the_run(&stem));
    let part = tempfile::tempdir().unwrap();
    write_files(part.path(), [(1, text(1))]);
    let run = the_run(&part.path().join("run"));
    let tables = JobTables::create(&directory.path().join("run.tables"), run.identity()).unwrap();
    packed(part.path(), &tables, "n1");
    let mut whole = format!("# MPIT JOB\t1\t3 ranks\t{RUN}\n");
    for rank in [0, 1, 2] {
        let text = text(rank);
        writeln!(whole, "# RANK\t{rank}\t{} bytes\tn{rank}", text.len()).unwrap();
        whole += &text;
        fs::remove_file(directory.path().join(format!("run.{rank}.prof"))).unwrap();
    }
    fs::write(directory.path().join("run.prof"), whole + "# END\n").unwrap();
    assert_eq!(report(&the_run(&stem)).0, expected);
}

/// No damage of tables ends the program, and each is reported.
#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn damaged_tables_are_problems() {
    let directory = tempfile::tempdir().unwrap();
    write_files(directory.path(), (0..3).map(|rank| (rank, text(rank))));
    let tables = directory.path().join("run.tables");
    pack_all(&the_run(&directory.path().join("run")), &tables).unwrap();
    let run = the_run(&tables);
    let (expected, lines) = report(&run);
    let part = tables.join("all.3");
    for path in files(&part).into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "parquet"))
    {
        let whole = fs::read(&path).unwrap();
        let damaged = |at: usize| {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            damaged
        };
        let cut = [0, 1, whole.len() / 2, whole.len() - 1].map(|cut| whole[..cut].to_vec());
        let changed = (0..whole.len()).step_by(97).map(damaged);
        for content in cut.into_iter().chain(changed) {
            fs::write(&path, &content).unwrap();
            let found = report(&run).1;
            let expected = format!("{}: cannot read: it was changed after it was written", path.display());
            let is_named = found.contains(&expected);
            assert!(is_named, "{}: {found:?}", path.display());
        }
        // Malformed by a writer that sums them up correctly: reading returns.
        let about = part.join(PartFile::NAME);
        let of_whole = fs::read(&about).unwrap();
        for at in (0..whole.len()).step_by(31) {
            fs::write(&path, damaged(at)).unwrap();
            let mut file = part_file(&part).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            file.tables.insert(name.to_owned(), Checksum::of(&mut &*damaged(at)).unwrap());
            fs::write(&about, serde_json::to_vec(&file).unwrap()).unwrap();
            let _ = report(&run);
        }
        fs::write(&about, of_whole).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(report(&run).1.iter().any(|line| line.contains("cannot read")));
        fs::write(&path, &whole).unwrap();
    }
    assert_eq!(report(&run), (expected, lines));
}

/// A report of the tables has the series of the files, of one process or of several.
#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn series_are_packed() {
    for names in
        [vec![("run.series", vec![0, 1, 2])], vec![("run.0.series", vec![0]), ("run.2.series", vec![2])]]
    {
        let directory = tempfile::tempdir().unwrap();
        write_files(directory.path(), (0..3).map(|rank| (rank, text(rank))));
        for (name, ranks) in &names {
            write_series(directory.path(), name, ranks);
        }
        let run = the_run(&directory.path().join("run"));
        let (expected, lines) = report(&run);
        assert!(
            expected.contains("\"area\":\"io\"") && expected.contains("9223372036854775808"),
            "{expected}"
        );
        let tables = directory.path().join("packed.tables");
        let packed = pack_all(&run, &tables).unwrap();
        assert!(tables.join("all.3/series.parquet").exists());
        assert_eq!((packed.files.len(), packed.problems.len()), (3 + names.len(), 0));
        assert_eq!(report(&the_run(&tables)), (expected.clone(), lines));
        // Files beside the tables have the same rows, which do not count twice.
        fs::rename(&tables, directory.path().join("run.tables")).unwrap();
        assert_eq!(report(&the_run(&directory.path().join("run"))).0, expected);
        // A table that was changed is not used.
        fs::write(directory.path().join("run.tables/all.3/series.parquet"), "PAR1").unwrap();
        let (_, lines) = report(&the_run(&directory.path().join("run.tables")));
        assert!(lines.iter().any(|line| line.contains("series.parquet: cannot read")), "{lines:?}");
    }
}

/// With `mpit run --series` in front of the launcher and behind it, no rank counts twice.
#[test]
#[cfg_attr(miri, ignore = "threads of rayon wait in loops, which takes Miri too long")]
fn series_of_several_files_count_once() {
    let directory = tempfile::tempdir().unwrap();
    write_files(directory.path(), (0..3).map(|rank| (rank, text(rank))));
    write_series(directory.path(), "run.series", &[0, 1]);
    let of_two = report(&the_run(&directory.path().join("run"))).0;
    write_series(directory.path(), "run.0.series", &[0]);
    write_series(directory.path(), "run.1.series", &[1]);
    let run = the_run(&directory.path().join("run"));
    assert_eq!(report(&run).0, of_two);
    write_series(directory.path(), "run.2.series", &[2]);
    let run = the_run(&directory.path().join("run"));
    let of_three = report(&run).0;
    assert_ne!(of_three, of_two);
    let packed = pack_all(&run, &directory.path().join("packed.tables")).unwrap();
    assert_eq!((packed.files.len(), packed.problems.len()), (7, 0));
    assert_eq!(report(&the_run(&directory.path().join("packed.tables"))).0, of_three);
}

/// Rows that are not understood stay in the file.
#[test]
#[cfg_attr(miri, ignore = "calls of the file system that Miri does not know")]
fn damaged_series_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    write_files(directory.path(), [(0, text(0))]);
    write_series(directory.path(), "run.series", &[0]);
    let path = directory.path().join("run.series");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("io", "oi")).unwrap();
    let run = the_run(&directory.path().join("run"));
    let (_, lines) = report(&run);
    assert!(lines.iter().any(|line| line.contains("run.series:4: expected rank, start")), "{lines:?}");
    let packed = pack_all(&run, &directory.path().join("run.tables")).unwrap();
    assert_eq!((packed.files, packed.problems.len()), (vec![], 1));
}

/// Behind the launcher, each node packs the series of its processes.
#[test]
#[cfg_attr(miri, ignore = "calls of the file system that Miri does not know")]
fn nodes_pack_their_series() {
    let directory = tempfile::tempdir().unwrap();
    write_files(directory.path(), [(0, text(0)), (1, text(1))]);
    write_series(directory.path(), "run.0.series", &[0]);
    write_series(directory.path(), "run.1.series", &[1]);
    let (expected, _) = report(&the_run(&directory.path().join("run")));
    let stem = directory.path().join("run");
    for node in [[0], [1]] {
        let packed = pack_node(&stem, &of_node(&node)).unwrap();
        assert_eq!(packed.parts[0].packed.files.len(), 2);
        for file in &packed.parts[0].packed.files {
            assert!(file.remove().unwrap());
        }
    }
    assert_eq!(report(&the_run(&stem)).0, expected);
    assert_eq!(files(directory.path()).len(), 1);
}
