#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""count-truth.py SETDIR SYMFS FILE: is a count file what was executed in a truth set, to the last one?

Of each binary: how often each instruction was executed, by the ranges; the number of instructions of each range; taken
branches with both ends in the binary; how often each branch was taken (A64 code), and how often it was not. The sums over
all binaries are the numbers that the encoder counted. Works on file offsets; what was mapped where is read from the records
of the recording."""
import collections
import glob
import lzma
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
import count_file
from auxdata import PerfData

MMAP, COMM, FORK, MMAP2 = 1, 3, 7, 10
EXEC = 1 << 13
BASE = 10 ** 9          # perf time of tick 0 (truth/README.md)
T32 = 1                 # flag of a range
A64_BRANCHES = ((0x7c000000, 0x14000000), (0xff000010, 0x54000000), (0x7e000000, 0x34000000), (0x7e000000, 0x36000000),
                (0xfe000000, 0xd6000000))


class Binary:
    """The counts of a binary in a count file."""

    def __init__(self, model, key):
        self.name, counts = model["binaries"][key][2], model["counts"].get(key, {})
        if isinstance(self.name, bytes):
            self.name = self.name.decode()
        self.ranges = [(*k, n) for k, n in counts.get(count_file.RANGE, {}).items()]            # start, last, flags, instructions
        self.not_taken = [(*k, n) for k, n in counts.get(count_file.NOT_TAKEN, {}).items()]     # offset, size
        self.edges = [(*k, n) for k, n in counts.get(count_file.EDGE, {}).items()]              # from, to

    def insns(self):
        return sum(n * times for _, _, _, n, times in self.ranges)


class Space:
    """What is mapped in each process, in the order of time."""

    def __init__(self, path):
        perf = PerfData(path)
        self.process, self.maps, events = {}, collections.defaultdict(list), []
        for kind, misc, pos, size, _, _ in perf.records():
            if kind not in (MMAP, MMAP2, COMM, FORK):
                continue
            at = perf.time_offset(size)
            time = struct.unpack_from("<Q", perf.bytes, pos + at)[0] if at else 0
            events.append((time, len(events), kind, misc, perf.bytes[pos:pos + size]))
        for time, _, kind, misc, rec in sorted(events):
            pid, tid = struct.unpack_from("<iI", rec, 8)
            if kind == FORK:
                pid, parent, tid = struct.unpack_from("<3i", rec, 8)
                if pid != parent:
                    self.maps[pid] = list(self.maps[parent])
            if kind in (FORK, COMM):
                self.process[tid] = pid
                if kind == COMM and misc & EXEC:
                    self.maps[pid] = []
                continue
            start, length, offset = struct.unpack_from("<3Q", rec, 16)
            name = rec[72 if kind == MMAP2 else 40:].split(b"\0")[0].decode()
            if kind == MMAP or struct.unpack_from("<I", rec, 64)[0] & 4:
                self.maps[pid].append((time, start, start + length, offset, name))
        self.known = {}

    def place(self, tid, addr, time):
        """(name, offset) of an address."""
        pid = self.process.get(tid, tid)
        key = pid, addr >> 12
        found = self.known.get(key)
        if not found or not found[4] <= time < found[5]:
            found = self.known[key] = self.search(pid, addr, time)
        return found[3], addr - found[0] + found[2]

    def search(self, pid, addr, time):
        until, best = 1 << 64, None
        for owner in (pid, -1):
            for when, start, end, offset, name in self.maps[owner]:
                if not start <= addr < end:
                    continue
                if when > time and best:
                    until = min(until, when)
                elif when <= time or not best:
                    best = start, end, offset, name, 0 if not best else when
        if not best:
            raise SystemExit("nothing is mapped at %x of %d" % (addr, pid))
        return (*best, until)


class Code:
    """Bytes of files below the symfs."""

    def __init__(self, symfs):
        self.symfs, self.files = symfs, {}

    def __getitem__(self, name):
        if name not in self.files:
            with open(self.symfs + name, "rb") as f:
                self.files[name] = f.read()
        return self.files[name]

    def a64_branch(self, name, offset):
        op = struct.unpack_from("<I", self[name], offset)[0]
        return any(op & mask == value for mask, value in A64_BRANCHES)

    def t32_size(self, name, offset):
        return 4 if struct.unpack_from("<H", self[name], offset)[0] >> 11 >= 0x1d else 2

    def t32_last(self, name, start, end):
        """Offset of the last instruction, and the number of instructions."""
        n = 0
        while start < end:
            last, n = start, n + 1
            start += self.t32_size(name, start)
        return last, n


class Truth:
    def __init__(self, setdir, symfs):
        self.space, self.code = Space(setdir + "/perf.data"), Code(symfs)
        self.steps = collections.defaultdict(collections.Counter)       # changes of the number of executions, at an offset
        self.insns, self.not_taken = collections.Counter(), collections.defaultdict(collections.Counter)
        self.taken, self.edges = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
        self.losses = 0
        self.ranges = sorted(glob.glob(setdir + "/truth/ranges.*.xz"))
        for path in self.ranges:
            self.read_ranges(path)
        for path in glob.glob(setdir + "/truth/branches.*.xz"):
            self.read_branches(path, int(path.split("tid")[1].split(".")[0]))
        with open(setdir + "/truth/summary") as f:
            total = [line for line in f if line.startswith("total")][0].split()
        self.total = dict(zip(total[1::2], map(int, total[2::2])))

    def read_ranges(self, path):
        tid, time, unknown = None, BASE, None
        with lzma.open(path, "rt") as f:
            for line in f:
                words = line.split()
                if words[0] == "C":
                    tid = int(words[1]) or int(words[2])        # the context ID, or the VMID for it
                elif words[0] == "S":
                    time = BASE + int(words[1])
                elif words[0] in "DV":
                    self.losses += 1
                elif words[0] == "R":
                    start, end = int(words[1], 16), int(words[2], 16)
                    if unknown:
                        # the branch at the end of a Q element was taken if execution did not continue behind it
                        self.range(*unknown, "E" if start != unknown[3] else "N")
                    unknown = tid, time, start, end, int(words[3])
                    if words[4] != "Q":
                        self.range(*unknown, words[4])
                        unknown = None
        if unknown:
            raise SystemExit(path + ": ends with a Q element")

    def range(self, tid, time, start, end, n, atom):
        name, at = self.space.place(tid, start, time)
        end += at - start
        self.steps[name][at] += 1
        self.steps[name][end] -= 1
        self.insns[name] += n
        if atom == "N":
            # some of the code of A32 programs is T32, and the reverse
            last = end - 4 if end - at == 4 * n else self.code.t32_last(name, at, end)[0]
            self.not_taken[name][last] += 1
        elif atom == "E" and not name.endswith("32") and self.code.a64_branch(name, end - 4):
            self.taken[name][end - 4] += 1

    def read_branches(self, path, tid):
        with lzma.open(path, "rt") as f:
            pairs = collections.Counter(f)
        for line, n in pairs.items():
            a, b = (int(x, 16) for x in line.split())
            if not a:
                continue
            name, source = self.space.place(tid, a, 1 << 62)
            other, target = self.space.place(tid, b, 1 << 62)
            if name == other:
                self.edges[name][source, target] += n


def without_zeros(counter):
    return {k: n for k, n in counter.items() if n}


class Check:
    def __init__(self):
        self.bad = 0

    def same(self, what, want, got, losses=0):
        """The last atom before a loss can be wrong: the direction of a branch there is not counted."""
        if want == got or losses and (all(got[k] <= want.get(k, 0) for k in got) and
                                      sum(want.values()) - sum(got.values()) <= losses):
            return
        self.bad += 1
        if not isinstance(want, dict):
            print("%s: executed %s, the file has %s" % (what, want, got))
            return
        for k in sorted(k for k in want.keys() | got.keys() if want.get(k, 0) != got.get(k, 0))[:5]:
            print("%s %s: executed %d, the file has %d" % (what, "->".join("%x" % x for x in (k if isinstance(k, tuple) else (k,))),
                                                           want.get(k, 0), got.get(k, 0)))


def steps_of(binary, code):
    steps = collections.Counter()
    for start, last, flags, insns, times in binary.ranges:
        size = code.t32_size(binary.name, last) if flags & T32 else 4
        steps[start] += times
        steps[last + size] -= times
        right = code.t32_last(binary.name, start, last + size)[1] if flags & T32 else (last - start) // 4 + 1
        if insns != right:
            raise SystemExit("%s: range %x-%x has %d instructions, the file says %d" % (binary.name, start, last, right, insns))
    return without_zeros(steps)


def main():
    setdir, symfs, path = sys.argv[1:]
    truth, model, check = Truth(setdir, symfs), count_file.read(open(path, "rb").read()), Check()
    total = {k if isinstance(k, str) else k.decode(): n for k, n in model["totals"].items()}
    binaries = [Binary(model, key) for key in model["binaries"]]
    lossy = any(name.startswith("loss.") for name in total)
    again = os.path.basename(setdir).startswith("16-")      # branches are listed without time, and code is mapped over code
    taken = untaken = 0
    for b in binaries:
        if b.name not in truth.insns and truth.ranges:
            check.same(b.name, 0, b.insns())
            continue
        if truth.ranges:
            check.same(b.name + ": changes of executions at", without_zeros(truth.steps[b.name]), steps_of(b, truth.code))
            check.same(b.name + ": instructions", truth.insns[b.name], b.insns())
            check.same(b.name + ": not taken", truth.not_taken[b.name], {at: n for at, _, n in b.not_taken}, truth.losses)
        inside = {(a, t): n for a, t, n in b.edges if t != count_file.OUTSIDE}
        if not again:
            check.same(b.name + ": taken", truth.edges[b.name], inside)
        sums = collections.Counter()
        for a, _, n in b.edges:
            sums[a] += n
        if truth.ranges and not b.name.endswith("32"):
            check.same(b.name + ": branch taken", truth.taken[b.name], sums, truth.losses)
        taken += sum(n for _, _, n in b.edges)
        untaken += sum(n for _, _, n in b.not_taken)
    for name in truth.insns:
        check.same(name, 1, sum(b.name == name for b in binaries))
    check.same("instructions", truth.total["insns"], total["instructions"] + total.get("instructions.nopath", 0))
    check.same("sum over ranges", total["instructions"] - total.get("instructions.elsewhere", 0),
               sum(b.insns() for b in binaries))
    check.same("sum over calling contexts", total["instructions"] + total.get("instructions.nopath", 0),
               sum(n for _, n in model["nodes"].values()))
    print("%d binaries, %d instructions, %d branches taken, %d not taken%s" % (
        len(binaries), total["instructions"], taken, untaken, ", losses" if lossy else ""))
    sys.exit(bool(check.bad))


main()
