# SPDX-License-Identifier: BSD-3-Clause
"""Decodes Arm CoreSight trace: the libraries of cstrace for Python.

Recording    a recording of perf, decoded: batches, counts, losses
Tree         a buffer of trace bytes, with Config, Image and Counts
CountFile    a count file, also CountReader, CountWriter, merge_counts()
Error        what failed calls raise

Elements, ranges, branches and counts are structured NumPy arrays in the memory of the library where NumPy is there, else
sequences of named tuples (Element, Branch, Pair, ...), whose doc strings have the fields with units. The enums of the headers
are classes here: GenericKind for enum cst_generic_kind. Each module says what holds for threads.
"""
from ._abi import VERSION as VERSION
from ._abi import (Branch, Check, CountBinaryType, CountEdge, CountEntry, CountId, CountKind, CountNode, CountNodeKind,
                   CountNotTaken, CountRange, CountRangeFlags, CountSegment, CountsFlags, DataFlags, Element, ErrorCode,
                   FrameFlags, FrameStats, GenericFlags, GenericKind, InsnSubtype, InsnType, Isa, ItmKind, ItmSync, Memspace,
                   Memtrans, Pair, Profile, Protocol, RangeFlags, Security, Stats, SwFlags, SyncMarker, TraceOnReason,
                   UnsyncReason)
from ._batch import Batch
from ._library import Error, version
from ._rows import Rows
from .countfile import BinaryCounts, CountBinary, CountFile, CountReader, CountTotal, CountWriter, Record, merge_counts
from .recording import OUTSIDE, File, FileCounts, Loss, Recording, RecordingBatch
from .trace import Config, Counts, Decoder, Image, Section, SectionCounts, Space, TraceBatch, TraceLoss, Tree

__version__ = VERSION

__all__ = [name for name in dir() if not name.startswith("_") and name not in ("countfile", "recording", "trace")]
