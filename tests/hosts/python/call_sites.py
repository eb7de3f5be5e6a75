"""Calls of MPI from one extension module, in a region of the program. Comments name the lines: `site: NAME`."""

import threading
from array import array

import mpit
from mpi4py import MPI

world = MPI.COMM_WORLD


class Exchange:
    def größte(self, count):
        for _ in range(count):
            if world.rank == 0:
                world.Send(array("i", [1, 2, 3]), 1, 5)  # site: send
                world.Send(array("i", [1]), 1, 6)  # site: other send
            elif world.rank == 1:
                world.Recv(array("i", [0, 0, 0]), 0, 5)  # site: receive
                world.Recv(array("i", [0]), 0, 6)  # site: other receive


with mpit.region("exchange"):
    Exchange().größte(6)
for _ in range(3):
    world.Barrier()  # site: barrier
exec("world.Barrier()")
# Code that is in the same memory one after the other.
for name in ("first", "second"):
    exec(compile("\nworld.Barrier()", name, "exec"))
thread = threading.Thread(target=MPI.COMM_SELF.Barrier)
thread.start()
thread.join()
