#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pipe-memory.py TOOL OUT SYMFS IN TIMES RATE ZEROS: counts what pipe-of.py IN TIMES RATE ZEROS writes, through a pipe, into the
count file OUT. The last line has the exit code, the seconds, and the greatest memory of perf-cstrace in kB."""
import os
import resource
import subprocess
import sys
import time


def main():
    tool, out, symfs = sys.argv[1:4]
    source = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "pipe-of.py"), *sys.argv[4:]]
    count = [tool, "profile", "-i", "-", "--symfs", symfs, "--format=cstrace", "--no-calls", "-o", out]
    start = time.monotonic()
    with subprocess.Popen(source, stdout=subprocess.PIPE) as feed:
        done = subprocess.Popen(count, stdin=feed.stdout)
        feed.stdout.close()
        _, status, usage = os.wait4(done.pid, 0)
        done.returncode = os.waitstatus_to_exitcode(status)
    print("code %d, %.1f s, %d kB" % (done.returncode, time.monotonic() - start, usage.ru_maxrss))


main()
