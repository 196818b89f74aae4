# SPDX-License-Identifier: BSD-3-Clause
"""Count files, cstrace-profile(5): records in and out, and sums of files (cstrace/files/countfile.h).

Threads. A reader or writer is used by one thread at a time: others wait for it.
"""
import contextlib
import ctypes
import os
import threading
from typing import Any, BinaryIO, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple, Union

from . import _abi
from ._abi import CountKind, ErrorCode
from ._library import Error, argument_type, check, files, function_address, unsigned, when_gone
from ._rows import layout, table_of

Source = Union[str, bytes, "os.PathLike[Any]", BinaryIO]


class CountTotal(NamedTuple):
    """A sum over all that was counted; names in cstrace-profile(5). Those that begin with "loss." are losses."""

    name: str
    value: int


class CountBinary(NamedTuple):
    """A binary, which the counts behind it name by its number in the order of the file, from 0.

    id_kind: a CountId; id: build-id or digest; type: a CountBinaryType; machine: e_machine of its ELF header, 0: not known
    name: path or name as recorded
    """

    id_kind: int
    id: bytes
    type: int
    machine: int
    name: str


Record = Union[CountTotal, CountBinary, _abi.CountSegment, _abi.CountRange, _abi.CountNotTaken, _abi.CountEdge, _abi.CountEntry,
               _abi.CountNode]

# Records whose members are numbers alone: the struct, and its place in that of all records.
_PLAIN: Dict[int, Tuple[Any, str]] = {
    int(CountKind.SEGMENT): (_abi.cst_count_segment, "segment"), int(CountKind.RANGE): (_abi.cst_count_range, "range"),
    int(CountKind.NOT_TAKEN): (_abi.cst_count_not_taken, "not_taken"), int(CountKind.EDGE): (_abi.cst_count_edge, "edge"),
    int(CountKind.ENTRY): (_abi.cst_count_entry, "entry"), int(CountKind.NODE): (_abi.cst_count_node, "node"),
}
_KIND_OF = {layout(kind).row: number for number, (kind, _) in _PLAIN.items()}
# All members of the union begin at one place.
_AT = getattr(_abi.cst_count_record, _abi.cst_count_record._anonymous_[0]).offset


@contextlib.contextmanager
def _opened(source: Source, mode: str) -> Iterator[Any]:
    if isinstance(source, (str, bytes, os.PathLike)):
        with open(source, mode) as file:
            yield file
    else:
        yield source


