//! The thread that takes samples.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mpit_components::times::Moment;
use mpit_job::Identity;
use mpit_report::series::{History, Sampled, Totals};
use rustix::time::{ClockId, clock_gettime};

use super::super::ending::{now, wait_for_processes};
use super::stores::{OpenStores, Stores};
use crate::print;

/// The first time between searches for new stores. It grows while there are none.
const SEARCH: Duration = Duration::from_millis(100);

/// The time that processes have after the end of the command, as for the summary.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// The minimum time between samples, in processor times of one with its searches: sampling uses at most this part of a processor.
const MIN_PAUSE: u32 = 20;

/// The totals of processes by rank, for each world.
type Found = BTreeMap<u32, Vec<(u32, Totals)>>;

/// A thread that takes samples.
pub(crate) struct Sampler {
    stop: Sender<()>,
    thread: JoinHandle<State>,
}

/// The samples of a run.
pub(crate) struct Samples {
    /// The rank of the process if there is only one, behind the launcher.
    pub(crate) of_process: Option<u32>,
    pub(crate) worlds: BTreeMap<u32, World>,
    /// The time of the end of the command, in nanoseconds since 1970 in UTC.
    pub(crate) end: u64,
}

/// The samples of a world.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) history: History,
    pub(crate) identity: Option<Identity>,
    /// The number of processes of the world.
    pub(crate) size: u32,
    /// The ranks whose stores do not have all records.
    pub(crate) incomplete: Vec<u32>,
}

impl World {
    pub(crate) fn new(begin: u64) -> Self {
        Self { history: History::new(begin), identity: None, size: 0, incomplete: Vec::new() }
    }

    /// Keeps the description of the world that a process has, and returns its rank and totals.
    fn describe(&mut self, Sampled { rank, size, identity, totals, .. }: Sampled) -> (u32, Totals) {
        self.size = self.size.max(size);
        self.identity = self.identity.take().or(identity);
        (rank, totals)
    }
}

