//! The comparison of `mpit map` with Scotch.

use std::path::PathBuf;

use mpit_tests::{Outcome, build};

use crate::{cargo, document};

/// The page to write into.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Write the tables into this page
    #[arg(long, value_name = "PAGE")]
    document: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let words = ["run", "--release", "--quiet", "-p", "mpit-report", "--example", "placement"];
    let [tables, _] = build::run(&mut cargo(&words))?;
    println!("{tables}");
    match &arguments.document {
        Some(page) => document::write_part(page, "placement", &tables),
        None => Ok(()),
    }
}
