//! Isolation of tool sessions, regardless of operations on their handles.

use mpit_format::messages::BINS;
use mpit_tests::{Context, Outcome, launch::Job};

use crate::{MONITORED, equal, on_each_in_dir, read_all, rows, rows::Rows};

const RANKS: u32 = 2;

/// Returns the rows of the actions of `session_isolation`, repeated `times` times.
fn acts(rank: u32, times: u64) -> Rows {
    let row = |row: &str, about: &str, messages: u64, bytes: u64| {
        ((row.to_owned(), about.to_owned()), (messages * times, bytes * times))
    };
    let (other, world) = (&(1 - rank).to_string(), "MPI_COMM_WORLD");
    Rows::from([
        row("E", other, 1, 100),
        row("S", other, 2, 12),
        row("R", other, 1, 20),
        row("C", other, 3, 18),
        row("O2A", world, 1, 5),
        row("A2O", world, 1, 6),
        row("A2A", world, 1, 7),
    ])
}

/// Returns the histogram of the messages to the other process: all have 100 bytes, so they are in the bin from 64 to 127.
fn histogram(times: u64) -> Vec<u64> {
    let mut bins = vec![0; BINS];
    bins[7] = times;
    bins
}

#[test]
fn sessions_do_not_affect_each_other() -> Outcome {
    on_each_in_dir("session_isolation", |stack, dir| {
        let program = stack.compile("session_isolation")?;
        // Only handles record, or monitoring as well.
        for settings in [&[][..], &[MONITORED]] {
            Job::mpi(stack, RANKS).arg(&program).arg(dir).under_mpit(settings)?.succeed()?;
            for (stem, times) in [("first", 1), ("whole", 5), ("part", 1)] {
                for (rank, prof) in (0..).zip(read_all(&dir.join(stem), RANKS)?) {
                    let run = format!("{settings:?}, {stem}, rank {rank}");
                    rows::same(rank, &rows::of(&prof), &acts(rank, times)).context(&run)?;
                    let sizes = &prof.rows('E')[&(1 - rank)].histogram;
                    equal(format!("{run}: the histogram"), sizes, &Some(histogram(times)))?;
                }
            }
        }
        Ok(())
    })
}
