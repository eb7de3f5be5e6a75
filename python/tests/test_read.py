"""Tables, matrices and the summary of runs."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import time
import warnings
from pathlib import Path

import duckdb
import numpy as np
import pandas
import polars
import pyarrow as pa
import scipy.io

import mpit
from tests.support import PROCESSES, RING, TestCase, report, write_tables

RING_PAIRS = {
    "kind": ["E"] * 4,
    "from": [0, 1, 2, 3],
    "to": [1, 2, 3, 0],
    "messages": [27, 26, 26, 26],
    "bytes": [108, 104, 104, 104],
}


class Tables(TestCase):
    """The tables of a run."""

    def test_pairs_of_files_and_of_tables(self) -> None:
        """Reads the same from the files of processes, by the command, and from tables, without it."""
        run = self.ring()
        for path in (run, f"{run}.0.prof", run.parent, self.tables(run)):
            if str(path).endswith(".prof"):
                job = mpit.read(path, partial=True)
                self.assertEqual(job.pairs.to_pydict(), {name: values[:1] for name, values in RING_PAIRS.items()})
            else:
                job = mpit.read(path)
                self.assertEqual(job.pairs.to_pydict(), RING_PAIRS)
                self.assertEqual((job.name, job.size), ("phase_1", 4))

    def test_records_of_a_job(self) -> None:
        """Reads the records that `mpit pack` has packed."""
        run = self.ring()
        subprocess.run(["mpit", "pack", run], check=True, capture_output=True)
        for rank in range(4):
            run.with_name(f"phase_1.{rank}.prof").unlink()
        for path in (run, run.with_name("phase_1.tables")):
            self.assertEqual(mpit.read(path).pairs.to_pydict(), RING_PAIRS)

    def test_columns_are_documented(self) -> None:
        """Compares the columns of all tables with the documentation."""
        job = mpit.read(self.run_of_all_kinds())
        text = (Path(__file__).parents[2] / "docs/files.md").read_text(encoding="utf-8")
        section = text.split("\n### Columns\n")[1].split("\n## ")[0]
        documented = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|$", section, re.MULTILINE))
        self.assertIn("pairs", documented)
        for name, columns in documented.items():
            self.assertEqual(job.table(name).column_names, columns.split(", "), name)
        for name in ("ranks", "pairs", "calls", "sites", "regions", "comms", "series", "variables"):
            self.assertIs(getattr(job, name), job.table(name))
        with self.assertRaisesRegex(KeyError, "there is no table words; there are job, ranks, pairs"):
            job.table("words")

    def test_places_and_regions(self) -> None:
        """Reads the rows of each table that the run has."""
        job = mpit.read(self.run_of_all_kinds())
        self.assertEqual(job.sites.select(["call", "calls", "module", "offset"]).to_pylist()[0]["module"], "/apps/solver")
        self.assertEqual(job.regions.select(["region", "call", "calls"]).to_pylist()[0]["region"], "solver")
        self.assertEqual(job.calls.select(["name", "calls", "bytes"]).to_pylist(), [{"name": "MPI_Send", "calls": 27, "bytes": 108}])
        self.assertEqual(job.ranks["elapsed"].to_pylist(), [1.0, 0.9])
        self.assertEqual(job.comms["a2a_bytes"].to_pylist(), [32])

    def test_other_programs_read_tables(self) -> None:
        """Passes tables to pandas, Polars and DuckDB."""
        pairs = mpit.read(self.run_of_all_kinds()).pairs
        self.assertTrue(hasattr(pairs, "__arrow_c_stream__"))
        total = sum(pairs["bytes"].to_pylist())
        self.assertEqual(pairs.to_pandas()["bytes"].sum(), total)
        self.assertEqual(pandas.DataFrame.from_arrow(pairs)["bytes"].sum(), total)
        self.assertEqual(polars.DataFrame(pairs)["bytes"].sum(), total)
        sums = duckdb.sql("SELECT kind, sum(bytes) FROM pairs GROUP BY kind").fetchall()
        self.assertEqual(dict(sums), {"E": 108, "I": 8, "S": 1000, "R": 300, "C": 64})

    def test_many_pairs(self) -> None:
        """Reads ten million pairs in less than 1 GB, and prints the seconds: no assertion depends on time."""
        rows, neighbors = 10**7, 26
        size = rows // neighbors + 1
        messages = np.random.default_rng(1).integers(1, 500, 1 << 18)

        def part(first: int) -> pa.Table:
            """Returns the rows of a row group."""
            numbers = np.arange(first, min(first + len(messages), rows))
            senders, some = numbers // neighbors, messages[: len(numbers)]
            receivers = (senders + (numbers % neighbors + 1) ** 3) % size
            names = {name: pa.array([value] * len(numbers)) for name, value in [("job", "many"), ("kind", "E")]}
            return pa.table({**names, "from": senders, "to": receivers, "messages": some, "bytes": some * 800})

        write_tables(self.directory / "many", map(part, range(0, rows, len(messages))), size)
        total = messages.sum() * (rows // len(messages)) + messages[: rows % len(messages)].sum()
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            frame = mpit.read(self.directory / "many").pairs.to_pandas(split_blocks=True)
            times.append(time.perf_counter() - begin)
            self.assertEqual((len(frame), frame["bytes"].sum()), (rows, total * 800))
            del frame
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        print(f"{rows} pairs in pandas: {min(times):.2f} s, the best of {len(times)}; {most / 1e6:.0f} MB")
        self.assertLess(most, 10**9)


class Matrices(TestCase):
    """Sparse matrices."""

    def test_matrices_of_the_command(self) -> None:
        """Compares matrices with those that the command writes."""
        run = self.run_of_all_kinds()
        report(run, "mtx", self.directory)
        job = mpit.read(run)
        for selection, kinds in [("all", "EISRC"), ("external", "E"), ("internal", "I"), ("osc", "SR"), ("coll", "C")]:
            for value, name in [("bytes", "size"), ("messages", "msg")]:
                wanted = scipy.io.mmread(self.directory / f"run_{name}_{selection}.mtx").toarray()
                matrix = job.matrix(value, kinds)
                self.assertEqual(matrix.shape, (2, 2))
                self.assertEqual(matrix.toarray().tolist(), wanted.tolist(), (selection, value))
        self.assertEqual(job.matrix().toarray().tolist(), [[16, 108 + 1000 + 16], [300 + 16, 16]])

    def test_unknown_values_and_kinds(self) -> None:
        """Refuses what no matrix has."""
        job = mpit.read(RING / "prof/phase_1")
        with self.assertRaisesRegex(ValueError, "a matrix has bytes or messages, not 'byte'"):
            job.matrix("byte")
        with self.assertRaisesRegex(ValueError, "unknown kinds X, Y; there are E, S, R, C, I"):
            job.matrix("bytes", "EXY")
        self.assertEqual(job.matrix("bytes", "SR").nnz, 0)


class Summaries(TestCase):
    """The most important numbers."""

    def test_summary_is_that_of_the_report(self) -> None:
        """Compares the summary with the JSON of the command."""
        run = self.run_of_all_kinds()
        report(run, "json", self.directory)
        wanted = json.loads((self.directory / "run.json").read_text(encoding="utf-8"))
        job = mpit.read(run)
        for name in ("name", "size", "present", "missing", "missing_nodes", "recovered"):
            self.assertEqual(job.summary[name], wanted[name], name)
        self.assertEqual(job.summary["elapsed"], wanted["time"]["elapsed"]["max"])
        self.assertEqual(job.summary["run"], wanted["run"]["name"])
        totals = {row["kind"]: row for row in job.totals.to_pylist()}
        self.assertEqual(totals, {row["kind"]: row for row in wanted["totals"]})

    def test_page_of_a_notebook(self) -> None:
        """Shows totals and the ranks that are missing, and no markup of others."""
        run = self.ring()
        run.with_name("phase_1.2.prof").unlink()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            page = mpit.read(run, partial=True)._repr_html_()
        self.assertIn("<b>phase_1</b>: 3 of 4 processes<br>missing: rank 2 (no file)", page)
        self.assertIn("<td>messages (E)</td><td>79</td><td>316</td><td>3</td>", page)
        run = self.directory / "<i>"
        (self.directory / "<i>.0.prof").write_text(PROCESSES[1].replace("\t1\t", "\t0\t"), encoding="utf-8")
        job = mpit.read(run, partial=True)
        self.assertIn("<b>&lt;i&gt;</b>", job._repr_html_())
        self.assertEqual(repr(job), "<mpit.Job <i>: 1 of 2 processes>")
