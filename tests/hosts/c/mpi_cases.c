/* MPI programs, one for each name. Their output, files and exit status must not depend on a preloaded library.
 *
 *     mpi_cases NAME         (1 process)
 */
#define _GNU_SOURCE
#include "cases.h"

#include <mpi.h>
#include <sys/stat.h>

static void say_number(const char *what, long number)
{
    printf("%s: %ld\n", what, number);
    fflush(stdout);
}

/* Pipes and sockets are left out: a library has more or fewer of them, depending on its launcher. */
static void say_open_files(void)
{
    struct stat status;
    long open = 0;

    for (int fd = 3; fd < 1024; fd++)
        open += fstat(fd, &status) == 0 && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode);
    say_number("files open after MPI_Finalize", open);
}

/* A message, a collective operation and an access, each to this process itself. */
static void communicate(MPI_Comm comm)
{
    int out[3] = {1, 2, 3}, in[3] = {0}, sum = 0, memory = 0;
    MPI_Win win;

    MPI_Sendrecv(out, 3, MPI_INT, 0, 7, in, 3, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE);
    MPI_Allreduce(&in[2], &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, comm, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&sum, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    if (in[1] != 2 || memory != 3)
        say("wrong data");
}

static void act(void)
{
    communicate(MPI_COMM_WORLD);
}

static int deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
    say("MPI_Finalize has begun");
    communicate(MPI_COMM_WORLD);
    communicate(comm);
    return MPI_SUCCESS;
}

static int finalizes(void)
{
    int keyval;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    return 0;
}

static void say_state(void)
{
    int is_up, is_down;

    MPI_Initialized(&is_up);
    MPI_Finalized(&is_down);
    say_number("initialized", is_up);
    say_number("finalized", is_down);
}

static void end_at_exit(void)
{
    MPI_Finalize();
    say_state();
}

static int finalizes_at_exit(void)
{
    atexit(end_at_exit);
    exit(3);
}

static int ends_in_destructor;

__attribute__((destructor)) static void end_in_destructor(void)
{
    if (ends_in_destructor)
        end_at_exit();
}

static int finalizes_in_a_destructor(void)
{
    ends_in_destructor = 1;
    exit(4);
}

static int handled;

static void handle(MPI_Comm *comm, int *code, ...)
{
    int class;

    handled++;
    MPI_Error_class(*code, &class);
    printf("handled: a wrong rank %d\n", class == MPI_ERR_RANK || class == MPI_ERR_ROOT);
    fflush(stdout);
}

static void say_class(const char *what, int code)
{
    int class;

    MPI_Error_class(code, &class);
    say_number(what, class);
}

static int errors(void)
{
    int out = 1, in = 0;
    MPI_Errhandler errhandler;
    MPI_Comm comm;
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    say_class("rank", MPI_Send(&out, 1, MPI_INT, 1000, 0, comm));
    say_class("negative rank", MPI_Isend(&out, 1, MPI_INT, -77, 0, comm, &request));
    say_class("tag", MPI_Send(&out, 1, MPI_INT, 0, -77, comm));
    say_class("count", MPI_Send(&out, -1, MPI_INT, 0, 0, comm));
    say_class("type", MPI_Send(&out, 1, MPI_DATATYPE_NULL, 0, 0, comm));
    say_class("communicator", MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    say_class("root", MPI_Bcast(&out, 1, MPI_INT, 1000, comm));
    say_class("operation", MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_OP_NULL, comm));
    say_class("none", MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 0, comm));
    MPI_Comm_create_errhandler(handle, &errhandler);
    MPI_Comm_set_errhandler(comm, errhandler);
    MPI_Errhandler_free(&errhandler);
    MPI_Send(&out, 1, MPI_INT, 1000, 0, comm);
    MPI_Bcast(&out, 1, MPI_INT, 1000, comm);
    say_number("handled", handled);
    communicate(MPI_COMM_SELF);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    return 0;
}

