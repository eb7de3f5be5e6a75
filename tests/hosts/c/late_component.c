/* Registers components between equal calls: they receive the calls after their registration, and monitoring counts all calls.
 *
 *     late_component DIRECTORY        (2 processes)
 */
#include "expected_rows.h"
#include "mpit.h"
#include "mpit_plugin.h"

enum { PROCESSES = 2, TIMES = 6, K = 3 };

static int sent, done;
static struct mpit_switch to_messages, to_operations;

static int open_it(void *listening, uint32_t world_rank, uint32_t world_size)
{
    (void)world_rank, (void)world_size;
    mpit_switch_on((struct mpit_switch *)listening);
    return 0;
}

static void close_it(void *listening)
{
    mpit_switch_off((struct mpit_switch *)listening);
}

static void on_message(void *listening, const struct mpit_message *message)
{
    (void)listening, (void)message;
    sent++;
}

static void on_operation(void *listening, const struct mpit_operation *operation)
{
    (void)listening, (void)operation;
    done++;
}

#define COMPONENT(framework_, listening_)                                                                             \
    .size = sizeof(struct mpit_component), .framework = framework_, .name = "late", .description = "Counts calls.",   \
    .listening = &listening_, .user_data = &listening_, .open = open_it, .close = close_it
static const struct mpit_component components[] = {
    {COMPONENT("pml", to_messages), .sent = on_message, MPIT_HERE},
    {COMPONENT("coll", to_operations), .done = on_operation, MPIT_HERE},
};
static const struct mpit_table table = {MPIT_TABLE("late"), MPIT_LIST(components)};

static void equal_calls(void)
{
    const int other = 1 - world_rank;

    for (int i = 0; i < TIMES; i++) {
        int out[K] = {0}, in[K];
        MPI_Request request;
        MPI_Irecv(in, K, MPI_INT, other, 3, MPI_COMM_WORLD, &request);
        MPI_Send(out, K, MPI_INT, other, 3, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Allreduce(out, in, K, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    expect("E", other, TIMES, TIMES * K * INT);
    expect("C", other, TIMES, TIMES * K * INT);
    expect_on("A2A", "MPI_COMM_WORLD", TIMES, TIMES * K * INT);
}

int main(int argc, char **argv)
{
    open_expected_rows(&argc, &argv, PROCESSES);
    equal_calls();
    equal_calls();
    require(mpit_register(&table) == 0, "mpit_register");
    equal_calls();
    require(sent == TIMES && done == TIMES, "the calls after the registration");
    return close_expected_rows();
}
