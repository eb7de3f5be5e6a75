//! The exported functions of a line.

/// Defines the functions of one line, by its forms. Those of Fortran are for `use mpi` and `mpif.h` (`mpi_name_`) and for `use mpi_f08`
/// (`mpi_name_f08_`).
macro_rules! forms {
    // The parameters are unknown, so there are no other forms.
    (plain [variadic $i:tt] $own:tt $name:ident $line:tt) => {
        $crate::interpose::forms! { c [variadic $i] $own $name $line }
        $crate::interpose::forms! { fortran [variadic $i] [[] [] []] $name $line }
    };
    (plain $when:tt $own:tt $name:ident $line:tt) => {
        $crate::interpose::forms! { c $when $own $name $line }
        $crate::interpose::forms! { fortran $when $own $name $line }
        pastey::paste! {
            $crate::interpose::name! { $when [<mpi_ $name:lower _f08ts_>] FortranTs [] ["0"] $line }
        }
    };
    (large $when:tt $own:tt $name:ident $line:tt) => {
        $crate::interpose::forms! { plain $when $own $name $line }
        pastey::paste! {
            $crate::interpose::c_names! { $when [[] [] []] [<MPI_ $name _c>] [<PMPI_ $name _c>] LargeC $line }
            $crate::interpose::name! { $when [<mpi_ $name:lower _c_f08_>] LargeFortran [] ["0"] $line }
            $crate::interpose::name! { $when [<mpi_ $name:lower _c_f08ts_>] LargeFortranTs [] ["0"] $line }
        }
    };
    (c $when:tt $own:tt $name:ident $line:tt) => {
        pastey::paste! {
            $crate::interpose::c_names! { $when $own [<MPI_ $name>] [<PMPI_ $name>] C $line }
        }
    };
    (extension $when:tt $own:tt $name:ident $line:tt) => {
        pastey::paste! {
            $crate::interpose::c_names! { $when [[] [] []] [<MPIX_ $name>] [<PMPIX_ $name>] ExtensionC $line }
        }
    };
    (fortran $when:tt $own:tt $name:ident $line:tt) => {
        pastey::paste! {
            $crate::interpose::fortran_name! { $when $own [<mpi_ $name:lower _>] Fortran $line }
            $crate::interpose::fortran_name! { $when $own [<mpi_ $name:lower _f08_>] FortranF08 $line }
        }
    };
}
pub(crate) use forms;

/// Defines a function of Fortran.
macro_rules! fortran_name {
    ($when:tt [[in_registers] $args:tt [$recorder:expr]] $symbol:ident $form:ident $line:tt) => {
        $crate::interpose::own_fast_path! { $when $symbol $form $line $args $recorder }
    };
    ($when:tt $own:tt $symbol:ident $form:ident $line:tt) => {
        $crate::interpose::name! { $when $symbol $form [] ["0"] $line }
    };
}
pub(crate) use fortran_name;

/// Defines a function of C and its `PMPI_` twin, which is recorded if both are the same function of the library, and the caller is
/// outside of it.
macro_rules! c_names {
    ($when:tt [[] $args:tt $recorder:tt] $symbol:ident $profiling:ident $form:ident $line:tt) => {
        $crate::interpose::name! { $when $symbol $form [$crate::interpose::label!($symbol)] ["0"] $line }
        $crate::interpose::profiling_name! { $when $symbol $profiling $form $line }
    };
    ($when:tt [[in_registers] $args:tt $recorder:tt] $symbol:ident $profiling:ident $form:ident $line:tt) => {
        $crate::interpose::own_code! { $when $symbol $line $args $recorder }
        $crate::interpose::profiling_name! { $when $symbol $profiling $form $line }
    };
    ($when:tt [[observed_in_registers] $args:tt $recorder:tt] $symbol:ident $profiling:ident $form:ident $line:tt) => {
        $crate::interpose::own_code! { $when $symbol $line $args [] }
        $crate::interpose::profiling_name! { $when $symbol $profiling $form $line }
    };
}
pub(crate) use c_names;

/// Defines the `PMPI_` function beside a C function.
macro_rules! profiling_name {
    // Not exported, because the library is found by this symbol.
    ([initializing $i:tt] $symbol:ident $profiling:ident $form:ident $line:tt) => {};
    ($when:tt $symbol:ident $profiling:ident $form:ident $line:tt) => {
        $crate::interpose::name! {
            $when $profiling $form [] [concat!($crate::interpose::label!($symbol), " - 7b")] $line
        }
    };
}
pub(crate) use profiling_name;

/// Expands to the label of a name, for machine code.
macro_rules! label {
    ($symbol:ident) => {
        concat!("mpit_name_", stringify!($symbol))
    };
}
pub(crate) use label;

/// Defines a function whose calls take the code of all calls.
macro_rules! name {
    ($when:tt $symbol:ident $form:ident $label:tt $twin:tt ($line:ident $record:path)) => {
        $crate::interpose::entry! { $when $symbol $line $record, $form $label $twin all }
    };
}
pub(crate) use name;

/// Defines an exported function with the counters that show if there are listeners. Calls for which one or two counters do not suffice
/// check themselves.
macro_rules! entry {
    ([variadic $i:tt] $($rest:tt)*) => {
        $crate::trampoline::entry! { [uncounted] $($rest)* }
    };
    ([$when:ident (Messages)] $($rest:tt)*) => {
        $crate::trampoline::entry! { [counted mpit::component::pml::LISTENING, 0] $($rest)* }
    };
    ([$when:ident (Collectives)] $($rest:tt)*) => {
        $crate::trampoline::entry! { [counted mpit::component::coll::LISTENING, 0] $($rest)* }
    };
    ([$when:ident (Accesses)] $($rest:tt)*) => {
        $crate::trampoline::entry! { [counted mpit::component::osc::LISTENING, 0] $($rest)* }
    };
    ([$when:ident (Starts)] $($rest:tt)*) => {
        $crate::trampoline::entry! {
            [doubly_counted mpit::component::pml::LISTENING, mpit::component::coll::LISTENING] $($rest)*
        }
    };
    ([timed ($interest:ident)] $($rest:tt)*) => {
        $crate::trampoline::entry! {
            [
                counted mpit_components::calls::RECORDING,
                $crate::calls::counter_offset($crate::calls::Interest::$interest.area())
            ]
            $($rest)*
        }
    };
    ($when:tt $($rest:tt)*) => {
        $crate::trampoline::entry! { [uncounted] $($rest)* }
    };
}
pub(crate) use entry;
