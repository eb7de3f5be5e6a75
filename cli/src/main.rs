//! The command `mpit`: runs MPI programs with the preload library, reports their messages, lists the variables that MPI
//! tools can use, and checks plug-ins.
//!
//! # API boundary
//!
//! Options, exit statuses, JSON and file names are the interface; `docs/` describes them. No other crate uses this one.
//!
//! # Invariants
//!
//! * A subcommand is a module. It prints results to standard output, and messages to standard error, each in one line.
//! * `mpit run` ends as its command ends, with the same exit status or signal.
//! * Text of other programs is printed without control characters.

mod check;
mod conform;
mod doctor;
mod elf;
mod forwarding;
mod inherited;
mod inventory;
mod inventory_view;
mod manual;
mod map;
mod pack;
mod pid_namespace;
mod preload;
mod process_files;
mod rank_lists;
mod report;
mod run;
mod search_path;
mod settings;
mod text_table;
mod time_limit;
mod vars;
mod version;
mod why;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
// Links the components, which adds their variables to this program's registry.
use mpit_components as _;
use signal_hook::low_level::signal_name;
use tempfile::TempDir;

/// Record the messages of MPI programs, and list the variables that MPI tools can use
#[derive(Debug, Parser)]
#[command(name = "mpit", version, long_version = version::long(), propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a command with the preload library
    ///
    /// The command is usually a launcher: `mpit run -- mpiexec -n 4 ./app`. Programs without MPI are not affected. The command
    /// line of a launcher that does not pass the environment on to other machines is changed so that it does; --verbose prints
    /// the change. Behind a launcher, `srun mpit run --output prof/ -- ./app`, nothing has to be passed on.
    Run(Run),
    /// List the variables, events, sources, categories and enumerations that tools can use
    ///
    /// Without a command, lists the entries of mpit and of the plug-ins that the environment names. With a command, such as
    /// `mpit vars -- mpiexec -n 1 ./app`, lists all entries of its first process at its end, including those of the MPI
    /// library; entries that were added after MPI_Init are marked.
    Vars(Vars),
    /// Check plug-ins and list their faults
    ///
    /// Loads each plug-in in a process of its own, after the plug-ins before it. Compares it with the rules of
    /// docs/internal/conformance.md, with the definitions of mpit and, with a command such as `mpiexec -n 1 ./app`, with the
    /// definitions of the MPI library of that program. The exit status is 1 if there are errors, and 2 if something could
    /// not be checked.
    Check(Check),
    /// Compare the tools interface of an MPI library with the rules of the MPI standard
    ///
    /// Compiles small C programs with the compiler of the MPI library, and runs each in a process of its own, some by the launcher of the
    /// command: `mpit conform -- mpiexec -n 2 ./any`. Reports for each rule whether the library's own interface keeps it, with evidence;
    /// --show prints the program, for a bug report. The exit status is 1 if a rule is broken, and 2 if the library cannot be checked.
    Conform(conform::Conform),
    /// Run a command and report the problems that prevent recording
    ///
    /// Runs the command as `mpit run` does with the same options, but writes and removes no files of a run. Reports the MPI
    /// library, the launcher, the settings and the file names of each process, and the processes that did not load the
    /// preload library. The report is on standard output; the output of the command goes to standard error. The exit status
    /// is 1 if there are problems.
    Doctor(Run),
    /// Summarize the files of monitoring: messages and bytes between processes
    ///
    /// Reads the files of `mpit run --output`, of pml_monitoring_flush and of Open MPI's own monitoring, one for each
    /// process or one for a whole job. Reports invalid lines; then the exit status is 1.
    Report(Report),
    /// Write the records of runs as tables, which need less space
    ///
    /// Writes a directory `STEM.tables` for each run. `mpit report` reads it like the files, and so do programs for Parquet. The files stay.
    /// If nodes of a job have written parts of it with `mpit run --tables`, and others were lost, it is finished: files that it lacks are added.
    /// The exit status is 1 if a run could not be packed, or not as a whole.
    Pack(Pack),
    /// Find a placement of processes with fewer bytes between nodes
    ///
    /// Reads the bytes between processes that a run recorded, and distributes the processes to nodes so that fewer bytes pass
    /// between nodes. Writes a file for the launcher of the next run to standard output; the prediction and the command line
    /// go to standard error. The exit status is 1 if there is nothing to gain: less than 5 %.
    Map(map::Map),
    /// Say why a job makes no progress
    ///
    /// Takes two snapshots of the jobs that run under `mpit run` on this node, and compares the MPI calls that their processes are
    /// in. Names processes that skipped a collective operation, messages that are not sent or received, and so on; docs/why.md
    /// lists the findings. The exit status is 0 if the job makes progress or still may, 1 if it is stuck, 2 if there is no job, and
    /// 3 if a signal ended the launcher behind `--`.
    Why(Why),
    /// Detects signals to the process group of this program
    #[command(name = forwarding::witness::SUBCOMMAND, hide = true)]
    SignalWitness,
    /// Write the manual pages and completions of this program into a directory, for packages
    #[command(hide = true)]
    Manual {
        /// The directory, which exists
        directory: PathBuf,
    },
}

