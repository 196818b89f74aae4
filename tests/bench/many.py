# SPDX-License-Identifier: BSD-3-Clause
"""Counting and adding on one core: what a recording takes to become a count file, what 100 such files take to be added, and
what that means for a fleet."""
import math
import os
import re
import statistics

import table
from measure import Job, Result

FILES = 100
FAN = 256               # files that one task of scripts/profile-many adds
MACHINES, GB_EACH = 10000, 1
DAY = 24 * 3600


class Many:
    def __init__(self, inputs, rounds):
        self.i, self.rounds, self.lines, self.problems = inputs, rounds, [], []

    def measure(self, name, job, bytes_in):
        """Processor seconds of one run."""
        result = Result([job.run() for _ in range(self.rounds)])
        cpu = statistics.median(run.cpu for run in result.runs)
        self.lines.append([name, "", table.megabytes(bytes_in), "%.2f s" % cpu, "%.0f MB/s" % (1e-6 * bytes_in / cpu),
                           "%.1f MB" % (result.peak_kb / 1024), table.megabytes(os.path.getsize(job.out))])
        return cpu, result.last

    def run(self):
        large, counts, total = self.i.large, self.i.path("many.cst"), self.i.path("sum.cst")
        profile = lambda out, *more: Job([self.i.tool, "profile", *large.options(), "-j", "1", "--format=cstrace", *more, "-o", out],
                                         out)
        size = os.path.getsize(large.perf)
        counting, done = self.measure("profile --format=cstrace", profile(counts), size)
        contexts = int(re.search(r"(\d+) calling contexts", done.err).group(1))
        self.measure("profile --format=cstrace --no-calls", profile(total, "--no-calls"), size)
        names = self.i.path("many.list")
        with open(names, "w") as f:
            f.write((os.path.abspath(counts) + "\n") * FILES)
        one = os.path.getsize(counts)
        adding, done = self.measure("merge of %d of them" % FILES, Job([self.i.tool, "merge", "-f", names, "-o", total], total),
                                    FILES * one)
        self.check(done, FILES * large.instructions)
        self.fleet(counting / size, adding / (FILES * one), one, contexts)

    def check(self, run, instructions):
        found = int(re.search(r"(\d+) instructions", run.err).group(1))
        if instructions and found != instructions:
            self.problems.append("merge: %d instructions in the sum, %d were executed" % (found, instructions))

    def fleet(self, counting, adding, one, contexts):
        """Seconds per byte of trace and of count files; the size of a count file."""
        cores = MACHINES * GB_EACH * 1e9 * counting / DAY
        tasks = math.ceil(MACHINES / FAN)
        self.text = ("A count file has %d calling contexts. %d machines with %d GB of trace each per day: %.1f cores that count all day, "
                     "%.0f GB of count files, %.0f s of one core to add them: %d tasks of %.0f s, then one of %.0f s." %
                     (contexts, MACHINES, GB_EACH, cores, MACHINES * one / 1e9, MACHINES * one * adding, tasks, FAN * one * adding,
                      tasks * one * adding))

    def show(self):
        table.show("Many recordings: %s, one core, processor time" % self.i.large.name,
                   ["command", "", "input", "time", "rate", "peak memory", "output"], self.lines)
        if not self.problems:
            print(self.text)
