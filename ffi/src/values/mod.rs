//! Reading of the variables, and counting of the events, whose names the user gave to `mpit run --read`.
//!
//! A tool inside of mpit: it has a session from the initialization of MPI to its end, and calls the functions of MPI_T as other tools do
//! ([`client`]), so all that protects tools from the MPI library protects this one. On the path of a message it has no code but the
//! addition of a callback for an event.

mod client;
mod decode;

use std::sync::atomic::{
    AtomicBool,
    Ordering::{AcqRel, Acquire, Release},
};
use std::time::{Duration, Instant};

use mpit::object::Bind;
use mpit::tool::{Class, Datatype};
use mpit_components::values::{EVENT, ValueKind, ValueRow, matches, patterns, record};
use mpit_sync::lock::{Mutex, wait_until};

use crate::catch_panic;
use crate::host::mpi;
use crate::merge::{Entry, Merged, PvarInfo};
use client::{Counted, Object, Session};

/// True while variables are read.
static IS_ACTIVE: AtomicBool = AtomicBool::new(false);

/// True while there are entries that no thread has compared with the patterns.
static IS_PUBLISHED: AtomicBool = AtomicBool::new(false);

/// The maximum time that the end waits for a thread which publishes variables.
const PUBLISHING_TIMEOUT: Duration = Duration::from_secs(2);

/// The reader, unless a thread uses it. Taken out for each use, because functions of variables run then, and may publish more.
static READER: Mutex<Option<Reader>> = Mutex::new(None);

struct Reader {
    patterns: Vec<String>,
    session: Session,
    /// The numbers of entries of the merged list that were compared with the patterns.
    seen: [usize; 2],
    variables: Vec<Variable>,
    events: Vec<EventType>,
}

/// A performance variable whose name matches, or the reason why it is not read.
struct Variable {
    name: String,
    class: String,
    object: &'static str,
    datatype: Option<Datatype>,
    enumeration: usize,
    handle: Result<client::Pvar, String>,
}

/// An event type whose name matches, or the reason why it is not counted.
struct EventType {
    name: String,
    object: &'static str,
    counted: Result<Counted, String>,
}

/// Begins to read, if the settings request it. MPI is initialized.
pub(crate) fn begin() {
    let _ = catch_panic(|| {
        let patterns = patterns();
        if patterns.is_empty() {
            return;
        }
        match Session::begin() {
            Ok(session) => {
                let (variables, events) = (Vec::new(), Vec::new());
                let mut reader = Reader { patterns, session, seen: [0; 2], variables, events };
                // Before the search, so that nothing which another thread publishes meanwhile is missed.
                IS_ACTIVE.store(true, Release);
                let _ = catch_panic(|| {
                    Merged::get().sync();
                    reader.find(false);
                });
                *READER.lock() = Some(reader);
                find_published();
            }
            Err(why) => record_nothing(patterns, &why),
        }
    });
}

/// Finds variables that this thread has published. The MPI library is not called, because the caller may hold its locks.
pub(crate) fn refresh() {
    if IS_ACTIVE.load(Acquire) {
        IS_PUBLISHED.store(true, Release);
        find_published();
    }
}

fn find_published() {
    while IS_PUBLISHED.load(Acquire) {
        // The thread that has it calls this function when it puts it back.
        let taken = READER.lock().take();
        let Some(mut reader) = taken else { return };
        while IS_PUBLISHED.swap(false, AcqRel) {
            let _ = catch_panic(|| {
                Merged::get().sync_own();
                reader.find(false);
            });
        }
        *READER.lock() = Some(reader);
    }
}

/// Reads the values, while MPI and the components still work, and ends.
pub(crate) fn end() {
    if IS_ACTIVE.swap(false, AcqRel) {
        let _ = catch_panic(|| {
            // Another thread that publishes variables has it for a moment.
            let end = Instant::now() + PUBLISHING_TIMEOUT;
            wait_until(Some(end), || READER.lock().is_some());
            let taken = READER.lock().take();
            let Some(mut reader) = taken else {
                return record_nothing(patterns(), "a thread publishes variables in MPI_Finalize");
            };
            let _ = catch_panic(|| {
                Merged::get().sync();
                reader.find(true);
            });
            record(reader.read());
        });
    }
}

/// Records the reason why nothing is read, for each pattern in place of the variables that it matches.
fn record_nothing(patterns: Vec<String>, why: &str) {
    let row =
        |pattern| ValueRow { kind: ValueKind::Error, value: why.into(), ..row(pattern, "-".into(), "") };
    record(patterns.into_iter().map(row).collect());
}

