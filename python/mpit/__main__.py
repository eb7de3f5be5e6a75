"""Executes the command: `python -m mpit run -- mpiexec -n 4 ./app`."""

import os
import sys

from mpit import CommandNotFoundError
from mpit._command import find


def main() -> None:
    """Replaces this process by the command."""
    try:
        command = find()
    except CommandNotFoundError as error:
        sys.exit(f"mpit: {error}")
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    main()
