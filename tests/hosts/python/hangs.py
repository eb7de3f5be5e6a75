"""Programs that hang, for `mpit why`: `hangs.py KIND`, with 4 processes, with the kinds of c/hangs.c but other_count, which hangs on no
library with mpi4py. Each kind has one mistake, in the function of its name."""

import os
import signal
import sys
from array import array

import mpi4py

LARGE = 1 << 20
LIMIT_SECONDS = 100


def pause_always():
    while True:
        signal.pause()


# Ends the program if the test does not.
signal.alarm(LIMIT_SECONDS)
kind = sys.argv[1]
is_second = os.environ.get("PMIX_RANK", os.environ.get("PMI_RANK")) == "2"
if kind == "late_init" and is_second:
    # `mpit why` finds processes that have loaded the library.
    mpi4py.rc.initialize = False
# The launcher would end the job, so it sees the parent of rank 2.
if kind == "gone" and is_second and os.fork() > 0:
    os.wait()
    pause_always()
# A child does not inherit the alarm of its parent.
signal.alarm(LIMIT_SECONDS)

from mpi4py import MPI

if not MPI.Is_initialized():
    pause_always()

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank + size - 1) % size
number = array("i", [0])
sums = array("i", [0])


def ints(n):
    return array("i", [0]) * n


def allreduce():
    world.Allreduce(number, sums)


def receive(source, tag):
    world.Recv(sums, source, tag)


def skipped_allreduce():
    if rank == 1:
        receive(0, 99)
    allreduce()


def early_finalize():
    """Rank 2 leaves the loop one round before the others."""
    for _ in range(27 if rank == 2 else 28):
        allreduce()


def computing():
    while rank == 2:
        pass
    world.Barrier()


def sleeping():
    if rank == 2:
        pause_always()
    world.Barrier()


def stopped():
    if rank == 2:
        signal.raise_signal(signal.SIGSTOP)
    world.Barrier()


def gone():
    if rank == 2:
        signal.raise_signal(signal.SIGKILL)
    world.Barrier()


def other_collective():
    if rank == 3:
        world.Alltoall(ints(size), ints(size))
    else:
        allreduce()


def other_root():
    world.Bcast(ints(LARGE), 3 if rank == 3 else 0)
    world.Barrier()


def wrong_tag():
    if rank == 0:
        receive(1, 5)
    if rank == 1:
        world.Send(number, 0, 6)
    world.Barrier()


def wrong_communicator():
    dup = world.Dup()
    dup.Set_name("halo")
    if rank == 0:
        receive(1, 7)
    if rank == 1:
        dup.Send(number, 0, 7)
    world.Barrier()


def send_cycle():
    many = ints(LARGE)
    world.Send(many, right, 2)
    world.Recv(many, left, 2)


def send_pair():
    """Ranks 1 and 2 send to each other; the others are in the next barrier."""
    if rank in (1, 2):
        world.Ssend(number, 3 - rank, 4)
        receive(3 - rank, 4)
    world.Barrier()


def unreceived_send():
    if rank == 0:
        world.Ssend(number, 3, 8)
    world.Barrier()


def receive_cycle():
    receive(right, 3)
    world.Send(number, left, 3)


def receive_from_any():
    if rank == 1:
        receive(MPI.ANY_SOURCE, 12)
    world.Barrier()


def probing():
    if rank == 2:
        world.Probe(0, 13)
    world.Barrier()


def waiting_for_one():
    """Rank 0 waits for messages from 1 and 2; that from 2 is missing."""
    if rank == 0:
        MPI.Request.Waitall([world.Irecv(sums, 1, 14), world.Irecv(ints(1), 2, 14)])
    elif rank == 1:
        world.Send(number, 0, 14)
    world.Barrier()


def exchange_of_other_tags():
    if rank < 2:
        world.Sendrecv(number, 1 - rank, 15, sums, 1 - rank, 16 if rank == 0 else 15)
    world.Barrier()


def skipped_nonblocking():
    if rank == 3:
        receive(2, 17)
    world.Ibarrier().Wait()


def window():
    return MPI.Win.Allocate(4, 4, comm=world)


def lock_of_others(win):
    """After a barrier, all ranks but 0 lock the window of rank 1."""
    world.Barrier()
    if rank != 0:
        win.Lock(1, MPI.LOCK_EXCLUSIVE)
        win.Put(number, 1)
        win.Unlock(1)
    world.Barrier()


def kept_lock():
    """Rank 0 has locked the window of rank 1 and goes to a barrier."""
    win = window()
    if rank == 0:
        win.Lock(1, MPI.LOCK_EXCLUSIVE)
        win.Put(number, 1)
        win.Flush(1)
    lock_of_others(win)


def kept_lock_all():
    """Rank 0 has locked the windows of all, and goes to a barrier."""
    win = window()
    if rank == 0:
        win.Lock_all()
        win.Put(number, 1)
        win.Flush_all()
    lock_of_others(win)


def skipped_fence():
    win = window()
    if rank == 3:
        receive(0, 18)
    win.Fence()


def unfinished_access():
    """Rank 0 exposes its window to rank 1, which begins the accesses and does not complete them."""
    win = window()
    if rank == 0:
        win.Post(world.group.Incl([1]))
        win.Wait()
    elif rank == 1:
        win.Start(world.group.Incl([0]))
    world.Barrier()


def skipped_dup():
    if rank == 2:
        receive(1, 19)
    world.Dup()


def communicator_order():
    """Rank 0 and rank 1 use the communicators in different orders."""
    first, second = world.Dup(), world.Dup()
    first.Set_name("first")
    second.Set_name("second")
    for comm in (second, first) if rank == 0 else (first, second):
        comm.Barrier()


def skipped_in_half():
    """In the half of the odd ranks, rank 3 does not take part in the reduction."""
    half = world.Split(rank % 2, rank)
    half.Set_name("odd" if rank % 2 else "even")
    if rank == 3:
        receive(1, 20)
    half.Allreduce(number, sums)
    world.Barrier()


def skipped_open():
    if rank == 1:
        receive(3, 21)
    MPI.File.Open(world, "hangs.data", MPI.MODE_CREATE | MPI.MODE_RDWR)


for _ in range(3):
    allreduce()
world.Sendrecv(number, right, 1, sums, left, 1)
run = globals().get(kind)
if run:
    run()
elif kind != "late_init":
    print(f"unknown kind {kind}", file=sys.stderr)
    world.Abort(1)
