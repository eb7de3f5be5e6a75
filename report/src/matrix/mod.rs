//! Files with the traffic between ranks as matrices.

mod mat;
mod mtx;

pub use crate::sparse::{Cell, Matrix};
pub use mat::{MAT_LIMIT, Selection, Value, write as write_mat, write_like_profile2mat};
pub use mtx::write as write_mtx;
