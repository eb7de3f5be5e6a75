//! Collection along a binomial tree: each process adds its own text to those of its subtree, and sends all of them to its
//! parent.
//!
//! The parent of a rank is the rank without its lowest set bit, so a subtree is a range of ranks, and the number of
//! processes that one process communicates with is at most the number of bits of the job's size.

use std::ops::Range;
use std::time::{Duration, Instant};

use mpit_frameworks::World;

use super::bundle::Bundle;
use super::{Channel, Gathered, Text, TimeLimits, Transport};

/// Brings all texts to rank 0. Also returns the ranks that sent theirs to this process and wait for [`confirm`].
pub(super) fn gather(
    transport: &dyn Transport,
    world: World,
    mine: Text,
    timeout: Duration,
) -> (Gathered, Vec<u32>) {
    if world.size > 1
        && let Err(why) = transport.synchronize(timeout)
    {
        let why = if world.rank == 0 { Some(why) } else { None };
        return (Gathered::NotSynchronized(mine, why), Vec::new());
    }
    let tree = Tree::new(transport, Channel::Texts, world, timeout);
    let mut bundle = Bundle { texts: vec![mine.clone()], missing: Vec::new() };
    let mut waiting = Vec::new();
    tree.receive(|ranks, received| {
        let child = ranks.start;
        let why = match received {
            Ok(bytes) if bundle.add(&bytes, ranks.clone()).is_some() => {
                waiting.push(child);
                return;
            }
            Ok(_) => format!("rank {child} sent invalid data"),
            Err(why) => why,
        };
        bundle.missing.extend(ranks.map(|rank| (rank, why.clone())));
    });
    if world.rank == 0 {
        bundle.texts.sort_by_key(|text| text.rank);
        bundle.missing.sort();
        return (Gathered::All(bundle.texts, bundle.missing), waiting);
    }
    let gathered = match tree.send(bundle.to_bytes(world.size)) {
        Ok(()) => Gathered::Delivered(mine),
        Err(why) => Gathered::Rejected(bundle.texts, why),
    };
    (gathered, waiting)
}

/// One pass along the tree, from the leaves to rank 0, with its time limits.
pub(super) struct Tree<'a> {
    transport: &'a dyn Transport,
    channel: Channel,
    world: World,
    timeout: Duration,
    begin: Instant,
}

impl<'a> Tree<'a> {
    /// Begins a pass. All processes are at this point.
    pub(super) fn new(
        transport: &'a dyn Transport,
        channel: Channel,
        world: World,
        timeout: Duration,
    ) -> Self {
        Self { transport, channel, world, timeout, begin: Instant::now() }
    }

    fn within(&self, limit: Duration) -> TimeLimits {
        TimeLimits { deadline: self.begin + limit, per_message: self.timeout }
    }

    /// Receives from each child, and passes on the ranks of its subtree, of which it is the first, and what it sent or the reason why
    /// nothing arrived.
    pub(super) fn receive(&self, mut each: impl FnMut(Range<u32>, Result<Vec<u8>, String>)) {
        let mut height = 0;
        while let Some((child, end)) = child(self.world, height) {
            // The limit grows with the height, so that a child that waits for a lost process still has time to send what it
            // has.
            let limits = self.within(self.timeout + self.timeout / 4 * height);
            each(child..end, self.transport.receive(self.channel, child, limits));
            height += 1;
        }
    }

    /// Sends to the parent. Not at rank 0.
    pub(super) fn send(&self, bytes: Vec<u8>) -> Result<(), String> {
        let parent = self.world.rank & (self.world.rank - 1);
        // The parent may be waiting for another child.
        let limits = self.within(self.timeout * 2 + self.timeout / 4 * self.world.size.ilog2());
        self.transport.send(self.channel, parent, bytes, limits)
    }
}

/// Returns true if rank 0 confirms that it wrote the text of this process; false also if there is no answer.
pub(super) fn is_written(transport: &dyn Transport, world: World, timeout: Duration) -> bool {
    let parent = world.rank & (world.rank - 1);
    // Rank 0 may wait for other processes first, and then writes the texts of all.
    let deadline = Instant::now() + timeout * 4 + timeout / 2 * world.size.ilog2();
    let answer = transport.receive(Channel::Texts, parent, TimeLimits { deadline, per_message: timeout });
    answer.is_ok_and(|bytes| bytes == [1])
}

/// Informs the processes that sent texts to this one that these are written, or not.
pub(super) fn confirm(transport: &dyn Transport, waiting: &[u32], written: bool, timeout: Duration) {
    for rank in waiting {
        let limits = TimeLimits { deadline: Instant::now() + timeout, per_message: timeout };
        // A lost process needs no answer.
        let _ = transport.send(Channel::Texts, *rank, vec![written.into()], limits);
    }
}

