#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""timeline_stm.py --tool PERF-CSTRACE --gen CST-GEN

Messages of an STM (STPv2) in a snapshot are on the timeline at the times of their timestamps, which the trace units' have, too: in
frames with a trace unit's trace, in frames of their own, and without frames. Speaks TAP.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

from tap import Bad, run_cases

ID = 0x23
MASTER, CHANNEL = 0x41, 0x1234
CASE = "5"  # of cst-gen random: one core with timestamps, its trace in frames

DEVICE = """[device]
name=STM_0
class=trace_source
type=STM

[regs]
STMTCSR(0x3A0)=0x%x
"""


class Stp:
    """Packets of nibbles, the first one in the lower half of a byte."""

    def __init__(self):
        self.nibbles = []

    def put(self, value, count):
        self.nibbles += [value >> 4 * i & 15 for i in reversed(range(count))]

    def begin(self):
        self.put((1 << 84) - 1, 21)
        self.put(0, 1)
        self.put(0xF003, 4)  # VERSION: binary timestamps

    def sender(self, master, channel):
        self.put(0x1, 1)
        self.put(master, 2)
        self.put(0xF3, 2)
        self.put(channel, 4)

    def time(self, ticks):
        self.put(0xE, 1)  # 16 nibbles
        self.put(ticks, 16)

    def bytes(self):
        v = self.nibbles + [0] * (-len(self.nibbles) % 28)  # NULL packets, to whole frames of 14 bytes
        return bytes(a | b << 4 for a, b in zip(v[::2], v[1::2]))


def frames(data):
    out = bytearray()
    for i in range(0, len(data), 14):
        frame = bytearray([ID << 1 | 1]) + data[i:i + 14] + b"\0"
        for at in range(2, 15, 2):
            frame[15] |= (frame[at] & 1) << at // 2
            frame[at] &= 0xFE
        out += frame
    return bytes(out)


def messages(ticks):
    """The STM's trace, and the expected (name, time, arguments) of its messages."""
    s, sender = Stp(), {"master": MASTER, "channel": CHANNEL}
    s.begin()
    s.put(0x6, 1)  # D32 before any timestamp: it has no time
    s.put(0xBAD, 8)
    s.sender(MASTER, CHANNEL)
    s.put(0xF6, 2)  # D32TS
    s.put(0xCAFE0001, 8)
    s.time(ticks[0])
    s.put(0x4, 1)  # D8: after the message before it
    s.put(0x2A, 2)
    s.put(0xB, 1)  # D64MTS
    s.put(0x1122334455667788, 16)
    s.time(ticks[1])
    s.put(0xF07, 3)  # TRIG_TS
    s.put(0x5, 2)
    s.time(ticks[2])
    s.put(0x2, 1)  # MERR
    s.put(0x9, 2)
    return s.bytes(), [("STM", ticks[0], {**sender, "value": "0xcafe0001"}), ("STM", ticks[0], {**sender, "value": "0x2a"}),
                       ("STM marker", ticks[1], {**sender, "value": "0x1122334455667788"}),
                       ("STM trigger", ticks[2], {**sender, "value": "0x5"}),
                       ("STM lost messages", ticks[2], {"master": MASTER, "channel": 0, "code": "0x9"})]


