//! Types of data that messages consist of.

use bytemuck::Pod;

/// A value that can be sent and received: a plain value, an array, or a slice.
///
/// Plain values are the [`Pod`] types: the integers, the floating-point numbers, arrays of them, and structures that derive
/// `bytemuck::Pod`. They are transferred as their bytes in memory, because all ranks run on one machine.
pub trait Data {
    /// Returns the value as bytes.
    fn bytes(&self) -> &[u8];

    /// Returns the value as bytes that can be overwritten.
    fn bytes_mut(&mut self) -> &mut [u8];
}

impl<T: Pod> Data for T {
    fn bytes(&self) -> &[u8] {
        bytemuck::bytes_of(self)
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::bytes_of_mut(self)
    }
}

impl<T: Pod> Data for [T] {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(self)
    }
}
