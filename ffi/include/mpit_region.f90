! mpit_region: regions of a program, by which `mpit report` splits the calls of MPI and their times; see mpit_region.h.
! Compile this file with the program. Without mpit in the process, both subroutines do nothing.
module mpit_region
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: mpit_region_begin, mpit_region_end

    abstract interface
        subroutine region_function(name) bind(c)
            import :: c_char
            character(kind=c_char), intent(in) :: name(*)
        end subroutine
    end interface

    interface
        function dlsym(handle, symbol) bind(c, name="dlsym") result(address)
            import :: c_char, c_funptr, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: symbol(*)
            type(c_funptr) :: address
        end function
    end interface

contains

    !> Begins a region of the program.
    subroutine mpit_region_begin(name)
        character(len=*), intent(in) :: name
        call call_by_name("mpit_region_begin", name)
    end subroutine

    !> Ends a region of the program: the one that began last.
    subroutine mpit_region_end(name)
        character(len=*), intent(in) :: name
        call call_by_name("mpit_region_end", name)
    end subroutine

    subroutine call_by_name(symbol, name)
        character(len=*), intent(in) :: symbol, name
        type(c_funptr) :: address
        procedure(region_function), pointer :: function
        ! A null handle finds the symbols of all libraries of the process.
        address = dlsym(c_null_ptr, symbol // c_null_char)
        if (.not. c_associated(address)) return
        call c_f_procpointer(address, function)
        call function(trim(name) // c_null_char)
    end subroutine
end module
