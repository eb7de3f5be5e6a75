"""The notebooks of the documentation."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any
from unittest import mock

import nbformat
from nbclient import NotebookClient

from tests.support import TestCase

PACKAGE = Path(__file__).parents[1]


def shown(notebook: Any) -> list[Any]:
    """Returns the outputs of all cells, as text and, where the notebook has it, as a page."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return [(output.get("text"), output.get("data", {}).get("text/plain")) for output in outputs]


class Notebooks(TestCase):
    """Notebooks, executed in a directory with the files of the ring."""

    def test_outputs_are_those_of_the_cells(self) -> None:
        """Executes each notebook, and compares its outputs with those in the file."""
        self.ring()
        files = sorted((PACKAGE.parent / "docs/notebooks").glob("*.ipynb"))
        self.assertTrue(files)
        for file in files:
            stored = nbformat.read(file, as_version=4)
            nbformat.validate(stored)
            executed = copy.deepcopy(stored)
            client = NotebookClient(executed, kernel_name="python3", resources={"metadata": {"path": str(self.directory)}})
            with mock.patch.dict(os.environ, PYTHONPATH=str(PACKAGE)):
                client.execute()
            self.assertEqual(shown(executed), shown(stored), file.name)
