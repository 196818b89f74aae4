# SPDX-License-Identifier: BSD-3-Clause
"""Time and peak memory of recordings from 1 MB to 4 GB, made of repeated buffers, with two threads."""
import os
import shutil
import statistics

import table
from inputs import CC1, script_output, warm
from measure import Job, Result

MB = 1 << 20
MEMORY_LIMIT_MB = 256
SLOWER = 1.5    # a byte of the larger recording may take this much longer than one of the smaller


class Scale:
    """`base` is a recording with 1 MB of trace. The last size is there with BENCH_LONG=1."""

    def __init__(self, inputs, base, rounds):
        self.i, self.base, self.rounds = inputs, base, rounds
        self.sizes = [MB, 16 * MB, 256 * MB] + [4096 * MB] * bool(os.environ.get("BENCH_LONG"))
        self.lines, self.problems = [], []

    def commands(self, perf):
        common = ["-f", "-i", perf, "--symfs", self.base.symfs, "-j", "2"]
        out = self.i.path("scale.out")
        yield "profile", Job([self.i.tool, "profile", *common, "--format=autofdo", "--binary", CC1, "-o", out], out)
        yield "inject --itrace=i100000il64", Job([self.i.tool, "inject", *common, "--itrace=i100000il64", "--strip", "-o", out],
                                                 out)
        yield "dump --elements --format=none", Job([self.i.tool, "dump", *common, "--elements", "--format=none"])

    def run(self):
        before = {}
        for size in self.sizes:
            perf = self.i.path("scale.data")
            if shutil.disk_usage(self.i.dir).free < 2 * size + (2 << 30):
                self.lines.append(["%d MB" % (size // MB), "not enough room on the disk"] + [""] * 5)
                continue
            script_output("tests/interop/repeat-aux.py", self.base.perf, perf, str(size // MB))
            warm(perf)
            for name, job in self.commands(perf):
                result = Result([job.run() for _ in range(self.rounds if size < 256 * MB else 1)])
                self.add(name, size, os.path.getsize(perf), result, before)
            os.unlink(perf)

    def add(self, name, size, bytes_, result, before):
        # processor time says how much there was to do, whatever else the machine does
        rate, peak = statistics.median(run.cpu for run in result.runs) / bytes_, result.peak_kb / 1024
        bad = []
        # what starting takes hides in the smallest one
        if size > 16 * MB and rate > SLOWER * before.get(name, rate):
            bad.append("%.1f times the processor time per byte" % (rate / before[name]))
        if peak > MEMORY_LIMIT_MB:
            bad.append("above %d MB" % MEMORY_LIMIT_MB)
        before[name] = rate
        self.lines.append(["%d MB" % (size // MB), name, table.seconds(result.seconds),
                           "%.0f MB/s" % (1e-6 * bytes_ / result.seconds), table.seconds(rate * bytes_), "%.1f MB" % peak,
                           ", ".join(bad) or "OK"])
        self.problems += ["%d MB, %s: %s" % (size // MB, name, text) for text in bad]

    def show(self):
        table.show("Recordings of repeated buffers, -j 2; peak memory below %d MB, time linear" % MEMORY_LIMIT_MB,
                   ["size", "command", "time", "rate", "processor", "peak memory", ""], self.lines)
