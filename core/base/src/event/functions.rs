//! The callbacks of a tool: calling conventions, and the set in force.

use std::convert::Infallible;
use std::ffi::c_void;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{Acquire, Release};

use super::ids::{InstanceId, RegistrationId};
use crate::atomic_record::{AtomicRecord, Flags};
use crate::vocabulary::Safety;

/// The arguments of an event callback.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[doc(hidden)]
pub struct Delivery {
    /// The instance.
    pub instance: InstanceId,
    /// The registration.
    pub registration: RegistrationId,
    /// The requirement of the context on callbacks.
    pub safety: Safety,
    /// The `user_data` of the callback.
    pub user_data: *mut c_void,
}

/// The arguments of a handler of drops.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[doc(hidden)]
pub struct DropReport {
    /// The number of instances that were dropped since the last report.
    pub count: i64,
    /// The registration.
    pub registration: RegistrationId,
    /// The index of the source of the lost events.
    pub source: u32,
    /// The requirement of the context on callbacks.
    pub safety: Safety,
    /// The `user_data` of the callback of this level.
    pub user_data: *mut c_void,
}

/// The arguments of a free callback.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[doc(hidden)]
pub struct FreeNotice {
    /// The registration that has ended.
    pub registration: RegistrationId,
    /// The requirement of the context on callbacks.
    pub safety: Safety,
    /// The `user_data` that was passed when the registration was freed.
    pub user_data: *mut c_void,
}

/// Adapters that call the functions of a tool. Functions of a C tool take the numbers of one MPI ABI, so the code that registers
/// them provides adapters, and the tool's functions are called through these only.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[doc(hidden)]
pub struct Abi {
    pub(super) deliver: unsafe extern "C" fn(function: *mut c_void, delivery: &Delivery),
    pub(super) report: unsafe extern "C" fn(function: *mut c_void, report: &DropReport),
    pub(super) free_callback: unsafe extern "C" fn(function: *mut c_void, notice: &FreeNotice),
}

impl Abi {
    /// Creates adapters that call an event callback, a handler of drops, and a free callback of a tool.
    ///
    /// # Safety
    ///
    /// Any thread may call each of them with a pointer that a tool registered with this ABI. They are called with no other
    /// pointers.
    pub const unsafe fn new(
        deliver: unsafe extern "C" fn(function: *mut c_void, delivery: &Delivery),
        report: unsafe extern "C" fn(function: *mut c_void, report: &DropReport),
        free_callback: unsafe extern "C" fn(function: *mut c_void, notice: &FreeNotice),
    ) -> Self {
        Self { deliver, report, free_callback }
    }
}

/// A function of a tool, and its `user_data`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) function: *mut c_void,
    pub(super) user_data: *mut c_void,
}

impl Function {
    const NONE: Self = Self { function: std::ptr::null_mut(), user_data: std::ptr::null_mut() };
}

/// A tool's functions: a callback for each level, and the handler of drops. Null if not set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Functions {
    pub(super) callbacks: [Function; 4],
    pub(super) handler: *mut c_void,
}

impl Functions {
    pub(super) const NONE: Self = Self { callbacks: [Function::NONE; 4], handler: std::ptr::null_mut() };
}

/// One version of a [`FunctionTable`].
#[derive(Debug)]
pub(super) struct Record {
    callbacks: [FunctionCell; 4],
    /// For each context, the callback of the lowest level of those that satisfy its requirement.
    selected: [FunctionCell; 4],
    handler: AtomicPtr<c_void>,
}

/// A function of a record.
#[derive(Debug)]
struct FunctionCell {
    function: AtomicPtr<c_void>,
    user_data: AtomicPtr<c_void>,
}

impl FunctionCell {
    const fn new() -> Self {
        Self {
            function: AtomicPtr::new(std::ptr::null_mut()),
            user_data: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    #[inline]
    fn load(&self) -> Function {
        Function { function: self.function.load(Acquire), user_data: self.user_data.load(Acquire) }
    }

    fn store(&self, new: Function) {
        self.function.store(new.function, Release);
        self.user_data.store(new.user_data, Release);
    }
}

impl Record {
    const fn new() -> Self {
        Self {
            callbacks: [const { FunctionCell::new() }; 4],
            selected: [const { FunctionCell::new() }; 4],
            handler: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Returns the callback for a context.
    #[inline]
    pub(super) fn select(&self, context: Safety) -> Option<Function> {
        let selected = self.selected[context as usize].load();
        if selected.function.is_null() { None } else { Some(selected) }
    }

    pub(super) fn has_callback(&self, level: Safety) -> bool {
        !self.callbacks[level as usize].load().function.is_null()
    }

    pub(super) fn handler(&self) -> *mut c_void {
        self.handler.load(Acquire)
    }

    fn load(&self) -> Functions {
        Functions { callbacks: self.callbacks.each_ref().map(FunctionCell::load), handler: self.handler() }
    }

    fn store(&self, functions: &Functions) {
        let mut selected = Function::NONE;
        // From the highest level down.
        for (level, new) in functions.callbacks.iter().enumerate().rev() {
            self.callbacks[level].store(*new);
            if !new.function.is_null() {
                selected = *new;
            }
            self.selected[level].store(selected);
        }
        self.handler.store(functions.handler, Release);
    }
}

/// The number of records of a table: the present one, and one for each of the changes that are possible at once.
const RECORDS: usize = 4;

/// The functions in force, changed as a whole and read without waiting.
#[derive(Debug)]
pub(super) struct FunctionTable {
    atomic_record: AtomicRecord,
    records: [Record; RECORDS],
}

impl FunctionTable {
    pub(super) const fn new() -> Self {
        Self { atomic_record: AtomicRecord::new(), records: [const { Record::new() }; RECORDS] }
    }

    /// Reads the present version. `read` may be called repeatedly; its last result counts.
    #[inline]
    pub(super) fn read<T>(&self, read: impl Fn(&Record) -> T) -> T {
        loop {
            let control = self.atomic_record.control();
            let found = read(&self.records[control.record()]);
            if self.atomic_record.unchanged(control) {
                return found;
            }
        }
    }

    /// Applies a change; `false` if too many changes are in progress.
    pub(super) fn change(&self, change: impl Fn(&mut Functions)) -> bool {
        let changed = self.atomic_record.change::<Infallible>(RECORDS, |control, record| {
            let mut functions = self.records[control.record()].load();
            change(&mut functions);
            self.records[record].store(&functions);
            Ok(Some(Flags::NONE))
        });
        changed.is_some()
    }
}
