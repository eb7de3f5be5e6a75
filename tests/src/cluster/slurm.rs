//! Slurm on a cluster: `slurmctld` and `munged` on the first host, `slurmd` on each.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Cluster, is_here, network};
use crate::{Context, Outcome, build};

/// The host of the controller.
const CONTROLLER: &str = "n1";

/// Returns the reason why there is no Slurm on this machine.
pub(super) fn obstacle() -> Option<String> {
    let missing = ["slurmctld", "slurmd", "srun", "munged"].into_iter().find(|program| !is_here(program))?;
    Some(format!("no program `{missing}`: install the packages slurm-wlm and munge"))
}

pub(super) fn configure(cluster: &Cluster, names: &[String]) -> Outcome {
    if obstacle().is_some() {
        return Ok(());
    }
    let dir = cluster.state.join("slurm");
    fs::create_dir_all(dir.join("state")).context(dir.display())?;
    cluster.write("slurm/slurm.conf", &configuration(cluster, names))?;
    // The namespaces have a /sys without control groups.
    cluster.write("slurm/cgroup.conf", "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
}

fn configuration(cluster: &Cluster, names: &[String]) -> String {
    let (state, socket) = (cluster.state.display(), cluster.runtime().join("munge"));
    let socket = socket.display();
    let nodes: Vec<_> = (1..)
        .zip(names)
        .map(|(number, name)| {
            format!(
                "NodeName={name} NodeAddr={} CPUs=64 RealMemory=1000 State=UNKNOWN",
                network::address(number)
            )
        })
        .collect();
    let nodes = nodes.join("\n");
    format!(
        "ClusterName=mpit\nSlurmctldHost={CONTROLLER}({})\nSlurmUser=root\nAuthType=auth/munge\nAuthInfo=socket={socket}\n\
         CredType=cred/munge\nMpiDefault=pmi2\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n\
         SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nJobAcctGatherType=jobacct_gather/none\n\
         SlurmdParameters=config_overrides\nReturnToService=2\nKillWait=2\nStateSaveLocation={state}/slurm/state\n\
         SlurmctldPidFile={state}/slurm/slurmctld.pid\nSlurmdPidFile={state}/%n/slurmd.pid\nSlurmdSpoolDir={state}/%n/spool\n\
         {nodes}\nPartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8\n",
        network::address(1)
    )
}

pub(super) fn start(cluster: &Cluster, names: &[String]) -> Outcome {
    if obstacle().is_some() {
        return Ok(());
    }
    start_munge(cluster)?;
    start_on(cluster, CONTROLLER, &["slurmctld", "-D"])?;
    for name in names {
        start_on(cluster, name, &["slurmd", "-D", "-N", name])?;
    }
    let states = || states(cluster).unwrap_or_default();
    network::wait_until(|| states().len() == names.len() && states().iter().all(|state| state == "idle"))
        .context(format!("Slurm does not start: nodes are {:?}; see {}", states(), cluster.state.display()))
}

/// Starts the daemon that signs messages, which refuses to run as root.
fn start_munge(cluster: &Cluster) -> Outcome {
    let dir = cluster.runtime();
    fs::create_dir_all(&dir).context(dir.display())?;
    let key = dir.join("key");
    build::run(
        Command::new("dd")
            .args(["if=/dev/urandom", "bs=128", "count=1"])
            .arg(format!("of={}", key.display())),
    )?;
    build::run(Command::new("chmod").arg("400").arg(&key))?;
    build::run(Command::new("chown").arg("-R").arg("munge:munge").arg(&dir))?;
    let option = |name: &str, file: &str| format!("--{name}={}", dir.join(file).display());
    let as_munge = ["setpriv", "--reuid", "munge", "--regid", "munge", "--clear-groups"];
    let files = [
        option("key-file", "key"),
        option("socket", "munge"),
        option("pid-file", "pid"),
        option("seed-file", "seed"),
        option("log-file", "log"),
    ];
    let daemon: Vec<_> = ["munged", "-F"].into_iter().chain(files.iter().map(String::as_str)).collect();
    start_on(cluster, CONTROLLER, &[&as_munge[..], &daemon].concat())?;
    network::wait_until(|| dir.join("munge").exists()).context("munged does not start")
}

fn start_on(cluster: &Cluster, host: &str, daemon: &[&str]) -> Outcome {
    let line = cluster.on(host)?;
    let name = daemon.iter().find(|word| word.ends_with('d') && is_here(word)).unwrap_or(&daemon[0]);
    let log = cluster.state.join(host).join(format!("{name}.log"));
    let log = File::create(&log).context(log.display())?;
    let mut command = Command::new(&line[0]);
    command
        .args(&line[1..])
        .args(daemon)
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .current_dir(Path::new("/"));
    network::start_process(command, log).map(drop)
}

/// Returns the states of the nodes.
fn states(cluster: &Cluster) -> Outcome<Vec<String>> {
    let line = cluster.on(CONTROLLER)?;
    let mut command = Command::new("timeout");
    command.args(["-k", "5", "5"]).args(line).args(["sinfo", "--noheader", "--Node", "--format=%T"]);
    let [states, _] = build::run(command.stdin(Stdio::null()))?;
    Ok(states.split_whitespace().map(ToOwned::to_owned).collect())
}

/// Returns true if Slurm is not installed, or all nodes accept jobs.
pub(super) fn is_up(cluster: &Cluster) -> bool {
    let accepts = |state: &String| ["idle", "mixed", "allocated", "completing"].contains(&state.as_str());
    obstacle().is_some()
        || states(cluster).is_ok_and(|states| !states.is_empty() && states.iter().all(accepts))
}
