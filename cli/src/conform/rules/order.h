static int order(const char *steps)
{
    char name[256];
    for (int n, up = 0; *steps; steps++) {
        *steps == 'I'   ? MPI_Init(NULL, NULL)
        : *steps == 'F' ? MPI_Finalize()
        : *steps == 'f' ? MPI_T_finalize()
                       : MPI_T_init_thread(MPI_THREAD_SINGLE, &n);
        up += *steps == 'i' ? 1 : *steps == 'f' ? -1 : 0;
        if (up && MPI_T_cvar_get_num(&n) == MPI_SUCCESS)
            for (int i = 0; i < n; i++)
                MPI_T_cvar_get_info(i, name, &(int){sizeof name}, 0, 0, 0, 0, 0, 0, 0);
        if (up && MPI_T_pvar_get_num(&n) == MPI_SUCCESS)
            for (int i = 0; i < n; i++)
                MPI_T_pvar_get_info(i, name, &(int){sizeof name}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    puts("ok");
    return 0;
}
