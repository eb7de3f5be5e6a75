//! Calls that create, commit and free datatypes.

use crate::interpose::calls;
use crate::recorders::datatypes::{committed, duplicated, freeing};

calls! {
    always() plain fn Type_commit(datatype: NewType) => committed(datatype);
    always() plain fn Type_dup(old: Type, new: NewType) => duplicated(old, new);
    freeing() plain fn Type_free(datatype: NewType) => freeing(datatype);
}
