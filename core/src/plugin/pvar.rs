//! Performance variables of tables.

use super::abi::{PVAR_ATOMIC, PVAR_CONTINUOUS, PVAR_CUMULATIVE, PVAR_READONLY, PVAR_WRITABLE, Pvar, Sum};
use super::cell::{self, Count, MOST_ELEMENTS, Origins, Place};
use super::read::{Ruled, placed_list, placed_to_change};
use super::table::{Entry, Making, forever};
use super::texts::{names, word};
use crate::cell::Gauge;
use crate::desc::PvarFlags;
use crate::registry::{Fault, class_admits};
use crate::words::{Bind, Class, Datatype, Verbosity};

impl Making {
    /// Adds a performance variable.
    ///
    /// # Safety
    ///
    /// `from` is an entry of a table that satisfies the conditions of [`super::register`].
    pub(super) unsafe fn pvar(&mut self, from: &Pvar, entry: &Entry) -> Ruled<()> {
        let class = word("class", from.class, Class::ALL)?;
        let datatype = word("datatype", from.datatype, Datatype::ALL)?;
        let verbosity = word("verbosity", from.verbosity, Verbosity::ALL)?;
        let bind = word("bind", from.bind, Bind::ALL)?;
        // SAFETY: the list is null or ends with a null pointer, by the conditions of `register`.
        let categories = unsafe { names("the name of one of its categories", from.categories) }?;
        // SAFETY: `from` is an entry of a table that satisfies the conditions of `register`: the caller ensures it.
        let value = unsafe { value_of(from, datatype) }?;
        let count = count_of(from, &value)?;
        if let (Origins::Storage(storage), Count::Fixed(count)) = (&value, count) {
            placed_list("its storage", storage.cast::<u8>(), count * datatype.size())?;
        }
        let place = Place { value, count, bind, watch: from.watch, user_data: from.user_data };
        cell_fault(&place, class, datatype)?;
        let marks = Marks::of(from.flags, class, datatype)?;
        if marks.flags.has(PvarFlags::ATOMIC) && !matches!(count, Count::Fixed(1)) {
            return Err(Fault::of("C22", "ATOMIC goes with one element, whatever the object"));
        }
        // SAFETY: the enumeration is null or a `struct mpit_enum`, by the conditions of `register`.
        let enumeration = unsafe { self.enumeration(from.enumeration, entry.origin) }?;
        let common = self.common(&categories, enumeration, entry.origin);
        let mut desc = cell::pvar(entry.head(common), class, datatype, place);
        if marks.cumulative {
            desc = desc.cumulative();
        }
        if marks.writable {
            desc = desc.writable();
        }
        self.remember(&value);
        self.made.image.pvars.push(forever(desc.verbosity(verbosity).flags(marks.flags)));
        Ok(())
    }
}

/// The flags of a variable.
struct Marks {
    flags: PvarFlags,
    cumulative: bool,
    writable: bool,
}

impl Marks {
    fn of(bits: u32, class: Class, datatype: Datatype) -> Ruled<Self> {
        let mut flags = PvarFlags::NONE;
        let mut rest = bits & !(PVAR_CUMULATIVE | PVAR_WRITABLE);
        for (bit, flag) in [
            (PVAR_READONLY, PvarFlags::READONLY),
            (PVAR_CONTINUOUS, PvarFlags::CONTINUOUS),
            (PVAR_ATOMIC, PvarFlags::ATOMIC),
        ] {
            if bits & bit != 0 {
                flags = flags.with(flag);
                rest &= !bit;
            }
        }
        if rest != 0 {
            return Err(Fault::of("C4", format!("its flags {bits:#x} are not all known")));
        }
        let (cumulative, writable) = (bits & PVAR_CUMULATIVE != 0, bits & PVAR_WRITABLE != 0);
        if writable && flags.has(PvarFlags::READONLY) {
            let why = "WRITABLE contradicts READONLY: a tool may write and reset it or not";
            return Err(Fault::of("C5", why));
        }
        if cumulative {
            let can_grow = match class {
                Class::Counter | Class::Aggregate | Class::Timer | Class::Level | Class::Size => true,
                Class::Generic => datatype != Datatype::Char,
                _ => false,
            };
            if !can_grow {
                let why = format!("a {class} of {datatype} values is no sum, it cannot be CUMULATIVE");
                return Err(Fault::of("C6", why));
            }
        }
        Ok(Self { flags, cumulative, writable })
    }
}