static int is_fatal(void)
{
    int out = 1;

    return MPI_Send(&out, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
}

static int aborts_mpi(void)
{
    return MPI_Abort(MPI_COMM_WORLD, 3);
}

static int exits(void)
{
    exit(5);
}

static int has_names(void)
{
    const int keys[] = {MPI_TAG_UB, MPI_WTIME_IS_GLOBAL};
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int length, present, level, rank, size, *value, memory = 0;
    MPI_Comm comm, twin;
    MPI_Win win;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(comm, &twin);
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    say(name);
    MPI_Comm_get_name(comm, name, &length);
    say_number("letters of a name", length);
    MPI_Comm_set_name(comm, "a name \033[31m of its own");
    MPI_Comm_get_name(comm, name, &length);
    say_number("letters of a name", length);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, comm, &win);
    MPI_Win_set_name(win, "window");
    communicate(comm);
    MPI_Win_get_name(win, name, &length);
    say(name);
    MPI_Win_free(&win);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        MPI_Comm_get_attr(MPI_COMM_WORLD, keys[i], &value, &present);
        say_number("attribute", present ? *value : -1);
    }
    MPI_Query_thread(&level);
    say_number("level", level);
    MPI_Comm_rank(twin, &rank);
    MPI_Comm_size(twin, &size);
    printf("%d of %d\n", rank, size);
    MPI_Comm_free(&twin);
    return MPI_Comm_free(&comm);
}

static int has_many(void)
{
    enum { MANY = 600 };
    static MPI_Comm all[MANY];
    static int memory;
    MPI_Win win;

    for (int i = 0; i < MANY; i++) {
        MPI_Comm_dup(i ? all[i - 1] : MPI_COMM_SELF, &all[i]);
        MPI_Barrier(all[i]);
    }
    for (int i = 0; i < MANY; i++)
        MPI_Comm_free(&all[(i * 7) % MANY]);
    for (int i = 0; i < 100; i++) {
        MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
        MPI_Win_free(&win);
    }
    return 0;
}

static int requests(void)
{
    int out[4] = {1, 2, 3, 4}, in[4] = {0}, done, at, count, flag;
    MPI_Request all[4], one;
    MPI_Status status, statuses[4];

    for (int i = 0; i < 2; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &all[i]);
        MPI_Isend(&out[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &all[2 + i]);
    }
    MPI_Waitall(4, all, statuses);
    say_number("tag", statuses[1].MPI_TAG);
    MPI_Recv_init(in, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &all[0]);
    MPI_Send_init(out, 3, MPI_INT, 0, 9, MPI_COMM_SELF, &all[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, all);
        for (done = 0; done < 2;) {
            MPI_Waitany(2, all, &at, &status);
            if (at == 0)
                MPI_Get_count(&status, MPI_INT, &count), say_number("received", count);
            done++;
        }
    }
    MPI_Request_free(&all[0]), MPI_Request_free(&all[1]);
    MPI_Irecv(in, 4, MPI_INT, 0, 77, MPI_COMM_SELF, &one);
    MPI_Cancel(&one);
    MPI_Wait(&one, &status);
    MPI_Test_cancelled(&status, &flag);
    say_number("canceled", flag);
    MPI_Test(&one, &flag, &status);
    say_number("of no request", flag);
    MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    say_number("probed", flag);
    return 0;
}

static int buffers(void)
{
    static char memory[4096 + MPI_BSEND_OVERHEAD];
    int out = 5, in = 0, size;
    void *same;

    MPI_Buffer_attach(memory, sizeof memory);
    MPI_Bsend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&same, &size);
    say_number("the same buffer", same == memory && size == sizeof memory);
    return in == 5 ? 0 : 1;
}

static int types(void)
{
    char packed[256], from[64] = "abcdefghijklmnopqrstuvwxyz", to[64] = "";
    int at = 0, size, elements;
    MPI_Datatype vector;
    MPI_Request requests[2];
    MPI_Status status;

    MPI_Type_vector(3, 2, 4, MPI_CHAR, &vector);
    MPI_Type_commit(&vector);
    MPI_Pack(from, 1, vector, packed, sizeof packed, &at, MPI_COMM_SELF);
    MPI_Type_size(vector, &size);
    say_number("size", size);
    MPI_Irecv(to, 1, vector, 0, 3, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(from, 1, vector, 0, 3, MPI_COMM_SELF, &requests[1]);
    MPI_Get_address(to, &(MPI_Aint){0});
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], &status);
    MPI_Get_elements(&status, vector, &elements);
    MPI_Type_free(&vector);
    say_number("elements", elements);
    printf("%.2s%.2s%.2s\n", to, to + 4, to + 8);
    return 0;
}

