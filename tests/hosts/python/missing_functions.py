"""Calls functions that a library may lack, and prints the result of each call."""

from mpi4py import MPI

CALLS = {
    "attach": lambda: MPI.COMM_SELF.Attach_buffer(bytearray(4096)),
    "flush": lambda: MPI.COMM_SELF.Flush_buffer(),
    "detach": lambda: MPI.COMM_SELF.Detach_buffer(),
    "flush all": lambda: MPI.Flush_buffer(),
    "agree": lambda: MPI.COMM_SELF.Agree(1),
    "statuses": lambda: MPI.Request.Get_status_all([]),
}

for name, call in CALLS.items():
    try:
        call()
        print(name, "works")
    except Exception as error:
        print(name, type(error).__name__)
