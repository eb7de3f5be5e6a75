//! `mpit map`: a placement of ranks with fewer bytes between nodes, as a file for the launcher.

mod launcher;
mod topology;

use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, ValueEnum};
use mpit_components::output::write_whole;
use mpit_job::launcher::Placement;
use mpit_placement::{self as placement, Gain, Matrix, Order, Topology};
use mpit_report::matrix::Selection;
use mpit_report::picture::SHOWN;
use mpit_report::units::{bytes, percent};
use mpit_report::{Job, input};

use crate::report::{print_problems, read};
use crate::{output, print};
use topology::{NodeCount, Nodes};

#[derive(Debug, Args)]
pub(crate) struct Map {
    /// The run, as for `mpit report`: a file, a directory, or the first part of file names
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The phase, if there are several: phase_1 for phase_1.0.prof and so on
    #[arg(long, value_name = "NAME")]
    phase: Option<String>,
    /// The nodes of the next run and the cores of each; with --topology, the number of nodes [default: those of the run, with
    /// as many ranks on each]
    #[arg(long, value_name = "NODESxCORES")]
    nodes: Option<NodeCount>,
    /// The XML file that `lstopo` writes on a node, for its number of cores; for different nodes, a file of each
    #[arg(long, value_name = "FILE")]
    topology: Vec<PathBuf>,
    /// The names of the nodes [default: those of the files, or else node0, node1 and so on]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    hosts: Vec<String>,
    /// The launcher of the next run [default: that of the MPI library that the files name]
    #[arg(long, value_name = "LAUNCHER", value_parser = launcher::parser())]
    launcher: Option<&'static Placement>,
    /// The program that divides the ranks
    #[arg(long, value_enum, value_name = "PROGRAM", default_value = "own")]
    partitioner: Partitioner,
    /// The bytes that count
    #[arg(long, value_enum, value_name = "KIND", default_value = "program")]
    traffic: Traffic,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Partitioner {
    /// The code of mpit
    Own,
    /// The program scotch_gmap of Debian's package scotch, and refinement by mpit
    Scotch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Traffic {
    /// Messages, one-sided and collective operations of the program
    Program,
    /// Messages of the program
    External,
    /// Messages of the library, by which Open MPI carries out collective operations
    Internal,
    /// One-sided operations
    Osc,
    /// Collective operations, as if each pair of processes exchanged the data directly
    Coll,
}

impl Traffic {
    fn of(self, job: &Job) -> Cow<'_, Matrix> {
        let selection = match self {
            Self::Program => return job.matrix_of(&SHOWN),
            Self::External => Selection::External,
            Self::Internal => Selection::Internal,
            Self::Osc => Selection::OneSided,
            Self::Coll => Selection::Collective,
        };
        selection.of(job).unwrap_or_default()
    }
}

/// Writes the file for the launcher, unless there is nothing to gain; then the exit status is 1.
pub(crate) fn map(args: &Map) -> Result<ExitCode, String> {
    let job = job(args)?;
    let launcher = match args.launcher {
        Some(launcher) => launcher,
        None => launcher::of(&job)?,
    };
    let mut nodes = Nodes::of(args, &job)?;
    if launcher::has_ranks_only(launcher) {
        nodes.use_present_counts()?;
    }
    let topology = &nodes.topology;
    let matrix = args.traffic.of(&job);
    let begin = Instant::now();
    let placed = match args.partitioner {
        Partitioner::Own => placement::place(&matrix, &topology.cores, &topology.present),
        Partitioner::Scotch => placement::scotch(&matrix, &topology.cores, &topology.present)
            .map_err(|error| error.to_string())?,
    };
    let seconds = begin.elapsed().as_secs_f64();
    let gain = Gain::of(&matrix, &topology.present, &placed);
    print(&described(topology));
    for line in described_gain(&gain) {
        print(&line);
    }
    print(&format!("a prediction from the recorded bytes, in {seconds:.2} s"));
    if !gain.is_worthwhile() {
        print("nothing to gain: less than 5 %; no file is written");
        return Ok(ExitCode::from(1));
    }
    let names = launcher::names_of_nodes(launcher, nodes.names(), !args.hosts.is_empty());
    let text = launcher::text(launcher, Order { nodes: &placed, names: &names });
    match &args.output {
        Some(path) => write_whole(path, |mut file| file.write_all(text.as_bytes()))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?,
        None => _ = output(&text)?,
    }
    if !launcher::has_ranks_only(launcher) && nodes.has_placeholders() {
        print("the files name other nodes: replace node0, node1 and so on by names of nodes, or use --hosts");
    }
    let file = args.output.as_ref().map_or("FILE".into(), |path| path.display().to_string());
    print(&format!("next run: {}", launcher::command_line(launcher, &file, &job, topology)));
    Ok(ExitCode::SUCCESS)
}

/// Reads the run, or the newest one of its name.
fn job(args: &Map) -> Result<Job, String> {
    let mut runs = input::find(std::slice::from_ref(&args.run), false).map_err(|error| error.to_string())?;
    runs.retain(|run| run.newer() == 0);
    let all: Vec<_> = runs.iter().map(|run| run.stem().to_owned()).collect();
    if let Some(phase) = &args.phase {
        runs.retain(|run| run.stem() == phase);
    }
    match &runs[..] {
        [run] => {
            let job = read(run);
            print_problems(&job);
            if job.present < job.size {
                print(&format!("{} of {} processes have no data", job.size - job.present, job.size));
            }
            Ok(job)
        }
        [] => Err(format!("there is no such phase; there are {}", all.join(", "))),
        _ => Err(format!("there are several runs or phases; choose one by --phase: {}", all.join(", "))),
    }
}

fn described(Topology { cores, present, is_recorded }: &Topology) -> String {
    let now = if *is_recorded { "as in the run" } else { "in the order of ranks, node by node" };
    format!("{} processes, {} nodes; now: {now}", present.len(), cores.len())
}

/// Returns two lines: the bytes of all nodes and those of the busiest one.
fn described_gain(gain: &Gain) -> [String; 2] {
    let Gain { total, now, after, busiest_now, busiest_after } = *gain;
    let share = |part: u128| 100.0 * part as f64 / total.max(1) as f64;
    let direction = if busiest_after > busiest_now { "more" } else { "less" };
    [
        format!(
            "bytes between nodes: now {} ({:.1} % of {}), after {} ({:.1} %): {} less",
            bytes(now),
            share(now),
            bytes(total),
            bytes(after),
            share(after),
            percent(now.saturating_sub(after), now)
        ),
        format!(
            "busiest node: now {}, after {}: {} {direction}",
            bytes(busiest_now),
            bytes(busiest_after),
            percent(busiest_now.abs_diff(busiest_after), busiest_now)
        ),
    ]
}

#[cfg(test)]
mod tests {
    use mpit_placement::Gain;

    use super::described_gain;

    #[test]
    fn gains_name_the_busiest_node() {
        let line = |busiest_now, busiest_after| {
            described_gain(&Gain { total: 919, now: 11, after: 11, busiest_now, busiest_after })[1].clone()
        };
        assert_eq!(line(905, 11), "busiest node: now 905 B, after 11 B: 99 % less");
        assert_eq!(line(11, 908), "busiest node: now 11 B, after 908 B: 8155 % more");
    }
}
