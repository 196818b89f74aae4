#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rust_bitmap.py EDGE_BITMAP DIR: the bitmap that this program writes for a generated recording is that of the edges which
tests/examples/edges.c, compiled in DIR with the library of $BUILD, counts in it; and these are what was executed."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from recording import REGISTERS, Recording  # noqa: E402


def main():
    program, folder = sys.argv[1:]
    build = os.environ.get("BUILD", "build")
    recording = Recording(os.environ.get("CST_GEN", build + "/tests/gen/cst-gen"), folder)
    with open(os.path.join(folder, "recording.h"), "w") as f:
        f.write(recording.header())
    edges = os.path.join(folder, "edges")
    subprocess.run([*os.environ.get("CC", "gcc").split(), "-Iinclude", "-I" + folder, "-o", edges, "tests/examples/edges.c",
                    build + "/libcstrace.a", "-lpthread"], check=True)
    counted = subprocess.run([edges], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    if counted != recording.edges() or counted.count("\n") < 20:
        sys.exit("edges.c does not count what was executed, or there is little of it")
    expected = bytearray(1 << 16)
    for line in counted.splitlines():
        a, b, count = (int(word, base) for word, base in zip(line.split(), (16, 16, 10)))
        place = ((a >> 2) * 0x9e37 ^ b >> 2) & 0xffff
        expected[place] = min(expected[place] + count, 255)

    files = [os.path.join(folder, "code.bin")]
    with open(files[0], "wb") as f:
        f.write(recording.code)
    for i, fragment in enumerate(recording.fragments()):
        files.append(os.path.join(folder, "trace%d.bin" % i))
        with open(files[-1], "wb") as f:
            f.write(fragment)
    cpu = recording.perf.metadata()[0]
    got = subprocess.run([program, ",".join("%x" % cpu[r] for r in REGISTERS), files[0], "%x" % recording.at, *files[1:]],
                         check=True, stdout=subprocess.PIPE).stdout
    if got != bytes(expected):
        sys.exit("%d of %d places differ" % (sum(a != b for a, b in zip(got, expected)), len(expected)))
    print("%d places, %d saturated, %d runs" % (len(expected) - expected.count(0), expected.count(255), len(files) - 1))


main()
