! Rank 1 is in calls that wait for rank 0, as in c/current_call.c, by one of MPI's three Fortran interfaces: -DMPIF_H, -DUSE_MPI or
! -DUSE_MPI_F08.
program current_call
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(MPIF_H)
  include 'mpif.h'
#endif
  integer :: error, me, other
  integer :: first(20), second(20)
  character(len=200) :: run
#if defined(USE_MPI_F08)
  type(MPI_Comm) :: work
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
#else
  integer :: work, requests(2)
  integer :: status(MPI_STATUS_SIZE)
#endif

  first = 0
  second = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  other = 1 - me
  if (me == 0) then
    call get_environment_variable('MPIT_RUN', run)
    write (*, '(a)') trim(run)
  end if
  call MPI_Comm_dup(MPI_COMM_WORLD, work, error)
  call MPI_Comm_set_name(work, 'work', error)

  call step('recv')
  if (me == 1) then
    call MPI_Recv(first, 10, MPI_INTEGER, 0, 7, work, status, error)
  else
    call MPI_Send(first, 10, MPI_INTEGER, 1, 7, work, error)
  end if
  call step('sendrecv')
  call MPI_Sendrecv(first, 2, MPI_INTEGER, other, 30 + me, second, 2, MPI_INTEGER, other, 30 + other, work, status, error)
  call step('waitall')
  if (me == 1) then
    call MPI_Irecv(first, 1, MPI_INTEGER, 0, 11, work, requests(1), error)
    call MPI_Irecv(second, 1, MPI_INTEGER, MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  else
    call MPI_Send(first, 1, MPI_INTEGER, 1, 11, work, error)
    call MPI_Send(second, 1, MPI_INTEGER, 1, 12, MPI_COMM_WORLD, error)
  end if
  call step('barrier')
  call MPI_Barrier(work, error)
  call step('bcast')
  call MPI_Bcast(first, 4, MPI_INTEGER, 0, work, error)
  call MPI_Comm_free(work, error)
  call step('finalize')
  call MPI_Finalize(error)

contains

  subroutine step(name)
    character(len=*), intent(in) :: name
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (me == 0) then
      write (*, '(2a)') 'step ', name
      flush (6)
      read (*, *)
    end if
  end subroutine step
end program current_call
