//! Steps of Slurm: the names of their files, the placement of their ranks, and a node that they lose.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use mpit_tests::cluster::jobs::{self, run_while};
use mpit_tests::cluster::{Cluster, one_by_one};
use mpit_tests::launch::mpit_line;
use mpit_tests::{Context, Failure, Job, Outcome, Stack, build, record};

use super::{HANGS, HOSTS, RANKS, by_srun, host_of, on_cluster, records, run, wait_until};
use crate::{equal, names_in, report};

const PROGRAM: &str = "across_hosts";

/// The user of the jobs. The environment of tests may name none.
const USER: &str = "alice";

/// One test, because each test starts a cluster. The node is lost last.
#[test]
fn steps_of_slurm() -> Outcome {
    on_cluster(|cluster| {
        if let Some(reason) = cluster.without_slurm() {
            return record::not_run("srun", &reason);
        }
        one_by_one(
            "cluster_late_rank",
            |stack| stack.label() == HANGS,
            |stack| jobs_with_a_late_rank_end(cluster, stack, &stack.scratch("cluster_late_rank")?),
        )?;
        one_by_one(
            "cluster_slurm",
            |stack| stack.label() == "mpich5.0.2",
            |stack| {
                let dir = stack.scratch("cluster_slurm")?;
                names_behind_srun(cluster, stack, &dir).context("names behind srun")?;
                names_in_front_of_srun(cluster, stack, &dir).context("names in front of srun")?;
                ranks_are_where_map_puts_them(cluster, stack, &dir).context("mpit map")?;
                the_lost_node_is_named(cluster, stack, &dir).context("a lost node")
            },
        )
    })
}

/// The number of jobs with a late rank, and of those that may hang: without mpit, 1 of 15 to 24 does.
const JOBS_WITH_A_LATE_RANK: u32 = 10;
const MAY_HANG: usize = 3;

/// Checks that jobs whose records are merged by messages end about as often as without mpit, with the library of which some jobs never do.
fn jobs_with_a_late_rank_end(cluster: &Cluster, stack: &Stack, dir: &Path) -> Outcome {
    let program = stack.compile(PROGRAM)?;
    let mpit = mpit_line(&["run", "--summary", "late/%j", "--"])?.join(" ");
    let script = format!(
        "for job in $(seq {JOBS_WITH_A_LATE_RANK}); do \
         timeout -k 5 30 srun -N 2 -n 4 --distribution=plane=3 --mpi=pmi2 {mpit} {} 20 200 >/dev/null; echo status $?; done",
        program.display()
    );
    let job = jobs::across_network(stack).seconds(500).args(["sh", "-c", &script]);
    let finished = run(cluster, job, dir)?;
    let ended = finished.stdout.lines().filter(|line| *line == "status 0").count();
    finished.expect(ended + MAY_HANG >= JOBS_WITH_A_LATE_RANK as usize)?;
    Failure::unless(names_in(&dir.join("late"))?.len() >= ended, || finished.to_string())
}

/// Prints what Slurm says about a process, and runs the rest of the command line.
const SHOW_TASK: &str =
    r#"echo "task $SLURM_PROCID $(uname -n) $SLURM_JOB_ID $SLURM_STEP_ID $USER"; exec "$@""#;

/// Checks that each process finds the parts of its own name.
fn names_behind_srun(cluster: &Cluster, stack: &Stack, dir: &Path) -> Outcome {
    let mpit = mpit_line(&["run", "--quiet", "--output", "behind/%j.%s/%u-%x-%h-%r-%%j", "--"])?;
    let job = by_srun(stack).args(["sh", "-c", SHOW_TASK, "sh"]).args(mpit).arg(stack.compile(PROGRAM)?);
    let finished = run(cluster, job.env("USER", USER), dir)?;
    finished.expect(finished.code == Some(0))?;
    let (mut directories, mut names) = (Vec::new(), Vec::new());
    for line in finished.stdout.lines().filter_map(|line| line.strip_prefix("task ")) {
        let [rank, host, job, step, user] = line.split(' ').collect::<Vec<_>>()[..] else {
            return finished.expect(false);
        };
        finished.expect(job.parse::<u32>().is_ok() && step.parse::<u32>().is_ok() && user == USER)?;
        let directory = format!("behind/{job}.{step}");
        let name = format!("{user}-{PROGRAM}-{host}-{rank}-%j");
        let number = rank.parse().context(line)?;
        equal(&name, &host_of(&dir.join(&directory).join(&name), number)?[..], host)?;
        directories.push(directory);
        names.push(format!("{name}.{rank}.prof"));
    }
    names.sort();
    directories.dedup();
    finished.expect(names.len() == RANKS as usize && directories.len() == 1)?;
    equal("files", &names_in(&dir.join(&directories[0]))?, &names)
}

