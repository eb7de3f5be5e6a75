! Every process sends its right neighbor in the ring of all processes a few messages. Which of MPI's three Fortran
! interfaces it uses is chosen when it is compiled: -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08.
!
! Sent to the right neighbor: 4 messages and 24 bytes by blocking sends, 2 and 24 by others, 3 and 36 by a persistent one.
program sends
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(MPIF_H)
  include 'mpif.h'
#endif
  integer :: error, me, ranks, right, left, turn
  integer :: outgoing(16), incoming(16)
#if defined(USE_MPI_F08)
  type(MPI_Request) :: request, persistent
  type(MPI_Status) :: status
#else
  integer :: request, persistent
  integer :: status(MPI_STATUS_SIZE)
#endif

  outgoing = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  right = mod(me + 1, ranks)
  left = mod(me + ranks - 1, ranks)

  do turn = 0, 3
    call MPI_Irecv(incoming, 16, MPI_INTEGER, left, 7, MPI_COMM_WORLD, request, error)
    call MPI_Send(outgoing, turn, MPI_INTEGER, right, 7, MPI_COMM_WORLD, error)
    call MPI_Wait(request, status, error)
  end do

  call MPI_Irecv(incoming, 16, MPI_INTEGER, left, 8, MPI_COMM_WORLD, request, error)
  call MPI_Isend(outgoing, 2, MPI_INTEGER, right, 8, MPI_COMM_WORLD, persistent, error)
  call MPI_Wait(persistent, status, error)
  call MPI_Wait(request, status, error)
  call MPI_Sendrecv(outgoing, 4, MPI_INTEGER, right, 9, incoming, 16, MPI_INTEGER, left, 9, MPI_COMM_WORLD, status, error)

  call MPI_Send_init(outgoing, 3, MPI_INTEGER, right, 10, MPI_COMM_WORLD, persistent, error)
  do turn = 1, 3
    call MPI_Irecv(incoming, 16, MPI_INTEGER, left, 10, MPI_COMM_WORLD, request, error)
    call MPI_Start(persistent, error)
    call MPI_Wait(persistent, status, error)
    call MPI_Wait(request, status, error)
  end do
  call MPI_Request_free(persistent, error)
  call MPI_Finalize(error)
end program sends
