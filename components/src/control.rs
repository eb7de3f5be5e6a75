//! What a program says to those who watch it.

/// The program called `MPI_Pcontrol`: 0 turns recording off, 1 on, 2 writes what is recorded. Other levels do nothing.
pub fn pcontrol(_level: i32) {}
