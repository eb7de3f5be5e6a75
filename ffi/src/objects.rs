//! Objects of the host that are recognized by their handles: communicators and windows.
//!
//! An object is known from its first use to the return of the call that frees it. While it is freed, attribute callbacks
//! of the program may still use it and find it unchanged. Two further nets catch what that call does not show:
//!
//! - An attribute of ours is set on each object. Its value is the object's number, so its deletion ends this object and
//!   no other one. Where the call that frees was not seen (the library frees an object only when its last operation is
//!   over, or a tool called past us), the handle is *doubted* from then on: callbacks that run after ours may still use the
//!   dying object.
//! - A call that makes an object ends what was known under its handle.
//!
//! The library is never called on a handle that was merely remembered. Nor are attributes of an object touched that may be
//! dying, since some libraries delete them from a list that other calls then find half taken down: an object that is
//! first used in a callback has a doubted handle, too. The first use that no call of the library leads to, or the call that
//! makes the next object, ends the doubt.

use std::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit::lock::Mutex;
use mpit_components::comms::Ranks;

use crate::abi::Handle;
use crate::host::callbacks;
use crate::meeting::Meetings;
use crate::table::Table;

/// One kind of object.
pub(crate) trait Tracked: Default + Sync + Send + 'static {
    /// The objects of this kind.
    fn all() -> &'static Objects<Self>;

    /// The number of the object, never used again; 0 where there is none.
    fn number(&self) -> &AtomicU64;

    /// True while a call that frees it is going on.
    fn freeing(&self) -> &AtomicBool;

    /// A description of a new object.
    type New;

    /// Asks the host for an object that is in use, and gives it a number.
    fn ask(handle: Handle) -> Option<Self::New>;

    /// Takes the description over.
    fn set(&self, handle: Handle, new: Self::New);

    /// The number of processes that it is shared with.
    fn size(&self) -> u32;

    /// Notifies tools of a new object of a size. Their callbacks may do anything.
    fn announce(number: u64, size: u32);

    /// Sets the attribute on an object that is certainly not being freed.
    fn set_attribute(handle: Handle, number: u64);

    /// Returns the value of the attribute of an object that is certainly not being freed.
    fn attribute(handle: Handle) -> Option<u64>;

    /// Records what may have changed unseen. The object still exists and is being freed.
    fn last_look(&self, _handle: Handle) {}

    /// Hands out the members of an object that is over, which are to be dropped without a lock: the host is called.
    fn release(&self) -> Option<Ranks>;

    /// Reports the end of an object. Callbacks of tools may run.
    fn ended(number: u64);
}

/// A handle whose object may be dying, with what is known of it.
#[derive(Debug)]
struct Doubted<T: 'static> {
    handle: Handle,
    object: &'static T,
}

/// The objects of one kind.
#[derive(Debug)]
pub(crate) struct Objects<T: 'static> {
    table: Table<T>,
    meetings: Meetings,
    doubted: Mutex<Vec<Doubted<T>>>,
    /// The length of `doubted`.
    doubts: AtomicUsize,
}

/// An object whose freeing call is going on.
#[derive(Debug)]
pub struct Freeing {
    handle: Handle,
    number: u64,
    end: fn(Handle, u64, bool),
}

impl Freeing {
    /// A call that frees an object of another kind than those of this module. When it has returned, `end` gets the handle, the number,
    /// and whether the call succeeded.
    pub(crate) const fn new(handle: Handle, number: u64, end: fn(Handle, u64, bool)) -> Self {
        Self { handle, number, end }
    }

    /// The call has returned.
    pub fn end(self, succeeded: bool) {
        (self.end)(self.handle, self.number, succeeded);
    }
}

impl<T: Tracked> Objects<T> {
    pub(crate) const fn new() -> Self {
        Self {
            table: Table::new(),
            meetings: Meetings::new(),
            doubted: Mutex::new(Vec::new()),
            doubts: AtomicUsize::new(0),
        }
    }

