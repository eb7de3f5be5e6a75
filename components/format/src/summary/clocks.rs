//! Common time of machines: their clocks differ, and no message is sent to compare them.
//!
//! Some collective operations return in no process before all processes have entered them. On a common clock, the first exit on one
//! machine is therefore not before the last entry on another one. Each such operation gives a lower and an upper bound of the
//! difference of two clocks. These are wide where the same machine is always the last one, so within the bounds the exits decide: the
//! last arrival releases all processes, which leave at about the same time.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::operation::{Conversion, Operation};

/// The greatest difference of rates of two clocks: several times that of the oscillators in use.
const MAX_DRIFT: f64 = 200e-6;

/// The number of operations of which all pairs are compared.
const MOST_FOR_SLOPE: usize = 128;

/// The steps of a search for a slope, each of which leaves two thirds or less of the interval: enough for 1 ns in a day.
const STEPS: u32 = 60;

/// The bounds of the nanoseconds to add to a machine's clock, by one operation.
struct Bounds {
    time: u64,
    lower: i128,
    upper: i128,
    /// The number of nanoseconds by which the first exits are equal.
    exit: i128,
}

/// Returns the conversion of the clock of each machine, by the number of its clock. Machines that operations connect share a common
/// clock: that of the machine with the lowest number.
pub(super) fn align(operations: &[&Operation]) -> BTreeMap<u64, Conversion> {
    let machines: BTreeSet<u64> =
        operations.iter().flat_map(|one| &one.parts).map(|part| part.domain).collect();
    let mut clocks = BTreeMap::new();
    for common in machines {
        if let Entry::Vacant(entry) = clocks.entry(common) {
            entry.insert(Conversion { common, ..Conversion::default() });
            // Each turn adds the machines that have an operation with a known one. Most jobs need one turn.
            while add_machines(&mut clocks, common, operations) {}
        }
    }
    clocks
}

/// Adds the machines that take part in an operation with machines of a common clock. Returns true if there are any.
fn add_machines(clocks: &mut BTreeMap<u64, Conversion>, common: u64, operations: &[&Operation]) -> bool {
    let mut found: BTreeMap<u64, (Vec<Bounds>, u64)> = BTreeMap::new();
    for operation in operations.iter().filter(|one| one.synchronizes) {
        let (mut last_entry, mut first_exit, mut error) = (i128::MIN, i128::MAX, 0);
        let mut others = Vec::new();
        for part in &operation.parts {
            match clocks.get(&part.domain) {
                Some(clock) if clock.common == common => {
                    last_entry = clock.convert(part.last.0).max(last_entry);
                    first_exit = clock.convert(part.first_exit).min(first_exit);
                    error = clock.error.max(error);
                }
                Some(_) => {}
                None => others.push(part),
            }
        }
        if last_entry == i128::MIN {
            continue;
        }
        for part in others {
            let (bounds, error_so_far) = found.entry(part.domain).or_default();
            bounds.push(Bounds {
                time: part.last.0,
                lower: last_entry - i128::from(part.first_exit),
                upper: first_exit - i128::from(part.last.0),
                exit: first_exit - i128::from(part.first_exit),
            });
            *error_so_far = error.max(*error_so_far);
        }
    }
    for (domain, (bounds, error)) in &found {
        let clock = fit(bounds);
        clocks.insert(*domain, Conversion { common, error: clock.error.saturating_add(*error), ..clock });
    }
    !found.is_empty()
}