static int files(void)
{
    int out[4] = {1, 2, 3, 4}, in[4] = {0};
    MPI_File file;

    MPI_File_open(MPI_COMM_WORLD, "of_mpi", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 0, out, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 4, in, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    printf("%d %d\n", in[0], in[1]);
    return 0;
}

static int interrupted(void)
{
    set_timer(300);
    while (interrupts < 50)
        communicate(MPI_COMM_WORLD);
    set_timer(0);
    say("interrupted 50 times");
    return 0;
}

static int has_children(void)
{
    int status;

    atexit(at_exit);
    for (volatile int way = 0; way < 3; way++) {
        const pid_t child = way == 1 ? vfork() : fork();
        if (child == 0) {
            if (way < 2) {
                execl("/bin/sh", "sh", "-c", "exit 8", (char *)NULL);
                _exit(127);
            }
            closefrom(3);
            _exit(9);
        }
        waitpid(child, &status, 0);
        say_end("child", status);
        communicate(MPI_COMM_WORLD);
    }
    run_commands();
    return 11;
}

static int changes_directory(void)
{
    if (system("mkdir below") != 0 || chdir("below") != 0)
        return 1;
    FILE *file = fopen("written", "w");
    fputs("below\n", file);
    return fclose(file);
}

/* No further file can be opened. */
static int has_no_files_left(void)
{
    const int next = dup(0);
    close(next);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)next, 4096});
    communicate(MPI_COMM_WORLD);
    say("no file can be opened");
    return 0;
}

static void *on_a_small_stack(void *comm)
{
    int out = 1, in, sum;

    for (int i = 0; i < 20; i++) {
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 7, &in, 1, MPI_INT, 0, 7, *(MPI_Comm *)comm, MPI_STATUS_IGNORE);
        MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, *(MPI_Comm *)comm);
    }
    return NULL;
}

static int has_small_stacks(void)
{
    enum { STACK = 128 * 1024, THREADS = 3 };
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    MPI_Comm comms[THREADS];

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], &attributes, on_a_small_stack, &comms[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&comms[i]);
    say("all threads have ended");
    return 0;
}

/* Executes another program after MPI_Finalize. */
static int becomes_another(void)
{
    MPI_Finalize();
    say_state();
    execl("/bin/sh", "sh", "-c", "echo another; exit 12", (char *)NULL);
    return 1;
}

static int is_silent(void)
{
    fclose(stdin);
    fclose(stdout);
    fclose(stderr);
    communicate(MPI_COMM_WORLD);
    const int file = open("file", O_WRONLY | O_CREAT, 0600);
    communicate(MPI_COMM_WORLD);
    return write(file, "written\n", 8) == 8 ? 0 : 1;
}

static const struct {
    const char *name;
    int (*run)(void);
    int level;
} CASES[] = {
    {"nothing", does_nothing, 0},
    {"finalize", finalizes, 0},
    {"finalize_at_exit", finalizes_at_exit, 0},
    {"finalize_in_a_destructor", finalizes_in_a_destructor, 0},
    {"errors", errors, 0},
    {"fatal", is_fatal, 0},
    {"mpi_abort", aborts_mpi, 0},
    {"exit", exits, 0},
    {"_exit", exits_at_once, 0},
    {"killed", is_killed, 0},
    {"aborted", aborts, 0},
    {"names", has_names, 0},
    {"many", has_many, 0},
    {"requests", requests, 0},
    {"buffers", buffers, 0},
    {"types", types, 0},
    {"files", files, 0},
    {"interrupted", interrupted, 0},
    {"children", has_children, 0},
    {"chdir", changes_directory, 0},
    {"no_files_left", has_no_files_left, 0},
    {"floating_point", calculates, 0},
    {"small_stacks", has_small_stacks, MPI_THREAD_MULTIPLE},
    {"input", reads_input, 0},
    {"becomes_another", becomes_another, 0},
    {"silent", is_silent, 0},
};

int main(int argc, char **argv)
{
    int level, is_down;

    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        if (argc != 2 || strcmp(argv[1], CASES[i].name) != 0)
            continue;
        if (CASES[i].level)
            MPI_Init_thread(&argc, &argv, CASES[i].level, &level);
        else
            MPI_Init(&argc, &argv);
        /* Without RDMA, Open MPI 4.1 has no windows at MPI_THREAD_MULTIPLE. */
        if (CASES[i].run != does_nothing && CASES[i].level != MPI_THREAD_MULTIPLE)
            act();
        const int code = CASES[i].run();
        MPI_Finalized(&is_down);
        if (!is_down)
            MPI_Finalize();
        say_open_files();
        return code;
    }
    fprintf(stderr, "mpi_cases: no such case\n");
    return 99;
}
