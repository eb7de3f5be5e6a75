//! The totals of processes at the times of samples.

use std::collections::{BTreeMap, BTreeSet};

use mpit_format::summary::Area;

use super::{AreaSum, SeriesRow, Totals};

/// The maximum number of samples. At more, pairs are merged.
const MAX_SAMPLES: usize = 1000;

/// The maximum number of totals in all samples, which take about 8 MB.
const MAX_TOTALS: usize = 1 << 16;

/// The samples of a world.
#[derive(Clone, Debug)]
pub struct History {
    /// The time before the first sample, in nanoseconds since 1970 in UTC.
    begin: u64,
    /// The samples in which something changed.
    samples: Vec<Sample>,
    /// The time of the last sample, also if nothing changed.
    sampled: u64,
    /// The totals of each process in the last sample that has it.
    last: BTreeMap<u32, Totals>,
    /// The totals of processes that were read when all had ended, and the time of that.
    late: BTreeMap<u32, (u64, Totals)>,
    /// The number of totals in the samples.
    kept: usize,
    limits: (usize, usize),
}

#[derive(Clone, Debug)]
struct Sample {
    /// The time of the sample before.
    start: u64,
    at: u64,
    /// The processes whose totals are not those of the sample before.
    changed: BTreeMap<u32, Totals>,
}

impl Sample {
    /// Returns true if the time to the next sample is not longer than both of them.
    fn is_near(&self, next: &Self) -> bool {
        next.start.saturating_sub(self.at) <= (self.at - self.start).saturating_add(next.at - next.start)
    }
}

impl History {
    /// Begins a history.
    #[must_use]
    pub fn new(begin: u64) -> Self {
        Self::with_limits(begin, MAX_SAMPLES, MAX_TOTALS)
    }

    fn with_limits(begin: u64, samples: usize, totals: usize) -> Self {
        Self {
            begin,
            samples: Vec::new(),
            sampled: begin,
            last: BTreeMap::new(),
            late: BTreeMap::new(),
            kept: 0,
            limits: (samples.max(2), totals.max(2)),
        }
    }

    /// Adds a sample of some processes. Returns true if something changed, and the history had too many samples and merged pairs.
    pub fn add(&mut self, at: u64, totals: impl IntoIterator<Item = (u32, Totals)>) -> bool {
        let before = self.sampled;
        self.sampled = at.max(before);
        let is_new = |(rank, totals): &(u32, Totals)| self.last.get(rank) != Some(totals);
        let changed: BTreeMap<u32, Totals> = totals.into_iter().filter(is_new).collect();
        if changed.is_empty() {
            return false;
        }
        self.last.extend(changed.iter().map(|(rank, totals)| (*rank, *totals)));
        self.kept += changed.len();
        let stored = self.samples.last().map_or(self.begin, |sample| sample.at);
        match self.samples.last_mut() {
            // The command ended during the last sample. An interval of no length has no shares of time.
            Some(last) if at <= stored => last.changed.extend(changed),
            _ => {
                let start = if at > before { before } else { stored };
                self.samples.push(Sample { start, at: at.max(start + 1), changed });
            }
        }
        let is_full = self.samples.len() > self.limits.0 || self.kept > self.limits.1;
        if is_full && self.samples.len() > 2 {
            self.merge();
            return true;
        }
        false
    }

    /// Adds the totals of processes that were not sampled until their end. They changed at some time since their last sample.
    pub fn add_late(&mut self, at: u64, totals: impl IntoIterator<Item = (u32, Totals)>) {
        self.late.extend(totals.into_iter().map(|(rank, totals)| (rank, (at, totals))));
    }

    /// Merges pairs of samples: the totals of a process are those of the later one that has it.
    fn merge(&mut self) {
        // Pairs with a long time in between would show changes where there were none.
        self.merge_if(Sample::is_near);
        if self.samples.len() > self.limits.0 / 4 * 3 || self.kept > self.limits.1 / 4 * 3 {
            self.merge_if(|_, _| true);
        }
    }

