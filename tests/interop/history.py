#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""history: recordings with much history, and what indexing them costs.

history.py write FILE KIND PROCESSES EVENTS LIVE   writes a recording
history.py measure TOOL                            prints the table, TAP, exit 1 when a bound is broken

KIND: random   every process maps EVENTS / PROCESSES files at addresses in random order, which stay
      dlopen   maps in LIVE places per process are replaced again and again
      churn    processes come and go: fork, exec, 8 maps, exit; LIVE of them at a time
The trace is at the end: one stretch without context, by the process that is there all the time."""
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time

SAMPLE_TYPE = 1 << 1 | 1 << 2 | 1 << 7 | 1 << 16  # TID TIME CPU IDENTIFIER
MMAP2, COMM, FORK, EXIT, AUX = 10, 3, 7, 4, 11
AUXTRACE_INFO, AUXTRACE = 70, 71
PID = 100


def record(kind, body, misc=0, sid=b""):
    body += b"\0" * (-len(body) % 8) + sid
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


class Recording:
    def __init__(self, f):
        self.f = f
        self.time = 1000

    def sid(self, pid):
        return struct.pack("<IIQIIQ", pid, pid, self.time, 2, 0, 50)

    def put(self, kind, body, pid, misc=0):
        self.time += 100
        self.f.write(record(kind, body, misc, self.sid(pid)))

    def comm(self, pid, name, is_exec):
        self.put(COMM, struct.pack("<II", pid, pid) + name + b"\0", pid, 0x2000 if is_exec else 0)

    def fork(self, pid, ppid):
        self.put(FORK, struct.pack("<IIIIQ", pid, ppid, pid, ppid, self.time), pid)

    def exit(self, pid):
        self.put(EXIT, struct.pack("<IIIIQ", pid, 1, pid, 1, self.time), pid)

    def mmap(self, pid, addr, size, name):
        body = struct.pack("<IIQQQIIQQII", pid, pid, addr, size, 0, 8, 1, 77, 1, 5, 2) + name + b"\0"
        self.put(MMAP2, body, pid, 2)


def trace():
    """A-sync, Trace Info, Trace On, address and context, atoms."""
    out = bytes(11) + b"\x80\x01\0\x04\x85" + bytes((0, 0, 0x40, 0, 0, 0, 0, 0)) + b"\x30"
    return out + b"\xf7" * (-len(out) % 8 + 24)


def side_band(r, kind, processes, events, live):
    pids = [PID + 1 + i for i in range(processes)]
    names = [b"/lib/l%d.so" % i for i in range(64)]
    rnd = random.Random(1)
    if kind == "churn":
        alive, pid = [], PID
        for _ in range(events // 11):
            pid += 1
            r.fork(pid, PID)
            r.comm(pid, b"job", True)
            for k in range(8):
                r.mmap(pid, 0x400000 + k * 0x10000, 0x8000, names[(pid + k) % 64])
            alive.append(pid)
            if len(alive) > live:
                r.exit(alive.pop(0))
        return
    for p in pids:
        r.fork(p, PID)
        r.comm(p, b"worker", True)
    per = max(1, events // processes)
    if kind == "random":
        places = [(p, i) for p in pids for i in range(per)]
        rnd.shuffle(places)
    else:
        places = [(pids[i % processes], rnd.randrange(live)) for i in range(events)]
    for i, (p, place) in enumerate(places):
        r.mmap(p, 0x10000000 + place * 0x10000, 0x8000, names[i * 7 % 64])


def write(path, kind, processes, events, live):
    with open(path, "wb") as f:
        attr = struct.pack("<IIQQQQQ", 8, 128, 0, 1, SAMPLE_TYPE, 0, 1 << 18 | 1 << 8 | 1 << 9)
        attr += bytes(128 - len(attr))
        ids_at, attr_at = 104, 112
        data_at = attr_at + 144
        f.write(bytes(data_at))
        r = Recording(f)
        f.write(record(AUXTRACE_INFO, struct.pack("<II13Q", 3, 0, 1, 8 << 32 | 1, 0, 0x4040404040404040, 2, 7, 1,
                                                  0x14, 0x28000ea1, 0x4100f423, 0x488, 0, 0xcc)))
        r.comm(PID, b"main", True)
        r.mmap(PID, 0x400000, 0x1000, b"/bin/main")
        side_band(r, kind, processes, events, live)
        t = trace()
        r.put(AUX, struct.pack("<QQQ", 0, len(t), 0x100), PID)
        f.write(struct.pack("<IHHQQQIIII", AUXTRACE, 0, 48, len(t), 0, 0, 0, PID, 2, 0) + t)
        end = f.tell()
        f.seek(0)
        f.write(struct.pack("<QQQQQQQQQ32s", 0x32454c4946524550, 104, 144, attr_at, 144, data_at, end - data_at, 0,
                            0, bytes(32)))
        f.write(struct.pack("<Q", 50) + attr + struct.pack("<QQ", ids_at, 8))


def rss_anon(pid):
    try:
        with open("/proc/%d/status" % pid) as f:
            for line in f:
                if line.startswith("RssAnon"):
                    return int(line.split()[1])
    except OSError:
        pass
    return 0


def run(tool, path):
    """Processor time in s and highest anonymous memory in kB of `info` on a file."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.Popen([tool, "info", "-i", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while p.poll() is None:
        peak = max(peak, rss_anon(p.pid))
        time.sleep(0.001)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if p.returncode not in (0, 3, 5):
        raise SystemExit("info on %s: exit %d" % (path, p.returncode))
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak


CASES = (  # kind, processes, events, live; bound in s; case to compare memory with, and the factor it stays below
    ("random", 200, 10000, 0, 2.0, None, 0),
    ("random", 200, 100000, 0, 2.0, 0, 11),
    ("random", 1, 100000, 0, 2.0, 1, 1.2),
    ("dlopen", 200, 50000, 50, 2.0, None, 0),
    ("dlopen", 200, 500000, 50, 20.0, 3, 1.1),
    ("dlopen", 1, 100000, 10, 2.0, 3, 1.1),
    ("churn", 0, 50000, 100, 2.0, None, 0),
    ("churn", 0, 500000, 100, 20.0, 6, 1.1),
)


def measure(tool):
    bad = 0
    peaks = []
    print("1..%d" % len(CASES))
    with tempfile.TemporaryDirectory() as tmp:
        for i, (kind, processes, events, live, seconds, other, factor) in enumerate(CASES):
            path = os.path.join(tmp, "perf.data")
            write(path, kind, processes, events, live)
            used, peak = run(tool, path)
            peaks.append(peak)
            good = used < seconds and (other is None or peak < peaks[other] * factor)
            bad |= not good
            print("%s %d - %s: %d processes, %d events, %d live: %.2f s, %d kB" %
                  ("ok" if good else "not ok", i + 1, kind, processes, events, live, used, peak), flush=True)
    return bad


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], sys.argv[3], *map(int, sys.argv[4:7]))
    else:
        sys.exit(measure(sys.argv[2]))
