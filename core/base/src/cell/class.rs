//! The class traits: one per class, implemented by its cells, so that the compiler's message names the class and a remedy.

/// Functions that require a cell of their class: for another type, the compiler reports the message of the trait. They are written out
/// because a macro's source would be quoted in every such message.
#[doc(hidden)]
pub mod class_of {
    use super::{
        AggregateCell, CounterCell, GenericCell, HighWatermarkCell, LevelCell, LowWatermarkCell,
        PercentageCell, SizeCell, StateCell, TimerCell,
    };

    pub const fn state<C: StateCell>() {}
    pub const fn level<C: LevelCell>() {}
    pub const fn size<C: SizeCell>() {}
    pub const fn percentage<C: PercentageCell>() {}
    pub const fn highwatermark<C: HighWatermarkCell>() {}
    pub const fn lowwatermark<C: LowWatermarkCell>() {}
    pub const fn counter<C: CounterCell>() {}
    pub const fn aggregate<C: AggregateCell>() {}
    pub const fn timer<C: TimerCell>() {}
    pub const fn generic<C: GenericCell>() {}
}

use super::{
    Aggregate, AmountValue, Cell, Computed, ComputedPvar, Counter, CounterValue, Custom, EnumValue, Generic,
    HighWatermark, Level, LowWatermark, Numbered, NumberedPvars, PeerArray, PerObject, Percentage, Size,
    State, Timer, Value,
};

/// Storage of a performance variable of class COUNTER.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store a COUNTER pvar",
    label = "not a cell of class COUNTER",
    note = "declare the static as `Counter<u64>`"
)]
#[doc(hidden)]
pub trait CounterCell: Cell {}
impl<T: CounterValue> CounterCell for Counter<T> {}
impl<T: CounterValue> CounterCell for PerObject<Counter<T>> {}
impl<T: CounterValue> CounterCell for PeerArray<T> {}
impl<F: ComputedPvar> CounterCell for Computed<F> where F::Value: CounterValue {}
impl<F: NumberedPvars> CounterCell for Numbered<F> where F::Value: CounterValue {}

/// Storage of a performance variable of class AGGREGATE.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store an AGGREGATE pvar",
    label = "not a cell of class AGGREGATE",
    note = "declare the static as `Aggregate<f64>`"
)]
#[doc(hidden)]
pub trait AggregateCell: Cell {}
impl<T: AmountValue> AggregateCell for Aggregate<T> {}
impl<T: AmountValue> AggregateCell for PerObject<Aggregate<T>> {}
impl<T: CounterValue> AggregateCell for PeerArray<T> {}
impl<F: ComputedPvar> AggregateCell for Computed<F> where F::Value: AmountValue {}

/// Storage of a performance variable of class TIMER.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store a TIMER pvar",
    label = "not a cell of class TIMER",
    note = "declare the static as `Timer<f64>`"
)]
#[doc(hidden)]
pub trait TimerCell: Cell {}
impl<T: AmountValue> TimerCell for Timer<T> {}
impl<T: AmountValue> TimerCell for PerObject<Timer<T>> {}
impl<T: CounterValue> TimerCell for PeerArray<T> {}
impl<F: ComputedPvar> TimerCell for Computed<F> where F::Value: AmountValue {}
impl<F: NumberedPvars> TimerCell for Numbered<F> where F::Value: AmountValue {}

/// Storage of a performance variable of class LEVEL.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store a LEVEL pvar",
    label = "not a cell of class LEVEL",
    note = "declare the static as `Level<u64>`"
)]
#[doc(hidden)]
pub trait LevelCell: Cell {}
impl<T: AmountValue> LevelCell for Level<T> {}
impl<T: AmountValue> LevelCell for PerObject<Level<T>> {}
impl<F: ComputedPvar> LevelCell for Computed<F> where F::Value: AmountValue {}

/// Storage of a performance variable of class SIZE.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store a SIZE pvar",
    label = "not a cell of class SIZE",
    note = "declare the static as `Size<u64>`"
)]
#[doc(hidden)]
pub trait SizeCell: Cell {}
impl<T: AmountValue> SizeCell for Size<T> {}
impl<T: AmountValue> SizeCell for PerObject<Size<T>> {}
impl<T: CounterValue> SizeCell for PeerArray<T> {}
impl<F: ComputedPvar> SizeCell for Computed<F> where F::Value: AmountValue {}

/// Storage of a performance variable of class PERCENTAGE.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store a PERCENTAGE pvar",
    label = "not a cell of class PERCENTAGE",
    note = "declare the static as `Percentage`"
)]
#[doc(hidden)]
pub trait PercentageCell: Cell {}
impl PercentageCell for Percentage {}
impl<F: ComputedPvar<Value = f64>> PercentageCell for Computed<F> {}

/// Storage of a performance variable of class HIGHWATERMARK.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store a HIGHWATERMARK pvar",
    label = "not a cell of class HIGHWATERMARK",
    note = "declare the static as `HighWatermark<u64>`"
)]
#[doc(hidden)]
pub trait HighWatermarkCell: Cell {}
impl<T: AmountValue> HighWatermarkCell for HighWatermark<T> {}
impl<T: AmountValue> HighWatermarkCell for Level<T> {}
impl<T: AmountValue> HighWatermarkCell for PerObject<Level<T>> {}

/// Storage of a performance variable of class LOWWATERMARK.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store a LOWWATERMARK pvar",
    label = "not a cell of class LOWWATERMARK",
    note = "declare the static as `LowWatermark<u64>`"
)]
#[doc(hidden)]
pub trait LowWatermarkCell: Cell {}
impl<T: AmountValue> LowWatermarkCell for LowWatermark<T> {}
impl<T: AmountValue> LowWatermarkCell for Level<T> {}
impl<T: AmountValue> LowWatermarkCell for PerObject<Level<T>> {}

/// Storage of a performance variable of class STATE.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store a STATE pvar",
    label = "not a cell of class STATE",
    note = "declare the static as `State<E>` where `E` is an enum that derives `MpitEnum`"
)]
#[doc(hidden)]
pub trait StateCell: Cell {}
impl<E: EnumValue> StateCell for State<E> {}
impl<F: ComputedPvar<Value = i32>> StateCell for Computed<F> {}

/// Storage of a performance variable of class GENERIC.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot store a GENERIC pvar",
    label = "not a cell of class GENERIC",
    note = "declare the static as `Generic<i64>`, or implement `mpit::cell::Custom` for its type"
)]
#[doc(hidden)]
pub trait GenericCell: Cell {}
impl<T: Value> GenericCell for Generic<T> {}
impl<T: CounterValue> GenericCell for PeerArray<T> {}
impl<F: ComputedPvar> GenericCell for Computed<F> {}
#[diagnostic::do_not_recommend]
impl<C: Custom> GenericCell for C {}
