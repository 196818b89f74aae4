#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make-calls.py BUILD OUT: seeds for fuzz_opencsd, which are sequences of calls: each protocol's decoder over trace of
the shipped samples, of recordings of BUILD/tests/gen/cst-gen and of the seeds of other targets, whole and in frames, with all
callbacks and printers."""
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(os.path.dirname(HERE), "data")
MOST = 64 * 8		# bytes of trace in a call: a seed takes little time
# What callbacks read behind the last call: full memory reads, long texts, OCSD_RESP_CONT.
FILLER = b"\x65" * 3000
FRAMES, SINGLE = 0, 1
ETMV4, ETE, PTM, MINE, STM, ETMV3, ITM = 0, 1, 2, 3, 6, 10, 11
PACKETS, DECODER = 1, 2


def memory(tree, kind, start=0, space=7):
    """Case 12: an accessor; kind 2: a callback for all addresses."""
    return bytes([12, tree, space, 1]) + struct.pack("<I", start) + bytes([255, 0, kind])


def decoder(tree, which, flags, policy=0):
    out = bytes([1, tree, which])
    if which == ETMV4:
        out += struct.pack("<IBIBIBB", 0x28000ea1, 0x40, 0x1088, 0, 0x17d9, 1, 3)
    elif which == ETE:
        out += struct.pack("<IIBBIB", 0x2801cea1, 0xd0001088, 0, 0, 0x1001, 1)
    elif which in (PTM, ETMV3):
        out += struct.pack("<IBIIBB", 0x411cf000, 0x10 if which == PTM else 0x50, 0x1000 if which == PTM else 0xc000, 0x34001, 1, 3)
    elif which == STM:
        out += bytes([1, 7])
    elif which == ITM:
        out += bytes([1]) + struct.pack("<I", 9)
    else:
        out += bytes([1])
    return out + bytes([flags]) + (struct.pack("<BI", 1, policy)[:4] if policy else b"\0")


def callbacks(tree, monitor=True):
    out = bytes([17, tree, 1, 1, tree, 14, tree, 1])
    return out + (bytes([16, tree, 1]) if monitor else bytes([15, tree, 1]))


def feed(tree, data):
    return bytes([4, tree, (len(data) + 7) // 8, 0]) + data.ljust((len(data) + 7) // 8 * 8, b"\0")


def framed(data, trace_id=1):
    """CoreSight frames (D4.2 of IHI 0029): an ID, and 14 bytes, whose even ones have bit 0 in the last."""
    out = b""
    for at in range(0, len(data), 14):
        frame, flags = [trace_id << 1 | 1], 0
        for i, byte in enumerate(data[at:at + 14].ljust(14, b"\0"), 1):
            if i % 2:
                frame.append(byte)
            else:
                frame.append(byte & 0xfe)
                flags |= (byte & 1) << i // 2
        out += bytes(frame) + bytes([flags])
    return out


def unframed(data):
    """The bytes of the first ID in frames."""
    out, now, first = bytearray(), None, None
    for at in range(0, len(data) - 15, 16):
        frame, delayed = data[at:at + 16], None
        for i in range(15):
            byte = frame[i]
            if i % 2 == 0 and byte & 1:
                new, late = byte >> 1, frame[15] >> i // 2 & 1
                if late:
                    delayed = new
                else:
                    now = new
                first = first or new
                continue
            if i % 2 == 0:
                byte |= frame[15] >> i // 2 & 1
            if now == first:
                out.append(byte)
            if delayed is not None:
                now, delayed = delayed, None
    return bytes(out)


def aux_data(path):
    """The AUX data of a recording."""
    data = open(path, "rb").read()
    at, size = struct.unpack_from("<QQ", data, 40)
    end, out = at + size, b""
    while at + 8 <= end:
        kind, _, head = struct.unpack_from("<IHH", data, at)
        length = struct.unpack_from("<Q", data, at + 8)[0] if kind == 71 else 0
        out += data[at + head:at + head + length]
        at += head + length
    return out


def traces(gen, tmp):
    """(protocol, trace of one source)"""
    yield PTM, unframed(aux_data(os.path.join(DATA, "sample-ptm.perf.data")))
    yield ETMV3, unframed(aux_data(os.path.join(DATA, "sample-etmv3.perf.data")))
    yield ETMV4, unframed(aux_data(os.path.join(DATA, "sample.perf.data")))
    yield ETE, aux_data(os.path.join(DATA, "sample-trbe.perf.data"))
    for which, target in ((STM, "fuzz_stm"), (ITM, "fuzz_itm"), (PTM, "fuzz_ptm"), (ETMV4, "fuzz_packet"), (ETE, "fuzz_packet")):
        folder = os.path.join(HERE, "corpus", target)
        for name in sorted(os.listdir(folder))[:4]:
            yield which, open(os.path.join(folder, name), "rb").read()
    for case in range(6) if os.path.exists(gen) else ():
        which = ETE if case % 2 else ETMV4
        folder = os.path.join(tmp, str(case))
        subprocess.run([gen, "random", "--case", str(case), "--insns=1500", "--raw", "--snapshot", folder] + ["--ete"] * (case % 2),
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        path = os.path.join(folder, "trace0.bin")
        if os.path.exists(path):
            yield which, open(path, "rb").read()


def seeds(which, trace):
    trace = trace[:MOST]
    half = trace[:len(trace) // 2]
    yield decoder(SINGLE, which, DECODER) + memory(SINGLE, 2) + callbacks(SINGLE) + feed(SINGLE, trace)
    yield decoder(SINGLE, which, DECODER) + memory(SINGLE, 2) + bytes([18, SINGLE]) + callbacks(SINGLE, False) + feed(SINGLE, trace)
    yield decoder(SINGLE, which, PACKETS) + callbacks(SINGLE, False) + feed(SINGLE, trace)
    frames = framed(half)[:MOST]
    yield (bytes([19, FRAMES, 3]) + decoder(FRAMES, which, DECODER, 0x30) + memory(FRAMES, 2) + callbacks(FRAMES) +
           feed(FRAMES, frames))
    # memory in all ways, statistics and errors, the end of trace; no callbacks, which would read the calls
    end = bytes([11, SINGLE, 1, 11, SINGLE, 3, 11, SINGLE, 2, 21, SINGLE, 1, SINGLE, 1]) + bytes([22, 60] + [50, SINGLE])
    yield (decoder(SINGLE, which, DECODER) + b"".join(memory(SINGLE, k, k << 16) for k in (0, 3, 5)) +
           bytes([23, 1, SINGLE, 1, 0, 8, 4]) + feed(SINGLE, half) + feed(SINGLE, trace) + end +
           memory(SINGLE, 4, 0x30000) + bytes([20, SINGLE, 1]) + decoder(SINGLE, which, PACKETS))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    os.makedirs(sys.argv[2], exist_ok=True)
    with tempfile.TemporaryDirectory() as tmp:
        for number, (which, trace) in enumerate(traces(os.path.join(sys.argv[1], "tests/gen/cst-gen"), tmp)):
            for kind, seed in enumerate(seeds(which, trace)):
                open(os.path.join(sys.argv[2], "%d-%d" % (number, kind)), "wb").write(seed + FILLER)
        for tree in (FRAMES, SINGLE):
            data = framed(bytes(range(200))) if tree == FRAMES else bytes(range(200))
            # the byte behind the decoder's is what its factory reads
            register = bytes([23, 0]) + decoder(tree, MINE, DECODER) + b"\0"
            open(os.path.join(sys.argv[2], "custom-%d" % tree), "wb").write(register + callbacks(tree) + feed(tree, data) + FILLER)
            open(os.path.join(sys.argv[2], "custom-end-%d" % tree), "wb").write(
                register + bytes([14, tree, 1, 11, tree, 3, 0, 0, 0]) + feed(tree, data) + FILLER)


if __name__ == "__main__":
    main()
