//! Writes files of jobs that never ran: `simulate RANKS PATTERN JOBS DIRECTORY`, or `simulate fleet FIRST JOBS DIRECTORY`, of a fleet,
//! which prints what stands out. With `simulate end RANKS`, merges the summaries of such a job as its processes do at their end, and
//! prints the cost. `cargo xtask simulate` runs all of these.

use std::fs::{self, File};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mpit_format::summary::{MAX_SENT, Summary, SummaryFile};
use mpit_placement::Matrix;
use mpit_tests::patterns;
use mpit_tests::simulated::{SLOW_NODE, SMALL_MESSAGES_JOB, SimulatedJob, WAITING_JOB};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("simulate: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<(), String> {
    let number = |text: &str| text.parse::<u32>().map_err(|error| format!("{text}: {error}"));
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["end", ranks] => merge_summaries(number(ranks)?),
        ["fleet", first, jobs, directory] => {
            let first = number(first)?;
            (first..first.saturating_add(number(jobs)?)).try_for_each(|job| {
                let (simulated, matrix) = SimulatedJob::of_fleet(job);
                print_outliers(job, &simulated);
                write(&simulated, &matrix, job, directory)
            })
        }
        [ranks, pattern, jobs, directory] => {
            let ranks = number(ranks)?;
            let matrix = matrix(pattern, ranks)?;
            (0..number(jobs)?).try_for_each(|job| {
                write(&simulated_job(format!("job{job:06}"), pattern, ranks), &matrix, job, directory)
            })
        }
        _ => Err("usage: simulate RANKS PATTERN JOBS DIRECTORY, simulate fleet FIRST JOBS DIRECTORY, or simulate end \
                  RANKS"
            .into()),
    }
}

/// Prints what stands out in a job of a fleet: the name of the question, and the answer.
fn print_outliers(job: u32, simulated: &SimulatedJob) {
    match job {
        WAITING_JOB => println!("waiting job{job:06}"),
        SMALL_MESSAGES_JOB => println!("small_messages job{job:06}"),
        _ => (),
    }
    if simulated.nodes().contains(&SLOW_NODE) {
        println!("slow_nodes node{SLOW_NODE:05}");
    }
}

/// Writes the file of a job into a directory, which is made.
fn write(simulated: &SimulatedJob, matrix: &Matrix, job: u32, directory: &str) -> Result<(), String> {
    let path = Path::new(directory).join(format!("job{job:06}.prof"));
    let written = fs::create_dir_all(directory)
        .and_then(|()| File::create(&path))
        .and_then(|file| simulated.write(file, matrix));
    written.map_err(|error| format!("{}: {error}", path.display()))
}

fn simulated_job(name: String, pattern: &str, ranks: u32) -> SimulatedJob {
    SimulatedJob {
        name,
        program: format!("/apps/{pattern}"),
        ranks,
        ranks_of_node: 64,
        first_node: 0,
        seconds: 100.0,
        waiting: 0.2,
        has_collectives: pattern == "collective",
        slow_node: None,
    }
}

/// The number of operations that a process keeps on a communicator.
const SAMPLED: u64 = 256;

/// Sends of the processes at one height of the tree.
#[derive(Clone, Copy, Default)]
struct Level {
    processes: u64,
    bytes: u64,
    most_bytes: usize,
    time: Duration,
}

/// Merges the summaries of a job's processes along a binomial tree, each as text, and prints a line: the bytes that a process sends on
/// average and at most, the bytes of the file, and the milliseconds of the longest path, with the mean time of a merge at each height.
fn merge_summaries(ranks: u32) -> Result<(), String> {
    let job = simulated_job("job".into(), "stencil3d", ranks);
    let matrix = matrix("stencil3d", ranks)?;
    let mut levels: Vec<Level> = Vec::new();
    let mut receive = |sum: &mut Summary, height: usize, other: &Summary| -> Result<(), String> {
        levels.resize(levels.len().max(height + 1), Level::default());
        let begin = Instant::now();
        let text = other.text(MAX_SENT);
        let received = Summary::parse(&text).map_err(|line| format!("line {line} is invalid"))?;
        sum.merge(&received);
        let level = &mut levels[height];
        level.time += begin.elapsed();
        level.processes += 1;
        level.bytes += text.len() as u64;
        level.most_bytes = level.most_bytes.max(text.len());
        Ok(())
    };
    // Subtrees that wait for their right neighbors, the largest ones first, by height.
    let mut subtrees: Vec<(usize, Summary)> = Vec::new();
    for summary in job.summaries(&matrix, SAMPLED) {
        subtrees.push((0, summary));
        while let [.., (left, _), (right, _)] = subtrees[..]
            && left == right
            && let Some((height, other)) = subtrees.pop()
            && let Some((of_sum, sum)) = subtrees.last_mut()
        {
            receive(sum, height, &other)?;
            *of_sum += 1;
        }
    }
    while subtrees.len() > 1
        && let Some((height, other)) = subtrees.pop()
        && let Some((_, sum)) = subtrees.last_mut()
    {
        receive(sum, height, &other)?;
    }
    let (_, summary) = subtrees.pop().ok_or("a job has ranks")?;
    let sent: u64 = levels.iter().map(|level| level.bytes).sum();
    let most = levels.iter().map(|level| level.most_bytes).max().unwrap_or(0);
    let path: f64 =
        levels.iter().map(|level| level.time.as_secs_f64() * 1e3 / level.processes.max(1) as f64).sum();
    let file = SummaryFile { summary, ..SummaryFile::default() }.text();
    println!("{ranks}\t{}\t{most}\t{}\t{path:.1}", sent / u64::from(ranks), file.len());
    Ok(())
}

fn matrix(pattern: &str, ranks: u32) -> Result<Matrix, String> {
    // Another number of ranks is only near a cube.
    let side = f64::from(ranks).cbrt().round() as u32;
    let cube = || {
        if side.pow(3) == ranks {
            Ok([side; 3])
        } else {
            Err(format!("{ranks} ranks are no cube, {} are", side.pow(3)))
        }
    };
    match pattern {
        "stencil3d" | "collective" => Ok(patterns::stencil(cube()?, 3, [800_000; 3], true)),
        "random" => Ok(patterns::random(ranks, 26, 1 << 20, 1)),
        "alltoall" if ranks <= 10_000 => Ok(patterns::all_to_all(ranks)),
        "alltoall" => Err("all to all has the square of the ranks in pairs: at most 10000 ranks".into()),
        _ => Err(format!("no pattern {pattern}, only stencil3d, collective, random and alltoall")),
    }
}
