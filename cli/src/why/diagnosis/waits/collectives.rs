//! Collective operations.

use std::rc::Rc;

use super::super::super::calls::{CallKind, Flow, has_equal_amounts, kind};
use super::super::super::snapshot::{Call, Comm, Operation, OperationKind, Phase, RankState};
use super::{Collective, Reason, Wait, Waits, numbered, on, single_edges, unknown};

/// The clause for an operation that no process is missing from, and in which no other process is.
const LEFT: &str =
    "all others have left this operation: it transfers data, or its arguments do not fit those of the others";

/// The part of a process in a collective operation.
pub(in super::super) struct Part<'a> {
    pub(in super::super) name: &'a str,
    /// The rank of the root in the world.
    pub(in super::super) root: Option<u32>,
    pub(in super::super) bytes: Option<u64>,
}

impl Waits<'_> {
    pub(super) fn wait_of_collective(
        &self,
        rank: &RankState,
        call: &Call,
        flow: Flow,
        comm: &Comm,
        number: u64,
    ) -> Option<Wait> {
        if !comm.is_remote && !comm.members.contains(&rank.rank) {
            return None;
        }
        let root = comm.world_root(rank.rank, call.root, call.is_root);
        let part = Part { name: &call.name, root, bytes: call.bytes };
        let of = Collective { name: call.name.clone(), comm: comm.id, number };
        let absent = self.absent(&part, comm, of);
        if absent.is_empty() {
            return Some(self.wait_without_absent(rank, comm, number));
        }
        if flow == Flow::FromRoot
            && let Some(edge) = single_edges(&absent).find(|edge| Some(edge.to) == root)
        {
            return Some(Wait::On(edge.clone()));
        }
        let waits_for_all = match flow {
            Flow::AllToAll => true,
            Flow::ToRoot => root == Some(rank.rank),
            Flow::FromRoot | Flow::Partial => false,
        };
        // A process that makes another call never takes part in this one.
        let is_contradicted = single_edges(&absent).any(|edge| !matches!(edge.reason, Reason::NotEntered(_)));
        Some(if waits_for_all || is_contradicted { Wait::All(absent) } else { Wait::Any(absent) })
    }

    /// Returns the wait for an operation that no process is missing from. All others may have begun a later one; a process that is not known may
    /// be in this one.
    fn wait_without_absent(&self, rank: &RankState, comm: &Comm, number: u64) -> Wait {
        let has_left = |other: &u32| {
            let other = self.snapshot.rank(*other).and_then(|other| other.comm(comm.id));
            other.is_some_and(|other| other.entered > number)
        };
        let mut others = comm.members.iter().filter(|other| **other != rank.rank);
        if comm.members.len() > 1 && others.all(has_left) { unknown(LEFT) } else { Wait::Ready }
    }

    /// Returns the waits for the processes that do not take part in an operation. All processes that make the same call share the list.
    fn absent(&self, part: &Part<'_>, comm: &Comm, of: Collective) -> Rc<Vec<Wait>> {
        let key = (of, part.root, part.bytes, comm.members.first().copied());
        if let Some(known) = self.absent.borrow().get(&key) {
            return Rc::clone(known);
        }
        let of = &key.0;
        let mut is_known = true;
        let mut all = Vec::new();
        for member in &comm.members {
            // One process of other nodes stands for all of them.
            if self.snapshot.rank(*member).is_none() && !std::mem::replace(&mut is_known, false) {
                continue;
            }
            all.extend(self.disagreement(*member, part, of).map(|reason| on(*member, reason)));
        }
        let all = Rc::new(all);
        self.absent.borrow_mut().insert(key, Rc::clone(&all));
        all
    }

    /// Returns the processes that have not entered a collective operation of all members.
    pub(super) fn missing_from(&self, call: &Call, comm: &Comm, number: u64) -> Rc<Vec<Wait>> {
        let of = Collective { name: call.name.clone(), comm: comm.id, number };
        self.absent(&Part { name: &call.name, root: None, bytes: None }, comm, of)
    }

    /// Returns the wait of a collective operation on a file: for one of the processes that have not entered it, unless this one may be
    /// transferring data.
    pub(super) fn wait_on_file(&self, rank: &RankState, call: &Call) -> Option<Wait> {
        let (comm, number) = numbered(rank, call)?;
        let system_call = rank.process.system_call.as_deref().unwrap_or_default();
        if self.may_be_on_its_way(call) || ON_FILES.iter().any(|name| system_call.starts_with(name)) {
            return Some(unknown("it may be reading or writing the file"));
        }
        let absent = self.missing_from(call, comm, number);
        let is_complete = absent.is_empty();
        Some(if is_complete { self.wait_without_absent(rank, comm, number) } else { Wait::Any(absent) })
    }

    /// Returns the condition of an operation that a process has begun by a call which returned a request.
    pub(super) fn wait_of_begun_collective(
        &self,
        rank: &RankState,
        comm: &Comm,
        operation: &Operation,
        number: u64,
    ) -> Wait {
        let name = &operation.name;
        let of = Collective { name: name.clone(), comm: comm.id, number };
        let missing = if let Some(starts) = operation.starts {
            Rc::new(self.not_started(rank, comm, &of, starts))
        } else {
            let begun = comm.begun.iter().find(|begun| begun.number == number && begun.name == *name);
            let root = begun.and_then(|begun| comm.world_root(rank.rank, begun.root, begun.is_root));
            self.absent(&Part { name, root, bytes: None }, comm, of)
        };
        let is_contradicted = single_edges(&missing)
            .any(|edge| !matches!(edge.reason, Reason::NotEntered(_) | Reason::NotStarted(_)));
        match kind(name) {
            _ if missing.is_empty() => Wait::Ready,
            CallKind::Collective(Flow::AllToAll) => Wait::All(missing),
            _ if is_contradicted => Wait::All(missing),
            _ => Wait::Any(missing),
        }
    }

    /// Returns the waits for processes that have not started a persistent operation as often. One whose request is not known may have.
    fn not_started(&self, rank: &RankState, comm: &Comm, of: &Collective, starts: u64) -> Vec<Wait> {
        let has_started = |other: &u32| {
            let Some(other) = self.snapshot.rank(*other) else { return false };
            let all = other.persistent.iter().filter(|one| one.comm == of.comm && one.number == of.number);
            all.map(|one| one.starts).max().is_none_or(|theirs| theirs >= starts)
        };
        let missing = comm.members.iter().filter(|other| **other != rank.rank && !has_started(other));
        missing.map(|other| on(*other, Reason::NotStarted(of.clone()))).collect()
    }

    /// Returns false if a process has certainly not entered an operation, or is not known. It may have freed the communicator since;
    /// in `MPI_Finalize`, processes have none.
    fn has_entered(&self, rank: u32, of: &Collective) -> bool {
        let Some(rank) = self.snapshot.rank(rank) else { return false };
        match rank.comm(of.comm) {
            Some(comm) => comm.entered >= of.number,
            None => rank.phase < Phase::Finalizing,
        }
    }

    /// Returns the reason why a process does not take part in a collective operation; `None` if it does, or has done.
    fn disagreement(&self, other: u32, ours: &Part<'_>, of: &Collective) -> Option<Reason> {
        let Some(theirs) = self.snapshot.rank(other).and_then(|other| part_of(other, of)) else {
            return if self.has_entered(other, of) { None } else { Some(Reason::NotEntered(of.clone())) };
        };
        let differ = |ours: Option<u64>, theirs: Option<u64>| {
            ours.zip(theirs).is_some_and(|(ours, theirs)| ours != theirs)
        };
        if plain(theirs.name) != plain(ours.name) {
            Some(Reason::OtherCall(of.clone()))
        } else if differ(ours.root.map(u64::from), theirs.root.map(u64::from)) {
            Some(Reason::OtherRoot(of.clone()))
        } else if has_equal_amounts(ours.name) && differ(ours.bytes, theirs.bytes) {
            Some(Reason::OtherAmount(of.clone()))
        } else {
            None
        }
    }
}

