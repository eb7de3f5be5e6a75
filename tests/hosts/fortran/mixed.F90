! The calls of c/mixed.c, by one of MPI's three Fortran interfaces: -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08.
program mixed
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(MPIF_H)
  include 'mpif.h'
#endif
  integer, parameter :: processes = 4
  integer :: error, me, right, left, i
  integer :: outgoing(16), incoming(16)
  integer, asynchronous :: memory(16)
  integer :: counts(processes) = [1, 2, 3, 4], displs(processes) = [0, 1, 3, 6]
  integer :: mine(processes), mine_displs(processes)
  integer(kind=MPI_ADDRESS_KIND) :: start = 0
#if defined(USE_MPI_F08)
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: half
  type(MPI_Win) :: win
#else
  integer :: requests(2), half, win
#endif

  outgoing = 0
  memory = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  right = mod(me + 1, processes)
  left = mod(me + processes - 1, processes)
  mine = me + 1
  mine_displs = [(i * (me + 1), i = 0, processes - 1)]

  do i = 1, 4
    call MPI_Irecv(incoming, 3, MPI_INTEGER, left, 7, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(outgoing, 3, MPI_INTEGER, right, 7, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  end do

  call MPI_Bcast(outgoing, 4, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
  call MPI_Allreduce(MPI_IN_PLACE, outgoing, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (me == 0) then
    call MPI_Reduce(MPI_IN_PLACE, outgoing, 5, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  else
    call MPI_Reduce(outgoing, incoming, 5, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  end if
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, incoming, 3, MPI_INTEGER, MPI_COMM_WORLD, error)
  call MPI_Alltoallv(outgoing, counts, displs, MPI_INTEGER, incoming, mine, mine_displs, MPI_INTEGER, MPI_COMM_WORLD, error)
  call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), error)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)

  call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), 0, half, error)
  call MPI_Gather(outgoing, 6, MPI_INTEGER, incoming, 6, MPI_INTEGER, 0, half, error)
  call MPI_Barrier(half, error)
  call MPI_Comm_free(half, error)

  call MPI_Win_create(memory, int(16 * 4, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, error)
  call MPI_Win_fence(0, win, error)
  call MPI_Put(outgoing, 5, MPI_INTEGER, right, start, 5, MPI_INTEGER, win, error)
  call MPI_Win_fence(0, win, error)
  call MPI_Get(incoming, 7, MPI_INTEGER, left, start, 7, MPI_INTEGER, win, error)
  call MPI_Win_fence(0, win, error)
  call MPI_Win_free(win, error)
  call MPI_Finalize(error)
end program mixed
