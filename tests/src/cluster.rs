//! A cluster on one machine: hosts are network namespaces, connected by a bridge in a namespace of its own.
//!
//! Each host has a name, an address, shared memory and System V objects of its own, so MPI libraries take it for a machine.
//! Files, users and clocks are those of this machine. Nothing is changed outside of the namespaces, except that `ip` lists
//! them; their names begin with a prefix that belongs to this target directory, and no other namespace is touched.

pub mod jobs;
mod network;
pub mod placement;
mod slurm;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::stacks::{self, Stack};
use crate::{Context, Failure, Outcome, build, machine_lock, paths, record};

/// The environment variable with which tests start a cluster. Without it they do not: one takes root, and a minute.
pub const WANTED: &str = "MPIT_TEST_CLUSTER";

/// The shape of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The number of hosts, `n1` to `nN`.
    pub hosts: u8,
    /// The delay of each packet, such as `1ms`.
    pub latency: Option<String>,
    /// The rate at which a host sends, such as `100mbit`.
    pub bandwidth: Option<String>,
}

/// A cluster that is up, or one that may be.
#[derive(Debug)]
pub struct Cluster {
    /// The directory of its state: scripts, logs, and the files of Slurm.
    state: PathBuf,
    /// The beginning of the names of its namespaces.
    prefix: String,
}

/// The state of a host, as [`Cluster::hosts`] returns it.
#[derive(Debug)]
pub struct Host {
    /// The name, without the prefix of its namespace.
    pub name: String,
    /// The process that keeps its namespaces; `None` if it ended.
    pub holder: Option<u32>,
}

impl Cluster {
    /// Returns the cluster of this target directory, up or not.
    pub fn here() -> Self {
        let state = paths::target().join("cluster");
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        Self { state, prefix: format!("mpit-{:04x}-", hasher.finish() & 0xffff) }
    }

    /// Fails with the reason if this process cannot create network namespaces.
    pub fn check() -> Outcome {
        let [user, _] = build::run(Command::new("id").arg("-u"))?;
        Failure::unless(user.trim() == "0", || {
            "hosts are network namespaces, which only root can create: run this as root".into()
        })?;
        for (program, package) in
            [("ip", "iproute2"), ("tc", "iproute2"), ("nsenter", "util-linux"), ("unshare", "util-linux")]
        {
            Failure::unless(is_here(program), || {
                format!("no program `{program}`: install the package {package}")
            })?;
        }
        let trial = format!("{}trial", Self::here().prefix);
        network::ip(&["netns", "add", &trial]).context("this system refuses network namespaces")?;
        network::ip(&["netns", "del", &trial])
    }

    /// Starts the cluster, unless it is up in this shape. Returns true if it had to be started.
    pub fn up(&self, shape: &Shape) -> Outcome<bool> {
        Failure::unless((1..=64).contains(&shape.hosts), || "a cluster has 1 to 64 hosts".into())?;
        if self.is_up(shape)? {
            return Ok(false);
        }
        self.down()?;
        let started = self.start(shape);
        if started.is_err() {
            self.down()?;
        }
        started.map(|()| true)
    }

    fn start(&self, shape: &Shape) -> Outcome {
        let names = names(shape);
        for name in &names {
            let dir = self.state.join(name);
            fs::create_dir_all(&dir).context(dir.display())?;
        }
        let hosts: String =
            (1..).zip(&names).fold("127.0.0.1 localhost\n".into(), |mut text, (number, name)| {
                _ = writeln!(text, "{} {name}", network::address(number));
                text
            });
        self.write("hosts", &hosts)?;
        self.write_script("host", &host_script(&self.state))?;
        self.write_script("enter", &enter_script(&self.state))?;
        self.write_script("agent", &agent_script(&self.state))?;
        slurm::configure(self, &names)?;
        network::start(self, shape)?;
        slurm::start(self, &names)?;
        self.write("shape", &format!("{shape:?}"))
    }

    fn is_up(&self, shape: &Shape) -> Outcome<bool> {
        let is_same = fs::read_to_string(self.state.join("shape")).is_ok_and(|is| is == format!("{shape:?}"));
        let hosts = self.hosts()?;
        let is_whole =
            hosts.len() == usize::from(shape.hosts) && hosts.iter().all(|host| host.holder.is_some());
        Ok(is_same && is_whole && slurm::is_up(self))
    }