def run(args, code, *argv):
    done = subprocess.run([args.tool, *argv], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != code:
        raise Bad("exit %d instead of %d: %s: %s" % (done.returncode, code, argv, done.stderr[-400:]))
    return done


def snapshot(args, folder):
    """A snapshot with the trace of a core, and the first and last of its timestamps."""
    path = os.path.join(folder, "snapshot")
    subprocess.run([args.gen, "random", "--case=" + CASE, "--threads=2", "--buf=one", "--ts=3", "--snapshot=" + path],
                   capture_output=True, check=True)
    dump = subprocess.run([args.tool, "dump", "-i", path, "--elements"], capture_output=True, text=True, errors="replace", check=False)
    ticks = [int(t, 0) for t in re.findall(r"timestamp (0x[0-9a-f]+|\d+)", dump.stdout)]
    if len(ticks) < 2 or ticks[-1] - ticks[0] < 100:
        raise Bad("no timestamps: %s" % dump.stdout[-400:])
    return path, ticks[0], ticks[-1]


def add_stm(path, data, layout):
    def edit(name, old, new):
        with open(os.path.join(path, name), "r+", encoding="utf-8") as f:
            text = f.read()
            if old not in text:
                raise Bad("no %r in %s" % (old, name))
            f.seek(0)
            f.write(text.replace(old, new, 1))

    with open(os.path.join(path, "stm.ini"), "w", encoding="utf-8") as f:
        f.write(DEVICE % (ID << 16 | 5))
    edit("snapshot.ini", "device1=", "device7=stm.ini\ndevice1=")
    if layout == "shared":
        with open(os.path.join(path, "trace0.bin"), "ab") as f:
            f.write(frames(data))
        edit("trace.ini", "ETM_0=ETB_0", "ETM_0=ETB_0\nSTM_0=ETB_0")
        return
    with open(os.path.join(path, "stm.bin"), "wb") as f:
        f.write(data if layout == "raw" else frames(data))
    edit("trace.ini", "buffers=buffer0", "buffers=buffer0,buffer1")
    edit("trace.ini", "[source_buffers]", "[buffer1]\nname=ETB_1\nfile=stm.bin\nformat=%s\n\n[source_buffers]"
         % ("source_data" if layout == "raw" else "coresight"))
    edit("trace.ini", "ETM_0=ETB_0", "ETM_0=ETB_0\nSTM_0=ETB_1")


def shown(args, path, folder):
    out = os.path.join(folder, "json")
    err = run(args, 3, "timeline", "-i", path, "-o", out).stderr
    with open(out, encoding="utf-8") as f:
        events = json.load(f, parse_float=str)["traceEvents"]
    return [(e["name"], int(e["ts"].replace(".", "")), e["args"]) for e in events if e["ph"] == "i"], events, err


def layout_case(args, folder, layout):
    path, first, last = snapshot(args, folder)
    before, events, _ = shown(args, path, folder)
    calls = sum(e["ph"] == "X" for e in events)
    data, want = messages([first + 10, first + (last - first) // 2, last - 10])
    add_stm(path, data, layout)
    got, events, err = shown(args, path, folder)
    own = [m for m in got if m not in before]
    if own != want or len(got) != len(before) + len(want):
        raise Bad("messages %s\nexpected %s" % (own, want))
    if "1 messages have no time, and were left out" not in err:
        raise Bad(err)
    if calls != sum(e["ph"] == "X" for e in events):
        raise Bad("other calls than without the STM")
    if "STM, trace ID 0x%02x" % ID not in run(args, 3, "info", "-i", path).stdout:
        raise Bad("info does not name the STM")
    return "%d messages" % len(got)


def dropped_case(args, folder):
    path, first, last = snapshot(args, folder)
    add_stm(path, messages([first, first, last])[0], "own")
    for to in ("perf", "package", "snapshot"):
        err = run(args, 3, "convert", "-i", path, "--to=" + to, "-o", os.path.join(folder, "out-" + to)).stderr
        if not re.search(r"dropped: the (source STM_0|STM with trace ID 0x%02x)" % ID, err):
            raise Bad("%s: %s" % (to, err))
    shutil.rmtree(path)
    return "each output says what it has no place for"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gen", required=True)
    args = parser.parse_args()
    cases = [("messages of an STM, " + text, lambda folder, way=layout: layout_case(args, folder, way)) for layout, text in (
        ("shared", "in frames with a core's trace"), ("own", "in frames of their own"), ("raw", "without frames"))]
    return run_cases(cases + [("messages of an STM, converted", lambda folder: dropped_case(args, folder))])


if __name__ == "__main__":
    sys.exit(main())
