/* Collective file access. Libraries implement it with internal messages, collective operations and accesses, which must not
 * be recorded.
 *
 *     io DIRECTORY           (4 processes)
 */
#include "expected_rows.h"

enum { PROCESSES = 4, ELEMENTS = 1000 };

int main(int argc, char **argv)
{
    static int block[ELEMENTS], back[ELEMENTS];
    const MPI_Offset mine = (MPI_Offset)sizeof block;
    char path[4096];
    MPI_Request request;
    MPI_File file;
    MPI_Datatype interleaved;

    open_expected_rows(&argc, &argv, PROCESSES);
    for (int i = 0; i < ELEMENTS; i++)
        block[i] = ELEMENTS * world_rank + i;
    snprintf(path, sizeof path, "%s/file", argv[1]);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, world_rank * mine, block, ELEMENTS, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(file, (PROCESSES + world_rank) * mine, block, ELEMENTS, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_set_view(file, world_rank * mine, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_read_all(file, back, ELEMENTS, MPI_INT, MPI_STATUS_IGNORE);
    require(back[1] == block[1] && back[ELEMENTS - 1] == block[ELEMENTS - 1], "file");
    /* Interleaved, so that the library moves data between processes for it. */
    MPI_Type_vector(ELEMENTS / 10, 10, 10 * PROCESSES, MPI_INT, &interleaved);
    MPI_Type_commit(&interleaved);
    MPI_File_set_view(file, world_rank * 10 * (MPI_Offset)sizeof *block, MPI_INT, interleaved, "native", MPI_INFO_NULL);
    MPI_File_iwrite_at_all(file, 0, block, ELEMENTS, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_iread_at_all(file, 0, back, ELEMENTS, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    require(back[1] == block[1] && back[ELEMENTS - 1] == block[ELEMENTS - 1], "interleaved file");
    MPI_Type_free(&interleaved);
    MPI_File_close(&file);
    return close_expected_rows();
}
