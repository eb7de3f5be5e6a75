//! The state of one handle: its variable, its object, and its account.

use std::marker::PhantomData;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};

use crate::atomic_record::{AtomicRecord, Control};
use crate::cell::{Behavior, PvarDesc, WatermarkCursor};
use crate::object::Object;
use crate::vocabulary::Bind;
use crate::{Error, Result};

/// The session of a handle that begins: none, so that no other thread ends it. Its identifier is not known to a tool yet.
pub(super) const NO_SESSION: u64 = 0;

/// The number of records of a scalar's account: the present one, and one for each of the changes that are possible at once.
const SCALAR_RECORDS: usize = 8;
/// The number of records of an array's account, which are large: the present one, a change, and one in a signal handler that
/// interrupts it.
const ARRAY_RECORDS: usize = 3;
/// The words of an element in a record: the value, and its base, the cell's value that belongs to it.
const RECORD_WORDS: usize = 2;
/// The words of an array for each element: its records, and for each record space to read the cell to.
const ARRAY_WORDS: usize = ARRAY_RECORDS * (RECORD_WORDS + 1);

/// The memory of a slot. Handles with equal needs share slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct HandleLayout {
    /// The logarithm to base 2 of the number of words; 0: those in the handle.
    words: u8,
    /// The logarithm to base 2 of the number of ranks, plus 1; 0: none.
    ranks: u8,
}

impl HandleLayout {
    pub(super) fn of(behavior: Behavior, count: usize, object: &Object<'_>) -> Self {
        let inline = behavior == Behavior::Custom || count == 1;
        let words = if inline { 0 } else { (count * ARRAY_WORDS).next_power_of_two().ilog2() as u8 };
        let ranks =
            object.ranks().map_or(0, |ranks| ranks.len().max(1).next_power_of_two().ilog2() as u8 + 1);
        Self { words, ranks }
    }
}

/// One handle slot. All fields are atomic, and memory is never freed, so a call that uses a handle while another thread frees it
/// accesses no invalid memory.
#[derive(Debug)]
pub(super) struct Handle {
    /// The identifier; 0 once the handle is freed. See [`View::is_current`].
    id: AtomicU64,
    session: AtomicU64,
    desc: AtomicPtr<PvarDesc>,
    /// The variable again, if the account has one element and the handle has no object; null for other handles.
    plain: AtomicPtr<PvarDesc>,
    /// The watermark cursor; null for other variables.
    cursor: AtomicPtr<WatermarkCursor>,
    count: AtomicU32,
    object_kind: AtomicU32,
    object_id: AtomicU64,
    object_size: AtomicU32,
    object_has_ranks: AtomicBool,
    /// True while a thread starts or stops a handle of a custom variable.
    pub(super) acting: AtomicBool,
    pub(super) atomic_record: AtomicRecord,
    /// The records of a scalar.
    inline: [[AtomicU64; RECORD_WORDS]; SCALAR_RECORDS],
    words: Option<Box<[AtomicU64]>>,
    ranks: Option<Box<[AtomicU32]>>,
}

/// The control words that determine if a handle is started, at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    cursor: Option<Control>,
    account: Control,
}

/// The content of a handle, read consistently.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) handle: &'a Handle,
    pub(super) id: u64,
    pub(super) session: u64,
    pub(super) desc: &'static PvarDesc,
    pub(super) count: usize,
    pub(super) object: Object<'a>,
    pub(super) cursor: Option<&'static WatermarkCursor>,
}

impl Handle {
    pub(super) fn with_layout(layout: HandleLayout) -> Self {
        let words = match layout.words {
            0 => None,
            log2 => Some((0..1_usize << log2).map(|_| AtomicU64::new(0)).collect()),
        };
        let ranks = match layout.ranks {
            0 => None,
            log2 => Some((0..1_usize << (log2 - 1)).map(|_| AtomicU32::new(0)).collect()),
        };
        Self {
            id: AtomicU64::new(0),
            session: AtomicU64::new(0),
            desc: AtomicPtr::default(),
            plain: AtomicPtr::default(),
            cursor: AtomicPtr::default(),
            count: AtomicU32::new(0),
            object_kind: AtomicU32::new(0),
            object_id: AtomicU64::new(0),
            object_size: AtomicU32::new(0),
            object_has_ranks: AtomicBool::new(false),
            acting: AtomicBool::new(false),
            atomic_record: AtomicRecord::new(),
            inline: [const { [const { AtomicU64::new(0) }; RECORD_WORDS] }; SCALAR_RECORDS],
            words,
            ranks,
        }
    }

