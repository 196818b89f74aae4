#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""truth-profile.py SETDIR BINARY [PROFILE]: AutoFDO counts of a statically linked program, out of the executed
flow of a truth set. Prints them as text for create_llvm_prof 0.19, or compares PROFILE, of file offsets, with them:
every range (of A64 programs; the size of a T32 instruction is not in the truth) and every branch with both ends."""
import collections
import glob
import lzma
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data"))
import profile_text


def truth(setdir, elf):
    edges, ranges = collections.Counter(), collections.Counter()
    for name in glob.glob(setdir + "/truth/branches.*.xz"):
        for line in lzma.open(name, "rt"):
            a, b = (int(x, 16) for x in line.split())
            if a and b:
                edges[a, b] += 1
    for name in glob.glob(setdir + "/truth/ranges.*.xz"):
        ranges += profile_text.executed_ranges(lzma.open(name, "rt"), elf.is_system)[0]
    return ranges, edges


def compare(what, want, got):
    print(*profile_text.differences(what, want, got), sep="\n")
    print("%s: %d distinct, sum %d" % (what, len(got), sum(got.values())))
    return want != got


def main():
    setdir, binary = sys.argv[1:3]
    elf = profile_text.Elf(binary)
    ranges, edges = truth(setdir, elf)
    if len(sys.argv) == 3:
        base = elf.load[0][1]
        print(len(ranges), *("%x-%x:%d" % (a - base, b - base, n) for (a, b), n in sorted(ranges.items())), sep="\n")
        print(0, len(edges), *("%x->%x:%d" % (a - base, b - base, n) for (a, b), n in sorted(edges.items())), sep="\n")
        return
    got_ranges, got_edges = profile_text.autofdo(open(sys.argv[3]).read(), elf, "/opt/truth/" + os.path.basename(binary))
    bad = compare("branch", edges, collections.Counter({k: n for k, n in got_edges.items() if k[1]}))
    if elf.data[4] == 2:
        bad |= compare("range", ranges, got_ranges)
    sys.exit(bad)


main()
