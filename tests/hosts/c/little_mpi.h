/* Functions of little_mpi.c for its tests. */
#ifndef LITTLE_MPI_H
#define LITTLE_MPI_H

/* The payload of `little_step`. */
struct step {
    int number;
    unsigned long long total;
    double share;
};

/* Raises `little_step` where callbacks must be fit for `safety` (enum mpit_safety): the n-th has the number n, the total 10 n
 * and the share 0.5. */
void little_step(int safety);

/* Raises `little_bound`, which concerns a datatype. */
void little_use(unsigned long long datatype);

/* Registers the event type `little_late`, and its source. */
int little_grow(void);

/* Raises it, if there is a listener. */
void little_late(void);

#endif
