//! What is kept of collective operations.
//!
//! Each communicator has an account with the sums of its operations, by pattern. What went from this process to another
//! one is in two places: operations that exchange the same with all are added to the sum of an [`Audience`], others to
//! the row of each process. Accounts, audiences and rows are never taken away, so a communicator that is freed leaves
//! its sums as they are. Communicators over the same processes share their audiences.
//!
//! Recording and reading take no lock that anybody could have to wait for. What is done for the first time allocates:
//! an operation on a communicator, an exchange with a process.

use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

use mpit::log::Log;
use mpit::object::OUTSIDE;
use mpit::sparse::Sparse;

use super::audience::{Audience, Members};
use super::rules::{self, Case, LeftOut, Shape};
use super::snapshot::Snapshot;
use crate::coll::{Operation, Pattern, Volume};
use crate::comms::{self, CommId, Ranks, Record};
use crate::record::{AtomicSum, Sum};
use crate::store::{Kind, Store};

/// No more different audiences than this are made: communicators that would need another one are recorded process by
/// process. It bounds what a program costs that never uses the same group of processes twice.
const AUDIENCES: usize = 1024;

/// What is kept of a communicator.
#[derive(Debug)]
struct Account {
    /// By pattern.
    sums: [AtomicSum<'static>; 3],
    /// By shape; `None` in there when no more could be made.
    audiences: [OnceLock<Option<&'static Audience>>; 3],
    /// Whether it is an intercommunicator. Set with `members`.
    remote: OnceLock<bool>,
    /// Who is in it, until it is freed. MPI does not free a communicator while an operation on it begins, so nobody
    /// ever writes here when somebody tries to read.
    members: RwLock<Option<Box<Record>>>,
}

impl Account {
    fn new(store: &'static Store, key: u32) -> Self {
        Self {
            sums: AtomicSum::of(store.add(Kind::Operations, key.into(), 6, &[])),
            audiences: Default::default(),
            remote: OnceLock::new(),
            members: RwLock::new(None),
        }
    }
}

/// The operations of this process.
#[derive(Debug)]
pub(super) struct Ledger {
    /// By the number of the communicator.
    accounts: Sparse<Account>,
    audiences: Log<Audience>,
    making: Mutex<()>,
    /// By rank in the world.
    rows: Sparse<AtomicSum<'static>>,
    store: &'static Store,
}

/// The key of a communicator by its number. Numbers are given in order, and memory ends before they do.
pub(super) fn key(comm: u64) -> u32 {
    comm as u32
}

/// The process itself, by its rank in the world; `None` on an intercommunicator, where it is not among the members.
fn myself(members: &Record, rank: u32) -> Option<u32> {
    match &members.ranks {
        _ if members.remote => None,
        Ranks::World(_) => Some(rank),
        Ranks::List(list) => list.get(rank as usize).copied(),
    }
}

impl Ledger {
    /// Nothing yet. Its numbers will be in a store.
    pub(super) const fn new(store: &'static Store) -> Self {
        let making = Mutex::new(());
        Self { accounts: Sparse::new(), audiences: Log::new(), making, rows: Sparse::new(), store }
    }

    /// Counts an operation, with Open MPI's numbers or those that are right.
    #[inline]
    pub(super) fn record(&'static self, operation: &Operation<'_>, compat: bool) {
        if compat || !self.record_usual(operation) {
            self.record_any(operation, compat);
        }
    }

    /// Counts an operation that exchanges as much with each, if nothing has to be made for it.
    #[inline]
    fn record_usual(&'static self, operation: &Operation<'_>) -> bool {
        let Volume::Each(each) = operation.volume else { return false };
        let Some(account) = self.accounts.get(key(operation.comm.get())) else { return false };
        let Some(case) = rules::exact(operation) else { return true };
        let Some(Some(audience)) = account.audiences[case.shape as usize].get() else { return false };
        let of_pattern = account.sums[case.pattern as usize];
        audience.add(Sum::one(each));
        of_pattern.add(Sum::one(each.wrapping_mul(audience.len())));
        true
    }

    #[inline(never)]
    fn record_any(&'static self, operation: &Operation<'_>, compat: bool) {
        let Some((account, remote)) = self.account(operation.comm) else { return };
        if compat {
            self.count_as_open_mpi(account, operation, remote);
        } else if let Some(case) = rules::exact(operation) {
            self.count(account, operation, case);
        }
    }

    fn count_as_open_mpi(&'static self, account: &Account, operation: &Operation<'_>, remote: bool) {
        if let Some(case) = rules::as_open_mpi(operation, remote) {
            self.count(account, operation, case);
        }
    }

    fn count(&'static self, account: &Account, operation: &Operation<'_>, case: Case) {
        // Found before anything is added: a locked addition keeps later loads waiting.
        let of_pattern = account.sums[case.pattern as usize];
        let each = match operation.volume {
            _ if case.left_out != LeftOut::Myself => None,
            _ if case.is_empty => Some(0),
            Volume::Each(bytes) => Some(bytes),
            Volume::By(_) => None,
        };
        let same = each.and_then(|each| Some((each, self.audience(account, case.shape, operation.rank)?)));
        let bytes = match same {
            Some((each, audience)) => {
                audience.add(Sum::one(each));
                each.wrapping_mul(audience.len())
            }
            None => self.one_by_one(account, operation, case),
        };
        of_pattern.add(Sum::one(bytes.wrapping_add(case.surplus)));
    }

    /// The account of a communicator, and whether it is an intercommunicator.
    fn account(&'static self, comm: CommId) -> Option<(&'static Account, bool)> {
        let account = self.accounts.get(key(comm.get())).filter(|account| account.remote.get().is_some());
        let account = match account {
            Some(account) => account,
            None => self.open(comm)?,
        };
        Some((account, *account.remote.get()?))
    }

    /// Makes the account of a communicator, unless nobody told of it.
    #[cold]
    fn open(&'static self, comm: CommId) -> Option<&'static Account> {
        let record = comms::get(comm)?;
        let key = key(comm.get());
        let account = self.accounts.entry_with(key, || Account::new(self.store, key));
        let remote = record.remote;
        *account.members.write().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(record));
        account.remote.get_or_init(|| remote);
        Some(account)
    }

    /// A communicator is freed: who was in it is not needed any more.
    pub(super) fn freed(&self, comm: CommId) {
        if let Some(account) = self.accounts.get(key(comm.get())) {
            *account.members.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// The audience that a communicator has for operations of a shape, if there is one.
    fn audience(&'static self, account: &Account, shape: Shape, rank: u32) -> Option<&'static Audience> {
        match account.audiences[shape as usize].get() {
            Some(known) => *known,
            None => self.find(account, shape, rank),
        }
    }

    /// Finds or makes the audience.
    #[cold]
    fn find(&'static self, account: &Account, shape: Shape, rank: u32) -> Option<&'static Audience> {
        let members = account.members.read().unwrap_or_else(PoisonError::into_inner);
        let members = members.as_ref()?;
        let me = myself(members, rank);
        let wanted = match shape {
            Shape::All => Members::of_ranks(&members.ranks, 0, me),
            Shape::Above => Members::of_ranks(&members.ranks, rank + 1, me),
            Shape::Neighbors => {
                Members::of_list(members.neighbors.iter().copied().filter(|to| *to != OUTSIDE), me)
            }
        };
        let _alone = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let there = self.audiences.iter().position(|audience| audience.is_of(&wanted));
        let place = match there {
            None if self.audiences.len() < AUDIENCES => {
                self.audiences.push(Audience::new(wanted, self.store)).ok()
            }
            there => there,
        };
        *account.audiences[shape as usize].get_or_init(|| self.audiences.get(place?))
    }

    /// Counts what is exchanged with each process by itself. Returns how many bytes that is together.
    #[inline(never)]
    fn one_by_one(&self, account: &Account, operation: &Operation<'_>, case: Case) -> u64 {
        let Ok(members) = account.members.try_read() else { return 0 };
        let Some(members) = members.as_ref() else { return 0 };
        let rank = operation.rank;
        let mut total: u64 = 0;
        let mut exchange = |number: u32, to: u32| {
            let bytes = if case.is_empty { 0 } else { operation.volume.with(number) };
            self.row(to).add(Sum::one(bytes));
            total = total.wrapping_add(bytes);
        };
        let ranks = (0..).zip(members.ranks.iter());
        match case.shape {
            Shape::All => {
                let left_out = match case.left_out {
                    LeftOut::Myself if members.remote => None,
                    LeftOut::Myself | LeftOut::MyRank => Some(rank),
                    LeftOut::Nobody => None,
                };
                ranks
                    .filter(|(number, _)| Some(*number) != left_out)
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

    /// The row of a process.
    #[inline]
    fn row(&self, to: u32) -> &AtomicSum<'static> {
        self.rows.entry_with(to, || {
            let [row] = AtomicSum::of(self.store.add(Kind::Exchanged, to.into(), 2, &[]));
            row
        })
    }

    /// What was exchanged with a process of the world.
    pub(super) fn with(&self, rank: u32) -> Sum {
        let row = self.rows.get(rank).map(AtomicSum::get).unwrap_or_default();
        self.audiences.iter().fold(row, |sum, audience| sum.and(audience.with(rank)))
    }

    /// What was exchanged with all processes together, those outside of the world included.
    pub(super) fn total(&self) -> Sum {
        let rows = self.rows.iter().fold(Sum::default(), |sum, (_, row)| sum.and(row.get()));
        self.audiences.iter().fold(rows, |sum, audience| sum.and(audience.each().times(audience.len())))
    }

    /// The operations of a pattern on a communicator, given by its number.
    pub(super) fn on(&self, comm: u64, pattern: Pattern) -> Sum {
        let account = self.accounts.get(key(comm));
        account.map(|account| account.sums[pattern as usize].get()).unwrap_or_default()
    }

    /// All sums as they are now.
    pub(super) fn snapshot(&self) -> Snapshot {
        let sums = |account: &Account| account.sums.each_ref().map(AtomicSum::get);
        Snapshot {
            comms: self.accounts.iter().map(|(comm, account)| (comm, sums(account))).collect(),
            audiences: self.audiences.iter().map(Audience::each).collect(),
            rows: self.rows.iter().map(|(to, row)| (to, row.get())).collect(),
        }
    }

    /// What was added since an earlier moment.
    pub(super) fn since(&self, earlier: &Snapshot) -> super::Operations {
        self.snapshot().since(earlier, &self.audiences)
    }
}
