//! The rules that definitions and plug-ins can break: name, severity and remedy of each in one table.

use std::fmt;
use std::str::FromStr;

macro_rules! rules {
    ($($rule:ident = $name:literal, $severity:ident, $remedy:literal;)*) => {
        /// A rule that a definition or a plug-in can break.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "docs/internal/conformance.md and docs/check.md describe the rules")]
        pub enum Rule {
            $($rule),*
        }

        impl Rule {
            const ALL: &[Self] = &[$(Self::$rule),*];

            /// Returns the number in `docs/internal/conformance.md`, or a keyword of `docs/check.md`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$rule => $name),*
                }
            }

            /// Returns the severity.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$rule => Severity::$severity),*
                }
            }

            /// Returns the advised correction.
            pub fn remedy(self) -> &'static str {
                match self {
                    $(Self::$rule => $remedy),*
                }
            }
        }
    };
}

rules! {
    C1 = "C1", Error, "give it a name";
    C2 = "C2", Error, "use letters, digits and _ in names, and UTF-8 without NUL in texts";
    C3 = "C3", Error, "shorten it";
    C4 = "C4", Error, "use a constant of mpit_plugin.h";
    C5 = "C5", Error, "keep only one of the two";
    C6 = "C6", Error, "choose another class, datatype or kind of storage";
    C9 = "C9", Error, "give it an enumeration of its states";
    C10 = "C10", Error, "make it an int, or remove the enumeration";
    C11 = "C11", Error, "give each item a name and a value of its own";
    C12 = "C12", Error, "give each item a name and a value of its own";
    C21 = "C21", Error, "remove one of the two flags";
    C22 = "C22", Error, "remove the flag ATOMIC";
    C25 = "C25", Error, "name in the description the group of processes that sets it";
    C28 = "C28", Error, "return the actual number of elements";
    C29 = "C29", Error, "compare it with mpit_plugin.h";
    C32 = "C32", Error, "describe the payload as a C struct, with offsetof, in the order of its members";
    C33 = "C33", Error, "describe the payload as a C struct, with offsetof, in the order of its members";
    C34 = "C34", Error, "describe the payload as a C struct, with offsetof, in the order of its members";
    C35 = "C35", Error, "name a source of this plug-in, or of a plug-in that is loaded before it";
    C43 = "C43", Error, "remove one of the links between the categories";
    C45 = "C45", Error, "rename it, or the other definition";
    R67 = "R67", Error, "rename it, or give it the same items";
    R68 = "R68", Error, "give each item a name and a value of its own";
    R73 = "R73", Error, "add the value to the enumeration, or initialize the variable with one of its items";
    R111 = "R111", Error, "keep the value between 0 and 1";
    R123 = "R123", Warning, "name the unit in the description";
    R127 = "R127", Warning, "describe what it measures and its initial value";
    R318 = "R318", Error, "rename it, so that it does not hide the definition of the MPI library";
    File = "file", Error, "make it a file that the loader accepts";
    Plugin = "plug-in", Error, "build it with MPIT_PLUGIN of mpit_plugin.h, or with plugin! in Rust";
    NeedsMpi = "needs-mpi", Error,
        "link it with its MPI library, or preload that for the check: LD_PRELOAD=/path/to/libmpi.so mpit check";
    Table = "table", Error, "compare it with mpit_plugin.h";
    Framework = "framework", Error, "name the framework whose calls it is notified of: pml, osc or coll";
    LeftOut = "left-out", Error, "correct the other definition first";
    Crash = "crash", Error, "load it in a debugger: `mpit check` runs no other code than the plug-in's";
    Exit = "exit", Error, "load it in a debugger: `mpit check` runs no other code than the plug-in's";
    Hang = "hang", Error, "load it in a debugger: `mpit check` runs no other code than the plug-in's";
    Panic = "panic", Error, "return an error instead of panicking; tools get MPI_T_ERR_INVALID";
    Activation = "activation", Error, "let the activation succeed, or document its requirements";
    Description = "description", Warning, "add a description, which tools show to their users";
    Prefix = "prefix", Warning, "begin names with the name of the plug-in, so that they are unique";
    Category = "category", Warning, "name a category, so that tools can group variables";
    Verbosity = "verbosity", Warning,
        "distinguish USER, TUNER and MPIDEV variables, so that tools can filter them";
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The plug-in is refused, a part of it is left out, or tools get wrong information.
    Error,
    /// Valid, but inconvenient for tools and their users.
    Warning,
}

impl Severity {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|rule| rule.as_str() == name);
        found.copied().ok_or_else(|| format!("there is no rule `{name}`"))
    }
}