    /// Ends all processes of the cluster and removes its namespaces and files, as far as they exist.
    pub fn down(&self) -> Outcome {
        network::stop(self)?;
        for dir in [&self.state, &self.runtime()] {
            if dir.exists() {
                fs::remove_dir_all(dir).context(dir.display())?;
            }
        }
        Ok(())
    }

    /// Returns the hosts that exist, in the order of their numbers.
    pub fn hosts(&self) -> Outcome<Vec<Host>> {
        let mut hosts: Vec<_> = network::namespaces(self)?
            .into_iter()
            .filter(|name| name != network::SWITCH)
            .map(|name| Host { holder: self.holder(&name).ok(), name })
            .collect();
        hosts.sort_by_key(|host| host.name[1..].parse::<u32>().unwrap_or_default());
        Ok(hosts)
    }

    /// Returns the reason why there is no `srun`; `None` if Slurm is up.
    pub fn without_slurm(&self) -> Option<String> {
        slurm::obstacle().or_else(|| if slurm::is_up(self) { None } else { Some("Slurm is not up".into()) })
    }

    /// Returns the bytes that a host has sent since the cluster was started.
    pub fn sent(&self, host: &str) -> Outcome<u64> {
        network::sent(self, host)
    }

    /// Connects a host to the others, or cuts its link.
    pub fn set_link(&self, host: &str, up: bool) -> Outcome {
        let namespace = self.namespace(network::SWITCH);
        network::ip(&["-n", &namespace, "link", "set", host, if up { "up" } else { "down" }])
    }

    /// Makes hosts keep no closed connections, which they do for a minute. Those of a large job slow down each `bind` of the next one.
    pub fn keep_no_closed_connections(&self) -> Outcome {
        self.hosts()?
            .iter()
            .try_for_each(|host| network::keep_no_closed_connections(&self.namespace(&host.name)))
    }

    /// Ends all processes on a host at once, also those that keep it up.
    pub fn kill(&self, host: &str) -> Outcome {
        network::kill_all(&self.namespace(host))
    }

    /// Returns the program that runs a command on a host with an empty environment, as `ssh` does: `agent HOST COMMAND...`.
    pub fn agent(&self) -> PathBuf {
        self.state.join("agent")
    }

    /// Returns the beginning of a command line that runs the rest on a host, in the current directory and environment.
    pub fn on(&self, host: &str) -> Outcome<[String; 2]> {
        self.holder(host)?;
        Ok([self.state.join("enter").display().to_string(), host.to_owned()])
    }

    /// Returns the process that keeps the namespaces of a host.
    fn holder(&self, host: &str) -> Outcome<u32> {
        let file = self.state.join(host).join("pid");
        let absent = || format!("no host {host} is up; `cargo xtask cluster up` starts a cluster");
        let holder =
            fs::read_to_string(&file).ok().and_then(|pid| pid.trim().parse().ok()).context(absent())?;
        let is_its_process = network::processes(&self.namespace(host))?.contains(&holder);
        if is_its_process { Ok(holder) } else { Err(Failure::new(absent())) }
    }

    fn namespace(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Returns a directory whose path is short enough for sockets.
    fn runtime(&self) -> PathBuf {
        Path::new("/run").join(format!("{}sockets", self.prefix))
    }

    fn write(&self, file: &str, text: &str) -> Outcome {
        let file = self.state.join(file);
        fs::write(&file, text).context(file.display())
    }

    fn write_script(&self, file: &str, text: &str) -> Outcome {
        self.write(file, text)?;
        let file = self.state.join(file);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).context(file.display())
    }
}

/// The use of the cluster by a test, alone. A cluster that it had to start is removed at its end.
#[derive(Debug)]
pub struct Session {
    cluster: Cluster,
    was_started: bool,
    _lock: File,
}

impl Session {
    /// Waits until no other test uses the cluster, and starts it unless it is up in this shape. Returns `None`, and prints and records the
    /// reason, if tests do not want it or this process cannot create network namespaces.
    pub fn start(shape: &Shape) -> Outcome<Option<Self>> {
        let lock = lock()?;
        if std::env::var_os(WANTED).is_none() {
            record::not_run("cluster", "run `cargo xtask test --cluster`")?;
            return Ok(None);
        }
        if let Err(reason) = Cluster::check() {
            eprintln!("no cluster: {reason}");
            record::not_run("cluster", reason.to_string().lines().next().unwrap_or_default())?;
            return Ok(None);
        }
        Self::with_lock(shape, lock).map(Some)
    }

