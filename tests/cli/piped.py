# SPDX-License-Identifier: BSD-3-Clause
"""profile -i - of a pipe that is cut into pieces: its end, damage in it, signals, the sum that is written now and then, every format,
exit codes, and the room that it takes."""
import fcntl
import json
import os
import re
import signal
import struct
import subprocess
import sys
import termios
import time

import count_file
from tap import Bad, run_cases

sys.path.insert(0, "tests/interop")
from auxdata import PerfData  # noqa: E402

TOOL = os.environ.get("PERF_CSTRACE", os.path.join(os.environ.get("BUILD", "build"), "perf-cstrace"))
GEN = os.environ.get("CST_GEN", os.path.join(os.environ.get("BUILD", "build"), "tests/gen/cst-gen"))
AS_PIPE = "tests/interop/as-pipe.py"
PIPE_OF = "tests/interop/pipe-of.py"
SAMPLE, SYMFS = "tests/data/sample.perf.data", "tests/data/symfs"
AUX, AUXTRACE, FINISHED_ROUND = 11, 71, 68


class Recording:
    """A scenario with many AUX records, as a pipe, and where each of its records begins."""
    def __init__(self, folder, name="per-thread-exec"):
        self.folder, self.symfs = folder, os.path.join(folder, "symfs")
        perf = os.path.join(folder, "perf.data")
        subprocess.run([GEN, "scenario", name, "--case", "1", "--perf", perf, "--truth", os.path.join(folder, "truth"),
                        "--symfs", self.symfs], check=True, capture_output=True)
        self.bytes = subprocess.run([AS_PIPE, perf, "5", "--aux", "2"], check=True, capture_output=True).stdout
        self.at = []
        pos = 16
        while pos < len(self.bytes):
            kind, _, size = struct.unpack_from("<IHH", self.bytes, pos)
            self.at.append((pos, kind, size))
            pos += size + (struct.unpack_from("<Q", self.bytes, pos + 8)[0] if kind == AUXTRACE else 0)

    def path(self, name):
        return os.path.join(self.folder, name)


