//! Calls that free objects to which tools may have bound control variables, and of which nothing else is recorded.

use mpit::object::Bind;

use crate::interpose::calls;
use crate::recorders::objects::freeing;

calls! {
    freeing() plain fn Errhandler_free(errhandler: Freed) => freeing(Bind::Errhandler, errhandler);
    freeing() plain fn Group_free(group: Freed) => freeing(Bind::Group, group);
    freeing() plain fn Info_free(info: Freed) => freeing(Bind::Info, info);
    freeing() plain fn Op_free(op: Freed) => freeing(Bind::Op, op);
}
