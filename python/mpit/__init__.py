"""Reads what mpit records of MPI programs, and names the regions of Python programs.

>>> import mpit
>>> job = mpit.read("prof/run")
>>> job.pairs.to_pandas()
>>> job.matrix("bytes")
"""

from mpit._errors import (
    CommandNotFoundError,
    IncompleteRunError,
    MpitError,
    NoSuchRunError,
    SeveralRunsError,
    VersionError,
)
from mpit._job import Job
from mpit._read import read
from mpit._region import region

__all__ = [
    "CommandNotFoundError",
    "IncompleteRunError",
    "Job",
    "MpitError",
    "NoSuchRunError",
    "SeveralRunsError",
    "VersionError",
    "read",
    "region",
]
