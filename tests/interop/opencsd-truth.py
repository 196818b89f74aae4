#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""opencsd-truth.py SETDIR [--any-thread|--any-cpu] < TEXT: what perf with the drop-in prints against the truth.

TEXT holds lines of `perf script --itrace=b -F pid,tid,cpu,ip,addr`. perf itself loses one kind of branch, whatever
library decodes for it: a taken branch that is interrupted before its target executes is not printed, or has the
first instruction of the handler as its target. Everything else has to be there, in order. --any-thread: perf
credits branches to the next thread (no timestamps); --any-cpu: it takes every buffer for the first CPU's. Then the
branches of all threads, or CPUs, are compared together, without order.
"""
import collections
import glob
import lzma
import os
import re
import sys

LINE = re.compile(r"(\d+)/(\d+)\s+\[(\d+)\].*?([0-9a-f]+)\b[^=]*=>\s*([0-9a-f]+)")


def truth_of(folder):
    streams, interrupted = {}, set()
    for name in glob.glob(os.path.join(folder, "truth", "branches.cpu*.tid*.xz")):
        cpu, tid = map(int, re.search(r"cpu(\d+)\.tid(\d+)", name).groups())
        pairs = (tuple(int(x, 16) for x in line.split()) for line in lzma.open(name, "rt"))
        streams[cpu, tid] = [p for p in pairs if p[0]]
    for name in glob.glob(os.path.join(folder, "truth", "ranges.cpu*.xz")):
        end = None
        for line in lzma.open(name, "rt"):
            word = line.split()
            if word[0] == "R":
                end = int(word[2], 16) if word[4] in "EQ" else None
            elif word[0] == "X" and end is not None:
                interrupted.add((end, int(word[2], 16)))
                end = None
            elif word[0] in "TAVD":
                end = None
    return streams, interrupted


def lost_by_perf(branch, interrupted):
    return any((branch[0] + size, branch[1]) in interrupted for size in (2, 4))


def in_order(want, got, interrupted):
    """Number of branches that perf lost; raises at anything else."""
    lost = j = 0
    for i, branch in enumerate(want):
        if j < len(got) and got[j] == branch:
            j += 1
            continue
        if not lost_by_perf(branch, interrupted):
            found = "%x => %x" % got[j] if j < len(got) else "nothing"
            raise SystemExit("branch %d: executed %x => %x, printed %s" % (i, *branch, found))
        lost += 1
        following = want[i + 1] if i + 1 < len(want) else None
        if j < len(got) and got[j][0] == branch[0] and got[j] != following:
            j += 1
    if j < len(got):
        raise SystemExit("printed, not executed: %x => %x" % got[j])
    return lost


def together(want, got, interrupted):
    a, b = collections.Counter(want), collections.Counter(got)
    missing, extra = a - b, b - a
    for branch in missing:
        if not lost_by_perf(branch, interrupted):
            raise SystemExit("executed, not printed: %x => %x" % branch)
    sources = collections.Counter()
    for branch, n in missing.items():
        sources[branch[0]] += n
    for branch, n in extra.items():
        if sources[branch[0]] < n:
            raise SystemExit("printed, not executed: %x => %x" % branch)
    return sum(missing.values())


def main():
    folder, how = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    streams, interrupted = truth_of(folder)
    got = collections.defaultdict(list)
    for line in sys.stdin:
        m = LINE.search(line)
        if m and int(m[4], 16) and int(m[5], 16):
            got[int(m[3]), int(m[2])].append((int(m[4], 16), int(m[5], 16)))
    total = lost = 0
    if how:
        keep = (lambda key: key[0]) if how == "--any-thread" else (lambda key: key[1])
        pools = collections.defaultdict(lambda: ([], []))
        for source, side in ((streams, 0), (got, 1)):
            for key, branches in source.items():
                pools[keep(key)][side].extend(branches)
        for want, have in pools.values():
            total += len(want)
            lost += together(want, have, interrupted)
    else:
        for key in sorted(set(streams) | set(got)):
            total += len(streams.get(key, []))
            lost += in_order(streams.get(key, []), got.get(key, []), interrupted)
    print("%s: %d branches, %d of them lost by perf" % (os.path.basename(folder.rstrip("/")), total, lost))


main()
