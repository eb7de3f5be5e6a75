//! Descriptors of performance variables.

use std::any::TypeId;

use super::{Action, Behavior, Cell, ErasedCell, LevelStorage, Operation, PvarFlags, Value};
use crate::desc::{Activation, EnumDesc, Metadata, described};
use crate::object::Object;
use crate::vocabulary::{Bind, Class, Datatype, Verbosity};

/// The properties that access calls check first: bits, so that each makes one comparison.
#[derive(Clone, Copy)]
struct Shortcuts(u8);

impl Shortcuts {
    /// The cell has one element for any object.
    const SCALAR: u8 = 1;
    /// The type of the cell's values has an enumeration.
    const ENUMERATION: u8 = 2;
    /// See [`PvarDesc::has_plain_handles`].
    const PLAIN: u8 = 4;
    /// See [`PvarDesc::is_word_sum`].
    const WORD_SUM: u8 = 8;

    const fn of_cell<C: Cell>() -> Self {
        let scalar = if C::IS_SCALAR { Self::SCALAR } else { 0 };
        Self(scalar | if C::ENUMERATION.is_some() { Self::ENUMERATION } else { 0 })
    }

    const fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// The description of a performance variable. Kept small, since a program may have thousands.
#[derive(Clone, Copy)]
pub struct PvarDesc {
    class: Class,
    datatype: Datatype,
    /// A [`Bind`], which would take four bytes in its own representation.
    bind: u8,
    verbosity: Verbosity,
    flags: PvarFlags,
    behavior: Behavior,
    /// True if there is an `activation`. A copy here, so that access calls need not load the shared metadata.
    has_activation: bool,
    shortcuts: Shortcuts,
    metadata: Metadata,
    cell: &'static dyn ErasedCell,
}

described!(PvarDesc, verbosity);

/// Construction, by the attributes.
#[doc(hidden)]
impl PvarDesc {
    /// Creates a variable of a class, stored in `cell`. The defaults are the cell's own datatype and binding, and verbosity
    /// `TUNER_DETAIL`. The variable is writable if the class keeps its value per handle (sums and watermarks), otherwise
    /// read-only.
    pub const fn new<C: Cell>(metadata: Metadata, class: Class, cell: &'static C) -> Self {
        let behavior = match class {
            sum if sum.is_sum() => Behavior::Sum,
            Class::HighWatermark => Behavior::Highest,
            Class::LowWatermark => Behavior::Lowest,
            _ => C::BEHAVIOR,
        };
        let flags = match behavior {
            Behavior::Current => PvarFlags::READONLY,
            _ => PvarFlags::NONE,
        };
        let desc = Self {
            class,
            datatype: <C::Value as Value>::DATATYPE,
            bind: C::BIND as u8,
            verbosity: Verbosity::TunerDetail,
            flags,
            behavior,
            has_activation: metadata.activation().is_some(),
            shortcuts: Shortcuts::of_cell::<C>(),
            metadata,
            cell,
        };
        desc.with_shortcuts()
    }

    /// Determines the shortcuts again, after a change.
    const fn with_shortcuts(mut self) -> Self {
        let of_cell = self.shortcuts.0 & (Shortcuts::SCALAR | Shortcuts::ENUMERATION);
        let is_sum = matches!(self.behavior, Behavior::Sum);
        let is_word = self.datatype.size() == size_of::<u64>() && !matches!(self.datatype, Datatype::Double);
        let is_plain = self.shortcuts.has(Shortcuts::SCALAR)
            && matches!(self.behavior, Behavior::Sum | Behavior::Current)
            && self.bind == Bind::NoObject as u8
            && !self.flags.has(PvarFlags::CONTINUOUS)
            && !self.has_activation;
        let plain = if is_plain { Shortcuts::PLAIN } else { 0 };
        let word_sum = if is_sum && is_word && !self.has_activation { Shortcuts::WORD_SUM } else { 0 };
        self.shortcuts = Shortcuts(of_cell | plain | word_sum);
        self
    }

    #[must_use]
    pub const fn with_bind(mut self, bind: Bind) -> Self {
        self.bind = bind as u8;
        self.with_shortcuts()
    }

    /// Replaces the datatype by another one of the same C representation.
    ///
    /// # Panics
    ///
    /// Panics if the representation differs; in a static it does not compile.
    #[must_use]
    pub const fn with_datatype(mut self, datatype: Datatype) -> Self {
        assert!(
            self.datatype.is_represented_as(datatype),
            "the datatype has another C representation than the cell"
        );
        self.datatype = datatype;
        self.with_shortcuts()
    }

    #[must_use]
    pub const fn with_flags(mut self, flags: PvarFlags) -> Self {
        self.flags = self.flags.with(flags);
        self.with_shortcuts()
    }