    /// Returns what is known of a handle.
    #[inline]
    pub(crate) fn get(&self, handle: Handle) -> Option<&'static T> {
        self.table.get(handle)
    }

    /// Returns the same for a handle that was found recently, and calls nothing.
    #[inline]
    pub(crate) fn recent(&self, handle: Handle) -> Option<&'static T> {
        self.table.recent(handle)
    }

    /// Returns the object behind a handle that is in use and not in the table.
    #[cold]
    pub(crate) fn meet(&'static self, handle: Handle) -> Option<&'static T> {
        self.meet_if_new(handle, callbacks::is_inside)
    }

    /// Returns the object behind a handle that is not about to be freed.
    #[cold]
    pub(crate) fn meet_living(&'static self, handle: Handle) -> Option<&'static T> {
        self.meet_if_new(handle, || false)
    }

    /// Notifies tools only after other threads can use the object, so that no thread waits for a callback.
    fn meet_if_new(&'static self, handle: Handle, may_be_dying: fn() -> bool) -> Option<&'static T> {
        let (object, new) = self.meet_once(handle, may_be_dying)?;
        if let Some((number, size)) = new {
            T::announce(number, size);
        }
        Some(object)
    }

    /// Returns the object, with its number and size if it was not known before.
    fn meet_once(
        &'static self,
        handle: Handle,
        may_be_dying: fn() -> bool,
    ) -> Option<(&'static T, Option<(u64, u32)>)> {
        let _meeting = self.meetings.begin(handle)?;
        if let Some(known) = self.table.get(handle) {
            return Some((known, None));
        }
        let described = |object: &T| Some((number(object), object.size()));
        if may_be_dying() {
            let object = self.doubt(handle);
            if number(object) != 0 {
                return Some((object, None));
            }
            object.freeing().store(false, Relaxed);
            object.set(handle, T::ask(handle)?);
            return Some((object, described(object)));
        }
        self.trust(handle);
        let new = T::ask(handle)?;
        let object = self.table.insert_reusing(handle, |object| {
            object.freeing().store(false, Relaxed);
            object.set(handle, new);
        });
        T::set_attribute(handle, number(object));
        Some((object, described(object)))
    }

    /// A call has made an object with this handle. Whatever was known under it is over, unless the call was seen twice.
    pub(crate) fn made(&'static self, handle: Handle) {
        if let Some(number) = self.table.get(handle).map(number)
            && T::attribute(handle) != Some(number)
        {
            self.remove(handle, number);
        }
        let _ = self.meet_living(handle);
    }

    /// A call that frees the object is about to begin. `None` if nothing is known of it.
    pub(crate) fn freeing(&'static self, handle: Handle) -> Option<Freeing> {
        let object = self.table.get(handle).or_else(|| self.doubted(handle))?;
        let number = number(object);
        if number == 0 {
            return None;
        }
        object.last_look(handle);
        object.freeing().store(true, Release);
        Some(Freeing { handle, number, end: |handle, number, freed| T::all().freed(handle, number, freed) })
    }

    fn freed(&'static self, handle: Handle, number: u64, succeeded: bool) {
        if succeeded {
            self.remove(handle, number);
            self.trust(handle);
        } else if let Some(object) = self.table.get(handle) {
            object.freeing().store(false, Release);
        }
    }

    /// The attribute of an object is deleted, which had this number.
    pub(crate) fn attribute_deleted(&'static self, handle: Handle, number: u64) {
        match self.table.get(handle).filter(|known| self::number(*known) == number) {
            // The call that frees it is going on, and will end it.
            Some(known) if known.freeing().load(Acquire) => known.last_look(handle),
            Some(known) => {
                known.last_look(handle);
                let _ = self.doubt(handle);
                self.remove(handle, number);
            }
            // The call that frees it has returned, and the library takes it down now.
            None => {
                let _ = self.doubt(handle);
            }
        }
    }

    fn remove(&self, handle: Handle, number: u64) {
        let mut members = None;
        let is_removed = self.table.remove_if(handle, |known| {
            let is_it = self::number(known) == number;
            if is_it {
                members = known.release();
            }
            is_it
        });
        drop(members);
        if is_removed {
            T::ended(number);
        }
    }

    /// Returns the place for the object of a doubted handle.
    fn doubted(&self, handle: Handle) -> Option<&'static T> {
        if self.doubts.load(Acquire) == 0 {
            return None;
        }
        self.doubted.lock().iter().find(|doubted| doubted.handle == handle).map(|doubted| doubted.object)
    }

    /// Doubts a handle from now on. Returns the place for its object.
    fn doubt(&self, handle: Handle) -> &'static T {
        let mut doubted = self.doubted.lock();
        if let Some(present) = doubted.iter().find(|doubted| doubted.handle == handle) {
            return present.object;
        }
        self.doubts.fetch_add(1, Release);
        // A handle is doubted for a short time, and is used again: there are not many.
        if let Some(unused) = doubted.iter_mut().find(|doubted| doubted.handle == 0) {
            unused.handle = handle;
            return unused.object;
        }
        let object = Box::leak(Box::default());
        doubted.push(Doubted { handle, object });
        object
    }

    /// Nothing is doubted of a handle any more.
    fn trust(&self, handle: Handle) {
        if self.doubts.load(Acquire) == 0 {
            return;
        }
        let mut ended = None;
        {
            let mut doubted = self.doubted.lock();
            if let Some(place) = doubted.iter_mut().find(|doubted| doubted.handle == handle) {
                place.handle = 0;
                ended = Some(place.object);
                self.doubts.fetch_sub(1, Release);
            }
        }
        if let Some(object) = ended {
            end(object);
        }
    }
}

fn number<T: Tracked>(object: &T) -> u64 {
    object.number().load(Acquire)
}

/// Ends the object, if any, that was known under a doubted handle.
fn end<T: Tracked>(object: &T) {
    let number = object.number().swap(0, Acquire);
    if number != 0 {
        drop(object.release());
        T::ended(number);
    }
}
