/* A tool over libmpit.so, without MPI: prints the names of all performance variables. Its arguments are plug-ins, which it
 * loads twice, deactivates twice, and loads again; the results follow each name. */

#include <mpit_plugin.h>
#include <stdio.h>

int MPI_T_init_thread(int required, int *provided);
int MPI_T_finalize(void);
int MPI_T_pvar_get_num(int *num);
int MPI_T_pvar_get_info(int index, char *name, int *name_len, int *verbosity, int *pvar_class, void *datatype, void *items,
                        char *desc, int *desc_len, int *bind, int *readonly, int *continuous, int *atomic);

int main(int argc, char **argv)
{
    int provided, num, before, plugin;
    MPI_T_init_thread(0, &provided);
    MPI_T_pvar_get_num(&before);
    for (int arg = 1; arg < argc; arg++) {
        plugin = -1;
        int code = mpit_plugin_load(argv[arg], &plugin);
        printf("load %s %d %d\n", argv[arg], code != 0, plugin);
        int same = plugin, again = mpit_plugin_load(argv[arg], &same) != 0 || same != plugin;
        int first = mpit_plugin_deactivate(plugin), second = mpit_plugin_deactivate(plugin);
        printf("again %d %d %d %d\n", again, first != 0, second != 0, mpit_plugin_load(argv[arg], 0) != 0);
    }
    MPI_T_pvar_get_num(&num);
    printf("%d more\n", num - before);
    for (int index = 0; index < num; index++) {
        char name[256];
        int len = sizeof name;
        if (!MPI_T_pvar_get_info(index, name, &len, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            printf("pvar %s\n", name);
    }
    MPI_T_finalize();
    return 0;
}
