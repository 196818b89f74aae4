# SPDX-License-Identifier: BSD-3-Clause
"""What was executed in a set of truth, by file offset of each binary: instructions, ranges, taken branches, calls.

A set is a folder with perf.data and truth, as shared/truth/README.md describes them and cst-gen encode --perf --truth writes
them. What was mapped where is read from the records of the recording."""
import collections
import glob
import itertools
import lzma
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
from auxdata import PerfData

MMAP, COMM, FORK, MMAP2 = 1, 3, 7, 10
EXEC = 1 << 13
BASE = 10 ** 9          # perf time of tick 0 (truth/README.md)
NEVER = 1 << 62
A64_BRANCHES = ((0x7c000000, 0x14000000), (0xff000010, 0x54000000), (0x7e000000, 0x34000000), (0x7e000000, 0x36000000),
                (0xfe000000, 0xd6000000))
A64_CONDITIONAL = A64_BRANCHES[1:4]
A64_LINK = ((0xfc000000, 0x94000000), (0xfefff000, 0xd63f0000))         # BL; BLR, BLRAA and their likes


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

    def is_a64(self, kinds, name, offset):
        op = struct.unpack_from("<I", self[name], offset)[0]
        return any(op & mask == value for mask, value in kinds)

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
    """Counters by the name of a binary. `pairs` has the taken branches with their targets, in whatever binary these are."""

    def __init__(self, setdir, symfs):
        self.space, self.code = Space(setdir + "/perf.data"), Code(symfs)
        self.steps = collections.defaultdict(collections.Counter)       # changes of the number of executions, at an offset
        self.insns, self.not_taken = collections.Counter(), collections.defaultdict(collections.Counter)
        self.taken, self.edges = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
        self.pairs = collections.Counter()
        self.losses = 0
        with open(setdir + "/truth/summary") as f:
            self.total = sum(int(line.split()[3]) for line in f if line.startswith("cpu "))
        ranges = glob.glob(setdir + "/truth/ranges.*")
        for path in ranges:
            self.read_ranges(path)
        for path in glob.glob(setdir + "/truth/branches.*"):
            tid = int(path.split("tid")[1].split(".")[0])
            if ranges:
                self.read_branches(path, tid)
            else:
                self.read_stretches(path, tid)
        if not ranges:
            self.find_directions()

    def read_ranges(self, path):
        tid, time, unknown = None, BASE, None
        for line in itertools.chain.from_iterable(blocks_of_lines(path)):
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
        elif atom == "E" and not name.endswith("32") and self.code.is_a64(A64_BRANCHES, name, end - 4):
            self.taken[name][end - 4] += 1

    def read_branches(self, path, tid):
        pairs = collections.Counter()
        for lines in blocks_of_lines(path):
            pairs.update(lines)
        self.add_pairs(tid, pairs)

    def add_pairs(self, tid, pairs):
        for line, n in pairs.items():
            a, b = (int(x, 16) for x in line.split())
            if not a:
                continue
            name, source = self.space.place(tid, a, NEVER)
            other, target = self.space.place(tid, b, NEVER)
            self.pairs[name, source, other, target] += n
            if name == other:
                self.edges[name][source, target] += n

    def read_stretches(self, path, tid):
        """Branches and ranges of a set without those, of A64 code and one thread, whose exceptions all returned to where they were
        taken: from each target to the next taken branch, or to where the trace starts again, or to the end of the trace."""
        following, pairs, last = collections.Counter(), collections.Counter(), []
        for lines in blocks_of_lines(path):
            pairs.update(lines)
            following.update(zip(last + lines, (last + lines)[1:]))
            last = lines[-1:]
        self.add_pairs(tid, pairs)
        for (before, line), n in following.items():
            start, (source, target) = int(before.split()[1], 16), (int(x, 16) for x in line.split())
            self.stretch(tid, start, source + 4 if source else target, n)
        start = int(last[0].split()[1], 16)
        self.stretch(tid, start, start + 4 * (self.total - sum(self.insns.values())), 1)

    def stretch(self, tid, start, end, n):
        if not 0 <= end - start < 1 << 16:
            raise SystemExit("from %x to %x: an exception did not return" % (start, end))
        name, at = self.space.place(tid, start, NEVER)
        self.steps[name][at] += n
        self.steps[name][at + end - start] -= n
        self.insns[name] += n * (end - start) // 4

    def find_directions(self):
        """Directions of A64 branches, by how often they were executed."""
        for (name, source, _, _), n in self.pairs.items():
            if self.code.is_a64(A64_BRANCHES, name, source):
                self.taken[name][source] += n
        for name in self.insns:
            for at, n in self.executions(name).items():
                if not at & 3 and self.code.is_a64(A64_CONDITIONAL, name, at) and n > self.taken[name][at]:
                    self.not_taken[name][at] = n - self.taken[name][at]

    def executions(self, name):
        """How often each two bytes of a binary were executed."""
        return executions(self.steps[name])

    def calls(self, is_t32):
        """Branches with link: (binary, offset, binary and offset of the target). What led from an instruction that is no branch is
        the begin of an exception handler, and does so from a branch, too, if its target was not executed yet."""
        handlers = {(other, target) for name, source, other, target in self.pairs
                    if not name.endswith("32") and not self.code.is_a64(A64_BRANCHES, name, source)}
        return collections.Counter({k: n for k, n in self.pairs.items()
                                    if k[2:] not in handlers and self.is_link(k[0], k[1], is_t32(k[0], k[1]))})

    def is_link(self, name, offset, t32):
        if not name.endswith("32"):
            return self.code.is_a64(A64_LINK, name, offset)
        first, second = struct.unpack_from("<2H", self.code[name], offset)
        if t32:
            return first & 0xff87 == 0x4780 or first >> 11 == 0x1e and second >> 14 == 3
        op = first | second << 16
        return op >> 25 == 0x7d or op >> 28 != 15 and (op >> 24 & 15 == 11 or op & 0xffffff0 == 0x12fff30)


def blocks_of_lines(path):
    """The lines of a file, which may be packed, as lists: one by one takes twice the time."""
    with lzma.open(path) if path.endswith(".xz") else open(path, "rb") as f:
        rest = b""
        while True:
            block = f.read(1 << 20)
            *lines, rest = (rest + block).decode().split("\n")
            rest = rest.encode()
            if lines:
                yield lines
            if not block:
                return


def executions(steps):
    out, n, before = {}, 0, 0
    for at in sorted(steps):
        if n:
            for unit in range(before, at, 2):
                out[unit] = n
        n += steps[at]
        before = at
    return out
