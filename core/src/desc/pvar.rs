//! Descriptors of performance variables.

use super::{CategoryDesc, EnumDesc, Head, Origin};
use crate::cell::{Cell, Gauge, Operations};
use crate::object::Object;
use crate::plugin::Life;
use crate::words::{Bind, Class, Datatype, Verbosity};

/// How the handles of a variable account for its value.
///
/// The hot cell is never reset or written by a tool: what a tool sees is made from the cell's value and the
/// state of the handle, so one handle never reaches another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Behaviour {
    /// A handle shows what the cell gained while the handle was started.
    Sum,
    /// A handle shows the cell's present value, or the one at its last stop.
    Current,
    /// A handle shows the highest level since its first start or last reset.
    Highest,
    /// A handle shows the lowest level since its first start or last reset.
    Lowest,
    /// The variable keeps the state of each handle itself.
    Custom,
}

/// The flags of a performance variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct PvarFlags(u8);

impl PvarFlags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// Can only be read: no write, no reset.
    pub const READONLY: Self = Self(1);
    /// Always running; cannot be started or stopped.
    pub const CONTINUOUS: Self = Self(2);
    /// Can be read and reset in one atomic step.
    pub const ATOMIC: Self = Self(4);

    /// These flags and those.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other` are set.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The functions behind a cell, and what all cells of its type have. Made by [`PvarDesc::new`]; codes are those of
/// [`crate::Error::code`].
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PvarOps {
    /// Elements for this object: at least 1, or minus an error code.
    pub(crate) count: unsafe extern "C" fn(cell: *const (), object: &Object<'_>) -> i32,
    /// Writes `count` elements to `out`, which is aligned for them.
    pub(crate) read:
        unsafe extern "C" fn(cell: *const (), object: &Object<'_>, out: *mut u8, count: usize) -> i32,
    /// A handle began (+1) or ended (-1) to look: a cell that nobody looks at may save itself the work.
    pub(crate) watch: unsafe extern "C" fn(cell: *const (), more: i32),
    /// The level behind a watermark, of this object if it is bound to one; null for other variables.
    pub(crate) gauge: unsafe extern "C" fn(cell: *const (), object: &Object<'_>) -> *const Gauge,
    /// What happens to a handle of a [`Behaviour::Custom`] variable.
    pub(crate) custom: unsafe extern "C" fn(cell: *const (), action: &crate::cell::Action<'_>) -> i32,
    /// The enumeration of the values.
    pub(crate) enumeration: Option<&'static EnumDesc>,
}

/// A performance variable. There may be thousands in a program, so it is kept small.
#[derive(Clone, Copy)]
pub struct PvarDesc {
    class: Class,
    datatype: Datatype,
    /// A [`Bind`], which by itself would take four times as much.
    bind: u8,
    verbosity: Verbosity,
    flags: PvarFlags,
    behaviour: Behaviour,
    /// Whether there is a life: told without a look at what is in common.
    has_life: bool,
    head: Head,
    ops: &'static PvarOps,
    cell: *const (),
}

// SAFETY: `cell` came from a `&'static impl Cell`, and cells are `Sync`; the rest is immutable.
unsafe impl Sync for PvarDesc {}
// SAFETY: as above.
unsafe impl Send for PvarDesc {}

impl PvarDesc {
    /// A variable of a class, stored in `cell`. The defaults: the cell's own datatype and binding, verbosity
    /// `TUNER_DETAIL`. Writable if the class keeps its value per handle (sums and watermarks), otherwise read-only.
    #[must_use]
    pub const fn new<C: Cell>(head: Head, class: Class, cell: &'static C) -> Self {
        let behaviour = match class {
            Class::Counter | Class::Aggregate | Class::Timer => Behaviour::Sum,
            Class::HighWatermark => Behaviour::Highest,
            Class::LowWatermark => Behaviour::Lowest,
            _ => C::BEHAVIOUR,
        };
        let flags = match behaviour {
            Behaviour::Current => PvarFlags::READONLY,
            _ => PvarFlags::NONE,
        };
        Self {
            class,
            datatype: <C::Value as crate::cell::Value>::DATATYPE,
            bind: C::BIND as u8,
            verbosity: Verbosity::TunerDetail,
            flags,
            behaviour,
            has_life: head.life().is_some(),
            head,
            ops: Operations::<C>::TABLE,
            cell: std::ptr::from_ref(cell).cast(),
        }
    }

    /// Sets the verbosity.
    #[must_use]
    pub const fn verbosity(mut self, verbosity: Verbosity) -> Self {
        self.verbosity = verbosity;
        self
    }

    /// Sets the kind of object that handles are bound to.
    #[must_use]
    pub const fn bind(mut self, bind: Bind) -> Self {
        self.bind = bind as u8;
        self
    }

    /// Replaces the datatype by another one of the same C representation.
    ///
    /// # Panics
    ///
    /// Panics if the representation differs; in a static it does not compile.
    #[must_use]
    pub const fn datatype(mut self, datatype: Datatype) -> Self {
        assert!(
            self.datatype.is_represented_as(datatype),
            "the datatype has another C representation than the cell"
        );
        self.datatype = datatype;
        self
    }

    /// Adds flags.
    #[must_use]
    pub const fn flags(mut self, flags: PvarFlags) -> Self {
        self.flags = self.flags.with(flags);
        self
    }

    /// Lets tools write and reset a variable that would be read-only by its class.
    #[must_use]
    pub const fn writable(mut self) -> Self {
        self.flags = PvarFlags(self.flags.0 & !PvarFlags::READONLY.0);
        self
    }

    /// Says that the value only grows, so that a handle shows what was gained while it was started, although
    /// the class would show the present value.
    #[must_use]
    pub const fn cumulative(mut self) -> Self {
        self.behaviour = Behaviour::Sum;
        self
    }

    /// Its name, unique within the class.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.head.name()
    }

    /// Its class.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.class
    }

    /// The datatype of its elements.
    #[must_use]
    pub const fn element(&self) -> Datatype {
        self.datatype
    }

    /// The kind of object that handles are bound to.
    #[must_use]
    pub const fn binding(&self) -> Bind {
        Bind::ALL[self.bind as usize]
    }

    /// For whom it is meant.
    #[must_use]
    pub const fn audience(&self) -> Verbosity {
        self.verbosity
    }

    /// Its flags.
    #[must_use]
    pub const fn flag_set(&self) -> PvarFlags {
        self.flags
    }

    /// How its handles account.
    #[must_use]
    pub const fn behaviour(&self) -> Behaviour {
        self.behaviour
    }

    /// The component that defines it.
    #[must_use]
    pub const fn owner(&self) -> &'static str {
        self.head.component()
    }

    /// What it measures; empty when nobody said.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.head.description()
    }

    /// The enumeration of its values, if it has one.
    #[must_use]
    pub const fn enumeration(&self) -> Option<&'static EnumDesc> {
        self.head.enumeration(self.ops.enumeration)
    }

    /// The categories it is in.
    #[must_use]
    pub const fn category_list(&self) -> &'static [&'static CategoryDesc] {
        self.head.categories()
    }

    /// Where it is defined.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.head.origin()
    }

    /// When it has a value; `None`: always.
    #[inline]
    #[must_use]
    pub const fn life(&self) -> Option<&'static Life> {
        if self.has_life { self.head.life() } else { None }
    }

    /// Whether it has a value only at times.
    #[inline]
    pub(crate) const fn has_life(&self) -> bool {
        self.has_life
    }
}

