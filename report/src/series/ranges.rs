//! Ranges of time: the rows of a series, which may have many intervals, as a few numbers.

use mpit_format::summary::Area;

use super::SeriesRow;

/// A range of the time of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TimeRange {
    /// The start and the end, in nanoseconds since the start of the series.
    pub(crate) start: f64,
    pub(crate) end: f64,
    /// The share of the time in the areas of MPI, the mean of ranks.
    pub(crate) areas: [f64; Area::ALL.len()],
    /// The smallest share in MPI of a rank, and that rank.
    pub(crate) min: (f64, u32),
    /// The largest share in MPI of a rank, and that rank.
    pub(crate) max: (f64, u32),
    /// The number of messages of all ranks.
    pub(crate) messages: f64,
    /// The bytes of these messages.
    pub(crate) bytes: f64,
}

impl TimeRange {
    /// Returns the share of the time in MPI, the mean of ranks.
    pub(crate) fn in_mpi(&self) -> f64 {
        self.areas.iter().sum()
    }
}

/// Returns the number of ranks with rows, of rows in their order.
pub(crate) fn sampled_ranks(rows: &[SeriesRow]) -> usize {
    rows.chunk_by(|one, next| one.rank == next.rank).count()
}

/// Returns at most `most` ranges of equal length, of rows in their order. A row in several ranges is divided among them.
pub(crate) fn ranges(rows: &[SeriesRow], most: usize) -> Vec<TimeRange> {
    let begin = rows.iter().map(|row| row.start).min().unwrap_or(0);
    let end = rows.iter().map(|row| row.end).max().unwrap_or(0);
    // The last interval of a process is shorter than the others.
    let interval = rows.iter().map(|row| row.end - row.start).max().unwrap_or(1).max(1);
    let span = (end - begin) as f64;
    let count = ((span / interval as f64).round() as usize).clamp(1, most.max(1));
    if span == 0.0 {
        return Vec::new();
    }
    let width = span / count as f64;
    let first = (f64::INFINITY, 0);
    let range = |at: usize| TimeRange {
        start: width * at as f64,
        end: width * (at + 1) as f64,
        min: first,
        ..TimeRange::default()
    };
    let mut all: Vec<_> = (0..count).map(range).collect();
    let ranks = sampled_ranks(rows) as f64;
    let mut in_mpi = vec![0.0; count];
    for of_rank in rows.chunk_by(|one, next| one.rank == next.rank) {
        in_mpi.fill(0.0);
        for row in of_rank {
            let (start, end) = ((row.start - begin) as f64, (row.end - begin) as f64);
            // The difference of rounded times may be 0.
            let length = (row.end - row.start) as f64;
            let range_of = |time: f64| ((time / width) as usize).min(count - 1);
            for at in range_of(start)..=range_of(end) {
                let range = &mut all[at];
                let part = (end.min(range.end) - start.max(range.start)).max(0.0) / length;
                let share = row.ns as f64 * part / width;
                in_mpi[at] += share;
                range.areas[row.area as usize] += share / ranks;
                range.messages += row.messages as f64 * part;
                range.bytes += row.bytes as f64 * part;
            }
        }
        let rank = of_rank[0].rank;
        for (range, share) in all.iter_mut().zip(&in_mpi) {
            if *share < range.min.0 {
                range.min = (*share, rank);
            }
            if *share > range.max.0 {
                range.max = (*share, rank);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use mpit_format::summary::Area;

    use super::{ranges, sampled_ranks};
    use crate::series::SeriesRow;

    const S: u64 = 1_000_000_000;

    fn row(rank: u32, seconds: (u64, u64), ns: u64, messages: u64) -> SeriesRow {
        let (start, end) = (7 + S * seconds.0, 7 + S * seconds.1);
        SeriesRow { rank, start, end, area: Area::Wait, calls: 1, ns, messages, bytes: 10 * messages }
    }

    #[test]
    fn ranges_have_shares_of_ranks() {
        let rows =
            [row(0, (0, 1), S / 2, 4), row(0, (3, 4), S, 0), row(5, (0, 1), S / 4, 2), row(5, (1, 2), 0, 3)];
        let all = ranges(&rows, 12);
        assert_eq!((all.len(), sampled_ranks(&rows)), (4, 2));
        let first = &all[0];
        assert_eq!((first.min, first.max, first.in_mpi()), ((0.25, 5), (0.5, 0), 0.375));
        assert_eq!(all.iter().map(|range| range.messages).collect::<Vec<_>>(), [6.0, 3.0, 0.0, 0.0]);
        assert_eq!((all[3].min, all[3].max, all[3].areas[Area::Wait as usize]), ((0.0, 5), (1.0, 0), 0.5));
        assert_eq!((all[3].start, all[3].end), (3.0 * S as f64, 4.0 * S as f64));
    }

    #[test]
    fn rows_are_divided_among_ranges() {
        let rows = [row(0, (0, 1), S, 6), row(0, (1, 2), 0, 1), row(0, (2, 3), S, 2)];
        let all = ranges(&rows, 2);
        let close = |one: f64, other: f64| (one - other).abs() < 1e-6;
        assert!(close(all[0].messages, 6.5) && close(all[1].messages, 2.5), "{all:?}");
        assert!(close(all[0].in_mpi(), 2.0 / 3.0) && close(all[1].bytes, 25.0), "{all:?}");
        assert_eq!(ranges(&[], 12), []);
        assert_eq!(ranges(&rows, 0).len(), 1);
        // Times of a damaged file.
        let mut far = row(1, (0, 1), u64::MAX, 0);
        (far.end, far.bytes) = (u64::MAX, u64::MAX);
        assert!(ranges(&[row(0, (0, 1), 1, 1), far], 12).iter().all(|range| range.in_mpi().is_finite()));
        // As floating-point numbers, both times are equal.
        let short = SeriesRow { start: u64::MAX - 1, ..far };
        let all = ranges(&[row(0, (0, 1), 1, 1), short], 12);
        assert!(all.iter().all(|range| range.in_mpi().is_finite() && range.messages.is_finite()), "{all:?}");
    }
}
