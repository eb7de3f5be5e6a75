//! Findings about plug-ins.

use mpit::internal::registry::{Fault, Refusal};
use serde::{Deserialize, Serialize};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// The plug-in is refused, a part of it is left out, or tools get wrong information.
    Error,
    /// Valid, but inconvenient for tools and their users.
    Warning,
}

/// A single finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// The number of a rule in `docs/internal/conformance.md`, or a keyword.
    pub(crate) rule: String,
    /// The definition that has the fault.
    pub(crate) what: String,
    /// The place of the definition, or the file of the plug-in.
    pub(crate) place: String,
    pub(crate) why: String,
    /// The advised correction.
    pub(crate) remedy: String,
}

impl Finding {
    pub(crate) fn error(rule: &str, what: impl Into<String>, place: &str, why: impl Into<String>) -> Self {
        // Texts of the plug-in may contain line ends.
        let clean = |text: String| text.replace(char::is_control, "?");
        Self {
            severity: Severity::Error,
            rule: rule.into(),
            what: clean(what.into()),
            place: clean(place.into()),
            why: clean(why.into()),
            remedy: remedy(rule).into(),
        }
    }

    pub(crate) fn warning(rule: &str, what: impl Into<String>, place: &str, why: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(rule, what, place, why) }
    }

    /// Creates the finding for a fault of a whole plug-in.
    pub(crate) fn of_plugin(fault: Fault, path: &str) -> Self {
        Self::error(fault.rule, "the plug-in", path, fault.why)
    }

    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Returns true if the finding is about this definition.
    pub(crate) fn is_about(&self, what: &str, place: &str) -> bool {
        self.what == what && self.place == place
    }
}

impl From<Refusal> for Finding {
    fn from(refusal: Refusal) -> Self {
        Self::error(refusal.rule, refusal.what, &refusal.place, refusal.why)
    }
}

/// The number of definitions of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) pvars: usize,
    pub(crate) cvars: usize,
    pub(crate) events: usize,
    pub(crate) sources: usize,
    pub(crate) categories: usize,
    pub(crate) enumerations: usize,
    pub(crate) components: usize,
}

/// A plug-in with its findings.
#[derive(Debug, Serialize)]
pub(crate) struct CheckedPlugin {
    pub(crate) path: String,
    /// The plug-in's own name, if the check got that far.
    pub(crate) name: Option<String>,
    /// The number of its definitions, if they can be read.
    pub(crate) defines: Option<Counts>,
    pub(crate) findings: Vec<Finding>,
    /// True if a program could load it.
    #[serde(skip)]
    pub(crate) loads: bool,
}

impl CheckedPlugin {
    pub(crate) fn errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.is_error()).count()
    }

    /// Sorts by severity, errors first, and then by place in the source files.
    pub(crate) fn sort(&mut self) {
        self.findings.sort_by_cached_key(|finding| {
            let (file, line) = finding.place.rsplit_once(':').unwrap_or((&finding.place, ""));
            (finding.severity, file.to_owned(), line.parse::<u32>().unwrap_or_default())
        });
    }

    pub(crate) fn warnings(&self) -> usize {
        self.findings.len() - self.errors()
    }
}

/// The result of a check.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) plugins: Vec<CheckedPlugin>,
    /// The MPI library whose variables the definitions were compared with.
    pub(crate) compared_with: Option<String>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
}

impl Report {
    pub(crate) fn new(plugins: Vec<CheckedPlugin>, compared_with: Option<String>) -> Self {
        let errors = plugins.iter().map(CheckedPlugin::errors).sum();
        let warnings = plugins.iter().map(CheckedPlugin::warnings).sum();
        Self { plugins, compared_with, errors, warnings }
    }
}

/// Returns the advised correction for a violation of a rule.
fn remedy(rule: &str) -> &'static str {
    match rule {
        "C1" => "give it a name",
        "C2" => "use letters, digits and _ in names, and UTF-8 without NUL in texts",
        "C3" => "shorten it",
        "C4" => "use a constant of mpit_plugin.h",
        "C5" => "keep only one of the two",
        "C6" => "choose another class, datatype or kind of storage",
        "C9" => "give it an enumeration of its states",
        "C10" => "make it an int, or remove the enumeration",
        "C11" | "C12" | "R68" => "give each item a name and a value of its own",
        "C21" => "remove one of the two flags",
        "C22" => "remove the flag ATOMIC",
        "C25" => "name in the description the group of processes that sets it",
        "C28" => "return the actual number of elements",
        "C31" | "C32" | "C33" | "C34" => {
            "describe the payload as a C struct, with offsetof, in the order of its members"
        }
        "C35" => "name a source of this plug-in, or of a plug-in that is loaded before it",
        "C43" => "remove one of the links between the categories",
        "C45" => "rename it, or the other definition",
        "R73" => "add the value to the enumeration, or initialize the variable with one of its items",
        "R111" => "keep the value between 0 and 1",
        "R123" => "name the unit in the description",
        "R127" => "describe what it measures and its initial value",
        "R67" => "rename it, or give it the same items",
        "R318" => "rename it, so that it does not hide the definition of the MPI library",
        "left-out" => "correct the other definition first",
        "plug-in" => "build it with MPIT_PLUGIN of mpit_plugin.h, or with plugin! in Rust",
        "needs-mpi" => {
            "link it with its MPI library, or preload that for the check: LD_PRELOAD=/path/to/libmpi.so mpit check"
        }
        "file" => "make it a file that the loader accepts",
        "crash" | "exit" | "hang" => {
            "load it in a debugger: `mpit check` runs no other code than the plug-in's"
        }
        "panic" => "return an error instead of panicking; tools get MPI_T_ERR_INVALID",
        "activation" => "let the activation succeed, or document its requirements",
        "description" => "add a description, which tools show to their users",
        "prefix" => "begin names with the name of the plug-in, so that they are unique",
        "category" => "name a category, so that tools can group variables",
        "verbosity" => "distinguish USER, TUNER and MPIDEV variables, so that tools can filter them",
        _ => "compare it with mpit_plugin.h",
    }
}
