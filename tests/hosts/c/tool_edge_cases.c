/* Unusual but possible uses of MPI_T by tools, in one process at MPI_THREAD_MULTIPLE: a communicator in place of its address,
 * invalid addresses, reads of every setting of the library, and a thread level below that of MPI. */
#define _GNU_SOURCE
#include "checks.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int messages;

/* A communicator in place of its address, which some tools pass. */
#define ITSELF(comm) ((void *)(uintptr_t)(comm))

/* Allocates a handle: returns the code, and the number of elements if it succeeds. */
static int count_of(void *object, int *count)
{
    MPI_T_pvar_handle handle;
    int rc = MPI_T_pvar_handle_alloc(session, messages, object, &handle, count);
    if (rc == MPI_SUCCESS) {
        unsigned long long values[16] = {0};
        check(MPI_T_pvar_start(session, handle) == MPI_SUCCESS, "MPI_T_pvar_start");
        check(*count <= 16 && MPI_T_pvar_read(session, handle, values) == MPI_SUCCESS, "MPI_T_pvar_read");
        MPI_T_pvar_handle_free(session, &handle);
    }
    return rc;
}

static void addresses(const char *when)
{
    int count = 0;
    MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF, null = MPI_COMM_NULL;
    long page = sysconf(_SC_PAGESIZE);
    char *pages = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Comm *last = (MPI_Comm *)(pages + page - sizeof world);
    printf("%s\n", when);
    check(mprotect(pages + page, page, PROT_NONE) == 0, "mprotect");
    *last = MPI_COMM_WORLD;

    check(count_of(&world, &count) == MPI_SUCCESS && count == 1, "the address of the world");
    check(count_of(&self, &count) == MPI_SUCCESS && count == 1, "the address of self");
    check(count_of(last, &count) == MPI_SUCCESS && count == 1, "the last handle of a page");
    check(count_of(ITSELF(MPI_COMM_WORLD), &count) == MPI_SUCCESS && count == 1, "the world itself");
    check(count_of(ITSELF(MPI_COMM_SELF), &count) == MPI_SUCCESS && count == 1, "self itself");

    check(count_of(&null, &count) == MPI_T_ERR_INVALID_HANDLE, "the address of none");
    check(count_of(ITSELF(MPI_COMM_NULL), &count) == MPI_T_ERR_INVALID_HANDLE, "none itself");
    check(count_of(0, &count) == MPI_T_ERR_INVALID_HANDLE, "a null pointer");
    check(count_of((void *)(uintptr_t)24, &count) == MPI_T_ERR_INVALID_HANDLE, "the first page");
    check(count_of(pages + page, &count) == MPI_T_ERR_INVALID_HANDLE, "a page that cannot be read");
    check(count_of(pages + page - 2, &count) == MPI_T_ERR_INVALID_HANDLE, "half in such a page");
    check(count_of((void *)(uintptr_t)-4096, &count) == MPI_T_ERR_INVALID_HANDLE, "the end of memory");
    check(count_of((void *)(uintptr_t)0x1234567890abcdef, &count) == MPI_T_ERR_INVALID_HANDLE, "no address at all");
    munmap(pages, 2 * page);
}

/* Makes the kernel refuse process_vm_readv, as in containers. */
static void refuse_reads_of_memory(void)
{
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof lines / sizeof lines[0], lines};
    int is_set = !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
    printf("%s\n", is_set ? "in a sandbox" : "there is no sandbox here");
}

static int read_all(void)
{
    static char value[1 << 20];
    int read = 0, num = 0;
    check(MPI_T_cvar_get_num(&num) == MPI_SUCCESS, "MPI_T_cvar_get_num");
    for (int i = 0; i < num; i++) {
        MPI_T_cvar_handle handle;
        int count;
        if (MPI_T_cvar_handle_alloc(i, 0, &handle, &count) != MPI_SUCCESS)
            continue;
        if (MPI_T_cvar_read(handle, value) == MPI_SUCCESS)
            read++;
        MPI_T_cvar_handle_free(&handle);
    }
    return read;
}

int main(int argc, char **argv)
{
    int provided, level, before, count;
    /* `early`: the tool initializes MPI_T before MPI, and sees settings of components that are dropped later. */
    const int early = argc > 1 && !strcmp(argv[1], "early");
    if (early)
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Query_thread(&before);
    if (!early)
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Query_thread(&level);
    check(before == MPI_THREAD_MULTIPLE && level == before, "the thread level after a tool requested less");
    printf("%d settings\n", read_all() > 20);

    messages = pvar_named("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE);
    check(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "the session");
    MPI_Comm copy, met;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_dup(MPI_COMM_WORLD, &met);
#ifdef OPEN_MPI
    check(count_of(ITSELF(copy), &count) == MPI_SUCCESS && count == 1, "a communicator itself");
#endif
    check(count_of(&met, &count) == MPI_SUCCESS && count == 1, "the address of a communicator");
    check(count_of(ITSELF(met), &count) == MPI_SUCCESS && count == 1, "a communicator itself that was met");
    MPI_Comm_free(&copy);
    MPI_Comm_free(&met);
    addresses("as it is");
    refuse_reads_of_memory();
    addresses("where reading is refused");
    return end_tool();
}
