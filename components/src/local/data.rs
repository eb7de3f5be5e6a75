//! What messages are made of.

use bytemuck::Pod;

/// What can be sent and received: a plain value, an array of them, or a slice.
///
/// Plain values are the [`Pod`] types: the integers, the floating-point numbers, arrays of them, and structures
/// that derive `bytemuck::Pod`. They travel as the bytes they are, without gaps; all ranks run on one machine.
pub trait Data {
    /// The value as bytes.
    fn bytes(&self) -> &[u8];

    /// The value as bytes to be overwritten.
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
