"""Programs that hang, for `mpit why`: `hangs.py KIND`, with 4 processes, as c/hangs.c."""

import signal
import sys
from array import array

from mpi4py import MPI

LARGE = 1 << 20

# Ends the program if the test does not.
signal.alarm(100)
kind = sys.argv[1]
world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank + size - 1) % size
number = array("i", [0])
sums = array("i", [0])
for _ in range(3):
    world.Allreduce(number, sums)

if kind == "skipped_allreduce":
    if rank == 1:
        world.Recv(sums, 0, 99)
    world.Allreduce(number, sums)
elif kind == "send_cycle":
    many = array("i", [0]) * LARGE
    world.Send(many, right, 2)
    world.Recv(many, left, 2)
elif kind == "waiting_for_one":
    if rank == 0:
        world.Irecv(sums, 2, 14).Wait()
    world.Barrier()
elif kind == "other_collective":
    if rank == 3:
        world.Alltoall(array("i", [0] * size), array("i", [0] * size))
    else:
        world.Allreduce(number, sums)
else:
    sys.exit(f"unknown kind {kind}")
