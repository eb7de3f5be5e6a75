! Programs that hang, for `mpit why`: `hangs KIND`, with 4 processes, with the kinds of hosts/c/hangs.c. Each kind has one mistake, in
! the case of its name. -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08 selects one of MPI's three Fortran interfaces.
#if defined(USE_MPI_F08)
#define HANDLE(name) type(name)
#else
#define HANDLE(name) integer
#endif
program hangs
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_null_ptr
  implicit none
#if defined(MPIF_H)
  include 'mpif.h'
#endif
  integer, parameter :: processes = 4, large = 1048576, limit_seconds = 100
  integer(c_int), parameter :: sigkill = 9, sigstop = 19
  integer(kind=MPI_ADDRESS_KIND), parameter :: four_bytes = 4, start = 0
  integer :: error, me, ranks, right, left, turn, peer(1)
  integer, volatile :: steps
  integer(c_int) :: ignored
  integer :: outgoing(1), incoming(1)
  integer, allocatable :: many(:)
  character(len=32) :: kind
  HANDLE(MPI_Comm) :: dup, first, second, half
  HANDLE(MPI_Group) :: world, other
  HANDLE(MPI_Request) :: request, requests(2)
  HANDLE(MPI_Win) :: win
  HANDLE(MPI_File) :: file
#if defined(USE_MPI_F08)
  type(MPI_Status) :: status
#else
  integer :: status(MPI_STATUS_SIZE)