class _Calls:
    """Functions for the library that read or write a file. What they raise is raised when the call of the library is over."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._raised: Optional[BaseException] = None

    def read(self, _data: Any, buffer: Any, size: int) -> int:
        try:
            got = self._file.read(size) or b""
            if len(got) > size:
                raise ValueError("read(%d) returned %d bytes" % (size, len(got)))
            ctypes.memmove(buffer, got, len(got))
            return len(got)
        except BaseException as error:  # pylint: disable=broad-except
            self._raised = error
            return -int(ErrorCode.IO)

    def write(self, _data: Any, data: Any, size: int) -> int:
        try:
            rest = memoryview(ctypes.string_at(data, size))
            while rest:
                rest = rest[self._file.write(rest):]
            return 0
        except BaseException as error:  # pylint: disable=broad-except
            self._raised = error
            return -int(ErrorCode.IO)

    def over(self) -> None:
        if self._raised is not None:
            raise self._raised


class CountReader:
    """The records of a count file, in its order, as an iterator of named tuples (Record).

    source: a path, or a file that is open for reading bytes. A damaged or cut file raises an Error with the offset.
    """

    def __init__(self, source: Source) -> None:
        self._stack = contextlib.ExitStack()
        self._calls = _Calls(self._stack.enter_context(_opened(source, "rb")))
        self._function = argument_type("cstrace-files", "cst_count_reader_new", 1)(self._calls.read)
        self._pointer = ctypes.c_void_p()
        self._record = _abi.cst_count_record()
        self._lock = threading.RLock()
        check(files.cst_count_reader_new(ctypes.byref(self._pointer), self._function, None))
        self._free = when_gone(self, _free_reader, self._pointer, self._function, self._stack)

    def close(self) -> None:
        """Frees the reader, and closes the file if this opened it."""
        with self._lock:
            self._free()

    def __enter__(self) -> "CountReader":
        return self

    def __exit__(self, *_exception: Any) -> None:
        self.close()

    def _failed(self, result: int) -> None:
        """Raises what the file raised, or what the library found."""
        self._calls.over()
        what = ctypes.c_char_p()
        place = files.cst_count_reader_place(self._pointer, ctypes.byref(what))
        check(result, (what.value or b"").decode(), place)

    def __iter__(self) -> "CountReader":
        return self

    def __next__(self) -> Record:
        with self._lock:
            if not self._free.alive:
                raise ValueError("the reader is closed")
            result = files.cst_count_read(self._pointer, self._record)
            if result < 0:
                self._failed(result)
            if not result:
                raise StopIteration
            return _tuple_of(self._record)


def _free_reader(pointer: Any, _function: Any, stack: contextlib.ExitStack) -> None:
    files.cst_count_reader_free(pointer)
    stack.close()


def _tuple_of(record: Any) -> Record:
    kind = record.kind
    if kind in _PLAIN:
        made: Record = layout(_PLAIN[kind][0]).one(record, _AT)
        return made
    if kind == CountKind.TOTAL:
        return CountTotal(os.fsdecode(record.total.name), record.total.value)
    b = record.binary
    return CountBinary(b.id_kind, bytes(b.id[:b.id_len]), b.type, b.machine, os.fsdecode(b.name))


class CountWriter:
    """Writes a count file. Records must come in the canonical order (cstrace/files/countfile.h); one that does not raises an
    Error, and the file goes on without it. end(), or the end of a with block without an exception, completes the file.

    target: a path, or a file that is open for writing bytes
    """

    def __init__(self, target: Source) -> None:
        self._stack = contextlib.ExitStack()
        self._calls = _Calls(self._stack.enter_context(_opened(target, "wb")))
        self._function = argument_type("cstrace-files", "cst_count_writer_new", 1)(self._calls.write)
        self._pointer = ctypes.c_void_p()
        self._lock = threading.RLock()
        check(files.cst_count_writer_new(ctypes.byref(self._pointer), self._function, None))
        self._free = when_gone(self, _free_writer, self._pointer, self._function, self._stack)

    def _call(self, function: Callable[..., int], *args: Any) -> None:
        with self._lock:
            if not self._free.alive:
                raise ValueError("the writer is closed")
            result = function(self._pointer, *args)
            if result:
                self._calls.over()
                refused = files.cst_count_writer_refused(self._pointer)
                check(result, (refused or b"").decode() if result == -ErrorCode.INVAL else "")

    def write(self, record: Record) -> None:
        """Writes a record. One with the count 0 is left out, but for nodes."""
        self._call(files.cst_count_write, _record_of(record))

    def end(self) -> None:
        """Writes the end mark, without which a reader takes the file for cut."""
        self._call(files.cst_count_writer_end)

    def close(self) -> None:
        """Frees the writer, and closes the file if this opened it."""
        with self._lock:
            self._free()

    def __enter__(self) -> "CountWriter":
        return self

    def __exit__(self, kind: Any, *_exception: Any) -> None:
        try:
            if kind is None:
                self.end()
        finally:
            self.close()


def _free_writer(pointer: Any, _function: Any, stack: contextlib.ExitStack) -> None:
    files.cst_count_writer_free(pointer)
    stack.close()


def _record_of(row: Record) -> Any:
    record = _abi.cst_count_record()
    if isinstance(row, CountTotal):
        record.kind = CountKind.TOTAL
        record.total.name = _name(row.name)
        record.total.value = unsigned(row.value, 8)
    elif isinstance(row, CountBinary):
        record.kind = CountKind.BINARY
        b = record.binary
        if len(row.id) > _abi.CST_COUNT_ID_MAX:
            raise OverflowError("an id of more than %d bytes" % _abi.CST_COUNT_ID_MAX)
        b.id_kind, b.id_len, b.type = unsigned(row.id_kind, 1), len(row.id), unsigned(row.type, 1)
        b.machine, b.name = unsigned(row.machine, 2), _name(row.name)
        ctypes.memmove(b.id, row.id, len(row.id))
    else:
        record.kind = _KIND_OF[type(row)]
        layout(_PLAIN[record.kind][0]).form.pack_into(record, _AT, *row)
    return record


def _name(text: str) -> bytes:
    name = os.fsencode(text)
    if b"\0" in name:
        raise ValueError("a name with a zero byte")
    return name


class BinaryCounts:
    """A binary of a count file with its counts: tables of CountSegment, CountRange, CountNotTaken, CountEdge and CountEntry,
    which are arrays where NumPy is there."""

    def __init__(self, binary: CountBinary, rows: Dict[int, List[Any]]) -> None:
        def made(kind: CountKind) -> Any:
            return table_of(_PLAIN[int(kind)][0], rows.get(int(kind), []))
        self.binary = binary
        self.segments, self.ranges, self.not_taken = made(CountKind.SEGMENT), made(CountKind.RANGE), made(CountKind.NOT_TAKEN)
        self.edges, self.entries = made(CountKind.EDGE), made(CountKind.ENTRY)


class CountFile:
    """A count file, read as a whole.

    totals: sums by name; losses: those of them that are losses, empty: nothing was lost
    binaries: counts by number of the binary; nodes: calling contexts, a table of CountNode, depth first
    """

    def __init__(self, source: Source) -> None:
        self.totals: Dict[str, int] = {}
        found: List[CountBinary] = []
        rows: Dict[int, Dict[int, List[Any]]] = {}
        nodes: List[Any] = []
        with CountReader(source) as reader:
            for record in reader:
                if isinstance(record, CountTotal):
                    self.totals[record.name] = record.value
                elif isinstance(record, CountBinary):
                    found.append(record)
                elif isinstance(record, _abi.CountNode):
                    nodes.append(record)
                else:
                    number = len(found) - 1 if isinstance(record, _abi.CountSegment) else record.binary
                    rows.setdefault(number, {}).setdefault(_KIND_OF[type(record)], []).append(record)
        self.binaries = [BinaryCounts(binary, rows.get(i, {})) for i, binary in enumerate(found)]
        self.nodes = table_of(_abi.cst_count_node, nodes)

    @property
    def losses(self) -> Dict[str, int]:
        return {name: value for name, value in self.totals.items() if name.startswith("loss.")}


def merge_counts(inputs: Iterable[Union[Source, Tuple[Source, int]]], target: Source) -> None:
    """Writes the sum of count files, each with a weight or 1, by which its counts are multiplied. Needs little memory, whatever
    they hold. An Error names the input that is damaged, or contradicts one before it."""
    pairs = [item if isinstance(item, tuple) else (item, 1) for item in inputs]
    array = (_abi.cst_count_input * len(pairs))()
    failed, name = ctypes.c_size_t(), ctypes.create_string_buffer(_abi.CST_COUNT_NAME_MAX + 1)
    # the function that writes a record is one that takes a record of the sum
    out = argument_type("cstrace-files", "cst_count_merge", 2)(function_address(files.cst_count_write))
    with contextlib.ExitStack() as stack:
        readers = [stack.enter_context(CountReader(source)) for source, _ in pairs]
        writer = stack.enter_context(CountWriter(target))
        for entry, reader, (_, weight) in zip(array, readers, pairs):
            entry.reader, entry.weight = reader._pointer, unsigned(weight, 8)
        result = files.cst_count_merge(array, len(pairs), out, writer._pointer, ctypes.byref(failed), name, len(name))
        if result:
            if failed.value >= len(pairs):
                writer._calls.over()
                check(result)
            if result == -ErrorCode.CONFLICT:
                raise Error(-result, "input %d contradicts one before it%s" %
                            (failed.value, " about " + os.fsdecode(name.value) if name.value else ""))
            readers[failed.value]._failed(result)
