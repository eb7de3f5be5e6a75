//! Entries that are hidden from tools.

use std::ffi::CStr;
use std::sync::OnceLock;

use mpit::cvar::{Cvar, Text};
use mpit::internal::desc::CategoryDesc;

use crate::host::{Host, find};

/// Entries to hide from tools that crash on them or stop at them: names of variables, events, sources and categories,
/// separated by commas; `*` at the end of a name matches any ending. A category of mpit also hides the variables and events
/// in it. Set it before the program starts, because it is read when an entry is listed for the first time. If it is empty,
/// entries are hidden that a tool in the process is known to crash on or to stop at: for TAU, a vector longer than its
/// buffer, and variables bound to windows.
#[mpit::cvar(name = "hidden_entries", scope = "LOCAL", verbosity = "USER_DETAIL", component = "mpit")]
pub static HIDDEN: Cvar<Text<4096>> = Cvar::new(Text::new(""));

/// Tools with the entries that they crash on or stop at: a function that identifies the tool, and patterns.
/// TAU reads each variable into a buffer of 1025 elements; the histogram has 66 for each process. It stops at
/// the first variable that is bound to a window, and the library's variables come after it.
const FRAGILE_TOOLS: [(&CStr, &str); 1] =
    [(c"Tau_mpi_t_initialize", "pml_monitoring_messages_histogram,osc_monitoring_window_*")];

fn tool_patterns() -> &'static str {
    static LIST: OnceLock<&str> = OnceLock::new();
    if let Some(list) = LIST.get() {
        return list;
    }
    // Outside of the cell: the dynamic linker takes its lock, which a thread that waits for this cell may hold.
    let present = FRAGILE_TOOLS.iter().find(|(function, _)| find::in_program(function).is_some());
    LIST.get_or_init(|| present.map_or("", |(_, list)| list))
}

/// Looks for the tools in this process. Called before lists are locked, since the dynamic linker takes a lock as well.
pub(crate) fn detect_tools() {
    let _ = tool_patterns();
}

/// Returns true if an entry of the MPI library with this name is hidden.
pub fn is_host_entry_hidden(name: &str) -> bool {
    let is_refused = |host: &Host| matches(host.abi().quirks.refused_entries, name);
    is_hidden(name, &[]) || Host::get().is_some_and(is_refused)
}

/// Returns true if a pattern of the list matches the name.
pub(crate) fn matches(list: &str, name: &str) -> bool {
    list.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()).any(|pattern| {
        match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        }
    })
}

/// Returns true if an entry with this name, in these categories, is hidden.
pub fn is_hidden(name: &str, categories: &[&CategoryDesc]) -> bool {
    // Nearly always empty, and then not copied for each entry.
    if HIDDEN.is_empty() {
        is_listed(tool_patterns(), name, categories)
    } else {
        is_listed(HIDDEN.get().as_str(), name, categories)
    }
}

fn is_listed(list: &str, name: &str, categories: &[&CategoryDesc]) -> bool {
    !list.is_empty()
        && (matches(list, name) || categories.iter().any(|category| matches(list, category.name())))
}
