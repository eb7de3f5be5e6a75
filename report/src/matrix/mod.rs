//! Files with the traffic between ranks: matrices and tables.

mod csv;
mod mat;
mod mtx;

pub use crate::sparse::{Cell, Matrix};
pub use csv::{
    write_comms as write_comms_csv, write_pairs as write_pairs_csv, write_sizes as write_sizes_csv,
};
pub use mat::{MAT_LIMIT, Selection, Value, write as write_mat, write_like_profile2mat};
pub use mtx::write as write_mtx;
