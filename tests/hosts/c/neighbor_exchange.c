/* `neighbor_exchange PATTERN BYTES STEPS`: exchanges that wait for the network, with a numbering of ranks that puts partners on
 * different nodes. Rank 0 prints the seconds of all steps. For 8 ranks:
 *
 *   grid    2D stencil on 4 x 2 ranks with shuffled numbers; faces of unequal size
 *   cube    3D stencil on 2 x 2 x 2 ranks with shuffled numbers; faces of unequal size
 *   pairs   pairs of ranks that are far apart, and a quarter of the bytes around a ring of all
 *   ring    a ring of ranks with shuffled numbers, in both directions
 *   tree    a binomial tree with shuffled numbers, each rank with its parent and its children
 *   groups  a transposition in groups of 4 ranks: each exchanges with the three others, by MPI_Alltoall
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 8, TAG = 7, MOST = 2 * RANKS };

/* The place of each rank in the pattern. */
static const int PLACES[RANKS] = {0, 5, 3, 6, 7, 2, 4, 1};

static MPI_Request requests[MOST];
static int pending;
static char *out, *in;

/* Starts a message to a rank and one from it, each with its own part of the buffers. */
static void exchange(int peer, int bytes, int most)
{
    const size_t at = (size_t)(pending / 2) * (size_t)most;
    MPI_Irecv(in + at, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[pending++]);
    MPI_Isend(out + at, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[pending++]);
}

static int rank_at(int place)
{
    for (int rank = 0; rank < RANKS; rank++)
        if (PLACES[rank] == place)
            return rank;
    return MPI_PROC_NULL;
}

/* Exchanges with the neighbors in a grid. `bytes` has the size of the faces in each dimension. */
static void stencil(int place, int dimensions, const int *sides, const int *bytes, int most)
{
    for (int dimension = 0, stride = 1; dimension < dimensions; stride *= sides[dimension++]) {
        const int at = place / stride % sides[dimension];
        if (at > 0)
            exchange(rank_at(place - stride), bytes[dimension], most);
        if (at + 1 < sides[dimension])
            exchange(rank_at(place + stride), bytes[dimension], most);
    }
}

static void step(const char *pattern, int rank, int bytes, MPI_Comm group)
{
    const int place = PLACES[rank];
    pending = 0;
    if (!strcmp(pattern, "grid")) {
        stencil(place, 2, (int[]){4, 2}, (int[]){bytes, bytes / 4 * 3}, bytes);
    } else if (!strcmp(pattern, "cube")) {
        stencil(place, 3, (int[]){2, 2, 2}, (int[]){bytes / 4, bytes, bytes / 2}, bytes);
    } else if (!strcmp(pattern, "pairs")) {
        exchange((rank + RANKS / 2) % RANKS, bytes, bytes);
        exchange((rank + 1) % RANKS, bytes / 4, bytes);
        exchange((rank + RANKS - 1) % RANKS, bytes / 4, bytes);
    } else if (!strcmp(pattern, "ring")) {
        exchange(rank_at((place + 1) % RANKS), bytes, bytes);
        exchange(rank_at((place + RANKS - 1) % RANKS), bytes, bytes);
    } else if (!strcmp(pattern, "tree")) {
        for (int bit = 1; bit < RANKS; bit *= 2) {
            if (bit > place)
                exchange(rank_at(place + bit), bytes, bytes);
            else if (bit > place / 2)
                exchange(rank_at(place - bit), bytes, bytes);
        }
    } else if (!strcmp(pattern, "groups")) {
        MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, group);
    } else {
        fprintf(stderr, "no such pattern: %s\n", pattern);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 4 || size != RANKS) {
        fprintf(stderr, "neighbor_exchange PATTERN BYTES STEPS, with %d ranks\n", RANKS);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    const int bytes = atoi(argv[2]), steps = atoi(argv[3]);
    out = calloc(RANKS, (size_t)bytes);
    in = calloc(RANKS, (size_t)bytes);
    MPI_Comm group;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &group);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int number = 0; number < steps; number++)
        step(argv[1], rank, bytes, group);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("seconds %.4f\n", MPI_Wtime() - begin);
    MPI_Comm_free(&group);
    free(out);
    free(in);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
