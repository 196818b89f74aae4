# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of perf (perf.data, trace packages, snapshots), decoded: cstrace/perf/recording.h.

Uses libcstrace-perf, which is under GPL-2.0-only. Where memory is refused, it ends the process with exit code 1 and a line on
standard error; a file that gets shorter while it is read is a SIGBUS.

Threads. A recording is used by one thread at a time: a call while another one runs raises an Error with ErrorCode.BUSY.
Different recordings are decoded in different threads at once.
"""
import ctypes
import os
import queue
import threading
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from . import _abi
from ._abi import CountsFlags, ErrorCode
from ._batch import Batch, Stream
from ._library import Error, argument_type, member_type, perf, text_of, when_gone
from ._rows import copied, numpy

_BLOCK = _abi.cst_generic * 4096    # a batch has no more, but with times
_AHEAD = 4                          # batches that are decoded before the loop asks for them
Path = Union[str, bytes, "os.PathLike[Any]"]


class File(NamedTuple):
    """A file with executed code, or a piece of generated code.

    path: as recorded; build_id: empty: not known
    """

    path: str
    build_id: bytes


class Loss(NamedTuple):
    """Trace or records that were not decoded for one cause.

    count: how often; counted: what `count` counts; bytes: bytes of trace until the flow is known again
    why: the cause; cure: what helps and was not done; None: nothing is known to
    """

    count: int  # type: ignore[assignment]
    counted: str
    bytes: int
    why: str
    cure: Optional[str]


class FileCounts(NamedTuple):
    """How often the code of a file ran.

    file: the file; method: name of the piece of generated code; None: the whole file
    ranges: rows of Pair, sorted: a, b: offsets in the file of the first and the last instruction of a range, and its count
    edges: rows of Pair, sorted: a, b: offsets of a taken branch and its target; b OUTSIDE: not in this file, or not known
    branches: taken branches; the edges, and those whose target is not known
    """

    file: File
    method: Optional[str]
    ranges: Any
    edges: Any
    branches: int


OUTSIDE = _abi.CST_COUNTS_OUTSIDE


def _file(pointer: Any) -> File:
    file = pointer.contents
    return File(os.fsdecode(file.path or b""), ctypes.string_at(file.build_id, file.build_id_len) if file.build_id_len else b"")


class RecordingBatch(Batch):
    """What one thread executed on one CPU without an interruption by another thread.

    cpu, pid, tid: -1: not known; comm: name of the thread; None: not known
    time: ns of perf's clock at the first element, of a recording opened with times; 0: not known
    """

    def __init__(self, recording: "Recording", kept: Any, memory: Any, b: Any) -> None:
        n = int(b.n)
        self.cpu, self.pid, self.tid, self.time = int(b.cpu), int(b.pid), int(b.tid), int(b.time)
        self.comm = text_of(b.comm)
        self._recording, self._kept = recording, kept
        super().__init__(memory, n, recording._stream(self, memory[0].trace_id).passed(memory, n))

    def file(self, section: int) -> Optional[File]:
        """The file with the code of a range of this batch, by Element.section; the offset in it of the range's first
        instruction is Element.sect_off (its lower 32 bits). None: the code is in no file."""
        return self._recording._file(self, section)

    @property
    def files(self) -> Dict[int, Optional[File]]:
        """The files of all ranges of this batch, by section."""
        if numpy is None:
            sections = {g.section for g in self}
        else:
            sections = set(numpy.unique(self.elements["section"]).tolist())
        return {section: self.file(section) for section in sorted(sections - {0})}


class Recording:
    """A recording, opened: its records are read once, and its trace is decoded by each run.

    path: perf.data, its folder, a trace package or a snapshot of Arm; "-": standard input
    symfs, vmlinux, kcore, kallsyms, jitdump, buildid_dir: where programs and kernels are, as the options of perf-cstrace
    time, cpu, pid, tid, comm: what part of it is decoded, as the options of perf-cstrace
    times: batches have times; decoding is slower with them
    messages: what the library said so far, a line each
    """

    def __init__(self, path: Path, *, symfs: Optional[Path] = None, vmlinux: Optional[Path] = None, kcore: Optional[Path] = None,
                 kallsyms: Optional[Path] = None, jitdump: Optional[Path] = None, buildid_dir: Optional[Path] = None,
                 time: Optional[str] = None, cpu: Optional[str] = None, pid: Optional[str] = None, tid: Optional[str] = None,
                 comm: Optional[str] = None, times: bool = False) -> None:
        self.messages: List[str] = []
        self._owner = threading.Lock()
        self._files: Dict[int, Optional[File]] = {}
        self._streams: Dict[Tuple[int, int, int], Stream] = {}
        opts = _abi.cst_recording_opts()
        opts.struct_size = ctypes.sizeof(opts)
        opts.times = times
        for name, value in (("input", path), ("symfs", symfs), ("vmlinux", vmlinux), ("kcore", kcore), ("kallsyms", kallsyms),
                            ("jitdump", jitdump), ("buildid_dir", buildid_dir), ("time", time), ("cpu", cpu), ("pid", pid),
                            ("tid", tid), ("comm", comm)):
            if value is not None:
                setattr(opts, name, _text(value))
        said = self.messages
        opts.report = member_type(_abi.cst_recording_opts, "report")(
            lambda _data, message: said.append(str(message, "utf-8", "replace")))
        self._pointer = ctypes.c_void_p()
        self._check(perf.cst_recording_open(ctypes.byref(self._pointer), opts), 0)
        # its texts and the function are used as long as it is open
        self._close = when_gone(self, _close, self._pointer, opts)

    def _check(self, result: int, said: int) -> int:
        """Raises a failure with the messages since the first `said`."""
        if result < 0:
            raise Error(-result, "\n".join(self.messages[said:]))
        return result

    def close(self) -> None:
        """Frees the recording. Batches and their arrays stay valid, but for files that were not asked for."""
        with self._use():
            self._close()

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_exception: Any) -> None:
        self.close()

    def _use(self) -> "_Use":
        return _Use(self._owner)

    def _open(self) -> "_Use":
        if not self._close.alive:
            raise ValueError("the recording is closed")
        return self._use()

    def _stream(self, batch: RecordingBatch, trace_id: int) -> Stream:
        key = (batch.cpu, batch.tid if batch.cpu < 0 else 0, trace_id)
        return self._streams.setdefault(key, Stream())

    def run(self, each: Callable[[RecordingBatch], Any]) -> bool:
        """Decodes the recording and calls each(batch), each CPU or thread in its own order. A true result ends the run.
        Returns False if it was ended so. What `each` raises ends the run, and is raised."""
        raised: List[BaseException] = []

        def on_batch(_data: Any, b: Any) -> int:
            try:
                kept = perf.cst_recording_keep(self._pointer)
                n = kept.contents.n
                kind = _BLOCK if n <= _BLOCK._length_ else _abi.cst_generic * n
                # where `n` is less, what is behind the elements is not looked at
                memory = kind.from_address(ctypes.addressof(kept.contents.elements.contents))
                when_gone(memory, perf.cst_recording_release, kept)
                return 1 if each(RecordingBatch(self, kept, memory, b.contents)) else 0
            except BaseException as error:  # pylint: disable=broad-except
                raised.append(error)
                return 1

        function = argument_type("cstrace-perf", "cst_recording_run", 1)(on_batch)
        with self._open():
            said = len(self.messages)
            self._streams.clear()
            result = perf.cst_recording_run(self._pointer, function, None)
        if raised:
            raise raised[0]
        return not self._check(result, said)

    def __iter__(self) -> Iterator[RecordingBatch]:
        """Decodes the recording in a thread of its own, a few batches ahead of the loop. Leaving the loop ends the run."""
        ready: "queue.Queue[Any]" = queue.Queue(_AHEAD)
        left = threading.Event()

        def each(batch: RecordingBatch) -> bool:
            ready.put(batch)
            return left.is_set()

        def work() -> None:
            try:
                self.run(each)
                ready.put(None)
            except BaseException as error:  # pylint: disable=broad-except
                ready.put(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        item = None
        try:
            item = ready.get()
            while isinstance(item, RecordingBatch):
                yield item
                item = ready.get()
        finally:
            left.set()
            while isinstance(item, RecordingBatch):
                item = ready.get()
            thread.join()
        if item is not None:
            raise item

    def counts(self, joined: bool = False) -> List[FileCounts]:
        """Decodes the recording and counts ranges and edges inside of the decoder: much faster than batches. One entry for each
        file and each piece of generated code, those with most instructions first. joined: branches that were not taken do
        not end a range."""
        found: List[FileCounts] = []
        raised: List[BaseException] = []

        def on_counts(_data: Any, pointer: Any) -> int:
            try:
                c = pointer.contents
                found.append(FileCounts(_file(c.file), text_of(c.method), copied(_abi.cst_pair, c.ranges, c.n_ranges),
                                        copied(_abi.cst_pair, c.edges, c.n_edges), int(c.branches)))
                return 0
            except BaseException as error:  # pylint: disable=broad-except
                raised.append(error)
                return 1

        function = argument_type("cstrace-perf", "cst_recording_count", 2)(on_counts)
        with self._open():
            said = len(self.messages)
            result = perf.cst_recording_count(self._pointer, CountsFlags.JOINED if joined else 0, function, None)
        if raised:
            raise raised[0]
        self._check(result, said)
        return found

    @property
    def losses(self) -> List[Loss]:
        """What the last run, or count, did not decode; empty: everything was decoded."""
        found: List[Loss] = []

        def on_loss(_data: Any, pointer: Any) -> None:
            loss = pointer.contents
            found.append(Loss(int(loss.count), text_of(loss.counted) or "", int(loss.bytes), text_of(loss.why) or "",
                              text_of(loss.cure)))

        with self._open():
            perf.cst_recording_losses(self._pointer, argument_type("cstrace-perf", "cst_recording_losses", 1)(on_loss), None)
        return found

    def _file(self, batch: RecordingBatch, section: int) -> Optional[File]:
        if section not in self._files:
            if not self._close.alive:
                raise ValueError("the recording is closed")
            if numpy is None:
                at = next((i for i, g in enumerate(batch) if g.section == section), None)
            else:
                places = numpy.flatnonzero(batch.elements["section"] == section)
                at = int(places[0]) if len(places) else None
            if at is None:
                raise KeyError(section)
            pointer = batch._kept.contents.files[at]
            self._files[section] = _file(pointer) if pointer else None
        return self._files[section]


class _Use:
    """The use of a recording by one thread."""

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def __enter__(self) -> None:
        if not self._owner.acquire(blocking=False):
            raise Error(int(ErrorCode.BUSY), "the recording is in use")

    def __exit__(self, *_exception: Any) -> None:
        self._owner.release()


def _text(value: Path) -> bytes:
    text = os.fsencode(value)
    if b"\0" in text:
        raise ValueError("a text with a zero byte")
    return text


def _close(pointer: Any, _opts: Any) -> None:
    perf.cst_recording_close(pointer)
