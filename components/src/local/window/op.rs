//! What accumulating does to an element, and the types of elements.

use bytemuck::Pod;

/// How an accumulating access combines what is there with what is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Op {
    /// The sum. That of integers wraps around.
    Sum,
    /// The product. That of integers wraps around.
    Product,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// The bits that both have; integers only.
    BitAnd,
    /// The bits that either has; integers only.
    BitOr,
    /// The bits that one of them has; integers only.
    BitXor,
    /// What is given.
    Replace,
    /// What is there: nothing changes.
    NoOp,
}

impl Op {
    const ALL: [Self; 9] = [
        Self::Sum,
        Self::Product,
        Self::Min,
        Self::Max,
        Self::BitAnd,
        Self::BitOr,
        Self::BitXor,
        Self::Replace,
        Self::NoOp,
    ];

    /// The operation with a number, as it travels.
    pub(in super::super) fn numbered(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// What windows are made of: the integers and floating-point numbers.
pub trait Number: Pod + Send + Sync + sealed::Sealed {
    /// What becomes of an element; `None` if the type does not have the operation.
    #[doc(hidden)]
    fn combined(self, given: Self, op: Op) -> Option<Self>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl Number for $type {
            fn combined(self, given: Self, op: Op) -> Option<Self> {
                Some(match op {
                    Op::Sum => self.wrapping_add(given),
                    Op::Product => self.wrapping_mul(given),
                    Op::Min => self.min(given),
                    Op::Max => self.max(given),
                    Op::BitAnd => self & given,
                    Op::BitOr => self | given,
                    Op::BitXor => self ^ given,
                    Op::Replace => given,
                    Op::NoOp => self,
                })
            }
        }
    )*};
}

macro_rules! floats {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl Number for $type {
            fn combined(self, given: Self, op: Op) -> Option<Self> {
                match op {
                    Op::Sum => Some(self + given),
                    Op::Product => Some(self * given),
                    Op::Min => Some(self.min(given)),
                    Op::Max => Some(self.max(given)),
                    Op::BitAnd | Op::BitOr | Op::BitXor => None,
                    Op::Replace => Some(given),
                    Op::NoOp => Some(self),
                }
            }
        }
    )*};
}

integers!(i8 u8 i16 u16 i32 u32 i64 u64 isize usize);
floats!(f32 f64);

#[cfg(test)]
mod tests {
    use super::{Number, Op};

    #[test]
    fn operations_survive_the_wire() {
        for op in Op::ALL {
            assert_eq!(Op::numbered(op as u8), Some(op));
        }
        assert_eq!(Op::numbered(9), None);
    }

    #[test]
    fn elements_are_combined() {
        let all = |a: u8, b: u8| Op::ALL.map(|op| a.combined(b, op).unwrap());
        assert_eq!(all(0b1100, 0b1010), [22, 120, 0b1010, 0b1100, 0b1000, 0b1110, 0b0110, 0b1010, 0b1100]);
        assert_eq!(250_u8.combined(10, Op::Sum), Some(4));
        assert_eq!(1.5_f64.combined(2.0, Op::Product), Some(3.0));
        assert_eq!(1.5_f32.combined(2.0, Op::BitOr), None);
    }
}
