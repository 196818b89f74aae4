#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare_loops.py --tool PERF-CSTRACE --gen CST-GEN: wrong lines in loops whose trace has many gaps.

A program of loops is made from a seed, and its flow, with an interrupt or a call of a function that is not traced every few
dozen instructions. Its Tarmac text has what was executed in the gaps, too. The text must not differ from the trace; with one
line changed, whose instruction is traced, compare must report a difference within 100 instructions of it.
CSTRACE_NIGHTLY=1: 1,000 lines in 50 loops. Speaks TAP.
"""
import argparse
import os
import random
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from tap import Bad, run_cases  # noqa: E402

NIGHTLY = bool(os.environ.get("CSTRACE_NIGHTLY"))
LOOPS, LINES = (50, 20) if NIGHTLY else (12, 5)
NEAR = 100
BASE, KERNEL = 0x400000, 0xffff800008010000
# struct flow_rec of tests/gen/flow.h
INSN, EXC, CONTEXT, OFF, ON, MAP = 1, 2, 3, 4, 5, 6
OTHER, DIRECT, INDIRECT = 0, 1, 2
TAKEN, COND, LINK, RET = 1, 2, 4, 8
A64, IRQ = 2, 0xe
# What is in the gaps of a trace.
KINDS = ("interrupts", "interrupts and what the kernel executed", "calls of functions that are not traced", "both")


class Program:
    """A64 code: nop, b.cond forward, bl, b.cond backward at the end of a loop; functions of nop and ret behind the loops."""

    def __init__(self, rnd, calls):
        self.code, self.loops, fix = [], [], []
        for _ in range(rnd.randrange(1, 4)):
            head = len(self.code)
            for _ in range(rnd.randrange(1, 5)):
                self.nops(rnd.randrange(1, 12))
                what = rnd.randrange(3)
                if what == 0:
                    skip = rnd.randrange(1, 8)
                    self.code.append(0x54000000 | (skip + 1) << 5)
                    self.nops(skip + 2)
                elif what == 1 and calls:
                    fix.append(len(self.code))
                    self.code.append(0)
            self.code.append(0x54000001 | (head - len(self.code) & 0x7ffff) << 5)
            self.loops.append((head, len(self.code)))
        self.nops(40)
        self.end = len(self.code)
        functions = []
        for _ in range(2):
            functions.append(len(self.code))
            self.nops(rnd.randrange(1, 30))
            self.code.append(0xd65f03c0)
        for at in fix:
            self.code[at] = 0x94000000 | rnd.choice(functions) - at

    def nops(self, n):
        self.code += [0xd503201f] * n

    def image(self):
        return struct.pack("<%dI" % len(self.code), *self.code)


class Flow:
    """What was executed, and of each instruction whether it is traced."""

    def __init__(self, program, rnd, kind, length):
        self.p, self.rnd, self.kind = program, rnd, kind
        self.records, self.traced, self.on, self.el = [], [], True, 0
        self.add(MAP, BASE, len(program.code) * 4)
        self.add(CONTEXT)
        self.add(ON)
        self.every = rnd.choice((15, 40, 120, 400))
        iterations = length // sum(end - head for head, end in program.loops)
        for head, end in program.loops:
            self.loop(head, end, max(2, iterations + rnd.randrange(-1, 2)))
        # nothing is traced behind the last branch
        self.on = False
        self.straight(program.loops[-1][1], program.end)

    def add(self, kind, pc=0, after=0, klass=OTHER, flags=0, num=0):
        self.records.append(struct.pack("<8BIIQQQ", kind, A64, 4, klass, flags, self.el, 1, 0, 100, num, pc, after, 0))

    def insn(self, at, after, klass=OTHER, flags=0):
        self.add(INSN, BASE + 4 * at, BASE + 4 * after, klass, flags)
        self.traced.append(self.on)
        if self.on and self.kind != 2 and self.rnd.randrange(self.every) == 0:
            self.interrupt(after)

    def straight(self, at, end):
        for at in range(at, end):
            self.insn(at, at + 1)

    def interrupt(self, after):
        self.add(EXC, BASE + 4 * after, 0, num=IRQ)
        self.trace(False)
        self.el = 1
        for i in range(self.rnd.randrange(1, 80) if self.kind in (1, 3) else 0):
            self.add(INSN, KERNEL + 4 * i, KERNEL + 4 * i + 4)
            self.traced.append(False)
        self.el = 0
        self.trace(True)

    def trace(self, on):
        self.on = on
        self.add(ON if on else OFF)

    def call(self, at, function):
        self.insn(at, function, DIRECT, TAKEN | LINK)
        self.trace(False)
        end = function
        while self.p.code[end] != 0xd65f03c0:
            end += 1
        self.straight(function, end)
        self.insn(end, at + 1, INDIRECT, TAKEN | RET)
        self.trace(True)

    def loop(self, head, end, iterations):
        for i in range(iterations):
            at = head
            while at < end:
                op = self.p.code[at]
                if op >> 24 == 0x54:
                    back = at == end - 1
                    taken = i + 1 < iterations if back else self.rnd.randrange(4) == 0
                    after = head if back else at + (op >> 5 & 0x7ffff)
                    self.insn(at, after if taken else at + 1, DIRECT, COND | (TAKEN if taken else 0))
                    if back:
                        break
                    at = after if taken else at + 1
                elif op >> 26 == 0x25:
                    self.call(at, at + (op & 0x3ffffff))
                    at += 1
                else:
                    self.insn(at, at + 1)
                    at += 1

    def data(self):
        return b"CSTFLOW1" + b"".join(self.records)


def run(*words):
    done = subprocess.run(words, capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


class Recording:
    def __init__(self, args, folder, seed, options=()):
        rnd = random.Random(seed)
        self.args, self.kind = args, seed % 4
        program = Program(rnd, self.kind >= 2)
        flow = Flow(program, rnd, self.kind, rnd.randrange(300, 4000))
        self.perf, self.text, image, name = (os.path.join(folder, n) for n in ("perf.data", "tarmac", "loops.bin", "flow"))
        for path, data in ((image, program.image()), (name, flow.data())):
            with open(path, "wb") as out:
                out.write(data)
        with open(name + ".images", "w") as out:
            out.write("0\t%s\t%s\n" % (image, image))
        code, _, err = run(args.gen, "encode", "--flow", name, "--buf=cpu", "--perf", self.perf, "--tarmac", self.text, *options)
        if code:
            raise Bad("cst-gen: " + err)
        self.lines = open(self.text).read().split("\n")
        insns = [i for i, line in enumerate(self.lines) if re.search(r" I[TS] ", line)]
        if len(insns) != len(flow.traced):
            raise Bad("%d instructions in the text, %d in the flow" % (len(insns), len(flow.traced)))
        self.insns = [i for i, traced in zip(insns, flow.traced) if traced]

    def compare(self, lines):
        with open(self.text, "w") as out:
            out.write("\n".join(lines))
        code, text, err = run(self.args.tool, "compare", "-i", self.perf, "--tarmac", self.text)
        if code not in (0, 3, 4, 5):
            raise Bad("exit %d: %s" % (code, err))
        return code, text, [int(n) for n in re.findall(r"; .*: line (\d+)$", text, re.M)]


def change(lines, traced, at, rnd):
    """A wrong address, a line too much, or one that is missing."""
    out, words, how = list(lines), lines[at].split(" "), rnd.randrange(6)
    if how == 1 and at - 1 not in traced:
        how = 2		# a line too much behind a gap can be in it
    words[5] = "%08x" % (int(words[5], 16) + rnd.choice((-8, -4, 4, 8, 0x4000000, BASE)))
    if how == 1:
        words[5] = lines[rnd.choice([i for i in traced if i != at])].split(" ")[5]
    if how == 0:
        del out[at]
    elif how == 1:
        out.insert(at, " ".join(words))
    else:
        out[at] = " ".join(words)
    return out, ("missing", "too much")[how] if how < 2 else "wrong"


def loops(args, folder, seed):
    r = Recording(args, folder, seed)
    code, text, _ = r.compare(r.lines)
    if code:
        raise Bad("nothing is changed: exit %d:\n%s" % (code, text[:1500]))
    rnd, missed = random.Random(seed), []
    for _ in range(LINES):
        # nothing is behind the last instructions that could tell
        at = rnd.choice(r.insns[:-1])
        lines, how = change(r.lines, r.insns, at, rnd)
        code, text, places = r.compare(lines)
        if code != 4 or not any(abs(place - at) <= NEAR for place in places):
            missed.append("line %d of %d is %s: exit %d, differences at %s" % (at + 1, len(r.lines), how, code, places))
    if missed:
        raise Bad("%d of %d lines:\n%s" % (len(missed), LINES, "\n".join(missed)))
    return "%d instructions, %s" % (len(r.insns), KINDS[r.kind])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gen", required=True)
    parser.add_argument("--loops", type=int, default=LOOPS)
    args = parser.parse_args()
    return run_cases([("loop %d" % seed, lambda folder, s=seed: loops(args, folder, s)) for seed in range(args.loops)])


if __name__ == "__main__":
    sys.exit(main())