impl Reader {
    /// Compares new entries of the merged list with the patterns. `is_end` is true for those that are found only when all others are read.
    fn find(&mut self, is_end: bool) {
        let merged = Merged::get();
        let [pvars, events] = self.seen;
        self.seen = [merged.pvars.len(), merged.events.len()];
        for index in (pvars..self.seen[0]).filter_map(|index| i32::try_from(index).ok()) {
            if let Some(info) = merged.pvars.info(merged, index)
                && self.is_wanted(&info.name)
            {
                let variable = self.variable(merged, index, &info, is_end);
                self.variables.push(variable);
            }
        }
        for index in (events..self.seen[1]).filter_map(|index| i32::try_from(index).ok()) {
            if let Some(info) = merged.events.info(merged, index)
                && self.is_wanted(&info.name)
            {
                let (object, name) = object(info.bind);
                let counted = if is_end {
                    Err(LATE.to_owned())
                } else {
                    object.and_then(|of| Counted::begin(index, of))
                };
                self.events.push(EventType { name: info.name.clone(), object: name, counted });
            }
        }
    }

    fn is_wanted(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| matches(pattern, name))
    }

    fn variable(&self, merged: &Merged, index: i32, info: &PvarInfo, is_end: bool) -> Variable {
        let abi = crate::abi();
        let class = abi.to_class(info.class);
        let (object, name) = object(info.bind);
        let is_quarantined =
            matches!(merged.pvars.get(index), Some(Entry::Host(entry)) if entry.is_quarantined());
        let datatype = abi.to_datatype(info.datatype);
        let handle = if is_quarantined {
            Err("host_quarantine names it, because reading it may crash the MPI library".into())
        } else if is_end && class.is_some_and(Class::is_sum) {
            Err(LATE.into())
        } else if datatype.is_none() {
            Err("its datatype is none of MPI_T's".into())
        } else {
            object.and_then(|of| self.session.handle(index, of, info.continuous != 0))
        };
        Variable {
            name: info.name.clone(),
            class: class.map_or_else(|| info.class.to_string(), |class| class.as_str().to_owned()),
            object: name,
            datatype,
            enumeration: info.enumeration,
            handle,
        }
    }

    fn read(self) -> Vec<ValueRow> {
        let mut rows: Vec<_> = self.variables.iter().map(|variable| variable.read(&self.session)).collect();
        rows.extend(self.events.into_iter().map(|event| {
            let row = row(event.name, EVENT.into(), event.object);
            match event.counted.and_then(Counted::end) {
                Ok(count) => ValueRow { value: count.to_string(), ..row },
                Err(why) => ValueRow { kind: ValueKind::Error, value: why, ..row },
            }
        }));
        self.session.end();
        rows
    }
}

impl Variable {
    fn read(&self, session: &Session) -> ValueRow {
        let row = row(self.name.clone(), self.class.clone(), self.object);
        let value = self.handle.as_ref().map_err(Clone::clone).and_then(|handle| {
            let datatype = self.datatype.ok_or_else(String::new)?;
            let bytes = session.read(handle, datatype.size())?;
            Ok((handle.elements(), datatype, bytes))
        });
        match value {
            Ok((elements, datatype, bytes)) => {
                let names = Merged::get().enums.get(self.enumeration).map(|known| known.items.as_slice());
                decode::value(ValueRow { elements: elements as u64, ..row }, datatype, &bytes, names)
            }
            Err(why) => ValueRow { kind: ValueKind::Error, value: why, ..row },
        }
    }
}

/// The reason for sums that a process publishes without a call of mpit, such as those of a library in Rust that it loads.
const LATE: &str = "it was found only at the end, so nothing was counted";

fn row(name: String, class: String, object: &str) -> ValueRow {
    let (object, kind) = (object.to_owned(), ValueKind::Number);
    ValueRow { name, class, object, kind, elements: 1, value: String::new(), first: String::new() }
}

/// Returns the object that handles of variables with this binding get, and its name. Fails with the reason why they get none.
fn object(bind: i32) -> (Result<Object, String>, &'static str) {
    match crate::abi().to_bind(bind) {
        Some(Bind::NoObject) => (Ok(Object::None), ""),
        Some(Bind::Comm) if mpi::has_world() => (Ok(Object::World), "MPI_COMM_WORLD"),
        Some(Bind::Comm) => (Err("there is no MPI_COMM_WORLD".into()), ""),
        Some(kind) => (Err(format!("it is bound to objects of the kind {}", kind.as_str())), ""),
        None => (Err("it is bound to objects of an unknown kind".into()), ""),
    }
}
