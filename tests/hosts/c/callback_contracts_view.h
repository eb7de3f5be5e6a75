/* A session with a handle on a message counter, and functions that send messages. */
#ifndef CALLBACK_CONTRACTS_VIEW_H
#define CALLBACK_CONTRACTS_VIEW_H

#include "callback_contracts_texts.h"

static MPI_Comm world, self; /* Copies of the handles. */

/* A session with a running handle on the number of messages. */
struct view {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
};

static struct view open_view(void)
{
    struct view view = {MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_HANDLE_NULL};
    check(MPI_T_pvar_session_create(&view.session) == MPI_SUCCESS, "session");
    view.handle = started(view.session, "pml_monitoring_messages_total", MPI_T_PVAR_CLASS_COUNTER, NULL, 1);
    return view;
}

static unsigned long long messages(struct view view)
{
    unsigned long long value[8] = {0};
    check(MPI_T_pvar_read(view.session, view.handle, value) == MPI_SUCCESS, "R20, R30 the handle is good");
    return value[0];
}

static void exchange(MPI_Comm comm)
{
    int out = rank, in;
    MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 7, &in, 1, MPI_INT, 1 - rank, 7, comm, MPI_STATUS_IGNORE);
}

#endif
