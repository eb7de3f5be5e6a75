/* Forks while another thread is inside the tools interface.
 *
 *     fork                   (1 process)
 *
 * R320: a thread creates and frees sessions, handles and registrations, and looks names up. Meanwhile the process forks
 * repeatedly, and each child makes the same calls. No child may wait for a lock that was held by a thread of its parent. */
#include "mpit.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 400, PATIENCE = 10 };

static MPI_Comm self; /* A copy of the handle. */
static int with_events;
static atomic_int over, broken;

#define WORKS(call)                                                                                                    \
    do {                                                                                                               \
        if ((call) != MPI_SUCCESS && !atomic_exchange(&broken, 1))                                                     \
            fprintf(stderr, "fork: line %d: fails: %s\n", __LINE__, #call);                                            \
    } while (0)

/* All kinds of calls that change the state of the interface. */
static void all_calls(void)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handles[3];
    MPI_T_cvar_handle setting;
    MPI_T_event_registration registration;
    int index, count, number;
    WORKS(MPI_T_pvar_session_create(&session));
    WORKS(MPI_T_pvar_get_index("pml_monitoring_messages_total", MPI_T_PVAR_CLASS_COUNTER, &index));
    for (int i = 0; i < 3; i++)
        WORKS(MPI_T_pvar_handle_alloc(session, index, NULL, &handles[i], &count));
    WORKS(MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    WORKS(MPI_T_pvar_handle_free(session, &handles[1]));
    WORKS(MPI_T_cvar_get_index("pml_components", &index));
    WORKS(MPI_T_cvar_handle_alloc(index, NULL, &setting, &count));
    WORKS(MPI_T_cvar_handle_free(&setting));
    WORKS(MPI_T_category_get_num_events(0, &number));
    WORKS(MPI_T_category_get_pvars(0, 0, NULL));
    if (with_events) {
        WORKS(MPI_T_event_get_index("pml_message_sent", &index));
        WORKS(MPI_T_event_handle_alloc(index, &self, MPI_INFO_NULL, &registration));
        WORKS(MPI_T_event_handle_free(registration, NULL, NULL));
    }
    WORKS(MPI_T_pvar_session_free(&session));
    WORKS(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &number));
    WORKS(MPI_T_finalize());
}

static void *call_on(void *unused)
{
    while (!over)
        all_calls();
    return NULL;
}

/* Returns the number of children that hang or fail: 0, or 1 after the first. */
static int children(void)
{
    pthread_t thread;
    int bad = 0;
    over = 0;
    pthread_create(&thread, NULL, call_on, NULL);
    for (int i = 0; i < FORKS && !bad; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            alarm(PATIENCE);
            for (int j = 0; j < 5; j++)
                all_calls();
            _exit(broken);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            const char *why = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hangs" : "fails";
            printf("fork: R320 child %d %s (status %#x)\n", i, why, (unsigned)status);
            bad = 1;
        }
    }
    over = 1;
    pthread_join(thread, NULL);
    return bad;
}

int main(int argc, char **argv)
{
    int provided, bad;
    self = MPI_COMM_SELF;
    setvbuf(stdout, NULL, _IONBF, 0);
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    bad = children();
    if (!bad) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        with_events = 1;
        bad = children();
        MPI_Finalize();
    }
    MPI_T_finalize();
    printf("fork: %d children hang or fail\n", bad);
    return bad || broken;
}
