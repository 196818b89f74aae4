#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pipe-memory.py TOOL OUT SYMFS SPOOL IN TIMES RATE ZEROS: counts what pipe-of.py IN TIMES RATE ZEROS writes, through a pipe with room
of SPOOL bytes, into the count file OUT. The last line has the exit code, the seconds, the greatest memory of perf-cstrace in kB, and
the greatest room of its temporary files in MB."""
import os
import resource
import subprocess
import sys
import time


def temp_bytes(pid):
    """Bytes of files without a name that a process has open."""
    inodes = {}
    try:
        for fd in os.listdir("/proc/%d/fd" % pid):
            st = os.stat("/proc/%d/fd/%s" % (pid, fd))
            if st.st_mode & 0o170000 == 0o100000 and not st.st_nlink:
                inodes[st.st_ino] = st.st_blocks * 512
    except (FileNotFoundError, PermissionError):
        return 0
    return sum(inodes.values())


def main():
    tool, out, symfs, spool = sys.argv[1:5]
    source = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "pipe-of.py"), *sys.argv[5:]]
    count = [tool, "profile", "-i", "-", "--symfs", symfs, "--format=cstrace", "--no-calls", "--spool", spool, "-o", out]
    start = time.monotonic()
    with subprocess.Popen(source, stdout=subprocess.PIPE) as feed:
        done = subprocess.Popen(count, stdin=feed.stdout)
        feed.stdout.close()
        most = 0
        while done.poll() is None:
            most = max(most, temp_bytes(done.pid))
            time.sleep(0.05)
    # that of perf-cstrace and of the processes of its pieces, but not of the feed, which has less
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("code %d, %.1f s, %d kB, %d MB" % (done.returncode, time.monotonic() - start, usage.ru_maxrss, most >> 20))


main()