def run(options, data=None, symfs=SYMFS, out=None):
    argv = [TOOL, "profile", "--symfs", symfs, *options] + (["-o", out] if out else [])
    done = subprocess.run(argv, input=data, capture_output=True, timeout=120, stdin=None if data is not None else subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def as_file(rec, data, options, out):
    with open(rec.path("in"), "wb") as f:
        f.write(data)
    return run(["-i", rec.path("in"), *options], None, rec.symfs, out)


def as_pipe(rec, data, options, out):
    return run(["-i", "-", "--spool", "64", *options], data, rec.symfs, out)


def content(path):
    with open(path, "rb") as f:
        return f.read()


def need(what, ok, text=""):
    if not ok:
        raise Bad("%s\n%s" % (what, text))


def pieces(err):
    m = re.search(r": ([0-9,]+) pieces were counted", err)
    return int(m.group(1).replace(",", "")) if m else 0


def same_counts(a, b):
    """Without what is rounded in each piece, or is of one piece where it would be of all."""
    x, y = (count_file.read(content(p)) for p in (a, b))
    for c in (x, y):
        for name in (b"bytes.lost", b"losses.measured"):
            c["totals"].pop(name, None)
    need("other counts", x == y, "%s\n%s" % (x["totals"], y["totals"]))


CST = ["--format=cstrace", "--no-calls"]


def ends_anywhere(folder):
    rec = Recording(folder)
    n = 0
    for part in (0.2, 0.45, 0.62, 0.8, 0.999):
        for inside in (True, False):
            at = min(rec.at, key=lambda r: abs(r[0] - part * len(rec.bytes)))
            data = rec.bytes[:at[0] + (at[2] // 2 if inside else 0)]
            code, _, said = as_file(rec, data, CST, rec.path("a"))
            rc, _, err = as_pipe(rec, data, CST, rec.path("b"))
            need("cut at %d: exit code %d, of the file %d" % (len(data), rc, code), rc == code, err)
            if pieces(err):
                same_counts(rec.path("a"), rec.path("b"))
                n += pieces(err)
            if inside:
                where = re.search(r"is cut at (0x[0-9a-f]+)", said).group(1)
                need("the end is not where it is", "standard input: is cut at %s" % where in err, err)
    return "%d pieces" % n


def bad_records(folder):
    rec = Recording(folder)
    aux = [r for r in rec.at if r[1] == AUX]
    at = aux[len(aux) // 2][0]
    # one that is left out, and one without a size, behind which nothing can be read
    for size, text in ((24, "it is left out"), (4, "cannot be read")):
        data = bytearray(rec.bytes)
        struct.pack_into("<H", data, at + 6, size)
        if size == 24:
            data[at + 24:at + 64] = struct.pack("<IHH", 99, 0, 40) + bytes(32)
        code, _, _ = as_file(rec, bytes(data), CST, rec.path("a"))
        rc, _, err = as_pipe(rec, bytes(data), CST, rec.path("b"))
        need("%d bytes: exit code %d, of the file %d" % (size, rc, code), rc == code == 3, err)
        need("it is not said", "offset %#x" % at in err and text in err, err)
        same_counts(rec.path("a"), rec.path("b"))
    # many of them are counted
    first = next(pos for pos, kind, _ in rec.at if kind == AUX)
    data = rec.bytes[:first] + struct.pack("<IHHQ", 2, 0, 16, 0) * 30 + rec.bytes[first:]
    rc, _, err = as_pipe(rec, data, CST, rec.path("b"))
    need("exit code %d, %d messages" % (rc, err.count("it is left out")), rc == 3 and err.count("it is left out") == 10 and
         "more errors of this kind are only counted" in err, err)
    need("not 30", count_file.read(content(rec.path("b")))["totals"].get(b"loss.bad-record") == 30)
    # a number of bytes that would fill the disk
    at = [r for r in rec.at if r[1] == AUXTRACE][5][0]
    data = bytearray(rec.bytes)
    struct.pack_into("<Q", data, at + 8, 1 << 50)
    rc, _, err = as_pipe(rec, bytes(data), CST, rec.path("b"))
    need("exit code %d" % rc, rc == 3 and "offset %#x" % at in err and "1125899906842624 bytes of trace" in err, err)
    return None


def without_trace(folder):
    rec = Recording(folder)
    data = rec.bytes[:16] + b"".join(rec.bytes[pos:pos + size] for pos, kind, size in rec.at if kind not in (AUX, AUXTRACE))
    for what, text in ((data, "holds no AUX data"), (b"", "is empty"), (b"no perf.data, but longer than a header", "found")):
        code, _, said = as_file(rec, what, CST, None)
        rc, _, err = as_pipe(rec, what, CST, None)
        need("exit code %d, of the file %d" % (rc, code), rc == code and text in err, err + said)


def formats(folder):
    rec = Recording(folder)
    for name in ("autofdo", "llvm", "bolt", "propeller", "top", "branch-list", "callgrind", "folded"):
        options = ["--format", name, "--no-calls", "--binary", "/opt/first"]
        code, _, said = as_file(rec, rec.bytes, options, rec.path("a"))
        rc, _, err = as_pipe(rec, rec.bytes, options, rec.path("b"))
        need("%s: exit code %d, of the file %d" % (name, rc, code), rc == code, said + err)
        need(name + ": exit code %d\n%s" % (rc, err), rc == 0 and pieces(err) > 3)
        need(name + ": differs", content(rec.path("a")) == content(rec.path("b")))
    return None


def losses(folder):
    """Exit codes and --summary are those of the file."""
    rec = Recording(folder, "jit-unknown")
    for options in ([], ["--max-loss", "99%"], ["--max-loss", "1%"]):
        code, _, _ = as_file(rec, rec.bytes, CST + options + ["--summary", rec.path("x.json")], rec.path("a"))
        rc, _, err = as_pipe(rec, rec.bytes, CST + options + ["--summary", rec.path("y.json")], rec.path("b"))
        need("%s: exit code %d, of the file %d" % (options, rc, code), rc == code and pieces(err) > 3, err)
        x, y = (json.loads(content(rec.path(p + ".json"))) for p in "xy")
        for name in ("recordings", "bytes", "instructions", "exit_code"):
            need("%s in the summary: %s, of the file %s" % (name, y[name], x[name]), x[name] == y[name])
        causes = [sorted((c["cause"], c["count"]) for c in s["losses"]) for s in (x, y)]
        need("other losses in the summary", causes[0] == causes[1], str(causes))
    need("a message comes for each piece", err.count("memory without a file") == 1, err)


class Live:
    """A profile with a pipe that is written by hand."""
    def __init__(self, options, out, advance=0, source=None):
        self.out, self.advance = out, advance
        perf, symfs = (source.path("perf.data"), source.symfs) if source else (SAMPLE, SYMFS)
        self.perf = PerfData(perf)
        # a test in the background of a shell inherits that SIGINT is ignored
        self.p = subprocess.Popen([TOOL, "profile", "-i", "-", "--symfs", symfs, *CST, "-o", out, *options],
                                  stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        feed = subprocess.run([PIPE_OF, perf, "1"], check=True, capture_output=True).stdout
        pos, self.head, self.round = 16, b"", b""
        while pos < len(feed):
            kind, _, size = struct.unpack_from("<IHH", feed, pos)
            n = size + (struct.unpack_from("<Q", feed, pos + 8)[0] if kind == AUXTRACE else 0)
            if kind in (AUX, AUXTRACE, FINISHED_ROUND):
                self.round += feed[pos:pos + n]
            else:
                self.head += feed[pos:pos + n]
            pos += n
        self.write(feed[:16] + self.head)
        self.n = 0

    def write(self, data):
        self.p.stdin.write(data)
        self.p.stdin.flush()

    def wait_read(self):
        """Until what was written is read, so that signals are handled."""
        left = lambda: struct.unpack("i", fcntl.ioctl(self.p.stdin, termios.FIONREAD, b"    "))[0]
        self.wait_for("it does not read", lambda: not left())
        time.sleep(0.2)

    def record(self, kind, body, tid, when, misc=0):
        """A record with the sample_id of the sample's recording."""
        fields = ((2, struct.pack("<II", tid, tid)), (4, struct.pack("<Q", when)), (64, struct.pack("<Q", self.id())),
                  (512, bytes(8)), (128, struct.pack("<II", 0, 0)), (1 << 16, struct.pack("<Q", self.id())))
        body += bytes(-len(body) % 8) + b"".join(b for bit, b in fields if self.perf.sample_type & bit)
        return struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    def id(self):
        """The first number of the first event."""
        return struct.unpack_from("<Q", self.perf.bytes, struct.unpack_from("<Q", self.perf.bytes,
                                                                          self.perf.attrs_off + self.perf.attr_size - 16)[0])[0]

    def time(self, n):
        """When round n begins."""
        pos, size = [(pos, size) for kind, _, pos, size, _, _ in self.perf.records() if kind == AUX][-1]
        return struct.unpack_from("<Q", self.perf.bytes, pos + self.perf.time_offset(size))[0] + (n - 1) * self.advance + 10

    def add(self):
        """One more round, of later trace."""
        data, pos = bytearray(self.round), 0
        while pos < len(data):
            kind, _, size = struct.unpack_from("<IHH", data, pos)
            n = struct.unpack_from("<Q", data, pos + 8)[0] if kind == AUXTRACE else 0
            at = {AUX: pos + 8, AUXTRACE: pos + 16}.get(kind)
            if at:
                struct.pack_into("<Q", data, at, struct.unpack_from("<Q", data, at)[0] + self.n * (1 << 24))
            if kind == AUX and self.advance:
                at = pos + self.perf.time_offset(size)
                struct.pack_into("<Q", data, at, struct.unpack_from("<Q", data, at)[0] + self.n * self.advance)
            pos += size + n
        self.write(bytes(data))
        self.n += 1

    def instructions(self):
        return count_file.read(content(self.out))["totals"].get(b"instructions", 0) if os.path.exists(self.out) else 0

    def wait_for(self, what, ok):
        end = time.monotonic() + 60
        while not ok():
            if time.monotonic() > end or self.p.poll() is not None:
                raise Bad("%s\n%s" % (what, self.p.stderr.read().decode()))
            time.sleep(0.02)

    def end(self, how=None):
        if how:
            self.p.send_signal(how)
        else:
            self.p.stdin.close()
        err = self.p.stderr.read().decode()
        return self.p.wait(timeout=60), err


EACH = 119840	# instructions in a round


def running_sums(folder):
    x = Live(["--spool", "1k", "--interval", "1"], os.path.join(folder, "out"))
    for _ in range(3):
        x.add()
        x.add()
        time.sleep(1.1)
        x.add()
        x.wait_for("no sum", lambda: x.instructions() > 0)
    seen = x.instructions()
    need("%d instructions while the pipe is open" % seen, EACH <= seen <= 9 * EACH and seen % EACH == 0)
    x.wait_for("SIGUSR1 writes no sum", lambda: (x.p.send_signal(signal.SIGUSR1), x.add(), time.sleep(0.2), x.instructions() > seen)[-1])
    rc, err = x.end()
    need("exit code %d, %d of %d rounds" % (rc, x.instructions() // EACH, x.n), rc == 0 and x.instructions() == x.n * EACH, err)
    return "%d rounds, %d pieces" % (x.n, pieces(err))


def stopped(folder):
    for how in (signal.SIGTERM, signal.SIGHUP):
        x = Live(["--spool", "1k"], os.path.join(folder, "out%d" % how))
        for _ in range(4):
            x.add()
        x.wait_read()
        rc, err = x.end(how)
        need("exit code %d, %d rounds" % (rc, x.instructions() // EACH), rc == 0 and x.instructions() == 4 * EACH, err)


def interrupted(folder):
    """The first SIGINT waits for the recorder's end, the second one does not."""
    x = Live(["--spool", "1k"], os.path.join(folder, "out"))
    for i in range(4):
        x.add()
        if i == 1:
            x.wait_read()
            x.p.send_signal(signal.SIGINT)
    need("it ended", x.p.poll() is None)
    rc, err = x.end()
    need("exit code %d, %d rounds" % (rc, x.instructions() // EACH), rc == 0 and x.instructions() == 4 * EACH, err)
    x = Live(["--spool", "1k"], os.path.join(folder, "two"))
    for _ in range(3):
        x.add()
    x.wait_read()
    x.p.send_signal(signal.SIGINT)
    time.sleep(0.2)
    rc, err = x.end(signal.SIGINT)
    need("twice: exit code %d, %d rounds" % (rc, x.instructions() // EACH), rc == 0 and x.instructions() == 3 * EACH, err)


def child_of(pid):
    try:
        return [int(c) for c in content("/proc/%d/task/%d/children" % (pid, pid)).split()]
    except FileNotFoundError:
        return []


def is_stopped(pid):
    """Stops a process, if it has not ended."""
    state = ""
    try:
        os.kill(pid, signal.SIGSTOP)
        while state not in ("T", "Z"):
            state = content("/proc/%d/stat" % pid).rpartition(b")")[2].split()[0].decode()
    except (ProcessLookupError, FileNotFoundError):
        pass
    return state == "T"


def failed_piece(folder):
    """A piece whose process is killed is a loss; the others are counted."""
    x = Live(["--spool", "1k"], os.path.join(folder, "out"))
    killed, end = 0, time.monotonic() + 60
    while not killed and time.monotonic() < end:
        x.add()
        soon = time.monotonic() + 0.1
        children = []
        while not children and time.monotonic() < soon:
            children = child_of(x.p.pid)
        for child in children:
            if is_stopped(child):
                os.kill(child, signal.SIGKILL)
                killed += 1
                break
    for _ in range(3):
        x.add()
    rc, err = x.end()
    need("no process was killed", killed)
    totals = count_file.read(content(x.out))["totals"]
    need("exit code %d" % rc, rc == 3 and "could not be counted" in err, err)
    lost = totals.get(b"loss.piece", 0)
    need("%d pieces lost" % lost, lost == 1 and totals[b"bytes.lost"] > 0 and totals[b"recordings"] == 1, str(totals))
    left = x.n - x.instructions() // EACH
    need("%d of %d rounds are lost" % (left, x.n), 0 < left <= 3 and x.instructions() % EACH == 0, err)


def temp_bytes(pid):
    """Bytes of files without a name that a process has open."""
    inodes = {}
    for fd in os.listdir("/proc/%d/fd" % pid):
        try:
            st = os.stat("/proc/%d/fd/%s" % (pid, fd))
        except FileNotFoundError:
            continue
        if st.st_mode & 0o170000 == 0o100000 and not st.st_nlink:
            inodes[st.st_ino] = st.st_blocks * 512
    return sum(inodes.values())


def bounded(folder):
    """96 MB through room of 16 MB."""
    feed = subprocess.Popen([PIPE_OF, SAMPLE, "48", "0", "1000000"], stdout=subprocess.PIPE)
    p = subprocess.Popen([TOOL, "profile", "-i", "-", "--symfs", SYMFS, *CST, "-o", os.path.join(folder, "out"), "--spool", "16m"],
                         stdin=feed.stdout, stderr=subprocess.PIPE)
    feed.stdout.close()
    most = 0
    while p.poll() is None:
        try:
            most = max(most, temp_bytes(p.pid))
        except (FileNotFoundError, PermissionError):
            pass
        time.sleep(0.01)
    err = p.stderr.read().decode()
    feed.wait()
    need("exit code %d" % p.returncode, p.returncode == 0 and pieces(err) > 4, err)
    need("%d bytes of temporary files" % most, most < 24 << 20, err)
    got = count_file.read(content(os.path.join(folder, "out")))["totals"][b"instructions"]
    need("%d instructions" % got, got == 48 * EACH)
    return "%d MB" % (most >> 20)


def beside_trace(folder):
    """64 MB of other records, with little trace between them, through room of 8 MB."""
    x = Live(["--spool", "8m"], os.path.join(folder, "out"))
    other = struct.pack("<IHH", 5, 0, 65528) + bytes(65520)
    most = 0
    for i in range(1024):
        x.write(other)
        if i % 128 == 0:
            x.add()
        most = max(most, temp_bytes(x.p.pid))
    rc, err = x.end()
    need("exit code %d, %d of %d rounds" % (rc, x.instructions() // EACH, x.n), rc == 0 and x.instructions() == x.n * EACH, err)
    need("%d bytes of temporary files" % most, most < 16 << 20, err)
    return "%d MB" % (most >> 20)


def named_files(folder):
    """A file that an option names is not replaced, however many pieces were counted before."""
    rec = Recording(folder)
    kernel = rec.path("vmlinux")
    with open(kernel, "wb") as f:
        f.write(content(os.path.join(rec.symfs, "opt/first")))
    before = content(kernel)
    rc, _, err = as_pipe(rec, rec.bytes, [*CST, "--vmlinux", kernel], kernel)
    need("exit code %d" % rc, rc == 1 and content(kernel) == before, err)


def busy_system(folder):
    """Processes that come and go, and switches, for as long as it lasts: memory stays as it is."""
    rec = Recording(folder, "threads")
    code, _, err = as_file(rec, content(rec.path("perf.data")), CST, rec.path("one"))
    each = count_file.read(content(rec.path("one")))["totals"][b"instructions"]
    x = Live(["--spool", "200k"], os.path.join(folder, "out"), 1000000, rec)
    rounds, resident = 120, []
    for i in range(rounds):
        pid = 5000 + i * 100
        data = b""
        for k in range(100):
            when = x.time(i) + k * 10
            data += x.record(7, struct.pack("<IIIIQ", pid + k, 1, pid + k, 1, when), pid + k, when)
            data += x.record(3, struct.pack("<II16s", pid + k, pid + k, b"short-lived"), pid + k, when + 1, 1 << 13)
            data += x.record(1, struct.pack("<IIQQQ16s", pid + k, pid + k, 0x400000, 0x1000, 0, b"/bin/short"), pid + k, when + 2, 2)
            for n in range(5):
                data += x.record(14, b"", pid + k, when + 3 + n)
            data += x.record(4, struct.pack("<IIIIQ", pid + k, 1, pid + k, 1, when + 9), pid + k, when + 9)
        x.write(data)
        x.add()
        if i in (rounds // 3, rounds - 1):
            x.wait_read()
            resident.append(int(re.search(rb"VmData:\s+(\d+)", content("/proc/%d/status" % x.p.pid)).group(1)))
    rc, err = x.end()
    need("exit code %d, %d instructions in %d rounds of %d" % (rc, x.instructions(), x.n, each),
         rc == code and x.instructions() == x.n * each, err)
    need("%d pieces" % pieces(err), pieces(err) > rounds // 4, err)
    need("memory: %s kB" % resident, resident[1] < resident[0] + 1000)
    need("late or dropped", "came when" not in err and "older" not in err, err)
    return "%s kB" % resident


def usage(folder):
    data = subprocess.run([PIPE_OF, SAMPLE, "1"], check=True, capture_output=True).stdout
    for options, code, text in ((["-o", "/dev/null/x"], 1, "/dev/null/x"),
                                (["--interval", "5"], 129, "--interval: needs -o FILE"),
                                (["--interval", "0", "-o", os.path.join(folder, "x")], 129, "from 1 to 1000000"),
                                (["--cpu", "0", "--spool", "1m", "-o", os.path.join(folder, "x")], 0, "--spool has no effect")):
        rc, _, err = run(["-i", "-", *options], data)
        need("%s: exit code %d" % (options, rc), rc == code and text in err, err)


sys.exit(run_cases([
    ("a pipe that ends anywhere", ends_anywhere),
    ("damaged records: by their offset in the pipe, and what came before is counted", bad_records),
    ("no trace, no bytes, no perf.data", without_trace),
    ("every format is that of the file", formats),
    ("losses, --max-loss and --summary", losses),
    ("--interval and SIGUSR1 write the sum so far", running_sums),
    ("SIGTERM and SIGHUP end the recording", stopped),
    ("SIGINT waits for the recorder, twice does not", interrupted),
    ("a piece that cannot be counted", failed_piece),
    ("temporary files stay small", bounded),
    ("temporary files stay small beside records without trace", beside_trace),
    ("a busy system takes no more memory", busy_system),
    ("a file that is named is not replaced", named_files),
    ("usage", usage),
]))
