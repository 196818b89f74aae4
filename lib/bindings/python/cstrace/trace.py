# SPDX-License-Identifier: BSD-3-Clause
"""Trace bytes: configuration and code of a trace unit, a buffer in, elements out (cstrace/tree.h, image.h, counts.h).

Threads. An image, with its sections, spaces, counts and all trees that use it, is used by one thread at a time: calls wait
for each other, and the interpreter runs other threads meanwhile. Different images are decoded in different threads at once.
"""
import ctypes
import sys
import threading
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from . import _abi
from ._abi import CountsFlags, Emit, FrameFlags, Profile, TreeFormat
from ._batch import Batch, Stream
from ._library import Error, as_bytes, check, core, set_member, unsigned, when_gone
from ._rows import layout, table

_PULL = 4096    # elements
_BUFFER = _abi.cst_generic * _PULL
_probe = [object()]
_UNUSED = sys.getrefcount(_probe[0])    # references to an object that only a list refers to
# Of Stats and FrameStats: what was not decoded, or only in part.
_LOST = ("bad_packets", "unsynced", "overflows", "discards", "resyncs", "nacc", "atoms_lost", "image_conflicts", "nopath",
         "uncommitted", "data_lost", "times_unknown", "master_errors", "global_errors")
_LOST_FRAMES = ("unknown", "skipped", "errors")


def _struct(kind: Any, values: Dict[str, int]) -> Any:
    """A struct with its size and these members."""
    made = kind()
    made.struct_size = ctypes.sizeof(kind)
    for name, value in values.items():
        set_member(made, name, value)
    return made


class Config:
    """Configuration of a decoder, made of the registers of its trace unit, by their names in cstrace/config.h.

    The fields of struct cst_config are attributes; those under "limits and choices" may be set. A decoder copies it.
    """

    _made: _abi.cst_config

    def __init__(self, made: _abi.cst_config) -> None:
        object.__setattr__(self, "_made", made)

    def __getattr__(self, name: str) -> int:
        return int(getattr(self._made, name))

    def __setattr__(self, name: str, value: int) -> None:
        set_member(self._made, name, value)

    @classmethod
    def _of(cls, kind: Any, function: str, registers: Dict[str, int], *more: int) -> "Config":
        made = _struct(_abi.cst_config, {})
        check(getattr(core, function)(made, _struct(kind, registers), *more))
        return cls(made)

    @classmethod
    def etmv4(cls, *, ete: bool = False, profile: Profile = Profile.A, **registers: int) -> "Config":
        """Of an ETMv4 or ETE trace unit: configr, traceidr, idr0, idr1, idr2, idr8 to idr13, devarch. `ete`: what the
        recording says it is, where the registers do not."""
        return cls._of(_abi.cst_etmv4_regs, "cst_config_etmv4", registers, int(ete), profile)

    @classmethod
    def etmv3(cls, *, profile: Profile = Profile.A, **registers: int) -> "Config":
        """Of an ETMv3 trace unit: cr, ccer, idr, traceidr."""
        return cls._of(_abi.cst_etmv3_regs, "cst_config_etmv3", registers, profile)

    @classmethod
    def ptm(cls, **registers: int) -> "Config":
        """Of a PTM trace unit: cr, ccer, idr, traceidr."""
        return cls._of(_abi.cst_etmv3_regs, "cst_config_ptm", registers)

    @classmethod
    def stm(cls, **registers: int) -> "Config":
        """Of an STM: tcsr, feat1r, feat3r, devid, hwfeatr."""
        return cls._of(_abi.cst_stm_regs, "cst_config_stm", registers)

    @classmethod
    def itm(cls, **registers: int) -> "Config":
        """Of an ITM: tcr."""
        return cls._of(_abi.cst_itm_regs, "cst_config_itm", registers)


class Section:
    """Code bytes of an image. `id`: its number in the elements (Element.section), from 1."""

    def __init__(self, image: "Image", pointer: int, size: int) -> None:
        self._image, self._pointer, self._size = image, pointer, size
        self.id = int(core.cst_section_id(pointer))

    def __len__(self) -> int:
        """Size in bytes."""
        return self._size


class Space:
    """An address space: which code is where."""

    def __init__(self, image: "Image", pointer: int) -> None:
        self._image, self._pointer = image, pointer

    def map(self, address: int, section: Section, offset: int = 0, length: Optional[int] = None) -> None:
        """Maps `length` bytes of a section (None: the rest of it) from `offset` at an address. Earlier maps there are
        replaced."""
        if section._image is not self._image:
            raise ValueError("the section is of another image")
        with self._image._lock:
            size = len(section) - offset if length is None else length
            if not (0 <= offset <= len(section) and 0 <= size <= len(section) - offset):
                raise ValueError("the map is not inside the section")
            check(core.cst_space_map(self._pointer, unsigned(address, 8), size, section._pointer, offset))


