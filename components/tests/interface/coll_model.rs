//! Collective operations against a simple model, which has a number for each process.

use std::collections::BTreeMap;

use mpit::object::{OUTSIDE, Object};
use mpit::tool::{Class, Tool};
use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::comms::{self, CommId, Description, Ranks};
use mpit_components::host::{self, World};
use mpit_sync::thread_slots;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::TestRunner;

use super::in_own_process;
use super::threads::count_by_thread;

const SIZE: u32 = 7;
const ME: u32 = 3;

#[derive(Clone, Debug)]
struct Group {
    ranks: Vec<u32>,
    /// True if the host registers it as the world.
    as_world: bool,
    /// The rank of this process in its own group.
    rank: u32,
    remote: bool,
    neighbors: Vec<u32>,
}

#[derive(Clone, Debug)]
enum Step {
    Operation {
        comm: usize,
        kind: Kind,
        root: Root,
        bytes: Vec<u64>,
        uniform: bool,
        /// True if it is counted in the sums of a thread, if they are there and it is uniform.
        by_thread: bool,
    },
    /// A communicator is freed and another one made over the same processes.
    Replace {
        comm: usize,
    },
    Phase,
}

fn groups() -> impl Strategy<Value = Group> {
    let others: Vec<u32> = (0..SIZE).filter(|rank| *rank != ME).chain([OUTSIDE, OUTSIDE]).collect();
    let neighbor = select((0..SIZE).chain([OUTSIDE]).collect::<Vec<_>>());
    let members = prop_oneof![
        // This process among some others, in any order.
        (subsequence(others.clone(), 0..=others.len()), any::<prop::sample::Index>())
            .prop_map(|(mut ranks, at)| {
                ranks.insert(at.index(ranks.len() + 1), ME);
                (ranks, false)
            })
            .prop_flat_map(|(ranks, remote)| (Just(ranks).prop_shuffle(), Just(remote))),
        Just(((0..SIZE).collect(), false)),
        subsequence(others, 1..=4).prop_shuffle().prop_map(|ranks| (ranks, true)),
    ];
    (members, prop::collection::vec(neighbor, 0..6), 0..4_u32).prop_map(
        |((ranks, remote), neighbors, own)| {
            let at = ranks.iter().position(|rank| *rank == ME);
            let as_world = !remote && ranks.iter().copied().eq(0..SIZE);
            let neighbors = if remote { Vec::new() } else { neighbors };
            Group { rank: at.map_or(own, |at| at as u32), as_world, ranks, remote, neighbors }
        },
    )
}

fn steps(comms: usize) -> impl Strategy<Value = Vec<Step>> {
    let root = prop_oneof![Just(Root::Here), Just(Root::At(0)), Just(Root::None)];
    let bytes = prop::collection::vec(prop_oneof![0..100_u64, any::<u64>()], 16);
    let operation = (0..comms, select(Kind::ALL.to_vec()), root, bytes, any::<bool>(), any::<bool>())
        .prop_map(|(comm, kind, root, bytes, uniform, by_thread)| Step::Operation {
            comm,
            kind,
            root,
            bytes,
            uniform,
            by_thread,
        });
    let step = prop_oneof![
        12 => operation,
        2 => (0..comms).prop_map(|comm| Step::Replace { comm }),
        1 => Just(Step::Phase),
    ];
    prop::collection::vec(step, 0..60)
}

fn case() -> impl Strategy<Value = (Vec<Group>, Vec<Step>)> {
    prop::collection::vec(groups(), 1..5).prop_flat_map(|groups| {
        let steps = steps(groups.len());
        (Just(groups), steps)
    })
}

type Sum = (u64, u64);

fn add(sum: &mut Sum, more: Sum) {
    *sum = (sum.0 + more.0, sum.1.wrapping_add(more.1));
}

/// The sums of a phase or a run.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    /// By rank in the world.
    peers: BTreeMap<u32, Sum>,
    /// From one to all, from all to one, from all to all.
    comms: BTreeMap<CommId, [Sum; 3]>,
}

impl Model {
    fn count(&mut self, id: CommId, group: &Group, kind: Kind, root: Root, with: impl Fn(u32) -> u64) {
        let pattern = match kind {
            Kind::Bcast | Kind::Scatter | Kind::Scatterv => 0,
            Kind::Gather | Kind::Gatherv | Kind::Reduce => 1,
            _ => 2,
        };
        if pattern != 2 && root != Root::Here {
            return;
        }
        let mut total = (1, 0);
        let neighborhood = Kind::ALL[17..].contains(&kind);
        let list = if neighborhood { &group.neighbors } else { &group.ranks };
        for (number, to) in (0..).zip(list.iter().copied()) {
            let counts = if neighborhood {
                to != ME && to != OUTSIDE
            } else {
                let above = matches!(kind, Kind::Scan | Kind::Exscan);
                if above { number > group.rank } else { group.remote || number != group.rank }
            };
            if counts {
                add(self.peers.entry(to).or_default(), (1, with(number)));
                total.1 = with(number).wrapping_add(total.1);
            }
        }
        add(&mut self.comms.entry(id).or_default()[pattern], total);
    }

    fn is_used(&self, comm: CommId) -> bool {
        self.comms.get(&comm).is_some_and(|sums| sums.iter().any(|sum| sum.0 != 0))
    }

