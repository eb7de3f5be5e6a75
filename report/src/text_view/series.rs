//! The view of the development over time.

use super::View;
use crate::columns::{Row, rows};
use crate::job::Job;
use crate::series::{TimeRange, ranges, sampled_ranks};

/// The maximum number of rows.
const ROWS: usize = 12;

rows! {
    /// A range of time. The columns about time are missing if no time was recorded.
    struct Range {
        fn of(range: &TimeRange, has_times: bool) {
            let known = |value: f64| if has_times { Some(value) } else { None };
        }
        from: f64 = range.start / 1e9 => (Time "from"),
        to: f64 = range.end / 1e9 => (Time "to"),
        in_mpi: Option<f64> = known(range.in_mpi()) => (Share "in MPI"),
        min: Option<f64> = known(range.min.0) => (Share "least"),
        min_rank: u32 = range.min.1 => (Plain "rank"),
        max: Option<f64> = known(range.max.0) => (Share "most"),
        max_rank: u32 = range.max.1 => (Plain "rank"),
        messages: u64 = range.messages.round() as u64 => (Count "messages"),
        bytes: u64 = range.bytes.round() as u64 => (Bytes "bytes"),
    }
}

/// Returns the ranges of time of a job; empty without a series.
pub(super) fn series(job: &Job) -> View {
    let sampled = sampled_ranks(&job.series);
    let has_times = job.series.iter().any(|row| row.ns > 0);
    let of_ranks = match job.size as usize {
        size if sampled < size => format!(" ({sampled} of {size} ranks)"),
        _ => String::new(),
    };
    let about = if has_times {
        "the share of time in MPI, mean, least and most of a rank, and the messages sent"
    } else {
        "the messages sent"
    };
    let mut columns = Range::columns();
    columns.retain(|column| has_times || ["from", "to", "messages", "bytes"].contains(&column.name));
    let rows = ranges(&job.series, ROWS).into_iter().map(|range| Range::of(&range, has_times));
    let rows = rows.map(|range| (range.in_mpi.map(|share| share.min(1.0)), range));
    View::of(format!("Time ranges{of_ranks}: {about}"), &columns, rows, 0)
}

#[cfg(test)]
mod tests {
    use mpit_format::summary::Area;

    use super::{ROWS, series};
    use crate::export::{ReportTable, write_csv};
    use crate::job::Job;
    use crate::job_part::Part;
    use crate::series::SeriesRow;

    /// Returns a job of two ranks, of which one sends in the first half and waits in the second one.
    fn job(seconds: u64, size: u32) -> Job {
        let row = |rank: u32, at: u64| SeriesRow {
            rank,
            start: 1_000_000_000 * (70 + at),
            end: 1_000_000_000 * (71 + at),
            area: if at < seconds / 2 { Area::PointToPoint } else { Area::Wait },
            calls: 10,
            ns: if at < seconds / 2 { 250_000_000 } else { 1_000_000_000 },
            messages: if at < seconds / 2 { 1000 } else { 0 },
            bytes: if at < seconds / 2 { 1024 } else { 0 },
        };
        let rows = (0..seconds).rev().map(|at| row(7, at)).chain([row(3, 0)]);
        Part { series: rows.collect(), ranks: vec![3, 7], size, ..Part::default() }.finish(None, Vec::new())
    }

    #[test]
    fn ranges_are_a_few_rows() {
        let table = series(&job(4, 9));
        assert!(table.heading.starts_with("Time ranges (2 of 9 ranks): "), "{}", table.heading);
        let rows: Vec<_> = table.rows.iter().map(|row| row.cells.join("; ")).collect();
        assert_eq!(
            rows,
            [
                "0 ns; 1.00 s; 25 %; 25 %; 3; 25 %; 3; 2 000; 2.00 KiB",
                "1.00 s; 2.00 s; 12 %; 0 %; 3; 25 %; 7; 1 000; 1.00 KiB",
                "2.00 s; 3.00 s; 50 %; 0 %; 3; 100 %; 7; 0; 0 B",
                "3.00 s; 4.00 s; 50 %; 0 %; 3; 100 %; 7; 0; 0 B",
            ]
        );
        assert_eq!(series(&job(1000, 9)).rows.len(), ROWS);
        assert!(series(&Job::default()).rows.is_empty());
        // With `--time off`.
        let mut job = job(4, 9);
        job.series.retain(|row| row.messages > 0);
        job.series.iter_mut().for_each(|row| row.ns = 0);
        let table = series(&job);
        let rows: Vec<_> = table.rows.iter().map(|row| row.cells.join("; ")).collect();
        assert_eq!(rows, ["0 ns; 1.00 s; 2 000; 2.00 KiB", "1.00 s; 2.00 s; 1 000; 1.00 KiB"]);
        assert_eq!((table.heads.len(), table.has_bars()), (4, false));
    }

    #[test]
    fn tables_have_each_row() {
        let mut csv = Vec::new();
        write_csv(&mut csv, &job(2, 9), ReportTable::Series).unwrap();
        let expected = "rank,start,end,area,calls,seconds,messages,bytes\n3,0.0,1.0,p2p,10,0.25,1000,1024\n\
                        7,0.0,1.0,p2p,10,0.25,1000,1024\n7,1.0,2.0,wait,10,1.0,0,0\n";
        assert_eq!(String::from_utf8(csv).unwrap(), expected);
    }
}
