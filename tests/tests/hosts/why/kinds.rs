//! The ways to hang, what `mpit why` has to say of them, and the libraries on which they are run.

use std::env;

use mpit_tests::Stack;

/// A way to hang, and a finding of `mpit why`: its kind, and the culprits.
pub(super) type Hang = (&'static str, &'static str, &'static [u32]);

/// The kinds of `hosts/c/hangs.c`, `hosts/fortran/hangs.F90` and `hosts/python/hangs.py`; the script lacks those that hang on no library
/// with mpi4py. Where two findings are right, the more special one.
pub(super) const HANGS: [Hang; 29] = [
    ("skipped_allreduce", "collective-skipped", &[1]),
    ("early_finalize", "finalized-early", &[2]),
    ("computing", "computing", &[2]),
    ("sleeping", "sleeping", &[2]),
    ("stopped", "stopped", &[2]),
    ("gone", "gone", &[2]),
    ("other_collective", "collective-differs", &[3]),
    ("other_root", "root-differs", &[3]),
    ("other_count", "count-differs", &[3]),
    ("wrong_tag", "receive-unserved", &[1]),
    ("wrong_communicator", "receive-unserved", &[1]),
    ("send_cycle", "message-cycle", &[0, 1, 2, 3]),
    ("send_pair", "message-cycle", &[1, 2]),
    ("unreceived_send", "send-unreceived", &[3]),
    ("receive_cycle", "message-cycle", &[0, 1, 2, 3]),
    ("receive_from_any", "receive-unserved", &[1]),
    ("probing", "receive-unserved", &[0]),
    ("waiting_for_one", "receive-unserved", &[2]),
    ("exchange_of_other_tags", "receive-unserved", &[1]),
    ("skipped_nonblocking", "collective-skipped", &[3]),
    ("kept_lock", "rma-lock", &[0]),
    ("kept_lock_all", "rma-lock", &[0]),
    ("skipped_fence", "collective-skipped", &[3]),
    ("unfinished_access", "rma-epoch", &[1, 2, 3]),
    ("skipped_dup", "collective-skipped", &[2]),
    ("communicator_order", "communicator-order", &[0]),
    ("skipped_in_half", "collective-skipped", &[3]),
    ("skipped_open", "collective-skipped", &[1]),
    ("late_init", "not-initialized", &[2]),
];

/// The kinds of `hosts/c/further_hangs.c`.
pub(super) const FURTHER: [Hang; 18] = [
    ("halo", "receive-unserved", &[3]),
    ("skipped_write", "collective-skipped", &[3]),
    ("skipped_start", "collective-skipped", &[3]),
    ("kept_buffer", "send-unreceived", &[2]),
    ("accepting", "undetermined", &[0, 1, 2, 3]),
    ("skipped_accept", "collective-skipped", &[1]),
    ("skipped_spawn", "collective-skipped", &[2]),
    ("generalized", "undetermined", &[1]),
    ("unready_partition", "undetermined", &[1]),
    ("skipped_group", "collective-skipped", &[2]),
    ("mixed_barriers", "collective-differs", &[0]),
    ("polling", "polling", &[2]),
    ("left_scatter", "root-differs", &[1]),
    ("gather_of_one", "collective-differs", &[2]),
    ("skipped_between", "collective-skipped", &[3]),
    ("message_between", "receive-unserved", &[3]),
    ("skipped_merged", "collective-skipped", &[2]),
    ("other_tag_between", "tag-differs", &[1, 3]),
];

/// The libraries of each family.
const FAMILIES: [&[&str]; 2] = [
    &["ompi4.1.4", "ompi5.0.11"],
    &["mpich4.0.2", "impi2021.19", "mpich5.0.2", "impi2021.19-abi", "mpich5.0.2-abi"],
];

/// The environment variable that makes each library run all programs.
const ALL: (&str, &str) = ("MPIT_TEST_HANGS", "all");

/// Returns true if a program hangs on a library: some libraries return an error, or the program continues.
pub(super) fn hangs_on(label: &str, kind: &str) -> bool {
    let is_intel = label.starts_with("impi");
    match kind {
        "other_count" => label == "ompi4.1.4",
        // Intel MPI buffers long messages, accepts without the processes that are missing, and on some machines completes different
        // collective operations.
        "other_root" | "send_cycle" | "kept_buffer" | "skipped_accept" | "gather_of_one" => !is_intel,
        // Open MPI 4 has no partitioned communication.
        "unready_partition" => label != "ompi4.1.4",
        // The names of ports are too long for the other ones.
        "accepting" => label.starts_with("ompi") || label == "mpich5.0.2-abi",
        _ => true,
    }
}

/// Returns each `step`th way of `hosts/c/hangs.c` to hang, from number `first` on.
pub(super) fn every(step: usize, first: usize) -> impl Iterator<Item = Hang> {
    HANGS.into_iter().skip(first).step_by(step)
}

/// Returns the ways to hang that a library runs in C: a program takes some seconds, so the libraries of a family take turns.
pub(super) fn of_stack(stack: &Stack, kinds: &[Hang]) -> Vec<Hang> {
    in_turn(stack, kinds, &FAMILIES)
}

/// Returns the ways to hang that a library runs, if those of each of these families take turns.
pub(super) fn in_turn(stack: &Stack, kinds: &[Hang], families: &[&[&str]]) -> Vec<Hang> {
    let is_all = env::var(ALL.0).is_ok_and(|value| value == ALL.1);
    let is_its_turn = |at: usize, kind: &str| {
        let mut turns = families.iter().map(|family| {
            let able: Vec<&str> = family.iter().copied().filter(|label| hangs_on(label, kind)).collect();
            able.get(at % able.len().max(1)).copied()
        });
        turns.any(|turn| turn == Some(stack.label()))
    };
    let chosen =
        |(at, hang): (usize, &Hang)| if is_all || is_its_turn(at, hang.0) { Some(*hang) } else { None };
    kinds.iter().enumerate().filter_map(chosen).collect()
}
