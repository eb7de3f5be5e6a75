//! Parser of the lines about time, and of values, from the field behind the rank of the process on.

use std::sync::Arc;

use super::LONG_NAME;
use super::line_cursor::LineCursor;
use crate::calls::{CALLS, CallName};
use crate::files::MAX_NAME;
use crate::profile::{CALL_UNITS, NONE};
use crate::times::{
    CallRow, Clock, DURATIONS, LateRow, Mode, RegionRow, RegionTimeRow, SampledOperation, SiteRow, TimeRow,
};
use crate::values::ValueRow;

type Parsed<T> = Result<T, &'static str>;

pub(super) fn time(rest: &mut LineCursor<'_>) -> Parsed<TimeRow> {
    let mode = Mode::of_word(rest.until(b'\t', "the mode of the measurement, and a tab")?);
    let mode = mode.ok_or("off, blocking or all")?;
    let elapsed = rest.amount("the elapsed time", " ns\t")?;
    let clock = Clock::of_word(rest.until(b'\t', "the clock, and a tab")?);
    let clock = clock.ok_or("tsc or clock_gettime")?;
    let error = rest.amount("the error of the clock", " ns\t")?;
    Ok(TimeRow { mode, clock, elapsed, domain: rest.number("the number of the aligned clock")?, error })
}

pub(super) fn call(rest: &mut LineCursor<'_>) -> Parsed<CallRow> {
    rest.literal(b"MPI_", "the name of a call of MPI")?;
    let call = call_of_name(rest.until(b'\t', "the name of a call, and a tab")?)?;
    let (comm, region) = (comm(rest)?, region_number(rest)?);
    let site = rest.amount("the number of a place", "\t")?;
    let mut numbers = [0; CALL_UNITS.len()];
    for (number, unit) in numbers.iter_mut().zip(CALL_UNITS) {
        *number = rest.amount("a number", unit)?;
    }
    let [count, timed, ns, min, max, bytes] = numbers;
    let mut durations: Vec<(u8, u64)> = Vec::new();
    while !rest.0.is_empty() {
        if !durations.is_empty() {
            rest.literal(b",", "a comma between parts of the histogram")?;
        }
        let bin = u8::try_from(rest.amount("the number of a bin", ":")?).ok();
        let bin = bin.filter(|bin| usize::from(*bin) < DURATIONS).ok_or("a bin below 48")?;
        if durations.last().is_some_and(|(last, _)| *last >= bin) {
            return Err("bins in ascending order");
        }
        durations.push((bin, rest.number("a number of calls")?));
    }
    Ok(CallRow { call, comm, region, site, count, timed, ns, min, max, bytes, durations })
}

pub(super) fn late(rest: &mut LineCursor<'_>) -> Parsed<LateRow> {
    let lineage = rest.amount("the number of a communicator", "\t")?;
    let comm = comm(rest)?;
    let base = rest.amount("the time of the first operation", " ns\t")?;
    let mut operations = Vec::new();
    while !rest.0.is_empty() {
        if !operations.is_empty() {
            rest.literal(b",", "a comma between operations")?;
        }
        let number = rest.amount("the number of an operation", ":")?;
        let call = call_of_name(rest.until(b':', "the name of a call, and a colon")?)?;
        let entry = base.checked_add(rest.amount("a time", ":")?).ok_or("a time below 2^64")?;
        let exit = entry.checked_add(rest.number("a duration")?).ok_or("a time below 2^64")?;
        operations.push(SampledOperation { number, call, entry, exit });
    }
    Ok(LateRow { lineage, comm, operations })
}

pub(super) fn site(rest: &mut LineCursor<'_>) -> Parsed<SiteRow> {
    let number = rest.amount("the number of a place", "\t")?;
    let offset = rest.amount("an offset", "\t")?;
    let build_id = text(rest.until(b'\t', "a build ID or -, and a tab")?)?;
    Ok(SiteRow { number, offset, build_id, module: text(rest.rest())? })
}

pub(super) fn region(rest: &mut LineCursor<'_>) -> Parsed<RegionRow> {
    let number = region_number(rest)?;
    let mismatches = rest.amount("a number of mismatches", " mismatches\t")?;
    Ok(RegionRow { number, mismatches, name: text(rest.rest())? })
}

pub(super) fn visits(rest: &mut LineCursor<'_>) -> Parsed<RegionTimeRow> {
    let number = region_number(rest)?;
    let visits = rest.amount("a number of visits", " visits\t")?;
    Ok(RegionTimeRow { number, visits, ns: rest.amount("the time in the region", " ns")? })
}

pub(super) fn value(rest: &mut LineCursor<'_>) -> Parsed<ValueRow> {
    ValueRow::parse(&String::from_utf8_lossy(rest.rest()))
}

fn region_number(rest: &mut LineCursor<'_>) -> Parsed<u32> {
    u32::try_from(rest.amount("the number of a region", "\t")?).map_err(|_| "a region below 2^32")
}

fn comm(rest: &mut LineCursor<'_>) -> Parsed<Arc<str>> {
    text(rest.until(b'\t', "the name of a communicator or -, and a tab")?)
}

/// Returns a name, which is empty if the field has none.
fn text(name: &[u8]) -> Parsed<Arc<str>> {
    if name.len() > MAX_NAME {
        return Err(LONG_NAME);
    }
    let name = if name == NONE.as_bytes() { b"" } else { name };
    Ok(String::from_utf8_lossy(name).replace(char::is_control, " ").into())
}

fn call_of_name(name: &[u8]) -> Parsed<&'static CallName> {
    CALLS.iter().find(|call| call.name.as_bytes() == name).ok_or("the name of a call of MPI")
}
