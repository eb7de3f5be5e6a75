"""`jacobi.py STEPS`: Jacobi's iteration for Laplace's equation in a long box, on a grid of 4 x 2 processes that are numbered as Fortran
stores arrays: those next to each other in the first dimension have consecutive ranks. Rank 0 prints the seconds of all steps."""

import sys

import numpy as np
from mpi4py import MPI

PROCESSES = (4, 2)
# The points of a process. Its faces in the second dimension have four times as many as those in the first one.
POINTS = (64, 16, 128)

world = MPI.COMM_WORLD
if world.size != PROCESSES[0] * PROCESSES[1]:
    sys.exit(f"jacobi.py needs {PROCESSES[0] * PROCESSES[1]} processes")
place = np.array(np.unravel_index(world.rank, PROCESSES, order="F"))


def neighbor(axis, step):
    at = place.copy()
    at[axis] += step
    if not 0 <= at[axis] < PROCESSES[axis]:
        return MPI.PROC_NULL
    return int(np.ravel_multi_index(at, PROCESSES, order="F"))


def exchange(field):
    for axis in range(2):
        layers = np.moveaxis(field, axis, 0)
        sides = [(neighbor(axis, -1), 0, 1), (neighbor(axis, 1), -1, -2)]
        requests, halos = [], []
        for peer, halo, inner in sides:
            halos.append((halo, layers[halo].copy()))
            requests.append(world.Irecv(halos[-1][1], peer))
            requests.append(world.Isend(layers[inner].copy(), peer))
        MPI.Request.Waitall(requests)
        for halo, values in halos:
            layers[halo] = values


field = np.zeros([points + 2 for points in POINTS])
if place[0] == 0:
    field[0] = 1.0
following = field.copy()
inner = slice(1, -1)

world.Barrier()
begin = MPI.Wtime()
for _ in range(int(sys.argv[1])):
    exchange(field)
    following[inner, inner, inner] = (
        field[:-2, inner, inner] + field[2:, inner, inner]
        + field[inner, :-2, inner] + field[inner, 2:, inner]
        + field[inner, inner, :-2] + field[inner, inner, 2:]
    ) / 6
    field, following = following, field
world.Barrier()
if world.rank == 0:
    print(f"seconds {MPI.Wtime() - begin:.4f}", flush=True)
