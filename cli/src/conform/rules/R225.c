/* R225: Each query of a source makes a new info object, and never MPI_INFO_NULL. [MPI 4.0] */
#include "conform.h"
int main(void)
{
    int n;
    char name[512], desc[4096];
    MPI_T_source_order order;
    MPI_Count ticks, most, time;
    MPI_Info info, again;
    INIT();
    MPI_T_source_get_num(&n);
    for (int i = 0; i < n; i++) {
        if (MPI_T_source_get_info(i, name, &(int){512}, desc, &(int){4096}, &order, &ticks, &most, NULL) != MPI_SUCCESS)
            continue;
        MPI_T_source_get_info(i, name, &(int){512}, desc, &(int){4096}, &order, &ticks, &most, &info);
        MPI_T_source_get_info(i, name, &(int){512}, desc, &(int){4096}, &order, &ticks, &most, &again);
        if (info == MPI_INFO_NULL || again == MPI_INFO_NULL || info == again)
            FAILS("%s: two queries return one object, or MPI_INFO_NULL", name);
        if (MPI_Info_free(&info) != MPI_SUCCESS || MPI_Info_free(&again) != MPI_SUCCESS)
            FAILS("%s: the info object cannot be freed", name);
    }
    HOLDS(n, "sources");
}
