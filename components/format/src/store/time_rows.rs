//! The rows about time that follow from the words of a process, in its store or in its memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::blocks::BlockKind;
use super::times::{NO_COMM, call, call_of_key, comm, late, region, time};
use super::word_cursor::{Malformed, WordCursor};
use crate::calls::CALLS;
use crate::files::cut_off;
use crate::profile::{Label, Profile};
use crate::times::{
    CallRow, Clock, DURATIONS, LateRow, Mode, Moment, RegionRow, RegionTimeRow, SampledOperation, SiteRow,
    TimeRow, duration_bin,
};

/// The maximum length of a label's name.
const MAX_NAME: usize = 1024;

/// The words of blocks about time, which refer to each other.
#[derive(Debug, Default)]
pub struct TimeRecords {
    time: Option<[u64; time::CELLS]>,
    /// The latest possible end of a process that did not reach its own.
    end: Option<Moment>,
    /// Keys, places in the program, and words.
    calls: Vec<(u64, u64, Box<[u64; call::CELLS]>)>,
    comms: BTreeMap<u32, [u64; comm::CELLS]>,
    /// Names, and a flag for numbers behind them.
    labels: BTreeMap<u64, (String, bool)>,
    late: Vec<(u64, Box<[u64; late::CELLS]>)>,
    sites: Vec<SiteRow>,
    regions: Vec<RegionRow>,
    region_times: Vec<(u32, [u64; region::CELLS])>,
}

/// Adds the words of calls to those of others.
pub fn add_calls(sum: &mut [u64; call::CELLS], words: &[u64; call::CELLS]) {
    for (at, (sum, word)) in sum.iter_mut().zip(words).enumerate() {
        *sum = match at {
            call::MIN if *sum == 0 || *word == 0 => *sum | *word,
            call::MIN => (*sum).min(*word),
            call::MAX | call::ENTERED | call::LEFT => (*sum).max(*word),
            _ => sum.saturating_add(*word),
        };
    }
}

/// Returns the number of calls that were measured.
fn timed(words: &[u64; call::CELLS]) -> u64 {
    words[call::DURATIONS_AT..].iter().fold(0, |sum, count| sum.saturating_add(*count))
}

/// Returns a name as it is in a field of a line.
fn one_field(name: &str) -> Arc<str> {
    name.replace(char::is_control, " ").into()
}

/// Adds the call that was in progress when the process ended.
fn end_call(words: &mut [u64; call::CELLS], end: Option<u64>, clock: &Conversion) {
    let entered = words[call::ENTERED];
    let Some(end) = end.filter(|end| entered > words[call::LEFT] && *end > entered) else { return };
    let ticks = end - entered;
    let mut one = [0; call::CELLS];
    (one[call::TICKS], one[call::MIN], one[call::MAX]) = (ticks, ticks, ticks);
    one[call::DURATIONS_AT + duration_bin(clock.duration(ticks))] = 1;
    add_calls(words, &one);
}

/// Returns the number of calls, and their ticks, which are an estimate if not all calls were measured.
#[must_use]
pub fn count_and_ticks(words: &[u64; call::CELLS]) -> (u64, f64) {
    let timed = timed(words);
    let count = timed.max(words[call::CALLS]);
    let (samples, others) = (words[call::SAMPLES] as f64, (count - timed) as f64);
    let ticks = words[call::TICKS] as f64;
    let of_others = if samples > 0.0 {
        words[call::SAMPLED_TICKS] as f64 * ((samples + others) / samples)
    } else if timed > 0 {
        // The first calls are all measured, and none of those behind them may be a sample yet.
        ticks * (others / timed as f64)
    } else {
        0.0
    };
    (count, ticks + of_others)
}

/// The conversion of ticks to nanoseconds.
struct Conversion {
    first: (u64, u64),
    /// The nanoseconds of a tick.
    factor: f64,
    /// The difference of the aligned clock at the first reading, and its change in each nanosecond since then.
    offset: (f64, f64),
}

impl Conversion {
    /// Readings that are closer do not give the rate more accurately than the measurement at the start.
    const MIN_DISTANCE: u64 = 20_000_000;

    fn new(words: &[u64; time::CELLS]) -> Self {
        let first = (words[time::FIRST_TICKS], words[time::FIRST_NS]);
        let ticks = words[time::LAST_TICKS].saturating_sub(first.0);
        let ns = words[time::LAST_NS].saturating_sub(first.1);
        let factor = if ticks > 0 && ns >= Self::MIN_DISTANCE {
            ns as f64 / ticks as f64
        } else {
            1e9 / words[time::RATE].max(1) as f64
        };
        let [before, after] =
            [time::FIRST_OFFSET, time::LAST_OFFSET].map(|at| words[at].cast_signed() as f64);
        let drift = if ns >= Self::MIN_DISTANCE { (after - before) / ns as f64 } else { 0.0 };
        Self { first, factor, offset: (before, drift) }
    }

