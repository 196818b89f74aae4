#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""windows.py --tool PERF-CSTRACE --gen CST-GEN

Samples with AUX windows (perf record --aux-sample): recordings of random programs, which the generator interrupts at random
places. The branch stack at the end of each window has the branches that its thread executed last, in order and without a gap,
as has the stack that inject --itrace=L adds to the sample; and where all windows touch each other, every branch of the recording is listed once. Speaks TAP; CSTRACE_NIGHTLY=1 takes more
programs.
"""
import argparse
import os
import re
import resource
import struct
import subprocess
import sys

from tap import Bad, run_cases

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from auxdata import PerfData  # noqa: E402

NIGHTLY = bool(os.environ.get("CSTRACE_NIGHTLY"))
# seed 10 traces a guest
PROGRAMS = [n for n in range(1, 22 if NIGHTLY else 3) if n != 10]
DEPTH = 64
RECORD_SAMPLE = 9
KERNEL = 1 << 63
IP, TID, TIME, CALLCHAIN, CPU, PERIOD, RAW, BRANCH_STACK, IDENTIFIER, AUX = \
    1, 2, 4, 32, 128, 256, 1024, 2048, 65536, 1 << 20
WINDOW_EVENTS = (3000, 3001, 3002)
LIMIT = 1 << 29		# bytes of memory for 20000 windows of 4 KB, which are mapped, twice at most
SAMPLE = re.compile(r"\s*(-?\d+)\s+\[(\d+)\]\s+(0x.*)$")
ENTRY = re.compile(r"0x([0-9a-f]+)/0x([0-9a-f]+)/")
BRANCH = re.compile(r"\s*(-?\d+)\s+\[(\d+)\]\s+([0-9a-f]+)\s+=>\s+([0-9a-f]+)\s*$")
# window, instructions between two samples at most, and the part of the stacks that is full at least
SIZES = ((4096, 20000, 0.98), (8192, 20000, 0.98), (65536, 20000, 0.98))
PLAIN = ["--exclude=overflow,tx,q,threads,cut,spec", "--p-irq=0", "--p-trap=0", "--p-off=0"]
# how the buffers and the trace are made
FORMS = (("per CPU, frames", ["--buf=cpu", "--frame-repeat=100"]),
         ("per CPU, raw, without timestamps", ["--buf=cpu", "--raw", "--no-ts"]),
         ("per CPU, raw, without contexts", ["--buf=cpu", "--raw", "--no-cid"]),
         ("per thread, raw, bare", ["--buf=thread", "--timed", "--raw", "--no-ts", "--no-cid"]),
         ("per thread, frames, without times", ["--buf=thread", "--frame-repeat=100", "--no-ts"]),
         ("per CPU, compressed", ["--buf=cpu", "--raw", "--compress=1"]))


def run(argv, codes=(0, 3, 5), limit=None):
    """`limit`: bytes of address space."""
    lower = (lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))) if limit else None
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace", check=False, preexec_fn=lower)
    if done.returncode not in codes:
        raise Bad("exit %d: %s: %s" % (done.returncode, " ".join(argv), done.stderr[-400:]))
    return done


class Recording:
    def __init__(self, args, number, window, every, options, folder):
        self.tool, self.perf, self.truth = args.tool, os.path.join(folder, "perf.data"), os.path.join(folder, "truth")
        insns = 400000 if NIGHTLY else 150000
        run([args.gen, "random", "--case", str(number), *PLAIN, "--insns=%d" % insns, "--sync=1000", "--window=%d" % window,
             "--window-insns=%d" % every, *options, "--perf=" + self.perf, "--images=" + folder, "--truth=" + self.truth])
        self.executed = {}
        for name in os.listdir(self.truth):
            m = re.fullmatch(r"branches\.cpu(\d+)\.tid(\d+)", name)
            if m:
                with open(os.path.join(self.truth, name)) as f:
                    pairs = [tuple(line.split()) for line in f]
                self.executed[int(m[1]), int(m[2])] = [p for p in pairs if p[0] != "0"]
        with open(os.path.join(self.truth, "windows")) as f:
            self.windows = [tuple(map(int, line.split())) for line in f]

    def script(self, itrace, fields, *options):
        return run([self.tool, "script", "-i", self.perf, "--itrace=" + itrace, "-F", fields, *options])

    def stacks(self):
        """By thread, in order: the branches of each stack, the newest one last."""
        found = {}
        for line in self.script("i1000000000il%d" % DEPTH, "tid,cpu,brstack").stdout.splitlines():
            m = SAMPLE.match(line)
            if m:
                found.setdefault(int(m[1]), []).append(ENTRY.findall(m[3])[::-1])
        return found

    def branches(self, options):
        found = {}
        for line in self.script("b", "tid,cpu,ip,addr", *options).stdout.splitlines():
            m = BRANCH.match(line)
            if m and int(m[3], 16) and int(m[4], 16):
                found.setdefault(int(m[1]), []).append((m[3], m[4]))
        return found


def window_stacks(recording, full):
    stacks = {tid: iter(found) for tid, found in recording.stacks().items()}
    good = complete = short = 0
    for cpu, tid, time, n in recording.windows:
        executed = recording.executed.get((cpu, tid), [])
        for stack in stacks.get(tid, ()):
            if stack == executed[n - len(stack):n]:
                break
        else:
            short += 1
            continue
        good += 1
        complete += len(stack) == min(DEPTH, n)
    if short:
        raise Bad("%d of %d windows have no stack, or not that of their thread" % (short, len(recording.windows)))
    if complete < full * good:
        raise Bad("%d of %d stacks are full" % (complete, good))
    return "%d stacks, %d full" % (good, complete)


def types_of_samples(perf):
    """The sample_type of each id of the file."""
    types = {}
    for at in range(perf.attrs_off, perf.attrs_off + perf.attrs_size, perf.attr_size):
        ids, size = struct.unpack_from("<QQ", perf.bytes, at + perf.attr_size - 16)
        for i in struct.unpack_from("<%dQ" % (size // 8), perf.bytes, ids):
            types[i], = struct.unpack_from("<Q", perf.bytes, at + 24)
    return types


def stack_of(perf, kind, at):
    """Address and thread of a sample, and its branches, the newest one last."""
    ip, _, tid = struct.unpack_from("<QII", perf.bytes, at + 16)
    at += 8 + 8 * sum(bool(kind & bit) for bit in (IDENTIFIER, IP, TID, TIME, CPU, PERIOD))
    if kind & CALLCHAIN:
        at += 8 + 8 * struct.unpack_from("<Q", perf.bytes, at)[0]
    if kind & RAW:
        at += (struct.unpack_from("<I", perf.bytes, at)[0] + 11) // 8 * 8
    count, = struct.unpack_from("<Q", perf.bytes, at)
    words = struct.unpack_from("<%dQ" % (3 * count), perf.bytes, at + 8)
    return ip, tid, [("%x" % words[i], "%x" % words[i + 1]) for i in range(0, len(words), 3)][::-1]


def added_stacks(recording, folder, full):
    """The stack of each sample is that of its own window, with any number of threads."""
    outs = [os.path.join(folder, "added%d" % jobs) for jobs in (1, 3)]
    for jobs, out in zip((1, 3), outs):
        run([recording.tool, "inject", "-i", recording.perf, "--itrace=L%dG" % DEPTH, "-j", str(jobs), "-o", out])
    perf = PerfData(outs[0])
    if perf.bytes != PerfData(outs[1]).bytes:
        raise Bad("-j 3 writes another file than -j 1")
    types, found, complete = types_of_samples(perf), [], 0
    for kind, _, at, _, _, _ in perf.records():
        if kind == RECORD_SAMPLE:
            found.append(stack_of(perf, types[struct.unpack_from("<Q", perf.bytes, at + 8)[0]], at))
    if len(found) != len(recording.windows):
        raise Bad("%d samples, %d recorded" % (len(found), len(recording.windows)))
    for (cpu, tid, _, n), (ip, got, stack) in zip(recording.windows, found):
        executed = recording.executed.get((cpu, tid), [])
        # what the kernel executed until it wrote the sample of a program; at the end of a recording there is no address
        while ip < KERNEL and n and int(executed[n - 1][1], 16) >= KERNEL:
            n -= 1
        if got != tid or stack != executed[n - len(stack):n]:
            raise Bad("thread %d, branch %d: thread %d with %s" % (tid, n, got, stack[-3:]))
        complete += len(stack) == min(DEPTH, n)
    if complete < full * len(found):
        raise Bad("%d of %d stacks are full" % (complete, len(found)))
    return "%d stacks, %d full" % (len(found), complete)


def every_branch_once(recording):
    """Samples so dense that each window begins within the one before: all branches up to the last window."""
    for extra in ([], ["-j", "3"]):
        got = recording.branches(extra)
        want = {}
        for cpu, tid, _, n in recording.windows:
            want[tid] = recording.executed[cpu, tid][:n]
        if got != want:
            raise Bad("%s: %s branches, %s executed" % (" ".join(extra), [len(b) for b in got.values()],
                                                        [len(b) for b in want.values()]))
    return "%d branches" % sum(map(len, want.values()))


def injected(recording, folder):
    """The samples with windows are in the output of inject, without them; no event promises that a sample has one."""
    out = os.path.join(folder, "injected")
    run([recording.tool, "inject", "-i", recording.perf, "--itrace=i1000", "-o", out])
    perf = PerfData(out)
    for at in range(perf.attrs_off, perf.attrs_off + perf.attrs_size, perf.attr_size):
        kind = struct.unpack_from("<Q", perf.bytes, at + 24)[0]
        if kind & AUX:
            raise Bad("an event's samples have the fields %#x" % kind)
    found = 0
    for kind, _, at, size, _, _ in perf.records():
        if kind != RECORD_SAMPLE or struct.unpack_from("<Q", perf.bytes, at + 8)[0] not in WINDOW_EVENTS:
            continue
        found += 1
        if size > 100:
            raise Bad("a sample of %d bytes has a window" % size)
    if found != len(recording.windows):
        raise Bad("%d samples, %d recorded" % (found, len(recording.windows)))
    return "%d samples" % found


def hostile(args, folder):
    """Memory for many windows of the same loop, each of which fits the one before in many ways."""
    perf = os.path.join(folder, "perf.data")
    run([args.gen, "random", "--case=1", *PLAIN, "--insns=20000", "--sync=1000", "--raw", "--no-ts", "--buf=cpu", "--window=4096",
         "--window-insns=2000", "--perf=" + perf, "--images=" + folder])
    source = PerfData(perf)
    samples = [source.bytes[at:at + size] for kind, _, at, size, _, _ in source.records()
               if kind == RECORD_SAMPLE and size > 4096]
    sample = bytearray(samples[0])
    sample[-4096:] = b"\xf7" * 4096
    with open(perf, "r+b") as f:
        start, length = struct.unpack_from("<QQ", source.bytes, 40)
        f.seek(40)
        many = bytes(sample) * 20000
        f.write(struct.pack("<QQ", len(source.bytes), length + len(many)))
        f.seek(0, 2)
        f.write(source.bytes[start:start + length] + many)
    done = run([args.tool, "info", "-i", perf], limit=LIMIT)
    if "bytes of AUX windows that the window before may have, too" not in done.stdout:
        raise Bad("nothing is doubtful: " + done.stdout[-800:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gen", required=True)
    args = parser.parse_args()
    cases = []
    for window, every, full in SIZES:
        for name, options in FORMS:
            for number in PROGRAMS:
                cases.append(("stacks: %d bytes, %s, program %d" % (window, name, number),
                              lambda folder, w=window, e=every, f=full, o=options, n=number:
                              window_stacks(Recording(args, n, w, e, o, folder), f)))
    for window, every, full in SIZES if NIGHTLY else SIZES[1:2]:
        for name, options in FORMS:
            for number in PROGRAMS:
                cases.append(("stacks of the samples: %d bytes, %s, program %d" % (window, name, number),
                              lambda folder, w=window, e=every, f=full, o=options, n=number:
                              added_stacks(Recording(args, n, w, e, o, folder), folder, f)))
    for name, options in FORMS:
        dense = lambda folder, o=options: Recording(args, 3, 8192, 3000, o, folder)
        cases.append(("every branch once: " + name, lambda folder, r=dense: every_branch_once(r(folder))))
    cases.append(("inject", lambda folder: injected(Recording(args, 1, 4096, 20000, FORMS[1][1], folder), folder)))
    cases.append(("many windows of a loop", lambda folder: hostile(args, folder)))
    return run_cases(cases)


if __name__ == "__main__":
    sys.exit(main())
