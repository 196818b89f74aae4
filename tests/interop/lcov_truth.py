# SPDX-License-Identifier: BSD-3-Clause
"""Compares a tracefile with what was executed, by the lines that readelf reads of the binaries.

A line has a count if one of its instructions was executed, and 0 if none was. A function has that of its first instruction. The
conditional branches of a line (A64 code), by address, were not taken and taken as often as in the tracefile."""
import bisect
import collections
import os
import re
import subprocess

import format_counts
import profile_text
from executed import A64_CONDITIONAL

READELF, NM = "aarch64-linux-gnu-readelf", "aarch64-linux-gnu-nm"
ROW = re.compile(r"(\S+) +(\d+|-) +0x([0-9a-f]+)\b")


class Lines:
    """Rows (begin, end, file, line) of a binary, in file offsets; of several rows at an address the last one. The code of files that
    have the same name without folders is that of one file."""

    def __init__(self, path):
        elf = profile_text.Elf(path)
        self.segments = [(vaddr, size, offset) for offset, vaddr, size, _ in elf.load]
        text = subprocess.check_output([READELF, "-W", "--debug-dump=decodedline", path], text=True, stderr=subprocess.DEVNULL)
        rows, last = {}, None
        for line in text.splitlines():
            m = ROW.match(line)
            if not m:
                continue
            at = self.offset(int(m[3], 16))
            if last and last[0] < at:
                rows[last[0]] = (at, *last[1:])
            last = None if m[2] == "-" else (at, m[1], int(m[2]))
        self.rows = sorted((begin, *row) for begin, row in rows.items())

    def offset(self, address):
        return next((address - a + offset for a, size, offset in self.segments if a <= address < a + size), 1 << 63)

    def has(self, at):
        i = bisect.bisect(self.rows, (at, 1 << 64)) - 1
        return i >= 0 and at < self.rows[i][1]

    def functions(self, path):
        """{name: [offset]} of those that have lines; copies that the compiler made, as NAME.constprop.0, are those of NAME."""
        out = collections.defaultdict(set)
        for line in subprocess.check_output([NM, path], text=True, stderr=subprocess.DEVNULL).splitlines():
            words = line.split()
            if len(words) == 3 and words[1] in "tTwW" and self.has(self.offset(int(words[0], 16) & ~1)):
                out[words[2].split(".")[0]].add(self.offset(int(words[0], 16) & ~1))
        return out


class LcovCheck:
    def __init__(self, truth, check):
        self.truth, self.check = truth, check
        self.lines, self.functions = {}, collections.Counter()
        self.branches, self.known = collections.defaultdict(list), True

    def add(self, b):
        """Adds a binary."""
        lines, executed = Lines(self.truth.code.symfs + b.name), self.truth.executions(b.name)
        for name, places in lines.functions(self.truth.code.symfs + b.name).items():
            for at in places:
                self.functions[name] += executed.get(at, 0)
        for begin, end, file, line in lines.rows:
            hit = any(executed.get(at) for at in range(begin, end, 2))
            if line:
                self.lines[file, line] = self.lines.get((file, line), False) or hit
            for at in range(begin, end if line and not b.name.endswith("32") else begin, 4):
                if self.truth.code.is_a64(A64_CONDITIONAL, b.name, at):
                    counts = self.truth.not_taken[b.name].get(at, 0), self.truth.taken[b.name].get(at, 0)
                    self.branches[file, line].append(counts if executed.get(at) else (None, None))
        self.known &= not b.name.endswith("32")

    def compare(self, sources):
        lines, functions, branches = {}, collections.Counter(), collections.defaultdict(list)
        for path, source in sources.items():
            file = os.path.basename(path)
            for line, n in source.lines.items():
                lines[file, line] = lines.get((file, line), False) or n > 0
            functions.update(source.functions)
            for line, counts in source.branches.items():
                branches[file, line] += counts
        self.check.same("lcov: lines with counts", self.lines, lines)
        self.check.same("lcov: functions", {f: n for f, n in self.functions.items() if f in functions}, dict(functions))
        if self.known:
            self.check.same("lcov: not taken and taken", +self.directions(self.branches), +self.directions(branches),
                            self.truth.losses)
        print("lcov: %d lines, %d functions, %d branches" % (len(lines), len(functions), sum(map(len, branches.values()))))

    @staticmethod
    def directions(branches):
        """{(file, line, number of the branch, direction): times + 1, or 0}"""
        return collections.Counter({(*place, i, name): 0 if n is None else n + 1 for place, counts in branches.items()
                                    for i, both in enumerate(counts) for name, n in zip(("not taken", "taken"), both)})


def compare(truth, binaries, check, content):
    sources = format_counts.lcov(content)
    mine = LcovCheck(truth, check)
    for b in binaries:
        if b.name in truth.insns and b.segments:
            mine.add(b)
    mine.compare(sources)
