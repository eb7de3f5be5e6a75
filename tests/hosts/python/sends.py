"""Each of two processes prints its rank, and sends the other one four buffers of eight bytes, through mpi4py."""

from mpi4py import MPI

world = MPI.COMM_WORLD
other = 1 - world.rank
for _ in range(4):
    request = world.Irecv(bytearray(8), other)
    world.Send(b"8 bytes.", other)
    request.Wait()
print(f"rank {world.rank} of {world.size}")