    /// Starts the cluster as [`Session::start`] does; fails if this process cannot create network namespaces.
    pub fn start_or_fail(shape: &Shape) -> Outcome<Self> {
        let lock = lock()?;
        Cluster::check()?;
        Self::with_lock(shape, lock)
    }

    fn with_lock(shape: &Shape, lock: File) -> Outcome<Self> {
        let cluster = Cluster::here();
        let was_started = cluster.up(shape)?;
        Ok(Self { cluster, was_started, _lock: lock })
    }

    /// Returns the cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.was_started
            && let Err(failure) = self.cluster.down()
        {
            eprintln!("the cluster remains: {failure}");
        }
    }
}

/// Runs a test on each library that `applies` accepts, one after the other. On a cluster, a host that is killed has the processes of all
/// jobs, and ranks that wait without a pause keep the launchers of other jobs from the processor.
pub fn one_by_one(
    test: &str,
    applies: impl Fn(&Stack) -> bool,
    run: impl Fn(&Stack) -> Outcome + Sync,
) -> Outcome {
    let turn = Mutex::new(());
    stacks::for_each(test, applies, |stack| {
        let begin = Instant::now();
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        machine_lock::add_wait(begin);
        run(stack)
    })
}

/// Waits until no other process uses the cluster.
fn lock() -> Outcome<File> {
    fs::create_dir_all(paths::target()).context(paths::target().display())?;
    let path = paths::target().join("cluster.lock");
    let lock = File::create(&path).context(path.display())?;
    lock.lock().context(path.display())?;
    Ok(lock)
}

fn names(shape: &Shape) -> Vec<String> {
    (1..=shape.hosts).map(|number| format!("n{number}")).collect()
}

/// Daemons are in directories that the search path of users may lack.
fn is_here(program: &str) -> bool {
    ["/usr/sbin", "/sbin"].iter().any(|dir| Path::new(dir).join(program).is_file())
        || paths::find_program(program).is_some()
}

/// Returns the script of the first process of a host. It runs in new namespaces.
fn host_script(state: &Path) -> String {
    let state = state.display();
    format!(
        "#!/bin/sh\nset -e\nname=$1\nstate='{state}'\nhostname \"$name\"\nmount --make-rprivate /\n\
         mount --bind \"$state/hosts\" /etc/hosts\nmount -t tmpfs -o mode=1777 tmpfs /dev/shm\n\
         if [ -d /etc/slurm ] && [ -d \"$state/slurm\" ]; then mount --bind \"$state/slurm\" /etc/slurm; fi\n\
         : >\"$state/$name/ready\"\nexec sleep infinity\n"
    )
}

/// The namespaces of a host that its processes enter.
const ENTER: &str = "nsenter --target \"$pid\" --net --uts --ipc --mount";

/// Returns the script that runs a command on a host, as a user does who works there: `enter HOST COMMAND...`.
fn enter_script(state: &Path) -> String {
    let state = state.display();
    format!(
        "#!/bin/sh\n# enter HOST COMMAND...\npid=$(cat '{state}'/\"$1\"/pid) || exit 255\nshift\n\
         exec {ENTER} sh -c 'cd \"$0\" && exec \"$@\"' \"$PWD\" \"$@\"\n"
    )
}

/// Returns the script that launchers use in place of `ssh`. Like it, it ignores options and joins the words of the command.
fn agent_script(state: &Path) -> String {
    let state = state.display();
    format!(
        "#!/bin/sh\n# agent [OPTION...] HOST COMMAND...\n\
         while [ \"${{1#-}}\" != \"$1\" ]; do\n    case $1 in -[BbcDEeFIiJLlmOoPpRSWw]) shift ;; esac\n    shift\ndone\n\
         host=$1\nshift\npid=$(cat '{state}'/\"$host\"/pid) || exit 255\n\
         exec {ENTER} env -i HOME=\"$HOME\" USER=root LOGNAME=root SHELL=/bin/sh \\\n    \
         PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c 'cd; eval \"$*\"' sh \"$@\"\n"
    )
}