/// Returns the line through the exits that the bounds allow. Three of four exits differ from it by its error at most. If the bounds
/// contradict each other, as they do if a clock was adjusted in the run, the error is half of the width by which they do.
fn fit(bounds: &[Bounds]) -> Conversion {
    let (at, origin) = (bounds[0].time, bounds[0].lower);
    let point = |one: &Bounds| {
        let time = (i128::from(one.time) - i128::from(at)) as f64;
        (time, [one.lower, one.exit, one.upper].map(|height| (height - origin) as f64))
    };
    let points: Vec<_> = bounds.iter().map(point).collect();
    // Bounds of the line's height at time 0, for a slope.
    let lower =
        |drift: f64| points.iter().map(|(time, height)| height[0] - drift * time).fold(f64::MIN, f64::max);
    let upper =
        |drift: f64| points.iter().map(|(time, height)| height[2] - drift * time).fold(f64::MAX, f64::min);
    let width = |drift: f64| upper(drift) - lower(drift);
    let line = |drift: f64, height: f64, error: f64| Conversion {
        at,
        offset: (origin + height as i128).clamp(i64::MIN.into(), i64::MAX.into()) as i64,
        drift,
        error: error.ceil() as u64,
        common: 0,
    };
    let widest = argmax(width, -MAX_DRIFT, MAX_DRIFT);
    if width(widest) <= 0.0 {
        return line(widest, lower(widest) + width(widest) / 2.0, -width(widest) / 2.0);
    }
    let (least, most) = (last_allowed(width, widest, -MAX_DRIFT), last_allowed(width, widest, MAX_DRIFT));
    let exits: Vec<_> = points.iter().map(|(time, height)| (*time, height[1])).collect();
    let drift = slope(&exits).unwrap_or(widest).clamp(least, most);
    let mut heights: Vec<f64> = exits.iter().map(|(time, exit)| exit - drift * time).collect();
    let height = quantile(&mut heights, 0.5).clamp(lower(drift), upper(drift));
    let mut distances: Vec<f64> = heights.iter().map(|other| (other - height).abs()).collect();
    let within_bounds = (height - lower(drift)).max(upper(drift) - height);
    line(drift, height, quantile(&mut distances, 0.75).min(within_bounds))
}

/// Returns the median of the slopes between points, which does not depend on a few that are wrong.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let every = points.len().div_ceil(MOST_FOR_SLOPE);
    let some: Vec<_> = points.iter().step_by(every).collect();
    let mut slopes = Vec::new();
    for (at, (time, height)) in some.iter().enumerate() {
        let others = some[..at].iter().filter(|other| (other.0 - time).abs() >= 1.0);
        slopes.extend(others.map(|other| (height - other.1) / (time - other.0)));
    }
    if slopes.is_empty() { None } else { Some(quantile(&mut slopes, 0.5)) }
}

/// Returns the number below which a part of the numbers is. There must be one at least.
fn quantile(numbers: &mut [f64], part: f64) -> f64 {
    let at = ((numbers.len() - 1) as f64 * part).ceil() as usize;
    *numbers.select_nth_unstable_by(at, f64::total_cmp).1
}

/// Returns the place where a concave function is greatest.
fn argmax(of: impl Fn(f64) -> f64, mut from: f64, mut to: f64) -> f64 {
    for _ in 0..STEPS {
        let third = (to - from) / 3.0;
        if of(from + third) < of(to - third) { from += third } else { to -= third }
    }
    f64::midpoint(from, to)
}

