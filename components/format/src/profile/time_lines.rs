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

/// The units of the numbers of a call, each with the tab behind it.
pub(crate) const CALL_UNITS: [&str; 6] = [" calls\t", " timed\t", " ns\t", " ns\t", " ns\t", " bytes\t"];

impl Profile {
    pub(super) fn times(&self, out: &mut Out) {
        if let Some(TimeRow { mode, clock, elapsed, domain, error }) = &self.time {
            self.begin(out, TIME_WORD);
            out.text(mode.as_str(), "\t");
            out.amount(*elapsed, " ns\t");
            out.text(clock.as_str(), "\t");
            out.amount(*error, " ns\t");
            out.amount(*domain, "\n");
        }
        for row in &self.calls {
            self.begin(out, CALL_WORD);
            out.call(row);
        }
        for row in &self.late {
            self.begin(out, LATE_WORD);
            out.late(row);
        }
        for SiteRow { number, offset, build_id, module } in &self.sites {
            self.begin(out, SITE_WORD);
            out.amount(*number, "\t");
            out.amount(*offset, "\t");
            out.text(build_id, "\t");
            out.text(module, "\n");
        }
        for RegionRow { number, mismatches, name } in &self.regions {
            self.begin(out, REGION_WORD);
            out.amount((*number).into(), "\t");
            out.amount(*mismatches, " mismatches\t");
            out.text(name, "\n");
        }
        for RegionTimeRow { number, visits, ns } in &self.region_times {
            self.begin(out, VISITS_WORD);
            out.amount((*number).into(), "\t");
            out.amount(*visits, " visits\t");
            out.amount(*ns, " ns\n");
        }
    }

    fn begin(&self, out: &mut Out, word: &str) {
        out.put(word.as_bytes());
        out.amount(self.me.into(), "\t");
    }
}

impl Out {
    fn amount(&mut self, number: u64, unit: &str) {
        self.number(number);
        self.put(unit.as_bytes());
    }

    fn text(&mut self, name: &str, end: &str) {
        self.name(if name.is_empty() { NONE } else { name });
        self.put(end.as_bytes());
    }

    fn list<T>(&mut self, items: &[T], mut put: impl FnMut(&mut Self, &T)) {
        for (at, item) in items.iter().enumerate() {
            if at != 0 {
                self.put(b",");
            }
            put(self, item);
        }
        self.put(b"\n");
    }

    fn call(&mut self, row: &CallRow) {
        self.put(b"MPI_");
        self.text(row.call.name, "\t");
        self.text(&row.comm, "\t");
        self.amount(row.region.into(), "\t");
        self.amount(row.site, "\t");
        let numbers = [row.count, row.timed, row.ns, row.min, row.max, row.bytes];
        for (number, unit) in numbers.into_iter().zip(CALL_UNITS) {
            self.amount(number, unit);
        }
        self.list(&row.durations, |out, (bin, count)| {
            out.amount((*bin).into(), ":");
            out.number(*count);
        });
    }

    /// Writes times relative to that of the first operation, which makes the line shorter.
    fn late(&mut self, row: &LateRow) {
        let base = row.operations.iter().map(|operation| operation.entry).min().unwrap_or(0);
        self.amount(row.lineage, "\t");
        self.text(&row.comm, "\t");
        self.amount(base, " ns\t");
        self.list(&row.operations, |out, operation| {
            out.amount(operation.number, ":");
            out.text(operation.call.name, ":");
            out.amount(operation.entry - base, ":");
            out.number(operation.exit.saturating_sub(operation.entry));
        });
    }
}
