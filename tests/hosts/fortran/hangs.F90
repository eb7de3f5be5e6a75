! Programs that hang, for `mpit why`: `hangs KIND`, with 4 processes, as hosts/c/hangs.c. Which of MPI's three Fortran interfaces it uses
! is chosen when it is compiled: -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08.
program hangs
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(MPIF_H)
  include 'mpif.h'
#endif
  integer, parameter :: large = 1048576
  integer :: error, me, ranks, turn
  integer :: outgoing(1), incoming(1)
  integer, allocatable :: many(:)
  character(len=32) :: kind
#if defined(USE_MPI_F08)
  type(MPI_Request) :: request
  type(MPI_Status) :: status
#else
  integer :: request
  integer :: status(MPI_STATUS_SIZE)
#endif

  call get_command_argument(1, kind)
  ! Ends the program if the test does not.
  call alarm_after(100)
  allocate(many(large))
  many = 0
  outgoing = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  do turn = 1, 3
    call MPI_Allreduce(outgoing, incoming, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  select case (kind)
  case ('skipped_allreduce')
    if (me == 1) call MPI_Recv(incoming, 1, MPI_INTEGER, 0, 99, MPI_COMM_WORLD, status, error)
    call MPI_Allreduce(outgoing, incoming, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  case ('send_cycle')
    call MPI_Send(many, large, MPI_INTEGER, mod(me + 1, ranks), 2, MPI_COMM_WORLD, error)
    call MPI_Recv(many, large, MPI_INTEGER, mod(me + ranks - 1, ranks), 2, MPI_COMM_WORLD, status, error)
  case ('waiting_for_one')
    if (me == 0) then
      call MPI_Irecv(incoming, 1, MPI_INTEGER, 2, 14, MPI_COMM_WORLD, request, error)
      call MPI_Wait(request, status, error)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, error)
  case ('other_collective')
    if (me == 3) then
      call MPI_Alltoall(many, 1, MPI_INTEGER, many(100), 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    else
      call MPI_Allreduce(outgoing, incoming, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    end if
  end select
  call MPI_Finalize(error)

contains

  subroutine alarm_after(seconds)
    use iso_c_binding, only: c_int
    integer, intent(in) :: seconds
    integer(c_int) :: before
    interface
      function c_alarm(seconds) bind(C, name='alarm') result(before)
        import :: c_int
        integer(c_int), value :: seconds
        integer(c_int) :: before
      end function c_alarm
    end interface
    before = c_alarm(int(seconds, c_int))
  end subroutine alarm_after
end program hangs
