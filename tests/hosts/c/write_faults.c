/* Makes it impossible for this process to write files after MPI_Init, and ends normally.
 *
 *     write_faults FAULT [ARGUMENT] [RANK]     on all ranks or one
 *
 * FAULT is `errno` with an error number that the creation of files fails with; `size` and `descriptors`, limits; `chroot` with a directory;
 * `user`, another one; `occupied` with a directory, in whose place is a file then; `none`; and `late`, which ends the process by a signal in
 * the creation of files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void fail(const char *what)
{
    perror(what);
    exit(9);
}

/* Lets the creation of files have a result of the filter. */
static void filter_creation(unsigned result)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, result),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        fail("seccomp");
}

static void limit(int resource, rlim_t value)
{
    struct rlimit both;

    getrlimit(resource, &both);
    both.rlim_cur = value;
    if (setrlimit(resource, &both) != 0)
        fail("setrlimit");
}

static void break_files(const char *fault, const char *argument)
{
    char moved[4096];

    if (strcmp(fault, "errno") == 0)
        filter_creation(SECCOMP_RET_ERRNO | (unsigned)atoi(argument));
    else if (strcmp(fault, "late") == 0)
        filter_creation(SECCOMP_RET_KILL_PROCESS);
    else if (strcmp(fault, "size") == 0)
        limit(RLIMIT_FSIZE, 100);
    else if (strcmp(fault, "descriptors") == 0)
        limit(RLIMIT_NOFILE, 3);
    else if (strcmp(fault, "chroot") == 0 && (chroot(argument) != 0 || chdir("/") != 0))
        fail("chroot");
    else if (strcmp(fault, "user") == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        fail("setuid");
    else if (strcmp(fault, "occupied") == 0) {
        snprintf(moved, sizeof moved, "%s.moved", argument);
        if (rename(argument, moved) == 0 && close(open(argument, O_CREAT | O_WRONLY, 0666)) != 0)
            fail("occupied");
    }
}

int main(int argc, char **argv)
{
    int rank, size, block = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &block, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc < 4 || atoi(argv[3]) == rank)
        break_files(argc > 1 ? argv[1] : "none", argc > 2 ? argv[2] : "");
    MPI_Finalize();
    printf("ended\n");
    return 0;
}