/// Returns the child whose subtree has this height, and the end of the subtree's ranks.
fn child(world: World, height: u32) -> Option<(u32, u32)> {
    let step = 1_u32.checked_shl(height)?;
    if world.rank & step != 0 {
        return None;
    }
    let child = world.rank.checked_add(step).filter(|child| *child < world.size)?;
    // An odd multiple of `step` has no children at greater heights.
    Some((child, child.saturating_add(step).min(world.size)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::{Barrier, Condvar, Mutex};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::super::{Channel, Gathered, Text, TimeLimits, Transport};
    use super::{World, child, gather};

    /// A job whose processes are threads: the messages on their way, by sender and receiver. Silent processes take part in
    /// the initial barrier only.
    struct Job {
        barrier: Barrier,
        messages: Mutex<HashMap<(u32, u32), Vec<u8>>>,
        changed: Condvar,
    }

    struct Process<'a> {
        rank: u32,
        job: &'a Job,
    }

    impl Job {
        fn wait<R>(
            &self,
            limits: TimeLimits,
            mut attempt: impl FnMut(&mut HashMap<(u32, u32), Vec<u8>>) -> Option<R>,
        ) -> Result<R, String> {
            let mut messages = self.messages.lock().unwrap();
            loop {
                if let Some(result) = attempt(&mut messages) {
                    self.changed.notify_all();
                    return Ok(result);
                }
                let left = limits.deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err("no answer".into());
                }
                messages = self.changed.wait_timeout(messages, left).unwrap().0;
            }
        }
    }

    impl Transport for Process<'_> {
        fn synchronize(&self, _: Duration) -> Result<(), String> {
            self.job.barrier.wait();
            Ok(())
        }

        fn send(&self, _: Channel, to: u32, bytes: Vec<u8>, limits: TimeLimits) -> Result<(), String> {
            let route = (self.rank, to);
            self.job.messages.lock().unwrap().insert(route, bytes);
            self.job.changed.notify_all();
            self.job.wait(limits, |messages| if messages.contains_key(&route) { None } else { Some(()) })
        }

        fn receive(&self, _: Channel, from: u32, limits: TimeLimits) -> Result<Vec<u8>, String> {
            self.job.wait(limits, |messages| messages.remove(&(from, self.rank)))
        }

        fn leave(&self, _: World, _: Duration) {}

        fn host_name(&self) -> String {
            String::new()
        }
    }

    /// Runs a job and returns the result of each process; `None` for silent ones.
    fn run(size: u32, silent: &[u32], timeout: Duration) -> Vec<Option<Gathered>> {
        let barrier = Barrier::new(size as usize);
        let job = &Job { barrier, messages: Mutex::default(), changed: Condvar::new() };
        let process = |rank: u32| {
            if silent.contains(&rank) {
                job.barrier.wait();
                return None;
            }
            let text = Text { rank, host: String::new(), text: rank.to_string().into_bytes() };
            Some(gather(&Process { rank, job }, World::new(rank, size), text, timeout).0)
        };
        thread::scope(|scope| {
            let processes: Vec<_> = (0..size).map(|rank| scope.spawn(move || process(rank))).collect();
            processes.into_iter().map(|process| process.join().unwrap()).collect()
        })
    }

    fn root(gathered: Option<&Gathered>) -> (Vec<u32>, Vec<u32>) {
        let Some(Gathered::All(texts, missing)) = gathered else { panic!("rank 0 has it all") };
        for text in texts {
            assert_eq!(text.text, text.rank.to_string().into_bytes());
        }
        (texts.iter().map(|text| text.rank).collect(), missing.iter().map(|(rank, _)| *rank).collect())
    }

    #[test]
    fn rank_0_receives_all_texts_in_order() {
        for size in [1, 2, 3, 4, 7, 8, 9, 31] {
            let all = run(size, &[], Duration::from_secs(60));
            assert_eq!(root(all[0].as_ref()), ((0..size).collect(), vec![]), "{size}");
            assert!(all[1..].iter().all(|one| matches!(one, Some(Gathered::Delivered(_)))));
        }
    }

    #[test]
    fn a_lost_leaf_is_the_only_missing_text() {
        let all = run(8, &[7], Duration::from_secs(4));
        assert_eq!(root(all[0].as_ref()), ((0..7).collect(), vec![7]));
    }

    #[test]
    fn texts_for_a_lost_process_are_kept() {
        let all = run(8, &[4], Duration::from_secs(1));
        assert_eq!(root(all[0].as_ref()), ((0..4).collect(), (4..8).collect()));
        let kept = |rank: usize| match &all[rank] {
            Some(Gathered::Rejected(texts, _)) => texts.iter().map(|text| text.rank).collect(),
            _ => vec![],
        };
        assert_eq!((kept(5), kept(6)), (vec![5], vec![6, 7]));
    }

    #[test]
    fn each_process_has_one_parent() {
        for size in 1..40 {
            let mut children = Vec::new();
            for rank in 0..size {
                let of = |height| child(World::new(rank, size), height);
                children.extend((0..).map_while(of).map(|(child, _)| child));
            }
            children.sort_unstable();
            assert!(children.into_iter().eq(1..size), "{size}");
        }
        assert_eq!(child(World::new(0, u32::MAX), 32), None);
    }
}
