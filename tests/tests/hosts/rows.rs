//! Comparison of a program's records with the rows that it expects, which it writes itself (`hosts/c/expected_rows.h`).

use std::{collections::BTreeMap, fs, path::Path};

use mpit_tests::{
    Context, Failure, Outcome,
    launch::Job,
    prof::{Prof, Traffic},
    stacks::Stack,
};

use crate::{read_all, written_to};

/// Messages and bytes by row and subject: a peer, or the name of a communicator.
pub(crate) type Rows = BTreeMap<(String, String), (u64, u64)>;

/// Returns the rows of a file. Communicators without traffic are left out; freed ones with the same name are
/// added up.
pub(crate) fn of(prof: &Prof) -> Rows {
    let mut rows = Rows::new();
    let mut add = |row: &str, about: String, traffic: &Traffic| {
        let sum = rows.entry((row.to_owned(), about)).or_default();
        *sum = (sum.0 + traffic.messages, sum.1 + traffic.bytes);
    };
    for kind in ['E', 'I', 'S', 'R', 'C'] {
        for (peer, traffic) in prof.rows(kind) {
            add(&kind.to_string(), peer.to_string(), traffic);
        }
    }
    for comm in &prof.communicators {
        for (row, traffic) in ["O2A", "A2O", "A2A"].into_iter().zip(&comm.collectives) {
            if traffic.messages != 0 {
                add(row, comm.name.clone(), traffic);
            }
        }
    }
    rows
}

/// Returns the rows that a process expects.
pub(crate) fn expected_of(dir: &Path, rank: u32) -> Outcome<Rows> {
    of_lines(&dir.join(format!("expected.{rank}")))
}

/// Returns the rows of a file, each of which may be split into several lines.
pub(crate) fn of_lines(path: &Path) -> Outcome<Rows> {
    let text = fs::read_to_string(path).context(path.display())?;
    let mut rows = Rows::new();
    for line in text.lines() {
        let fields: Vec<_> = line.split(' ').collect();
        let [row, about, messages, bytes] = fields[..] else {
            return Err(Failure::new(format!("{}: {line}", path.display())));
        };
        let (messages, bytes): (u64, u64) = (messages.parse().context(line)?, bytes.parse().context(line)?);
        let sum = rows.entry((row.to_owned(), about.to_owned())).or_default();
        *sum = (sum.0 + messages, sum.1 + bytes);
    }
    Ok(rows)
}

/// Fails with the rows that differ.
pub(crate) fn same(rank: u32, got: &Rows, wanted: &Rows) -> Outcome {
    let lines: Vec<_> = got
        .keys()
        .chain(wanted.keys().filter(|key| !got.contains_key(*key)))
        .filter(|key| got.get(*key) != wanted.get(*key))
        .map(|key| format!("  {key:?}: is {:?}, should be {:?}", got.get(key), wanted.get(key)))
        .collect();
    Failure::unless(lines.is_empty(), || {
        format!("rank {rank}: row -> (messages, bytes) differ\n{}", lines.join("\n"))
    })
}

/// Runs the C program `name` on a stack under mpit and compares its files with the expected rows.
pub(crate) fn match_expected_rows(stack: &Stack, name: &str, ranks: u32) -> Outcome {
    let program = stack.compile(name)?;
    let dir = stack.scratch(name)?;
    Job::mpi(stack, ranks).arg(program).arg(".").dir(&dir).under_mpit(&written_to("prof"))?.succeed()?;
    for (rank, prof) in (0..).zip(read_all(&dir.join("prof"), ranks)?) {
        same(rank, &of(&prof), &expected_of(&dir, rank)?)?;
    }
    Ok(())
}