#[allow(clippy::struct_excessive_bools, reason = "options that do not depend on each other")]
#[derive(Debug, Args)]
struct Run {
    /// Set a control variable of mpit, the program, a library or a plug-in; `mpit vars` lists them
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = settings::parse)]
    set: Vec<settings::Setting>,
    /// Record messages, accesses and collective operations, and write one file per process at the end, `STEM.<rank>.prof`
    ///
    /// If STEM is a directory, or ends with a slash, the files are `run.<rank>.prof` in it. Files `.prof` of an earlier run
    /// with these names are removed at the end, if this run has written some. In STEM, %j stands for the job of Slurm, %s for its step, %h for the machine, %r for
    /// the rank, %u for the user and %x for the program; %s and %r are known behind the launcher only. If no file is written, the last line of the output has the reason.
    #[arg(short, long, value_name = "STEM")]
    output: Option<OsString>,
    /// Write one file for the whole job instead, `STEM.prof`
    #[arg(long, requires = "output")]
    one_file: bool,
    /// Write tables instead, `STEM.tables`, which need less space, and which programs for Parquet read as well
    ///
    /// The files of the processes are packed, and removed, when the processes have ended: in front of a launcher by this command; behind it,
    /// as in `srun mpit run ...`, on each node by the command that ends last. In front, finished tables of an earlier run are replaced.
    #[arg(long, requires = "output", conflicts_with = "one_file")]
    tables: bool,
    /// Keep the records in files while the command runs, so that killed processes do not lose them
    #[arg(long, requires = "output")]
    crash_safe: bool,
    /// Write a summary of the whole job to a small file, `STEM.summary`, and print it at the end
    ///
    /// The processes merge it at the end of MPI, so that those on other machines are in it, which they are not without this option or
    /// --output. STEM is as for --output. All machines must see its directory. A file of an earlier run is replaced.
    #[arg(long, value_name = "STEM")]
    summary: Option<OsString>,
    /// Measure all calls, only those that may wait and samples of the others, or none [default: blocking]
    #[arg(long, value_name = "CALLS", value_parser = ["all", "blocking", "off"])]
    time: Option<String>,
    /// With --output, also record how the run develops: calls, time in MPI and messages of each process, sampled so often
    ///
    /// The file is STEM.series. It has the processes on this node, so put mpit behind the launcher if there are several: `srun mpit run ...`; then
    /// each process has a file STEM.RANK.series, and records are kept as with --crash-safe. A long run has longer intervals: about 1000 with
    /// changes at most.
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = run::plan::series::interval,
        requires = "output",
        allow_negative_numbers = true
    )]
    series: Option<f64>,
    /// Distinguish the calls by the place in the program that makes them; `mpit report` shows functions and lines
    #[arg(long)]
    sites: bool,
    /// Take the annotations that the program has for these libraries as regions, which `mpit report` shows
    ///
    /// Kokkos: profile regions, sections and kernels. NVTX: ranges. Caliper: regions and phases, by its functions in C. A tool that
    /// KOKKOS_TOOLS_LIBS or NVTX_INJECTION64_PATH names is kept, and then has these annotations alone.
    #[arg(long, value_enum, value_name = "LIBRARY", value_delimiter = ',')]
    regions: Vec<run::plan::regions::AnnotationLibrary>,
    /// Read performance variables at the end of MPI, and count events, by name; `*` matches any characters, `?` one
    ///
    /// Variables of the program, of libraries, of plug-ins, of mpit and of the MPI library are found; `mpit vars` lists them. For each, the last
    /// lines have the least, mean and most of the ranks, and `mpit report` a table. They count from MPI_Init to MPI_Finalize. Those of
    /// communicators are read for MPI_COMM_WORLD.
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', value_parser = pattern)]
    read: Vec<String>,
    /// Print a diagnosis if no process began or ended an MPI call for so long, as `mpit why` does
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    stuck: Option<f64>,
    /// End the command then; with --output, its records are kept as with --crash-safe
    #[arg(long, requires = "stuck")]
    kill: bool,
    /// Hide variables, events, sources and categories from tools, by name; `*` at the end of a name matches any ending
    ///
    /// A category of mpit also hides the variables and events in it. Hidden variables are still recorded in files.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    hide: Vec<String>,
    /// Do not print a summary of the job at the end, or that nothing was recorded
    #[arg(short, long)]
    quiet: bool,
    /// Print the settings and the command to standard error before it runs
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    library: Library,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Debug, Args)]
struct Vars {
    /// List only entries with these names, with all their properties
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// List only entries with this text in their name or description, ignoring case
    #[arg(long, value_name = "TEXT")]
    grep: Option<String>,
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    library: Library,
    /// A command that runs an MPI program, to list the entries of its MPI library, too
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Debug, Args)]
struct Check {
    /// The plug-ins, in the order in which programs load them
    #[arg(required = true, value_name = "PLUGIN")]
    plugins: Vec<PathBuf>,
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,
    /// Time limit for the check of each plug-in
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u32,
    /// The file to which the process that loads the plug-in writes its findings
    #[arg(long, hide = true, value_name = "FILE")]
    notes: Option<PathBuf>,
    #[command(flatten)]
    library: Library,
    /// A command that runs an MPI program, to compare with the definitions of its MPI library
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Debug, Args)]
struct Report {
    /// Files, directories, or first parts of file names: prof/run for prof/run.0.prof and so on
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Report only these phases or runs: phase_1 for phase_1.0.prof and so on
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    phase: Vec<String>,
    /// Also report the sum of numbered phases, NAME_1.0.prof, NAME_2.0.prof and so on, as MPI_Pcontrol(2) writes them
    #[arg(long)]
    phases: bool,
    /// Number of pairs to list for each kind
    #[arg(long, value_name = "NUMBER", default_value_t = mpit_report::summary::TOP)]
    top: usize,
    /// Also write files in these formats
    #[arg(short, long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    format: Vec<report::Format>,
    /// Directory for these files; created if it does not exist
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Write the mean of both directions to .mat files, as Open MPI's profile2mat does
    #[arg(long)]
    symmetric: bool,
}

