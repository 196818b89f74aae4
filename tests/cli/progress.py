#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Commands with a terminal as standard error, in a time that runs fast (tests/fault/clock.c). Speaks TAP."""
import os
import pty
import subprocess
import sys
import tempfile

import tap
from tap import Bad, run_cases

BUILD = os.environ.get("BUILD", "build")
TOOL = os.path.abspath(os.environ.get("PERF_CSTRACE", os.path.join(BUILD, "perf-cstrace")))
CLOCK = os.path.abspath(os.path.join(BUILD, "tests/fault/clock.so"))
GEN = os.path.abspath(os.environ.get("CST_GEN", os.path.join(BUILD, "tests/gen/cst-gen")))
MESSAGE = b"cstrace: decoding "


def all_of(fd):
    """Reads a terminal until the last process has closed its other side."""
    got = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            return got
        if not more:
            return got
        got += more


def said(folder, words, terminal_out=False):
    """Runs a command with a terminal as standard error and, with `terminal_out`, as standard output; returns what it wrote there."""
    ours, theirs = pty.openpty()
    env = dict(os.environ, LD_PRELOAD=CLOCK, LC_ALL="C")
    with subprocess.Popen([TOOL] + words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stderr=theirs,
                          stdout=theirs if terminal_out else subprocess.DEVNULL) as run:
        os.close(theirs)
        text = all_of(ours)
        os.close(ours)
        if run.wait() not in (0, 3, 5):
            raise Bad("%s: exit code %d: %s" % (" ".join(words), run.returncode, text.decode()))
    return text


def record(folder):
    """Makes a recording; returns its name and the options that decode it."""
    perf, images = os.path.join(folder, "perf.data"), os.path.join(folder, "images")
    subprocess.run([GEN, "random", "--case=3", "--insns=400000", "--exclude=spec,q,src,tx", "--perf=" + perf, "--images=" + images],
                   check=True, capture_output=True)
    return perf, ["-i", perf, "--symfs", images]


def case(words, shown, jobs, terminal_out=False):
    def check(folder):
        text = said(folder, words + ["-j%d" % jobs] * (jobs > 0), terminal_out)
        if (MESSAGE in text) != shown:
            raise Bad("%s: %s: %r" % (" ".join(words), "no progress" if shown else "progress", text[-400:]))
    return check


COMMANDS = ["inject -o out", "script --itrace=i1000i -o out", "profile --format=folded -o out", "report -o out", "timeline -o out",
            "info", "convert --to=package --images -o out", "dump --elements -o out", "compare --with PERF -o out",
            "verify -o out"]


def has_terminal():
    ends = tap.terminal()
    for end in ends or ():
        os.close(end)
    return bool(ends)


def main():
    if not has_terminal():
        print("no terminal can be opened: is /dev/pts there?")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        perf, options = record(folder)

        def words(line):
            return [perf if word == "PERF" else word for word in line.split()] + options

        cases = [("%s%s" % (line, " in %d threads" % jobs if jobs > 1 else ""), case(words(line), True, jobs))
                 for line in COMMANDS for jobs in ((1, 2) if line.startswith(("inject", "profile")) else (0,))]
        # verify prints its report after decoding, the others print while they decode
        cases.append(("verify, on the same terminal", case(words("verify"), True, 0, True)))
        cases += [("%s, on the same terminal" % line, case(words(line), False, 0, True))
                  for line in ("script --itrace=i100000i", "dump --format=none", "compare --with PERF")]
        return run_cases(cases)


if __name__ == "__main__":
    sys.exit(main())
