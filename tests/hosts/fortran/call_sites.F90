! Calls of MPI from several places and regions. Which of MPI's three Fortran interfaces it uses is chosen when it is compiled:
! -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08. Each place is a line with a comment `site: NAME`, which the test finds.
#include "mpit.f90"

program call_sites
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  use mpit
  implicit none
#if defined(MPIF_H)
  include 'mpif.h'
#endif
  integer :: error, rank, step, value(4)
#if defined(USE_MPI_F08)
  type(MPI_Status) :: status
#else
  integer :: status(MPI_STATUS_SIZE)
#endif

  value = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  do step = 1, 5
    if (rank == 0) then
      call MPI_Send(value, 4, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, error) ! site: send
    else if (rank == 1) then
      call MPI_Recv(value, 4, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, status, error) ! site: receive
    end if
  end do
  call mpit_region_begin("solver")
  do step = 1, 3
    call MPI_Barrier(MPI_COMM_WORLD, error) ! site: in solver
  end do
  call mpit_region_end("solver")
  call MPI_Barrier(MPI_COMM_WORLD, error) ! site: outside
  call MPI_Finalize(error)
end program