/// Returns the place nearest to `to` where a concave function, which is positive at `from`, is not negative.
fn last_allowed(of: impl Fn(f64) -> f64, mut from: f64, mut to: f64) -> f64 {
    for _ in 0..STEPS {
        let middle = f64::midpoint(from, to);
        if of(middle) >= 0.0 { from = middle } else { to = middle }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::{Conversion, MAX_DRIFT, align};
    use crate::summary::operation::{Operation, Part};

    /// The processes of machine `domain` in an operation: the first exit is `after` the last entry of all, all on a clock that is
    /// `offset` ahead of the true time and runs by `drift` too fast.
    fn part(domain: u64, (entry, exit): (f64, f64), offset: f64, drift: f64) -> Part {
        let on_clock = |time: f64| (time * (1.0 + drift) + offset) as u64;
        Part { domain, ranks: 2, last: (on_clock(entry), 0), first_exit: on_clock(exit), ..Part::default() }
    }

    fn operations(count: u32, drift: f64) -> Vec<Operation> {
        let operation = |number: u32| {
            let time = 1e9 + f64::from(number) * 1e9;
            // One machine after the other is late by 1 ms; the exits are 5 and 10 us after the last entry.
            let late = |machine: u32| if number % 3 == machine { 1e6 } else { 0.0 };
            let exit = time + 1e6;
            let times = |machine| (time + late(machine), exit + 5e3 * f64::from(1 + machine));
            let parts = vec![
                part(1, times(0), 0.0, 0.0),
                part(2, times(1), 7e12, drift),
                part(3, times(2), 4e8, -drift),
            ];
            Operation { synchronizes: true, parts }
        };
        (0..count).map(operation).collect()
    }

    fn assert_aligned(operations: &[Operation], offsets: [f64; 3], drift: f64, limit: f64) {
        let clocks = align(&operations.iter().collect::<Vec<_>>());
        assert_eq!(clocks.keys().copied().collect::<Vec<_>>(), [1, 2, 3]);
        for (clock, (offset, drift)) in
            clocks.values().zip([0.0, drift, -drift].into_iter().zip(offsets).map(|(d, o)| (o, d)))
        {
            assert!((clock.error as f64) < limit, "{clock:?}");
            for time in [1e9, operations.len() as f64 * 1e9] {
                let on_clock = time * (1.0 + drift) + offset;
                let found = on_clock + clock.offset_at(on_clock as u64) as f64;
                assert!((found - time).abs() <= limit, "{clock:?} {found} {time}");
            }
        }
    }

    #[test]
    fn clocks_of_machines_are_aligned() {
        assert_aligned(&operations(20, 0.0), [0.0, 7e12, 4e8], 0.0, 20e3);
        assert_aligned(&operations(3, 0.0), [0.0, 7e12, 4e8], 0.0, 20e3);
        // One machine is always the last one.
        let last: Vec<_> = operations(60, 0.0).into_iter().skip(2).step_by(3).collect();
        assert_aligned(&last, [0.0, 7e12, 4e8], 0.0, 20e3);
    }

    #[test]
    fn exits_decide_only_within_bounds() {
        // Machine 2 leaves late by 300 us, except where machine 1 arrives last.
        let mut all = operations(21, 0.0);
        for (number, operation) in all.iter_mut().enumerate() {
            operation.parts[1].first_exit += if number % 3 == 0 { 0 } else { 300_000 };
        }
        assert_aligned(&all, [0.0, 7e12, 4e8], 0.0, 20e3);
    }

    #[test]
    fn rates_of_clocks_are_aligned() {
        assert_aligned(&operations(20, 50e-6), [0.0, 7e12, 4e8], 50e-6, 40e3);
    }

    #[test]
    fn machines_are_compared_by_way_of_others() {
        let mut all = operations(20, 0.0);
        // The third machine shares operations with the second one only.
        for (at, operation) in all.iter_mut().enumerate() {
            operation.parts.remove(if at % 2 == 0 { 0 } else { 2 });
        }
        assert_aligned(&all, [0.0, 7e12, 4e8], 0.0, 2e6);
    }

    #[test]
    fn other_machines_have_no_common_time() {
        let mut all = operations(20, 0.0);
        for one in &mut all {
            one.synchronizes = false;
        }
        let clocks = align(&all.iter().collect::<Vec<_>>());
        assert_eq!(clocks.values().map(|clock| clock.common).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(align(&[]).is_empty());
    }

    #[test]
    fn contradictions_are_errors() {
        let mut all = operations(20, 0.0);
        all[0].parts[1].last.0 += 9_000_000;
        all[0].parts[1].first_exit += 9_000_000;
        assert!(align(&all.iter().collect::<Vec<_>>())[&2].error > 3_000_000);
        assert!(align(&all.iter().collect::<Vec<_>>())[&3].error < 20_000);
    }

    #[test]
    fn impossible_rates_are_errors() {
        let all = operations(20, 2.0 * MAX_DRIFT);
        let clocks = align(&all.iter().collect::<Vec<_>>());
        assert!(clocks[&2].error > 1_000_000, "{clocks:?}");
        assert_eq!(clocks[&1], Conversion { common: 1, ..Conversion::default() });
    }
}
