//! The thread that takes samples.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mpit_components::run::Identity;
use mpit_components::times::Moment;
use mpit_report::series::{History, Sampled, Totals};
use rustix::time::{ClockId, clock_gettime};

use super::super::{now, recover};
use super::stores::{OpenStores, Stores};

/// The time between searches for new stores.
const SEARCH: Duration = Duration::from_millis(100);

/// The time that processes have after the end of the command, as for the summary.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// The minimum time between samples, in processor times of one: sampling uses at most this part of a processor.
const MIN_PAUSE: u32 = 20;

/// A thread that takes samples.
pub(in super::super) struct Sampler {
    stop: Sender<()>,
    thread: JoinHandle<State>,
}

/// The samples of a run.
pub(in super::super) struct Samples {
    /// The rank of the process if there is only one, behind the launcher.
    pub(super) of_process: Option<u32>,
    pub(super) worlds: BTreeMap<u32, World>,
    /// The time of the last sample, in nanoseconds since 1970 in UTC.
    pub(super) end: u64,
}

/// The samples of a world.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) history: History,
    pub(super) identity: Option<Identity>,
    /// The number of processes of the world.
    pub(super) size: u32,
    /// The ranks whose stores do not have all records.
    pub(super) incomplete: Vec<u32>,
}

impl World {
    fn new(begin: u64) -> Self {
        Self { history: History::new(begin), identity: None, size: 0, incomplete: Vec::new() }
    }
}

impl Sampler {
    /// Starts to take samples of processes.
    pub(super) fn start(stores: Stores, interval: Duration) -> io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let mut state = State::new(stores, interval);
        let thread = thread::Builder::new().name("series".into()).spawn(move || {
            state.run(&stopped);
            state
        })?;
        Ok(Self { stop, thread })
    }

    /// Takes the last sample. The command ended at `end`.
    pub(in super::super) fn end(self, end: Moment) -> Option<Samples> {
        drop(self.stop);
        // The thread does not panic.
        self.thread.join().ok().map(|state| state.finish(end))
    }
}

struct State {
    stores: OpenStores,
    interval: Duration,
    /// The time of the start on two clocks: that of the system may be set while the command runs.
    started: (Instant, u64),
    worlds: BTreeMap<u32, World>,
    /// The time of the last sample, at which the processes of new worlds had no records.
    last: u64,
}

impl State {
    fn new(stores: Stores, interval: Duration) -> Self {
        let since = nanoseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
        let (stores, started) = (OpenStores::new(stores), (Instant::now(), since));
        Self { stores, interval, started, worlds: BTreeMap::new(), last: since }
    }

    /// Takes samples until the command ends.
    fn run(&mut self, stopped: &Receiver<()>) {
        let mut next = self.interval;
        loop {
            let left = next.saturating_sub(self.started.0.elapsed());
            if stopped.recv_timeout(left.min(SEARCH)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            self.stores.search();
            if self.started.0.elapsed() < next {
                continue;
            }
            // Not the time on a clock: a busy machine may give the thread a processor late.
            let used = processor_time();
            if self.sample(now()) {
                self.interval *= 2;
            }
            while processor_time().saturating_sub(used) * MIN_PAUSE > self.interval {
                self.interval *= 2;
            }
            let after = self.started.0.elapsed();
            while next <= after {
                next += self.interval;
            }
        }
    }

    /// Reads all stores. Returns true if there were too many samples, and each second one was dropped.
    fn sample(&mut self, at: Moment) -> bool {
        let (worlds, last) = (&mut self.worlds, self.last);
        let mut found: BTreeMap<u32, Vec<(u32, Totals)>> = BTreeMap::new();
        self.stores.read(at, |number, Sampled { rank, size, identity, totals, .. }| {
            let world = worlds.entry(number).or_insert_with(|| World::new(last));
            world.size = world.size.max(size);
            world.identity = world.identity.take().or(identity);
            found.entry(number).or_default().push((rank, totals));
        });
        let time = self.time();
        self.last = time;
        let mut is_merged = false;
        for (number, totals) in found {
            if let Some(world) = self.worlds.get_mut(&number) {
                is_merged |= world.history.add(time, totals);
            }
        }
        is_merged
    }

    /// Returns the time since 1970.
    fn time(&self) -> u64 {
        self.started.1.saturating_add(nanoseconds(self.started.0.elapsed()))
    }

    fn finish(mut self, end: Moment) -> Samples {
        self.stores.search();
        // Launchers do not wait for processes that they kill.
        recover::wait_for_processes(&self.stores.files(), TIME_LIMIT);
        self.sample(end);
        for (number, rank) in self.stores.incomplete() {
            let world = self.worlds.entry(number).or_insert_with(|| World::new(self.started.1));
            world.incomplete.push(rank);
        }
        Samples { of_process: self.stores.of_process(), end: self.time(), worlds: self.worlds }
    }
}

/// Returns the processor time that this thread has used.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::{FileExt, symlink};
    use std::path::Path;
    use std::process;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::time::Duration;