/// Calls into the cell. Each checks what comes back.
impl PvarDesc {
    pub(crate) fn count(&self, object: &Object<'_>) -> crate::Result<usize> {
        // SAFETY: `ops` and `cell` belong to the same `Cell`, which lives for ever.
        let count = unsafe { (self.ops.count)(self.cell, object) };
        match usize::try_from(count) {
            Ok(0) => Err(crate::Error::Invalid),
            Ok(count) => Ok(count),
            Err(_) => Err(crate::Error::check(count.wrapping_neg()).err().unwrap_or(crate::Error::Invalid)),
        }
    }

    /// # Safety
    ///
    /// `out` is valid for writes of `count` elements, and aligned for one.
    pub(crate) unsafe fn read(&self, object: &Object<'_>, out: *mut u8, count: usize) -> crate::Result<()> {
        // SAFETY: as in `count`; `out` by the caller's promise.
        crate::Error::check(unsafe { (self.ops.read)(self.cell, object, out, count) })
    }

    pub(crate) fn watch(&self, more: i32) {
        // SAFETY: as in `count`.
        unsafe { (self.ops.watch)(self.cell, more) }
    }

    pub(crate) fn gauge(&self, object: &Object<'_>) -> Option<&'static Gauge> {
        // SAFETY: as in `count`.
        let gauge = unsafe { (self.ops.gauge)(self.cell, object) };
        // SAFETY: null, or a part of the cell, which lives for ever.
        unsafe { gauge.as_ref() }
    }

    pub(crate) fn custom(&self, action: &crate::cell::Action<'_>) -> crate::Result<()> {
        // SAFETY: as in `count`.
        crate::Error::check(unsafe { (self.ops.custom)(self.cell, action) })
    }
}

impl std::fmt::Debug for PvarDesc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PvarDesc")
            .field("name", &self.name())
            .field("class", &self.class)
            .finish_non_exhaustive()
    }
}
