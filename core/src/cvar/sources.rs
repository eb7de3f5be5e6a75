//! Where settings come from.
