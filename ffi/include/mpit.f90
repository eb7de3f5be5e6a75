! mpit: regions, counters and timers of a program or library in Fortran. Compile this file with it; docs/guides/fortran.md has examples.
!
! Without mpit in the process, the procedures do nothing. The first region of a program or library looks for mpit.
module mpit
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32, int64
    implicit none
    private
    public :: mpit_region_begin, mpit_region_end
    public :: mpit_counter, mpit_timer, mpit_publish, mpit_add, mpit_timer_start, mpit_timer_stop

    !> A counter: `struct mpit_sum`. Declare it with `save` and `target`, since it is used until the process ends.
    type, bind(c) :: mpit_counter
        private
        integer(c_int64_t) :: sum = 0
        integer(c_int32_t) :: watchers = 0
        integer(c_intptr_t) :: concurrent = 0
    end type

    !> A sum of times, laid out like a counter; the bits of its sum are those of seconds.
    type, bind(c) :: mpit_timer
        private
        integer(c_int64_t) :: sum = 0
        integer(c_int32_t) :: watchers = 0
        integer(c_intptr_t) :: concurrent = 0
    end type

    !> Publishes a counter or a timer under a name, with a description: call mpit_publish(steps, "solver_steps", "Steps of the solver.").
    interface mpit_publish
        module procedure publish_counter, publish_timer
    end interface

    !> Adds an amount, which is not negative, to a counter if a tool reads it.
    interface mpit_add
        module procedure add_int32, add_int64
    end interface

    ! Numbers of mpit_plugin.h.
    integer(c_int32_t), parameter :: MAJOR = 1
    integer(c_int), parameter :: CLASS_COUNTER = 6, CLASS_TIMER = 8, UNSIGNED_LONG_LONG = 5, DOUBLE = 10

    !> `struct mpit_pvar`.
    type, bind(c) :: pvar_entry
        integer(c_size_t) :: size
        type(c_ptr) :: file = c_null_ptr
        integer(c_int) :: line = 0
        type(c_ptr) :: name, description, categories = c_null_ptr
        integer(c_int) :: pvar_class, datatype, verbosity = 0, bind = 0, flags = 0, count = 1
        type(c_ptr) :: sum, level = c_null_ptr
        type(c_funptr) :: level_of = c_null_funptr
        type(c_ptr) :: storage = c_null_ptr
        type(c_funptr) :: read = c_null_funptr, count_of = c_null_funptr, watch = c_null_funptr
        type(c_ptr) :: user_data = c_null_ptr, enumeration = c_null_ptr
    end type

    !> A list of `struct mpit_table`.
    type, bind(c) :: list
        type(c_ptr) :: first = c_null_ptr
        integer(c_size_t) :: count = 0
    end type

    !> `struct mpit_table`.
    type, bind(c) :: table_entry
        integer(c_size_t) :: size
        integer(c_int32_t) :: version = MAJOR
        type(c_ptr) :: component
        type(list) :: pvars, cvars, sources, events, categories, components
    end type

    abstract interface
        subroutine region_function(name) bind(c)
            import :: c_char
            character(kind=c_char), intent(in) :: name(*)
        end subroutine
        function register_function(table) bind(c) result(code)
            import :: c_int, table_entry
            type(table_entry), intent(in) :: table
            integer(c_int) :: code
        end function
        subroutine add_function(sum, amount) bind(c)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: sum
            integer(c_int64_t), value :: amount
        end subroutine
        subroutine add_double_function(sum, amount) bind(c)
            import :: c_double, c_ptr
            type(c_ptr), value :: sum
            real(c_double), value :: amount
        end subroutine
    end interface

    interface
        function dlsym(handle, symbol) bind(c, name="dlsym") result(address)
            import :: c_char, c_intptr_t, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: symbol(*)
            integer(c_intptr_t) :: address
        end function
    end interface

    ! Addresses of mpit's functions, or 0. One word each, so threads that look for a function at the same time store the same.
    integer(c_intptr_t), parameter :: UNKNOWN = -1
    integer(c_intptr_t), save, volatile :: region_begin = UNKNOWN, region_end = UNKNOWN
    integer(c_intptr_t), save, volatile :: sum_add = 0, sum_add_double = 0

