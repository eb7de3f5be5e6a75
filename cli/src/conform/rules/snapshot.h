static int stamp, categories, members, hash;
/* Reads the update number, and then what is returned for categories into a hash. */
static void look(void)
{
    char name[4096], desc[4096];
    hash = members = MPI_T_category_changed(&stamp);
    MPI_T_category_get_num(&categories);
    for (int i = 0, sizes[4] = {0}; i < categories; i++)
        if (!MPI_T_category_get_info(i, name, &(int){4096}, desc, &(int){4096}, &sizes[0], &sizes[1], &sizes[2])) {
#if MPI_VERSION >= 4
            MPI_T_category_get_num_events(i, &sizes[3]);
#endif
            for (const char *text = strncat(name, desc, 4095 - strlen(name)); *text; text++)
                hash = hash * 31u + *text;
            for (int kind = 0; kind < 4; members += sizes[kind++]) hash = hash * 31u + sizes[kind];
        }
}
