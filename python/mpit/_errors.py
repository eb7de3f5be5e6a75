"""The exceptions of the package."""


class MpitError(Exception):
    """The base of the exceptions of this package."""


class CommandNotFoundError(MpitError):
    """The command `mpit` is not installed, or not in the search path."""


class NoSuchRunError(MpitError):
    """There are no files of a run under this name."""


class SeveralRunsError(MpitError):
    """A name stands for several runs."""


class IncompleteRunError(MpitError):
    """Records of a run are missing, cannot be read, or are still being written."""


class VersionError(MpitError):
    """Files have a version that the package or the command does not read."""
