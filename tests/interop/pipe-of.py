#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pipe-of.py IN TIMES [MB_PER_SECOND [ZEROS]] >PIPE: a recording as `perf record -o -` writes it, whose trace is that of IN, TIMES times
in a row. In each round the trace of all buffers and their AUX records follow each other, then comes FINISHED_ROUND. With a rate
that is not 0 it is written no faster. ZEROS: number of bytes without trace behind that of each buffer, for input that is large."""
import struct
import sys
import time

from auxdata import AUX, AUXTRACE, PerfData

EXIT, HEADER_ATTR, FINISHED_ROUND = 4, 64, 68


def main():
    if not 3 <= len(sys.argv) <= 5:
        sys.exit("usage: pipe-of.py IN TIMES [MB_PER_SECOND [ZEROS]]")
    perf, times = PerfData(sys.argv[1]), int(sys.argv[2])
    rate = float(sys.argv[3]) * 1e6 if len(sys.argv) > 3 else 0
    zeros = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    src, out = perf.bytes, sys.stdout.buffer
    out.write(b"PERFILE2" + struct.pack("<Q", 16))
    for at in range(perf.attrs_off, perf.attrs_off + perf.attrs_size, perf.attr_size):
        offset, size = struct.unpack_from("<QQ", src, at + perf.attr_size - 16)
        body = src[at:at + perf.attr_size - 16] + src[offset:offset + size]
        out.write(struct.pack("<IHH", HEADER_ATTR, 0, 8 + len(body)) + body)
    span, trace, aux = {}, [], []
    for kind, _, pos, size, payload, length in perf.records():
        if kind == AUXTRACE:
            offset, _, _, tid, cpu = struct.unpack_from("<QQIII", src, pos + 16)
            span[tid, cpu] = max(span.get((tid, cpu), 0), offset + length)
            trace.append((bytearray(src[pos:pos + size]), src[payload:payload + length], offset, (tid, cpu)))
        elif kind == AUX:
            offset, = struct.unpack_from("<Q", src, pos + 8)
            at = perf.time_offset(size)
            aux.append((bytearray(src[pos:pos + size]), offset, at, struct.unpack_from("<Q", src, pos + at)[0] if at else 0))
        # the programs run on for as long as their trace is repeated
        elif kind not in (FINISHED_ROUND, EXIT):
            out.write(src[pos:pos + size])
    # the last record of a buffer's trace, and the last AUX record, have the zeros
    ends = {trace[i][3]: i for i in range(len(trace))}
    step, start, written = max(span.values(), default=0) + zeros, time.monotonic(), 0
    if zeros:
        for i in ends.values():
            head, body, offset, buffer = trace[i]
            struct.pack_into("<Q", head, 8, len(body) + zeros)
            trace[i] = head, body + bytes(zeros), offset, buffer
        if len(aux) != len(ends):
            sys.exit("%s: ZEROS needs one AUX record for each buffer" % sys.argv[1])
        for record, *_ in aux:
            struct.pack_into("<Q", record, 16, struct.unpack_from("<Q", record, 16)[0] + zeros)
    for n in range(times):
        for head, body, offset, _ in trace:
            struct.pack_into("<Q", head, 16, offset + n * step)
            out.write(head)
            out.write(body)
            written += len(head) + len(body)
        for record, offset, at, when in aux:
            struct.pack_into("<Q", record, 8, offset + n * step)
            if at:
                struct.pack_into("<Q", record, at, when + n)
            out.write(record)
        out.write(struct.pack("<IHH", FINISHED_ROUND, 0, 8))
        if rate:
            time.sleep(max(0, start + written / rate - time.monotonic()))
    out.flush()


main()
