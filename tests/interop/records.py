#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""records.py FILE: what a perf.data file holds, a line each, sorted: events, features but for the index of AUX
data, and records with their bytes. Two files with the same lines differ in the order of records only.

records.py --time-first FILE COPY: COPY is FILE with TIME_CONV, if there is one, before AUXTRACE_INFO, where perf
record writes it and perf 6.12 needs it: that takes the conversion of times when it reads AUXTRACE_INFO."""
import hashlib
import struct
import sys

AUXTRACE_INFO, AUXTRACE, TIME_CONV = 70, 71, 79
INDEX = 18


def time_first(path, copy):
    """Moves TIME_CONV over whatever stands between AUXTRACE_INFO and it: no byte after it changes its place."""
    data = open(path, 'rb').read()
    at, end = struct.unpack_from('<QQ', data, 40)
    end += at
    info = None
    while at < end:
        kind, _, size = struct.unpack_from('<IHH', data, at)
        if kind == AUXTRACE:
            break
        if kind == AUXTRACE_INFO:
            info = at
        if kind == TIME_CONV and info is not None:
            data = data[:info] + data[at:at + size] + data[info:at] + data[at + size:]
            break
        at += size
    open(copy, 'wb').write(data)


def main():
    if sys.argv[1] == '--time-first':
        time_first(*sys.argv[2:])
        return
    data = open(sys.argv[1], 'rb').read()
    head = struct.unpack_from('<8s8Q4Q', data)
    attr_size, attrs, attrs_len, start, length = head[2], head[3], head[4], head[5], head[6]
    lines = []
    for at in range(attrs, attrs + attrs_len, attr_size):
        ids, ids_len = struct.unpack_from('<QQ', data, at + attr_size - 16)
        lines.append('attr %s ids %s' % (data[at:at + attr_size - 16].hex(), data[ids:ids + ids_len].hex()))
    table = start + length
    for bit in range(256):
        if head[9 + bit // 64] >> bit % 64 & 1:
            where, size = struct.unpack_from('<QQ', data, table)
            table += 16
            lines.append('feature %d %s' % (bit, '' if bit == INDEX else data[where:where + size].hex()))
    at = start
    while at < start + length:
        kind, _, size = struct.unpack_from('<IHH', data, at)
        line = 'record %d %s' % (kind, data[at:at + size].hex())
        if kind == AUXTRACE:
            aux = struct.unpack_from('<Q', data, at + 8)[0]
            line += ' ' + hashlib.sha256(data[at + size:at + size + aux]).hexdigest()
            at += aux
        at += size
        lines.append(line)
    print('\n'.join(sorted(lines)))


if __name__ == '__main__':
    main()
