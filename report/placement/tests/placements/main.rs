//! Tests of placements by the public functions.

mod order;
mod properties;
