//! The description of the call that a process is in, as other programs read it.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mpit_format::calls::Class;
use mpit_format::store::current::{Comm, Current, Lock, Members, Peer, Tag, Target, Thread, read};
use mpit_tests::{Context, Failure, Job, Outcome, Stack, machine_lock, stacks};

use crate::fortran::INTERFACES;

/// The time that a process has to enter a call.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// A process that is in a call.
struct Inside<'a> {
    process: &'a Current,
    thread: &'a Thread,
}

impl Inside<'_> {
    fn comm(&self) -> Option<&Comm> {
        self.process.comms.get(self.thread.comm?)
    }

    fn is_on(&self, name: &str) -> bool {
        self.comm().is_some_and(|comm| comm.name == name)
    }

    /// Returns true for a call with this peer and tag.
    fn is_with(&self, peer: Peer, tag: Tag) -> bool {
        (self.thread.peer, self.thread.tag) == (Some(peer), Some(tag))
    }

    /// Returns true if the call waits for exactly these requests.
    fn waits_for(&self, wanted: &[(&str, Option<Peer>, Option<Tag>)]) -> bool {
        let requests = &self.thread.requests;
        self.thread.request_count == wanted.len() as u64
            && requests.len() == wanted.len()
            && requests.iter().zip(wanted).all(|(one, (name, peer, tag))| {
                one.call.is_some_and(|call| call.name == *name) && (one.peer, one.tag) == (*peer, *tag)
            })
    }
}