/// Checks the parts of names that are known before `srun` starts the processes, and the messages about others.
fn names_in_front_of_srun(cluster: &Cluster, stack: &Stack, dir: &Path) -> Outcome {
    let program = stack.compile(PROGRAM)?;
    let (nodes, ranks, each) = (HOSTS.to_string(), RANKS.to_string(), (RANKS / HOSTS).to_string());
    let allocation = ["salloc", "-N", &nodes, "-n", &ranks, "--ntasks-per-node", &each];
    let script = r#"echo "job $SLURM_JOB_ID"; exec "$@""#;
    let mpit = mpit_line(&["run", "--quiet", "--output", "front/%j-%u-%x-%h-%%s/", "--", "srun"])?;
    let job = jobs::across_network(stack).args(allocation).args(["sh", "-c", script, "sh"]);
    let finished = run(cluster, job.args(mpit).arg(&program).env("USER", USER), dir)?;
    finished.expect(finished.code == Some(0))?;
    let number = finished.stdout.lines().find_map(|line| line.strip_prefix("job "));
    let name = format!("{}-{USER}-{PROGRAM}-n1-%s", number.context(&finished)?);
    equal("directories", &names_in(&dir.join("front"))?, &vec![name.clone()])?;
    records(&dir.join("front").join(name).join("run")).context(&finished)?;
    let unknown = [
        ("%j", "%j: this is not in a job of a batch system"),
        ("%s", "%s is known behind srun only"),
        ("%r", "%r is known behind the launcher only"),
    ];
    for (part, why) in unknown {
        let job = by_srun(stack).arg(&program).under_mpit_with(&["--output", &format!("no/{part}")])?;
        let refused = run(cluster, job, dir)?;
        refused.expect(refused.code == Some(2) && refused.stderr.contains(why))?;
        refused.expect(!dir.join("no").exists())?;
    }
    Ok(())
}

/// Runs the line that `mpit map` prints, and checks that each rank is on the node that the file names for it.
fn ranks_are_where_map_puts_them(cluster: &Cluster, stack: &Stack, dir: &Path) -> Outcome {
    let job = by_srun(stack).arg(stack.compile("neighbor_exchange")?).args(["cube", "4096", "1"]);
    let recorded = run(cluster, job.under_mpit_with(&["--quiet", "--output", "map/run"])?, dir)?;
    recorded.expect(recorded.code == Some(0))?;
    let nodes = format!("{HOSTS}x{}", RANKS / HOSTS);
    let words = ["map", "map/run", "--nodes", &nodes, "--launcher", "slurm", "--output", "order"];
    let planned = Job::mpit(&words)?.dir(dir).succeed()?;
    let line = planned.stderr.split("next run: ").nth(1).context(&planned)?.trim();
    planned.expect(line.starts_with("SLURM_HOSTFILE=order srun --distribution=arbitrary "))?;
    let order = fs::read_to_string(dir.join("order")).context("order")?;
    let planned_nodes: Vec<&str> = order.lines().collect();
    // Where Slurm puts them without the file.
    let usual: Vec<String> = (0..RANKS).map(|rank| format!("n{}", 1 + rank / (RANKS / HOSTS))).collect();
    planned.expect(planned_nodes.len() == RANKS as usize && planned_nodes != usual).context(&order)?;
    let job = jobs::across_network(stack).args(["sh", "-c", line]);
    let placed = run(cluster, job.under_mpit_with(&["--quiet", "--output", "placed/run"])?, dir)?;
    placed.expect(placed.code == Some(0))?;
    let of_rank = |rank| host_of(&dir.join("placed/run"), rank).context(&placed);
    let found = (0..RANKS).map(of_rank).collect::<Outcome<Vec<_>>>()?;
    Failure::unless(found == planned_nodes, || format!("{found:?}, should be {planned_nodes:?}\n{placed}"))
}

