//! Calls that free objects to which tools may have bound control variables, and of which nothing else is recorded.

use mpit::object::Bind;
use mpit_ffi::bound_values::freeing;

use crate::interpose::calls;

calls! {
    freeing() plain fn Errhandler_free(errhandler: Freed) => freeing(Bind::Errhandler, errhandler.get(Bind::Errhandler));
    freeing() plain fn Group_free(group: Freed) => freeing(Bind::Group, group.get(Bind::Group));
    freeing() plain fn Info_free(info: Freed) => freeing(Bind::Info, info.get(Bind::Info));
    freeing() plain fn Op_free(op: Freed) => freeing(Bind::Op, op.get(Bind::Op));
}