#[derive(Debug, Args)]
struct Pack {
    /// Files, directories, or first parts of file names: prof/run for prof/run.0.prof and so on
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

#[derive(Debug, Args)]
struct Why {
    /// The job: the process id of its `mpit run` or of another of its processes, or its name; without it, all jobs of this user on this
    /// node
    #[arg(value_name = "JOB")]
    job: Option<String>,
    /// The user whose jobs they are, by name or number: for root. A process id needs no user
    #[arg(long, value_name = "USER", conflicts_with_all = ["from", "launcher", "of_launcher"])]
    user: Option<String>,
    /// The time between the two snapshots
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "1")]
    interval: f64,
    /// The format of the output
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: why::Format,
    /// Also print the stacks of the processes that others wait for, by eu-stack or gdb
    #[arg(long)]
    stack: bool,
    /// Write what was seen to a file instead, or to a file named after this node in a directory, for --from; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "stack", "format"])]
    save: Option<PathBuf>,
    /// Take the snapshots as a part of `mpit why -- LAUNCHER`: without a job, write a file as well, and end well, because a launcher may end the processes on
    /// other nodes if one fails
    #[arg(long, hide = true, requires = "save")]
    of_launcher: bool,
    /// Read files of --save, or those in a directory, instead of taking snapshots on this node
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// The nodes of the job: those without a part are named
    #[arg(long, value_name = "NODE", value_delimiter = ',')]
    nodes: Vec<String>,
    /// Look at all nodes on which this launcher starts a process, such as `srun --jobid 17 --overlap -N 4 --ntasks-per-node 1`
    ///
    /// The nodes must see the current directory and this program.
    #[arg(last = true, value_name = "LAUNCHER", conflicts_with_all = ["from", "save"])]
    launcher: Vec<OsString>,
}

