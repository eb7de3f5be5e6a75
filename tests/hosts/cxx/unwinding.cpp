// Leaves MPI calls by unwinding the stack, and goes on: by exceptions, by pthread_exit, and by pthread_cancel. Everything is
// recorded all the same. Linked with different unwinders.
//
//     unwinding DIRECTORY           (1 process)
//     unwinding DIRECTORY no_files  no file can be opened during the exceptions
#include "../c/expected_rows.h"

#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST_FILES = 64 };

static MPI_Comm comm;
static int block;
static const char *way;

// A message to this process itself, from further down the stack than the call that was left.
static __attribute__((noinline)) void to_itself(int depth)
{
    volatile char frame[512];
    int received;

    frame[0] = (char)depth;
    if (depth > 0) {
        to_itself(depth - 1);
        frame[1] = frame[0];
        return;
    }
    MPI_Sendrecv(&block, 1, MPI_INT, world_rank, 5, &received, 1, MPI_INT, world_rank, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect("E", world_rank, 1, sizeof(int));
}

static void handler(MPI_Comm *, int *code, ...)
{
    if (!strcmp(way, "exception"))
        throw *code;
    if (!strcmp(way, "exit"))
        pthread_exit(&block);
    pthread_cancel(pthread_self());
    pthread_testcancel();
}

static void *sends(void *)
{
    MPI_Send(&block, 1, MPI_INT, 1000, 0, comm);
    return NULL;
}

static void *broadcasts(void *)
{
    MPI_Bcast(&block, 1, MPI_INT, 1000, comm);
    return NULL;
}

static void *puts_to_a_window(void *window)
{
    MPI_Put(&block, 1, MPI_INT, 1000, 0, 1, MPI_INT, *(MPI_Win *)window);
    return NULL;
}

// The error handler of a window.
static void win_handler(MPI_Win *, int *code, ...)
{
    handler(&comm, code);
}

static void check(const char *what, int is_right)
{
    printf("%s: %s\n", what, is_right ? "right" : "wrong");
    fflush(stdout);
    to_itself(0);
    to_itself(20);
}

static void throws(const char *name, void *(*call)(void *), void *argument)
{
    int caught = 0;

    way = "exception";
    try {
        call(argument);
    } catch (int) {
        caught = 1;
    }
    check(name, caught);
}

static void ends_threads(const char *name, void *(*call)(void *), void *argument)
{
    pthread_t thread;
    void *result;

    way = "exit";
    pthread_create(&thread, NULL, call, argument);
    pthread_join(thread, &result);
    check(name, result == &block);
    way = "cancellation";
    pthread_create(&thread, NULL, call, argument);
    pthread_join(thread, &result);
    check(name, result == PTHREAD_CANCELED);
}

// Opens files until the limit, which is reduced first. Returns their number.
static int open_all(int *files)
{
    struct rlimit limit;
    int opened = 0;

    getrlimit(RLIMIT_NOFILE, &limit);
    // Descriptors above are in use already.
    limit.rlim_cur = (rlim_t)dup(STDERR_FILENO) + 1;
    close((int)limit.rlim_cur - 1);
    setrlimit(RLIMIT_NOFILE, &limit);
    while (opened < MOST_FILES && (files[opened] = open("/dev/null", O_RDONLY)) >= 0)
        opened++;
    require(opened < MOST_FILES, "all files are open");
    return opened;
}

int main(int argc, char **argv)
{
    MPI_Errhandler errhandler, of_win;
    MPI_Win window;
    struct rlimit limit;
    int files[MOST_FILES], opened, *memory;

    initialize_with = MPI_THREAD_SERIALIZED;
    open_expected_rows(&argc, &argv, 1);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Win_create_errhandler(win_handler, &of_win);
    MPI_Comm_set_errhandler(comm, errhandler);
    MPI_Win_set_errhandler(window, of_win);
    to_itself(0);

    getrlimit(RLIMIT_NOFILE, &limit);
    opened = argc > 2 ? open_all(files) : 0;
    for (int i = 0; i < 2; i++) {
        throws("an exception in a send", sends, NULL);
        throws("an exception in a broadcast", broadcasts, NULL);
        throws("an exception in an access", puts_to_a_window, &window);
    }
    while (opened > 0)
        close(files[--opened]);
    setrlimit(RLIMIT_NOFILE, &limit);

    ends_threads("the end of a thread in a send", sends, NULL);
    ends_threads("the end of a thread in a broadcast", broadcasts, NULL);
    ends_threads("the end of a thread in an access", puts_to_a_window, &window);

    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Errhandler_free(&errhandler);
    MPI_Errhandler_free(&of_win);
    MPI_Comm_free(&comm);
    close_expected_rows();
    return EXIT_SUCCESS;
}
