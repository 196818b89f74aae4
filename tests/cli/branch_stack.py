#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""branch_stack.py --tool PERF-CSTRACE --gen CST-GEN NAME:SEED...

Branch stacks name the files of user and kernel addresses, and have branches of one thread: each entry of a sample is among the
branches of the sample's thread that script lists one by one, with the same files. Recordings are those of `cst-gen scenario`
whose stacks do not reach back behind a map that another one replaced.
The code of a branch stack has the cycles of each branch, and instructions per cycle of its block. Speaks TAP.
"""
import argparse
import os
import re
import subprocess
import sys

import scenarios
from tap import Bad, run_cases

BRANCH = re.compile(r"\s*(-?\d+)\s+([0-9a-f]+) \((.*)\) =>\s+([0-9a-f]+) \((.*)\)$")
SAMPLE = re.compile(r"\s*(-?\d+)\s+([0-9a-f]+) \((.*?)\)\s+(0x.*)$")
ENTRY = re.compile(r"0x([0-9a-f]+)\((.*?)\)/0x([0-9a-f]+)\((.*?)\)/")

STACK = re.compile(r"0x([0-9a-f]+)/0x([0-9a-f]+)/P/-/-/(\d+)/")
INSN = re.compile(r"\t([0-9a-f]{16})\t[^#]*?(# .*)?$")


def script(args, options, itrace, fields):
    argv = [args.tool, "script", *options, "--itrace=" + itrace, "-F", fields]
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in (0, 3, 5):
        raise Bad("exit %d: %s: %s" % (done.returncode, " ".join(argv), done.stderr[-400:]))
    return done.stdout.splitlines()


def branches(args, options):
    found = set()
    for line in script(args, options, "b", "tid,ip,dso,addr"):
        m = BRANCH.match(line)
        if m:
            found.add((m[1], m[2], m[3], m[4], m[5]))
    return found


def in_kernel(entry):
    return all(int(entry[i], 16) >> 63 for i in (1, 3))


def check(args, name, seed, folder):
    perf, truth, symfs = (os.path.join(folder, n) for n in ("perf.data", "truth", "symfs"))
    subprocess.run([args.gen, "scenario", name, "--case=" + seed, "--perf=" + perf, "--truth=" + truth, "--symfs=" + symfs],
                   capture_output=True, check=True)
    options = ["-i", perf, "--symfs", symfs] + [o.replace("@", symfs) for o in scenarios.Expected(truth).options]
    known = branches(args, options)
    whose = {entry[1:] for entry in known}
    count = [0, 0]
    for line in script(args, options, "i37il16", "tid,ip,dso,brstack"):
        m = SAMPLE.match(line)
        if not m and "/P/-/-/" in line:
            raise Bad("what is this line: " + line[:200])
        for e in ENTRY.findall(m[4]) if m else ():
            entry = (m[1], *e)
            count[in_kernel(entry)] += 1
            # the branch by which the kernel enters another thread is listed for the thread before
            if entry not in known and not (in_kernel(entry) and entry[1:] in whose):
                raise Bad("no such branch of thread %s: %s in %s" % (m[1], e, line[:200]))
    if not count[0]:
        raise Bad("no entries")
    return "%d entries of user space, %d of the kernel" % tuple(count)


def annotations(entries):
    """What the code of a stack, newest entry first, says behind its branches, the oldest one first."""
    said, total, to = [], 0, None
    for begin, end, cycles in reversed(entries):
        text = "# PRED"
        if cycles:
            total += cycles
            text += " %d cycles [%d]" % (cycles, total)
            if to is not None:
                text += " %.2f IPC" % (((begin - to) // 4 + 1) / cycles)
        said.append((begin, text))
        to = end
    return said


def cycles(args):
    """Cycles of the code of branch stacks: those of the entries, their sum, and instructions of a block by them."""
    count, want, have = 0, [], []
    for line in script(args, ["-i", "tests/data/sample-trbe.perf.data", "--symfs", "tests/data/symfs"], "i997il8", "ip,brstack,brstackinsn"):
        m = INSN.match(line)
        if m:
            if m[2]:
                have.append((int(m[1], 16), m[2]))
        elif STACK.search(line):
            if have != want:
                raise Bad("a stack has %s, its code %s" % (want, have))
            want, have = annotations([(int(a, 16), int(b, 16), int(c)) for a, b, c in STACK.findall(line)]), []
            count += sum("IPC" in text for _, text in want)
    if have != want or count < 100:
        raise Bad("%d blocks; the last stack has %s, its code %s" % (count, want, have))
    return "%d blocks" % count


def unnamed(args, folder):
    """Code without symbols, and an address that is in no file."""
    perf = os.path.join(folder, "perf.data")
    subprocess.run([args.gen, "random", "--case", "2", "--perf=" + perf, "--images=" + folder], capture_output=True, check=True)
    file = r"\[unknown\](\(%s/[a-z0-9]+\.bin\)|\(\[unknown\]\))" % re.escape(folder)
    whole = re.compile(r" +[0-9a-f]+ \(%s/[a-z0-9]+\.bin\)(%s/%s/P/-/-/0/[A-Z_]* )+$" % (re.escape(folder), file, file))
    lines = script(args, ["-i", perf], "i100il3", "ip,dso,brstacksym")
    if not lines or not all(whole.match(line) for line in lines):
        raise Bad("lines: %s" % lines)
    for line in script(args, ["-i", perf], "i100il3", "ip,brstacksym"):
        if not re.match(r" +[0-9a-f]+(\[unknown\]/\[unknown\]/P/-/-/0/[A-Z_]* )+$", line):
            raise Bad("a line: " + line)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gen", required=True)
    parser.add_argument("names", nargs="+")
    args = parser.parse_args()
    cases = [(word, lambda folder, w=word: check(args, *w.split(":"), folder)) for word in args.names]
    cases += [("cycles of blocks", lambda _: cycles(args)), ("no names", lambda folder: unnamed(args, folder))]
    return run_cases(cases)


if __name__ == "__main__":
    sys.exit(main())
