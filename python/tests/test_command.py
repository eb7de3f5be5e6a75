"""The command by way of Python."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest


class Command(unittest.TestCase):
    """`python -m mpit`."""

    def test_arguments_and_status(self) -> None:
        """Passes arguments on, and returns the status."""
        version = subprocess.run(["mpit", "--version"], check=True, capture_output=True)
        own = [sys.executable, "-m", "mpit"]
        self.assertEqual(subprocess.run([*own, "--version"], check=True, capture_output=True).stdout, version.stdout)
        code = "import os, sys; print(os.environ['LD_PRELOAD'], sys.argv); sys.exit(3)"
        ran = subprocess.run([*own, "run", "--quiet", "--", sys.executable, "-c", code, "a b"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 3)
        self.assertRegex(ran.stdout, r"libmpit_preload\.so.* \['-c', 'a b'\]")

    def test_no_command(self) -> None:
        """Says that there is no command."""
        ran = subprocess.run([sys.executable, "-m", "mpit"], env={**os.environ, "PATH": ""}, capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stderr[:31]), (1, "mpit: there is no command mpit:"))
