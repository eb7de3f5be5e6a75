//! Statistics of collective operations.
//!
//! Each communicator has an account with the sums of its operations, by pattern. The sum that this process exchanged with
//! another one is in two places: operations that exchange equal amounts with all processes add to the sum of an
//! [`SharedSum`], others to the row of each process. Shared sums and rows are never removed, so freeing a communicator does
//! not change any sum. Communicators with the same members share their shared sums. The slot of an account is reused once no
//! tool can query the communicator any more ([`mpit_frameworks::comms`]).
//!
//! Threads that call at once have sums of their own, in the account and in shared sums.
//!
//! Recording and reading are lock-free after first use. The first operation on a communicator and the first exchange with a
//! process allocate.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError, Weak};

use mpit::object::OUTSIDE;
use mpit_format::store::blocks::{BlockKind, Encoded};
use mpit_frameworks::coll::{CommId, Operation, Pattern, Volume};
use mpit_frameworks::comms::{Ranks, Record};
use mpit_frameworks::ids::{number, slot};
use mpit_sync::lock::Mutex;
use mpit_sync::log::Log;
use mpit_sync::memory;
use mpit_sync::sparse::Sparse;

use super::account::{Account, CaseSums, CommSums};
use super::operations_snapshot::{Operations, OperationsSnapshot};
use super::rules::{self, Excluded, OperationCounts, Shape};
use super::shared_sum::{Peers, SharedSum};
use crate::describe::{label, members as members_of};
use crate::per_thread::PerThread;
use crate::record::{RowSums, TrafficSum};
use crate::runtime::RUNTIME;
use crate::store::OF_PROCESS;

/// The sums of operations with a count for each process.
const EXCHANGED: RowSums<1> = RowSums::of(BlockKind::Exchanged);

/// The limit of shared sums, which bounds the memory. Further communicators are recorded process by process.
const SHARED_SUMS: usize = 1024;

/// The limit of shared sums at which threads get no more of their own.
const SHARED_SUMS_WITH_THREADS: usize = SHARED_SUMS / 2;