#[derive(Debug, Args)]
struct Library {
    /// The preload library, if it is not installed beside this program
    #[arg(long = "preload", value_name = "FILE", env = "MPIT_PRELOAD")]
    file: Option<PathBuf>,
}

fn main() -> ExitCode {
    // The process that checks a plug-in loads the plug-ins that come before it. A list of variables includes those of
    // plug-ins; a command loads its own. This comes before the options are parsed, because they may refer to variables.
    let mut words = std::env::args_os().skip(1);
    let is_list = words.next().is_some_and(|word| word == "vars") && words.all(|word| word != "--");
    if std::env::var_os(mpit::internal::plugin::check::SUBJECT).is_none() && !is_list {
        mpit::internal::plugin::disable_loading();
    }
    let done = match parse().command {
        Command::Run(run) => run::run(&run),
        Command::Doctor(run) => doctor::diagnose(&run),
        Command::Vars(vars) => vars::list(&vars),
        Command::Check(check) => check::check(&check),
        Command::Conform(conform) => conform::conform(&conform),
        Command::Report(report) => report::report(&report),
        Command::Pack(pack) => pack::pack(&pack),
        Command::Map(map) => map::map(&map),
        Command::Why(why) => why::why(&why),
        Command::SignalWitness => {
            forwarding::witness::main().map(|()| ExitCode::SUCCESS).map_err(|error| error.to_string())
        }
        Command::Manual { directory } => manual::write(&directory).map(|()| ExitCode::SUCCESS),
    };
    match done {
        Ok(code) => code,
        Err(message) => {
            print(&message);
            ExitCode::from(2)
        }
    }
}

/// Parses the command line. The options of mpit precede the command, the command's own options follow it.
fn parse() -> Cli {
    match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            if error.kind() == ErrorKind::UnknownArgument {
                print("put the options of a launcher after its name: `mpit run -- mpiexec -n 4 ./app`");
            }
            std::process::exit(error.exit_code());
        }
    }
}

/// Parses a pattern of names.
fn pattern(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() { Err("a name or a pattern is expected".into()) } else { Ok(text.to_owned()) }
}

/// Parses a positive number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    const MOST: f64 = 1e9;
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && seconds <= MOST => Ok(seconds),
        _ => Err("expected a positive number of seconds".into()),
    }
}

/// Refuses a command that begins with an option, which is meant for mpit, or for a launcher that is missing.
fn require_program(words: &[OsString]) -> Result<(), String> {
    match words.first().filter(|word| word.as_encoded_bytes().starts_with(b"-")) {
        Some(option) => Err(format!(
            "`{}` is not a command: begin with the program or the launcher, as in `mpit run -- mpiexec -n 4 ./app`",
            option.display()
        )),
        None => Ok(()),
    }
}

/// Returns the words of a command as a line for users.
fn shown(words: &[OsString]) -> String {
    words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn temporary_directory() -> Result<TempDir, String> {
    let directory = tempfile::Builder::new().prefix("mpit-").tempdir();
    directory.map_err(|error| format!("cannot create a temporary directory: {error}"))
}

/// Returns the name of a signal, or its number.
fn name_of_signal(signal: i32) -> String {
    signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned)
}

#[allow(clippy::print_stderr, reason = "this is a program for people")]
fn print(message: &str) {
    // The reader may have closed the pipe. That must not change the run of a command or its exit status.
    let _ = writeln!(std::io::stderr(), "mpit: {}", mpit::internal::os::printable(message));
}

/// Writes results to standard output. Returns false if the reader has closed the pipe, which is no error.
fn output(text: &str) -> Result<bool, String> {
    match std::io::stdout().write_all(mpit::internal::os::printable(text).as_bytes()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(format!("cannot write to standard output: {error}")),
    }
}

fn json(value: &impl serde::Serialize) -> Result<String, String> {
    let mut text = Vec::new();
    mpit_report::json::write_pretty(&mut text, value)
        .map_err(|error| format!("cannot write JSON: {error}"))?;
    text.push(b'\n');
    String::from_utf8(text).map_err(|error| format!("cannot write JSON: {error}"))
}