    use mpit_components::run::job::OwnedJob;
    use mpit_format::store::blocks::{BlockHeader, BlockKind, CELLS, HEADER, message_key, write_header};
    use mpit_report::series::SeriesRow;

    use super::super::super::now;
    use super::{Sampler, State, Stores};

    /// Writes the store of a process of four that has sent messages of 1 byte to rank 0.
    fn write_store(path: &Path, rank: u32, messages: u64) {
        const BLOCK: usize = 1 + CELLS + 1;
        let words: Vec<AtomicU64> = (0..HEADER + BLOCK + 1).map(|_| AtomicU64::new(0)).collect();
        write_header(&words, rank, 4);
        let block = BlockHeader { kind: BlockKind::Messages, words: (CELLS + 1) as u32 };
        let key = message_key(0, 0, false);
        // The key is followed by the number of messages of each size, and the bytes.
        for (at, word) in [(0, block.word()), (1, key), (3, messages), (BLOCK - 1, messages)] {
            words[HEADER + at].store(word, Relaxed);
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.load(Relaxed).to_ne_bytes()).collect();
        let file = File::options().write(true).create(true).truncate(false).open(path).unwrap();
        file.write_all_at(&bytes, 0).unwrap();
    }

    fn messages(rows: &[SeriesRow], rank: u32) -> Vec<u64> {
        rows.iter().filter(|row| row.rank == rank).map(|row| row.messages).collect()
    }

    #[test]
    fn stores_are_read_to_their_end() {
        let job = OwnedJob::create(&format!("test-series-{}", process::id())).unwrap();
        let path = |name: &str| job.directory().path().join(name);
        let elsewhere = tempfile::tempdir().unwrap();
        let target = elsewhere.path().join("run.2.store");
        write_store(&target, 2, 1);
        symlink(&target, path("run.2.store")).unwrap();
        // The process of this link has removed its store before it was found.
        symlink(elsewhere.path().join("run.3.store"), path("run.3.store")).unwrap();
        let mut state = State::new(Stores::OfJob(job.directory().clone()), Duration::from_secs(1));
        write_store(&path("run.0.store"), 0, 3);
        state.stores.search();
        assert!(!state.sample(now()));
        write_store(&path("run.0.store"), 0, 4);
        write_store(&target, 2, 7);
        // As a process does that has written its files.
        fs::remove_file(&target).unwrap();
        let samples = state.finish(now());
        let world = &samples.worlds[&1];
        let rows = world.history.rows();
        assert_eq!((messages(&rows, 0), messages(&rows, 2)), (vec![3, 1], vec![1, 6]));
        assert!(rows.iter().all(|row| row.end <= samples.end));
        assert_eq!((world.size, &world.incomplete[..], samples.of_process), (4, &[3][..], None));
        job.remove().unwrap();
    }

    #[test]
    fn processes_behind_the_launcher_are_alone() {
        let directory = tempfile::tempdir().unwrap();
        let stem = directory.path().join("run");
        let path = |rank: u32| directory.path().join(format!("run.{rank}.store"));
        // A store that no process uses is one of an earlier job.
        fs::write(path(1), "").unwrap();
        let start =
            |rank| Sampler::start(Stores::OfProcess { stem: stem.clone(), rank }, Duration::from_secs(1));
        let samples = start(1).unwrap().end(now()).unwrap();
        assert_eq!((samples.of_process, samples.worlds[&1].incomplete.clone()), (Some(1), vec![1]));
        write_store(&path(0), 0, 5);
        let used = File::open(path(0)).unwrap();
        used.lock().unwrap();
        let samples = start(0).unwrap().end(now()).unwrap();
        let world = &samples.worlds[&1];
        assert_eq!((messages(&world.history.rows(), 0), world.incomplete.len()), (vec![5], 0));
    }
}
