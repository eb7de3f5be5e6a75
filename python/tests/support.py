"""Runs, and the command, for several tests."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import parquet

if TYPE_CHECKING:
    from collections.abc import Iterable

# The directory with the files that the example `ring` has written.
RING = Path(os.environ["MPIT_TEST_RING"])

# Two processes of a program with all kinds of traffic, two regions, and a place that calls MPI.
RUN = "# MPIT RUN\tr-1\tworld\t2 ranks\t2026-11-22T08:15:00.123Z\tn1"
# By size: 29 messages of at least 4 and less than 8 bytes.
SIZES = ",".join(["0"] * 3 + ["29"] + ["0"] * 62)
PROCESSES = [
    f"""{RUN}
# POINT TO POINT
E\t0\t1\t108 bytes\t27 msgs sent\t{SIZES}
I\t0\t1\t8 bytes\t2 msgs sent
# OSC
S\t0\t1\t1000 bytes\t4 msgs sent
R\t0\t1\t300 bytes\t3 msgs sent
# COLLECTIVES
C\t0\t0-1\t16 bytes\t2 msgs sent
D\tMPI_COMM_WORLD\tprocs: 0,1
O2A\t0\t0 bytes\t0 msgs sent
A2O\t0\t0 bytes\t0 msgs sent
A2A\t0\t16 bytes\t2 msgs sent
# TIME\t0\tall\t1000000000 ns\ttsc\t40 ns\t77
# CALL\t0\tMPI_Send\tMPI_COMM_WORLD\t1\t1\t27 calls\t27 timed\t2700 ns\t100 ns\t100 ns\t108 bytes\t7:27
# SITE\t0\t1\t4660\tabc123\t/apps/solver
# REGION\t0\t1\t0 mismatches\tsolver
""",
    f"""{RUN}
# POINT TO POINT
# OSC
# COLLECTIVES
C\t1\t0-1\t16 bytes\t2 msgs sent
D\tMPI_COMM_WORLD\tprocs: 0,1
O2A\t1\t0 bytes\t0 msgs sent
A2O\t1\t0 bytes\t0 msgs sent
A2A\t1\t16 bytes\t2 msgs sent
# TIME\t1\tall\t900000000 ns\ttsc\t40 ns\t77
""",
]


def report(path: Path, formats: str, output: Path) -> None:
    """Writes reports by the command."""
    line = ["mpit", "report", "--top", "0", "--format", formats, "--output", output, path]
    subprocess.run(line, check=True, capture_output=True)


class TestCase(unittest.TestCase):
    """A test in an empty directory, `self.directory`."""

    def setUp(self) -> None:
        """Makes the directory."""
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)
        filters = warnings.catch_warnings()
        filters.__enter__()
        self.addCleanup(filters.__exit__, None, None, None)
        # The place in the run of all kinds is in a program that is not here.
        warnings.filterwarnings("ignore", "/apps/solver: cannot read")

    def ring(self) -> Path:
        """Copies the files of the ring; returns the beginning of their names."""
        shutil.copytree(RING / "prof", self.directory / "prof")
        return self.directory / "prof/phase_1"

    def run_of_all_kinds(self) -> Path:
        """Writes the files of a run with all kinds of traffic; returns the beginning of their names."""
        for rank, text in enumerate(PROCESSES):
            (self.directory / f"run.{rank}.prof").write_text(text, encoding="utf-8")
        return self.directory / "run"

    def tables(self, run: Path) -> Path:
        """Writes the tables of a run; returns their directory."""
        report(run, "parquet", self.directory / "tables")
        return self.directory / "tables" / run.name


def write_tables(directory: Path, parts: Iterable[pa.Table], size: int) -> None:
    """Writes a table of pairs as `mpit report` does: encodings, row groups and manifest. Each part becomes a row group."""
    directory.mkdir()
    numbers = dict.fromkeys(["from", "to", "messages", "bytes"], "DELTA_BINARY_PACKED")
    rest = iter(parts)
    first = next(rest)
    rows = 0
    with parquet.ParquetWriter(
        directory / "pairs.parquet",
        first.schema,
        version="2.6",
        data_page_version="2.0",
        use_dictionary=["job", "kind"],
        column_encoding=numbers,
    ) as file:
        for part in itertools.chain([first], rest):
            file.write_table(part)
            rows += part.num_rows
    manifest: dict[str, Any] = {key: [] for key in ("missing", "missing_nodes", "recovered")}
    tables = [{"name": "pairs", "file": "pairs.parquet", "rows": rows}]
    manifest |= {"version": 1, "job": directory.name, "mpit": "0", "size": size, "present": size, "tables": tables}
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
