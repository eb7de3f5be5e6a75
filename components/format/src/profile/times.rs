//! The lines about time.

use super::{Out, Profile};
use crate::times::{CallRow, LateRow, TimeRow};

pub(crate) const TIME_WORD: &str = "# TIME\t";
pub(crate) const CALL_WORD: &str = "# CALL\t";
pub(crate) const LATE_WORD: &str = "# LATE\t";

/// The label of calls without a communicator.
pub(crate) const NO_COMM: &str = "-";

impl Profile {
    /// Writes the lines about time.
    pub(super) fn times(&self, out: &mut Out) {
        let me = u64::from(self.me);
        if let Some(TimeRow { mode, clock, elapsed, domain, error }) = &self.time {
            out.put(TIME_WORD.as_bytes());
            out.number(me);
            out.put(b"\t");
            out.put(mode.as_str().as_bytes());
            out.amount(*elapsed, " ns\t");
            out.put(clock.as_str().as_bytes());
            out.amount(*error, " ns");
            out.amount(*domain, "\n");
        }
        for row in &self.calls {
            out.put(CALL_WORD.as_bytes());
            out.number(me);
            out.call(row);
        }
        for row in &self.late {
            out.put(LATE_WORD.as_bytes());
            out.number(me);
            out.late(row);
        }
    }
}

impl Out {
    /// Writes a tab, a number, and the text behind it.
    fn amount(&mut self, number: u64, unit: &str) {
        self.put(b"\t");
        self.number(number);
        self.put(unit.as_bytes());
    }

    fn comm(&mut self, comm: &str) {
        self.put(b"\t");
        self.name(if comm.is_empty() { NO_COMM } else { comm });
    }

    fn call(&mut self, row: &CallRow) {
        self.put(b"\tMPI_");
        self.put(row.call.name.as_bytes());
        self.comm(&row.comm);
        self.amount(row.region.into(), "");
        self.amount(row.site, "");
        self.amount(row.count, " calls");
        self.amount(row.timed, " timed");
        self.amount(row.ns, " ns");
        self.amount(row.min, " ns");
        self.amount(row.max, " ns");
        self.amount(row.bytes, " bytes\t");
        for (at, (bin, count)) in row.durations.iter().enumerate() {
            if at != 0 {
                self.put(b",");
            }
            self.number((*bin).into());
            self.put(b":");
            self.number(*count);
        }
        self.put(b"\n");
    }

    /// Writes times relative to that of the first operation, which makes the line shorter.
    fn late(&mut self, row: &LateRow) {
        let base = row.operations.iter().map(|operation| operation.entry).min().unwrap_or(0);
        self.amount(row.lineage, "");
        self.comm(&row.comm);
        self.amount(base, " ns\t");
        for (at, operation) in row.operations.iter().enumerate() {
            if at != 0 {
                self.put(b",");
            }
            self.number(operation.number);
            self.put(b":");
            self.put(operation.call.name.as_bytes());
            for number in [operation.entry - base, operation.exit.saturating_sub(operation.entry)] {
                self.put(b":");
                self.number(number);
            }
        }
        self.put(b"\n");
    }
}
