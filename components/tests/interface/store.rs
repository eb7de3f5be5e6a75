//! Reading of a store's file.

#![allow(clippy::disallowed_methods, reason = "a test reads what its parent process set")]
#![allow(unsafe_code, reason = "the test promises to leave its files alone")]

use std::fs;
use std::process::Command;
use std::sync::atomic::AtomicU64;

use mpit_components::host::World;
use mpit_components::record::{Messages, MessagesSnapshot};
use mpit_components::store::{Store, StoreFile, Unreadable, read};
use mpit_format::names;
use mpit_format::store::blocks::{HEADER, write_header};
use proptest::prelude::*;

const WORLD: World = World::new(3, 8);

/// Receiver, bytes, and whether it is the library's own message.
fn messages() -> impl Strategy<Value = Vec<(u32, u64, bool)>> {
    let to = prop_oneof![0..8_u32, 0..1_u32 << 31, Just(mpit::object::OUTSIDE)];
    let bytes = prop_oneof![0..100_u64, (0..64_u32).prop_map(|k| 1 << k), any::<u64>()];
    prop::collection::vec((to, bytes, any::<bool>()), 0..300)
}

/// Stores these messages, calls `look`, and returns the bytes of the file.
fn file(sent: &[(u32, u64, bool)], look: impl FnOnce(&StoreFile, &Messages<'_>)) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::new();
    let path = directory.path().join("run.3.store");
    // SAFETY: the file is this test's, which does not shorten it.
    unsafe { mpit::internal::os::mapping::allow() };
    store.attach_file(&path, WORLD).unwrap();
    let record = Messages::new(&store);
    for (to, bytes, internal) in sent {
        record.record(*to, *bytes, *internal);
    }
    look(&StoreFile::at(&path).unwrap(), &record);
    let bytes = fs::read(&path).unwrap();
    store.remove_file();
    assert!(!path.exists());
    bytes
}

/// The header of a store without blocks.
pub(crate) fn header(rank: u32, size: u32) -> [u64; HEADER] {
    let words = [const { AtomicU64::new(0) }; HEADER];
    write_header(&words, rank, size);
    words.map(AtomicU64::into_inner)
}

fn some() -> Vec<u8> {
    let sent: Vec<_> = (0..64).map(|n| (n % 5, 1_u64 << n, n % 3 == 0)).collect();
    file(&sent, |_, _| ())
}

proptest! {
    #[test]
    fn recovered_equals_recorded(sent in messages()) {
        file(&sent, |file, record| {
            let recovered = file.read(None).unwrap();
            assert_eq!((recovered.rank, recovered.size), (WORLD.rank, WORLD.size));
            assert_eq!(recovered.process, std::process::id());
            assert!(!recovered.ended && !recovered.truncated && file.is_in_use());
            assert_eq!(recovered.profile.messages, record.snapshot().since(&MessagesSnapshot::default()));
            assert_eq!(recovered.missing_bytes, 0);
        });
    }

    #[test]
    fn cut_files_are_recognized(sent in messages(), end in any::<prop::sample::Index>()) {
        let bytes = file(&sent, |_, _| ());
        check_cut(&bytes, end.index(bytes.len()));
    }
}

/// A store of more than a piece, with internal fragmentation at the end of each.
#[test]
fn large_stores_are_read_whole() {
    let sent: Vec<_> = (0..20_000).map(|n| (n, u64::from(n), n % 2 == 0)).collect();
    let bytes = file(&sent, |file, record| {
        let messages = file.read(None).unwrap().profile.messages;
        assert_eq!(messages.len(), 20_000);
        assert_eq!(messages, record.snapshot().since(&MessagesSnapshot::default()));
    });
    assert!(bytes.len() > 20_000 * 19 * 8);
    // The second is at the end of a piece, and so of a block.
    for end in [bytes.len() / 2 + 3, 64 * 1024, bytes.len() - 1] {
        let cut = read(&bytes[..end], None).unwrap();
        assert_eq!(cut.missing_bytes, (bytes.len() - end) as u64);
        assert!(!cut.profile.messages.is_empty() && cut.profile.messages.len() <= 20_000);
    }
}

/// Checks that the beginning of a store is refused or reported as cut, and has no other rows than the whole.
fn check_cut(bytes: &[u8], end: usize) {
    let whole = read(bytes, None).unwrap();
    assert_eq!(whole.missing_bytes, 0);
    match read(&bytes[..end], None) {
        Err(why) => assert!(end < 8 * 8, "{end}: {why}"),
        Ok(cut) => {
            assert_eq!(cut.missing_bytes, (bytes.len() - end) as u64);
            // A word that is cut is not read.
            let used = (bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0) + 1).next_multiple_of(8);
            assert!(cut.profile.messages.len() <= whole.profile.messages.len());
            assert!(end < used || cut.text() == whole.text(), "{end}");
        }
    }
}

