//! The text of `.prof` files, byte for byte.

use super::{Block, Label, Members, Profile};
use crate::messages::{BINS, PeerSnapshot, Row, bin};
use crate::{OUTSIDE, TrafficSum};

fn messages(sizes: &[u64]) -> PeerSnapshot {
    let mut bins = [0; BINS];
    for bytes in sizes {
        bins[bin(*bytes)] += 1;
    }
    let bins = bins.into_iter().enumerate().filter(|(_, count)| *count != 0);
    PeerSnapshot::new(bins, || sizes.iter().sum())
}

fn profile_of(me: u32, messages: Vec<Row>, comms: Vec<Block>) -> Profile {
    Profile { me, messages, comms, ..Profile::default() }
}

fn comm(name: &str, members: Members) -> Block {
    Block::new(Label { name: name.into(), ..Label::default() }, members)
}

fn text(profile: &Profile) -> String {
    String::from_utf8(profile.text(None)).unwrap()
}

#[test]
fn golden() {
    let row = |to, external: &[u64], internal: &[u64]| Row {
        to,
        external: messages(external),
        internal: messages(internal),
    };
    let rows = vec![
        // The token ring of four processes and 25 rounds, on rank 0.
        row(1, &[4; 27], &[]),
        row(2, &[1000], &[1 << 20]),
        // A process that only the library sent to.
        row(3, &[], &[0, 0]),
        row(OUTSIDE, &[8], &[]),
    ];

    let mut blocks = vec![
        comm("MPI_COMM_WORLD", Members::World(4)),
        comm("odd\tones\nof all", Members::List([3, 1, OUTSIDE].into())),
        comm("", Members::List([0].into())),
    ];
    blocks[0].all_to_all = TrafficSum { count: 3, bytes: 36 };
    // Equal communicators share a block.
    (blocks[1].alike, blocks[1].label.first, blocks[1].label.last) = (3, 4, 6);

    let profile = profile_of(0, rows, blocks);
    assert_eq!(text(&profile), include_str!("golden.prof"));
}

#[test]
fn empty_records_are_written() {
    let profile = profile_of(7, Vec::new(), Vec::new());
    assert_eq!(text(&profile), "# POINT TO POINT\n# OSC\n# COLLECTIVES\n");
}

/// The members of a communicator of these ranks, as they are written.
fn members(members: Members, in_container: bool) -> String {
    let profile = profile_of(0, Vec::new(), vec![comm("some", members)]);
    let text = if in_container { profile.text_for_container(None) } else { profile.text(None) };
    let text = String::from_utf8(text).unwrap();
    text.split_once("\tprocs: ").unwrap().1.lines().next().unwrap().to_owned()
}

#[test]
fn members_are_ranges_where_there_are_many() {
    // Miri takes too long for more.
    let (many, fewer) = if cfg!(miri) { (5000, 4200) } else { (100_000, 10_000) };
    let triples = || (0..fewer).map(|rank| 3 * rank + 5);
    let last = 3 * fewer + 2;
    assert_eq!(members(Members::World(many), false), format!("0-{}", many - 1));
    assert_eq!(members(Members::World(4), true), "0-3");
    assert_eq!(members(Members::World(4), false), "0,1,2,3");
    assert_eq!(members(Members::World(4096), false).len(), 4095 + 10 + 90 * 2 + 900 * 3 + 3096 * 4);
    assert_eq!(members(Members::List(triples().collect()), false), format!("5-{last}:3"));
    assert_eq!(members(Members::List((0..many).rev().collect()), false), format!("{}-0", many - 1));
    assert_eq!(members(Members::List(triples().rev().collect()), false), format!("{last}-5:3"));
    assert_eq!(members(Members::List([8, 6, 4, 5, 6, 1, 0].into()), true), "8-4:2,5,6,1,0");
    assert_eq!(members(Members::List([0, 5, 4, 3, OUTSIDE, 2, 1, 0, 0].into()), true), "0,5-3,-1,2-0,0");
    let some = [9, 3, 4, 5, OUTSIDE, OUTSIDE, 7, 7, 10, 13, 2, 1];
    assert_eq!(members(Members::List(some.into()), true), "9,3-5,-1,-1,7,7-13:3,2,1");
}
