! A solver in Fortran that publishes a counter and a timer, and names its parts.
!
!     mpifort $(pkg-config --variable=fortran mpit-plugin) solver.f90 -o solver $(pkg-config --libs mpit-plugin)
!     mpit run -- mpiexec -n 2 ./solver
module solver
    use mpi
    use mpit
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    type(mpit_counter), save, target :: steps
    type(mpit_timer), save, target :: reducing
contains
    subroutine solve(residual)
        double precision, intent(out) :: residual
        double precision :: mine
        integer :: step, error
        integer(int64) :: start

        call mpit_region_begin("solver")
        residual = 1
        do step = 1, 10
            mine = residual / 4
            start = mpit_timer_start(reducing)
            call MPI_Allreduce(mine, residual, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
            call mpit_timer_stop(reducing, start)
            call mpit_add(steps, 1)
        end do
        call mpit_region_end("solver")
    end subroutine
end module

program main
    use solver
    implicit none
    integer :: error, rank
    double precision :: residual

    call mpit_publish(steps, "solver_steps", "Steps.")
    call mpit_publish(reducing, "solver_reducing", "Time in reductions. Unit: s.")
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call solve(residual)
    if (rank == 0) print '(a)', merge("the residual is small", "the residual is large", residual < 1d-2)
    call MPI_Finalize(error)
end program