    fn lines(&self, comms: &[CommId]) -> Vec<String> {
        let line =
            |kind, to: String, sum: Sum| format!("{kind}\t{ME}{to}\t{} bytes\t{} msgs sent", sum.1, sum.0);
        let peers = self.peers.iter().filter(|(to, _)| **to != OUTSIDE);
        let mut lines: Vec<_> = peers.map(|(to, sum)| line("C", format!("\t{to}"), *sum)).collect();
        for comm in comms {
            let sums = self.comms.get(comm).copied().unwrap_or_default();
            lines.push(format!("D\t{}", comm.get()));
            lines.extend(
                ["O2A", "A2O", "A2A"].into_iter().zip(sums).map(|(kind, sum)| line(kind, String::new(), sum)),
            );
        }
        lines
    }
}

/// Returns the communicators in the file: those that exist, and freed ones that had operations.
fn written(present: &[CommId], live: &[CommId], run: &Model) -> Vec<CommId> {
    present.iter().copied().filter(|comm| live.contains(comm) || run.is_used(*comm)).collect()
}

fn create(group: &Group) -> CommId {
    let ranks = if group.as_world { Ranks::World(SIZE) } else { Ranks::List(group.ranks.as_slice().into()) };
    let neighbors = group.neighbors.as_slice().into();
    let id = comms::created(Description { remote: group.remote, neighbors, ..Description::new(ranks, "") });
    comms::renamed(id, &id.get().to_string());
    id
}

/// The lines of a file about collective operations and communicators.
fn read(path: &std::path::Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let (_, lines) = text.split_once("# COLLECTIVES\n").unwrap();
    lines.lines().flat_map(|line| expanded(line.split("\tprocs").next().unwrap_or_default())).collect()
}

/// Returns a line for each process of a range.
fn expanded(line: &str) -> Vec<String> {
    let words: Vec<_> = line.split('\t').collect();
    let [kind @ "C", me, peers, bytes, messages] = words[..] else { return vec![line.to_owned()] };
    let (first, last) = peers.split_once('-').unwrap_or((peers, peers));
    let numbers = first.parse::<u32>().unwrap()..=last.parse().unwrap();
    numbers.map(|peer| format!("{kind}\t{me}\t{peer}\t{bytes}\t{messages}")).collect()
}

fn run(groups: &[Group], steps: &[Step]) {
    host::initialized(World::new(ME, SIZE));
    let directory = tempfile::tempdir().unwrap();
    let tool = Tool::new();
    let session = tool.session().unwrap();
    let world = Object::world(u64::MAX, SIZE);
    let array = |what| session.handle(what, Class::Size, Some(&world)).unwrap();
    let arrays = [array("coll_monitoring_messages_count"), array("coll_monitoring_messages_size")];
    let totals = [("messages", Class::Counter), ("bytes", Class::Aggregate)]
        .map(|(what, class)| session.handle(&format!("coll_monitoring_{what}_total"), class, None).unwrap());
    let flush = session.handle("pml_monitoring_flush", Class::Generic, None).unwrap();
    flush.write_text(directory.path().join("phase").to_str().unwrap()).unwrap();
    let file = directory.path().join(format!("phase.{ME}.prof"));

    let thread = thread_slots::take().unwrap();
    let mut live: Vec<CommId> = groups.iter().map(create).collect();
    let mut present = live.clone();
    let (mut run, mut phase) = (Model::default(), Model::default());
    session.start_all().unwrap();
    for step in steps {
        match step {
            Step::Operation { comm, kind, root, bytes, uniform, by_thread } => {
                let (id, group) = (live[*comm], &groups[*comm]);
                let by = |number: u32| bytes[number as usize];
                let (uniform, each) = (*uniform, bytes[0]);
                let volume = if uniform { Volume::Each(each) } else { Volume::By(&by) };
                let (kind, root, size) = (*kind, *root, group.ranks.len() as u32);
                let operation = Operation::new(id, kind, group.rank, size, root, volume, false);
                if !(*by_thread && count_by_thread(thread, &operation)) {
                    coll::end(&operation);
                }
                for model in [&mut run, &mut phase] {
                    model.count(id, group, kind, root, |number| if uniform { each } else { by(number) });
                }
            }
            Step::Replace { comm } => {
                comms::freed(live[*comm]);
                live[*comm] = create(&groups[*comm]);
                present.push(live[*comm]);
            }
            Step::Phase => {
                flush.stop().unwrap();
                assert_eq!(read(&file), std::mem::take(&mut phase).lines(&written(&present, &live, &run)));
                present.retain(|comm| live.contains(comm));
                flush.start().unwrap();
            }
        }
    }
    flush.stop().unwrap();
    assert_eq!(read(&file), phase.lines(&written(&present, &live, &run)));
    let [counts, sizes] = arrays.map(|handle| handle.read::<u64>().unwrap());
    let of = |rank| run.peers.get(&rank).copied().unwrap_or_default();
    assert_eq!(counts.into_iter().zip(sizes).collect::<Vec<_>>(), (0..SIZE).map(of).collect::<Vec<_>>());
    let total = run.peers.values().fold((0, 0), |mut total, sum| {
        add(&mut total, *sum);
        total
    });
    assert_eq!(totals.map(|handle| handle.read::<u64>().unwrap()[0]), [total.0, total.1]);
    live.into_iter().for_each(comms::freed);
}

#[test]
fn sums_equal_the_model() {
    in_own_process(|| {
        let mut runner = TestRunner::new(ProptestConfig::with_cases(300));
        let result = runner.run(&case(), |(groups, steps)| {
            run(&groups, &steps);
            Ok(())
        });
        result.unwrap_or_else(|failure| panic!("{failure}"));
    });
}
