//! Writes files of jobs that never ran: `simulate RANKS PATTERN JOBS DIRECTORY`. `cargo xtask simulate` runs it.

use std::fs::{self, File};
use std::path::Path;
use std::process::ExitCode;

use mpit_report::Matrix;
use mpit_report::placement::patterns;
use mpit_report::simulated::SimulatedJob;

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
    let [ranks, pattern, jobs, directory] = words else {
        return Err("usage: simulate RANKS PATTERN JOBS DIRECTORY".into());
    };
    let number = |text: &String| text.parse::<u32>().map_err(|error| format!("{text}: {error}"));
    let (ranks, jobs) = (number(ranks)?, number(jobs)?);
    let matrix = matrix(pattern, ranks)?;
    let directory = Path::new(directory);
    fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    for job in 0..jobs {
        let simulated = SimulatedJob {
            name: format!("job{job:06}"),
            program: format!("/apps/{pattern}"),
            ranks,
            ranks_of_node: 64,
            first_node: 0,
            seconds: 100.0,
            waiting: 0.2,
            slow_node: None,
        };
        let path = directory.join(format!("job{job:06}.prof"));
        let written = File::create(&path).and_then(|file| simulated.write(file, &matrix));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
    }
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
        "stencil3d" => Ok(patterns::stencil(cube()?, 3, [800_000; 3], true)),
        "random" => Ok(patterns::random(ranks, 26, 1 << 20, 1)),
        "alltoall" if ranks <= 10_000 => Ok(patterns::all_to_all(ranks)),
        "alltoall" => Err("all to all has the square of the ranks in pairs: at most 10000 ranks".into()),
        _ => Err(format!("no pattern {pattern}, only stencil3d, random and alltoall")),
    }
}
