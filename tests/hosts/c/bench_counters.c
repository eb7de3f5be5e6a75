/* Cost of a counter of mpit_plugin.h in the code that increments it. Prints for each case its name and the nanoseconds per
 * iteration of the fastest of many short blocks. The program sets by hand the fields that a host would set. */
#include "bench.h"
#include "mpit_plugin.h"

#include <stdio.h>

enum { BLOCKS = 300, TURNS = 100000 };

static struct mpit_sum disabled = MPIT_SUM_INIT, enabled = MPIT_SUM_INIT;
static uint8_t concurrent;

/* The floor: a number that is loaded and compared. */
static volatile uint32_t watchers, watched;

/* Nanoseconds per iteration of a loop with this body, whose numbers are computed anew in each iteration. */
#define PER_TURN(best, work)                                    \
    do {                                                        \
        const double start = now();                             \
        for (unsigned turn = 0; turn < TURNS; turn++) {         \
            __asm__ volatile("" : "+r"(turn) : : "memory");     \
            work;                                               \
        }                                                       \
        const double taken = (now() - start) / TURNS;           \
        if (taken < (best))                                     \
            (best) = taken;                                     \
    } while (0)

int main(void)
{
    double loop = 1e9, branch = 1e9, off = 1e9, alone = 1e9, many = 1e9;
    enabled.watchers = 1;
    disabled.concurrent = enabled.concurrent = &concurrent;
    for (int block = 0; block < BLOCKS; block++) {
        PER_TURN(loop, (void)0);
        PER_TURN(branch, if (watchers) watched++);
        PER_TURN(off, mpit_counter_add(&disabled, 1));
        concurrent = 0;
        PER_TURN(alone, mpit_counter_add(&enabled, 1));
        concurrent = 1;
        PER_TURN(many, mpit_counter_add(&enabled, 1));
    }
    printf("loop %.3f\nbranch %.3f\ndisabled %.3f\nenabled %.3f\nconcurrent %.3f\n", loop, branch, off, alone, many);
    /* The counts show that the right loops were measured. */
    return disabled.word != 0 || enabled.word != 2ull * BLOCKS * TURNS;
}
