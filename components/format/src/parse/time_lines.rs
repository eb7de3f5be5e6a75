//! Parser of the lines about time, and of values.

use std::sync::Arc;

use super::LONG_NAME;
use super::line_cursor::LineCursor;
use crate::calls::{CALLS, CallName};
use crate::files::MAX_NAME;
use crate::profile::NONE;
use crate::times::{
    CallRow, Clock, DURATIONS, LateRow, Mode, RegionRow, RegionTimeRow, SampledOperation, SiteRow, TimeRow,
};
use crate::values::ValueRow;

type Parsed<T> = Result<(u32, T), &'static str>;

/// Parses the rest of a line `# TIME`. Returns the rank of the process as well.
pub(super) fn time(mut rest: LineCursor<'_>) -> Parsed<TimeRow> {
    let rank = rest.rank("the rank of the process")?;
    rest.literal(b"\t", "a tab after the rank")?;
    let mode = rest.until(b'\t', "the mode of the measurement, and a tab")?;
    let mode = Mode::of_word(mode).ok_or("off, blocking or all")?;
    let elapsed = rest.number("the elapsed time")?;
    rest.literal(b" ns\t", "` ns` and a tab")?;
    let clock = rest.until(b'\t', "the clock, and a tab")?;
    let clock = Clock::of_word(clock).ok_or("tsc or clock_gettime")?;
    let error = rest.number("the error of the clock")?;
    rest.literal(b" ns\t", "` ns` and a tab")?;
    let domain = rest.number("the number of the aligned clock")?;
    rest.end("the end of the line after the number of the clock")?;
    Ok((rank, TimeRow { mode, clock, elapsed, domain, error }))
}

/// Parses the rest of a line `# CALL`.
pub(super) fn call(mut rest: LineCursor<'_>) -> Parsed<CallRow> {
    let rank = rest.rank("the rank of the process")?;
    rest.literal(b"\tMPI_", "a tab and the name of a call of MPI")?;
    let call = call_of_name(rest.until(b'\t', "the name of a call, and a tab")?)?;
    let comm = comm(&mut rest)?;
    let region = region_number(&mut rest)?;
    let site = rest.number("the number of a place")?;
    let mut amount = |unit: &'static [u8]| {
        rest.literal(b"\t", "a tab and a number")?;
        let number = rest.number("a number")?;
        rest.literal(unit, "the unit of the number")?;
        Ok::<_, &'static str>(number)
    };
    let (count, timed) = (amount(b" calls")?, amount(b" timed")?);
    let (ns, min, max) = (amount(b" ns")?, amount(b" ns")?, amount(b" ns")?);
    let bytes = amount(b" bytes")?;
    rest.literal(b"\t", "a tab and a histogram")?;
    let durations = durations(rest)?;
    Ok((rank, CallRow { call, comm, region, site, count, timed, ns, min, max, bytes, durations }))
}

