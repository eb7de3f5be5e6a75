//! Recovery of the stores that processes leave which do not reach `MPI_Finalize`.

#![allow(unsafe_code, reason = "the test promises to leave its files alone")]

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use mpit_components::host::World;
use mpit_components::record::Messages;
use mpit_components::store::Store;

use super::cli::{LIBRARY, mpit};
use super::{mpit_in, run_command};

/// The file of a process of four that did not come to its end.
fn store(path: &Path, rank: u32) {
    let store = Store::new();
    // SAFETY: the file is this test's, which does not shorten it.
    unsafe { mpit::internal::os::mapping::allow() };
    store.attach_file(path, World::new(rank, 4)).unwrap();
    Messages::new(&store).record(1, 100, false);
}

/// Adds a run and a world to the file of a store, as a process does that a launcher started.
fn name_store(path: &Path, run: &str, world: &str) {
    const RUN_KIND: u64 = 9;
    add_text(path, RUN_KIND, 0, &format!("{run}\t{world}\t4 ranks\t2026-11-22T08:15:00.123Z"));
}

/// Adds a block with a text to the file of a store.
pub(super) fn add_text(path: &Path, kind: u64, key: u64, text: &str) {
    // The file has a header of eight words, and blocks: the kind and, in its upper half, the number of words that follow.
    const HEADER: usize = 8;
    let words = 2 + text.len().div_ceil(8) as u64;
    // The words that follow are a key, the number of bytes, and the text.
    let mut block: Vec<u8> =
        [kind | words << 32, key, text.len() as u64].into_iter().flat_map(u64::to_ne_bytes).collect();
    block.extend(text.as_bytes());
    let mut file = fs::read(path).unwrap();
    let mut at = 8 * HEADER;
    loop {
        let head = u64::from_ne_bytes(file[at..at + 8].try_into().unwrap());
        if head == 0 {
            break;
        }
        at += 8 * (1 + (head >> 32) as usize);
    }
    // The rest of the last word is zero, as all of the file behind the last block.
    file[at..at + block.len()].copy_from_slice(&block);
    fs::write(path, file).unwrap();
}

#[test]
fn stores_are_recovered_and_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    for rank in [0, 2, 3] {
        store(&path(&format!("kept.{rank}")), rank);
    }
    let (stem, kept) = (path("run").display().to_string(), path("kept").display().to_string());
    // Of an earlier run, it is not taken for one of this, and not lost.
    // A copy without a lock: a child of another test has a copy of the lock of `kept.3` until it executes its program.
    fs::copy(path("kept.3"), path("run.3.store")).unwrap();
    let yesterday = SystemTime::now() - Duration::from_secs(86_400);
    File::options().write(true).open(path("run.3.store")).unwrap().set_modified(yesterday).unwrap();
    let copy = format!("cp {kept}.2 {stem}.2.store; echo nonsense > {stem}.1.store");
    let printed = mpit(&["run", "-o", &stem, "--crash-safe", "--", "sh", "-c", &copy]).stderr;
    for line in [
        format!("mpit: {stem}.3.store is of an earlier run; `mpit report` reads it\n"),
        format!("mpit: {stem}.1.store: byte 0: the file has no header yet\n"),
        format!(
            "mpit: rank 2 ended without MPI_Finalize: recovered up to the last call, in {stem}.<rank>.prof\n"
        ),
        "mpit: ranks 0-1,3 left no records\n".into(),
    ] {
        assert!(printed.contains(&line), "no {line}in {printed}");
    }
    let written = fs::read_to_string(path("run.2.prof")).unwrap();
    assert!(written.contains("E\t2\t1\t100 bytes\t1 msgs sent\t"), "{written}");
    assert!(written.ends_with("\n# RECOVERED\n"), "{written}");
    assert!(!path("run.2.store").exists() && path("run.1.store").exists() && path("run.3.store").exists());

    // The report has what is left: with the earlier one, that of two processes.
    let report = mpit(&["report", &stem]);
    let note = format!("rank 3 left no other file: recovered, from {stem}.3.store\n");
    assert!(report.stderr.contains(&note), "{}", report.stderr);
    let note = "mpit: ranks 2-3 ended without MPI_Finalize: recovered up to the last call\n";
    assert!(report.stderr.contains(note), "{}", report.stderr);
    assert_eq!(report.status.code(), Some(1));
    fs::remove_file(path("run.1.store")).unwrap();
    let report = mpit(&["report", &stem]);
    assert!(report.stdout.contains("2 of 4 processes"), "{}", report.stdout);
    assert_eq!(report.status.code(), Some(0));

    // One file for all, since rank 0 did not write it.
    let copy = format!("cp {kept}.2 {stem}.2.store; cp {kept}.0 {stem}.0.store");
    let done = mpit(&["run", "-o", &stem, "--one-file", "--crash-safe", "--", "sh", "-c", &copy]);
    let written = fs::read_to_string(path("run.prof")).unwrap();
    assert!(
        written.ends_with("# MISSING\t1\tit left nothing\n# MISSING\t3\tit left nothing\n# END\n"),
        "{written}"
    );
    assert!(done.stderr.contains("ranks 0,2 ended without MPI_Finalize"), "{}", done.stderr);
    let report = mpit(&["report", &path("run.prof").display().to_string()]);
    let note = "mpit: ranks 0,2 ended without MPI_Finalize: recovered up to the last call\n";
    assert_eq!(report.stderr, note);
}

