//! Calls that create communicators, so that each is registered from its creation, and calls that name and
//! free them. Communicators created in other ways are registered at their first use.

use crate::interpose::calls;
use crate::recorders::communicators::{
    created, created_among, created_without_parent, creation_started, freeing, register, renamed,
};
use crate::recorders::in_advance;
use mpit_ffi::origins::Call;

calls! {
    after(Communicators) plain fn Comm_dup(comm: Comm, new: NewComm) => created(Call::Dup, comm, new);
    after(Communicators) plain fn Comm_dup_with_info(comm: Comm, info: Object, new: NewComm) => created(Call::Dup, comm, new);
    after(Communicators) plain fn Comm_idup(comm: Comm, new: NewComm, request: Request) => creation_started(Call::Idup, comm, new);
    after(Communicators) plain fn Comm_idup_with_info(
        comm: Comm, info: Object, new: NewComm, request: Request,
    ) => creation_started(Call::Idup, comm, new);
    after(Communicators) plain fn Comm_create(comm: Comm, group: Object, new: NewComm) => created(Call::Create, comm, new);
    after(Communicators) plain fn Comm_create_group(comm: Comm, group: Group, tag: Int, new: NewComm)
        => created_among(Call::CreateGroup, comm, tag, new);
    after(Communicators) plain fn Comm_split(comm: Comm, color: Int, key: Int, new: NewComm) => created(Call::Split, comm, new);
    after(Communicators) plain fn Comm_split_type(
        comm: Comm, kind: Int, key: Int, info: Object, new: NewComm,
    ) => created(Call::SplitType, comm, new);
    after(Communicators) plain fn Cart_create(
        comm: Comm, dimensions: Int, sizes: Pointer, periods: Pointer, reorder: Int, new: NewComm,
    ) => created(Call::Cart, comm, new);
    after(Communicators) plain fn Cart_sub(comm: Comm, remaining: Pointer, new: NewComm) => created(Call::CartSub, comm, new);
    after(Communicators) plain fn Graph_create(
        comm: Comm, nodes: Int, index: Pointer, edges: Pointer, reorder: Int, new: NewComm,
    ) => created(Call::Graph, comm, new);
    after(Communicators) plain fn Dist_graph_create(
        comm: Comm, n: Int, sources: Pointer, degrees: Pointer, destinations: Pointer, weights: Pointer, info: Object,
        reorder: Int, new: NewComm,
    ) => created(Call::DistGraph, comm, new);
    after(Communicators) plain fn Dist_graph_create_adjacent(
        comm: Comm, indegree: Int, sources: Pointer, source_weights: Pointer, outdegree: Int, destinations: Pointer,
        destination_weights: Pointer, info: Object, reorder: Int, new: NewComm,
    ) => created(Call::DistGraph, comm, new);
    after(Communicators) plain fn Intercomm_create(
        local_comm: Comm, local_leader: Int, peer_comm: Comm, remote_leader: Int, tag: Int, new: NewComm,
    ) => created_among(Call::Intercomm, local_comm, tag, new);
    after(Communicators) plain fn Intercomm_merge(comm: Comm, high: Int, new: NewComm) => created(Call::Merge, comm, new);
    after(Communicators) plain fn Comm_get_parent(parent: NewComm) => register(parent);
    after(Communicators) plain fn Comm_join(socket: Int, new: NewComm) => created_without_parent(new);

    freeing() plain fn Comm_free(comm: NewComm) => freeing(comm);
    freeing() plain fn Comm_disconnect(comm: NewComm) => freeing(comm);

    // From here on, errors may return after calls.
    before() plain fn Comm_set_errhandler(comm: Comm, errhandler: Object) => in_advance::forbid();

    before() plain fn Errhandler_set(comm: Comm, errhandler: Object) => in_advance::forbid();

    timed(Collectives) extension fn Comm_agree(comm: Comm, flag: Pointer);
    timed(Collectives) extension fn Comm_iagree(comm: Comm, flag: Pointer, request: Request);
    after(Communicators) extension fn Comm_shrink(comm: Comm, new: NewComm) => created(Call::Shrink, comm, new);

    // Only in C: in Fortran, the lengths of strings follow the other arguments, so the communicator is
    // registered at its first use.
    after(Communicators) c fn Comm_accept(port: Pointer, info: Object, root: Int, comm: Comm, new: NewComm) => created(Call::Accept, comm, new);
    after(Communicators) c fn Comm_connect(port: Pointer, info: Object, root: Int, comm: Comm, new: NewComm) => created(Call::Connect, comm, new);
    after(Communicators) c fn Comm_spawn(
        command: Pointer, arguments: Pointer, most: Int, info: Object, root: Int, comm: Comm, new: NewComm, codes: Pointer,
    ) => created(Call::Spawn, comm, new);
    after(Communicators) c fn Comm_spawn_multiple(
        count: Int, commands: Pointer, arguments: Pointer, most: Pointer, infos: Pointer, root: Int, comm: Comm, new: NewComm,
        codes: Pointer,
    ) => created(Call::Spawn, comm, new);
    after(Communicators) c fn Comm_create_from_group(
        group: Object, tag: Pointer, info: Object, errhandler: Object, new: NewComm,
    ) => created_without_parent(new);
    after(Communicators) c fn Intercomm_create_from_groups(
        local: Object, local_leader: Int, remote: Object, remote_leader: Int, tag: Pointer, info: Object,
        errhandler: Object, new: NewComm,
    ) => created_without_parent(new);
    after(Communicators) c fn Comm_set_name(comm: Comm, name: Pointer) => renamed(comm);
}
