/* The predefined objects of Open MPI's own ABI, which both of its libraries need since version 6. */
struct stub_object {
    char padding[512];
};

struct stub_object ompi_mpi_comm_world, ompi_mpi_comm_self, ompi_mpi_comm_null, ompi_mpi_int, ompi_mpi_unsigned_long_long,
    ompi_mpi_group_world;
