/* An MPI library of one process that claims a size of STUB_RANKS, and counts the calls for ranks. Communicators and groups have
 * ranks of the world in steps; the cost of a translation is the number of translated ranks. */
#include "mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stub_ranks.h"

struct group {
    int size, first, step, references;
    int *listed;
};

struct comm {
    struct group *group;
    void *value;
};

static struct group of_world = {STUB_RANKS, 0, 1, 1, NULL}, of_self = {1, 0, 1, 1, NULL};
static struct comm world = {&of_world, NULL}, self = {&of_self, NULL};
static int is_up, is_over;
static MPI_Comm_delete_attr_function *on_delete;
static struct stub_counts counts;

struct stub_counts stub_take_counts(void)
{
    struct stub_counts so_far = counts;
    memset(&counts, 0, sizeof counts);
    return so_far;
}

static struct comm *comm_of(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD ? &world : comm == MPI_COMM_SELF ? &self : (struct comm *)comm;
}

static MPI_Comm make(struct group *group)
{
    struct comm *comm = calloc(1, sizeof *comm);
    comm->group = group;
    group->references++;
    return (MPI_Comm)comm;
}

static struct group *group_of(int size, int first, int step)
{
    struct group *group = calloc(1, sizeof *group);
    *group = (struct group){size, first, step, 0, NULL};
    return group;
}

static int in_world(const struct group *group, int rank)
{
    return group->listed ? group->listed[rank] : group->first + rank * group->step;
}

static int in_group(const struct group *group, int rank)
{
    if (group->listed) {
        for (int at = 0; at < group->size; at++)
            if (group->listed[at] == rank)
                return at;
        return -1;
    }
    int at = (rank - group->first) / group->step;
    return at >= 0 && at < group->size && in_world(group, at) == rank ? at : -1;
}

#define BOTH(name, parameters, ...)                                              \
    int PMPI_##name parameters;                                                  \
    int MPI_##name parameters;                                                   \
    int PMPI_##name parameters                                                   \
    {                                                                            \
        counts.calls++;                                                           \
        __VA_ARGS__ return MPI_SUCCESS;                                          \
    }                                                                            \
    int MPI_##name parameters __attribute__((weak, alias("PMPI_" #name)));

BOTH(Abi_get_version, (int *major, int *minor), {
    *major = STUB_VERSION;
    *minor = STUB_VERSION < 0 ? STUB_VERSION : 0;
})
BOTH(Init, (int *argc, char ***argv), { is_up = 1; })
BOTH(Finalize, (void), {
    if (on_delete)
        on_delete(MPI_COMM_SELF, 5, 0, 0);
    is_over = 1;
})
BOTH(Initialized, (int *flag), { *flag = is_up; })
BOTH(Finalized, (int *flag), { *flag = is_over; })
BOTH(Get_library_version, (char *version, int *len), {
    strcpy(version, "Stub MPI of many ranks");
    *len = (int)strlen(version);
})
BOTH(Query_thread, (int *provided), { *provided = MPI_THREAD_SINGLE; })
BOTH(Comm_rank, (MPI_Comm comm, int *rank), { *rank = 0; })
BOTH(Comm_size, (MPI_Comm comm, int *size), { *size = comm_of(comm)->group->size; })
BOTH(Comm_test_inter, (MPI_Comm comm, int *flag), { *flag = 0; })
BOTH(Comm_get_name, (MPI_Comm comm, char *name, int *len), {
    strcpy(name, comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "");
    *len = (int)strlen(name);
})
BOTH(Comm_group, (MPI_Comm comm, MPI_Group *group), {
    struct group *of = comm_of(comm)->group;
    of->references++;
    *group = (MPI_Group)of;
})
BOTH(Group_size, (MPI_Group group, int *size), { *size = ((struct group *)group)->size; })
BOTH(Group_free, (MPI_Group *group), {
    struct group *of = (struct group *)*group;
    if (!--of->references) {
        free(of->listed);
        free(of);
    }
})
BOTH(Group_incl, (MPI_Group group, int n, const int *ranks, MPI_Group *made), {
    struct group *some = group_of(n, 0, 1);
    some->references = 1;
    some->listed = malloc(n * sizeof(int));
    for (int at = 0; at < n; at++)
        some->listed[at] = in_world((struct group *)group, ranks[at]);
    *made = (MPI_Group)some;
})
BOTH(Group_translate_ranks, (MPI_Group group, int n, const int *ranks, MPI_Group other, int *translated), {
    counts.ranks += n;
    for (int at = 0; at < n; at++)
        translated[at] = in_group((struct group *)other, in_world((struct group *)group, ranks[at]));
})
BOTH(Comm_dup, (MPI_Comm comm, MPI_Comm *made), { *made = make(comm_of(comm)->group); })
/* Every process with the same rank modulo 2. */
BOTH(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), {
    struct group *of = comm_of(comm)->group;
    *made = make(group_of(of->size / 2, in_world(of, 0) + color * of->step, 2 * of->step));
})
BOTH(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), { *made = make((struct group *)group); })
BOTH(Comm_free, (MPI_Comm *comm), {
    struct comm *of = comm_of(*comm);
    if (of->value && on_delete)
        on_delete(*comm, 5, of->value, 0);
    of->group->references--;
    free(of);
    *comm = 0;
})
BOTH(Comm_create_keyval, (MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *del, int *keyval, void *extra), {
    on_delete = del;
    *keyval = 5;
})
BOTH(Comm_set_attr, (MPI_Comm comm, int keyval, void *value), { comm_of(comm)->value = value; })
BOTH(Comm_get_attr, (MPI_Comm comm, int keyval, void *value, int *flag), {
    memcpy(value, &comm_of(comm)->value, sizeof(void *));
    *flag = comm_of(comm)->value != NULL;
})
BOTH(Type_size, (MPI_Datatype datatype, int *size), { *size = 4; })
BOTH(Send, (const void *data, int count, MPI_Datatype datatype, int to, int tag, MPI_Comm comm), {})
BOTH(Allreduce, (const void *data, void *result, int count, MPI_Datatype datatype, void *operation, MPI_Comm comm), {})
