"""Regions of Python programs, by the functions of `mpit_region.h`."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Callable, TypeVar

if TYPE_CHECKING:
    from types import TracebackType

_Function = TypeVar("_Function", bound=Callable[..., object])


@functools.cache
def _functions() -> tuple[Callable[[bytes], None], Callable[[bytes], None]] | None:
    """Returns the functions of libmpit_preload.so; none if it is not in the process."""
    import ctypes

    try:
        # The interpreter's lock is kept, because the functions are short.
        process = ctypes.PyDLL(None)
        functions = process.mpit_region_begin, process.mpit_region_end
    except (AttributeError, OSError):
        return None
    for function in functions:
        function.argtypes = [ctypes.c_char_p]
        function.restype = None
    return functions


class _Region:
    """A region that is begun and ended, any number of times."""

    __slots__ = ("_begin", "_end", "_name")

    def __init__(self, name: str) -> None:
        self._name = name.encode(errors="replace")
        self._begin, self._end = _functions() or (_ignored, _ignored)

    def __enter__(self) -> None:
        self._begin(self._name)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._end(self._name)

    def __call__(self, function: _Function) -> _Function:
        """Returns a function that runs in the region."""
        if any(is_kind(function) for is_kind in _SUSPENDED):
            # It would run between the calls of others, which are not in the region.
            raise TypeError("a region cannot be that of a generator or coroutine: use `with` around the code that calls MPI")
        if _functions() is None:
            return function

        @functools.wraps(function)
        def in_region(*arguments: object, **options: object) -> object:
            with self:
                return function(*arguments, **options)

        return in_region  # type: ignore[return-value]


_SUSPENDED = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)


def _ignored(name: bytes) -> None:
    """Does nothing, in a process without mpit."""


def region(name: str) -> _Region:
    """Names a part of the program, by which `mpit report` splits calls and times.

    The result is a context manager and a decorator:

    >>> with mpit.region("solver"):
    ...     comm.Allreduce(part, total)

    >>> @mpit.region("exchange")
    ... def exchange(): ...

    Regions may be inside of each other; the innermost one counts. In a process without mpit, nothing is recorded.
    """
    return _Region(name)