/// The beginnings of the names of system calls, and of places in the kernel, for files on disks.
const ON_FILES: [&str; 21] = [
    "read",
    "write",
    "pread",
    "pwrite",
    "fsync",
    "fdatasync",
    "folio_",
    "ftruncate",
    "truncate",
    "fallocate",
    "sync",
    "msync",
    "copy_file_range",
    "sendfile",
    "io_getevents",
    "io_pgetevents",
    "io_submit",
    "io_uring_enter",
    "open",
    "close",
    "munmap",
];

/// Returns the part of a process in a collective operation that it is in, that it waits for, or that it has begun lately.
pub(in super::super) fn part_of<'a>(rank: &'a RankState, of: &Collective) -> Option<Part<'a>> {
    let comm = rank.comm(of.comm)?;
    let is_it = |call: &&Call| {
        call.comm == Some(of.comm) && call.number == Some(of.number) && kind(&call.name) != CallKind::Other
    };
    if let Some(call) = rank.calls().find(is_it) {
        let root = comm.world_root(rank.rank, call.root, call.is_root);
        return Some(Part { name: &call.name, root, bytes: call.bytes });
    }
    if let Some(begun) = comm.begun.iter().find(|begun| begun.number == of.number) {
        let root = comm.world_root(rank.rank, begun.root, begun.is_root);
        return Some(Part { name: &begun.name, root, bytes: None });
    }
    let is_begun = |operation: &&Operation| {
        operation.kind == OperationKind::Collective
            && (operation.comm, operation.number) == (of.comm, Some(of.number))
    };
    let operation = rank.calls().flat_map(|call| &call.operations).find(is_begun)?;
    Some(Part { name: &operation.name, root: None, bytes: None })
}

/// Returns the name of the form with small counts.
fn plain(name: &str) -> &str {
    name.strip_suffix("_c").unwrap_or(name)
}
