//! The command `mpit`: runs MPI programs with the preload library, reports their messages, lists the variables that MPI
//! tools see, and checks plug-ins.
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
mod doctor;
mod elf;
mod inherited;
mod preload;
mod report;
mod run;
mod settings;
mod table;
mod vars;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
// Links the components, which adds their variables to this program's registry.
use mpit_components as _;

/// Watch what an MPI program sends, and show every MPI tool what there is to see.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a command with the preload library over the MPI library that its programs have
    ///
    /// The command is usually a launcher and runs unchanged: `mpit run -- mpiexec -n 4 ./app`. Programs without MPI are
    /// not disturbed. Processes on other nodes get the environment only if the launcher hands it on (Open MPI: `mpiexec -x
    /// LD_PRELOAD -x MPIT_SET -x MPIT_RUN`).
    Run(Run),
    /// List the variables, events, sources, categories and enumerations that a tool would see
    ///
    /// Without a command: those of mpit, and of the plug-ins that the environment names. With one, such as
    /// `mpit vars -- mpiexec -n 1 ./app`: all that its first process has at its end, the MPI library's own included; entries
    /// that appeared after MPI_Init are marked.
    Vars(Vars),
    /// List what is wrong with plug-ins
    ///
    /// Loads each in a process of its own, after those before it, and holds it against the rules of docs/internal/conformance.md,
    /// against what mpit defines, and with a command such as `mpiexec -n 1 ./app` against what the MPI library of its
    /// program defines. The exit status is 1 if there are errors, and 2 if something could not be checked.
    Check(Check),
    /// Show what each process of a command has of mpit, and what is in the way
    ///
    /// Runs the command as `mpit run` does with the same options, but writes and removes no files of runs: whether the library was loaded, which MPI
    /// library and launcher there are, which settings arrived, where files would go. Standard output is for the answer; the
    /// command's goes to standard error. The exit status is 1 if something is in the way.
    Doctor(Run),
    /// Show what monitoring wrote: who sent how much to whom
    ///
    /// Reads the files of `mpit run --output`, of pml_monitoring_flush and of Open MPI's own monitoring, one for each
    /// process or one for a whole job. Lines that are not understood are named; then the exit status is 1.
    Report(Report),
    /// The process beside the command of `mpit run` that shows which signals were sent to all of the process group
    #[command(name = run::witness::SUBCOMMAND, hide = true)]
    SignalWitness,
}

#[derive(Debug, Args)]
struct Run {
    /// Set a control variable; `mpit vars` lists them
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = settings::parse)]
    set: Vec<settings::Setting>,

    /// Record messages, accesses and collective operations, and write one file per process at the end, `STEM.<rank>.prof`
    ///
    /// For a directory, or a name that ends with a slash: `run.<rank>.prof` in it. Files `.prof` of an earlier run under these
    /// names are removed first. If no file appears, a line at the end says why.
    #[arg(short, long, value_name = "STEM")]
    output: Option<OsString>,

    /// Write one file for the whole job instead, `STEM.prof`
    #[arg(long, requires = "output")]
    one_file: bool,

    /// Keep what is recorded in files while the command runs, so that processes that are killed leave it as well
    #[arg(long, requires = "output")]
    crash_safe: bool,

    /// Leave entries out of what tools see: variables, events, sources and categories by name, `*` at the end for any ending;
    /// with a category of mpit's, the variables and events in it. They are recorded all the same
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    hide: Vec<String>,

    /// Say on standard error what is set before the command runs
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
    /// Only entries of these names, with all that is known of them
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Only entries with this text in their name or description, in upper or lower case
    #[arg(long, value_name = "TEXT")]
    grep: Option<String>,

    /// Print JSON, for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    library: Library,

    /// A command that runs an MPI program, to list what its MPI library has
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Debug, Args)]
struct Check {
    /// The shared objects, in the order in which programs would load them
    #[arg(required = true, value_name = "PLUGIN")]
    plugins: Vec<PathBuf>,

    /// Print JSON, for programs
    #[arg(long)]
    json: bool,

    /// The longest time that the check of one plug-in may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u32,

    /// The process that has the plug-in writes here what it finds
    #[arg(long, hide = true, value_name = "FILE")]
    notes: Option<PathBuf>,

    #[command(flatten)]
    library: Library,

    /// A command that runs an MPI program, to compare with what its MPI library has
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Debug, Args)]
struct Report {
    /// Files, directories of them, or what the names of files begin with: prof/run for prof/run.0.prof and so on
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Only these phases or runs: phase_1 for phase_1.0.prof and so on
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    phase: Vec<String>,

    /// Also add up numbered phases, NAME_1.0.prof, NAME_2.0.prof and so on, as MPI_Pcontrol(2) writes them
    #[arg(long)]
    phases: bool,

    /// Number of listed pairs of each kind
    #[arg(long, value_name = "NUMBER", default_value_t = mpit_report::summary::TOP)]
    top: usize,

    /// Also write files
    #[arg(short, long, value_enum, value_name = "FORMAT", value_delimiter = ',')]
    format: Vec<report::Format>,

    /// The directory that they go to, made if it is not there
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,

    /// Write the mean of both directions to files .mat, as Open MPI's profile2mat does
    #[arg(long)]
    symmetric: bool,
}

#[derive(Debug, Args)]
struct Library {
    /// The preload library, if it is not beside this program
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
        Command::Doctor(run) => doctor::examine(&run),
        Command::Vars(vars) => vars::list(&vars),
        Command::Check(check) => check::check(&check),
        Command::Report(report) => report::report(&report),
        Command::SignalWitness => {
            run::witness::main().map(|()| ExitCode::SUCCESS).map_err(|error| error.to_string())
        }
    };
    match done {
        Ok(code) => code,
        Err(message) => {
            print(&message);
            ExitCode::from(2)
        }
    }
}

/// Parses the command line. mpit's options come before the command, the command's own behind it.
fn parse() -> Cli {
    match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            if error.kind() == ErrorKind::UnknownArgument {
                print("options of a launcher stand behind its name: `mpit run -- mpiexec -n 4 ./app`");
            }
            std::process::exit(error.exit_code());
        }
    }
}

/// Checks that a command begins with a program: an option at this place is meant for mpit, or for a launcher that is
/// missing.
fn is_program(words: &[OsString]) -> Result<(), String> {
    match words.first().filter(|word| word.as_encoded_bytes().starts_with(b"-")) {
        Some(option) => Err(format!(
            "`{}` is no command: name the program or the launcher first, as in `mpit run -- mpiexec -n 4 ./app`",
            option.display()
        )),
        None => Ok(()),
    }
}

/// Writes a message to standard error.
#[allow(clippy::print_stderr, reason = "this is a program for people")]
fn print(message: &str) {
    eprintln!("mpit: {}", mpit::internal::printable(message));
}
