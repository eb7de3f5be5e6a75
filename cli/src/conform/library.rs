//! The properties of an MPI library, as the program `probe.c` prints them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The program.
pub(super) const PROBE: &str = include_str!("probe.c");

/// An MPI library.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MpiLibrary {
    /// The text of `MPI_Get_library_version` up to the first comma.
    pub(super) library: String,
    /// The version of the standard in `mpi.h`.
    pub(super) mpi: String,
    pub(super) has_standard_abi: bool,
    /// The numbers of variables, categories and event types after `MPI_Init`.
    pub(super) entries: BTreeMap<String, u32>,
    #[serde(skip)]
    pub(super) processes: u32,
    /// True if mpit is loaded into the program.
    #[serde(skip)]
    pub(super) is_through_mpit: bool,
    #[serde(skip)]
    codes: BTreeMap<i64, String>,
}

impl MpiLibrary {
    /// Parses the lines of the program; `None` if some are missing.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut library = Self::default();
        for (key, value) in text.lines().filter_map(|line| line.split_once('\t')) {
            match key {
                "library" => library.library = value.split_whitespace().collect::<Vec<_>>().join(" "),
                "mpi" => value.clone_into(&mut library.mpi),
                "abi" => library.has_standard_abi = true,
                "processes" => library.processes = value.parse().ok()?,
                "mpit" => library.is_through_mpit = value != "0",
                _ if key.starts_with("MPI_") => {
                    library.codes.insert(value.parse().ok()?, key.to_owned());
                }
                _ => {
                    library.entries.insert(key.to_owned(), value.parse().ok()?);
                }
            }
        }
        if library.mpi.is_empty() || library.processes == 0 { None } else { Some(library) }
    }

    /// Returns true if the header has the functions of MPI 4.0.
    pub(super) fn has_mpi_4(&self) -> bool {
        self.mpi.split('.').next().and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= 4)
    }

    /// Returns a line with the name and the ABI.
    pub(super) fn name(&self) -> String {
        format!("{}{}", self.library, if self.has_standard_abi { ", standard ABI" } else { "" })
    }

    /// Replaces numbers of error codes in a text, such as `code 57`, by their names.
    pub(super) fn with_names_of_codes(&self, text: &str) -> String {
        const MARK: &str = "code ";
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(MARK) {
            let number = &rest[at + MARK.len()..];
            let length = number.find(|char: char| !char.is_ascii_digit()).unwrap_or(number.len());
            out.push_str(&rest[..at]);
            match number[..length].parse().ok().and_then(|code| self.codes.get(&code)) {
                Some(name) => out.push_str(name),
                None => out.push_str(&rest[at..at + MARK.len() + length]),
            }
            rest = &number[length..];
        }
        out.push_str(rest);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "noise\nlibrary\tMPICH Version:      5.0.2\nmpi\t5.0\nabi\t1\nprocesses\t2\nmpit\t0\nMPI_SUCCESS\t0\n\
                         MPI_T_ERR_INVALID\t74\ncontrol variables\t466\n";

    #[test]
    fn lines_of_the_probe_are_parsed() {
        let library = MpiLibrary::parse(LINES).unwrap();
        assert_eq!(library.name(), "MPICH Version: 5.0.2, standard ABI");
        assert!(library.has_mpi_4() && !library.is_through_mpit);
        assert_eq!((library.processes, library.entries["control variables"]), (2, 466));
        assert_eq!(MpiLibrary::parse("noise\n"), None);
        assert!(!MpiLibrary::parse("mpi\t3.1\nprocesses\t1\n").unwrap().has_mpi_4());
    }

    #[test]
    fn codes_get_names() {
        let library = MpiLibrary::parse(LINES).unwrap();
        assert_eq!(
            library.with_names_of_codes("start: code 0, stop: code 74, code 5 and code x"),
            "start: MPI_SUCCESS, stop: MPI_T_ERR_INVALID, code 5 and code x"
        );
    }
}