    fn merge_if(&mut self, is_pair: impl Fn(&Sample, &Sample) -> bool) {
        let mut all = std::mem::take(&mut self.samples).into_iter().peekable();
        while let Some(mut first) = all.next() {
            if let Some(second) = all.next_if(|second| is_pair(&first, second)) {
                first.at = second.at;
                first.changed.extend(second.changed);
            }
            self.samples.push(first);
        }
        self.kept = self.samples.iter().map(|sample| sample.changed.len()).sum();
    }

    /// Returns the ranks that have totals, in ascending order.
    pub fn ranks(&self) -> impl Iterator<Item = u32> {
        let all: BTreeSet<u32> = self.last.keys().chain(self.late.keys()).copied().collect();
        all.into_iter()
    }

    /// Returns the differences of the totals, by rank and time. They add up to the last totals of each process.
    #[must_use]
    pub fn rows(&self) -> Vec<SeriesRow> {
        let mut of_ranks: BTreeMap<u32, Vec<(u64, u64, Totals)>> = BTreeMap::new();
        for Sample { start, at, changed } in &self.samples {
            for (rank, totals) in changed {
                of_ranks.entry(*rank).or_default().push((*start, *at, *totals));
            }
        }
        for (rank, (at, totals)) in &self.late {
            let samples = of_ranks.entry(*rank).or_default();
            let start = samples.last().map_or(self.begin, |(_, end, _)| *end);
            samples.push((start, (*at).max(start + 1), *totals));
        }
        let mut rows = Vec::new();
        for (rank, mut samples) in of_ranks {
            make_ascending(&mut samples);
            let mut before = Totals::default();
            for (start, end, totals) in samples {
                rows.extend(differences(&before, &totals).map(|row| SeriesRow { rank, start, end, ..row }));
                before = totals;
            }
        }
        rows
    }
}

/// Limits totals to later ones. Times of calls that are measured by sampling are estimates, which may become smaller.
fn make_ascending(samples: &mut [(u64, u64, Totals)]) {
    let Some((_, _, last)) = samples.last() else { return };
    let mut limit = *last;
    for (_, _, totals) in samples.iter_mut().rev() {
        totals.messages = totals.messages.min(limit.messages);
        totals.bytes = totals.bytes.min(limit.bytes);
        for (sum, limit) in totals.areas.iter_mut().zip(limit.areas) {
            *sum = AreaSum { calls: sum.calls.min(limit.calls), ns: sum.ns.min(limit.ns) };
        }
        limit = *totals;
    }
}

/// Returns the rows of the areas in which something changed, without rank and time.
fn differences(before: &Totals, after: &Totals) -> impl Iterator<Item = SeriesRow> {
    let (messages, bytes) = (after.messages - before.messages, after.bytes - before.bytes);
    let row = move |(area, (one, other)): (Area, (AreaSum, AreaSum))| {
        let (messages, bytes) = if area == Area::PointToPoint { (messages, bytes) } else { (0, 0) };
        let (calls, ns) = (other.calls - one.calls, other.ns - one.ns);
        SeriesRow { rank: 0, start: 0, end: 0, area, calls, ns, messages, bytes }
    };
    let areas = Area::ALL.into_iter().zip(before.areas.into_iter().zip(after.areas));
    areas.map(row).filter(|row| [row.calls, row.ns, row.messages, row.bytes] != [0; 4])
}

#[cfg(test)]
mod tests {
    use mpit_format::summary::Area;

    use super::{AreaSum, History, SeriesRow, Totals};

    fn totals(messages: u64, ns: u64) -> Totals {
        let mut totals = Totals { messages, bytes: 8 * messages, ..Totals::default() };
        totals.areas[Area::PointToPoint as usize] = AreaSum { calls: messages, ns: 10 * messages };
        totals.areas[Area::Wait as usize] = AreaSum { calls: messages.min(1), ns };
        totals
    }

    fn row(rank: u32, (start, end): (u64, u64), area: Area, numbers: [u64; 4]) -> SeriesRow {
        let [calls, ns, messages, bytes] = numbers;
        SeriesRow { rank, start, end, area, calls, ns, messages, bytes }
    }

