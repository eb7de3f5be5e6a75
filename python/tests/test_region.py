"""Regions of a program."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import unittest
from unittest import mock

import mpit
from mpit import _region


class Regions(unittest.TestCase):
    """Begin and end of regions."""

    def test_nothing_without_mpit(self) -> None:
        """Leaves functions unchanged in a process without mpit."""
        self.assertIsNone(_region._functions())

        def solve() -> int:
            return 3

        self.assertIs(mpit.region("solver")(solve), solve)
        with mpit.region("solver"):
            self.assertEqual(solve(), 3)

    def test_calls_of_the_library(self) -> None:
        """Begins and ends regions in order, also if an exception leaves them."""
        calls: list[tuple[str, bytes]] = []
        functions = (lambda name: calls.append(("begin", name)), lambda name: calls.append(("end", name)))
        with mock.patch.object(_region, "_functions", lambda: functions):

            @mpit.region("größer")
            def fail(depth: int) -> None:
                """Fails in the innermost call."""
                if depth == 0:
                    raise ValueError
                fail(depth - 1)

            with self.assertRaises(ValueError), mpit.region("all"):
                fail(1)
        self.assertEqual(fail.__doc__, "Fails in the innermost call.")
        name = "größer".encode()
        begun = [("begin", b"all"), ("begin", name), ("begin", name)]
        self.assertEqual(calls, [*begun, ("end", name), ("end", name), ("end", b"all")])

    def test_suspended_functions(self) -> None:
        """Refuses generators and coroutines, with and without mpit."""

        def numbers():
            yield 1

        async def wait() -> None:
            await asyncio.sleep(0)

        for function in (numbers, wait):
            with self.assertRaisesRegex(TypeError, "use `with` around the code that calls MPI"):
                mpit.region("solver")(function)

    def test_import_loads_no_arrow(self) -> None:
        """Imports neither Arrow nor SciPy into a program that has regions only."""
        code = "import mpit, sys; mpit.region('a').__enter__(); print({'pyarrow', 'numpy', 'scipy'} & set(sys.modules))"
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout, "set()\n")
