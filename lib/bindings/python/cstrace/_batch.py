# SPDX-License-Identifier: BSD-3-Clause
"""Batches: what a pull of the decoder, or a recording, has of one stream, as elements, ranges and taken branches."""
from typing import Any, Iterator

from . import _abi
from ._abi import GenericKind
from ._library import core
from ._rows import numpy, some, table, tuples

_RANGE = int(GenericKind.RANGE)
_TAIL = 4       # elements, of which mostly one is a range
_UNCHANGED = 0xff


class Stream:
    """The branch at the end of the batches of a stream so far, whose target is in the next batch."""

    def __init__(self) -> None:
        self.open = _abi.cst_branch()

    def passed(self, elements: Any, n: int) -> Any:
        """Notes the branch at the end of n elements, and returns the one before them."""
        before = self.open
        # with a range among them, the last elements say it alone
        tail = min(n, _TAIL)
        self.open = _abi.cst_branch(last_size=_UNCHANGED)
        room = (_abi.cst_branch * tail)()
        core.cst_branches_find(self.open, elements[n - tail], tail, room)
        if self.open.last_size == _UNCHANGED:
            self.open, _ = find(before, elements, n)
        return before


def find(before: Any, elements: Any, n: int) -> Any:
    """The branch at the end of n elements, and a table of those in them."""
    last = _abi.cst_branch.from_buffer_copy(before)
    room = (_abi.cst_branch * n)()
    return last, table(_abi.cst_branch, room, core.cst_branches_find(last, elements, n, room))


class Batch:
    """Elements of one stream, all of one thread, in the memory of the library.

    The memory belongs to this object and to all arrays that are made of it, and is used again when the last of them is gone:
    an array can be kept, at the price of that memory. Arrays cannot be written to. A batch may be read in any thread.
    """

    def __init__(self, memory: Any, n: int, before: Any) -> None:
        self._memory, self._n, self._before = memory, n, before

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[_abi.Element]:
        """The elements as named tuples."""
        return tuples(_abi.cst_generic, self._memory, self._n)

    @property
    def elements(self) -> Any:
        """All elements: a structured NumPy array with the fields of Element in the memory of the library; without NumPy a
        sequence of Element."""
        return table(_abi.cst_generic, self._memory, self._n)

    @property
    def ranges(self) -> Any:
        """The elements of kind RANGE alone, in memory of their own: instructions [addr, end) were executed."""
        if numpy is None:
            return [g for g in self if g.kind == _RANGE]
        return some(self.elements, self.elements["kind"] == _RANGE)

    @property
    def branches(self) -> Any:
        """Taken branches in the order of execution: an array with the fields of Branch, or without NumPy a sequence of Branch.

        Those whose target is known: the begin of the next range, the return address of an exception at the target, the
        address of missing code, or at the end of a stretch what the opcode says. Exceptions are none. The branch at the end
        of the batch before, whose target is in this one, is the first of this one.
        """
        return find(self._before, self._memory, self._n)[1]
