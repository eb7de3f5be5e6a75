//! Fortran programs: their calls reach the MPI library by other functions than those of C, which differ
//! between libraries. Messages are counted once in all cases.

use mpit_tests::{Failure, Outcome, launch::Job, paths, record, stacks};

use crate::{read_all, rows, written_to};

const RANKS: u32 = 4;
const INTERFACES: [&str; 3] = ["MPIF_H", "USE_MPI", "USE_MPI_F08"];

/// Proves R310.
#[test]
fn every_fortran_interface_is_counted() -> Outcome {
    if paths::find_program("gfortran").is_none() {
        return record::not_run("Fortran", "no gfortran (Debian package gfortran; see `cargo xtask setup`)");
    }
    stacks::for_each("fortran", stacks::Stack::has_fortran, |stack| {
        for interface in INTERFACES {
            let dir = stack.scratch(&format!("fortran_{interface}"))?;
            let program = stack.compile_fortran("sends", interface)?;
            Job::mpi(stack, RANKS).arg(program).dir(&dir).under_mpit(&written_to("prof"))?.succeed()?;
            for (rank, prof) in (0..).zip(read_all(&dir.join("prof"), RANKS)?) {
                // 4 blocking sends, a nonblocking one, the send of an exchange, and 3 starts of a persistent
                // one.
                let wanted = [((rank + 1) % RANKS, 4 + 2 + 3, 24 + 24 + 36)];
                let rows = prof.sent();
                Failure::unless(rows == wanted, || {
                    format!(
                        "{interface}, rank {rank}: (peer, messages, bytes) are {rows:?}, should be {wanted:?}"
                    )
                })?;
            }
        }
        Ok(())
    })
}

/// Tests Intel's interface for programs with `INTEGER` of 8 bytes. It calls the one with 4 bytes, where the
/// calls are recorded.
#[test]
fn eight_byte_integers_go_to_the_library() -> Outcome {
    stacks::for_each(
        "ilp64",
        |stack| stack.label() == "impi2021.19",
        |stack| {
            stack.compile_with("ilp64", &["libmpi_ilp64.so.4", "libmpifort.so.12"])?;
            rows::match_expected_rows(stack, "ilp64", 2)
        },
    )
}

/// Tests the standard ABI, whose functions for converting Fortran handles have other names.
#[test]
fn fortran_over_the_standard_abi_is_counted() -> Outcome {
    stacks::for_each(
        "fortran_abi",
        |stack| stack.label() == "impi2021.19-abi",
        |stack| {
            stack.compile_with("ilp64", &["libmpifort_abi.so.1"])?;
            rows::match_expected_rows(stack, "ilp64", 2)
        },
    )
}

/// Tests descriptors and large counts over `PMPI_` by a stub, because no released library has them yet.
#[test]
fn fortran_descriptors_and_large_counts() -> Outcome {
    stacks::for_each(
        "ts29113",
        |stack| ["ompi4.1.4", "mpich5.0.2"].contains(&stack.label()),
        |stack| {
            stack.compile_over_library("ts29113")?;
            rows::match_expected_rows(stack, "ts29113", 2)
        },
    )
}

/// Tests calls with strings and Open MPI 4's persistent collectives, whose Fortran functions are not
/// interposed: the library's interface calls `PMPI_` functions for them.
#[test]
fn calls_with_strings_count_in_fortran() -> Outcome {
    stacks::for_each(
        "fortran_strings",
        |stack| ["ompi4.1.4", "mpich4.0.2"].contains(&stack.label()),
        |stack| {
            let interface = if stack.label() == "ompi4.1.4" { "libmpi_mpifh.so" } else { "libmpichfort.so" };
            stack.compile_with("fortran_strings", &[interface])?;
            rows::match_expected_rows(stack, "fortran_strings", 2)
        },
    )
}
