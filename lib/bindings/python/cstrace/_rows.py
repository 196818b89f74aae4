# SPDX-License-Identifier: BSD-3-Clause
"""Memory of the library as rows: structured arrays where NumPy is there, else tables of named tuples. Both use the memory as
it is; layouts are those of ctypes, which has them from the headers."""
import ctypes
import struct
from typing import Any, Dict, Iterator, List, Tuple

from . import _abi

try:
    import numpy as numpy
except ImportError:     # not a requirement
    numpy = None

_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}


def _members(kind: Any, base: int = 0) -> Iterator[Tuple[str, int, int]]:
    """(name, offset, size) of each number in a struct, also of those in structs and unions without a name."""
    for name, member in kind._fields_:
        offset = base + getattr(kind, name).offset
        if name in getattr(kind, "_anonymous_", ()):
            yield from _members(member, offset)
        else:
            yield name, offset, ctypes.sizeof(member)


class Layout:
    """A struct: its NumPy type, and how it becomes a named tuple."""

    def __init__(self, kind: Any) -> None:
        self.kind, self.row = kind, _abi.ROWS[kind]
        self.size = ctypes.sizeof(kind)
        members = list(_members(kind))
        self.dtype: Any = None
        if numpy is not None:
            self.dtype = numpy.dtype({"names": [m[0] for m in members], "offsets": [m[1] for m in members],
                                      "formats": ["u%d" % m[2] for m in members], "itemsize": self.size})
        form, at = "=", 0
        for _, offset, size in members:
            if offset >= at:    # else it shares the place of one before
                form += "%dx" % (offset - at) * (offset > at) + _CODES[size]
                at = offset + size
        self.form = struct.Struct(form + "%dx" % (self.size - at) * (self.size > at))

    def one(self, memory: Any, offset: int = 0) -> Any:
        """The named tuple of a struct in memory."""
        return self.row._make(self.form.unpack_from(memory, offset))


_layouts: Dict[Any, Layout] = {}


def layout(kind: Any) -> Layout:
    if kind not in _layouts:
        _layouts[kind] = Layout(kind)
    return _layouts[kind]


class Rows:
    """Structs in memory as a sequence of named tuples, each made when it is asked for. What NumPy would show as an array."""

    def __init__(self, kind: Any, memory: Any, n: int) -> None:
        self._layout = layout(kind)
        self._memory = memoryview(memory).cast("B")[:n * self._layout.size].toreadonly()

    def __len__(self) -> int:
        return len(self._memory) // self._layout.size

    def __iter__(self) -> Iterator[Any]:
        return map(self._layout.row._make, self._layout.form.iter_unpack(self._memory))

    def tolist(self) -> List[Any]:
        """The rows as a list, as of an array."""
        return list(self)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._layout.one(self._memory, index % len(self) * self._layout.size)


def table(kind: Any, memory: Any, n: int) -> Any:
    """The first n structs of `memory`, which lives as long as what is returned; it cannot be written to."""
    if numpy is None:
        return Rows(kind, memory, n)
    array = numpy.frombuffer(memory, layout(kind).dtype, n)
    array.flags.writeable = False
    return array


def some(array: Any, which: Any) -> Any:
    """A copy of some rows of an array: as plain memory, since NumPy copies a row with fields field by field."""
    return array.view("V%d" % array.itemsize)[which].view(array.dtype)


def tuples(kind: Any, memory: Any, n: int) -> Iterator[Any]:
    """The first n structs of `memory` as named tuples, with NumPy or without."""
    return iter(Rows(kind, memory, n))


def table_of(kind: Any, rows: List[Any]) -> Any:
    """Named tuples as a table."""
    size, form = layout(kind).size, layout(kind).form
    memory = bytearray(size * len(rows))
    for i, row in enumerate(rows):
        form.pack_into(memory, i * size, *row)
    return table(kind, bytes(memory), len(rows))


def copied(kind: Any, pointer: Any, n: int) -> Any:
    """A table of n structs at a pointer, in memory of its own (one copy of all of it)."""
    return table(kind, ctypes.string_at(pointer, n * ctypes.sizeof(kind)) if n else b"", n)
