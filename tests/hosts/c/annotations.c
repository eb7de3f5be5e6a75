/* Regions by annotations for other tools, with numbers of barriers that are built in. The first argument selects them: `pcontrol`,
 * `kokkos`, `nvtx`, or `times` for regions with known times. Kokkos and the header of NVTX are not needed: the program looks the
 * functions of a tool up and calls them as these do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "mpit_region.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: not %s\n", __LINE__, #condition);                                                \
            exit(3);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void barriers(int count)
{
    while (count-- > 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void run_pcontrol(void)
{
    long page = sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *unterminated;
    char name[8] = "solver";

    REQUIRE(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    unterminated = memset(pages + page - 4, 'x', 4);
    MPI_Pcontrol(9093, name);
    barriers(2);
    MPI_Pcontrol(9093, "inner");
    barriers(3);
    MPI_Pcontrol(9094, "inner");
    /* The name was copied. */
    strcpy(name, "other");
    barriers(4);
    strcpy(name, "solver");
    MPI_Pcontrol(9094, name);
    barriers(5);
    MPI_Pcontrol(9094, "never begun");
    /* No names: these are levels. */
    MPI_Pcontrol(9093, (char *)16);
    barriers(6);
    MPI_Pcontrol(9093, unterminated);
    MPI_Pcontrol(9093, "\xff\xfe");
    MPI_Pcontrol(9093, "");
    barriers(7);
    MPI_Pcontrol(9094, NULL);
    barriers(8);
    MPI_Pcontrol(1);
}

/* A function of a tool, as Kokkos looks it up. */
static void *tool, *found;
#define CALL(name, type, ...)                                                                                          \
    do {                                                                                                               \
        if (tool && (found = dlsym(tool, name))) {                                                                     \
            void(*function) type;                                                                                      \
            memcpy(&function, &found, sizeof function);                                                                \
            function(__VA_ARGS__);                                                                                     \
        }                                                                                                              \
    } while (0)

static void kernel(const char *kind, const char *name, int count)
{
    char begin[64], end[64];
    uint64_t id = 0;

    snprintf(begin, sizeof begin, "kokkosp_begin_%s", kind);
    snprintf(end, sizeof end, "kokkosp_end_%s", kind);
    CALL(begin, (const char *, uint32_t, uint64_t *), name, 0, &id);
    barriers(count);
    CALL(end, (uint64_t), id);
}

static void run_kokkos(void)
{
    const char *path = getenv("KOKKOS_TOOLS_LIBS");
    struct {
        bool requires_global_fencing;
        bool padding[255];
    } settings = {.requires_global_fencing = true};
    uint64_t first = 0, second = 0;
    uint32_t section = 0;

    if (path) {
        tool = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        REQUIRE(tool);
    }
    CALL("kokkosp_request_tool_settings", (uint32_t, void *), 1, &settings);
    REQUIRE(settings.requires_global_fencing == !tool);
    CALL("kokkosp_init_library", (int, uint64_t, uint32_t, void *), 0, 20211015, 1, NULL);
    barriers(1);
    CALL("kokkosp_push_profile_region", (const char *), "step");
    kernel("parallel_for", "update", 2);
    barriers(3);
    kernel("parallel_reduce", "norm", 4);
    kernel("parallel_scan", "offsets", 5);
    CALL("kokkosp_pop_profile_region", (void));
    CALL("kokkosp_create_profile_section", (const char *, uint32_t *), "output", &section);
    CALL("kokkosp_start_profile_section", (uint32_t), section);
    barriers(6);
    /* Kernels on different streams may overlap. */
    CALL("kokkosp_begin_parallel_for", (const char *, uint32_t, uint64_t *), "first", 0, &first);
    CALL("kokkosp_begin_parallel_for", (const char *, uint32_t, uint64_t *), "second", 0, &second);
    CALL("kokkosp_end_parallel_for", (uint64_t), first);
    CALL("kokkosp_stop_profile_section", (uint32_t), section);
    barriers(7);
    CALL("kokkosp_end_parallel_for", (uint64_t), second);
    barriers(8);
    CALL("kokkosp_finalize_library", (void));
}

/* The part of the header of NVTX that is for tools: tables of the places of pointers to functions. */
struct event {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};

