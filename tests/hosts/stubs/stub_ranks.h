/* The library in stub_ranks.c, and its counts of calls. */
#ifndef STUB_RANKS_H
#define STUB_RANKS_H

#define STUB_RANKS 100000

struct stub_counts {
    /* Calls, those of the program included. */
    long calls;
    /* Ranks to be translated. */
    long ranks;
};

/* Returns the counts since the last call. */
struct stub_counts stub_take_counts(void);

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made);
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Group_incl(MPI_Group group, int n, const int *ranks, MPI_Group *made);
int MPI_Allreduce(const void *data, void *result, int count, MPI_Datatype datatype, void *operation, MPI_Comm comm);

#endif
