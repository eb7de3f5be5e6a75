/* The token ring that ring.c and ring_tool.c run.
 *
 * Rank 0 sends a token to its right neighbor; every other rank forwards each token from its left neighbor. Rank 0
 * decrements the token once per lap, and finally sends -1 to its neighbor. With `laps` = 25, rank 0 thus sends 27 messages of
 * one int (25 .. -1), and all others send 26 (25 .. 0). Every message is received, every request completed. */
#ifndef RING_H
#define RING_H

#include <mpi.h>

enum { RING_TAG = 201 };

static void ring_send(int token, int to)
{
    MPI_Request request;
    MPI_Isend(&token, 1, MPI_INT, to, RING_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int ring_receive(int from)
{
    int token;
    MPI_Request request;
    MPI_Irecv(&token, 1, MPI_INT, from, RING_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return token;
}

/* Runs the ring on MPI_COMM_WORLD (two processes at least); returns how many messages this process sent. */
static int ring_run(int laps)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int right = (rank + 1) % size;
    const int left = (rank + size - 1) % size;
    int sent = 0;

    for (int lap = laps; lap >= 0; lap--) {
        if (rank == 0) {
            ring_send(lap, right);
            ring_receive(left);
        } else {
            ring_send(ring_receive(left), right);
        }
        sent++;
    }
    if (rank == 0) {
        ring_send(-1, right);
        sent++;
    } else if (rank == 1) {
        ring_receive(left);
    }
    return sent;
}

#endif
