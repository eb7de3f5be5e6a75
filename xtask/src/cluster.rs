//! A cluster on this machine, for the tests of launchers, and for trials by hand.

mod placement;
mod startup;

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode};

use clap::Subcommand;
use mpit_tests::cluster::{Cluster, Shape};
use mpit_tests::{Context, Outcome};

use crate::setup;

/// Options of `cargo xtask cluster`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Start the hosts n1, n2, ... and Slurm, after installing what they need; nothing if they are up
    Up {
        /// The number of hosts
        #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 4)]
        hosts: u8,
        /// Delay each packet, such as 1ms
        #[arg(long, value_name = "TIME")]
        latency: Option<String>,
        /// Limit the rate at which a host sends, such as 100mbit
        #[arg(long, value_name = "RATE")]
        bandwidth: Option<String>,
    },
    /// End all processes of the cluster and remove it
    Down,
    /// List the hosts
    Status,
    /// Run a command on a host
    Exec {
        /// The host
        host: String,
        /// The command and its arguments
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// Measure jobs with limited links before and after a placement by `mpit map`, beside its prediction
    Placement(placement::Arguments),
    /// Measure the time that mpit adds to the start and the end of jobs on all hosts
    Startup(startup::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let cluster = Cluster::here();
    match &arguments.action {
        Action::Up { hosts, latency, bandwidth } => {
            for problem in setup::cluster() {
                println!("cluster: could not get {problem}");
            }
            Cluster::check()?;
            let shape = Shape { hosts: *hosts, latency: latency.clone(), bandwidth: bandwidth.clone() };
            if !cluster.up(&shape)? {
                println!("cluster: was up already");
            }
            status(&cluster)?;
        }
        Action::Down => {
            Cluster::check()?;
            cluster.down()?;
        }
        Action::Status => {
            Cluster::check()?;
            status(&cluster)?;
        }
        Action::Exec { host, command } => {
            Cluster::check()?;
            let line = cluster.on(host)?;
            let status = Command::new(&line[0]).args(&line[1..]).args(command).status().context(&line[0])?;
            let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
            return Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)));
        }
        Action::Placement(arguments) => placement::run(arguments)?,
        Action::Startup(arguments) => startup::run(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn status(cluster: &Cluster) -> Outcome {
    let hosts = cluster.hosts()?;
    for host in &hosts {
        match host.holder {
            Some(_) => println!("cluster: {:4} up, sent {} bytes", host.name, cluster.sent(&host.name)?),
            None => println!("cluster: {:4} lost", host.name),
        }
    }
    if hosts.is_empty() {
        println!("cluster: no hosts");
        return Ok(());
    }
    match cluster.without_slurm() {
        Some(why) => println!("cluster: no srun: {why}"),
        None => println!("cluster: srun works on all hosts"),
    }
    println!("cluster: in place of ssh: {}", cluster.agent().display());
    println!("cluster: a shell on the first host: cargo xtask cluster exec n1 bash");
    Ok(())
}
