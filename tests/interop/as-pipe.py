#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""as-pipe.py IN SEED [--aux N] [--no-rounds] [--split] [--compress] >PIPE: a recording as `perf record -o -` writes it.

Records are in the order of time but for the rounds: a round has N AUX records (default: 3), CPU by CPU, each with the trace of its
buffer behind it, up to a place that may be ahead of its AUX records; the last records of a CPU may come in the round after. So a
round ends with all that happened up to the latest time of the round before, and no more is certain.
--no-rounds: without FINISHED_ROUND. --split: trace comes in many records. --compress: as perf record -z. A recording whose buffers
begin anew is written as it is."""
import argparse
import bisect
import ctypes
import random
import struct
import sys

from auxdata import AUX, AUXTRACE, SAMPLE_CPU, SAMPLE_ID, SAMPLE_IDENTIFIER, SAMPLE_STREAM, SAMPLE_TID, SAMPLE_TIME, PerfData

HEADER_ATTR, TRACING_DATA, BUILD_ID, FINISHED_ROUND, FEATURE, COMPRESSED = 64, 66, 67, 68, 80, 81
SAMPLE, FIRST_OF_USER = 9, 64
FEAT_TRACING_DATA, FEAT_BUILD_ID, FEAT_AUXTRACE = 1, 2, 18
FIELDS = (SAMPLE_TID, SAMPLE_TIME, SAMPLE_ID, SAMPLE_STREAM, SAMPLE_CPU, SAMPLE_IDENTIFIER)


class Record:
    """A record with its bytes, and what its sample_id says."""
    def __init__(self, perf, kind, pos, size):
        self.kind, self.bytes = kind, perf.bytes[pos:pos + size]
        self.time, self.cpu, self.tid = None, None, None
        if kind >= FIRST_OF_USER:
            return
        if kind == SAMPLE:
            at = 8 + 8 * bool(perf.sample_type & SAMPLE_IDENTIFIER) + 8 * bool(perf.sample_type & 1)
            fields = (SAMPLE_TID, SAMPLE_TIME, 8, SAMPLE_ID, SAMPLE_STREAM, SAMPLE_CPU)
        else:
            fields = FIELDS
            at = size - 8 * sum(bool(perf.sample_type & bit) for bit in FIELDS)
        for bit in fields:
            if not perf.sample_type & bit:
                continue
            if bit == SAMPLE_TID:
                self.tid = struct.unpack_from("<i", self.bytes, at + 4)[0]
            elif bit == SAMPLE_TIME:
                self.time = struct.unpack_from("<Q", self.bytes, at)[0]
            elif bit == SAMPLE_CPU:
                self.cpu = struct.unpack_from("<I", self.bytes, at)[0]
            at += 8


class Buffer:
    """The trace of an AUX buffer, by offset, and how much of it was written."""
    def __init__(self, head):
        self.head, self.pieces, self.done = head, [], 0
        self.ends = []

    def add(self, offset, data):
        """False: it does not go on."""
        if self.pieces and offset < self.pieces[-1][0] + len(self.pieces[-1][1]):
            return False
        self.pieces.append((offset, data))
        return True

    def upto(self, end):
        """What was not written yet, up to an offset."""
        for offset, data in self.pieces:
            a, b = max(offset, self.done), min(offset + len(data), end)
            if a < b:
                yield a, data[a - offset:b - offset]
        self.done = max(self.done, end)


class Pipe:
    def __init__(self, perf, args):
        self.perf, self.args, self.out = perf, args, sys.stdout.buffer
        self.rng = random.Random(args.seed)
        self.buffers, self.first, self.rest, self.file = {}, [], [], []
        self.goes_on = True

    def read(self):
        src = self.perf.bytes
        for kind, _, pos, size, payload, length in self.perf.records():
            if kind == AUXTRACE:
                offset, _, idx, tid, cpu = struct.unpack_from("<QQIII", src, pos + 16)
                key = (cpu, None) if cpu != 0xffffffff else (None, tid)
                buffer = self.buffers.setdefault(key, Buffer(src[pos:pos + size]))
                self.goes_on &= buffer.add(offset, src[payload:payload + length]) and src[pos + 32:pos + 36] == buffer.head[32:36]
                self.file.append(src[pos:pos + size + length])
                continue
            record = Record(self.perf, kind, pos, size)
            self.file.append(record.bytes)
            if kind == FINISHED_ROUND:
                continue
            (self.rest if kind < FIRST_OF_USER and record.time != 0 else self.first).append(record)
        # stable, so that a recording without times stays in its order
        self.rest.sort(key=lambda r: r.time or 0)

    def buffer_of(self, record):
        tid = record.tid and record.tid & 0xffffffff
        return self.buffers.get((record.cpu, None)) or self.buffers.get((None, tid))

    def header(self):
        perf, src = self.perf, self.perf.bytes
        self.out.write(b"PERFILE2" + struct.pack("<Q", 16))
        for at in range(perf.attrs_off, perf.attrs_off + perf.attrs_size, perf.attr_size):
            offset, size = struct.unpack_from("<QQ", src, at + perf.attr_size - 16)
            self.record(HEADER_ATTR, src[at:at + perf.attr_size - 16] + src[offset:offset + size])
        table = perf.data_off + perf.data_size
        for i, feature in enumerate(perf.features):
            offset, size = struct.unpack_from("<2Q", src, table + 16 * i)
            self.feature(feature, src[offset:offset + size])

    def record(self, kind, body):
        self.out.write(struct.pack("<IHH", kind, 0, 8 + len(body)) + body)

    def feature(self, feature, data):
        if feature == FEAT_AUXTRACE:
            return
        if feature == FEAT_TRACING_DATA:
            self.record(TRACING_DATA, struct.pack("<II", len(data), 0)[:4])
            self.out.write(data + bytes(-len(data) % 8))
        elif feature == FEAT_BUILD_ID:
            at = 0
            while at + 8 <= len(data):
                _, misc, size = struct.unpack_from("<IHH", data, at)
                self.out.write(struct.pack("<IHH", BUILD_ID, misc, size) + data[at + 8:at + size])
                at += size
        elif len(data) <= 65000:
            self.record(FEATURE, struct.pack("<Q", feature) + data)
        else:
            sys.exit("feature %d is too large for a record" % feature)

    def chunk(self, buffer, offset, data):
        head = bytearray(buffer.head)
        struct.pack_into("<QQ", head, 8, len(data) + -len(data) % 8, offset)
        self.out.write(head + data + bytes(-len(data) % 8))

    def trace(self, buffer, end):
        for offset, data in buffer.upto(end):
            while self.args.split and len(data) > 64:
                n = 8 * self.rng.randrange(1, len(data) // 8)
                self.chunk(buffer, offset, data[:n])
                offset, data = offset + n, data[n:]
            self.chunk(buffer, offset, data)

    def events(self, data):
        """Records of a CPU, compressed if that is asked for; where a record is cut says nothing."""
        if not self.args.compress:
            self.out.write(data)
            return
        zstd = ctypes.CDLL("libzstd.so.1")
        zstd.ZSTD_compress.restype = zstd.ZSTD_compressBound.restype = ctypes.c_size_t
        room = ctypes.create_string_buffer(zstd.ZSTD_compressBound(ctypes.c_size_t(len(data))))
        n = zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)
        for at in range(0, n, 4000):
            self.record(COMPRESSED, room.raw[at:min(at + 4000, n)])

    def round(self, records):
        """CPU by CPU, or in a recording without times in its order; the trace may be ahead of its AUX records."""
        owners = []
        for record in records:
            if record.cpu not in owners:
                owners.append(record.cpu)
        if not records or records[0].time is None:
            owners = [None]
        for owner in owners:
            ends, mine = {}, [r for r in records if owner is None or r.cpu == owner]
            self.events(b"".join(r.bytes for r in mine))
            for record in mine:
                buffer = self.buffer_of(record) if record.kind == AUX else None
                if buffer:
                    ends[id(buffer)] = buffer, sum(struct.unpack_from("<QQ", record.bytes, 8))
            for buffer, end in ends.values():
                ahead = bisect.bisect_right(buffer.ends, end) + self.rng.randrange(3)
                self.trace(buffer, buffer.ends[min(ahead, len(buffer.ends) - 1)] if self.rng.random() < 0.5 else end)
        if not self.args.no_rounds:
            self.out.write(struct.pack("<IHH", FINISHED_ROUND, 0, 8))

    def slices(self):
        """The records of each round, in the order of time; those of one time are in one round."""
        part, n = [], 0
        for record, after in zip(self.rest, self.rest[1:] + [None]):
            part.append(record)
            n += record.kind == AUX
            if n >= self.args.aux and (record.time is None or not after or after.time != record.time):
                yield part
                part, n = [], 0
        yield part

    def write(self):
        self.read()
        self.header()
        if not self.goes_on:
            for data in self.file:
                self.out.write(data)
            return
        for record in self.first:
            self.out.write(record.bytes)
        for record in self.rest:
            buffer = self.buffer_of(record) if record.kind == AUX else None
            if buffer:
                buffer.ends.append(sum(struct.unpack_from("<QQ", record.bytes, 8)))
        for buffer in self.buffers.values():
            buffer.ends.sort()
        late = []
        for part in self.slices():
            now, late = late + part, []
            # the last records of some CPUs come a round later, those of before this round do not
            for cpu in {r.cpu for r in part if r.time is not None}:
                mine = [r for r in part if r.cpu == cpu]
                late += mine[self.rng.randrange(len(mine) + 1):] if self.rng.random() < 0.5 else []
            held = {id(r) for r in late}
            self.round([r for r in now if id(r) not in held])
        self.round(late)
        for buffer in self.buffers.values():
            # fewer bytes are padding, which each record has of its own
            if buffer.pieces and buffer.pieces[-1][0] + len(buffer.pieces[-1][1]) - buffer.done >= 8:
                self.trace(buffer, 1 << 64)
        if not self.args.no_rounds:
            self.out.write(struct.pack("<IHH", FINISHED_ROUND, 0, 8))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("input")
    parser.add_argument("seed", type=int)
    parser.add_argument("--aux", type=int, default=3)
    parser.add_argument("--no-rounds", action="store_true")
    parser.add_argument("--split", action="store_true")
    parser.add_argument("--compress", action="store_true")
    args = parser.parse_args()
    Pipe(PerfData(args.input), args).write()


main()
