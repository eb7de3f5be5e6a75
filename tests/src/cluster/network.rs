//! The namespaces of a cluster and their links.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{Cluster, Shape, names};
use crate::{Context, Failure, Outcome, build};

/// The namespace of the bridge.
pub(super) const SWITCH: &str = "switch";

const BRIDGE: &str = "br0";

/// The time for a process to start or to end, also on a machine that is busy with other work.
const LIMIT: Duration = Duration::from_secs(60);

/// Returns the address of a host. No other namespace can see it.
pub(super) fn address(number: usize) -> String {
    format!("10.123.0.{number}")
}

pub(super) fn ip(words: &[&str]) -> Outcome {
    build::run(Command::new("ip").args(words)).map(drop)
}

/// Returns the namespaces of a cluster, without their prefix.
pub(super) fn namespaces(cluster: &Cluster) -> Outcome<Vec<String>> {
    let [list, _] = build::run(Command::new("ip").args(["netns", "list"]))?;
    let names = list.lines().filter_map(|line| line.split_whitespace().next());
    Ok(names.filter_map(|name| name.strip_prefix(&cluster.prefix)).map(ToOwned::to_owned).collect())
}

pub(super) fn processes(namespace: &str) -> Outcome<Vec<u32>> {
    let [list, _] = build::run(Command::new("ip").args(["netns", "pids", namespace]))?;
    Ok(list.lines().filter_map(|pid| pid.trim().parse().ok()).collect())
}

pub(super) fn start(cluster: &Cluster, shape: &Shape) -> Outcome {
    let switch = cluster.namespace(SWITCH);
    add(&switch)?;
    ip(&["-n", &switch, "link", "add", BRIDGE, "type", "bridge"])?;
    ip(&["-n", &switch, "link", "set", BRIDGE, "up"])?;
    for (number, name) in (1..).zip(names(shape)) {
        let namespace = cluster.namespace(&name);
        add(&namespace)?;
        // Both ends are created where they belong, so that the machine itself never has them.
        let ends =
            ["link", "add", "eth0", "netns", &namespace, "type", "veth", "peer", "name", &name, "netns"];
        ip(&[&ends[..], &[&switch]].concat())?;
        ip(&["-n", &switch, "link", "set", &name, "master", BRIDGE, "up"])?;
        ip(&["-n", &namespace, "address", "add", &format!("{}/24", address(number)), "dev", "eth0"])?;
        ip(&["-n", &namespace, "link", "set", "lo", "up"])?;
        ip(&["-n", &namespace, "link", "set", "eth0", "up"])?;
        shape_link(&namespace, shape)?;
        start_host(cluster, &name)?;
    }
    Ok(())
}

/// Creates a namespace without IPv6, whose addresses are not usable during their first seconds.
fn add(namespace: &str) -> Outcome {
    ip(&["netns", "add", namespace])?;
    let setting = "/proc/sys/net/ipv6/conf/default/disable_ipv6";
    let script = format!("if [ -e {setting} ]; then echo 1 >{setting}; fi");
    ip(&["netns", "exec", namespace, "sh", "-c", &script])
}

pub(super) fn keep_no_closed_connections(namespace: &str) -> Outcome {
    let script = "echo 0 >/proc/sys/net/ipv4/tcp_max_tw_buckets";
    ip(&["netns", "exec", namespace, "sh", "-c", script])
}

/// Delays the packets that a host sends, and limits their rate.
fn shape_link(namespace: &str, shape: &Shape) -> Outcome {
    let tc = |words: &[&str]| {
        let line = [&["-n", namespace, "qdisc", "add", "dev", "eth0"], words].concat();
        build::run(Command::new("tc").args(line)).map(drop)
    };
    let mut place = vec!["root"];
    if let Some(latency) = &shape.latency {
        tc(&["root", "handle", "1:", "netem", "delay", latency, "limit", "100000"])
            .context("this kernel may have no netem (CONFIG_NET_SCH_NETEM), which --latency needs")?;
        place = vec!["parent", "1:1"];
    }
    if let Some(bandwidth) = &shape.bandwidth {
        let bucket = ["tbf", "rate", bandwidth, "burst", "64kb", "latency", "400ms"];
        tc(&[&place[..], &bucket].concat())?;
    }
    Ok(())
}

fn start_host(cluster: &Cluster, name: &str) -> Outcome {
    let dir = cluster.state.join(name);
    let log = File::create(dir.join("log")).context(dir.display())?;
    let mut command = Command::new("ip");
    command.args(["netns", "exec", &cluster.namespace(name), "unshare", "--uts", "--ipc", "--mount"]);
    command.arg(cluster.state.join("host")).arg(name);
    let pid = start_process(command, log)?;
    cluster.write(&format!("{name}/pid"), &format!("{pid}\n"))?;
    wait_until(|| dir.join("ready").exists())
        .context(format!("{name} does not start; see {}", dir.join("log").display()))
}

/// Starts a process that outlives this one. All of them run in a namespace of the cluster, where [`stop`] finds them.
pub(super) fn start_process(mut command: Command, log: File) -> Outcome<u32> {
    let errors = log.try_clone().context("a log")?;
    let command = command.stdin(Stdio::null()).stdout(log).stderr(errors).process_group(0);
    let mut child = command.spawn().context(command.get_program().display())?;
    let pid = child.id();
    // Collects its exit status, if this process is still there by then.
    thread::spawn(move || child.wait());
    Ok(pid)
}

pub(super) fn wait_until(condition: impl Fn() -> bool) -> Outcome {
    let end = Instant::now() + LIMIT;
    while !condition() {
        Failure::unless(Instant::now() < end, || format!("waited {} seconds", LIMIT.as_secs()))?;
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

pub(super) fn stop(cluster: &Cluster) -> Outcome {
    for name in namespaces(cluster)? {
        let namespace = cluster.namespace(&name);
        kill_all(&namespace)?;
        ip(&["netns", "del", &namespace])?;
    }
    Ok(())
}

/// Ends all processes in a namespace, and those that they start meanwhile.
pub(super) fn kill_all(namespace: &str) -> Outcome {
    let end = Instant::now() + LIMIT;
    loop {
        let pids = processes(namespace)?;
        if pids.is_empty() {
            return Ok(());
        }
        Failure::unless(Instant::now() < end, || format!("processes {pids:?} of {namespace} do not end"))?;
        // Some may have ended by themselves.
        let _ = Command::new("kill")
            .arg("-9")
            .args(pids.iter().map(u32::to_string))
            .stderr(Stdio::null())
            .status();
        thread::sleep(Duration::from_millis(10));
    }
}

pub(super) fn sent(cluster: &Cluster, host: &str) -> Outcome<u64> {
    let line = ["-n", &cluster.namespace(host), "-s", "-o", "link", "show", "eth0"];
    let [text, _] = build::run(Command::new("ip").args(line))?;
    let (_, numbers) = text.split_once("TX:").context("`ip -s link` has no TX")?;
    numbers.split_whitespace().find_map(|word| word.parse().ok()).context("`ip -s link` has no number")
}
