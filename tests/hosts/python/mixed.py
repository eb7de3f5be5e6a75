"""The calls of c/mixed.c, through mpi4py, which uses the forms with large counts if a library has them."""

import sys
from array import array

from mpi4py import MPI

PROCESSES = 4


def ints(n):
    return array("i", [0] * n)


world = MPI.COMM_WORLD
rank = world.rank
right, left = (rank + 1) % PROCESSES, (rank + PROCESSES - 1) % PROCESSES

for _ in range(4):
    request = world.Irecv(ints(3), left, 7)
    world.Send(ints(3), right, 7)
    request.Wait()

world.Bcast(ints(4), 1)
world.Allreduce(MPI.IN_PLACE, ints(2))
world.Reduce(MPI.IN_PLACE if rank == 0 else ints(5), ints(5) if rank == 0 else None, root=0)
world.Allgather(MPI.IN_PLACE, [ints(16), 3, MPI.INT])
counts, displs = [1, 2, 3, 4], [0, 1, 3, 6]
mine, mine_displs = [rank + 1] * PROCESSES, [i * (rank + 1) for i in range(PROCESSES)]
world.Alltoallv([ints(16), counts, displs, MPI.INT], [ints(16), mine, mine_displs, MPI.INT])
world.Ibarrier().Wait()

half = world.Split(rank % 2, 0)
half.Gather(ints(6), ints(16)[: 6 * half.size] if half.rank == 0 else None, 0)
half.Barrier()
half.Free()

memory = ints(16)
win = MPI.Win.Create(memory, memory.itemsize, comm=world)
win.Fence()
win.Put(ints(5), right)
win.Fence()
win.Get(ints(7), left)
win.Fence()
win.Free()
# A print() would write the end of the line by itself if output is not buffered, maybe behind a line of another process.
sys.stdout.write(f"rank {rank} of {world.size}\n")