impl Sampler {
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
    pub(crate) fn end(self, end: Moment) -> Option<Samples> {
        drop(self.stop);
        if let Ok(state) = self.thread.join() {
            return Some(state.finish(end));
        }
        print("--series: the thread that takes samples ended with an error, so there is no series");
        None
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

    fn run(&mut self, stopped: &Receiver<()>) {
        let (mut next, mut pause) = (self.interval, SEARCH);
        // Not the time on a clock: a busy machine may give the thread a processor late.
        let mut used_before = processor_time();
        loop {
            let left = next.saturating_sub(self.started.0.elapsed());
            if stopped.recv_timeout(left.min(pause)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let before = processor_time();
            pause = if self.stores.search() { SEARCH } else { (pause * 2).min(self.interval) };
            // Searches have the half of the processor time, so that samples have the other one.
            pause = pause.max(processor_time().saturating_sub(before) * MIN_PAUSE * 2);
            if self.started.0.elapsed() < next {
                continue;
            }
            let at = now();
            if self.sample(at, self.time_of(at)) {
                self.interval *= 2;
            }
            let used = processor_time();
            while used.saturating_sub(used_before) * MIN_PAUSE > self.interval {
                self.interval *= 2;
            }
            used_before = used;
            let after = self.started.0.elapsed();
            while next <= after {
                next += self.interval;
            }
        }
    }

    /// Reads all open stores as they are at a time, which is also given since 1970. Returns true if a world in which something changed had too many
    /// samples, and pairs were merged.
    fn sample(&mut self, at: Moment, time: u64) -> bool {
        let (worlds, last) = (&mut self.worlds, self.last);
        let mut found = Found::new();
        self.stores.read(at, |number, sampled| {
            let world = worlds.entry(number).or_insert_with(|| World::new(last));
            found.entry(number).or_default().push(world.describe(sampled));
        });
        self.last = time;
        let mut is_merged = false;
        for (number, totals) in found {
            if let Some(world) = self.worlds.get_mut(&number) {
                is_merged |= world.history.add(time, totals);
            }
        }
        is_merged
    }

    /// Returns the time since 1970 of a time that is not long ago.
    fn time_of(&self, at: Moment) -> u64 {
        let time = self.started.1.saturating_add(nanoseconds(self.started.0.elapsed()));
        time.saturating_sub(now().ns.saturating_sub(at.ns))
    }

    fn finish(mut self, end: Moment) -> Samples {
        let (time, start) = (self.time_of(end), self.started.1);
        self.stores.search();
        // Launchers do not wait for processes that they kill.
        wait_for_processes(&self.stores.files(), TIME_LIMIT);
        let worlds = &mut self.worlds;
        self.stores.read_closed(end, |number, sampled| {
            let world = worlds.entry(number).or_insert_with(|| World::new(start));
            let late = world.describe(sampled);
            world.history.add_late(time, [late]);
        });
        self.sample(end, time);
        for (number, rank) in self.stores.incomplete() {
            let world = self.worlds.entry(number).or_insert_with(|| World::new(start));
            world.incomplete.push(rank);
        }
        Samples { of_process: self.stores.of_process(), end: time, worlds: self.worlds }
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
    use std::os::unix::fs::symlink;
    use std::process;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use mpit_job::directory::OwnedJob;
    use mpit_report::series::SeriesRow;

    use super::super::super::now;
    use super::super::test_stores::write_store;
    use super::{Sampler, State, Stores};

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
        let running = [&path("run.0.store"), &target].map(|path| File::open(path).unwrap());
        for store in &running {
            store.lock().unwrap();
        }
        state.stores.search();
        let at = now();
        assert!(!state.sample(at, state.time_of(at)));
        write_store(&path("run.0.store"), 0, 4);
        write_store(&target, 2, 7);
        // As a process does that has written its files.
        fs::remove_file(&target).unwrap();
        drop(running);
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

    /// The last sample has the time of the end of the command, also if the thread waited for processes.
    #[test]
    fn samples_end_with_the_command() {
        let job = OwnedJob::create(&format!("test-series-end-{}", process::id())).unwrap();
        let path = job.directory().path().join("run.0.store");
        write_store(&path, 0, 3);
        let running = File::open(&path).unwrap();
        running.lock().unwrap();
        let state = State::new(Stores::OfJob(job.directory().clone()), Duration::from_secs(1));
        thread::sleep(Duration::from_millis(20));
        let (started, end) = (state.started.0, now());
        let elapsed = started.elapsed().as_nanos() as u64;
        let start = state.started.1;
        // The process runs on.
        let samples = state.finish(end);
        assert!(started.elapsed().as_nanos() as u64 > elapsed + 500_000_000);
        assert!(samples.end <= start + elapsed + 300_000_000, "{} {start} {elapsed}", samples.end);
        let rows = samples.worlds[&1].history.rows();
        assert!(!rows.is_empty() && rows.iter().all(|row| row.end <= samples.end), "{rows:?}");
        job.remove().unwrap();
    }

    /// A process whose store is found at the end has no samples, so its records may be of any time.
    #[test]
    fn closed_stores_are_late() {
        let job = OwnedJob::create(&format!("test-series-late-{}", process::id())).unwrap();
        let path = |rank: u32| job.directory().path().join(format!("run.{rank}.store"));
        write_store(&path(0), 0, 3);
        fs::create_dir(path(1)).unwrap();
        let mut state = State::new(Stores::OfJob(job.directory().clone()), Duration::from_secs(1));
        let start = state.started.1;
        state.stores.search();
        let at = now();
        state.sample(at, state.time_of(at));
        fs::remove_dir(path(1)).unwrap();
        write_store(&path(1), 1, 5);
        let world = &state.finish(now()).worlds[&1];
        let rows = world.history.rows();
        assert_eq!((messages(&rows, 0), messages(&rows, 1), world.incomplete.len()), (vec![3], vec![5], 0));
        assert!(rows.iter().all(|row| row.start == start), "{rows:?}");
        job.remove().unwrap();
    }

    #[test]
    fn panics_of_the_thread_leave_no_samples() {
        let thread = thread::spawn(|| -> State { panic!("expected by the test") });
        let sampler = Sampler { stop: mpsc::channel().0, thread };
        assert!(sampler.end(now()).is_none());
    }
}