fn durations(mut rest: LineCursor<'_>) -> Result<Vec<(u8, u64)>, &'static str> {
    let mut all: Vec<(u8, u64)> = Vec::new();
    while !rest.0.is_empty() {
        if !all.is_empty() {
            rest.literal(b",", "a comma between parts of the histogram")?;
        }
        let bin = rest.number("the number of a bin")?;
        let bin = u8::try_from(bin).ok().filter(|bin| usize::from(*bin) < DURATIONS);
        let bin = bin.ok_or("a bin below 48")?;
        if all.last().is_some_and(|(last, _)| *last >= bin) {
            return Err("bins in ascending order");
        }
        rest.literal(b":", "a colon after the bin")?;
        all.push((bin, rest.number("a number of calls")?));
    }
    Ok(all)
}

/// Parses the rest of a line `# LATE`.
pub(super) fn late(mut rest: LineCursor<'_>) -> Parsed<LateRow> {
    let rank = rest.rank("the rank of the process")?;
    rest.literal(b"\t", "a tab after the rank")?;
    let lineage = rest.number("the number of a communicator")?;
    rest.literal(b"\t", "a tab after the number of the communicator")?;
    let comm = comm(&mut rest)?;
    let base = rest.number("the time of the first operation")?;
    rest.literal(b" ns\t", "` ns` and a tab")?;
    let mut operations = Vec::new();
    while !rest.0.is_empty() {
        if !operations.is_empty() {
            rest.literal(b",", "a comma between operations")?;
        }
        let number = rest.number("the number of an operation")?;
        rest.literal(b":", "a colon after the number")?;
        let call = call_of_name(rest.until(b':', "the name of a call, and a colon")?)?;
        let entry = base.checked_add(rest.number("a time")?).ok_or("a time below 2^64")?;
        rest.literal(b":", "a colon after the time")?;
        let exit = entry.checked_add(rest.number("a duration")?).ok_or("a time below 2^64")?;
        operations.push(SampledOperation { number, call, entry, exit });
    }
    Ok((rank, LateRow { lineage, comm, operations }))
}

/// Parses the rest of a line `# SITE`.
pub(super) fn site(mut rest: LineCursor<'_>) -> Parsed<SiteRow> {
    let rank = rest.rank("the rank of the process")?;
    rest.literal(b"\t", "a tab after the rank")?;
    let number = rest.number("the number of a place")?;
    rest.literal(b"\t", "a tab after the number of the place")?;
    let offset = rest.number("an offset")?;
    rest.literal(b"\t", "a tab after the offset")?;
    let build_id = text(rest.until(b'\t', "a build ID or -, and a tab")?)?;
    Ok((rank, SiteRow { number, offset, build_id, module: text(rest.0)? }))
}

/// Parses the rest of a line `# REGION`.
pub(super) fn region(mut rest: LineCursor<'_>) -> Parsed<RegionRow> {
    let rank = rest.rank("the rank of the process")?;
    rest.literal(b"\t", "a tab after the rank")?;
    let number = region_number(&mut rest)?;
    let mismatches = rest.number("a number of mismatches")?;
    rest.literal(b" mismatches\t", "` mismatches` and a tab")?;
    Ok((rank, RegionRow { number, mismatches, name: text(rest.0)? }))
}

/// Parses the rest of a line `# VISITS`.
pub(super) fn visits(mut rest: LineCursor<'_>) -> Parsed<RegionTimeRow> {
    let rank = rest.rank("the rank of the process")?;
    rest.literal(b"\t", "a tab after the rank")?;
    let number = region_number(&mut rest)?;
    let visits = rest.number("a number of visits")?;
    rest.literal(b" visits\t", "` visits` and a tab")?;
    let ns = rest.number("the time in the region")?;
    rest.literal(b" ns", "` ns`")?;
    rest.end("the end of the line after the time")?;
    Ok((rank, RegionTimeRow { number, visits, ns }))
}

/// Parses the rest of a line `# VALUE`.
pub(super) fn value(mut rest: LineCursor<'_>) -> Parsed<ValueRow> {
    let rank = rest.rank("the rank of the process")?;
    rest.literal(b"\t", "a tab after the rank")?;
    Ok((rank, ValueRow::parse(&String::from_utf8_lossy(rest.0))?))
}

/// Parses the number of a region, and the tab behind it.
fn region_number(rest: &mut LineCursor<'_>) -> Result<u32, &'static str> {
    let number = u32::try_from(rest.number("the number of a region")?).map_err(|_| "a region below 2^32")?;
    rest.literal(b"\t", "a tab after the number of the region")?;
    Ok(number)
}

fn comm(rest: &mut LineCursor<'_>) -> Result<Arc<str>, &'static str> {
    text(rest.until(b'\t', "the name of a communicator or -, and a tab")?)
}

/// Returns a name, which is empty if the field has none.
fn text(name: &[u8]) -> Result<Arc<str>, &'static str> {
    if name.len() > MAX_NAME {
        return Err(LONG_NAME);
    }
    let name = if name == NONE.as_bytes() { b"" } else { name };
    Ok(String::from_utf8_lossy(name).replace(char::is_control, " ").into())
}

fn call_of_name(name: &[u8]) -> Result<&'static CallName, &'static str> {
    CALLS.iter().find(|call| call.name.as_bytes() == name).ok_or("the name of a call of MPI")
}