/// Tests a directory whose clock is years behind, as on a file server.
#[test]
fn stores_are_recovered_despite_clocks() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    store(&path("kept.0"), 0);
    store(&path("kept.1"), 1);
    let (stem, kept) = (path("run").display().to_string(), path("kept").display().to_string());
    // A store of an earlier run, which looks newer.
    fs::copy(path("kept.1"), path("run.1.store")).unwrap();
    let tomorrow = SystemTime::now() + Duration::from_secs(86_400);
    File::options().write(true).open(path("run.1.store")).unwrap().set_modified(tomorrow).unwrap();
    let copy = format!("cp {kept}.0 {stem}.0.store; touch -t 202001010000 {stem}.0.store");
    let printed = mpit(&["run", "-o", &stem, "--crash-safe", "--", "sh", "-c", &copy]).stderr;
    assert!(printed.contains("mpit: rank 0 ended without MPI_Finalize: recovered"), "{printed}");
    assert!(path("run.0.prof").exists() && !path("run.0.store").exists(), "{printed}");
    assert!(printed.contains("run.1.store is of an earlier run"), "{printed}");
    assert!(path("run.1.store").exists() && !path("run.1.prof").exists(), "{printed}");
}

/// Tests that names count more than times: a store that was there before is recovered if it names this run or its world, and a new one
/// is not if it names another run.
#[test]
fn stores_are_recovered_by_their_names() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let stem = path("run").display().to_string();
    let (run, world) = ("r-1", "PMI_JOBID 7");
    for (rank, name, its_run, its_world) in [
        // A process whose launcher keeps the name of the run from it.
        (0, "run.0.store", "-", world),
        (1, "other", "r-2", world),
        (2, "run.2.store", "-", "PMI_JOBID 6"),
        (3, "run.3.store", run, world),
    ] {
        store(&path(name), rank);
        name_store(&path(name), its_run, its_world);
    }
    let copy = format!("cp {} {stem}.1.store", path("other").display());
    let mut mpit = mpit_in(directory.path(), &Path::new(env!("CARGO_MANIFEST_DIR")).join(LIBRARY));
    // Behind a launcher, processes of the job may have started before this command.
    mpit.envs([("MPIT_RUN", run), ("PMI_RANK", "0"), ("PMI_JOBID", "7")]);
    let printed =
        run_command(mpit.args(["run", "-o", &stem, "--crash-safe", "--", "sh", "-c", &copy])).stderr;
    assert!(printed.contains("mpit: ranks 0,3 ended without MPI_Finalize: recovered"), "{printed}");
    for rank in 0..4 {
        let is_own = [0, 3].contains(&rank);
        assert_eq!(path(&format!("run.{rank}.prof")).exists(), is_own, "{rank}: {printed}");
        assert_eq!(path(&format!("run.{rank}.store")).exists(), !is_own, "{rank}: {printed}");
        let earlier = format!("run.{rank}.store is of an earlier run");
        assert_eq!(printed.contains(&earlier), !is_own, "{rank}: {printed}");
    }
}

/// Tests a store that ends with a whole block, as a copy on a full disk may do.
#[test]
fn a_store_that_was_cut_off_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    store(&path("kept.2"), 2);
    let (stem, kept) = (path("run").display().to_string(), path("kept.2").display().to_string());
    let whole = fs::read(&kept).unwrap();
    let cut =
        format!("{stem}.2.store: the file was cut off: its last {} bytes are missing", whole.len() - 64);
    let report = |bytes: &[u8]| {
        fs::write(path("run.2.store"), bytes).unwrap();
        let report = mpit(&["report", &stem]);
        (report.status.code(), report.stderr.contains(&cut))
    };
    assert_eq!(report(&whole), (Some(0), false));
    assert_eq!(report(&whole[..64]), (Some(1), true));
    fs::remove_file(path("run.2.store")).unwrap();
    let copy = format!("head -c 64 {kept} > {stem}.2.store");
    let printed = mpit(&["run", "-o", &stem, "--crash-safe", "--", "sh", "-c", &copy]).stderr;
    assert!(printed.contains(&cut) && path("run.2.store").exists(), "{printed}");
    assert!(!path("run.2.prof").exists());
}
