//! Functions that the tests of this crate share.

use std::fs;
use std::path::Path;

use mpit_format::container::{self, Text};
use mpit_report::{Job, input};
use tempfile::TempDir;

pub(crate) fn directory(files: &[(&str, &[u8])]) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, bytes) in files {
        fs::write(directory.path().join(name), bytes).expect("a file");
    }
    directory
}

pub(crate) fn read(directory: &Path) -> Job {
    let runs = input::find(&[directory.to_owned()], false).expect("files");
    assert_eq!(runs.len(), 1);
    runs[0].read(&|_| ())
}

/// Returns the problems, one line each, without the directory.
pub(crate) fn problems(job: &Job, directory: &Path) -> Vec<String> {
    let prefix = format!("{}/", directory.display());
    job.problems.iter().map(|problem| problem.to_string().replace(&prefix, "")).collect()
}

/// Returns the problems of files of one run.
pub(crate) fn problems_of(files: &[(&str, &[u8])]) -> Vec<String> {
    let directory = directory(files);
    problems(&read(directory.path()), directory.path())
}

/// Returns the files of these processes.
pub(crate) fn profs(ranks: &[u32]) -> TempDir {
    let directory = directory(&[]);
    for rank in ranks {
        fs::write(directory.path().join(format!("run.{rank}.prof")), prof(*rank)).expect("a file");
    }
    directory
}

pub(crate) fn texts(ranks: &[u32]) -> Vec<Text> {
    let text = |rank: &u32| Text { rank: *rank, host: "node".into(), text: prof(*rank).into_bytes() };
    ranks.iter().map(text).collect()
}

/// Returns the file of a job of four processes, of which some are missing for a reason.
pub(crate) fn container(ranks: &[u32], missing: &[(u32, String)]) -> Vec<u8> {
    let mut file = Vec::new();
    container::write(&mut file, 4, None, texts(ranks), missing).expect("a file in memory");
    file
}

/// Returns the file of a job of four processes with these texts: rank, machine, text.
pub(crate) fn container_of(texts: &[(u32, &str, String)], missing: &[(u32, String)]) -> Vec<u8> {
    let text = |(rank, host, text): &(u32, &str, String)| Text {
        rank: *rank,
        host: (*host).into(),
        text: text.clone().into_bytes(),
    };
    let texts: Vec<_> = texts.iter().map(text).collect();
    let mut file = Vec::new();
    container::write(&mut file, 4, None, &texts, missing).expect("a file in memory");
    file
}

/// Adds the time of a rank: it computes for 4 - `rank` of 4 seconds, and rank 0 is late by a second in each of two barriers.
pub(crate) fn with_times(rank: u32, text: String) -> String {
    let entries = if rank == 0 {
        "1:Barrier:1000000000:5,2:Barrier:3000000000:5"
    } else {
        "1:Barrier:0:1000000005,2:Barrier:2000000000:1000000005"
    };
    let (longest, durations) = match rank {
        0 => (0, "0:2".to_owned()),
        _ => {
            (u64::from(rank) * 1_000_000_000, format!("0:1,{}:1", if rank == 1 { 30 } else { 31 + rank / 3 }))
        }
    };
    text + &format!(
        "# TIME\t{rank}\tblocking\t4000000000 ns\ttsc\t40 ns\t77\n\
         # CALL\t{rank}\tMPI_Barrier\tMPI_COMM_WORLD\t0\t0\t2 calls\t2 timed\t{longest} ns\t0 ns\t{longest} ns\t0 bytes\t{durations}\n\
         # CALL\t{rank}\tMPI_Send\tMPI_COMM_WORLD\t0\t0\t27 calls\t27 timed\t1000 ns\t30 ns\t60 ns\t108 bytes\t5:3,6:24\n\
         # LATE\t{rank}\t5\tMPI_COMM_WORLD\t5000000 ns\t{entries}\n"
    )
}

/// Adds facts about the job to the text of rank 0.
pub(crate) fn with_facts(rank: u32, text: String) -> String {
    match rank {
        0 => text + "# ABOUT\tprogram\t./app \"<b>\"\n# ABOUT\tmpi\tOpen MPI v4.1.4\n",
        _ => text,
    }
}

pub(crate) fn histogram(bin: usize, count: u64) -> String {
    let bins: Vec<_> = (0..66).map(|at| if at == bin { count } else { 0 }.to_string()).collect();
    bins.join(",")
}

/// The file of one process of four, with every kind of line.
pub(crate) fn prof(me: u32) -> String {
    let (right, left, gathered) = ((me + 1) % 4, (me + 3) % 4, 1000 + me);
    let (many, one) = (histogram(3, 30), histogram(3, 1));
    format!(
        "# POINT TO POINT\n\
         E\t{me}\t{right}\t108 bytes\t27 msgs sent\t{many}\n\
         I\t{me}\t{right}\t0 bytes\t3 msgs sent\n\
         I\t{me}\t{left}\t7 bytes\t1 msgs sent\t{one}\n\
         # OSC\n\
         S\t{me}\t{right}\t12 bytes\t1 msgs sent\n\
         R\t{me}\t{right}\t4096 bytes\t2 msgs sent\n\
         # COLLECTIVES\n\
         C\t{me}\t{left}\t{gathered} bytes\t5 msgs sent\n\
         D\tMPI_COMM_WORLD\tprocs: 0,1,2,3\n\
         O2A\t{me}\t24 bytes\t2 msgs sent\n\
         A2O\t{me}\t0 bytes\t0 msgs sent\n\
         A2A\t{me}\t96 bytes\t8 msgs sent\n\
         D\tMPI_COMM_SELF\tprocs: {me}\n\
         O2A\t{me}\t0 bytes\t0 msgs sent\n\
         A2O\t{me}\t0 bytes\t0 msgs sent\n\
         A2A\t{me}\t0 bytes\t0 msgs sent\n"
    )
}