class Image:
    """The code that trace is decoded with. `cache`: limit in bytes of the decoded blocks; 0: 128 MiB. Its memory is freed with
    the last object that uses it."""

    def __init__(self, cache: int = 0) -> None:
        self._pointer = ctypes.c_void_p()
        check(core.cst_image_new(ctypes.byref(self._pointer), unsigned(cache, ctypes.sizeof(ctypes.c_size_t))))
        # finalizers of other objects may run while this thread has it
        self._lock = threading.RLock()
        self._codes: List[bytes] = []
        when_gone(self, _free_image, self._pointer, self._codes)

    def section(self, code: Any) -> Section:
        """Adds code bytes, in the byte order of instructions: little-endian. Bytes are used as they are, other buffers are
        copied."""
        code = as_bytes(code)
        pointer = ctypes.c_void_p()
        with self._lock:
            check(core.cst_section_new(ctypes.byref(pointer), self._pointer, code, len(code), None))
            self._codes.append(code)
        return Section(self, pointer.value or 0, len(code))

    def space(self) -> Space:
        """Adds an empty address space."""
        pointer = ctypes.c_void_p()
        with self._lock:
            check(core.cst_space_new(ctypes.byref(pointer), self._pointer))
        return Space(self, pointer.value or 0)


def _free_image(pointer: Any, _codes: List[bytes]) -> None:
    core.cst_image_free(pointer)


class SectionCounts(NamedTuple):
    """How often the code of a section ran, as rows of Pair, sorted.

    ranges: a, b: offsets in the section of the first and the last instruction; a range ends at a branch
    edges: a, b: offsets of a taken branch and of its target
    """

    ranges: Any
    edges: Any


class Counts:
    """Counts of ranges and edges of an image's code, which trees count without an element per range (cstrace/counts.h).

    joined: branches that were not taken do not end a range. An image has one object of counts at a time.
    """

    def __init__(self, image: Image, joined: bool = False) -> None:
        self._image = image
        self._pointer = ctypes.c_void_p()
        with image._lock:
            check(core.cst_counts_new(ctypes.byref(self._pointer), image._pointer, CountsFlags.JOINED if joined else 0))
        when_gone(self, _free_counts, self._pointer, image)

    def take(self, section: Section) -> SectionCounts:
        """The counts of a section so far; they begin from 0 again. Arrays are in the library's memory."""
        ranges, edges = _abi.cst_pairs(), _abi.cst_pairs()
        with self._image._lock:
            check(core.cst_counts_take(self._pointer, section.id, ranges, edges))
        return SectionCounts(_pairs(ranges), _pairs(edges))


def _free_counts(pointer: Any, image: Image) -> None:
    with image._lock:
        core.cst_counts_free(pointer)


def _pairs(pairs: Any) -> Any:
    """A sorted table of the library, which is freed when the last array is gone."""
    if not pairs.used:
        core.cst_pairs_free(pairs)
        return table(_abi.cst_pair, b"", 0)
    memory = (_abi.cst_pair * pairs.used).from_address(ctypes.addressof(pairs.slot.contents))
    when_gone(memory, core.cst_pairs_free, pairs)
    return table(_abi.cst_pair, memory, pairs.used)


class TraceLoss(NamedTuple):
    """Something that was not decoded.

    trace_id: None: of the frames, before they are divided by trace ID
    what: name of the counter in Stats or FrameStats, whose doc strings have units; "unrouted": bytes of an ID without decoder
    count: its value
    """

    trace_id: Optional[int]
    what: str
    count: int  # type: ignore[assignment]


class Decoder:
    """The decoder of one trace ID in a tree."""

    def __init__(self, tree: "Tree", pointer: int, config: Config, space: Optional[Space], counts: Optional[Counts]) -> None:
        self._tree, self._pointer, self._space, self._counts = tree, pointer, space, counts
        self._stream = Stream()
        self.trace_id = int(config.trace_id)

    @property
    def stats(self) -> _abi.Stats:
        """What was decoded so far, and what was not."""
        with self._tree._open():
            stats: _abi.Stats = layout(_abi.cst_stats).one(core.cst_decoder_stats(self._pointer).contents)
        return stats

    def set_space(self, space: Optional[Space]) -> None:
        """Sets the code for the next instructions; None: none."""
        if space and space._image is not self._tree.image:
            raise ValueError("the space is of another image")
        with self._tree._open():
            self._space = space
            core.cst_decoder_set_space(self._pointer, space._pointer if space else None)


class TraceBatch(Batch):
    """A batch of a Tree. decoder: its decoder; None: a BARRIER of the tree itself."""

    def __init__(self, memory: Any, n: int, decoder: Optional[Decoder]) -> None:
        super().__init__(memory, n, decoder._stream.passed(memory, n) if decoder else _abi.cst_branch())
        self.decoder = decoder


