#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""repeat-aux.py IN OUT TIMES [BYTES]: a perf.data file whose trace is that of IN, TIMES times in a row; of each buffer
the first BYTES, a multiple of 16, if that is given.

Each copy has its own AUX record (in time one nanosecond after the one before), so that a decoder
starts anew in each; everything else stays as it is. For measuring on input of any length."""
import struct
import sys

from auxdata import AUX, AUXTRACE, FEATURE_AUXTRACE, PerfData


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit("usage: repeat-aux.py IN OUT TIMES [BYTES]")
    perf, times = PerfData(sys.argv[1]), int(sys.argv[3])
    limit = int(sys.argv[4]) if len(sys.argv) == 5 else 1 << 62
    src = perf.bytes
    # How far the offsets of each buffer (cpu, tid) go: the distance between two copies.
    span, aux, auxtrace = {}, [], []
    for kind, _, pos, size, payload, length in perf.records():
        if kind == AUXTRACE:
            offset, _, _, tid, cpu = struct.unpack_from("<QQIII", src, pos + 16)
            length = max(0, min(length, limit - offset))
            span[tid, cpu] = max(span.get((tid, cpu), 0), offset + length)
            if length:
                auxtrace.append((pos, size, payload, length))
        elif kind == AUX and struct.unpack_from("<Q", src, pos + 8)[0] < limit:
            aux.append((pos, size))
    step = max(span.values(), default=0)

    out = open(sys.argv[2], "wb")
    out.write(src[:perf.data_off])
    index = []

    def copy_auxtrace(n, pos, size, payload, length):
        index.append((out.tell(), size))
        record = bytearray(src[pos:pos + size])
        struct.pack_into("<QQ", record, 8, length, struct.unpack_from("<Q", record, 16)[0] + n * step)
        out.write(record)
        out.write(src[payload:payload + length])

    def copy_aux(n, pos, size):
        record = bytearray(src[pos:pos + size])
        offset, length = struct.unpack_from("<QQ", record, 8)
        struct.pack_into("<QQ", record, 8, offset + n * step, min(length, limit - offset))
        at = perf.time_offset(size)
        if at is not None:
            struct.pack_into("<Q", record, at, struct.unpack_from("<Q", record, at)[0] + n)
        out.write(record)

    first, kept = {record[0]: record for record in auxtrace}, set(aux)
    for kind, _, pos, size, _, _ in perf.records():
        if kind == AUXTRACE:
            if pos in first:
                copy_auxtrace(0, *first[pos])
        elif kind != AUX:
            out.write(src[pos:pos + size])
        elif (pos, size) in kept:
            copy_aux(0, pos, size)
            if (pos, size) == aux[-1]:
                for n in range(1, times):
                    for record in aux:
                        copy_aux(n, *record)
    for n in range(1, times):
        for record in auxtrace:
            copy_auxtrace(n, *record)
    data_end = out.tell()

    # The features follow the data: same contents, moved, but for the index of AUXTRACE records.
    table = perf.data_off + perf.data_size
    contents = []
    for i, feature in enumerate(perf.features):
        offset, size = struct.unpack_from("<QQ", src, table + 16 * i)
        body = src[offset:offset + size]
        if feature == FEATURE_AUXTRACE:
            body = struct.pack("<Q", len(index)) + b"".join(struct.pack("<QQ", *entry) for entry in index)
        contents.append(body)
    at = data_end + 16 * len(contents)
    for body in contents:
        out.write(struct.pack("<QQ", at, len(body)))
        at += len(body)
    for body in contents:
        out.write(body)
    out.seek(48)
    out.write(struct.pack("<Q", data_end - perf.data_off))
    out.close()


main()
