/* A plug-in that prints a line to standard error when its code begins: once per process that loads it, and never in a fork. */

#include <mpit_plugin.h>
#include <pthread.h>
#include <unistd.h>

static void say(const char *text, size_t bytes)
{
    if (write(2, text, bytes) < 0)
        _exit(1);
}

static void forked(void)
{
    say("fork\n", 5);
}

__attribute__((constructor)) static void begin(void)
{
    say("begin\n", 6);
    pthread_atfork(forked, 0, 0);
}

static uint64_t value;
static const struct mpit_pvar pvars[] = {
    {.size = sizeof(struct mpit_pvar), .name = "once_value", .description = "A value.", .pvar_class = MPIT_CLASS_SIZE,
     .datatype = MPIT_UNSIGNED_LONG_LONG, .flags = MPIT_PVAR_READONLY | MPIT_PVAR_CONTINUOUS, .count = 1,
     .storage = &value},
};
MPIT_PLUGIN("once", MPIT_LIST(pvars))