    #[test]
    fn rows_are_changes() {
        let mut history = History::new(100);
        history.add(200, [(0, totals(0, 0)), (3, totals(1, 5))]);
        history.add(300, [(0, totals(0, 0)), (3, totals(1, 5))]);
        history.add(400, [(0, totals(2, 0)), (3, totals(1, 9))]);
        let expected = [
            row(0, (300, 400), Area::PointToPoint, [2, 20, 2, 16]),
            row(0, (300, 400), Area::Wait, [1, 0, 0, 0]),
            row(3, (100, 200), Area::PointToPoint, [1, 10, 1, 8]),
            row(3, (100, 200), Area::Wait, [1, 5, 0, 0]),
            row(3, (300, 400), Area::Wait, [0, 4, 0, 0]),
        ];
        assert_eq!(history.rows(), expected);
        assert_eq!(history.ranks().collect::<Vec<_>>(), [0, 3]);
    }

    /// Many calls in a short interval would be shares of time far above 100 %.
    #[test]
    fn late_totals_begin_at_the_last_change() {
        let mut history = History::new(100);
        history.add(200, [(3, totals(1, 5))]);
        history.add(900, [(3, totals(1, 5))]);
        // The command ended while the last sample was taken.
        history.add(899, [(3, totals(1, 6))]);
        history.add_late(901, [(3, totals(1, 9)), (4, totals(0, 7))]);
        let expected = [
            row(3, (100, 200), Area::PointToPoint, [1, 10, 1, 8]),
            row(3, (100, 200), Area::Wait, [1, 5, 0, 0]),
            row(3, (200, 899), Area::Wait, [0, 1, 0, 0]),
            row(3, (899, 901), Area::Wait, [0, 3, 0, 0]),
            row(4, (100, 901), Area::Wait, [0, 7, 0, 0]),
        ];
        assert_eq!(history.rows(), expected);
        assert_eq!(history.ranks().collect::<Vec<_>>(), [3, 4]);
    }

    /// Worlds that have ended keep their samples, and do not make the intervals of others longer.
    #[test]
    fn samples_without_changes_take_no_place() {
        let mut history = History::with_limits(0, 10, 1000);
        for at in 1..=10 {
            assert!(!history.add(at, [(0, totals(at, at))]));
        }
        let rows = history.rows();
        for at in 11..1000 {
            assert!(!history.add(at, [(0, totals(10, 10))]), "{at}");
        }
        assert_eq!(history.rows(), rows);
        // The pause is in no interval, also if others are merged.
        assert!(history.add(1000, [(0, totals(11, 11))]));
        assert!(history.rows().iter().all(|row| row.end <= 10 || row.start >= 999), "{history:?}");
    }

    /// An estimate that becomes smaller must not make the sum larger than the last total.
    #[test]
    fn rows_add_up_to_the_end() {
        let mut history = History::new(0);
        for (at, ns) in [(1, 50), (2, 80), (3, 60), (4, 70)] {
            history.add(at, [(0, totals(at, ns))]);
        }
        let rows = history.rows();
        let sum = |of: fn(&SeriesRow) -> u64, area| rows.iter().filter(|row| row.area == area).map(of).sum();
        let ns: u64 = sum(|row| row.ns, Area::Wait);
        let messages: u64 = sum(|row| row.messages, Area::PointToPoint);
        assert_eq!((ns, messages), (70, 4));
    }

    #[test]
    fn long_runs_have_fewer_samples() {
        let mut history = History::with_limits(0, 10, 1000);
        let merged = (1..=1000).filter(|at| history.add(*at, [(0, totals(*at, *at)), (1, totals(1, 1))]));
        let merged = merged.count();
        assert!(history.samples.len() <= 10 && merged > 100, "{merged}");
        let rows = history.rows();
        let of = |rank| rows.iter().filter(move |row| row.rank == rank).map(|row| row.messages).sum::<u64>();
        assert_eq!((of(0), of(1)), (1000, 1));
        assert!(rows.iter().all(|row| row.start < row.end && row.end <= 1000));
        // Each interval begins where the one before ends.
        let waits: Vec<_> = rows.iter().filter(|row| (row.rank, row.area) == (0, Area::Wait)).collect();
        assert!(waits.windows(2).all(|pair| pair[0].end == pair[1].start));
        // The totals are limited as well.
        let mut history = History::with_limits(0, 1000, 10);
        for at in 1..100 {
            history.add(at, (0..4).map(|rank| (rank, totals(at, at))));
        }
        assert!(history.kept <= 14, "{}", history.kept);
    }
}
