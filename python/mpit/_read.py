"""Discovery of the tables of a run."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import warnings
import weakref
from pathlib import Path
from typing import Any

from mpit import _command
from mpit._errors import IncompleteRunError, NoSuchRunError, SeveralRunsError, VersionError
from mpit._job import Job, ranges

# The version of the manifest and of the tables.
VERSION = 1

MANIFEST = "manifest.json"


def read(path: str | os.PathLike[str], *, partial: bool = False) -> Job:
    """Reads a run.

    The path is that of `mpit run --output`, such as `prof/run`, whose files are read by the command `mpit`; or of a directory that
    `mpit report --format parquet` has written, or of the one above it, which is its `--output`, and needs no command. If a run has been
    replaced, the newest one is read.

    Raises an exception if ranks have no records, or if records cannot be read, unless `partial` is true. What the command says of the
    run otherwise, such as ranks that ended without `MPI_Finalize`, becomes warnings.
    """
    path = Path(path)
    # A directory with the records of a job has this file, and a manifest of another kind.
    is_records = (path / "job.json").exists()
    if not is_records and any(path.glob("*.parquet")):
        return _job(path, partial=partial)
    if not _has_files(path):
        reports = [file.parent for file in path.glob(f"*/{MANIFEST}") if not (file.parent / "job.json").exists()]
        if reports:
            return _job(_selected(path, reports), partial=partial)
        raise NoSuchRunError(f"there are no files of a run {path}, such as {path}.0.prof")
    output = Path(tempfile.mkdtemp(prefix="mpit-"))
    try:
        notes = _command.export(path, output, partial=partial)
        written = list(output.iterdir())
        if not written:
            raise IncompleteRunError("\n".join([f"{path} has no records that can be read", *notes]))
        job = _job(_selected(path, written), partial=partial)
    except BaseException:
        shutil.rmtree(output, ignore_errors=True)
        raise
    # Tables are read when they are first used.
    weakref.finalize(job, shutil.rmtree, output, ignore_errors=True)
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return job


def _has_files(path: Path) -> bool:
    """Returns true if there is a file that may be of a run under this name."""
    if path.is_dir():
        endings = (".prof", ".store", ".summary", ".tables")
        return path.suffix == ".tables" or any(file.suffix in endings for file in path.iterdir())
    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    return path.exists() or any(file.name.startswith(f"{path.name}.") for file in beside)


def _selected(path: Path, written: list[Path]) -> Path:
    """Returns the one of the directories with the tables of the run under this name."""
    # A run may have such a name itself.
    newest = [tables for tables in written if not re.search(r"\.earlier\d+$", tables.name)] or written
    # The name of a run may have a dot in it.
    for name in (path.name, path.stem):
        for tables in newest:
            if tables.name == name:
                return tables
    if len(newest) == 1:
        return newest[0]
    place = path if path.is_dir() else path.parent
    names = ", ".join(sorted(str(place / tables.name) for tables in newest))
    raise SeveralRunsError(f"{path} has several runs, of which one can be read: {names}")


def _job(directory: Path, *, partial: bool) -> Job:
    """Returns the job whose tables are in a directory."""
    manifest = _manifest(directory)
    missing = ranges(manifest["missing"])
    if missing and not partial:
        raise IncompleteRunError(f"{manifest['job']} has no records of {missing}. To read those of the other ranks, pass partial=True")
    return Job(directory, manifest)


def _manifest(directory: Path) -> Any:
    file = directory / MANIFEST
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise IncompleteRunError(
            f"{directory} has no {MANIFEST}: its tables are not finished. Write them again with mpit report --format parquet"
        ) from None
    except ValueError as error:
        raise IncompleteRunError(f"{file} is damaged: {error}. Write the tables again") from None
    if not isinstance(manifest, dict) or manifest.get("version") != VERSION:
        version = manifest.get("version") if isinstance(manifest, dict) else None
        raise VersionError(
            f"{file} has version {version}, and this package reads version {VERSION}: install the package of the mpit that wrote it"
        )
    return manifest
