//! The variables of `pml monitoring`, through the interface that tools use.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;

use mpit::Error;
use mpit::object::{OUTSIDE, Object};
use mpit::tool::{Class, Handle, Session};
use mpit_components::comms::CommId;
use mpit_components::pml;
use mpit_components::record::BINS;

use super::support::{self, create_world};
use super::{WORLD, alone};

fn world() -> Object<'static> {
    Object::world(1, WORLD.size)
}

fn send_tagged(to: u32, bytes: u64, tag: i32) {
    static COMM: OnceLock<CommId> = OnceLock::new();
    support::send(*COMM.get_or_init(|| create_world(WORLD.size)), to, bytes, tag);
}

fn send(to: u32, bytes: u64) {
    send_tagged(to, bytes, 0);
}

fn array<'s>(session: &'s Session<'_>, what: &str, object: &Object<'_>) -> Handle<'s> {
    session.handle(&format!("pml_monitoring_messages_{what}"), Class::Size, Some(object)).unwrap()
}

pub(super) fn flush<'s>(session: &'s Session<'_>, stem: &Path) -> Handle<'s> {
    let handle = session.handle("pml_monitoring_flush", Class::Generic, None).unwrap();
    handle.write_text(stem.to_str().unwrap()).unwrap();
    handle
}

/// The lines about pairs of processes, without histograms.
fn pairs(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let pair = |line: &&str| line.starts_with("E\t") || line.starts_with("I\t");
    text.lines().filter(pair).map(|line| line.split('\t').take(5).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn counts_go_to_communicator_members() {
    let (_alone, tool) = alone();
    let session = tool.session().unwrap();
    let reversed: Vec<AtomicU32> = [3, OUTSIDE, 0].map(AtomicU32::new).into();
    let sub = Object::comm(2, &reversed);

    let handles: Vec<_> = [world(), sub]
        .iter()
        .flat_map(|comm| ["count", "size"].map(|what| array(&session, what, comm)))
        .collect();
    assert_eq!(handles.iter().map(Handle::count).collect::<Vec<_>>(), [4, 4, 3, 3]);
    let totals = [("messages", Class::Counter), ("bytes", Class::Aggregate)]
        .map(|(what, class)| session.handle(&format!("pml_monitoring_{what}_total"), class, None).unwrap());
    send(0, 1);
    session.start_all().unwrap();
    for (to, bytes) in [(0, 10), (3, 100), (3, 1000), (2, 0), (OUTSIDE, 7)] {
        send(to, bytes);
    }
    // The library's own messages are not the user's.
    send_tagged(1, 50, -1);
    let values: Vec<_> = handles.iter().map(|handle| handle.read::<u64>().unwrap()).collect();
    assert_eq!(values[0], [1, 0, 1, 2]);
    assert_eq!(values[1], [10, 0, 0, 1100]);
    assert_eq!(values[2], [2, 0, 1]);
    assert_eq!(values[3], [1100, 0, 10]);
    assert_eq!(totals.map(|handle| handle.read::<u64>().unwrap()[0]), [5, 1117]);
}

#[test]
fn the_histogram_has_66_bins_for_each_rank() {
    let (_alone, tool) = alone();
    let session = tool.session().unwrap();
    let histogram = array(&session, "histogram", &world());
    assert_eq!(histogram.count(), BINS * 4);
    histogram.start().unwrap();
    for bytes in [0, 1, 2, 3, 4, 1023, 1024] {
        send(1, bytes);
    }
    send(3, u64::MAX);
    let bins = histogram.read::<u64>().unwrap();
    let filled: Vec<_> = bins.iter().enumerate().filter(|(_, count)| **count != 0).collect();
    let at = |rank, bin| rank * BINS + bin;
    assert_eq!(
        filled,
        [
            (at(1, 0), &1),
            (at(1, 1), &1),
            (at(1, 2), &2),
            (at(1, 3), &1),
            (at(1, 10), &1),
            (at(1, 11), &1),
            (at(3, 64), &1)
        ]
    );
}

#[test]
fn a_flush_without_a_name_writes_nothing() {
    let (_alone, tool) = alone();
    let session = tool.session().unwrap();
    let handle = session.handle("pml_monitoring_flush", Class::Generic, None).unwrap();
    assert_eq!(handle.count(), 4096);
    assert_eq!(handle.read_text().unwrap(), "");
    handle.start().unwrap();
    assert!(pml::active());
    send(0, 1);
    handle.stop().unwrap();
    assert!(!pml::active());
    assert!(!Path::new(".1.prof").exists());
    handle.write_text("a/name").unwrap();
    assert_eq!(handle.read_text().unwrap(), "a/name");
    // The name can be removed again.
    handle.write_text("").unwrap();
    handle.start().unwrap();
    handle.stop().unwrap();
}

#[test]
fn an_unwritable_file_loses_nothing() {
    let (_alone, tool) = alone();
    let directory = tempfile::tempdir().unwrap();
    let obstacle = directory.path().join("obstacle");
    fs::write(&obstacle, "a file, not a directory").unwrap();
    let session = tool.session().unwrap();
    let handle = flush(&session, &obstacle.join("phase"));
    handle.start().unwrap();
    send(0, 1);
    assert_eq!(handle.stop(), Err(Error::Invalid));
    assert!(pml::active());
    send(0, 2);
    let stem = directory.path().join("phase");
    handle.write_text(stem.to_str().unwrap()).unwrap();
    handle.stop().unwrap();
    assert_eq!(pairs(&directory.path().join("phase.1.prof")), ["E 1 0 3 bytes 2 msgs sent"]);
    assert!(!pml::active());
}

#[test]
fn a_reset_begins_the_phase_anew() {
    let (_alone, tool) = alone();
    let directory = tempfile::tempdir().unwrap();
    let session = tool.session().unwrap();
    let handle = flush(&session, &directory.path().join("phase"));
    handle.start().unwrap();
    send(0, 1);
    handle.reset().unwrap();
    send(0, 2);
    handle.stop().unwrap();
    assert_eq!(pairs(&directory.path().join("phase.1.prof")), ["E 1 0 2 bytes 1 msgs sent"]);
}
