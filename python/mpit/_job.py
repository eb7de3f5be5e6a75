"""A job: its tables, matrices and most important numbers."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from mpit._errors import IncompleteRunError, MpitError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pyarrow as pa
    import scipy.sparse

# The kinds of traffic: the program's operations, and the messages of the MPI library.
KINDS = {"E": "messages", "S": "sent one-sided", "R": "fetched one-sided", "C": "collective", "I": "internal"}
PROGRAM = "ESRC"

# The columns of few words in tables of many rows, which are read as numbers of words.
WORDS = {"pairs": ["kind"], "series": ["area"]}


class Job:
    """The records of a job, as Arrow tables. Each is read when it is first used.

    pandas, Polars, DuckDB and others read the tables without copies, by the PyCapsule protocol. Times are in seconds. The page
    `docs/files.md` of mpit describes all columns.
    """

    def __init__(self, directory: Path, manifest: dict[str, Any]) -> None:
        """Describes the tables in a directory."""
        self._directory = directory
        self._manifest = manifest
        self._rows = {table["name"]: table["rows"] for table in manifest["tables"]}
        self._tables: dict[str, pa.Table] = {}

    @property
    def name(self) -> str:
        """The name: the beginning of the names of the run's files."""
        return str(self._manifest["job"])

    @property
    def size(self) -> int:
        """The number of processes of the world."""
        return int(self._manifest["size"])

    @property
    def ranks(self) -> pa.Table:
        """The ranks: node, messages and bytes out and in, seconds in MPI by area."""
        return self.table("ranks")

    @property
    def pairs(self) -> pa.Table:
        """The messages and bytes from rank to rank, by kind (E, I, S, R, C)."""
        return self.table("pairs")

    @property
    def calls(self) -> pa.Table:
        """The calls of MPI by function."""
        return self.table("calls")

    @property
    def sites(self) -> pa.Table:
        """The calls by place in the program. Empty without `mpit run --sites`."""
        return self.table("sites")

    @property
    def regions(self) -> pa.Table:
        """The calls by region of the program."""
        return self.table("regions")

    @property
    def comms(self) -> pa.Table:
        """The communicators, with their collective operations."""
        return self.table("comms")

    @property
    def series(self) -> pa.Table:
        """The development over time, by rank and area. Empty without `mpit run --series`."""
        return self.table("series")

    @property
    def variables(self) -> pa.Table:
        """The variables and events of `mpit run --read`, with their values over ranks. Empty without it."""
        return self.table("variables")

    def table(self, name: str) -> pa.Table:
        """Returns a table by its name: one of the properties, or `job`, `sizes`, `nodes`, `call_times`, `durations`, ..."""
        if name not in self._tables:
            if name not in self._rows:
                raise KeyError(f"there is no table {name}; there are {', '.join(self._rows)}")
            self._tables[name] = self._load(name)
        return self._tables[name]

    def _load(self, name: str) -> pa.Table:
        import pyarrow
        from pyarrow import parquet

        path = self._directory / f"{name}.parquet"
        try:
            # Unlike `read_table`, this makes one chunk for each column, which pandas takes over without a copy.
            with parquet.ParquetFile(path, read_dictionary=WORDS.get(name)) as file:
                # The name of the job is for tables of many jobs.
                table = file.read([column for column in file.schema_arrow.names if column != "job"])
        except (OSError, KeyError, pyarrow.ArrowInvalid) as error:
            raise IncompleteRunError(f"cannot read {path}: {error}") from error
        if table.num_rows != self._rows[name]:
            raise IncompleteRunError(f"{path} has {table.num_rows} rows, and {self._rows[name]} by the manifest: write the tables again")
        return table

    @property
    def totals(self) -> pa.Table:
        """The messages, bytes and pairs of ranks by kind."""
        pairs = self.pairs
        by_kind = pairs.set_column(0, "kind", pairs["kind"].cast("string")).group_by("kind", use_threads=False)
        totals = by_kind.aggregate([("messages", "sum"), ("bytes", "sum"), ("kind", "count")])
        return totals.select(["kind", "messages_sum", "bytes_sum", "kind_count"]).rename_columns(["kind", "messages", "bytes", "pairs"])

    def matrix(self, value: str = "bytes", kinds: Iterable[str] = PROGRAM) -> scipy.sparse.csr_array:
        """Returns a sparse matrix: the row sends, the column receives.

        `value` is `bytes` or `messages`. `kinds` has the letters of the kinds that are added: messages (E), one-sided accesses (S, R) and
        collective operations (C) of the program, and messages of the MPI library (I).
        """
        if value not in ("bytes", "messages"):
            raise ValueError(f"a matrix has bytes or messages, not {value!r}")
        letters = list(kinds)
        unknown = [letter for letter in letters if letter not in KINDS]
        if unknown:
            raise ValueError(f"unknown kinds {', '.join(unknown)}; there are {', '.join(KINDS)}")
        try:
            import scipy.sparse
        except ImportError:
            raise MpitError("a matrix needs SciPy: pip install scipy") from None
        import pyarrow
        from pyarrow import compute

        chosen = self.pairs
        # Not a filter of each kind, which would copy the table.
        if not set(compute.unique(chosen["kind"]).to_pylist()) <= set(letters):
            wanted = compute.is_in(chosen["kind"].cast("string"), pyarrow.array(letters, "string"))
            chosen = chosen.filter(wanted)
        numbers, senders, receivers = (chosen[column].to_numpy() for column in (value, "from", "to"))
        return scipy.sparse.coo_array((numbers, (senders, receivers)), shape=(self.size, self.size)).tocsr()

    @property
    def summary(self) -> dict[str, Any]:
        """The most important numbers: those of the table `job`, and the ranks and nodes without records."""
        lists = {name: self._manifest[name] for name in ("missing", "missing_nodes", "recovered")}
        return {"name": self.name, **self.table("job").to_pylist()[0], **lists}

    def __repr__(self) -> str:
        """Returns the name, and the number of ranks with records."""
        return f"<mpit.Job {self.name}: {self._manifest['present']} of {self.size} processes>"

    def _repr_html_(self) -> str:
        summary = self.summary
        lines = [f"<b>{html.escape(self.name)}</b>: {summary['present']} of {summary['size']} processes"]
        if summary["missing"]:
            lines.append(f"missing: {html.escape(ranges(summary['missing']))}")
        if summary["program"]:
            lines.append(html.escape(summary["program"]))
        if summary["elapsed"] is not None:
            lines.append(f"{summary['elapsed']:.3g} s, of which {summary['in_mpi_mean']:.3g} s in MPI (mean)")
        rows = [
            f"<tr><td>{KINDS.get(kind, '')} ({html.escape(kind)})</td>{_cells(*numbers)}</tr>"
            for kind, *numbers in (row.values() for row in self.totals.to_pylist())
        ]
        head = "<tr><th></th><th>messages</th><th>bytes</th><th>pairs</th></tr>"
        return f"<div>{'<br>'.join(lines)}</div><table>{head}{''.join(rows)}</table>"


def _cells(*numbers: int) -> str:
    return "".join(f"<td>{number:,}</td>" for number in numbers)


def ranges(missing: list[dict[str, Any]]) -> str:
    """Returns ranges of ranks without records as text; empty if there are none."""
    texts = []
    for part in missing:
        first, last = part["first"], part["last"]
        which = f"rank {first}" if first == last else f"ranks {first} to {last}"
        texts.append(f"{which} ({part['reason'] or 'no file'})")
    return ", ".join(texts)
