//! Fortran programs: their calls reach the MPI library by other functions than those of C, which differ
//! between libraries. Messages are counted once in all cases.

use mpit_tests::{Outcome, launch::Job, stacks};

use crate::{each_sent, recorded, rows};

const RANKS: u32 = 4;
pub(crate) const INTERFACES: [&str; 3] = ["MPIF_H", "USE_MPI", "USE_MPI_F08"];

/// Proves R310.
#[test]
fn every_fortran_interface_is_counted() -> Outcome {
    stacks::with_fortran("fortran", |stack| {
        for interface in INTERFACES {
            let dir = stack.scratch(&format!("fortran_{interface}"))?;
            let program = stack.compile_fortran("sends", interface)?;
            let (_, profs) = recorded(Job::mpi(stack, RANKS).arg(program), &dir, RANKS)?;
            // 4 blocking sends, a nonblocking one, the send of an exchange, and 3 starts of a persistent one.
            each_sent(&profs, |rank| ((rank + 1) % RANKS, 4 + 2 + 3, 24 + 24 + 36))?;
        }
        Ok(())
    })
}

/// Tests Intel's interface for programs with `INTEGER` of 8 bytes, which calls the one with 4 bytes, where the
/// calls are recorded; and the standard ABI, whose functions for converting Fortran handles have other names.
#[test]
fn intels_fortran_interfaces_are_counted() -> Outcome {
    let interfaces: [(_, &[&str]); 2] = [
        ("impi2021.19", &["libmpi_ilp64.so.4", "libmpifort.so.12"]),
        ("impi2021.19-abi", &["libmpifort_abi.so.1"]),
    ];
    stacks::on(&interfaces.map(|(label, _)| label), "ilp64", |stack| {
        for (_, libraries) in interfaces.iter().filter(|(label, _)| *label == stack.label()) {
            stack.compile_with("ilp64", libraries)?;
            rows::match_expected_rows(stack, "ilp64", 2)?;
        }
        Ok(())
    })
}

/// Tests descriptors and large counts over `PMPI_` by a stub, because no released library has them yet.
#[test]
fn fortran_descriptors_and_large_counts() -> Outcome {
    stacks::on(&["ompi4.1.4", "mpich5.0.2"], "ts29113", |stack| {
        stack.compile_over_library("ts29113")?;
        rows::match_expected_rows(stack, "ts29113", 2)
    })
}

/// Tests calls with strings and Open MPI 4's persistent collectives, whose Fortran functions are not
/// interposed: the library's interface calls `PMPI_` functions for them.
#[test]
fn calls_with_strings_count_in_fortran() -> Outcome {
    stacks::on(&["ompi4.1.4", "mpich4.0.2"], "fortran_strings", |stack| {
        let interface = if stack.is_open_mpi() { "libmpi_mpifh.so" } else { "libmpichfort.so" };
        stack.compile_with("fortran_strings", &[interface])?;
        rows::match_expected_rows(stack, "fortran_strings", 2)
    })
}
