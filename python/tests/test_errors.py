"""Exceptions: what is missing, unfinished, damaged or of another version."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from unittest import mock

import mpit
from tests.support import PROCESSES, TestCase


class Names(TestCase):
    """Names of runs."""

    def test_no_such_run(self) -> None:
        """Names the files that are not there."""
        self.ring()
        for name in ("prof/phase", "prof/none", "none/run"):
            with self.assertRaisesRegex(mpit.NoSuchRunError, f"there are no files of a run .*/{name}, such as .*{name}.0.prof"):
                mpit.read(self.directory / name)
        with self.assertRaises(mpit.NoSuchRunError):
            mpit.read(self.directory)

    def test_several_runs(self) -> None:
        """Names the runs of a directory."""
        self.run_of_all_kinds()
        for rank, text in enumerate(PROCESSES):
            (self.directory / f"second.{rank}.prof").write_text(text, encoding="utf-8")
        with self.assertRaisesRegex(mpit.SeveralRunsError, "has several runs, of which one can be read: .*/run, .*/second"):
            mpit.read(self.directory)
        self.assertEqual(mpit.read(self.directory / "second").name, "second")

    def test_unusual_names(self) -> None:
        """Reads runs whose names begin like an option or have special characters."""
        previous = Path.cwd()
        self.addCleanup(os.chdir, previous)
        os.chdir(self.directory)
        for name in ("-x", "a b", "r[1]*", "run.2.x", "run.earlier1"):
            for rank, text in enumerate(PROCESSES):
                (self.directory / f"{name}.{rank}.prof").write_text(text, encoding="utf-8")
            self.assertEqual(mpit.read(name).name, name)

    def test_earlier_run(self) -> None:
        """Reads the newest run of a name."""
        run = self.run_of_all_kinds()
        earlier = PROCESSES[1].replace("r-1", "r-0").replace("2026-11-22", "2026-11-21").replace("2 ranks", "3 ranks")
        file = run.with_name("run.2.prof")
        file.write_text(earlier.replace("\t1\t", "\t2\t"), encoding="utf-8")
        os.utime(file, (0, 0))
        for path in (run, self.directory):
            self.assertEqual(mpit.read(path).size, 2)

    def test_no_command(self) -> None:
        """Reads tables without the command, and files only with it."""
        run = self.ring()
        tables = self.tables(run)
        with mock.patch.dict(os.environ, PATH=""):
            self.assertEqual(mpit.read(tables).pairs.num_rows, 4)
            with self.assertRaisesRegex(mpit.CommandNotFoundError, "there is no command mpit: install mpit"):
                mpit.read(run)


class Records(TestCase):
    """Records that are missing or cannot be read."""

    def test_missing_ranks(self) -> None:
        """Names the ranks without records, and reads the others on request."""
        run = self.ring()
        for rank in (1, 2):
            run.with_name(f"phase_1.{rank}.prof").unlink()
        for path in (run, self.tables(run)):
            with self.assertRaisesRegex(mpit.IncompleteRunError, r"no records of ranks 1 to 2 \(no file\)\. .*partial=True"):
                mpit.read(path)
            self.assertEqual(mpit.read(path, partial=True).pairs["from"].to_pylist(), [0, 3])

    def test_lines_that_are_not_understood(self) -> None:
        """Shows the command's messages."""
        run = self.ring()
        with run.with_name("phase_1.1.prof").open("a", encoding="utf-8") as file:
            file.write("E\t1\tx\n")
        with self.assertRaisesRegex(mpit.IncompleteRunError, r"phase_1\.1\.prof:\d+: .*\n.*partial=True"):
            mpit.read(run)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertEqual(mpit.read(run, partial=True).pairs.num_rows, 4)
        self.assertRegex(str(caught[0].message), r"phase_1\.1\.prof")
        self.assertEqual(caught[0].filename, __file__)

    def test_no_tables(self) -> None:
        """Shows the command's messages if it writes no tables, also on request of a part."""
        run = self.ring()
        refused = self.assertRaisesRegex(mpit.IncompleteRunError, r"phase_1 has no records that can be read\na note")
        with mock.patch("mpit._command.export", return_value=["a note"]), refused:
            mpit.read(run, partial=True)

    def test_recovered_ranks_are_a_warning(self) -> None:
        """Warns of ranks that ended without `MPI_Finalize`."""
        run = self.run_of_all_kinds()
        with run.with_name("run.1.prof").open("a", encoding="utf-8") as file:
            file.write("# RECOVERED\n")
        with self.assertWarnsRegex(UserWarning, "rank 1 ended without MPI_Finalize"):
            self.assertEqual(mpit.read(run).summary["recovered"], [1])

    def test_file_of_another_version(self) -> None:
        """Names the versions."""
        (self.directory / "run.prof").write_text("# MPIT JOB\t9\t2 ranks\n# END\n", encoding="utf-8")
        with self.assertRaisesRegex(mpit.VersionError, "version 9 of the format; this program reads version 1"):
            mpit.read(self.directory / "run")


class ReportTables(TestCase):
    """Tables that `mpit report` has written."""

    def test_unfinished_tables(self) -> None:
        """Refuses tables without a manifest, which is written last."""
        tables = self.tables(self.ring())
        (tables / "manifest.json").unlink()
        with self.assertRaisesRegex(mpit.IncompleteRunError, "has no manifest.json: its tables are not finished"):
            mpit.read(tables)

    def test_directory_of_reports(self) -> None:
        """Reads the tables of the run in a directory of reports, or names the runs in it."""
        output = self.tables(self.ring()).parent
        with mock.patch.dict(os.environ, PATH=""):
            self.assertEqual(mpit.read(output).name, "phase_1")
        self.tables(self.run_of_all_kinds())
        with self.assertRaisesRegex(mpit.SeveralRunsError, "tables has several runs, of which one can be read: .*/phase_1, .*/run"):
            mpit.read(output)

    def test_manifest_of_another_version(self) -> None:
        """Refuses the tables of another version of mpit."""
        tables = self.tables(self.ring())
        manifest = json.loads((tables / "manifest.json").read_text(encoding="utf-8"))
        for text, error in [
            (json.dumps({**manifest, "version": 2}), mpit.VersionError),
            ("[]", mpit.VersionError),
            ("{", mpit.IncompleteRunError),
        ]:
            (tables / "manifest.json").write_text(text, encoding="utf-8")
            with self.assertRaisesRegex(error, "manifest.json (has version|is damaged)"):
                mpit.read(tables)

    def test_damaged_tables(self) -> None:
        """Refuses tables that are missing, damaged or of another report."""
        tables = self.tables(self.ring())
        job = mpit.read(tables)
        (tables / "ranks.parquet").unlink()
        (tables / "calls.parquet").write_bytes(b"PAR1")
        (tables / "pairs.parquet").write_bytes((tables / "sizes.parquet").read_bytes())
        (tables / "sizes.parquet").write_bytes((tables / "late.parquet").read_bytes())
        for name, message in [("ranks", "cannot read"), ("calls", "cannot read"), ("pairs", "cannot read"), ("sizes", "has 0 rows, and 4")]:
            with self.assertRaisesRegex(mpit.IncompleteRunError, f"{name}.parquet {message}|{message} .*/{name}.parquet"):
                job.table(name)