class Tree:
    """Decoders for the trace IDs of a buffer.

    image: that of the code; frames: the buffer has 16-byte frames with trace IDs, else it is the bytes of one trace unit;
    flags: how frames are found.
    """

    def __init__(self, image: Image, frames: bool = True, flags: FrameFlags = FrameFlags.ALIGNED) -> None:
        self.image = image
        self._lock = image._lock
        self._pointer = ctypes.c_void_p()
        check(core.cst_tree_new(ctypes.byref(self._pointer), TreeFormat.FRAMES if frames else TreeFormat.RAW, flags))
        self._decoders: Dict[int, Decoder] = {}
        self._held: List[Any] = []      # what decoders refer to
        self._buffers: List[Any] = []
        self._busy = False
        self._free = when_gone(self, _free_tree, self._pointer, image, self._held)

    def close(self) -> None:
        """Frees the decoders now. Batches and their arrays stay valid."""
        self._free()

    def __enter__(self) -> "Tree":
        return self

    def __exit__(self, *_exception: Any) -> None:
        self.close()

    def _open(self) -> Any:
        """The lock, of a tree that is not closed."""
        if not self._free.alive:
            raise ValueError("the tree is closed")
        return self._lock

    def add(self, config: Config, space: Optional[Space] = None, counts: Optional[Counts] = None) -> Decoder:
        """Adds a decoder for config.trace_id. With `counts` it counts ranges and edges there, and batches have no element for
        what was counted."""
        pointer = ctypes.c_void_p()
        if space and space._image is not self.image:
            raise ValueError("the space is of another image")
        if counts and counts._image is not self.image:
            raise ValueError("the counts are of another image")
        with self._open():
            check(core.cst_tree_add(self._pointer, config._made, ctypes.byref(pointer)))
            address = pointer.value or 0
            if counts:
                self._held.append(counts)
                opts = _abi.cst_emit_opts(ctypes.sizeof(_abi.cst_emit_opts), counts._pointer)
                check(core.cst_decoder_emit(address, Emit.COUNTS, opts))
        decoder = self._decoders[address] = Decoder(self, address, config, None, counts)
        decoder.set_space(space)
        return decoder

    def decode(self, data: Any, offset: int = 0, end: bool = True) -> Iterator[TraceBatch]:
        """Decodes a buffer and yields batches.

        offset: trace offset of its first byte, for Element.index; end: nothing follows it, what is pending is decoded, and
        the tree is reset behind it. A caller that leaves the loop early drops the rest of the buffer, and resets the tree.
        Bytes are used as they are, other buffers are copied.
        """
        data = as_bytes(data)
        complete = False
        with self._open():
            if self._busy:
                raise Error(_abi.ErrorCode.BUSY)
            check(core.cst_tree_feed(self._pointer, data, len(data), unsigned(offset, 8)))
            if end:
                core.cst_tree_end(self._pointer)
            self._busy = True
        try:
            batch = self._pull()
            while batch is not None:
                yield batch
                batch = self._pull()
            complete = True
        finally:
            self._busy = False
            if self._free.alive and (end or not complete):
                self.reset()

    def reset(self) -> None:
        """Begins a new buffer: drops what is pending, and all decoders look for synchronisation. Statistics continue."""
        with self._open():
            core.cst_tree_drop(self._pointer)
            core.cst_tree_reset(self._pointer)
            for decoder in self._decoders.values():
                decoder._stream.open = _abi.cst_branch()

    def _buffer(self) -> Any:
        """Memory for a pull that no batch and no array uses."""
        for i in range(len(self._buffers)):
            if sys.getrefcount(self._buffers[i]) == _UNUSED:
                return self._buffers[i]
        made = _BUFFER()
        if len(self._buffers) < 4:
            self._buffers.append(made)
        return made

    def _pull(self) -> Optional[TraceBatch]:
        pull = _abi.cst_pull()
        with self._open():
            memory = self._buffer()
            n = check(core.cst_tree_pull(self._pointer, memory, _PULL, pull))
            if not n:
                return None
            decoder = self._decoders.get(pull.dec) if pull.dec else None
            if decoder and decoder._counts:
                check(core.cst_counts_add(decoder._counts._pointer, decoder._pointer, memory, n))
        return TraceBatch(memory, n, decoder)

    @property
    def frame_stats(self) -> _abi.FrameStats:
        """Bytes by their use, of a tree with frames."""
        with self._open():
            stats: _abi.FrameStats = layout(_abi.cst_frame_stats).one(core.cst_tree_frame_stats(self._pointer).contents)
        return stats

    @property
    def losses(self) -> List[TraceLoss]:
        """What was not decoded so far; empty: everything was. NO_SYNC elements are where it was."""
        found = [TraceLoss(None, name, getattr(self.frame_stats, name)) for name in _LOST_FRAMES]
        with self._open():
            found.append(TraceLoss(None, "unrouted", core.cst_tree_unrouted(self._pointer)))
        for decoder in self._decoders.values():
            stats = decoder.stats
            found += [TraceLoss(decoder.trace_id, name, getattr(stats, name)) for name in _LOST]
        return [loss for loss in found if loss.count]


def _free_tree(pointer: Any, image: Image, _held: List[Any]) -> None:
    with image._lock:
        core.cst_tree_free(pointer)
