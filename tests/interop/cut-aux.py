#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cut-aux.py IN OUT SEED: a perf.data file with the records of IN whose AUXTRACE records are cut into pieces at places
drawn by SEED. Nothing else changes: the bytes of each buffer, their offsets, the AUX records. Prints how many."""
import random
import struct
import sys

from auxdata import AUXTRACE, FEATURE_AUXTRACE, PerfData


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: cut-aux.py IN OUT SEED")
    perf, rng = PerfData(sys.argv[1]), random.Random(int(sys.argv[3]))
    src = perf.bytes
    # A piece is whole words, for records are; few large pieces or many small ones.
    mean = (16, 256, 1024)[int(sys.argv[3]) % 3]
    body, index, cuts = bytearray(), [], 0
    for kind, _, pos, size, payload, length in perf.records():
        if kind != AUXTRACE:
            body += src[pos:pos + size]
            continue
        at = 0
        while at < length or not length:
            n = min(8 * rng.randrange(1, mean // 4), length - at)
            record = bytearray(src[pos:pos + size])
            struct.pack_into("<Q", record, 8, n)
            struct.pack_into("<Q", record, 16, struct.unpack_from("<Q", record, 16)[0] + at)
            index.append((perf.data_off + len(body), size))
            body += record + src[payload + at:payload + at + n]
            at += n
            cuts += at < length
            if not length:
                break
    head = bytearray(src[:perf.data_off])
    struct.pack_into("<Q", head, 48, len(body))
    # The sections behind the data, with a new index of the AUXTRACE records.
    table = perf.data_off + perf.data_size
    at = perf.data_off + len(body) + 16 * len(perf.features)
    entries, sections = bytearray(), bytearray()
    for i, feature in enumerate(perf.features):
        offset, size = struct.unpack_from("<2Q", src, table + 16 * i)
        data = src[offset:offset + size]
        if feature == FEATURE_AUXTRACE:
            data = struct.pack("<Q", len(index)) + b"".join(struct.pack("<2Q", *entry) for entry in index)
        entries += struct.pack("<2Q", at + len(sections), len(data))
        sections += data
    with open(sys.argv[2], "wb") as f:
        f.write(head + body + entries + sections)
    print(cuts)


main()
