# SPDX-License-Identifier: BSD-3-Clause
"""The shared libraries: where they are, their functions, and what a failed call raises."""
import ctypes
import os
import sys
import weakref
from typing import Any, Callable, Dict, Iterator, Optional

from . import _abi

_ORDER = ("cstrace", "cstrace-files", "cstrace-perf")   # each one needs those before it


class Error(Exception):
    """A call of the library failed, or a file could not be read.

    code: number of an ErrorCode, or another positive number where only the text says what it was
    offset: byte in the input at which it was found; None: the text says it, or there is none
    text: what the library says
    """

    def __init__(self, code: int, text: str = "", offset: Optional[int] = None) -> None:
        self.code = code
        self.offset = offset
        self.text = text or error_text(code)
        super().__init__(self.text if offset is None else "%s (at byte %d)" % (self.text, offset))


class _Library:
    """Functions of one shared library as attributes, with the types of the headers; it is loaded when the first one is used."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._types = _abi.FUNCTIONS[name]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self._types:
            raise AttributeError(name)
        function = getattr(_load(self._name), name)
        function.restype, function.argtypes = self._types[name]
        setattr(self, name, function)
        return function  # type: ignore[no-any-return]


_loaded: Dict[str, ctypes.CDLL] = {}


def _places(file: str) -> Iterator[str]:
    """Where a library may be: in CSTRACE_LIBDIR and nowhere else, in the package, or where the system finds it."""
    if "CSTRACE_LIBDIR" in os.environ:
        yield os.path.join(os.environ["CSTRACE_LIBDIR"], file)
        return
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", file)
    if os.path.exists(own):
        yield own
    yield file
    for prefix in (sys.prefix, "/usr/local"):
        yield os.path.join(prefix, "lib", file)


def _load(name: str) -> ctypes.CDLL:
    if name in _loaded:
        return _loaded[name]
    for below in _ORDER[:_ORDER.index(name)]:
        _load(below)
    file = "lib%s.so.%d" % (name, _abi.CST_VERSION_MAJOR)
    why = None
    for place in _places(file):
        try:
            library = ctypes.CDLL(place)
            break
        except OSError as error:
            why = why or error
    else:
        raise ImportError("%s is not found (CSTRACE_LIBDIR names its folder): %s" % (file, why))
    if name == "cstrace":
        library.cst_version.restype = ctypes.c_uint
        version, wanted = library.cst_version(), _abi.CST_VERSION_MAJOR << 16 | _abi.CST_VERSION_MINOR << 8
        if version >> 16 != wanted >> 16 or version < wanted:
            raise ImportError("%s is version %#x, and this package needs %#x or a later one of the same first number" %
                              (place, version, wanted))
    _loaded[name] = library
    return library


core = _Library("cstrace")
files = _Library("cstrace-files")
perf = _Library("cstrace-perf")


def argument_type(library: str, function: str, number: int) -> Any:
    """The type of an argument, for callbacks."""
    return _abi.FUNCTIONS[library][function][1][number]


def member_type(kind: Any, name: str) -> Any:
    """The type of a member, for callbacks."""
    return dict(kind._fields_)[name]


def function_address(function: Any) -> int:
    """The address of a function of the library, for a callback that needs no Python."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def error_text(code: int) -> str:
    """The library's text of an ErrorCode."""
    text = core.cst_strerror(code)
    return str(text, "utf-8", "replace")


def check(result: int, text: str = "", offset: Optional[int] = None) -> int:
    """Raises what a negative result stands for, and returns any other."""
    if result < 0:
        raise Error(-result, text, offset)
    return result


def version() -> str:
    """Version of the library that is used, as "0.2.0"."""
    number = core.cst_version()
    return "%d.%d.%d" % (number >> 16, number >> 8 & 255, number & 255)


def unsigned(value: int, size: int) -> int:
    """The value, which ctypes would cut to its size in bytes."""
    if not 0 <= value < 1 << 8 * size:
        raise OverflowError("%d is no number of %d bytes without sign" % (value, size))
    return value


def set_member(made: Any, name: str, value: int) -> None:
    """Sets a number in a struct of the caller."""
    kinds = dict(type(made)._fields_)
    if name not in kinds or name == "struct_size":
        raise AttributeError("%s has no member %r" % (type(made).__name__, name))
    setattr(made, name, unsigned(value, ctypes.sizeof(kinds[name])))


def as_bytes(data: Any) -> bytes:
    """What a buffer holds, in memory that nobody changes while the library uses it; bytes are used as they are."""
    return data if isinstance(data, bytes) else bytes(memoryview(data).cast("B"))


def when_gone(owner: Any, free: Callable[..., Any], *args: Any) -> Any:
    """Calls free(*args) when `owner` is. What args refer to lives as long. At the end of the process nothing is freed."""
    final = weakref.finalize(owner, free, *args)
    final.atexit = False
    return final


def text_of(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else os.fsdecode(value)