/// Tests all ends of whole words, and so of all blocks.
#[test]
fn no_cut_is_unnoticed() {
    let bytes = some();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    (0..used + 64).step_by(8).for_each(|end| check_cut(&bytes, end));
}

/// The environment variable of the process that may not have a large file.
const LIMITED: &str = "STORE_TEST_LIMITED";

/// A limit on the size of files stands for a full disk.
#[test]
fn a_full_store_continues_in_memory() {
    if std::env::var_os(LIMITED).is_none() {
        let limited = "trap '' XFSZ; ulimit -f 128; exec \"$0\" \"$@\"";
        let test = "store::a_full_store_continues_in_memory";
        let done = Command::new("bash")
            .args(["-c", limited])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(LIMITED, "1")
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{stderr}");
        assert_eq!(stderr.matches("mpit: monitoring_store: ").count(), 1, "{stderr}");
        assert!(stderr.contains("run.3.store: File too large"), "{stderr}");
        return;
    }
    let sent: Vec<_> = (0..2000).map(|to| (to, 8, false)).collect();
    file(&sent, |file, record| {
        let all = record.snapshot().since(&MessagesSnapshot::default());
        assert_eq!(all.len(), 2000);
        let recovered = file.read(None).unwrap();
        let kept = recovered.profile.messages;
        assert!(recovered.truncated && kept.len() > 400 && kept == all[..kept.len()], "{}", kept.len());
    });
}

/// One file has a sum for all processes of a world of 2^26, the other one a communicator of them.
#[test]
fn a_small_file_does_not_take_all_memory() {
    let words = |kind: u64, words: &[u64]| [&[kind | (words.len() as u64) << 32], words].concat();
    let metadata = header(0, 1 << 26);
    // Shared sum: key, count, bytes, first, step, how many, except.
    let shared_sum = words(5, &[0, 1, 1, 0, 1, 1 << 26, 0]);
    // Members: their list's number; a flag for the world, and the number of processes.
    let world = words(8, &[1, 1 << 32 | 1 << 26]);
    for (block, wrong) in [(shared_sum, Some("more than 4194304 processes")), (world, None)] {
        let file: Vec<u8> = metadata.iter().chain(&block).flat_map(|word| word.to_ne_bytes()).collect();
        let mut found = None;
        let info = allocation_counter::measure(|| {
            found = Some(read(&file, None).map(|recovered| recovered.text().len()));
        });
        match (found, wrong) {
            (Some(Err(why)), Some(wrong)) => assert!(why.to_string().contains(wrong), "{why}"),
            (found, wrong) => assert!(found.is_some_and(|found| found.is_ok()) && wrong.is_none()),
        }
        assert!(info.bytes_max < 1 << 20, "{} bytes", info.bytes_max);
    }
}

