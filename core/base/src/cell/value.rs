//! The Rust types of variables' elements.

use crate::vocabulary::{Datatype, published_as};

/// A Rust type that a variable may hold. All are plain words for which zero is a value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that MPI tools can read",
    label = "no MPI_T datatype stands for this type",
    note = "use u32, u64, i32, i64 or f64, `c_char` for text, or an enum that derives `MpitEnum`"
)]
pub trait Value: Copy + Send + Sync + 'static + sealed::Sealed {
    /// The datatypes that values can be published as.
    #[doc(hidden)]
    const DATATYPES: &'static [Datatype];
    /// The datatype of a definition without an explicit one. Unsigned types become the C `unsigned` types that the classes allow,
    /// never the fixed-width ones, which only GENERIC may have.
    const DATATYPE: Datatype = Self::DATATYPES[0];

    /// Converts to a word, with the value in its low bits.
    fn to_word(self) -> u64;

    /// Converts from a word with the value in its low bits.
    fn from_word(word: u64) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! value {
    ($type:ty, $datatypes:ident, $to:expr, $from:expr) => {
        impl sealed::Sealed for $type {}
        impl Value for $type {
            const DATATYPES: &'static [Datatype] = published_as::$datatypes;
            #[inline]
            fn to_word(self) -> u64 {
                let to: fn($type) -> u64 = $to;
                to(self)
            }
            #[inline]
            fn from_word(word: u64) -> Self {
                let from: fn(u64) -> $type = $from;
                from(word)
            }
        }
    };
}

value!(u32, U32, u64::from, |word| word as u32);
value!(u64, U64, |value| value, |word| word);
value!(i32, I32, |value| u64::from(value.cast_unsigned()), |word| (word as u32).cast_signed());
value!(i64, I64, |value| value.cast_unsigned(), |word| word.cast_signed());
value!(f64, F64, f64::to_bits, f64::from_bits);
// C's `char` is signed or unsigned, depending on the machine.
value!(i8, CHAR, |value| u64::from(value.cast_unsigned()), |word| (word as u8).cast_signed());
value!(u8, CHAR, u64::from, |word| word as u8);

/// Returns true if a value type can be published as the datatype.
#[doc(hidden)]
pub const fn fits<T: Value>(datatype: Datatype) -> bool {
    let mut at = 0;
    while at < T::DATATYPES.len() {
        if T::DATATYPES[at] as u32 == datatype as u32 {
            return true;
        }
        at += 1;
    }
    false
}

/// A type that a COUNTER may hold.
#[diagnostic::on_unimplemented(
    message = "a COUNTER pvar holds `u32` or `u64`, not `{Self}`",
    label = "not a type to count in"
)]
#[doc(hidden)]
pub trait CounterValue: AmountValue {}
impl CounterValue for u32 {}
impl CounterValue for u64 {}

/// A type for levels, sizes, watermarks, aggregates and timers, which are never negative.
#[diagnostic::on_unimplemented(
    message = "a pvar of this class holds `u32`, `u64` or `f64`, not `{Self}`",
    label = "not a type for amounts"
)]
#[doc(hidden)]
pub trait AmountValue: Value {
    /// `word + amount` in this type: integers wrap, as the standard lets sums overflow.
    #[doc(hidden)]
    #[inline]
    fn add(word: u64, amount: Self) -> u64 {
        word.wrapping_add(amount.to_word())
    }
    /// True if plain integer addition on the whole word is the same as [`AmountValue::add`].
    #[doc(hidden)]
    const INTEGER: bool = true;
    /// Returns the amount, or 0 if it is negative or not a number.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    fn at_least_zero(self) -> Self {
        self
    }
}

impl AmountValue for u32 {}
impl AmountValue for u64 {}

impl AmountValue for f64 {
    const INTEGER: bool = false;
    #[inline]
    fn add(word: u64, amount: Self) -> u64 {
        (f64::from_bits(word) + amount).to_bits()
    }
    #[inline]
    fn at_least_zero(self) -> Self {
        // `max` also turns NaN into 0, and the addition turns -0.0 into 0.0, so that the bits are ordered like the numbers.
        self.max(0.0) + 0.0
    }
}

/// A cell that can be read and reset in one atomic step.
#[diagnostic::on_unimplemented(
    message = "a pvar in `{Self}` cannot be read and reset in one atomic step",
    label = "no `atomic` here",
    note = "`atomic` needs a single sum: `Counter`, `Aggregate` or `Timer`"
)]
#[doc(hidden)]
pub trait AtomicReadReset: super::Cell {}

/// A type that a STATE may hold.
#[diagnostic::on_unimplemented(
    message = "a STATE pvar holds an enum that derives `MpitEnum`, not `{Self}`",
    label = "not an enumeration of states",
    note = "add `#[derive(Clone, Copy, MpitEnum)] #[repr(i32)]` to the enum"
)]
#[doc(hidden)]
pub trait EnumValue: crate::desc::MpitEnum {}
#[diagnostic::do_not_recommend]
impl<E: crate::desc::MpitEnum> EnumValue for E {}
