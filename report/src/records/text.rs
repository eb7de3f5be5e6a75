//! Values that are lists, as texts in one column.

use std::fmt::Write as _;

use mpit_format::calls::{CALLS, CallName};
use mpit_format::messages::BINS;
use mpit_format::times::{DURATIONS, LateRow, SampledOperation};

/// Returns the call of a name.
pub(super) fn call(name: &[u8]) -> Option<&'static CallName> {
    CALLS.iter().find(|call| call.name.as_bytes() == name)
}

/// Returns the least number of bytes of a bin of message sizes, and the maximum for the last bin, which no message has.
pub(super) fn bytes_of_bin(bin: usize) -> u64 {
    match bin.checked_sub(1) {
        None => 0,
        Some(power) => {
            u32::try_from(power).ok().and_then(|power| 1_u64.checked_shl(power)).unwrap_or(u64::MAX)
        }
    }
}

/// Returns the bin of message sizes that begins at a number of bytes.
pub(super) fn bin_of_bytes(bytes: u64) -> usize {
    match bytes {
        0 => 0,
        u64::MAX => BINS - 1,
        bytes => bytes.ilog2() as usize + 1,
    }
}

/// Writes bins of durations: `BIN:CALLS,...`.
pub(super) fn write_durations(out: &mut String, durations: &[(u8, u64)]) {
    out.clear();
    for (bin, calls) in durations {
        let comma = if out.is_empty() { "" } else { "," };
        let _ = write!(out, "{comma}{bin}:{calls}");
    }
}

pub(super) fn durations(text: &str) -> Option<Vec<(u8, u64)>> {
    let mut all: Vec<(u8, u64)> = Vec::new();
    for part in parts(text) {
        let (bin, calls) = part.split_once(':')?;
        let bin: u8 = bin.parse().ok()?;
        if usize::from(bin) >= DURATIONS || all.last().is_some_and(|(last, _)| *last >= bin) {
            return None;
        }
        all.push((bin, calls.parse().ok()?));
    }
    Some(all)
}

/// Writes sampled operations: `NUMBER:CALL:ENTRY:DURATION,...`. Returns the time that entries are relative to.
pub(super) fn write_operations(out: &mut String, row: &LateRow) -> u64 {
    out.clear();
    let base = row.operations.iter().map(|operation| operation.entry).min().unwrap_or(0);
    for SampledOperation { number, call, entry, exit } in &row.operations {
        let comma = if out.is_empty() { "" } else { "," };
        let _ = write!(out, "{comma}{number}:{}:{}:{}", call.name, entry - base, exit.saturating_sub(*entry));
    }
    base
}

pub(super) fn operations(text: &str, base: u64) -> Option<Vec<SampledOperation>> {
    let operation = |part: &str| {
        let mut fields = part.split(':');
        let number = fields.next()?.parse().ok()?;
        let call = call(fields.next()?.as_bytes())?;
        let entry = base.checked_add(fields.next()?.parse().ok()?)?;
        let exit = entry.checked_add(fields.next()?.parse().ok()?)?;
        fields.next().is_none().then_some(SampledOperation { number, call, entry, exit })
    };
    parts(text).map(operation).collect()
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_have_their_bytes() {
        for bin in 0..BINS {
            assert_eq!(bin_of_bytes(bytes_of_bin(bin)), bin);
        }
        assert_eq!([0, 1, 2, 11].map(bytes_of_bin), [0, 1, 2, 1024]);
    }

    #[test]
    fn lists_are_read_as_written() {
        let mut text = String::new();
        for all in [vec![], vec![(0, 7)], vec![(3, 1), (47, u64::MAX)]] {
            write_durations(&mut text, &all);
            assert_eq!(durations(&text), Some(all));
        }
        let operation = |number, entry| SampledOperation { number, call: &CALLS[0], entry, exit: entry + 5 };
        let row = LateRow { operations: vec![operation(1, 100), operation(9, 70)], ..LateRow::default() };
        let base = write_operations(&mut text, &row);
        assert_eq!((base, operations(&text, base)), (70, Some(row.operations)));
        for wrong in ["1", "1:2:3", "48:1", "2:1,1:1", "a:1"] {
            assert_eq!(durations(wrong), None, "{wrong}");
        }
        let name = CALLS[0].name;
        for wrong in ["1:Nothing:0:0".into(), format!("1:{name}:0"), format!("1:{name}:{}:1", u64::MAX)] {
            assert_eq!(operations(&wrong, 1), None, "{wrong}");
        }
    }
}