/// Two threads that call at once have blocks of their own, with unused words around them.
#[test]
fn sums_of_threads_add_up() {
    let words = |kind: u64, words: &[u64]| [&[kind | (words.len() as u64) << 32], words].concat();
    let file = [
        header(3, 8).to_vec(),
        // A list of members, the world, and a kind of communicator without numbers behind its name.
        words(8, &[1, 1 << 32 | 8]),
        words(7, &[1, 1, 0, 1, u64::from_le_bytes(*b"w\0\0\0\0\0\0\0")]),
        words(1, &[0; 7]),
        // By slot, pattern, and then the communicator: all threads, one thread, a slot that is not used, another communicator.
        words(6, &[0, 1, 10, 2, 20, 3, 30, 1, 0, 0, 1, 5]),
        words(1, &[0; 7]),
        words(6, &[0, 4, 40, 5, 50, 6, 60, 1, 0, 0, 1, 5]),
        words(6, &[1, 9, 9, 9, 9, 9, 9, 0, 0, 0, 1, 5]),
        words(6, &[2, 7, 7, 7, 7, 7, 7, 1, 0, 0, 1, 6]),
        // Sums exchanged with ranks 0 to 7 but 3.
        words(5, &[0, 1, 10, 0, 1, 8, 4]),
        words(1, &[0; 7]),
        words(5, &[0, 2, 20, 0, 1, 8, 4]),
    ];
    let bytes: Vec<u8> = file.concat().into_iter().flat_map(u64::to_ne_bytes).collect();
    let profile = read(&bytes, None).unwrap().profile;
    let comms = profile
        .comms
        .iter()
        .map(|comm| [comm.one_to_all, comm.all_to_one, comm.all_to_all].map(|sum| (sum.count, sum.bytes)));
    assert!(comms.eq([[(5, 50), (7, 70), (9, 90)], [(7, 7); 3]]), "{:?}", profile.comms);
    assert_eq!(profile.sums.len(), 7);
    assert!(profile.sums.iter().all(|row| (row.sum.count, row.sum.bytes) == (3, 30)), "{:?}", profile.sums);
}

/// Each changed word of the file has its message.
#[test]
fn damage_is_named() {
    let whole = some();
    assert!(read(&whole, None).is_ok());
    for (word, value, message) in [
        (
            0,
            7,
            "byte 0: the file is not a store of monitoring, or was written by a machine of another byte order",
        ),
        (0, 0, "byte 0: the file has no header yet"),
        (1, 10, "byte 8: version 10; this program reads version 9"),
        (2, 8 << 32 | 8, "byte 16: rank 8 of 8"),
        (6, 7, "byte 48: a file of 7 words"),
        (8, 99, "byte 64: a block of the unknown kind 99"),
        (8, 2 | 1 << 50, "byte 64: a block of 262144 words, and 8183 are there"),
        (8, 2 | 3 << 32, "byte 96: expected more words"),
        (8, 2 | 20 << 32, "byte 216: a block that is too long"),
        (9, 5 << 32, "byte 72: group 5 of message sizes"),
        (9, 1 << 31, "byte 72: a rank of 2147483648"),
        (10, u64::MAX, "byte 72: 2^64 messages or more"),
    ] {
        let mut bytes = whole.clone();
        bytes[word * 8..][..8].copy_from_slice(&u64::to_ne_bytes(value));
        assert_eq!(read(&bytes, None).unwrap_err().to_string(), message);
    }
    assert_eq!(read(&[], None).unwrap_err().to_string(), "byte 0: the file is empty");
    let longer = [&whole[..], &[0; 3]].concat();
    assert_eq!(read(&longer, None).unwrap_err().to_string(), "byte 65536: half a word");
}

#[test]
fn a_file_of_another_rank_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    for (name, rank) in
        [("run.4.store", Some(4)), ("run.x.store", None), ("run.3.prof", None), ("runs.3.store", Some(3))]
    {
        fs::write(directory.path().join(name), some()).unwrap();
        assert_eq!(StoreFile::at(&directory.path().join(name)).map(|file| file.rank), rank);
    }
    let files = names::find(&directory.path().join("run")).unwrap();
    let stores: Vec<_> = files.iter().filter(|file| file.store).collect();
    assert_eq!(stores.len(), 1);
    assert!(matches!(StoreFile::at(&stores[0].path).unwrap().read(None), Err(Unreadable::OtherRank(3))));
    assert!(names::find(&directory.path().join("none/run")).unwrap().is_empty());
}
