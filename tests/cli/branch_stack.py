#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""branch_stack.py --tool PERF-CSTRACE --gen CST-GEN NAME:SEED...

Branch stacks name the files of user and kernel addresses, and have branches of one thread: each entry of a sample is among the
branches of the sample's thread that script lists one by one, with the same files. Recordings are those of `cst-gen scenario`, in
which no thread changes what it has mapped at an address. Speaks TAP.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

BRANCH = re.compile(r"\s*(-?\d+)\s+([0-9a-f]+) \((.*)\) =>\s+([0-9a-f]+) \((.*)\)$")
SAMPLE = re.compile(r"\s*(-?\d+)\s+([0-9a-f]+) \((.*?)\)\s+(0x.*)$")
ENTRY = re.compile(r"0x([0-9a-f]+)\((.*?)\)/0x([0-9a-f]+)\((.*?)\)/")


def script(args, options, itrace, fields):
    argv = [args.tool, "script", *options, "--itrace=" + itrace, "-F", fields]
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in (0, 3):
        raise ValueError("exit %d: %s: %s" % (done.returncode, " ".join(argv), done.stderr[-400:]))
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
    """Returns the number of entries, of user and of kernel addresses."""
    perf, truth, symfs = (os.path.join(folder, n) for n in ("perf.data", "truth", "symfs"))
    subprocess.run([args.gen, "scenario", name, "--case=" + seed, "--perf=" + perf, "--truth=" + truth, "--symfs=" + symfs],
                   capture_output=True, check=True)
    options = ["-i", perf, "--symfs", symfs]
    with open(os.path.join(truth, "expect"), encoding="utf-8") as f:
        options += [line.split(" ", 1)[1].strip().replace("@", symfs) for line in f if line.startswith("option ")]
    known = branches(args, options)
    whose = {entry[1:] for entry in known}
    count = [0, 0]
    for line in script(args, options, "i37il16", "tid,ip,dso,brstack"):
        m = SAMPLE.match(line)
        for e in ENTRY.findall(m[4]) if m else ():
            entry = (m[1], *e)
            count[in_kernel(entry)] += 1
            # the branch with which the kernel goes on in another thread belongs to both
            if entry not in known and not (in_kernel(entry) and entry[1:] in whose):
                raise ValueError("no such branch of thread %s: %s in %s" % (m[1], e, line[:200]))
    return count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gen", required=True)
    parser.add_argument("names", nargs="+")
    args = parser.parse_args()
    bad = 0
    for i, word in enumerate(args.names, 1):
        name, seed = word.split(":")
        with tempfile.TemporaryDirectory() as folder:
            try:
                user, kernel = check(args, name, seed, folder)
                if not user:
                    raise ValueError("no entries")
                print("ok %d - %s: %d entries of user space, %d of the kernel" % (i, word, user, kernel))
            except ValueError as e:
                bad += 1
                print("not ok %d - %s\n# %s" % (i, word, e))
    print("1..%d" % len(args.names))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
