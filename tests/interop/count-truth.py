#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""count-truth.py SETDIR SYMFS FILE [FOLDER]: is a count file what was executed in a truth set, to the last one?

Of each binary: how often each instruction was executed, by the ranges; the number of instructions of each range; taken
branches with both ends in the binary; how often each branch was taken (A64 code), and how often it was not; the instructions
of its calling contexts. Of each branch with link: how often it called what. The sums over all binaries are the numbers that the
encoder counted. Works on file offsets. FOLDER has formats of the same recording, which are compared with what was executed,
too (format_truth.py)."""
import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
import count_file
from executed import Truth
from format_truth import FormatCheck

T32 = 1                 # flag of a range


class Binary:
    """The counts of a binary in a count file."""

    def __init__(self, model, key):
        self.key = key
        _, _, self.name, self.segments = model["binaries"][key]
        counts = model["counts"].get(key, {})
        if isinstance(self.name, bytes):
            self.name = self.name.decode()
        self.ranges = [(*k, n) for k, n in counts.get(count_file.RANGE, {}).items()]            # start, last, flags, instructions
        self.not_taken = [(*k, n) for k, n in counts.get(count_file.NOT_TAKEN, {}).items()]     # offset, size
        self.edges = [(*k, n) for k, n in counts.get(count_file.EDGE, {}).items()]              # from, to
        self.t32 = {at for start, last, flags, _, _ in self.ranges if flags & T32 for at in range(start, last + 2, 2)}

    def insns(self):
        return sum(n * times for _, _, _, n, times in self.ranges)


class Contexts:
    """Nodes of a count file, by the names of binaries: instructions; calls by branches with link, (binary, offset, binary and
    offset of the target); other calls, by the binary of the callee."""

    def __init__(self, model, binaries):
        name = {b.key: b.name for b in binaries}
        self.insns, self.calls, self.others = (collections.Counter() for _ in range(3))
        self.signals = 0
        for path, (calls, insns) in model["nodes"].items():
            kind, from_binary, from_, binary, entry = path[-1]
            self.insns[name.get(binary)] += insns
            self.signals += kind == count_file.SIGNAL
            if kind == count_file.CALL:
                self.calls[name.get(from_binary), from_, name.get(binary), entry] += calls
            elif kind != count_file.ROOT:
                self.others[name.get(binary)] += calls


def without_zeros(counter):
    return {k: n for k, n in counter.items() if n}


def shown(x):
    return "%x" % x if isinstance(x, int) else str(x)


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
            print("%s %s: executed %d, the file has %d" % (what, "->".join(shown(x) for x in (k if isinstance(k, tuple) else (k,))),
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
    setdir, symfs, path = sys.argv[1:4]
    truth, model, check = Truth(setdir, symfs), count_file.read(open(path, "rb").read()), Check()
    total = {k if isinstance(k, str) else k.decode(): n for k, n in model["totals"].items()}
    binaries = [Binary(model, key) for key in model["binaries"]]
    lossy = any(name.startswith("loss.") for name in total)
    again = os.path.basename(setdir).startswith("16-")      # branches are listed without time, and code is mapped over code
    taken = untaken = 0
    for b in binaries:
        if b.name not in truth.insns:
            check.same(b.name, 0, b.insns())
            continue
        check.same(b.name + ": changes of executions at", without_zeros(truth.steps[b.name]), steps_of(b, truth.code))
        check.same(b.name + ": instructions", truth.insns[b.name], b.insns())
        check.same(b.name + ": not taken", truth.not_taken[b.name], {at: n for at, _, n in b.not_taken}, truth.losses)
        inside = {(a, t): n for a, t, n in b.edges if t != count_file.OUTSIDE}
        if not again:
            check.same(b.name + ": taken", truth.edges[b.name], inside)
        sums = collections.Counter()
        for a, _, n in b.edges:
            sums[a] += n
        if not b.name.endswith("32"):
            check.same(b.name + ": branch taken", truth.taken[b.name], sums, truth.losses)
        taken += sum(n for _, _, n in b.edges)
        untaken += sum(n for _, _, n in b.not_taken)
    for name in truth.insns:
        check.same(name, 1, sum(b.name == name for b in binaries))
    contexts = Contexts(model, binaries)
    formats = FormatCheck(truth, binaries, contexts, check, not again)
    # the code that the handler of a signal returns to is the handler's in these
    if not contexts.signals:
        check.same("instructions of calling contexts", without_zeros(truth.insns), without_zeros(contexts.insns))
    if not again and not lossy:
        check.same("calls", formats.calls, contexts.calls)
    check.same("instructions", truth.total, total["instructions"] + total.get("instructions.nopath", 0))
    check.same("sum over ranges", total["instructions"] - total.get("instructions.elsewhere", 0),
               sum(b.insns() for b in binaries))
    check.same("sum over calling contexts", total["instructions"] + total.get("instructions.nopath", 0),
               sum(n for _, n in model["nodes"].values()))
    print("%d binaries, %d instructions, %d branches taken, %d not taken, %d calls%s" % (
        len(binaries), total["instructions"], taken, untaken, sum(contexts.calls.values()), ", losses" if lossy else ""))
    if len(sys.argv) > 4:
        formats.all(sys.argv[4])
    sys.exit(bool(check.bad))


main()
