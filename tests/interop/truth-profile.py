#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""truth-profile.py SETDIR BINARY [PROFILE]: AutoFDO counts of a statically linked program, out of the executed
flow of a truth set. Prints them as text for create_llvm_prof, or compares PROFILE with them: every range (of
A64 programs; the size of a T32 instruction is not in the truth) and every branch with both ends."""
import collections
import glob
import lzma
import re
import struct
import sys


def load_base(path):
    elf = open(path, "rb").read()
    wide = elf[4] == 2
    phoff, = struct.unpack_from("<Q" if wide else "<I", elf, 32 if wide else 28)
    size, count = struct.unpack_from("<HH", elf, 54 if wide else 42)
    for i in range(count):
        at = phoff + i * size
        if struct.unpack_from("<I", elf, at)[0] == 1:
            return struct.unpack_from("<Q" if wide else "<I", elf, at + (16 if wide else 8))[0], wide
    sys.exit(path + ": no PT_LOAD")


def truth(setdir, base):
    edges, ranges = collections.Counter(), collections.Counter()
    for name in glob.glob(setdir + "/truth/branches.*.xz"):
        for line in lzma.open(name, "rt"):
            a, b = (int(x, 16) for x in line.split())
            if a and b:
                edges[a - base, b - base] += 1
    for name in glob.glob(setdir + "/truth/ranges.*.xz"):
        for line in lzma.open(name, "rt"):
            if line[0] == "R":
                a, b = (int(x, 16) for x in line.split()[1:3])
                ranges[a - base, b - 4 - base] += 1
    return ranges, edges


def parse(path):
    lines = open(path).read().split("\n")
    at, out = 0, []
    for pattern in (r"([0-9a-f]+)-([0-9a-f]+):(\d+)$", r"([0-9a-f]+):(\d+)()$",
                    r"([0-9a-f]+)->([0-9a-f]+):(\d+)$"):
        n = int(lines[at])
        part = collections.Counter()
        for line in lines[at + 1:at + 1 + n]:
            m = re.match(pattern, line)
            if not m:
                sys.exit("%s: not a count: %s" % (path, line))
            part[int(m[1], 16), int(m[2], 16)] += int(m[3])
        out.append(part)
        at += 1 + n
    return out


def compare(what, want, got):
    bad = [k for k in want.keys() | got.keys() if want[k] != got[k]]
    for k in sorted(bad)[:5]:
        print("%s %x %x: executed %d, profile says %d" % (what, *k, want[k], got[k]))
    print("%s: %d distinct, sum %d" % (what, sum(1 for k in got), sum(got.values())))
    return bool(bad)


def main():
    setdir, binary = sys.argv[1:3]
    base, wide = load_base(binary)
    ranges, edges = truth(setdir, base)
    if len(sys.argv) == 3:
        print(len(ranges), *("%x-%x:%d" % (*k, n) for k, n in sorted(ranges.items())), sep="\n")
        print(0, len(edges), *("%x->%x:%d" % (*k, n) for k, n in sorted(edges.items())), sep="\n")
        return
    got_ranges, _, got_edges = parse(sys.argv[3])
    bad = compare("branches", edges, collections.Counter({k: n for k, n in got_edges.items() if k[1]}))
    if wide:
        bad |= compare("ranges", ranges, got_ranges)
    sys.exit(bad)


main()
