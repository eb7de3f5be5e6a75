//! Performance variables of tables.

use std::ffi::c_int;

use super::c_strings::{from_code, names};
use super::c_structs::{EntryResult, Specified, check_list, member, shared_cell};
use super::c_table::{Entry, TableBuilder};
use super::cell::{self, Count, ForeignSource, MAX_ELEMENTS, ValueSource};
use crate::abi::{PVAR_ATOMIC, PVAR_CONTINUOUS, PVAR_CUMULATIVE, PVAR_READONLY, PVAR_WRITABLE, Pvar};
use crate::cell::PvarFlags;
use crate::leak::leak;
use crate::os::readable::Pages;
use crate::registry::{Fault, Rule};
use crate::vocabulary::{Bind, Class, Datatype, Verbosity};

impl TableBuilder {
    /// Adds a performance variable.
    pub(super) fn pvar(&mut self, from: &Specified<'_, Pvar>, entry: &Entry) -> EntryResult<()> {
        let class = from_code("class", from.class, Class::ALL)?;
        let datatype = from_code("datatype", from.datatype, Datatype::ALL)?;
        let verbosity = from_code("verbosity", from.verbosity, Verbosity::ALL)?;
        let bind = from_code("bind", from.bind, Bind::ALL)?;
        let categories =
            names(&mut self.pages, "the name of one of its categories", member!(from, categories))?;
        let value = value_of(&mut self.pages, from, datatype)?;
        let count = count_of(from, &value)?;
        if let (ValueSource::Storage(storage), Count::Fixed(count)) = (&value, count) {
            check_list(&mut self.pages, "its storage", storage.cast::<u8>(), count * datatype.size())?;
        }
        let source = ForeignSource { value, count, bind, watch: from.watch, user_data: from.user_data };
        cell_fault(&source, class, datatype)?;
        let marks = PvarMarkers::of(from.flags, class, datatype)?;
        if marks.flags.has(PvarFlags::ATOMIC) && !matches!(count, Count::Fixed(1)) {
            return Err(Fault::of(Rule::C22, "ATOMIC goes with one element, whatever the object"));
        }
        let enumeration = self.enumeration(member!(from, enumeration), entry.origin)?;
        let shared = self.metadata.shared(&categories, enumeration, entry.origin);
        let mut desc = cell::pvar(entry.metadata(shared), class, datatype, source);
        if marks.cumulative {
            desc = desc.cumulative();
        }
        if marks.writable {
            desc = desc.writable();
        }
        self.record_cell(&value);
        self.definitions.image.pvars.push(leak(desc.with_verbosity(verbosity).with_flags(marks.flags)));
        Ok(())
    }
}

struct PvarMarkers {
    flags: PvarFlags,
    cumulative: bool,
    writable: bool,
}

impl PvarMarkers {
    fn of(bits: u32, class: Class, datatype: Datatype) -> EntryResult<Self> {
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
            return Err(Fault::of(Rule::C4, format!("its flags {bits:#x} are not all known")));
        }
        let (cumulative, writable) = (bits & PVAR_CUMULATIVE != 0, bits & PVAR_WRITABLE != 0);
        if writable && flags.has(PvarFlags::READONLY) {
            let why = "WRITABLE contradicts READONLY: keep only one of the two";
            return Err(Fault::of(Rule::C5, why));
        }
        if cumulative && (!class.can_be_cumulative() || datatype == Datatype::Char) {
            let why = format!("a {class} of {datatype} values is no sum, it cannot be CUMULATIVE");
            return Err(Fault::of(Rule::C6, why));
        }
        Ok(Self { flags, cumulative, writable })
    }
}

/// Returns the source of the value.
fn value_of(pages: &mut Pages, from: &Specified<'_, Pvar>, datatype: Datatype) -> EntryResult<ValueSource> {
    let given = usize::from(!from.sum.is_null())
        + usize::from(!from.level.is_null())
        + usize::from(from.level_of.is_some())
        + usize::from(!from.storage.is_null())
        + usize::from(from.read.is_some());
    if given != 1 {
        let why = format!(
            "its value is in exactly one of `sum`, `level`, `level_of`, `storage` and `read`, of which {given} are given"
        );
        return Err(Fault::of(Rule::C5, why));
    }
    if let Some(function) = from.read {
        return Ok(ValueSource::Function(function));
    }
    if let Some(function) = from.level_of {
        return Ok(ValueSource::LevelOf(function));
    }
    if !from.level.is_null() {
        return Ok(ValueSource::Level(shared_cell(pages, "its level", member!(from, level))?));
    }
    if !from.sum.is_null() {
        return Ok(ValueSource::Sum(shared_cell(pages, "its sum", member!(from, sum))?));
    }
    if !from.storage.addr().is_multiple_of(datatype.size()) {
        return Err(format!("its storage at {:p} is not aligned", from.storage).into());
    }
    Ok(ValueSource::Storage(from.storage))
}

fn count_of(from: &Pvar, value: &ValueSource) -> EntryResult<Count> {
    if let Some(function) = from.count_of {
        if from.count != 0 {
            let why = format!("its count is {}; beside `count_of` it is 0", from.count);
            return Err(Fault::of(Rule::C28, why));
        }
        if !matches!(value, ValueSource::Function(_)) {
            return Err(Fault::of(Rule::C28, "`count_of` goes with `read`; what lies in memory has a count"));
        }
        return Ok(Count::Of(function));
    }
    fixed_count(from.count).map(Count::Fixed)
}

/// Returns the number of elements of a value that does not depend on an object.
pub(super) fn fixed_count(count: c_int) -> EntryResult<usize> {
    let fitting = usize::try_from(count).ok().filter(|count| (1..=MAX_ELEMENTS).contains(count));
    fitting.ok_or_else(|| {
        let why = format!("its count is {count}; it has 1 element or more, and at most {MAX_ELEMENTS}");
        Fault::of(Rule::C28, why)
    })
}

/// Refuses classes and datatypes that a `struct mpit_sum` or a `struct mpit_level` cannot hold.
fn cell_fault(source: &ForeignSource, class: Class, datatype: Datatype) -> EntryResult<()> {
    let (fits, kind) = match source.value {
        ValueSource::Sum(_) => (class.is_sum(), "sum"),
        ValueSource::Level(_) => (class.has_level(), "level"),
        ValueSource::LevelOf(_) => (class.has_level(), "level_of"),
        ValueSource::Storage(_) | ValueSource::Function(_) => return Ok(()),
    };
    if !fits {
        return Err(Fault::of(Rule::C6, format!("a {class} is not kept in a `{kind}`")));
    }
    if !class.datatypes().contains(&datatype) {
        return Err(Fault::of(Rule::C6, format!("the class {class} does not admit {datatype} values")));
    }
    let is_one = matches!(source.count, Count::Fixed(1));
    match source.value {
        ValueSource::LevelOf(_) if !is_one => Err(Fault::of(Rule::C28, "a `level_of` is one element")),
        ValueSource::LevelOf(_) if source.bind == Bind::NoObject => {
            let why = "`level_of` goes with an object to be bound to; without one there is `level`";
            Err(Fault::of(Rule::C5, why))
        }
        ValueSource::LevelOf(_) => Ok(()),
        _ if is_one && source.bind == Bind::NoObject => Ok(()),
        _ => Err(Fault::of(Rule::C28, format!("a `{kind}` is one element that is bound to no object"))),
    }
}