contains

    !> Begins a region of the program.
    subroutine mpit_region_begin(name)
        character(len=*), intent(in) :: name
        if (region_begin /= 0) call begin_region(name)
    end subroutine

    !> Ends a region of the program: the one that began last.
    subroutine mpit_region_end(name)
        character(len=*), intent(in) :: name
        if (region_end /= 0) call end_region(name)
    end subroutine

    subroutine begin_region(name)
        character(len=*), intent(in) :: name
        if (region_begin == UNKNOWN) call find_regions()
        if (region_begin /= 0) call call_region(region_begin, name)
    end subroutine

    subroutine end_region(name)
        character(len=*), intent(in) :: name
        if (region_end == UNKNOWN) call find_regions()
        if (region_end /= 0) call call_region(region_end, name)
    end subroutine

    subroutine find_regions()
        integer(c_intptr_t) :: begin, end
        begin = address_of("mpit_region_begin")
        ! The library that has one has the other.
        end = 0
        if (begin /= 0) end = address_of("mpit_region_end")
        region_end = end
        region_begin = begin
    end subroutine

    subroutine call_region(address, name)
        integer(c_intptr_t), intent(in) :: address
        character(len=*), intent(in) :: name
        procedure(region_function), pointer :: function
        call c_f_procpointer(transfer(address, c_null_funptr), function)
        call function(c_text(name))
    end subroutine

    subroutine publish_counter(counter, name, description)
        type(mpit_counter), target, intent(inout) :: counter
        character(len=*), intent(in) :: name, description
        call publish(c_loc(counter), CLASS_COUNTER, UNSIGNED_LONG_LONG, name, description)
    end subroutine

    subroutine publish_timer(timer, name, description)
        type(mpit_timer), target, intent(inout) :: timer
        character(len=*), intent(in) :: name, description
        call publish(c_loc(timer), CLASS_TIMER, DOUBLE, name, description)
    end subroutine

    !> Registers a table with one variable. Mistakes are reported on standard error, by mpit.
    subroutine publish(sum, class, datatype, name, description)
        type(c_ptr), intent(in) :: sum
        integer(c_int), intent(in) :: class, datatype
        character(len=*), intent(in) :: name, description
        character(kind=c_char), target :: texts(len_trim(name) + 1), about(len_trim(description) + 1)
        character(kind=c_char), allocatable, target :: component(:)
        type(pvar_entry), target :: entry
        type(table_entry) :: table
        procedure(register_function), pointer :: register
        integer(c_intptr_t) :: address
        integer(c_int) :: code

        address = address_of("mpit_register")
        if (address == 0) return
        sum_add = address_of("mpit_sum_add")
        sum_add_double = address_of("mpit_sum_add_double")
        texts = c_text(name)
        about = c_text(description)
        ! The library's name is what the names of its variables begin with.
        component = c_text(name(:scan(name // "_", "_") - 1))
        entry%size = c_sizeof(entry)
        entry%name = c_loc(texts)
        entry%description = c_loc(about)
        entry%pvar_class = class
        entry%datatype = datatype
        entry%sum = sum
        table%size = c_sizeof(table)
        table%component = c_loc(component)
        table%pvars%first = c_loc(entry)
        table%pvars%count = 1
        call c_f_procpointer(transfer(address, c_null_funptr), register)
        code = register(table)
    end subroutine

    subroutine add_int32(counter, amount)
        type(mpit_counter), volatile, target, intent(inout) :: counter
        integer(int32), intent(in) :: amount
        if (counter%watchers /= 0) call add_watched(counter, int(amount, int64))
    end subroutine

    subroutine add_int64(counter, amount)
        type(mpit_counter), volatile, target, intent(inout) :: counter
        integer(int64), intent(in) :: amount
        if (counter%watchers /= 0) call add_watched(counter, amount)
    end subroutine

    subroutine add_watched(counter, amount)
        type(mpit_counter), volatile, target, intent(inout) :: counter
        integer(int64), intent(in) :: amount
        procedure(add_function), pointer :: add
        call c_f_procpointer(transfer(sum_add, c_null_funptr), add)
        call add(c_loc(counter), max(amount, 0_int64))
    end subroutine

    !> Returns the start of a time to measure, for mpit_timer_stop; 0 without reading the clock if no tool reads the timer.
    function mpit_timer_start(timer) result(start)
        type(mpit_timer), volatile :: timer
        integer(int64) :: start
        start = 0
        if (timer%watchers /= 0) call system_clock(start)
    end function

    !> Adds the time since a start to a timer.
    subroutine mpit_timer_stop(timer, start)
        type(mpit_timer), volatile, target, intent(inout) :: timer
        integer(int64), intent(in) :: start
        if (start /= 0 .and. timer%watchers /= 0) call stop_watched(timer, start)
    end subroutine

    subroutine stop_watched(timer, start)
        type(mpit_timer), volatile, target, intent(inout) :: timer
        integer(int64), intent(in) :: start
        procedure(add_double_function), pointer :: add
        integer(int64) :: now, rate
        call system_clock(now, rate)
        call c_f_procpointer(transfer(sum_add_double, c_null_funptr), add)
        call add(c_loc(timer), real(now - start, c_double) / real(rate, c_double))
    end subroutine

    !> Returns the address of a function of any library of the process, or 0.
    function address_of(symbol) result(address)
        character(len=*), intent(in) :: symbol
        integer(c_intptr_t) :: address
        ! A null handle finds the symbols of all libraries.
        address = dlsym(c_null_ptr, c_text(symbol))
    end function

    !> Returns a text without the blanks at its end, and with the NUL that C wants.
    function c_text(text) result(converted)
        character(len=*), intent(in) :: text
        character(kind=c_char) :: converted(len_trim(text) + 1)
        integer :: at
        do at = 1, len_trim(text)
            converted(at) = text(at:at)
        end do
        converted(len_trim(text) + 1) = c_null_char
    end function
end module