    fn scaled(&self, ticks: f64) -> u64 {
        (ticks * self.factor).round() as u64
    }

    /// Returns the ticks at a time of `CLOCK_MONOTONIC`.
    fn ticks(&self, ns: u64) -> u64 {
        let since = ns.saturating_sub(self.first.1) as f64 / self.factor;
        self.first.0.saturating_add(since as u64)
    }

    fn duration(&self, ticks: u64) -> u64 {
        self.scaled(ticks as f64)
    }

    /// Returns a time on the aligned clock.
    fn time(&self, ticks: u64) -> u64 {
        let since = ticks.wrapping_sub(self.first.0).cast_signed() as f64 * self.factor;
        let (offset, drift) = self.offset;
        self.first.1.saturating_add_signed((since + offset + drift * since).round() as i64)
    }
}

impl TimeRecords {
    /// Adds the words of a block, without its header. Ignores blocks that are not about time.
    ///
    /// # Errors
    ///
    /// Fails if the words are damaged.
    pub fn add(&mut self, kind: BlockKind, words: impl IntoIterator<Item = u64>) -> Result<(), Malformed> {
        let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_ne_bytes).collect();
        let mut block = WordCursor::new(&bytes);
        let key = block.word()?;
        self.block(kind, key, &mut block)
    }

    pub(super) fn block(
        &mut self,
        kind: BlockKind,
        key: u64,
        block: &mut WordCursor<'_>,
    ) -> Result<(), Malformed> {
        match kind {
            BlockKind::Time => self.time = Some(block.numbers()?),
            BlockKind::Call => {
                let at = *block;
                if call_of_key(key).0 >= CALLS.len() {
                    return Err(at.error(format!("the unknown call {}", call_of_key(key).0)));
                }
                let words = Box::new(block.numbers()?);
                self.calls.push((key, block.word()?, words));
            }
            BlockKind::CallComm => _ = self.comms.insert(key as u32, block.numbers()?),
            BlockKind::Label => {
                let is_numbered = block.word()? != 0;
                // Names of libraries are shorter. Many rows may refer to one label of a damaged file.
                self.labels.insert(key, (cut_off(&block.name()?, MAX_NAME).into(), is_numbered));
            }
            BlockKind::Late => self.late.push((key, Box::new(block.numbers()?))),
            BlockKind::Site => {
                let (offset, build_id, module) =
                    (block.word()?, one_field(&block.name()?), one_field(&block.name()?));
                self.sites.push(SiteRow { number: key, offset, build_id, module });
            }
            BlockKind::Region => {
                let (mismatches, name) = (block.word()?, one_field(&block.name()?));
                self.regions.push(RegionRow { number: key as u32, mismatches, name });
            }
            BlockKind::RegionTime => self.region_times.push((key as u32, block.numbers()?)),
            _ => (),
        }
        Ok(())
    }

    /// Sets the moment until which the process ran at the latest, if it did not reach its end. Calls that were in progress count
    /// until then. A process without such calls lasts to its last call.
    pub(super) fn set_end(&mut self, end: Moment) {
        self.end = Some(end);
    }

    fn label_of(&self, label: u64, first: u64, last: u64) -> Option<Arc<str>> {
        let (name, is_numbered) = self.labels.get(&label)?;
        let (first, last) = if *is_numbered { (first, last) } else { (0, 0) };
        Some(Label { name: name.as_str().into(), first, last }.to_string().into())
    }

    /// Returns the label of the communicator in a slot; `None` if it is not used.
    fn comm_of(&self, slot: u32) -> Option<Arc<str>> {
        if slot == NO_COMM {
            return Some("".into());
        }
        let words = self.comms.get(&slot)?;
        self.label_of(words[comm::LABEL], words[comm::FIRST], words[comm::LAST])
    }

    /// Adds the rows to those of the process. Communicators with equal labels share rows.
    pub fn add_to(self, profile: &mut Profile) {
        let Some(words) = &self.time else { return };
        let clock = Conversion::new(words);
        let end = self.end_in_ticks(words, &clock);
        let mut calls = BTreeMap::<_, [u64; call::CELLS]>::new();
        for (key, site, words) in &self.calls {
            let (index, region, slot) = call_of_key(*key);
            if let Some(comm) = self.comm_of(slot) {
                let key = (index, comm, region, *site);
                let mut words = **words;
                end_call(&mut words, end, &clock);
                add_calls(calls.entry(key).or_insert([0; call::CELLS]), &words);
            }
        }
        let row = |((index, comm, region, site), words): (_, [u64; call::CELLS])| {
            let (count, ticks) = count_and_ticks(&words);
            if count == 0 {
                return None;
            }
            let durations = (0..).zip(&words[call::DURATIONS_AT..]).filter(|(_, count)| **count != 0);
            Some(CallRow {
                call: CALLS.get(index)?,
                comm,
                region,
                site,
                count,
                timed: timed(&words),
                ns: clock.scaled(ticks),
                min: clock.duration(words[call::MIN]),
                max: clock.duration(words[call::MAX]),
                bytes: words[call::BYTES],
                durations: durations.map(|(bin, count)| (bin, *count)).collect(),
            })
        };
        profile.calls = calls.into_iter().filter_map(row).collect();
        let late = self.late.iter().filter_map(|(lineage, words)| self.late_row(*lineage, words, &clock));
        profile.late = late.collect();
        let end = self.last_ticks(words, end);
        profile.time = Some(time_row(words, end, &clock));
        profile.region_times = self.region_time_rows(words[time::START], end, &clock);
        (profile.sites, profile.regions) = (self.sites, self.regions);
    }

    /// Returns the end of a process that did not reach its own; `None` if it is not known. A process that ended outside of MPI may
    /// have done so long before the others.
    fn end_in_ticks(&self, words: &[u64; time::CELLS], clock: &Conversion) -> Option<u64> {
        if !self.calls.iter().any(|(_, _, of)| of[call::ENTERED] > of[call::LEFT]) {
            return None;
        }
        let end = self.end.filter(|end| end.domain == words[time::DOMAIN] && words[time::END] == 0)?;
        Some(clock.ticks(end.ns))
    }

    /// Returns the end of the measured time; the last known moment if the process did not reach its end.
    fn last_ticks(&self, words: &[u64; time::CELLS], end: Option<u64>) -> u64 {
        let calls = self.calls.iter().map(|(_, _, of)| of[call::ENTERED].max(of[call::LEFT]));
        let regions = self.region_times.iter().map(|(_, of)| of[region::ENTERED]);
        let last =
            calls.chain(regions).max().unwrap_or(0).max(words[time::START]).max(words[time::LAST_TICKS]);
        match (words[time::END], end) {
            (0, Some(end)) => end.max(last),
            (0, None) => last,
            (end, _) => end,
        }
    }

    /// Returns the time in each region, in ascending order of numbers. One that did not end lasts to the end of the measured time.
    fn region_time_rows(&self, start: u64, end: u64, clock: &Conversion) -> Vec<RegionTimeRow> {
        let mut sums = BTreeMap::<u32, (u64, u64)>::new();
        for (number, words) in &self.region_times {
            let open = match words[region::ENTERED] {
                0 => 0,
                entered => end.saturating_sub(entered.max(start)),
            };
            let (visits, ticks) = sums.entry(*number).or_default();
            *visits = visits.saturating_add(words[region::VISITS]);
            *ticks = ticks.saturating_add(words[region::TICKS]).saturating_add(open);
        }
        let row = |(number, (visits, ticks))| RegionTimeRow { number, visits, ns: clock.duration(ticks) };
        sums.into_iter().map(row).collect()
    }

    fn late_row(&self, lineage: u64, words: &[u64; late::CELLS], clock: &Conversion) -> Option<LateRow> {
        let comm = self.label_of(words[late::LABEL], words[late::FIRST], words[late::FIRST])?;
        let (slots, _) = words[late::OPERATIONS..].as_chunks::<{ late::SLOT_CELLS }>();
        let operation = |[number, entry, exit]: &[u64; late::SLOT_CELLS]| {
            let call = CALLS.get((number >> late::CALL_SHIFT) as usize)?;
            let number = number & ((1 << late::CALL_SHIFT) - 1);
            let (entry, exit) = (clock.time(*entry), clock.time(*exit));
            // A slot that was being written when the process ended may have times of two operations.
            if number == 0 || exit < entry {
                return None;
            }
            Some(SampledOperation { number, call, entry, exit })
        };
        let mut operations: Vec<_> = slots.iter().filter_map(operation).collect();
        operations.sort_unstable_by_key(|operation| operation.number);
        if operations.is_empty() { None } else { Some(LateRow { lineage, comm, operations }) }
    }
}

fn time_row(words: &[u64; time::CELLS], end: u64, clock: &Conversion) -> TimeRow {
    TimeRow {
        mode: Mode::of_number(words[time::MODE]).unwrap_or_default(),
        clock: Clock::of_number(words[time::CLOCK]).unwrap_or_default(),
        elapsed: clock.duration(end.saturating_sub(words[time::START])),
        domain: words[time::DOMAIN],
        error: words[time::ERROR],
    }
}

const _: () = assert!(DURATIONS < u8::MAX as usize);
