"""The command `mpit`: its path, and reports by it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

from mpit._errors import CommandNotFoundError, IncompleteRunError, MpitError, VersionError


def find() -> str:
    """Returns the path of the command: the one that was installed with this package, else the first one in the search path."""
    for command in _installed():
        if os.access(command, os.X_OK):
            return str(command)
    found = shutil.which("mpit")
    if found is None:
        raise CommandNotFoundError("there is no command mpit: install mpit, and put its directory bin into PATH")
    return found


def _installed() -> list[Path]:
    """Returns the places where pip may have put the command."""
    # That of `pip install --target`, whose record of files is wrong.
    places = [Path(__file__).parents[1] / "bin/mpit"]
    try:
        files = metadata.files("mpit") or []
    except metadata.PackageNotFoundError:
        files = []
    return [Path(str(file.locate())) for file in files if file.parts[-2:] == ("bin", "mpit")] + places


def export(path: Path, output: Path, *, partial: bool) -> list[str]:
    """Writes the tables of the runs under a name as Parquet, and returns the notes of the command.

    Raises an exception if records cannot be read, unless `partial` is true.
    """
    line = [find(), "report", "--top", "0", "--format", "parquet", "--output", str(output), "--", str(path)]
    done = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    text = done.stderr.decode(errors="replace")
    notes = [note.removeprefix("mpit: ") for note in text.splitlines()]
    message = "\n".join(notes)
    if done.returncode not in (0, 1):
        raise MpitError(message or f"mpit report ended with status {done.returncode}")
    if done.returncode == 1 and not partial:
        if re.search(r"version \d+.*this program reads version", text):
            raise VersionError(message)
        raise IncompleteRunError(f"{message}\nTo read the other records, pass partial=True")
    return notes