    /// Initializes a handle that is not published yet. It is in this session from the beginning; see [`Self::join`].
    pub(super) fn fill(
        &self,
        id: u64,
        session: u64,
        desc: &'static PvarDesc,
        count: usize,
        object: &Object<'_>,
    ) {
        self.session.store(session, Relaxed);
        self.desc.store(std::ptr::from_ref(desc).cast_mut(), Relaxed);
        let is_watermark = matches!(desc.behavior(), Behavior::Highest | Behavior::Lowest);
        let level_storage = if is_watermark { desc.level_storage(object) } else { None };
        let cursor = level_storage.map_or(std::ptr::null(), |level_storage| {
            level_storage.take_cursor(desc.behavior() == Behavior::Highest)
        });
        self.cursor.store(cursor.cast_mut(), Relaxed);
        let is_plain = count == 1
            && cursor.is_null()
            && object.kind == Bind::NoObject
            && desc.behavior() != Behavior::Custom;
        let plain = if is_plain { std::ptr::from_ref(desc) } else { std::ptr::null() };
        self.plain.store(plain.cast_mut(), Relaxed);
        self.count.store(count as u32, Relaxed);
        self.object_kind.store(object.kind as u32, Relaxed);
        self.object_id.store(object.id, Relaxed);
        self.object_size.store(object.size, Relaxed);
        let ranks = object.ranks();
        self.object_has_ranks.store(ranks.is_some(), Relaxed);
        if let (Some(from), Some(to)) = (ranks, &self.ranks) {
            for (from, to) in from.iter().zip(to) {
                to.store(from.load(Relaxed), Relaxed);
            }
        }
        // The flags are those that `retire` left: none. Changes of earlier handles in this slot do not touch the present record.
        let record = self.atomic_record.control().record();
        if self.words.is_none() {
            self.scalar_words(record).iter().for_each(|word| word.store(0, Release));
        } else {
            for section in [record * RECORD_WORDS, record * RECORD_WORDS + 1] {
                self.section(section, count).iter().for_each(|word| word.store(0, Release));
            }
        }
        // Last, for `Handle::plain`.
        self.id.store(id, Release);
    }

    /// Initializes a handle that is not published yet, with an account of one element and without an object. The slot has the
    /// layout of such handles, and may have been that of another kind.
    #[inline]
    pub(super) fn fill_plain(&self, id: u64, session: u64, desc: &'static PvarDesc) {
        let desc = std::ptr::from_ref(desc).cast_mut();
        self.session.store(session, Relaxed);
        self.desc.store(desc, Relaxed);
        self.plain.store(desc, Relaxed);
        self.cursor.store(std::ptr::null_mut(), Relaxed);
        self.count.store(1, Relaxed);
        self.object_kind.store(Bind::NoObject as u32, Relaxed);
        self.object_id.store(0, Relaxed);
        self.object_size.store(0, Relaxed);
        self.object_has_ranks.store(false, Relaxed);
        // See `fill`.
        let record = self.atomic_record.control().record();
        self.scalar_words(record).iter().for_each(|word| word.store(0, Release));
        self.id.store(id, Release);
    }

    /// Adds a handle to its session that was in none, after it has begun.
    pub(super) fn join(&self, session: u64) {
        self.session.store(session, Release);
    }

    /// Ends the handle. Returns true if it was started.
    pub(super) fn retire(&self) -> bool {
        match self.cursor() {
            Some(cursor) => {
                self.remove_id();
                cursor.retire()
            }
            None => self.retire_plain(),
        }
    }

    /// Ends a handle without a cursor. Returns true if it was started.
    #[inline]
    pub(super) fn retire_plain(&self) -> bool {
        self.remove_id();
        self.atomic_record.clear()
    }

    /// Removes the identifier. Called before the control word changes, for [`View::is_current`].
    #[inline]
    fn remove_id(&self) {
        self.id.store(0, Relaxed);
    }

    pub(super) fn running(&self) -> Running {
        Running { cursor: self.cursor().map(WatermarkCursor::control), account: self.atomic_record.control() }
    }

    /// Returns the number of records of the account, and its words. The layout is the same for all uses of the slot.
    #[inline]
    fn account(&self) -> (usize, &[AtomicU64]) {
        match &self.words {
            Some(words) => (ARRAY_RECORDS, words),
            None => (SCALAR_RECORDS, self.inline.as_flattened()),
        }
    }

    #[inline]
    fn section(&self, number: usize, count: usize) -> &[AtomicU64] {
        let (records, words) = self.account();
        let stride = if records == SCALAR_RECORDS { 1 } else { words.len() / ARRAY_WORDS };
        words.get(number * stride..number * stride + count).unwrap_or_default()
    }

    /// Returns the value and the base of a scalar's record.
    #[inline]
    pub(super) fn scalar(&self, record: usize) -> (u64, u64) {
        let [value, base] = self.scalar_words(record);
        (value.load(Relaxed), base.load(Relaxed))
    }

