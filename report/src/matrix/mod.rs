//! Files with the traffic between ranks as matrices.

mod mat;
mod mtx;

pub use mat::{MAT_LIMIT, Selection, Value, write as write_mat, write_like_profile2mat};
pub use mpit_placement::{Cell, Matrix};
pub use mtx::write as write_mtx;
