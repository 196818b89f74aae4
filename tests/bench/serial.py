# SPDX-License-Identifier: BSD-3-Clause
"""What only one thread can do. With -j 2 the thread that began reads the records, waits for the pieces of the other two in
their order, joins what they found and writes; it decodes nothing but pieces that were refused. Its processor time (waiting
takes none; the kernel's own count, read when the process has ended) over all processor time with -j 1 is the serial share. How
long -j 2 took on the wall tells whether that explains it; Amdahl's law, what 16 and 64 cores would give."""
import statistics

import table

TARGET = {"profile": 3, "inject i100000il64": 3}
NOTE = ("Serial: processor time of the thread that began, with -j 2, over all processor time with -j 1. "
        "By the wall: what Amdahl's law makes of the speed-up of -j 2.")


def amdahl(share, cores):
    return 1 / (share + (1 - share) / cores)


class Serial:
    def __init__(self):
        self.lines, self.problems = [], []

    def add(self, name, results):
        one, two = results["1"], results["2"]
        if any(run.first_thread is None for run in two.runs):
            return
        first = statistics.median(run.first_thread for run in two.runs)
        share = min(1, first / statistics.median(run.cpu for run in one.runs))
        wall = min(1, max(0, 2 * two.seconds / one.seconds - 1))
        target = TARGET.get(name)
        met = target is None or 100 * share < target
        self.lines.append([name, "", table.seconds(one.seconds), table.seconds(two.seconds),
                           "%.2f" % (one.seconds / two.seconds), table.seconds(first), "%.1f %%" % (100 * share),
                           "%.1f %%" % (100 * wall), "%.1f" % amdahl(share, 16), "%.1f" % amdahl(share, 64),
                           "< %d %%" % target if target else "-", "OK" if met else "above"])
        if not met:
            self.problems.append("%s: %.1f %% serial" % (name, 100 * share))

    def show(self):
        table.show(NOTE,
                   ["command", "", "-j 1", "-j 2", "speed-up", "first thread", "serial", "by the wall", "16 cores", "64 cores",
                    "aim", ""], self.lines)
