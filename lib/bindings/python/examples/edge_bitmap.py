#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""edge_bitmap.py PERF.DATA PROGRAM OUT [SYMFS]: the edges of a program as a fuzzer's bitmap, a byte for each of 65536 hashes."""
import sys

import cstrace


def add_edges(bitmap, edges):
    if isinstance(edges, cstrace.Rows):     # no NumPy
        for branch, target, count in edges:
            if target != cstrace.OUTSIDE:
                at = (branch >> 2 ^ target >> 1) & 0xffff
                bitmap[at] = min(255, bitmap[at] + count)
        return
    import numpy
    edges = edges[edges["b"] != cstrace.OUTSIDE]
    at = (edges["a"] >> 2 ^ edges["b"] >> 1) & 0xffff
    entries = numpy.frombuffer(bitmap, "u1")
    entries[:] = numpy.minimum(255, entries + numpy.bincount(at, edges["count"], len(bitmap)))


def main(perf_data, program, out, symfs=None):
    bitmap = bytearray(1 << 16)
    with cstrace.Recording(perf_data, symfs=symfs) as recording:
        for counts in recording.counts():
            if counts.file.path.endswith(program):
                add_edges(bitmap, counts.edges)
        losses = recording.losses
    for loss in losses:
        print("lost: %d %s: %s" % (loss.count, loss.counted, loss.why), file=sys.stderr)
    with open(out, "wb") as file:
        file.write(bitmap)
    return 3 if losses else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