type Check = fn(&Inside<'_>) -> bool;

const ZERO: Peer = Peer::Rank(0);

const LOCK_OF_ZERO: Lock = Lock { target: Target::Rank(0), is_exclusive: true, is_granted: false };

/// A step, the call of rank 1, and what its description has to contain.
type Step = (&'static str, &'static str, Check);

/// The steps of the program, the call of rank 1 if it is the same with all libraries, and what its description has to contain.
const STEPS: &[Step] = &[
    ("recv", "Recv", |inside| {
        inside.is_with(ZERO, Tag::Tag(7))
            && inside.is_on("work")
            && inside.thread.count == Some(10)
            && inside.thread.bytes == Some(40)
    }),
    ("recv any", "Recv", |inside| inside.is_with(Peer::Any, Tag::Any) && inside.is_on("MPI_COMM_WORLD")),
    ("ssend", "Ssend", |inside| inside.is_with(ZERO, Tag::Tag(8)) && inside.is_on("work")),
    ("sendrecv", "Sendrecv", |inside| {
        inside.is_with(ZERO, Tag::Tag(31)) && inside.thread.receive == Some((ZERO, Tag::Tag(30)))
    }),
    ("probe", "Probe", |inside| inside.is_with(ZERO, Tag::Tag(9)) && inside.is_on("work")),
    ("wait", "Wait", |inside| inside.waits_for(&[("Irecv", Some(ZERO), Some(Tag::Tag(10)))])),
    ("waitall", "Waitall", |inside| {
        inside.waits_for(&[
            ("Irecv", Some(ZERO), Some(Tag::Tag(11))),
            ("Irecv", Some(Peer::Any), Some(Tag::Tag(12))),
        ])
    }),
    ("barrier", "Barrier", |inside| inside.is_on("work") && inside.thread.collective == Some(1)),
    ("bcast", "Bcast", |inside| {
        inside.thread.peer == Some(ZERO)
            && inside.thread.collective == Some(2)
            && inside.thread.count == Some(4)
    }),
    ("allreduce", "Allreduce", |inside| inside.is_on("work") && inside.thread.collective == Some(3)),
    ("ibarrier", "Wait", |inside| {
        inside.waits_for(&[("Ibarrier", None, None)]) && inside.thread.requests[0].collective == Some(4)
    }),
    ("split", "Comm_split", |inside| inside.is_on("work") && inside.thread.collective == Some(5)),
    ("barrier of split", "Barrier", |inside| {
        inside.comm().is_some_and(|comm| {
            comm.members == Members::List(vec![1, 0]) && comm.lineage != 0 && comm.collectives == 1
        })
    }),
    ("fence", "Win_fence", |inside| {
        inside.thread.window.is_some()
            && inside.thread.collective == Some(1)
            && inside.is_on("MPI_COMM_WORLD")
    }),
    // Libraries may request the lock in a later call.
    ("lock", "", |inside| {
        inside.thread.call.class == Class::Access
            && inside.thread.peer == Some(ZERO)
            && inside.is_on("MPI_COMM_WORLD")
            && inside.process.windows.iter().any(|window| window.locks == [LOCK_OF_ZERO])
    }),
    ("outside", "Barrier", |inside| inside.is_on("MPI_COMM_WORLD")),
    ("finalize", "Finalize", |_| true),
];

/// The step of `c/current_call_threads.c`.
const THREADS: &[Step] = &[("threads", "Recv", |inside| {
    let all = &inside.process.threads;
    let receives = |tag: i32| {
        let is_it = |thread: &&Thread| {
            thread.inside
                && thread.call.name == "Recv"
                && thread.tag == Some(Tag::Tag(tag))
                && thread.peer == Some(ZERO)
        };
        all.iter().find(is_it).map(|thread| thread.tid)
    };
    let waits = |thread: &&Thread| {
        Inside { process: inside.process, thread }.waits_for(&[("Irecv", Some(ZERO), Some(Tag::Tag(50)))])
    };
    let waiting = all.iter().filter(|thread| thread.inside).find(waits).map(|thread| thread.tid);
    let main = all.iter().find(|thread| thread.tid == inside.process.pid);
    let mut tids = [receives(40), receives(41), waiting];
    tids.sort_unstable();
    let are_different = tids.windows(2).all(|pair| pair[0] != pair[1]);
    tids.iter().all(Option::is_some)
        && are_different
        && main.is_some_and(|main| !main.inside)
        && inside.is_on("work")
})];

/// The steps that `fortran/current_call.F90` has as well.
const IN_FORTRAN: [&str; 6] = ["recv", "sendrecv", "waitall", "barrier", "bcast", "finalize"];

/// Returns the directory of a job.
fn directory_of(run: &str) -> Outcome<PathBuf> {
    let users = fs::read_dir("/dev/shm").context("/dev/shm")?.flatten();
    let mut all = users.map(|user| user.path().join(run));
    all.find(|path| path.is_dir()).ok_or_else(|| Failure::new(format!("no directory of the job {run}")))
}

fn read_store(directory: &Path, rank: u32) -> Outcome<Current> {
    let path = directory.join(format!("run.{rank}.store"));
    read(&fs::read(&path).context(path.display())?).map_err(|error| Failure::new(error.to_string()))
}

fn show(process: &Current) -> String {
    format!("{:#?}\n{:#?}", process.threads, process.comms)
}

/// Waits until rank 1 is in a call that is described as expected.
fn wait_for(directory: &Path, call: &str, check: Check) -> Outcome {
    let until = Instant::now() + TIME_LIMIT * mpit_tests::launch::slowness();
    loop {
        let process = read_store(directory, 1)?;
        let is_right = |thread: &Thread| {
            thread.inside
                && (call.is_empty() || thread.call.name == call)
                && check(&Inside { process: &process, thread })
        };
        if process.threads.iter().any(is_right) {
            return Ok(());
        }
        Failure::unless(Instant::now() < until, || show(&process))?;
        thread::sleep(Duration::from_millis(5));
    }
}

fn go_on(input: &mut ChildStdin) -> Outcome {
    input.write_all(b"\n").and_then(|()| input.flush()).context("standard input")
}

#[test]
fn calls_in_progress_are_described() -> Outcome {
    stacks::on_each("current_call", |stack| are_described(stack, &stack.compile("current_call")?, STEPS))
}

#[test]
fn calls_of_threads_are_described() -> Outcome {
    stacks::on(&["ompi4.1.4", "mpich4.0.2"], "current_call_threads", |stack| {
        are_described(stack, &stack.compile("current_call_threads")?, THREADS)
    })
}

#[test]
fn calls_in_fortran_are_described() -> Outcome {
    stacks::with_fortran("current_call_fortran", |stack| {
        let steps: Vec<Step> = STEPS.iter().copied().filter(|(name, ..)| IN_FORTRAN.contains(name)).collect();
        for interface in INTERFACES {
            let program = stack.compile_fortran("current_call", interface)?;
            are_described(stack, &program, &steps).context(interface)?;
        }
        Ok(())
    })
}

/// Runs a program with these steps, and checks the description of each.
fn are_described(stack: &Stack, program: &Path, steps: &[Step]) -> Outcome {
    let job = Job::mpi(stack, 2).arg(program).under_mpit(&[])?.seconds(120);
    let _lock = machine_lock::part()?;
    let mut child = job.command().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("timeout")?;
    let mut input = child.stdin.take().expect("piped");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let result = follow(&mut output, &mut input, steps);
    drop(input);
    // What else is printed needs a reader: without one, the launcher would be killed by a signal.
    io::copy(&mut output, &mut io::sink()).context("standard output")?;
    let status = child.wait().context("timeout")?;
    let directory = result?;
    Failure::unless(status.success(), || format!("the program ended with {status}"))?;
    Failure::unless(!directory.exists(), || format!("{} still exists", directory.display()))
}

/// Follows the program. Returns the directory of the job.
fn follow(output: impl BufRead, input: &mut ChildStdin, steps: &[Step]) -> Outcome<PathBuf> {
    let mut lines = output.lines();
    let mut next = || -> Outcome<String> {
        let line = lines.next().ok_or_else(|| Failure::new("the program ended early"))?;
        line.context("standard output")
    };
    let directory = directory_of(&next()?)?;
    for (step, call, check) in steps {
        let line = next()?;
        Failure::unless(line == format!("step {step}"), || format!("{line}, expected {step}"))?;
        wait_for(&directory, call, *check).map_err(|why| Failure::new(format!("{step}: {why}")))?;
        if *step == "outside" {
            check_rank_0(&directory)?;
        }
        go_on(input)?;
    }
    Ok(directory)
}

/// Checks the description of rank 0, which waits outside of MPI.
fn check_rank_0(directory: &Path) -> Outcome {
    let process = read_store(directory, 0)?;
    let comm = |name: &str| process.comms.iter().find(|comm| comm.name == name);
    let (Some(world), Some(work)) = (comm("MPI_COMM_WORLD"), comm("work")) else {
        return Err(Failure::new(show(&process)));
    };
    let has_sent = |comm: &Comm, tag: i32| process.sends.may_contain(comm, 1, tag);
    let is_right = process.threads.iter().all(|thread| !thread.inside)
        && has_sent(work, 7)
        && has_sent(work, 30)
        && has_sent(world, 12)
        && !has_sent(work, 12)
        && !has_sent(world, 99)
        && work.collectives == 5
        && world.members == Members::World
        && !process.host.is_empty()
        && process.start != 0;
    Failure::unless(is_right, || show(&process))
}