    #[inline]
    fn scalar_words(&self, record: usize) -> &[AtomicU64; RECORD_WORDS] {
        &self.inline[record % SCALAR_RECORDS]
    }

    #[inline]
    fn cursor(&self) -> Option<&'static WatermarkCursor> {
        let cursor = self.cursor.load(Relaxed).cast_const();
        // SAFETY: null, or a `&'static WatermarkCursor` that `fill` stored.
        unsafe { cursor.as_ref() }
    }

    /// Returns the variable of a handle with an account of one element and without an object. `None` for other handles, and if
    /// the handle was freed or is not in this session. A control word that was loaded before is not one of a later handle.
    #[inline]
    pub(super) fn plain(&self, id: u64, session: u64) -> Option<&'static PvarDesc> {
        let (desc, its_session) = (self.plain.load(Acquire), self.session.load(Acquire));
        // The identifier is loaded last: it is removed before a later handle stores its own content. The content is not that of an
        // earlier handle either, since the tool received the identifier after the handle was filled.
        if self.id.load(Acquire) != id || its_session != session {
            return None;
        }
        // SAFETY: null, or a `&'static PvarDesc` that `fill` stored.
        unsafe { desc.cast_const().as_ref() }
    }

    /// Returns the content of the handle. The caller checks afterwards by the identifier that the handle is still the same.
    #[inline]
    pub(super) fn view(&self, id: u64) -> Option<View<'_>> {
        let desc = self.desc.load(Relaxed).cast_const();
        // SAFETY: null, or a `&'static PvarDesc` that `fill` stored.
        let desc = unsafe { desc.as_ref() }?;
        let size = self.object_size.load(Relaxed);
        let has_ranks = self.object_has_ranks.load(Relaxed);
        let ranks =
            if has_ranks { self.ranks.as_ref().filter(|ranks| ranks.len() >= size as usize) } else { None };
        if has_ranks && ranks.is_none() {
            return None;
        }
        let kind = Bind::ALL.get(self.object_kind.load(Relaxed) as usize).copied()?;
        let id_of_object = self.object_id.load(Relaxed);
        let ranks = ranks.map_or(std::ptr::null(), |ranks| ranks.as_ptr());
        let object = Object { kind, id: id_of_object, size, ranks, of: PhantomData };
        let count = self.count.load(Relaxed) as usize;
        let (session, cursor) = (self.session.load(Relaxed), self.cursor());
        Some(View { handle: self, id, session, desc, count, object, cursor })
    }

    #[inline]
    pub(super) fn session(&self) -> u64 {
        self.session.load(Relaxed)
    }
}

impl View<'_> {
    /// Returns true if a control word that was loaded before is not one of a later handle in the same slot. Freeing a handle
    /// removes its identifier and then changes the control word, so a call that loads a later word finds another identifier.
    #[inline]
    pub(super) fn is_current(&self) -> bool {
        self.handle.id.load(Relaxed) == self.id
    }

    /// Returns the control word of the account.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`] if the handle was freed.
    #[inline]
    pub(super) fn control(&self) -> Result<Control> {
        let control = self.handle.atomic_record.control();
        if self.is_current() { Ok(control) } else { Err(Error::InvalidHandle) }
    }

    /// Stops the handle if it is started and its control words are unchanged. Returns `false` if they changed.
    pub(super) fn stop_if(&self, seen: Running) -> bool {
        let stopped = match (self.cursor, seen.cursor) {
            (Some(cursor), Some(seen)) => cursor.stop_if(seen),
            (None, None) => self.handle.atomic_record.stop_if(seen.account),
            _ => return false,
        };
        if stopped == Some(true) {
            self.desc.watch(-1);
        }
        stopped.is_some()
    }
}

/// Sections of the account. Each is empty if the slot was reused with less memory meanwhile.
impl<'a> View<'a> {
    pub(super) fn records(&self) -> usize {
        self.handle.account().0
    }

    #[inline]
    pub(super) fn values(&self, record: usize) -> &'a [AtomicU64] {
        self.handle.section(record * RECORD_WORDS, self.count)
    }

    #[inline]
    pub(super) fn bases(&self, record: usize) -> &'a [AtomicU64] {
        self.handle.section(record * RECORD_WORDS + 1, self.count)
    }

    /// Returns the space to read an array's cell to while a record is prepared.
    pub(super) fn scratch(&self, record: usize) -> &'a [AtomicU64] {
        self.handle.section(self.records() * RECORD_WORDS + record, self.count)
    }
}

/// A handle of a control variable.
#[derive(Debug, Default)]
pub(super) struct CvarBinding {
    pub(super) index: AtomicU32,
    /// The number of the object that the handle is bound to, or [`FREED`].
    pub(super) object: AtomicU64,
}

/// A stand-in for the number of an object that was freed.
pub(super) const FREED: u64 = u64::MAX;
