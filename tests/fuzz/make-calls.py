#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make-calls.py BUILD OUT: seeds for fuzz_opencsd, which are sequences of calls: each protocol's decoder over trace of
the shipped samples, of recordings of BUILD/tests/gen/cst-gen, of the seeds of other targets and over random packets,
whole and in frames, with all callbacks and printers, with clients that wait, reset and end. The same tree gives the
same seeds."""
import os
import random
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(os.path.dirname(HERE), "data")
MOST = 64 * 8		# bytes of trace in a call: a seed takes little time
WHOLE = bytes([1, 0])	# behind the bytes: count what is processed, neither flush nor repeat
PATIENT = bytes([1, 255])	# flush, and give the rest once more
FRAMES, SINGLE = 0, 1
ETMV4, ETE, PTM, MINE, STM, ETMV3, ITM = 0, 1, 2, 3, 6, 10, 11
PACKETS, DECODER = 1, 2


def memory(tree, kind, start=0, space=7):
    """Case 12: an accessor; kind 2: a callback for all addresses."""
    return bytes([12, tree, space, 1]) + struct.pack("<I", start) + bytes([255, 0, kind])


def answers(rng, waits):
    """What callbacks read, from the end of the input: from 200 on an answer to wait, from 240 on any."""
    return bytes(rng.choices(range(256), [1] * 200 + [waits] * 40 + [waits / 20] * 16, k=2000))


def decoder(tree, which, flags, policy=0, ctrl=None, profile=3):
    out = bytes([1, tree, which])
    if which == ETMV4:
        out += struct.pack("<IBIBIBB", 0x28000ea1, 0x40, 0x1088, 0, 0x17d9, 1, profile)
    elif which == ETE:
        out += struct.pack("<IIBBIB", 0x2801cea1, 0xd0001088, 0, 0, 0x1001, 1)
    elif which in (PTM, ETMV3):
        ctrl = ctrl or (0x1000 if which == PTM else 0xc000)
        out += struct.pack("<IBIIBB", 0x411cf000, 0x10 if which == PTM else 0x50, ctrl, 0x34001, 1, profile)
    elif which == STM:
        out += bytes([1, 7])
    elif which == ITM:
        out += bytes([1]) + struct.pack("<I", 9)
    else:
        out += bytes([1])
    return out + bytes([flags]) + (struct.pack("<BI", 1, policy)[:4] if policy else b"\0")


def element_callback(tree):
    return bytes([14, tree, 1])


def printers(tree, sink):
    """Packets, for the monitor or the sink, and elements."""
    return bytes([17, tree, 1, not sink, tree, 18, tree])


def packet_callback(tree, sink):
    return bytes([15 if sink else 16, tree, 1])


def feed(tree, data, end=WHOLE):
    return bytes([4, tree, (len(data) + 7) // 8, 0]) + data.ljust((len(data) + 7) // 8 * 8, b"\0") + end


def operation(tree, op):
    return bytes([11, tree, op])


EOT, FLUSH, RESET = 1, 2, 3


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


def mixed(which, rng, cid):
    """Synchronised, and then random packets, many times: all formats, and what is reserved."""
    out = b""
    while len(out) < MOST:
        cid_bytes, addr = bytes(rng.randrange(256) for _ in range(cid)), struct.pack("<I", rng.randrange(0x400) * 4)
        if which == PTM:
            out += bytes(5) + b"\x80\x08" + addr + bytes([rng.choice([1, 9, 0x21, 0x43])]) + cid_bytes
        else:
            out += bytes(5) + b"\x80\x08" + cid_bytes + bytes([rng.choice([1, 9, 0x21, 0x43])]) + addr
        out += bytes(rng.randrange(256) for _ in range(rng.randrange(8, 40)))
    return out[:MOST]


def traces(gen, tmp):
    """(protocol, trace of one source)"""
    yield PTM, unframed(aux_data(os.path.join(DATA, "sample-ptm.perf.data")))
    yield ETMV3, unframed(aux_data(os.path.join(DATA, "sample-etmv3.perf.data")))
    yield ETMV4, unframed(aux_data(os.path.join(DATA, "sample.perf.data")))
    yield ETE, aux_data(os.path.join(DATA, "sample-trbe.perf.data"))
    for which, target in ((STM, "fuzz_stm"), (ITM, "fuzz_itm"), (PTM, "fuzz_ptm"), (ETMV4, "fuzz_packet"), (ETE, "fuzz_packet")):
        folder = os.path.join(HERE, "corpus", target)
        for name in sorted(os.listdir(folder))[:3]:
            yield which, open(os.path.join(folder, name), "rb").read()
    for case in range(4) if os.path.exists(gen) else ():
        which = ETE if case % 2 else ETMV4
        folder = os.path.join(tmp, str(case))
        subprocess.run([gen, "random", "--case", str(case), "--insns=1500", "--raw", "--snapshot", folder] + ["--ete"] * (case % 2),
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        path = os.path.join(folder, "trace0.bin")
        if os.path.exists(path):
            yield which, open(path, "rb").read()


def seeds(which, trace, rng, **unit):
    """(calls, answers of callbacks)"""
    trace = trace[:MOST]
    half = trace[:len(trace) // 2]
    full, packets = decoder(SINGLE, which, DECODER, **unit), decoder(SINGLE, which, PACKETS, **unit)
    data, both = feed(SINGLE, trace), element_callback(SINGLE) + packet_callback(SINGLE, False)
    end = operation(SINGLE, EOT) + operation(SINGLE, EOT) + operation(SINGLE, FLUSH) + operation(SINGLE, RESET)
    yield full + memory(SINGLE, 2) + both + data + end, answers(rng, 0)
    yield full + memory(SINGLE, 2) + both + feed(SINGLE, trace, PATIENT) + data + end, answers(rng, 1)
    yield packets + packet_callback(SINGLE, True) + feed(SINGLE, trace, PATIENT) + end + data, answers(rng, 0.1)
    yield full + memory(SINGLE, 1) + printers(SINGLE, False) + data + end + data, answers(rng, 0)
    yield packets + printers(SINGLE, True) + data + end, answers(rng, 0)
    frames = framed(half)[:MOST]
    in_frames = decoder(FRAMES, which, DECODER, 0x30, **unit)
    yield (bytes([19, FRAMES, 3]) + in_frames + memory(FRAMES, 2) + element_callback(FRAMES) + feed(FRAMES, frames) +
           bytes([21, FRAMES, 1, FRAMES, 1]) + operation(FRAMES, EOT)), answers(rng, 0.05)


def more_seeds(which, trace, rng, **unit):
    """Layouts of frames, and memory."""
    trace = trace[:MOST]
    frames = framed(trace[:len(trace) // 2])[:MOST]
    full, packets = decoder(SINGLE, which, DECODER, **unit), decoder(SINGLE, which, PACKETS, **unit)
    in_frames = decoder(FRAMES, which, DECODER, 0x30, **unit)
    data = feed(SINGLE, trace)
    # the tree once more, with other layouts of frames: synchronisation between frames, and inside
    for layout, sync in ((2, b"\xff\xff\xff\x7f"), (4, b"\xff\x7f"), (0x42, b"\xff\xff\xff\x7f" * 4)):
        again = bytes([0, FRAMES, 0, layout])
        with_sync = b"\xff\xff\xff\x7f" + b"".join(frames[i:i + 16] + sync for i in range(0, len(frames), 16))
        yield (again + bytes([19, FRAMES, 3]) + in_frames + element_callback(FRAMES) + feed(FRAMES, with_sync[:MOST]) +
               operation(FRAMES, EOT)), answers(rng, 0.05)
    # memory in all ways, statistics and errors
    state = bytes([21, SINGLE, 1, SINGLE, 1, 22, 60, 50, 40, SINGLE])
    cached = bytes([23, 1, SINGLE, 1, 0, 8, 0, 0, 4])
    yield (full + b"".join(memory(SINGLE, k, k << 20) for k in (0, 3, 5, 9)) + cached + feed(SINGLE, trace[8:]) + data + state +
           bytes([20, SINGLE, 1]) + packets +
           b"".join(memory(SINGLE, 4, k << 20) + bytes([0, 1]) for k in (0, 5, 9, 3))), answers(rng, 0)
    # memory at the addresses of mixed(), its first bytes not at a word
    for start in (0, 2, 0x203):
        yield full + memory(SINGLE, 0, start) + element_callback(SINGLE) + data + bytes([20, SINGLE, 1]), answers(rng, 0.05)


def custom_seeds(rng):
    register = bytes([23, 0])
    data = bytes(range(200))
    for tree, trace in ((FRAMES, framed(data)), (SINGLE, data)):
        for waits in (0, 1):
            end = b"".join(operation(tree, op) for op in (FLUSH, RESET, EOT)) + bytes([20, tree, 1])
            fed = memory(tree, 2) + feed(tree, trace) + feed(tree, trace, PATIENT) + end
            # the byte behind the decoder's is what its factory reads
            for flags in (DECODER, PACKETS):
                make = register + decoder(tree, MINE, flags)
                sink = flags == PACKETS
                yield make + element_callback(tree) + packet_callback(tree, sink) + fed, answers(rng, waits)
                yield make + printers(tree, sink) + fed, answers(rng, waits)


def all_seeds(gen, tmp):
    rng = random.Random(1)
    for number, (which, trace) in enumerate(traces(gen, tmp)):
        yield from seeds(which, trace, rng)
        if number < 4:
            yield from more_seeds(which, trace, rng)
    # context ID of 4 bytes; ETMv3: addresses and values of data, cycles
    for which, ctrl, profile in ((PTM, 0xc000, 3), (PTM, 0x5000, 3), (PTM, 0x4000c000, 3), (ETMV3, 0xc00c, 3), (ETMV3, 0xd00c, 1),
                                 (ETMV3, 0x4000, 1), (ETMV3, 0x10000c, 2), (ETMV3, 0x4000c004, 3)):
        trace = mixed(which, rng, (0, 1, 2, 4)[ctrl >> 14 & 3])
        yield from seeds(which, trace, rng, ctrl=ctrl, profile=profile)
        yield from more_seeds(which, trace, rng, ctrl=ctrl, profile=profile)
    yield from custom_seeds(rng)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    os.makedirs(sys.argv[2], exist_ok=True)
    with tempfile.TemporaryDirectory() as tmp:
        for number, (calls, choices) in enumerate(all_seeds(os.path.join(sys.argv[1], "tests/gen/cst-gen"), tmp)):
            open(os.path.join(sys.argv[2], "%03d" % number), "wb").write(calls + choices)


if __name__ == "__main__":
    main()
