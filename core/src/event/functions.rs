//! The functions of a tool: how they are called, and which of them are in force.

use std::convert::Infallible;
use std::ffi::c_void;
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Release},
};

use super::instance::InstanceId;
use super::registration::RegistrationId;
use crate::switch::{Flags, Switch};
use crate::words::Safety;

/// What an event callback is told.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Delivery {
    /// The instance.
    pub instance: InstanceId,
    /// The registration.
    pub registration: RegistrationId,
    /// What the context requires.
    pub safety: Safety,
    /// What was given when the callback was registered.
    pub user_data: *mut c_void,
}

/// What a handler of drops is told.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DropReport {
    /// How many instances were lost since the last report.
    pub count: i64,
    /// The registration.
    pub registration: RegistrationId,
    /// The index of the source of the lost events.
    pub source: u32,
    /// What the context requires.
    pub safety: Safety,
    /// What was given when the callback of this level was registered.
    pub user_data: *mut c_void,
}

/// What a free callback is told.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Farewell {
    /// The registration that is no more.
    pub registration: RegistrationId,
    /// What the context requires.
    pub safety: Safety,
    /// What was given when the registration was freed.
    pub user_data: *mut c_void,
}

/// How the functions of a tool are called. Functions of a C tool take an ABI's numbers, so whoever registers them says
/// how; the pointers below are the tool's functions and are never called in any other way.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Abi {
    pub(super) deliver: unsafe extern "C" fn(function: *mut c_void, delivery: &Delivery),
    pub(super) report: unsafe extern "C" fn(function: *mut c_void, report: &DropReport),
    pub(super) farewell: unsafe extern "C" fn(function: *mut c_void, farewell: &Farewell),
}

impl Abi {
    /// Functions that call an event callback, a handler of drops, and a free callback of a tool.
    ///
    /// # Safety
    ///
    /// Each may be called by any thread with a pointer that a tool registered with this ABI, and with nothing else.
    #[must_use]
    pub const unsafe fn new(
        deliver: unsafe extern "C" fn(function: *mut c_void, delivery: &Delivery),
        report: unsafe extern "C" fn(function: *mut c_void, report: &DropReport),
        farewell: unsafe extern "C" fn(function: *mut c_void, farewell: &Farewell),
    ) -> Self {
        Self { deliver, report, farewell }
    }
}

/// A function of the tool's, and what it asked to be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) function: *mut c_void,
    pub(super) user_data: *mut c_void,
}

impl Function {
    const NONE: Self = Self { function: std::ptr::null_mut(), user_data: std::ptr::null_mut() };
}

/// A tool's functions: a callback for each level, and the handler of drops. Null where there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Functions {
    pub(super) callbacks: [Function; 4],
    pub(super) handler: *mut c_void,
}

impl Functions {
    pub(super) const NONE: Self = Self { callbacks: [Function::NONE; 4], handler: std::ptr::null_mut() };
}

/// One state of a [`FunctionTable`].
#[derive(Debug)]
pub(super) struct Record {
    callbacks: [(AtomicPtr<c_void>, AtomicPtr<c_void>); 4],
    handler: AtomicPtr<c_void>,
}

impl Record {
    const fn new() -> Self {
        Self {
            callbacks: [const { (AtomicPtr::new(std::ptr::null_mut()), AtomicPtr::new(std::ptr::null_mut())) };
                4],
            handler: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// The callback for a context: of those registered that meet what it requires, the one of the lowest level.
    #[inline]
    pub(super) fn select(&self, context: Safety) -> Option<Function> {
        self.callbacks[context as usize..].iter().find_map(|(function, user_data)| {
            let function = function.load(Acquire);
            (!function.is_null()).then(|| Function { function, user_data: user_data.load(Acquire) })
        })
    }

    pub(super) fn has_callback(&self, level: Safety) -> bool {
        !self.callbacks[level as usize].0.load(Acquire).is_null()
    }

    pub(super) fn handler(&self) -> *mut c_void {
        self.handler.load(Acquire)
    }

    fn load(&self) -> Functions {
        let callbacks = self.callbacks.each_ref().map(|(function, user_data)| Function {
            function: function.load(Acquire),
            user_data: user_data.load(Acquire),
        });
        Functions { callbacks, handler: self.handler() }
    }

    fn store(&self, functions: &Functions) {
        for ((function, user_data), new) in self.callbacks.iter().zip(&functions.callbacks) {
            function.store(new.function, Release);
            user_data.store(new.user_data, Release);
        }
        self.handler.store(functions.handler, Release);
    }
}

/// Records of a table: one present, the others to be prepared, by so many changes at once.
const RECORDS: usize = 4;

/// The functions that are in force, changed as a whole and read without waiting.
#[derive(Debug)]
pub(super) struct FunctionTable {
    switch: Switch,
    records: [Record; RECORDS],
}

impl FunctionTable {
    pub(super) const fn new() -> Self {
        Self { switch: Switch::new(), records: [const { Record::new() }; RECORDS] }
    }

    /// Reads the present state. `read` may be called again, and what it says counts only the last time.
    #[inline]
    pub(super) fn read<T>(&self, read: impl Fn(&Record) -> T) -> T {
        loop {
            let control = self.switch.control();
            let found = read(&self.records[control.record()]);
            if self.switch.unchanged(control) {
                return found;
            }
        }
    }

    /// Makes a change; `false` when too many others were at it.
    pub(super) fn change(&self, change: impl Fn(&mut Functions)) -> bool {
        let changed = self.switch.change::<Infallible>(RECORDS, |control, record| {
            let mut functions = self.records[control.record()].load();
            change(&mut functions);
            self.records[record].store(&functions);
            Ok(Some(Flags::NONE))
        });
        changed.is_some()
    }
}
