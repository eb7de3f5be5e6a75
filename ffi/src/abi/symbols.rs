//! Symbols and variables of MPI libraries that are not in the standard.

use std::ffi::CStr;

/// The objects of Open MPI's predefined datatypes that programs send, without their prefix.
const OPEN_MPI_TYPES: &str = "\
    byte packed char signed_char unsigned_char short unsigned_short int unsigned long unsigned_long \
    long_long_int unsigned_long_long float double long_double wchar int8_t uint8_t int16_t uint16_t \
    int32_t uint32_t int64_t uint64_t aint offset count c_bool cxx_bool c_float_complex c_double_complex \
    integer real dblprec logical character cplex dblcplex real8";

/// Returns the symbols of Open MPI's predefined datatypes.
pub(super) fn open_mpi_types() -> impl Iterator<Item = String> {
    OPEN_MPI_TYPES.split_whitespace().map(|name| format!("ompi_mpi_{name}"))
}

/// Variables whose address is Fortran's `MPI_IN_PLACE`: a common block of Open MPI, in the spellings of the
/// compilers, and the constant of MPICH's `mpi_f08`, as it appears in descriptors.
pub(crate) const IN_PLACE_OBJECTS: [&str; 5] = [
    "mpi_fortran_in_place_",
    "mpi_fortran_in_place",
    "mpi_fortran_in_place__",
    "MPI_FORTRAN_IN_PLACE",
    "MPIR_F08_MPI_IN_PLACE",
];

/// MPICH's variable that holds the address of Fortran's `MPI_IN_PLACE`, set when its Fortran interface is initialized.
pub(crate) const IN_PLACE_POINTER: &str = "MPIR_F_MPI_IN_PLACE";

/// Settings that several components of Open MPI share. Their values are in a library that Open MPI 4 unloads
/// with the components, although the variables stay listed.
pub(crate) struct SharedSettings {
    /// The prefixes of their names.
    pub(crate) prefixes: [&'static str; 3],
    /// The symbol of the values if they are in the MPI library itself.
    pub(crate) symbol: &'static CStr,
    /// The library of the values if they are in one of their own.
    pub(crate) library: &'static [u8],
}

pub(crate) const SHARED_SETTINGS: [SharedSettings; 2] = [
    SharedSettings {
        prefixes: ["opal_common_ucx_", "osc_ucx_", "pml_ucx_"],
        symbol: c"opal_common_ucx",
        library: b"/libmca_common_ucx.",
    },
    SharedSettings {
        prefixes: ["opal_common_ofi_", "btl_ofi_", "mtl_ofi_"],
        symbol: c"opal_common_ofi",
        library: b"/libmca_common_ofi.",
    },
];
