//! `mpit map`: the files that it writes, used by real launchers.
//!
//! The launchers start processes on two nodes with a program in the place of `ssh`, which runs the command on this machine and
//! names the node in the environment, without its domain. The network between nodes plays no role here.

use std::os::unix::fs::PermissionsExt;
use std::{fs, path::Path};

use mpit_tests::{Context, Failure, Job, Outcome, Stack};

use crate::{on_each_family_in_dir, on_each_in_dir};

const RANKS: u32 = 4;

/// A replacement of `ssh`: options, the node, and the command. The two nodes are one machine, so that each gets a directory of its own for
/// temporary files: daemons of Open MPI that make the same directory at the same time fail.
const SHELL: &str = r#"#!/bin/sh
while [ "${1#-}" != "$1" ]; do [ "$1" = -x ] || [ "$1" = -q ] || shift; shift; done
MPIT_TEST_NODE=${1%%.*}; export MPIT_TEST_NODE; shift
TMPDIR=${TMPDIR:-/tmp}/mpit-$MPIT_TEST_NODE; export TMPDIR; mkdir -p "$TMPDIR" || exit
exec sh -c "$*"
"#;

/// The nodes. Their names have domains, which some launchers cut off.
const NODES: [&str; 2] = ["nodea.site.example", "nodeb.site.example"];

/// Returns the options by which the launcher starts processes on the nodes.
fn options(stack: &Stack, shell: &Path) -> Vec<String> {
    let (shell, hosts) = (shell.display(), NODES.map(|node| format!("{node}:2")).join(","));
    // The two nodes are one machine, where files of Open MPI's shared memory would have equal names: processes then crash.
    let words = match (stack.is_open_mpi(), stack.label().starts_with("ompi4")) {
        (true, true) => {
            format!("--mca btl tcp,self --mca plm rsh --mca plm_rsh_agent {shell} -H {hosts}")
        }
        (true, false) => {
            format!("--mca btl tcp,self --prtemca plm ssh --prtemca plm_ssh_agent {shell} -H {hosts}")
        }
        (false, _) => format!("-launcher ssh -launcher-exec {shell}"),
    };
    words.split(' ').map(str::to_owned).collect()
}

#[test]
fn launchers_place_ranks_as_planned() -> Outcome {
    on_each_in_dir("map", |stack, dir| {
        let program = stack.compile("opposite")?;
        let job = Job::mpi(stack, RANKS).arg(&program).dir(dir).seconds(120);
        job.under_mpit_with(&["--quiet", "--output", "prof/run"])?.succeed()?;
        let words = ["map", "prof/run", "--nodes", "2x2", "--hosts", &NODES.join(","), "--output", "order"];
        let planned = Job::mpit(&words)?.dir(dir).succeed()?;
        planned.expect(planned.stderr.contains("now 3.91 KiB (100.0 % of 3.91 KiB), after 0 B (0.0 %)"))?;
        let order = fs::read_to_string(dir.join("order")).context("order")?;
        // Without -H, Open MPI 5 refuses the full name of its own node.
        Failure::unless(order.contains("site.example") != stack.is_open_mpi(), || order)?;
        // The line of the next run, with options for nodes that do not exist.
        let line = planned.stderr.split("next run: mpiexec ").nth(1).context("no line for the next run")?;
        let shell = dir.join("shell");
        fs::write(&shell, SHELL).context("shell")?;
        fs::set_permissions(&shell, fs::Permissions::from_mode(0o755)).context("shell")?;
        let mpiexec = &Job::mpi(stack, RANKS).line()[0];
        let launched = Job::alone(stack)
            .arg(mpiexec)
            .args(options(stack, &shell))
            .args(line.trim().split(' '))
            .dir(dir)
            .seconds(120)
            .succeed()?;
        let mut places: Vec<&str> =
            launched.stdout.lines().filter(|line| line.starts_with("rank ")).collect();
        places.sort_unstable();
        let wanted = ["rank 0 on nodea", "rank 1 on nodeb", "rank 2 on nodea", "rank 3 on nodeb"];
        Failure::unless(places == wanted, || format!("{launched}"))
    })
}

#[test]
fn placements_without_gain_are_refused() -> Outcome {
    on_each_family_in_dir("map_refused", |stack, dir| {
        let job = Job::mpi(stack, RANKS).arg(stack.compile("opposite")?).dir(dir).seconds(120);
        job.under_mpit_with(&["--quiet", "--output", "prof/run"])?.succeed()?;
        // The run was on one node.
        for words in [&["map", "prof/run"][..], &["map", "prof/run", "--nodes", "4x1", "--launcher", "slurm"]]
        {
            let refused = Job::mpit(words)?.dir(dir).finish()?;
            refused.expect(refused.code == Some(1) && refused.stdout.is_empty())?;
            refused.expect(refused.stderr.contains("nothing to gain"))?;
        }
        for (words, message) in [
            (&["--nodes", "1x3"][..], "4 processes need more than the 3 cores of these nodes"),
            (&["--nodes", "2"], "--nodes needs the cores of a node, too"),
            (&["--nodes", "2x2", "--hosts", "a"], "there are 1 names for 2 nodes"),
            (&["--phase", "x"], "there is no such phase; there are run"),
        ] {
            let failed = Job::mpit(&[&["map", "prof/run"], words].concat())?.dir(dir).finish()?;
            failed.expect(failed.code == Some(2) && failed.stderr.contains(message))?;
        }
        Ok(())
    })
}