/// The node that is lost, with rank 0. `srun` and the controller of Slurm are on another one.
const LOST: &str = "n2";

/// The ranks of the jobs that lose a node, and the number of those on each node.
const ALL: [u32; 6] = [0, 1, 2, 3, 4, 5];
const EACH: usize = 2;

/// The time limit of these jobs, in seconds, which they do not reach.
const LIMIT: u64 = 100;

/// Two jobs lose the node of rank 0: one with files of processes, without `--crash-safe`, and one with tables. `timeout` ends both once the
/// node is lost, as at its limit: a limit that is reached would have to be long enough for a busy machine.
fn the_lost_node_is_named(cluster: &Cluster, stack: &Stack, dir: &Path) -> Outcome {
    let program = stack.compile("lost_node")?;
    let srun = format!("srun -N 3 -w n2,n3,n4 -n {} --ntasks-per-node {EACH}", ALL.len());
    let limited = format!("timeout -k 5 {LIMIT} {srun}");
    let in_front = mpit_line(&["run", "--output", "files/run", "--"])?.join(" ");
    let behind = mpit_line(&["run", "--output", "tables/run", "--tables", "--"])?.join(" ");
    let program = program.display();
    let script = format!(
        "{in_front} {limited} {program} {LOST} before &\necho $! >files.pid\n\
         {limited} {behind} {program} {LOST} after &\necho $! >tables.pid\nwait\n"
    );
    let job = jobs::across_network(stack).args(["sh", "-c", &script]);
    let begin = Instant::now();
    let finished = run_while(cluster, job, dir, || {
        let (lost, others) = ALL.split_at(EACH);
        let file = |stem: &str, rank: &u32| dir.join(format!("{stem}/run.{rank}.prof"));
        let of_files = others.iter().map(|rank| file("files", rank));
        let parts = ["n3", "n4"].map(|host| dir.join(format!("tables/run.tables/{host}.{EACH}/part.json")));
        let of_lost: Vec<_> = lost.iter().map(|rank| file("tables", rank)).collect();
        for path in of_files.chain(parts).chain(of_lost.clone()) {
            wait_until(&path.display().to_string(), || path.exists())?;
        }
        cluster.set_link(LOST, false)?;
        cluster.kill(LOST)?;
        // As if the node had kept them.
        of_lost.iter().try_for_each(|path| fs::remove_file(path).context(path.display()))?;
        // `mpit run` forwards the signal to `timeout`.
        ["files.pid", "tables.pid"].iter().try_for_each(|file| end_process(&dir.join(file)))
    })?;
    let elapsed = begin.elapsed();
    finished.expect(finished.code == Some(0) && elapsed.as_secs() < LIMIT)?;
    finished.expect(
        finished
            .stderr
            .contains("mpit: ranks 0-1 of 6 left no records, unlike those on n3, n4: the command "),
    )?;
    for stem in ["files", "tables"] {
        let report = report(dir, &[stem])?;
        let says = |text: &str| report.stdout.contains(text);
        report.expect(says("run: 4 of 6 processes") && says("missing: ranks 0 to 1 (no file)"))?;
        report.expect(says(&format!("nodes without data: {LOST}\n"))).context(&finished)?;
    }
    let part = dir.join("tables/run.tables/n4.2/part.json");
    let text = fs::read_to_string(&part).context(part.display())?;
    Failure::unless(text.contains(r#""step_nodes": "n[2-4]""#), || text)?;
    let packed = Job::mpit(&["pack", "tables/run"])?.dir(dir).succeed()?;
    let line = format!("run.tables has no records of these nodes: {LOST}\n");
    packed.expect(packed.stderr.contains(&line))?;
    // Ranks that are left wait in MPI_Finalize for those that are lost.
    cluster.down()
}

/// Sends SIGTERM to the process that a file names.
fn end_process(file: &Path) -> Outcome {
    let pid = fs::read_to_string(file).context(file.display())?;
    build::run(Command::new("kill").arg(pid.trim())).map(drop)
}
