"""Packs the command and the libraries that it preloads into the wheel."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The directory of an unpacked tarball, and the platform of its programs.
FILES = "MPIT_WHEEL_FILES"
PLATFORM = "MPIT_WHEEL_PLATFORM"


class PackedFiles(BuildHookInterface[Any]):
    """Adds the files of a tarball. Without one, the wheel has Python only and uses the command of the search path."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Maps files to the directories of a Python environment, where the command finds the libraries in `../lib`."""
        if FILES not in os.environ:
            return
        root = Path(os.environ[FILES])
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ[PLATFORM]}"
        build_data["shared_scripts"][str(root / "bin/mpit")] = "mpit"
        for library in (root / "lib").glob("libmpit_*.so"):
            build_data["shared_data"][str(library)] = f"lib/{library.name}"
        # Those of the crates in the programs.
        build_data["extra_metadata"][str(root / "share/doc/mpit/licenses")] = "licenses"
