//! The constants of the three MPI flavors, as in their headers.

use std::sync::OnceLock;

use super::{Abi, FortranHandles, Handle, PredefinedTypes, Quirks};

/// The names of the flavors, for users.
pub const NAMES: [&str; 3] = ["MPI-5 standard ABI", "MPICH ABI", "Open MPI ABI"];

/// Returns the constants of the MPI-5 standard ABI: handles are pointers, predefined ones small integers.
pub fn standard() -> Abi {
    Abi {
        name: NAMES[0],
        narrow_handles: false,
        codes: [
            1006, 1005, 1003, 1001, 1002, 1004, 1007, 1011, 1010, 1012, 1013, 1009, 1014, 1015, 1017, 1016,
            1018,
        ],
        thread_levels: [0, 1024, 2048, 4096],
        verbosities: [0x09, 0x0a, 0x0c, 0x11, 0x12, 0x14, 0x21, 0x22, 0x24],
        binds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
        binds_sessions: true,
        scopes: [1, 2, 3, 4, 5, 6, 7],
        classes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        safeties: [0x00, 0x03, 0x0f, 0x3f],
        source_orders: [1, 2],
        datatypes: [521, 592, 600, 525, 526, 527, 593, 601, 514, 579, 532],
        all_handles: 1,
        comm_world: 257,
        comm_self: 258,
        nulls: [0, 256, 512, 320, 280, 264, 32, 384, 272, 296, 304, 288],
        proc_null: -3,
        any_source: -1,
        any_tag: -2,
        root: -4,
        in_place: 1,
        topologies: [211, 212, 213],
        no_op: 61,
        lock_exclusive: 301,
        keyval_invalid: 0,
        errors_return: Some(323),
        fatal_handlers: [Some(321), Some(322)],
        info_env: Some(305),
        fortran: FortranHandles::FromInt,
        predefined_types: PredefinedTypes::Below(4096),
        quirks: Quirks::default(),
        err_count: 2,
        err_other: 16,
    }
}

/// Returns the constants of MPICH's ABI, shared by Intel MPI and others. Handles are 4-byte integers, whose upper byte is the kind
/// of object. `all_handles` is the value of the library's variable `MPI_T_PVAR_ALL_HANDLES`, which is known only at run time.
pub fn mpich(all_handles: usize) -> Abi {
    Abi {
        name: NAMES[1],
        narrow_handles: true,
        codes: [74, 59, 60, 61, 79, 78, 62, 73, 64, 65, 66, 67, 68, 69, 70, 71, 72],
        thread_levels: [0, 1, 2, 3],
        verbosities: [221, 222, 223, 224, 225, 226, 227, 228, 229],
        binds: std::array::from_fn(|at| 9700 + at as i32),
        binds_sessions: false,
        scopes: std::array::from_fn(|at| 60438 + at as i32),
        classes: std::array::from_fn(|at| 240 + at as i32),
        safeties: [0, 1, 2, 3],
        source_orders: [0, 1],
        datatypes: [0x405, 0x439, 0x83a, 0x406, 0x808, 0x819, 0x43d, 0x83e, 0x845, 0x101, 0x80b]
            .map(|datatype| 0x4c00_0000 | datatype),
        all_handles,
        comm_world: 0x4400_0000,
        comm_self: 0x4400_0001,
        nulls: [0, 0x04, 0x0c, 0x14, 0, 0x08, 0x18, 0x2c, 0x20, 0x2c, 0x1c, 0x38].map(|kind| kind << 24),
        proc_null: -1,
        any_source: -2,
        any_tag: -1,
        root: -3,
        in_place: usize::MAX,
        topologies: [2, 1, 3],
        no_op: 0x5800_000e,
        lock_exclusive: 234,
        keyval_invalid: 0x2400_0000,
        errors_return: Some(0x5400_0001),
        fatal_handlers: [Some(0x5400_0000), Some(0x5400_0003)],
        info_env: None,
        fortran: FortranHandles::Equal,
        predefined_types: PredefinedTypes::Tagged(0x4c),
        quirks: Quirks::default(),
        err_count: 2,
        err_other: 15,
    }
}

/// Returns the constants of Open MPI's ABI. Predefined handles are addresses of the library's objects, which
/// `address_of` finds by symbol name; objects that a version lacks have no handle (0).
///
/// For versions without events, the constants that they lack have the numbers of later versions: the codes
/// `NOT_ACCESSIBLE` and `NOT_SUPPORTED`, the kind `SESSION`, safety levels and source orderings.
pub fn open_mpi(address_of: impl Fn(&str) -> Option<Handle>) -> Abi {
    let object = |name: &str| address_of(name).unwrap_or(0);
    let datatypes = [
        "int",
        "int32_t",
        "int64_t",
        "unsigned",
        "unsigned_long",
        "unsigned_long_long",
        "uint32_t",
        "uint64_t",
        "count",
        "char",
        "double",
    ];
    Abi {
        name: NAMES[2],
        narrow_handles: false,
        codes: [72, 54, 55, 56, 81, 82, 57, 73, 59, 60, 61, 62, 63, 64, 65, 66, 67],
        thread_levels: [0, 1, 2, 3],
        verbosities: [0, 1, 2, 3, 4, 5, 6, 7, 8],
        binds: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        binds_sessions: false,
        scopes: [0, 1, 2, 3, 4, 5, 6],
        classes: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        safeties: [0, 1, 2, 3],
        source_orders: [0, 1],
        datatypes: datatypes.map(|name| object(&format!("ompi_mpi_{name}"))),
        all_handles: usize::MAX,
        comm_world: object("ompi_mpi_comm_world"),
        comm_self: object("ompi_mpi_comm_self"),
        nulls: [
            0,
            object("ompi_mpi_comm_null"),
            object("ompi_mpi_datatype_null"),
            object("ompi_mpi_errhandler_null"),
            object("ompi_mpi_file_null"),
            object("ompi_mpi_group_null"),
            object("ompi_mpi_op_null"),
            object("ompi_request_null"),
            object("ompi_mpi_win_null"),
            object("ompi_message_null"),
            object("ompi_mpi_info_null"),
            object("ompi_mpi_instance_null"),
        ],
        proc_null: -2,
        any_source: -1,
        any_tag: -1,
        root: -4,
        in_place: 1,
        topologies: [1, 2, 3],
        no_op: object("ompi_mpi_op_no_op"),
        lock_exclusive: 1,
        keyval_invalid: -1,
        errors_return: address_of("ompi_mpi_errors_return"),
        fatal_handlers: ["ompi_mpi_errors_are_fatal", "ompi_mpi_errors_abort"].map(&address_of),
        info_env: None,
        fortran: FortranHandles::F2c,
        predefined_types: PredefinedTypes::Objects(OnceLock::new()),
        quirks: Quirks {
            objects_have_classes: true,
            translates_ranks_by_search: true,
            unloads_components: true,
            categories_have_all_variables: true,
            has_monitoring: true,
            shares_thread_level: true,
            refused_entries: "mtl_psm2_*,vprotocol",
        },
        err_count: 2,
        err_other: 16,
    }
}
