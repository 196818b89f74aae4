#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""extract-aux.py IN SYMFS DIR: the trace of one perf.data file with a single process, as a plain file
DIR/trace.bin of all AUX records in a row, and in DIR/args the arguments for ocsd_decode and cst_decode."""
import os
import struct
import sys

from auxdata import AUX, AUXTRACE, PerfData

RAW = 0x100


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: extract-aux.py IN SYMFS DIR")
    source, symfs, folder = sys.argv[1:]
    perf = PerfData(source)
    src = perf.bytes
    buffers, pieces, flags = [], [], 0
    for kind, _, pos, size, payload, length in perf.records():
        if kind == AUXTRACE:
            offset = struct.unpack_from("<Q", src, pos + 16)[0]
            buffers.append((offset, length, payload))
    with open(os.path.join(folder, "trace.bin"), "wb") as out:
        for kind, _, pos, _, _, _ in perf.records():
            if kind != AUX:
                continue
            offset, size, flags = struct.unpack_from("<3Q", src, pos + 8)
            for start, length, payload in buffers:
                if start <= offset and offset + size <= start + length:
                    out.write(src[payload + offset - start:payload + offset - start + size])
                    pieces.append(size)
                    break
            else:
                sys.exit("%s: AUX record at %#x has no data" % (source, pos))
    if len(set(pieces)) != 1:
        sys.exit("%s: AUX records differ in size, ocsd_decode resets at one interval only" % source)

    cpu = perf.metadata()[0]
    words = ["raw" if flags & RAW else "frames", os.path.join(folder, "trace.bin"), str(pieces[0]), "1", cpu["kind"]]
    words += ["%#x" % cpu.get(k, 0) for k in ("configr", "traceidr", "idr0", "idr1", "idr2", "idr8", "devarch")]
    for start, length, offset, path in perf.mappings():
        real = symfs + path
        if os.path.exists(real):
            words += ["%#x" % start, "%#x" % length, "%#x" % offset, real]
    with open(os.path.join(folder, "args"), "w") as out:
        out.write("\n".join(words) + "\n")


main()