#endif
  interface
    function c_alarm(seconds) bind(C, name='alarm') result(before)
      import :: c_int
      integer(c_int), value :: seconds
      integer(c_int) :: before
    end function c_alarm
    function c_fork() bind(C, name='fork') result(child)
      import :: c_int
      integer(c_int) :: child
    end function c_fork
    function c_wait(ended) bind(C, name='wait') result(child)
      import :: c_int, c_ptr
      type(c_ptr), value :: ended
      integer(c_int) :: child
    end function c_wait
    function c_pause() bind(C, name='pause') result(interrupted)
      import :: c_int
      integer(c_int) :: interrupted
    end function c_pause
    function c_raise(signal) bind(C, name='raise') result(failed)
      import :: c_int
      integer(c_int), value :: signal
      integer(c_int) :: failed
    end function c_raise
  end interface

  call get_command_argument(1, kind)
  allocate(many(large))
  many = 0
  outgoing = 0
  ! Ends the program if the test does not.
  ignored = c_alarm(int(limit_seconds, c_int))
  if (is_second()) call begin_second()
  ! A child does not inherit the alarm of its parent.
  ignored = c_alarm(int(limit_seconds, c_int))
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  if (ranks /= processes) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  right = mod(me + 1, processes)
  left = mod(me + processes - 1, processes)
  do turn = 1, 3
    call allreduce()
  end do
  call exchange(right, 1, left, 1)
  select case (kind)
  case ('skipped_allreduce')
    if (me == 1) call receive(0, 99)
    call allreduce()
  case ('early_finalize')
    ! Rank 2 leaves the loop one round before the others.
    do turn = 1, merge(27, 28, me == 2)
      call allreduce()
    end do
  case ('computing')
    steps = 0
    do while (me == 2)
      steps = iand(steps + 1, 1023)
    end do
    call barrier()
  case ('sleeping')
    if (me == 2) call pause_always()
    call barrier()
  case ('stopped')
    if (me == 2) ignored = c_raise(sigstop)
    call barrier()
  case ('gone')
    if (me == 2) ignored = c_raise(sigkill)
    call barrier()
  case ('other_collective')
    if (me == 3) then
      call MPI_Alltoall(many, 1, MPI_INTEGER, many(100), 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    else
      call allreduce()
    end if
  case ('other_root')
    call MPI_Bcast(many, large, MPI_INTEGER, merge(3, 0, me == 3), MPI_COMM_WORLD, error)
    call barrier()
  case ('other_count')
    ! Rank 3 receives fewer bytes than the others, so that it expects fewer parts.
    call MPI_Bcast(many, merge(4, large, me == 3), MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    call barrier()
  case ('wrong_tag')
    if (me == 0) call receive(1, 5)
    if (me == 1) call MPI_Send(outgoing, 1, MPI_INTEGER, 0, 6, MPI_COMM_WORLD, error)
    call barrier()
  case ('wrong_communicator')
    call MPI_Comm_dup(MPI_COMM_WORLD, dup, error)
    call MPI_Comm_set_name(dup, 'halo', error)
    if (me == 0) call receive(1, 7)
    if (me == 1) call MPI_Send(outgoing, 1, MPI_INTEGER, 0, 7, dup, error)
    call barrier()
  case ('send_cycle')
    call MPI_Send(many, large, MPI_INTEGER, right, 2, MPI_COMM_WORLD, error)
    call MPI_Recv(many, large, MPI_INTEGER, left, 2, MPI_COMM_WORLD, status, error)
  case ('send_pair')
    ! Ranks 1 and 2 send to each other; the others are in the next barrier.
    if (me == 1 .or. me == 2) then
      call MPI_Ssend(outgoing, 1, MPI_INTEGER, 3 - me, 4, MPI_COMM_WORLD, error)
      call receive(3 - me, 4)
    end if
    call barrier()
  case ('unreceived_send')
    if (me == 0) call MPI_Ssend(outgoing, 1, MPI_INTEGER, 3, 8, MPI_COMM_WORLD, error)
    call barrier()
  case ('receive_cycle')
    call receive(right, 3)
    call MPI_Send(outgoing, 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, error)
  case ('receive_from_any')
    if (me == 1) call receive(MPI_ANY_SOURCE, 12)
    call barrier()
  case ('probing')
    if (me == 2) call MPI_Probe(0, 13, MPI_COMM_WORLD, status, error)
    call barrier()
  case ('waiting_for_one')
    ! Rank 0 waits for messages from 1 and 2; that from 2 is missing.
    if (me == 0) then
      call MPI_Irecv(incoming, 1, MPI_INTEGER, 1, 14, MPI_COMM_WORLD, requests(1), error)
      call MPI_Irecv(many, 1, MPI_INTEGER, 2, 14, MPI_COMM_WORLD, requests(2), error)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    else if (me == 1) then
      call MPI_Send(outgoing, 1, MPI_INTEGER, 0, 14, MPI_COMM_WORLD, error)
    end if
    call barrier()
  case ('exchange_of_other_tags')
    if (me < 2) call exchange(1 - me, 15, 1 - me, merge(16, 15, me == 0))
    call barrier()
  case ('skipped_nonblocking')
    if (me == 3) call receive(2, 17)
    call MPI_Ibarrier(MPI_COMM_WORLD, request, error)
    call MPI_Wait(request, status, error)
  case ('kept_lock')
    ! Rank 0 has locked the window of rank 1 and goes to a barrier.
    call make_window(win)
    if (me == 0) then
      call lock_and_put(win)
      call MPI_Win_flush(1, win, error)
    end if
    call lock_of_others(win)
  case ('kept_lock_all')
    ! Rank 0 has locked the windows of all, and goes to a barrier.
    call make_window(win)
    if (me == 0) then
      call MPI_Win_lock_all(0, win, error)
      call MPI_Put(outgoing, 1, MPI_INTEGER, 1, start, 1, MPI_INTEGER, win, error)
      call MPI_Win_flush_all(win, error)
    end if
    call lock_of_others(win)
  case ('skipped_fence')
    call make_window(win)
    if (me == 3) call receive(0, 18)
    call MPI_Win_fence(0, win, error)
  case ('unfinished_access')
    ! Rank 0 exposes its window to rank 1, which begins the accesses and does not complete them.
    call make_window(win)
    call MPI_Comm_group(MPI_COMM_WORLD, world, error)
    peer = 1 - me
    if (me < 2) call MPI_Group_incl(world, 1, peer, other, error)
    if (me == 0) then
      call MPI_Win_post(other, 0, win, error)
      call MPI_Win_wait(win, error)
    else if (me == 1) then
      call MPI_Win_start(other, 0, win, error)
    end if
    call barrier()
  case ('skipped_dup')
    if (me == 2) call receive(1, 19)
    call MPI_Comm_dup(MPI_COMM_WORLD, dup, error)
  case ('communicator_order')
    ! Rank 0 and rank 1 use the communicators in different orders.
    call MPI_Comm_dup(MPI_COMM_WORLD, first, error)
    call MPI_Comm_dup(MPI_COMM_WORLD, second, error)
    call MPI_Comm_set_name(first, 'first', error)
    call MPI_Comm_set_name(second, 'second', error)
    if (me == 0) call MPI_Barrier(second, error)
    call MPI_Barrier(first, error)
    if (me /= 0) call MPI_Barrier(second, error)
  case ('skipped_in_half')
    ! In the half of the odd ranks, rank 3 does not take part in the reduction.
    call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), me, half, error)
    call MPI_Comm_set_name(half, merge('odd ', 'even', mod(me, 2) == 1), error)
    if (me == 3) call receive(1, 20)
    call MPI_Allreduce(outgoing, incoming, 1, MPI_INTEGER, MPI_SUM, half, error)
    call barrier()
  case ('skipped_open')
    if (me == 1) call receive(3, 21)
    call MPI_File_open(MPI_COMM_WORLD, 'hangs.data', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
  case ('late_init')
    ! The mistake is before MPI_Init.
  case default
    call MPI_Abort(MPI_COMM_WORLD, 1, error)
  end select
  call MPI_Finalize(error)

contains

  ! Returns true in rank 2, before MPI_Init, by the variables of launchers.
  logical function is_second()
    character(len=16) :: rank
    integer :: missing
    call get_environment_variable('PMIX_RANK', rank, status=missing)
    if (missing /= 0) call get_environment_variable('PMI_RANK', rank)
    is_second = rank == '2'
  end function is_second

  ! Rank 2 of late_init does not reach MPI_Init. The launcher would end a job with the kind gone, so it sees the parent of rank 2.
  subroutine begin_second()
    if (kind == 'late_init') call pause_always()
    if (kind == 'gone') then
      if (c_fork() > 0) then
        ignored = c_wait(c_null_ptr)
        call pause_always()
      end if
    end if
  end subroutine begin_second

  subroutine pause_always()
    do
      ignored = c_pause()
    end do
  end subroutine pause_always

  subroutine receive(from, tag)
    integer, intent(in) :: from, tag
    call MPI_Recv(incoming, 1, MPI_INTEGER, from, tag, MPI_COMM_WORLD, status, error)
  end subroutine receive

  subroutine barrier()
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine barrier

  subroutine allreduce()
    call MPI_Allreduce(outgoing, incoming, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  end subroutine allreduce

  subroutine exchange(to, tag_out, from, tag_in)
    integer, intent(in) :: to, tag_out, from, tag_in
    call MPI_Sendrecv(outgoing, 1, MPI_INTEGER, to, tag_out, incoming, 1, MPI_INTEGER, from, tag_in, MPI_COMM_WORLD, status, error)
  end subroutine exchange

  subroutine make_window(win)
    HANDLE(MPI_Win), intent(out) :: win
#if defined(USE_MPI_F08)
    type(c_ptr) :: memory
#else
    integer(kind=MPI_ADDRESS_KIND) :: memory
#endif
    call MPI_Win_allocate(four_bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win, error)
  end subroutine make_window

  subroutine lock_and_put(win)
    HANDLE(MPI_Win), intent(in) :: win
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win, error)
    call MPI_Put(outgoing, 1, MPI_INTEGER, 1, start, 1, MPI_INTEGER, win, error)
  end subroutine lock_and_put

  ! After a barrier, all ranks but 0 lock the window of rank 1.
  subroutine lock_of_others(win)
    HANDLE(MPI_Win), intent(in) :: win
    call barrier()
    if (me /= 0) then
      call lock_and_put(win)
      call MPI_Win_unlock(1, win, error)
    end if
    call barrier()
  end subroutine lock_of_others
end program hangs