    /// Lets tools write and reset a variable whose class is read-only by default.
    #[must_use]
    pub const fn writable(mut self) -> Self {
        self.flags = self.flags.without(PvarFlags::READONLY);
        self
    }

    /// Marks the value as monotonic: a handle shows what was gained while it was started, although the class would show the
    /// present value.
    #[must_use]
    pub const fn cumulative(mut self) -> Self {
        self.behavior = Behavior::Sum;
        self.with_shortcuts()
    }
}

impl PvarDesc {
    /// Returns the class.
    pub const fn class(&self) -> Class {
        self.class
    }

    /// Returns the datatype of the elements.
    pub const fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Returns the kind of object that handles are bound to.
    pub const fn bind(&self) -> Bind {
        Bind::ALL[self.bind as usize]
    }

    /// Returns true if tools can neither write nor reset the variable.
    pub const fn is_readonly(&self) -> bool {
        self.flags.has(PvarFlags::READONLY)
    }

    /// Returns true if the variable is always running, so that its handles cannot be started or stopped.
    pub const fn is_continuous(&self) -> bool {
        self.flags.has(PvarFlags::CONTINUOUS)
    }

    /// Returns true if the variable can be read and reset in one atomic step.
    pub const fn is_atomic(&self) -> bool {
        self.flags.has(PvarFlags::ATOMIC)
    }

    /// Returns the enumeration of the values, if there is one.
    pub fn enumeration(&self) -> Option<&'static EnumDesc> {
        let of_cell = if self.shortcuts.has(Shortcuts::ENUMERATION) { self.cell.enumeration() } else { None };
        self.metadata.enumeration(of_cell)
    }
}

#[doc(hidden)]
impl PvarDesc {
    pub const fn flags(&self) -> PvarFlags {
        self.flags
    }

    pub const fn behavior(&self) -> Behavior {
        self.behavior
    }

    /// Returns the activation that the variable depends on; `None` if it always has a value.
    #[inline]
    pub const fn activation(&self) -> Option<&'static Activation> {
        if self.has_activation { self.metadata.activation() } else { None }
    }

    /// Returns true if handles show sums of integers of 8 bytes, and the variable always has a value.
    #[inline]
    pub(crate) const fn is_word_sum(&self) -> bool {
        self.shortcuts.has(Shortcuts::WORD_SUM)
    }

    /// Returns true if handles have an account of one element and no object, need nothing at their begin, and the variable always has a
    /// value.
    #[inline]
    pub(crate) const fn has_plain_handles(&self) -> bool {
        self.shortcuts.has(Shortcuts::PLAIN)
    }

    pub(crate) fn cell_address(&self) -> usize {
        std::ptr::from_ref(self.cell).addr()
    }

    /// Returns true if `cell` stores the variable. The address is not sufficient: a cell may be the first field of another one, and
    /// zero-sized cells have no address of their own.
    pub(crate) fn is_stored_in<C: Cell>(&self, cell: &C) -> bool {
        let mut found = None;
        self.operate(Operation::Type { result: &mut found });
        std::ptr::addr_eq(self.cell, cell) && found == Some(TypeId::of::<C>())
    }

    pub(crate) fn count(&self, object: &Object<'_>) -> crate::Result<usize> {
        self.cell.count(object)
    }

    /// Copies the value.
    ///
    /// # Safety
    ///
    /// `out` is valid for writes of `count` elements, and aligned for one.
    pub(crate) unsafe fn read(&self, object: &Object<'_>, out: *mut u8, count: usize) -> crate::Result<()> {
        let mut result = Err(crate::Error::Invalid);
        // SAFETY: the caller ensures that `out` has `count` aligned elements. `new` and `with_datatype` admit only datatypes
        // that represent a value of the cell.
        unsafe { self.cell.operate(Operation::Read { object, out, count, result: &mut result }) };
        result
    }

    /// Returns the value of a variable with one element, as a word with the value in its low bits.
    #[inline]
    pub(crate) fn read_scalar(&self, object: &Object<'_>) -> crate::Result<u64> {
        Ok(self.cell.read_scalar(object)?)
    }

    pub(crate) fn watch(&self, more: i32) {
        self.operate(Operation::Watch { more });
    }

    pub(crate) fn level_storage(&self, object: &Object<'_>) -> Option<&'static LevelStorage> {
        let mut found = None;
        self.operate(Operation::LevelStorage { object, result: &mut found });
        found
    }

    pub(crate) fn custom(&self, action: &Action<'_>) -> crate::Result<()> {
        let mut result = Err(crate::Error::Invalid);
        self.operate(Operation::Custom { action, result: &mut result });
        result
    }

    /// Executes an operation other than a read.
    fn operate(&self, operation: Operation<'_>) {
        if !matches!(operation, Operation::Read { .. }) {
            // SAFETY: not a read, and only reads have a condition.
            unsafe { self.cell.operate(operation) };
        }
    }
}
