//! A bar for each range of time: the parts of the time in MPI.

use std::fmt;

use super::bars::{AREAS, bars};
use crate::job::Job;
use crate::series::ranges;
use crate::units::duration;

/// The maximum number of bars, which are visible on a telephone as well.
const MOST: usize = 100;

/// Writes the bars of a job with a series.
pub(super) fn section(out: &mut String, job: &Job) -> fmt::Result {
    let ranges = ranges(&job.series, MOST);
    let Some(last) = ranges.last() else { return Ok(()) };
    if ranges.iter().all(|range| range.in_mpi() == 0.0) {
        return Ok(());
    }
    let all: Vec<_> = ranges.iter().map(|range| range.areas).collect();
    let text = "Time in MPI over the run, mean of ranks: full height is all the time";
    bars(out, text, &AREAS, (&all, 1.0), ["0 s", &duration(last.end)])
}

#[cfg(test)]
mod tests {
    use mpit_format::summary::Area;

    use super::section;
    use crate::job::Job;
    use crate::job_part::Part;
    use crate::series::SeriesRow;

    #[test]
    fn bars_are_those_of_ranges() {
        let row = |start: u64, area, ns| SeriesRow {
            rank: 0,
            start: start * 1_000_000_000,
            end: (start + 1) * 1_000_000_000,
            area,
            calls: 1,
            ns,
            messages: 0,
            bytes: 0,
        };
        let mut out = String::new();
        section(&mut out, &Job::default()).unwrap();
        assert_eq!(out, "");
        let rows = vec![row(0, Area::Collective, 500_000_000), row(1, Area::Wait, 1_000_000_000)];
        let part = Part { series: rows, ..Part::default() };
        section(&mut out, &part.finish(None, Vec::new())).unwrap();
        // Half of the height of the first bar, and the whole second one.
        assert!(out.contains("<path class=\"part1\" d=\"M1.0 80.00h8.0v80.00h-8.0z\"/>"), "{out}");
        assert!(out.contains("<path class=\"part3\" d=\"M11.0 0.00h8.0v160.00h-8.0z\"/>"), "{out}");
        assert!(out.contains("<span>0 s</span><span>2.00 s</span>") && !out.contains("part0"), "{out}");
    }
}
