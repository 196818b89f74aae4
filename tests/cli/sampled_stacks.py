#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sampled_stacks.py --tool PERF-CSTRACE --gen CST-GEN [--truth FOLDER]

With a long period the decoder leaves out the ranges between samples. Its samples are those of a decoding with all ranges, as
samples of all branches and filters need it: the same instructions, branch stacks and times; and inject writes those that
script lists.
Speaks TAP.
"""
import argparse
import os
import re
import struct
import subprocess
import sys

from tap import Bad, run_cases

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from auxdata import SAMPLE_TIME, PerfData  # noqa: E402

SAMPLE = re.compile(r"\s*(-?\d+)\s+(\d+\.\d{9}):\s+([0-9a-f]+)\s+(0x.*)$")
ENTRY = re.compile(r"0x([0-9a-f]+)/0x([0-9a-f]+)/P/-/-/(\d+)/")
# the shortest one with which ranges are left out
PERIOD = 2000
RECORD_SAMPLE = 9


def run(argv):
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in (0, 3, 5):
        raise Bad("exit %d: %s: %s" % (done.returncode, " ".join(argv), done.stderr[-400:]))
    return done.stdout.splitlines()


def listed(args, options, itrace):
    """((thread, address, stack), time) of each instructions sample."""
    samples = []
    for line in run([args.tool, "script", *options, "--ns", "--itrace=" + itrace, "-F", "tid,time,ip,brstack"]):
        m = SAMPLE.match(line)
        if m:
            stack = tuple((int(a, 16), int(b, 16), int(c)) for a, b, c in ENTRY.findall(m[4]))
            samples.append(((int(m[1]), int(m[3], 16), stack), m[2]))
    return samples


def places(samples):
    return sorted(place for place, _ in samples)


def injected(args, options, itrace, folder):
    out = os.path.join(folder, "injected")
    run([args.tool, "inject", *options, "--itrace=" + itrace, "-o", out])
    perf = PerfData(out)
    samples = []
    for kind, _, at, size, _, _ in perf.records():
        if kind != RECORD_SAMPLE:
            continue
        words = struct.unpack_from("<%dQ" % (size // 8), perf.bytes, at)
        # header, identifier, address, process and thread, time if there is one, CPU, period, number of entries, entries
        first = 8 if perf.sample_type & SAMPLE_TIME else 7
        nr, entries = words[first - 1], words[first:]
        if len(entries) != 3 * nr:
            raise Bad("a sample of %d words has %d entries" % (len(words), nr))
        stack = tuple((entries[3 * i], entries[3 * i + 1], entries[3 * i + 2] >> 4 & 0xffff) for i in range(nr))
        if nr:
            samples.append((words[3] >> 32, words[2], stack))
    return samples


def check(args, options, depth, folder, least):
    itrace = "i%dil%d" % (PERIOD, depth)
    samples = listed(args, options, itrace)
    if len(samples) < least:
        raise Bad("%d samples, at least %d expected" % (len(samples), least))
    if places(samples) != places(listed(args, options, itrace + "b")):
        raise Bad("%d samples, not those of a decoding with all ranges" % len(samples))
    # a filter that selects everything
    if samples != listed(args, [*options, "-C", "0-255"], itrace):
        raise Bad("%d samples, with a filter they or their times differ" % len(samples))
    if places(samples) != sorted(injected(args, options, itrace, folder)):
        raise Bad("inject and script have different samples")
    return "%d samples" % len(samples)


def generated(args, number, folder):
    perf = os.path.join(folder, "perf.data")
    subprocess.run([args.gen, "random", "--case", str(number), "--insns=100000", "--perf=" + perf, "--images=" + folder],
                   capture_output=True, check=True)
    return check(args, ["-i", perf], 64, folder, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gen", required=True)
    parser.add_argument("--truth")
    args = parser.parse_args()
    sample = ["-i", "tests/data/sample.perf.data", "--symfs", "tests/data/symfs"]
    trbe = ["-i", "tests/data/sample-trbe.perf.data", "--symfs", "tests/data/symfs"]
    cases = [("sample, l%d" % d, lambda folder, d=d: check(args, sample, d, folder, 20)) for d in (64, 3)]
    cases += [("sample-trbe", lambda folder: check(args, trbe, 64, folder, 20))]
    cases += [("random %d" % n, lambda folder, n=n: generated(args, n, folder)) for n in range(1, 31)]
    if args.truth and os.path.isdir(args.truth):
        for name in sorted(os.listdir(args.truth)):
            data = os.path.join(args.truth, name, "perf.data")
            if os.path.exists(data):
                options = ["-i", data, "--symfs", os.path.join(args.truth, "symfs")]
                cases.append((name, lambda folder, o=options: check(args, o, 64, folder, 1)))
    else:
        cases.append(("truth sets # SKIP no truth sets in ../shared/truth", None))
    return run_cases(cases)


if __name__ == "__main__":
    sys.exit(main())
