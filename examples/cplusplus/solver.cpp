// A solver in C++ that publishes its variables, a setting and an event, and names its parts.
//
//     mpicxx -std=c++17 $(pkg-config --cflags mpit-plugin) solver.cpp -o solver $(pkg-config --libs mpit-plugin)
//     mpit run -- mpiexec -n 2 ./solver
#include <mpi.h>
#include <mpit.hpp>

#include <cstdio>

static mpit::counter steps;
static mpit::timer reducing;
static mpit::level active;
static mpit::comm_counters reductions;
static unsigned limit = 10;

struct restart {
    unsigned step;
    double residual;
};
static mpit::event<restart> restarted;

static constexpr mpit_pvar pvars[] = {
    mpit::pvar("solver_steps", "Steps.", steps),
    mpit::pvar("solver_reducing", "Time in reductions. Unit: s.", reducing),
    mpit::pvar("solver_active", "Unknowns that have not converged.", active),
    mpit::pvar("solver_active", "The most unknowns that had not converged.", active, MPIT_CLASS_HIGHWATERMARK),
    mpit::pvar("solver_reductions", "Reductions on a communicator.", reductions).verbosity(MPIT_VERBOSITY_USER_DETAIL),
};
static constexpr mpit_cvar cvars[] = {
    mpit::cvar("solver_limit", "Steps at most.", limit),
};
static constexpr mpit_source sources[] = {
    mpit::source("solver", "The solver."),
};
static constexpr mpit_element elements[] = {
    MPIT_ELEMENT(restart, step, MPIT_UNSIGNED),
    MPIT_ELEMENT(restart, residual, MPIT_DOUBLE),
};
static constexpr mpit_event events[] = {
    mpit::event_type("solver_restarted", "The solver begins again.", restarted, "solver", elements),
};
static constexpr mpit_table table = mpit::table("solver", pvars, cvars, sources, events);

static double norm(double mine, mpit::comm_counters::one count)
{
    mpit::timer::scope scope(reducing);
    double sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    ++count;
    return sum;
}

static double solve()
{
    mpit::region region("solver");
    mpit::comm_counters::one count = reductions.of(MPI_COMM_WORLD);
    double residual = 1;
    for (unsigned step = 0; step < limit; step++) {
        active.set(limit - step);
        residual = norm(residual / 4, count);
        if (step % 4 == 3)
            restarted.raise({step, residual});
        ++steps;
    }
    return residual;
}

int main(int argc, char **argv)
{
    mpit_offer(&table);
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double residual = solve();
    if (rank == 0)
        std::printf("%u steps, residual %s\n", limit, residual < 1e-2 ? "small" : "large");
    MPI_Finalize();
}
