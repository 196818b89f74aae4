# SPDX-License-Identifier: BSD-3-Clause
"""Commands that are run to be measured: time, processor time, also of the thread that began, page faults, peak memory;
several of them in turns; instructions by callgrind; what a page fault takes on this machine."""
import mmap
import os
import re
import statistics
import subprocess
import threading
import time
from dataclasses import dataclass, field

ACCEPTED = (0, 3)  # 3: decoded with losses
QUICK_SECONDS = 0.5
QUICK_TIMES = 5


class Failed(Exception):
    pass


@dataclass
class Job:
    """A command. `out` is the file that it makes; with `to_out` from its standard output."""
    argv: list
    out: str = None
    to_out: bool = False
    inside: bool = False    # it says itself how long it took: "seconds N"

    def run(self):
        return Run(self)


class Run:
    """One finished command."""

    def __init__(self, job):
        self.job, self.peak_kb, self.code = job, 0, None
        target = open(job.out, "wb") if job.to_out else subprocess.PIPE
        start = time.monotonic()
        proc = subprocess.Popen(job.argv, stdin=subprocess.DEVNULL, stdout=target, stderr=subprocess.PIPE)
        watcher = threading.Thread(target=self._watch, args=(proc.pid, start), daemon=True)
        watcher.start()
        texts = {}
        readers = [threading.Thread(target=lambda n=n, f=f: texts.update({n: f.read().decode("utf-8", "replace")}))
                   for n, f in (("out", proc.stdout), ("err", proc.stderr)) if f]
        for reader in readers:
            reader.start()
        # The thread that began is there until it is waited for, and its time can be read.
        os.waitid(os.P_PID, proc.pid, os.WEXITED | os.WNOWAIT)
        self.seconds = time.monotonic() - start
        self.first_thread = thread_seconds(proc.pid)
        _, status, usage = os.wait4(proc.pid, 0)
        self.code = proc.returncode = os.waitstatus_to_exitcode(status)
        self.user, self.system, self.faults = usage.ru_utime, usage.ru_stime, usage.ru_minflt
        self.cpu = self.user + self.system
        for thread in readers + [watcher]:
            thread.join()
        if job.to_out:
            target.close()
        self.text, self.err = texts.get("out", ""), texts["err"]
        if self.code not in ACCEPTED:
            raise Failed("%s: exit %d: %s" % (" ".join(job.argv), self.code, self.err[-500:]))
        if job.inside:
            self.seconds = float(re.search(r"^seconds ([\d.]+)$", self.text, re.M).group(1))

    def _watch(self, pid, start):
        # RssAnon: pages of mapped input files are the page cache's, not the program's.
        while self.code is None:
            try:
                with open("/proc/%d/status" % pid) as status:
                    found = re.search(r"^RssAnon:\s*(\d+)", status.read(), re.M)
            except OSError:
                return
            self.peak_kb = max(self.peak_kb, int(found.group(1)) if found else 0)
            time.sleep(min(0.02, 0.0005 + (time.monotonic() - start) / 20))

    def numbers(self):
        """Lines "name number" of its output."""
        return {name: int(value) for name, value in re.findall(r"^(\w+) (\d+)$", self.text, re.M)}

    def output_bytes(self):
        return os.path.getsize(self.job.out) if self.job.out and os.path.isfile(self.job.out) else None


def microseconds_per_fault(size=64 << 20):
    """What the first touch of a small page of memory takes here, with the work of the loop that touches it."""
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        try:
            memory.madvise(mmap.MADV_NOHUGEPAGE)
        except OSError:
            pass  # a kernel without large pages
    took = []
    for _ in range(2):
        start = time.monotonic()
        for at in range(0, size, mmap.PAGESIZE):
            memory[at] = 1
        took.append(time.monotonic() - start)
    memory.close()
    # the second round has the loop alone
    return (took[0] - took[1]) / (size // mmap.PAGESIZE) * 1e6


def thread_seconds(pid):
    """Processor seconds of the first thread of a process that has ended."""
    try:
        with open("/proc/%d/task/%d/schedstat" % (pid, pid)) as f:
            return int(f.read().split()[0]) / 1e9
    except (OSError, IndexError):
        return None


@dataclass
class Result:
    """What one command took in all rounds."""
    runs: list = field(default_factory=list)

    @property
    def seconds(self):
        return statistics.median(run.seconds for run in self.runs)

    def median(self, name):
        """Of a member of the runs."""
        return statistics.median(getattr(run, name) for run in self.runs)

    @property
    def peak_kb(self):
        return max(run.peak_kb for run in self.runs)

    @property
    def last(self):
        return self.runs[-1]


def in_turns(jobs, rounds, budget):
    """Runs jobs (name: Job) one after the other, `rounds` times: more often when that is quick, less often when it
    takes longer than `budget` seconds. Returns name: Result; the files of the last round are left."""
    results = {name: Result() for name in jobs}
    start, done = time.monotonic(), 0
    while done < rounds:
        for name, job in jobs.items():
            results[name].runs.append(job.run())
        done += 1
        once = (time.monotonic() - start) / done
        if done == 1 and once < QUICK_SECONDS:
            rounds *= QUICK_TIMES
        if once * (done + 1) > budget:
            break
    return results


def callgrind(argv):
    """How many instructions a command executes."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + argv, capture_output=True,
                          stdin=subprocess.DEVNULL)
    found = re.search(rb"Collected : (\d+)", done.stderr)
    if not found or done.returncode not in ACCEPTED:
        raise Failed("callgrind of %s: exit %d: %s" % (" ".join(argv), done.returncode,
                                                      done.stderr.decode("utf-8", "replace")[-500:]))
    return int(found.group(1))


def callgrind_by_object(argv, profile):
    """The instructions of a command that runs callgrind with the output file `profile`: by the program file or library
    (name without folders) that they are in."""
    done = subprocess.run(argv, capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise Failed("callgrind: exit %d: %s" % (done.returncode, done.stderr.decode("utf-8", "replace")[-500:]))
    names, cost, current, called = {}, {}, "", False
    with open(profile) as f:
        for line in f:
            named = re.match(r"(c?)ob=\((\d+)\)(?: (.*))?", line)
            if named:
                if named.group(3):
                    names[named.group(2)] = os.path.basename(named.group(3))
                if not named.group(1):
                    current = names[named.group(2)]
            elif line.startswith("calls="):
                called = True
            elif re.match(r"[-+*\d]", line):
                # the line after a call has what the callee took
                if not called:
                    cost[current] = cost.get(current, 0) + int(line.split()[1])
                called = False
    os.unlink(profile)
    return cost
