//! The error type of the tools interface.

use std::fmt;

macro_rules! errors {
    ($($(#[$doc:meta])* $error:ident = $message:literal;)*) => {
        /// The reason for a failed call, in the standard's vocabulary.
        ///
        /// Each variant is one `MPI_T_ERR_*` class. The values of these constants differ between ABIs (72 is `INVALID` in Open MPI
        /// and `PVAR_NO_ATOMIC` in MPICH), so this crate uses no numbers; `mpit-ffi` translates at the C boundary.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Error {
            $($(#[$doc])* $error,)*
        }

        #[doc(hidden)]
        impl Error {
            /// All errors, in the order of their codes at the plug-in boundary (see [`Error::code`]).
            pub const ALL: [Self; 17] = [$(Self::$error),*];
        }

        impl fmt::Display for Error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$error => $message,)*
                })
            }
        }

        impl std::error::Error for Error {}
    };
}

errors! {
    /// `MPI_T_ERR_INVALID`: a bad parameter value and nothing more specific.
    Invalid = "invalid argument";
    /// `MPI_T_ERR_MEMORY`: out of memory.
    Memory = "out of memory";
    /// `MPI_T_ERR_NOT_INITIALIZED`: the tools interface is not initialized.
    NotInitialized = "the tools interface is not initialized";
    /// `MPI_T_ERR_CANNOT_INIT`: the interface cannot be initialized in the present state.
    CannotInit = "the tools interface cannot be initialized now";
    /// `MPI_T_ERR_NOT_ACCESSIBLE`: not possible at this time or in this context.
    NotAccessible = "not accessible at this time or from this context";
    /// `MPI_T_ERR_NOT_SUPPORTED`: the functionality is not offered.
    NotSupported = "not supported";
    /// `MPI_T_ERR_INVALID_INDEX`: no entry (variable, category, enumeration item, ...) has this index.
    InvalidIndex = "no entry has this index";
    /// `MPI_T_ERR_INVALID_NAME`: no entry has this name (for a performance variable: this name in this class).
    InvalidName = "no entry has this name";
    /// `MPI_T_ERR_INVALID_HANDLE`: the handle is null, freed, forged or of another session, or its object was freed.
    InvalidHandle = "the handle is not valid here";
    /// `MPI_T_ERR_OUT_OF_HANDLES`: no more handles.
    OutOfHandles = "out of handles";
    /// `MPI_T_ERR_OUT_OF_SESSIONS`: no more sessions.
    OutOfSessions = "out of sessions";
    /// `MPI_T_ERR_INVALID_SESSION`: no session has this identifier.
    InvalidSession = "the session is not valid";
    /// `MPI_T_ERR_CVAR_SET_NOT_NOW`: the control variable cannot be set now, perhaps later.
    CvarSetNotNow = "the control variable cannot be set now";
    /// `MPI_T_ERR_CVAR_SET_NEVER`: the control variable cannot be set any more in this run.
    CvarSetNever = "the control variable cannot be set in this run";
    /// `MPI_T_ERR_PVAR_NO_STARTSTOP`: the performance variable cannot be started or stopped.
    PvarNoStartStop = "the performance variable cannot be started or stopped";
    /// `MPI_T_ERR_PVAR_NO_WRITE`: the performance variable cannot be written or reset.
    PvarNoWrite = "the performance variable cannot be written or reset";
    /// `MPI_T_ERR_PVAR_NO_ATOMIC`: the performance variable cannot be read and reset in one step.
    PvarNoAtomic = "the performance variable cannot be read and reset in one step";
}

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Codes, by which errors cross between images.
#[doc(hidden)]
impl Error {
    /// Returns the code of this error for C functions of a definition: 1 + position in [`Error::ALL`]; 0 is success.
    ///
    /// These are not the numbers of any MPI ABI.
    pub fn code(self) -> i32 {
        self as i32 + 1
    }

    /// Converts a code of [`Error::code`] back.
    ///
    /// # Errors
    ///
    /// The error of that code; [`Error::Invalid`] for unknown codes other than 0.
    pub fn check(code: i32) -> Result<()> {
        match code {
            0 => Ok(()),
            code => {
                let known = usize::try_from(code - 1).ok().and_then(|at| Self::ALL.get(at));
                Err(known.copied().unwrap_or(Self::Invalid))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn codes_round_trip() {
        for error in Error::ALL {
            assert_eq!(Error::check(error.code()), Err(error));
        }
        assert_eq!(Error::check(0), Ok(()));
        assert_eq!(Error::check(-5), Err(Error::Invalid));
        assert_eq!(Error::check(i32::MIN + 1), Err(Error::Invalid));
        assert_eq!(Error::check(1000), Err(Error::Invalid));
    }
}
