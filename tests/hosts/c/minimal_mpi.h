/* Functions of minimal_mpi.c for its tests. */
#ifndef MINIMAL_MPI_H
#define MINIMAL_MPI_H

/* The payload of `minimal_step`. */
struct step {
    int number;
    unsigned long long total;
    double share;
};

/* Raises `minimal_step` with a safety level (enum mpit_safety): the n-th instance has the number n, the total 10 n
 * and the share 0.5. */
void minimal_step(int safety);

/* Raises `minimal_bound`, which is bound to a datatype. */
void minimal_use(unsigned long long datatype);

/* Registers the event type `minimal_late`, and its source. */
int minimal_grow(void);

/* Raises it, if there is a listener. */
void minimal_late(void);

#endif
