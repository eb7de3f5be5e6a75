/* A token ring: `ring [laps]`, 25 laps by default. Prints nothing.
 *
 * Rank 0 sends a token to its right neighbor; every other rank forwards each token from its left neighbor. Rank 0
 * decrements the token once per lap, and finally sends -1 to its neighbor. With 25 laps, rank 0 thus sends 27 messages of
 * one int (25 .. -1), and all others send 26 (25 .. 0). Every message is received, every request completed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG = 201 };

static void send_token(int token, int to)
{
    MPI_Request request;
    MPI_Isend(&token, 1, MPI_INT, to, TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int receive_token(int from)
{
    int token;
    MPI_Request request;
    MPI_Irecv(&token, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return token;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        fprintf(stderr, "ring: needs two processes at least\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int lap = argc > 1 ? atoi(argv[1]) : 25; lap >= 0; lap--) {
        if (rank == 0) {
            send_token(lap, right);
            receive_token(left);
        } else {
            send_token(receive_token(left), right);
        }
    }
    if (rank == 0)
        send_token(-1, right);
    else if (rank == 1)
        receive_token(left);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
