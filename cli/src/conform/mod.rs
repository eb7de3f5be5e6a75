//! `mpit conform`: compares the tools interface of an MPI library with the rules of the standard.
//!
//! | module | purpose |
//! |---|---|
//! | `programs`, `rules/` | the programs, one or more for a rule |
//! | `launch`, `compiler` | the launcher of the command, and the compiler that belongs to it |
//! | `execute` | the run of a program and its result |
//! | `library`, `probe.c` | the properties of the library |
//! | `runner` | the runs of all programs |
//! | `report`, `comparison` | the results |

mod comparison;
mod compiler;
mod execute;
mod launch;
mod library;
mod programs;
mod report;
mod runner;

use std::ffi::OsString;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::{Library, json, output, preload, require_program, seconds, text_table};
use report::Report;
use runner::Runner;

#[derive(Debug, Args)]
pub(crate) struct Conform {
    /// The compiler of the MPI library [default: mpicc beside the launcher, or else in PATH]
    #[arg(long, value_name = "FILE")]
    cc: Option<PathBuf>,
    /// Check only these rules, or run only these programs: R183, R13-pvars
    #[arg(long = "rule", value_name = "RULE", value_delimiter = ',')]
    rules: Vec<String>,
    /// The format of the report
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Time limit for each program
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10")]
    timeout: f64,
    /// Check the interface of mpit over the library instead
    #[arg(long)]
    through_mpit: bool,
    #[command(flatten)]
    library: Library,
    /// List the rules that can be checked, with their programs
    #[arg(long)]
    list: bool,
    /// Print the programs of a rule, or one by its name
    #[arg(long, value_name = "RULE", conflicts_with = "list")]
    show: Option<String>,
    /// Read reports that --format json wrote, and print a table of them in Markdown
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["list", "show"])]
    from: Vec<PathBuf>,
    /// A command that starts two processes, such as `mpiexec -n 2 ./any`; its program is replaced, and need not exist
    #[arg(last = true, value_name = "COMMAND", required_unless_present_any = ["list", "show", "from"])]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people
    Text,
    /// JSON, for programs
    Json,
    /// A line for each program, with fields separated by tabs
    Tsv,
}

/// Checks an MPI library, or prints what it is checked with. The exit status is 1 if the library breaks a rule.
pub(crate) fn conform(args: &Conform) -> Result<ExitCode, String> {
    if !args.from.is_empty() {
        return output(&comparison::markdown(&comparison::read(&args.from)?)).map(|_| ExitCode::SUCCESS);
    }
    if let Some(name) = &args.show {
        let programs = programs::selected(std::slice::from_ref(name))?;
        let texts: Vec<_> = programs.iter().map(programs::Program::text).collect();
        return output(&texts.join("\n")).map(|_| ExitCode::SUCCESS);
    }
    let programs = programs::selected(&args.rules)?;
    if args.list {
        return output(&listing(&programs)).map(|_| ExitCode::SUCCESS);
    }
    require_program(&args.command)?;
    let preloaded = if args.through_mpit { Some(preload::find(args.library.file.as_deref())?) } else { None };
    let runner =
        Runner::new(&args.command, args.cc.as_deref(), preloaded, Duration::from_secs_f64(args.timeout))?;
    let report = runner.check(&programs)?;
    output(&match args.format {
        Format::Text => report.text(),
        Format::Json => json(&report)?,
        Format::Tsv => report.tsv(),
    })?;
    Ok(if report.rules.fail == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn listing(programs: &[programs::Program]) -> String {
    let mut table = text_table::new(&["program", "requirement"]);
    for program in programs {
        table.add_row([program.name, program.requirement]);
    }
    let mut out = String::new();
    text_table::write(&mut out, &mut table, &[]);
    let _ = writeln!(out);
    out
}