static void *core[16], *domains[16];
static void **core_table[17], **domain_table[17];

static int get_functions(int module, void ****table, unsigned *len)
{
    if (module != 1 && module != 5)
        return 0;
    *table = module == 1 ? core_table : domain_table;
    *len = 16;
    return 1;
}

static const struct {
    size_t size;
    int (*get_functions)(int, void ****, unsigned *);
} callbacks = {sizeof callbacks, get_functions};

static const void *get_table(uint32_t number)
{
    return number == 1 ? &callbacks : NULL;
}

/* Calls a function of a table if a tool has set it, as the header does. */
#define NVTX(table, number, otherwise, result, type, ...)                                                              \
    (table[number] ? ((result(*) type)(uintptr_t)table[number])(__VA_ARGS__) : (result)otherwise)

static void *in_thread(void *argument)
{
    /* Does not disturb the regions of the thread that calls MPI. */
    NVTX(core, 9, -2, int, (const char *), "of another thread");
    return argument;
}

static void run_nvtx(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    struct event event = {.version = 3, .size = sizeof event, .message_type = 1, .message = "of attributes"};
    void *domain, *registered;
    pthread_t thread;
    uint64_t range;
    int at;

    for (at = 1; at < 16; at++) {
        core_table[at] = &core[at];
        domain_table[at] = &domains[at];
    }
    if (path) {
        int (*initialize)(const void *(*)(uint32_t)) = NULL;

        tool = dlopen(path, RTLD_LAZY);
        REQUIRE(tool && (found = dlsym(tool, "InitializeInjectionNvtx2")));
        memcpy(&initialize, &found, sizeof initialize);
        REQUIRE(initialize(get_table) == 1);
    }
    barriers(1);
    REQUIRE(NVTX(core, 9, -2, int, (const char *), "pushed") == -2);
    barriers(2);
    range = NVTX(core, 5, 0, uint64_t, (const char *), "started");
    barriers(3);
    NVTX(core, 10, -2, int, (const wchar_t *), L"größer");
    barriers(4);
    NVTX(core, 7, 0, void, (uint64_t), range);
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    barriers(5);
    NVTX(core, 8, -2, int, (const struct event *), &event);
    barriers(6);
    REQUIRE(NVTX(core, 11, -2, int, (void)) == -2);
    NVTX(core, 11, -2, int, (void));
    barriers(7);
    domain = NVTX(domains, 12, NULL, void *, (const char *), "library");
    registered = NVTX(domains, 10, NULL, void *, (void *, const char *), domain, "registered");
    event.message_type = 3;
    event.message = registered;
    NVTX(domains, 4, -2, int, (void *, const struct event *), domain, &event);
    barriers(8);
    /* Ends the range of the other domain. */
    NVTX(core, 11, -2, int, (void));
    barriers(9);
    NVTX(domains, 5, -2, int, (void *), domain);
    event.message_type = 0;
    range = NVTX(domains, 2, 0, uint64_t, (void *, const struct event *), NULL, &event);
    barriers(10);
    NVTX(domains, 3, 0, void, (void *, uint64_t), NULL, range);
    barriers(11);
}

static void run_times(int rank)
{
    int turn;

    mpit_region_end("started");
    mpit_region_end("early");
    for (turn = 0; turn < 2; turn++) {
        mpit_region_begin("compute");
        usleep(rank == 0 ? 50000 : 100000);
        mpit_region_end("compute");
    }
    barriers(1);
    mpit_region_begin("exchange");
    if (rank != 0)
        usleep(200000);
    barriers(1);
    mpit_region_end("exchange");
    if (rank == 0) {
        mpit_region_begin("alone");
        usleep(50000);
        mpit_region_end("alone");
    }
    mpit_region_begin("to the end");
    usleep(100000);
    mpit_region_begin("inside");
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    int rank, level;

    if (strcmp(which, "times") == 0) {
        mpit_region_begin("early");
        mpit_region_begin("started");
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(which, "pcontrol") == 0)
        run_pcontrol();
    else if (strcmp(which, "kokkos") == 0)
        run_kokkos();
    else if (strcmp(which, "nvtx") == 0)
        run_nvtx();
    else
        run_times(rank);
    MPI_Finalize();
    return 0;
}