/// The way in which an operation is counted.
#[derive(Clone, Copy, Debug)]
pub enum Counted {
    /// With the others of its pattern and shape on the communicator.
    With(&'static CaseSums),
    /// It does not count at this process.
    Not,
}

type KindKey = (Arc<str>, bool, (u32, usize));

/// Blocks of the store that describe communicators: kinds of communicators and lists of members. Each is written once.
#[derive(Debug)]
struct Written {
    /// The number of each kind, by name, by the presence of a number behind the name, and by members.
    kinds: BTreeMap<KindKey, u64>,
    /// The number of each list, by its identity. The identity is unique while the list is held here.
    lists: BTreeMap<(u32, usize), (u64, Ranks)>,
}

/// The shared sum for a list of members, a shape, and the position of this process in the list. Valid while the list exists.
type OfLists = BTreeMap<OfList, InUse>;

/// A shared sum, and the list unless it is the world.
type InUse = (&'static SharedSum, Option<Weak<[u32]>>);

/// The identity of the list, the shape and the position of this process.
type OfList = ((u32, usize), u8, Option<u32>);

fn is_there(list: Option<&Weak<[u32]>>) -> bool {
    list.is_none_or(|list| list.strong_count() > 0)
}

#[derive(Debug)]
pub(crate) struct CollectiveStats {
    /// Accounts by the slot of the communicator.
    accounts: Sparse<Account>,
    /// The sums of threads that call at once, by the same slot.
    of_threads: PerThread<CommSums>,
    shared_sums: Log<SharedSum>,
    making: Mutex<OfLists>,
    written: Mutex<Written>,
}

/// Returns this process's rank in the world; `None` on an intercommunicator, where it is not among the members.
fn myself(members: &Record, rank: u32) -> Option<u32> {
    match &members.ranks {
        _ if members.remote => None,
        Ranks::World(_) => Some(rank),
        ranks => ranks.list()?.get(rank as usize).copied(),
    }
}

impl CollectiveStats {
    pub(super) const fn new() -> Self {
        Self {
            accounts: Sparse::new(),
            of_threads: PerThread::new(),
            shared_sums: Log::new(),
            making: Mutex::new(BTreeMap::new()),
            written: Mutex::new(Written { kinds: BTreeMap::new(), lists: BTreeMap::new() }),
        }
    }

    /// Counts an operation, with Open MPI's numbers if `compat` is true, else with the exact ones.
    #[inline]
    pub(super) fn record(&'static self, operation: &Operation<'_>, compat: bool) {
        if compat || !self.record_usual(operation) {
            self.record_slow_path(operation, compat);
        }
    }

    /// Counts an operation that exchanges equal amounts with all, on the fast path: nothing has to be allocated. Returns
    /// false, and does nothing, otherwise.
    #[inline]
    pub(super) fn record_usual(&'static self, operation: &Operation<'_>) -> bool {
        let Volume::Each(each) = operation.volume else { return false };
        let Some(account) = self.accounts.get(slot(operation.comm.get())) else { return false };
        rules::exact_case(operation).is_none_or(|case| account.shared.cases[case].record(each))
    }

    /// Returns the sums to which [`record_usual`](Self::record_usual) adds the operation; `None` if it would return false.
    pub(super) fn counted(&'static self, operation: &Operation<'_>) -> Option<Counted> {
        let Volume::Each(_) = operation.volume else { return None };
        let account = self.accounts.get(slot(operation.comm.get()))?;
        let Some(counts) = rules::exact(operation) else { return Some(Counted::Not) };
        let case = &account.shared.cases[counts.case_index()];
        if case.shared_sum.get().is_some() { Some(Counted::With(case)) } else { None }
    }

    /// Returns the sums for such operations like [`counted`](Self::counted), but those of the thread in a
    /// [slot](mpit_sync::thread_slots). Takes locks and allocates.
    pub(super) fn counted_by_thread(
        &'static self,
        thread: usize,
        operation: &Operation<'_>,
    ) -> Option<Counted> {
        let Counted::With(of_all) = self.counted(operation)? else { return Some(Counted::Not) };
        let account = self.accounts.get(slot(operation.comm.get()))?;
        let of_thread = account.of_thread(thread)?;
        let case = &of_thread.cases[rules::exact(operation)?.case_index()];
        if case.shared_sum.get().is_some() {
            return Some(Counted::With(case));
        }
        if of_thread.refused.load(Relaxed) {
            return None;
        }
        let Some(shared_sum) = self.shared_sum_of_thread(thread, of_all.shared_sum.get()?) else {
            // Not to be tried again in each operation.
            of_thread.refused.store(true, Relaxed);
            return None;
        };
        {
            let _written = self.written.lock();
            account.write_for(of_thread);
        }
        case.shared_sum.set(Some(shared_sum));
        Some(Counted::With(case))
    }

    /// Returns a thread's sum with the members of a shared sum, created if necessary; `None` at the limit.
    fn shared_sum_of_thread(&'static self, thread: usize, of_all: &SharedSum) -> Option<&'static SharedSum> {
        let _making = self.making.lock();
        let there = self.shared_sums.iter().find(|shared_sum| shared_sum.is_for(thread, of_all));
        if there.is_some() || self.shared_sums.len() >= SHARED_SUMS_WITH_THREADS {
            return there;
        }
        let place = self.shared_sums.push(SharedSum::of_thread(thread, of_all)?).ok()?;
        self.shared_sums.get(place)
    }

    /// Counts an operation on the slow path. Not inlined, so that the fast path stays short.
    #[inline(never)]
    fn record_slow_path(&'static self, operation: &Operation<'_>, compat: bool) {
        let Some((account, remote)) = self.account(operation.comm) else {
            if memory::is_short() {
                memory::count_dropped();
            }
            return;
        };
        let case = if compat { rules::as_open_mpi(operation, remote) } else { rules::exact(operation) };
        if let Some(case) = case {
            self.count(account, operation, case);
        }
    }

    fn count(&'static self, account: &Account, operation: &Operation<'_>, case: OperationCounts) {
        // Looked up before anything is added: a locked addition delays later loads.
        let of_pattern = account.shared.sums[case.pattern as usize];
        let each = match operation.volume {
            _ if case.excluded != Excluded::Caller => None,
            _ if case.is_empty => Some(0),
            Volume::Each(bytes) => Some(bytes),
            Volume::By(_) => None,
        };
        let same = each.and_then(|each| Some((each, self.shared_sum(account, case, operation.rank)?)));
        let bytes = match same {
            Some((each, shared_sum)) => {
                shared_sum.each.add(TrafficSum::one(each));
                each.wrapping_mul(shared_sum.len)
            }
            None => one_by_one(account, operation, case),
        };
        of_pattern.add(TrafficSum::one(bytes.wrapping_add(case.surplus)));
    }

    /// Returns the account of a communicator, and true if it is an intercommunicator.
    fn account(&'static self, comm: CommId) -> Option<(&'static Account, bool)> {
        let account = match self.of(comm) {
            Some(account) => account,
            None => self.open(&RUNTIME.comms.get(comm)?)?,
        };
        Some((account, account.is_remote()?))
    }

    #[cold]
    fn open(&'static self, record: &Record) -> Option<&'static Account> {
        let slot = slot(record.id.get());
        let account = self.accounts.entry_with(slot, || Account::new(slot, &self.of_threads))?;
        account.set_members(Some(Box::new(record.clone())));
        account.set_remote(record.remote);
        self.write(account, record);
        account.set_comm(record.id.get());
        Some(account)
    }

    /// Registers a new communicator. In a store that survives the process, the account is written at once, unless the host
    /// would have to be queried for the members.
    pub(crate) fn created(&'static self, record: &Record) {
        if OF_PROCESS.has_file() && !matches!(record.ranks, Ranks::Lazy(_)) {
            let _ = self.open(record);
        }
    }

    pub(crate) fn renamed(&'static self, record: &Record) {
        if let Some(account) = self.of(record.id) {
            self.write(account, record);
        }
    }

    fn of(&self, comm: CommId) -> Option<&Account> {
        self.accounts.get(slot(comm.get())).filter(|account| account.comm() == comm.get())
    }

    fn write(&self, account: &Account, record: &Record) {
        if !OF_PROCESS.has_file() {
            return;
        }
        // May call the host, so it comes before any lock.
        let ranks = record.ranks.resolved(RUNTIME.world());
        let mut written = self.written.lock();
        let Written { kinds, lists } = &mut *written;
        let identity = ranks.identity();
        let next = lists.len() as u64 + 1;
        let (list, _) = lists.entry(identity).or_insert_with(|| {
            let members = Encoded::default().members(&members_of(&ranks));
            let _ = OF_PROCESS.add(BlockKind::Members, next, 0, members.words());
            (next, ranks)
        });
        let label = label(record);
        let name = (Arc::clone(&label.name), label.first != 0, identity);
        let next = kinds.len() as u64 + 1;
        let kind = *kinds.entry(name).or_insert_with(|| {
            let kind = Encoded::default().number(*list).label(&label);
            let _ = OF_PROCESS.add(BlockKind::Comm, next, 0, kind.words());
            next
        });
        account.write([kind, label.first, label.last, record.alike, number(record.id.get())]);
    }

    pub(crate) fn is_used(&self, comm: CommId) -> bool {
        self.of(comm).is_some_and(|account| account.sums().iter().any(|sum| !sum.is_zero()))
    }

    /// Adds the sums of a freed communicator to those of another one, whose record then represents both.
    pub(crate) fn merge(&self, comm: CommId, target: &Record) {
        let (Some(from), Some(to)) = (self.of(comm), self.of(target.id)) else { return };
        for (sum, to) in from.sums().into_iter().zip(&to.shared.sums) {
            to.add(sum);
        }
        self.write(to, target);
        from.clear();
    }

    /// Releases the account of a freed communicator that no tool can query. Returns true if its slot can be reused.
    pub(crate) fn close(&self, comm: CommId) -> bool {
        match self.accounts.get(slot(comm.get())) {
            Some(account) if account.comm() == comm.get() => account.clear(),
            Some(account) => account.comm() == 0,
            None => true,
        }
    }

    /// Drops the members of a freed communicator, which no operation needs any more.
    pub(super) fn freed(&self, comm: CommId) {
        if let Some(account) = self.of(comm) {
            account.set_members(None);
        }
    }

    fn shared_sum(
        &'static self,
        account: &Account,
        case: OperationCounts,
        rank: u32,
    ) -> Option<&'static SharedSum> {
        match account.shared.cases[case.case_index()].shared_sum.get() {
            None if !account.refused[case.shape as usize].load(Relaxed) => self.find(account, case, rank),
            known => known,
        }
    }

    #[cold]
    fn find(
        &'static self,
        account: &Account,
        case: OperationCounts,
        rank: u32,
    ) -> Option<&'static SharedSum> {
        let shape = case.shape;
        // Another pattern of this shape may have it, even after the members were dropped.
        let of_shape =
            account.shared.cases[rules::cases_of(shape)].iter().find_map(|sums| sums.shared_sum.get());
        if of_shape.is_some() {
            account.shared.cases[case.case_index()].shared_sum.set(of_shape);
            return of_shape;
        }
        let members = account.members.read().unwrap_or_else(PoisonError::into_inner).as_deref().cloned()?;
        // May call the host, so it comes before any lock.
        let ranks = members.ranks.resolved(RUNTIME.world());
        // In a remote group all ranks take part, so the position of this process has no influence.
        let here = if !members.remote || shape == Shape::Above { Some(rank) } else { None };
        let key = match shape {
            Shape::Neighbors => None,
            Shape::All | Shape::Above => Some((ranks.identity(), shape as u8, here)),
        };
        let known = |making: &OfLists| {
            let (shared_sum, list) = making.get(&key?)?;
            if is_there(list.as_ref()) { Some(*shared_sum) } else { None }
        };
        if let Some(shared_sum) = known(&self.making.lock()) {
            account.shared.cases[case.case_index()].shared_sum.set(Some(shared_sum));
            return Some(shared_sum);
        }
        let me = myself(&members, rank);
        let wanted = match shape {
            Shape::All => Peers::of_ranks(&ranks, 0, me),
            Shape::Above => Peers::of_ranks(&ranks, rank + 1, me),
            Shape::Neighbors => {
                Peers::of_list(members.neighbors.iter().copied().filter(|to| *to != OUTSIDE), me)
            }
        };
        let mut of_lists = self.making.lock();
        let there = self.shared_sums.iter().position(|shared_sum| shared_sum.is_of(&wanted));
        let place = match there {
            None if self.shared_sums.len() < SHARED_SUMS => {
                SharedSum::new(wanted).and_then(|sum| self.shared_sums.push(sum).ok())
            }
            there => there,
        };
        let found = place.and_then(|place| self.shared_sums.get(place));
        match (found, key) {
            (Some(shared_sum), Some(key)) => {
                // A weak reference keeps the memory of a dropped list.
                of_lists.retain(|_, (_, list)| is_there(list.as_ref()));
                if of_lists.len() < SHARED_SUMS {
                    of_lists.insert(key, (shared_sum, ranks.list().map(Arc::downgrade)));
                }
            }
            (None, _) => account.refused[shape as usize].store(true, Relaxed),
            _ => {}
        }
        account.shared.cases[case.case_index()].shared_sum.set(found);
        found
    }

    pub(super) fn with(&self, rank: u32) -> TrafficSum {
        let [row] = EXCHANGED.with(rank);
        self.shared_sums.iter().fold(row, |sum, shared_sum| sum.and(shared_sum.with(rank)))
    }

    /// Returns the sum exchanged with all processes, including those outside of the world.
    pub(super) fn total(&self) -> TrafficSum {
        let [rows] = EXCHANGED.total();
        self.shared_sums
            .iter()
            .fold(rows, |sum, shared_sum| sum.and(shared_sum.each.get().times(shared_sum.len)))
    }

    pub(super) fn on(&self, comm: u64, pattern: Pattern) -> TrafficSum {
        let account = self.of(CommId::from_number(comm));
        account.map(|account| account.sums()[pattern as usize]).unwrap_or_default()
    }

    pub(crate) fn snapshot(&self) -> OperationsSnapshot {
        let comms = self.accounts.iter().map(|(_, account)| (account.comm(), account.sums()));
        let shared_sums = self.shared_sums.iter().map(|shared_sum| [shared_sum.each.get()]).enumerate();
        OperationsSnapshot { comms: comms.collect(), shared_sums: shared_sums.collect() }
    }

    pub(crate) fn between(&self, earlier: &OperationsSnapshot, later: &OperationsSnapshot) -> Operations {
        later.since(earlier, &self.shared_sums)
    }
}

/// Adds the exchange with each process to its row. Returns the number of bytes in total.
#[inline(never)]
fn one_by_one(account: &Account, operation: &Operation<'_>, case: OperationCounts) -> u64 {
    let Ok(members) = account.members.try_read() else { return 0 };
    let Some(members) = members.as_ref() else { return 0 };
    let rank = operation.rank;
    let mut total: u64 = 0;
    let mut exchange = |number: u32, to: u32| {
        let bytes = if case.is_empty { 0 } else { operation.volume.with(number) };
        match EXCHANGED.entry(to) {
            Some([row]) => row.add(TrafficSum::one(bytes)),
            None => memory::count_dropped(),
        }
        total = total.wrapping_add(bytes);
    };
    let ranks = (0..).zip(members.ranks.iter());
    match case.shape {
        Shape::All => {
            let excluded = match case.excluded {
                Excluded::Caller if members.remote => None,
                Excluded::Caller | Excluded::CallerRank => Some(rank),
                Excluded::NoProcess => None,
            };
            ranks
                .filter(|(number, _)| Some(*number) != excluded)
                .for_each(|(number, to)| exchange(number, to));
        }
        Shape::Above => {
            ranks.skip(rank as usize + 1).for_each(|(number, to)| exchange(number, to));
        }
        Shape::Neighbors => {
            let me = myself(members, rank);
            (0..)
                .zip(members.neighbors.iter().copied())
                .filter(|(_, to)| *to != OUTSIDE && Some(*to) != me)
                .for_each(|(number, to)| exchange(number, to));
        }
    }
    total
}
