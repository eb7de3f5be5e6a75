//! The lines about time.

use super::{Out, Profile};
use crate::times::{CallRow, LateRow, RegionRow, RegionTimeRow, SiteRow, TimeRow};

pub(crate) const TIME_WORD: &str = "# TIME\t";
pub(crate) const CALL_WORD: &str = "# CALL\t";
pub(crate) const LATE_WORD: &str = "# LATE\t";
pub(crate) const SITE_WORD: &str = "# SITE\t";
pub(crate) const REGION_WORD: &str = "# REGION\t";
pub(crate) const VISITS_WORD: &str = "# VISITS\t";

/// A name that is empty, such as that of the communicator of calls without one.
pub(crate) const NONE: &str = "-";

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
        for SiteRow { number, offset, build_id, module } in &self.sites {
            out.put(SITE_WORD.as_bytes());
            out.number(me);
            out.amount(*number, "");
            out.amount(*offset, "");
            out.text(build_id);
            out.text(module);
            out.put(b"\n");
        }
        for RegionRow { number, mismatches, name } in &self.regions {
            out.put(REGION_WORD.as_bytes());
            out.number(me);
            out.amount((*number).into(), "");
            out.amount(*mismatches, " mismatches");
            out.text(name);
            out.put(b"\n");
        }
        for RegionTimeRow { number, visits, ns } in &self.region_times {
            out.put(VISITS_WORD.as_bytes());
            out.number(me);
            out.amount((*number).into(), "");
            out.amount(*visits, " visits");
            out.amount(*ns, " ns\n");
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

    /// Writes a tab and a name.
    fn text(&mut self, name: &str) {
        self.put(b"\t");
        self.name(if name.is_empty() { NONE } else { name });
    }

    fn call(&mut self, row: &CallRow) {
        self.put(b"\tMPI_");
        self.put(row.call.name.as_bytes());
        self.text(&row.comm);
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
        self.text(&row.comm);
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