/// Returns the source of the value.
///
/// # Safety
///
/// `from` is an entry of a table that satisfies the conditions of [`super::register`].
unsafe fn value_of(from: &Pvar, datatype: Datatype) -> Ruled<Origins> {
    let given = usize::from(!from.sum.is_null())
        + usize::from(!from.level.is_null())
        + usize::from(from.level_of.is_some())
        + usize::from(!from.storage.is_null())
        + usize::from(from.read.is_some());
    if given != 1 {
        let why = format!(
            "its value is in exactly one of `sum`, `level`, `level_of`, `storage` and `read`, of which {given} are given"
        );
        return Err(Fault::of("C5", why));
    }
    if let Some(function) = from.read {
        return Ok(Origins::Function(function));
    }
    if let Some(function) = from.level_of {
        return Ok(Origins::LevelOf(function));
    }
    if !from.level.is_null() {
        placed_to_change("its level", from.level)?;
        // SAFETY: `placed_to_change` checked that it is not null, aligned and writable; cells of a table are valid for the rest
        // of the process, by the conditions of `register`; all members are atomic, and zero-initialized, so without watermarks.
        let gauge: &'static Gauge = unsafe { &*from.level };
        return Ok(Origins::Level(gauge));
    }
    if from.sum.is_null() {
        if !from.storage.addr().is_multiple_of(datatype.size()) {
            return Err(format!("its storage at {:p} is not aligned", from.storage).into());
        }
        return Ok(Origins::Storage(from.storage));
    }
    placed_to_change("its sum", from.sum)?;
    // SAFETY: `placed_to_change` checked that it is not null, aligned and writable; cells of a table are valid for the rest of
    // the process, by the conditions of `register`, and all members are atomic.
    let sum: &'static Sum = unsafe { &*from.sum };
    Ok(Origins::Sum(sum))
}

/// Returns the number of elements: fixed, or a function.
fn count_of(from: &Pvar, value: &Origins) -> Ruled<Count> {
    if let Some(function) = from.count_of {
        if from.count != 0 {
            return Err(Fault::of("C28", format!("its count is {}; beside `count_of` it is 0", from.count)));
        }
        if !matches!(value, Origins::Function(_)) {
            return Err(Fault::of("C28", "`count_of` goes with `read`; what lies in memory has a count"));
        }
        return Ok(Count::Of(function));
    }
    let count = usize::try_from(from.count).ok().filter(|count| (1..=MOST_ELEMENTS).contains(count));
    let count = count.ok_or_else(|| {
        let why =
            format!("its count is {}; it has 1 element or more, and at most {MOST_ELEMENTS}", from.count);
        Fault::of("C28", why)
    })?;
    Ok(Count::Fixed(count))
}

/// Refuses classes and datatypes that a `struct mpit_sum` or a `struct mpit_level` cannot hold.
fn cell_fault(place: &Place, class: Class, datatype: Datatype) -> Ruled<()> {
    let is_level = matches!(class, Class::Level | Class::HighWatermark | Class::LowWatermark);
    let (fits, kind) = match place.value {
        Origins::Sum(_) => (matches!(class, Class::Counter | Class::Aggregate | Class::Timer), "sum"),
        Origins::Level(_) => (is_level, "level"),
        Origins::LevelOf(_) => (is_level, "level_of"),
        Origins::Storage(_) | Origins::Function(_) => return Ok(()),
    };
    if !fits {
        return Err(Fault::of("C6", format!("a {class} is not kept in a `{kind}`")));
    }
    if !class_admits(class, datatype) {
        return Err(Fault::of("C6", format!("the class {class} does not admit {datatype} values")));
    }
    let is_one = matches!(place.count, Count::Fixed(1));
    match place.value {
        Origins::LevelOf(_) if !is_one => Err(Fault::of("C28", "a `level_of` is one element")),
        Origins::LevelOf(_) if place.bind == Bind::NoObject => {
            let why = "`level_of` goes with an object to be bound to; without one there is `level`";
            Err(Fault::of("C5", why))
        }
        Origins::LevelOf(_) => Ok(()),
        _ if is_one && place.bind == Bind::NoObject => Ok(()),
        _ => Err(Fault::of("C28", format!("a `{kind}` is one element that is bound to no object"))),
    }
}
