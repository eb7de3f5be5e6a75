/* A tool inside the program registers for `pml_message_sent` on MPI_COMM_WORLD, and must receive each message of its process
 * exactly once, with its data. Prints a line for each failure.
 *
 * More than one process; each sends to its right neighbor. */
#include "checks.h"

enum { MESSAGES = 20, TAG = 30 };

/* The event's elements, by name. */
static const char *const names[] = {"dest", "world_dest", "tag", "mode", "bytes", "communicator"};
enum { DEST, WORLD_DEST, TAG_ELEMENT, MODE, BYTES, COMMUNICATOR, ELEMENTS };

static int received, freed, source_of_event = -1;
static MPI_Count before, last;

/* Proves F39, F42, F43, F44, F45: reads a message. The n-th has n * n bytes and the tag TAG + n. */
EVENT_CALLBACK(on_message)
{
    struct {
        int dest, world_dest, tag, mode;
        unsigned long long bytes, communicator;
    } whole;
    int dest = -1, n = received;
    unsigned long long bytes = 0;
    MPI_Count time = -1, after = -1;
    check(user_data == &received, "R249 user_data is the callback's own");
    check(safety == MPI_T_CB_REQUIRE_NONE, "R249 a send's context requires nothing");
    check(MPI_T_event_read(instance, DEST, &dest) == MPI_SUCCESS && dest == (rank + 1) % size, "receiver");
    check(MPI_T_event_read(instance, BYTES, &bytes) == MPI_SUCCESS && bytes == (unsigned long long)n * n, "bytes");
    check(MPI_T_event_copy(instance, &whole) == MPI_SUCCESS, "R289 the whole event");
    check(whole.dest == dest && whole.world_dest == dest && whole.tag == TAG + n && whole.mode == 0, "R289 whole");
    check(whole.bytes == (unsigned long long)n * n && whole.communicator != 0, "R289 whole");
    check(MPI_T_event_get_source(instance, &source_of_event) == MPI_SUCCESS, "R294 source");
    check(MPI_T_event_get_timestamp(instance, &time) == MPI_SUCCESS, "R295 time stamp");
    check(MPI_T_source_get_timestamp(source_of_event, &after) == MPI_SUCCESS, "R295 present time");
    check(before <= time && time <= after, "R223 the time stamp lies between two readings of the clock");
    check(last <= time, "R219 time stamps of an ordered source never fall");
    last = time;
    received++;
}

/* Proves F40. */
static void on_free(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user_data)
{
    check(user_data == &freed, "R260 user_data is that of handle_free");
    freed++;
}

/* Proves F29, F30: the metadata of the event type. */
static int describe(void)
{
    int event = event_named("pml_message_sent"), elements = ELEMENTS + 1, sources = 0, bind = -1, length = 64, at;
    char name[64];
    MPI_Datatype types[ELEMENTS + 1];
    MPI_Aint places[ELEMENTS + 1];
    MPI_T_enum enumeration;
    MPI_Info info = MPI_INFO_NULL;
    check(MPI_T_event_get_info(event, name, &length, NULL, types, places, &elements, &enumeration, &info, NULL, NULL,
                               &bind) == MPI_SUCCESS, "R232 what it says of itself");
    check(!strcmp(name, "pml_message_sent") && length == (int)strlen(name) + 1, "R37 name");
    check(elements == ELEMENTS && bind == MPI_T_BIND_MPI_COMM, "R235 elements, R244 bind");
    check(types[DEST] == MPI_INT && types[BYTES] == MPI_UNSIGNED_LONG_LONG, "R61 datatypes");
    check(places[0] == 0 && places[BYTES] == 16 && places[COMMUNICATOR] == 24, "R239 displacements");
    check(info != MPI_INFO_NULL && MPI_Info_free(&info) == MPI_SUCCESS, "R243 a fresh info object");
    for (at = 0; at < ELEMENTS; at++) {
        int value = -1;
        length = sizeof name;
        check(MPI_T_enum_get_item(enumeration, at, &value, name, &length) == MPI_SUCCESS, "R242 element's name");
        check(value == at && !strcmp(name, names[at]), "R242 element's name");
    }
    check(MPI_T_source_get_num(&sources) == MPI_SUCCESS && sources >= 1, "R217 sources"); /* Proves F25. */
    return event;
}

static void send_all(int count)
{
    static char out[MESSAGES * MESSAGES], in[MESSAGES * MESSAGES];
    int n;
    for (n = 0; n < count; n++) {
        MPI_Request request;
        MPI_Irecv(in, sizeof in, MPI_BYTE, (rank + size - 1) % size, TAG + n, MPI_COMM_WORLD, &request);
        MPI_Send(out, n * n, MPI_BYTE, (rank + 1) % size, TAG + n, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int event, of_self;
    MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
    MPI_T_event_registration registration, other;
    MPI_Init(&argc, &argv);
    start_tool();
    event = describe();
    /* While monitoring is on, later messages are counted like these until there is a listener. */
    send_all(MESSAGES);
    send_all(MESSAGES);

    check(MPI_T_event_handle_alloc(event, NULL, MPI_INFO_NULL, &registration) == MPI_T_ERR_INVALID_HANDLE, "R88 no object");
    /* Proves F31, F34, F37. */
    check(MPI_T_event_handle_alloc(event, &world, MPI_INFO_NULL, &registration) == MPI_SUCCESS, "R265 alloc");
    check(MPI_T_event_handle_alloc(event, &self, MPI_INFO_NULL, &other) == MPI_SUCCESS, "alloc on MPI_COMM_SELF");
    send_all(1);
    check(received == 0, "R247 nothing before there is a callback");
    check(MPI_T_source_get_timestamp(0, &before) == MPI_SUCCESS, "R220 time before");
    check(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &received, on_message) ==
          MPI_SUCCESS, "R248 callback");
    of_self = received;
    check(MPI_T_event_register_callback(other, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &of_self, on_message) == MPI_SUCCESS,
          "callback on MPI_COMM_SELF");
    char text[128];
    send_all(MESSAGES);
    snprintf(text, sizeof text, "%d events: one for each of %d messages, none of another communicator (R256)", received, MESSAGES);
    check(received == MESSAGES, text);
    check(MPI_T_event_handle_free(registration, &freed, on_free) == MPI_SUCCESS && freed == 1, "R259 free callback");
    send_all(MESSAGES);
    check(received == MESSAGES, "R258 nothing after the free callback");
    check(MPI_T_event_handle_free(other, NULL, NULL) == MPI_SUCCESS, "R259 no free callback");
    return end_tool();
}
