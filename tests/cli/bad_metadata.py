# SPDX-License-Identifier: BSD-3-Clause
"""Side band that contradicts itself, through the program built with sanitizers: maps, forks, sizes and
times that no kernel writes, put between the records of generated recordings. Every run ends by itself
with a documented exit code and, on an error, a message that names the file; and what is said of one process
changes nothing of what another one executed. CSTRACE_NIGHTLY=1 combines everything with everything; otherwise
members of a long list get one place in the recording each, and all get `script` and one other command, by turn."""
import itertools
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests/cli")
import scenarios
from bad_input import Bad, Run

COMM, EXIT, FORK, LOST, MMAP2, SWITCH, KSYMBOL, BPF, TEXT_POKE, HW_ID = 3, 4, 7, 2, 10, 14, 17, 18, 20, 21
AUXTRACE = 71
KERNEL, USER, EXEC = 1, 2, 0x2000
MAX = 2 ** 64 - 1
STRANGER = 424242   # a process that is not in the recordings
COMMANDS = (("script", "--itrace=b", "-F", "pid,tid,cpu,ip,addr"), ("info",), ("profile", "-o", "/dev/null"),
            ("inject", "--itrace=i1000i", "-o", "/dev/null"))
PLACES = ("first", "middle", "last")
NUMBER = 20000
NIGHTLY = bool(os.environ.get("CSTRACE_NIGHTLY"))
FEW = 1000 if NIGHTLY else 10
EACH = len(COMMANDS) if NIGHTLY else 2  # commands for a file


def text(s):
    s = s.encode() + b"\0"
    return s + bytes(-len(s) % 8)


class Recording:
    """Records of a perf.data file without compression, to be put together anew."""

    def __init__(self, data):
        start, size = struct.unpack_from("<2Q", data, 40)
        self.head, self.tail, self.records, pos = bytearray(data[:start]), data[start + size:], [], start
        while pos < start + size:
            kind, _, length = struct.unpack_from("<IHH", data, pos)
            end = pos + length + (struct.unpack_from("<Q", data, pos + 8)[0] if kind == AUXTRACE else 0)
            self.records.append(data[pos:end])
            pos = end

    def kind(self, i):
        return struct.unpack_from("<I", self.records[i])[0]

    def find(self, kind):
        found = [r for i, r in enumerate(self.records) if self.kind(i) == kind]
        if not found:
            raise Bad("the recording has no record of type %d" % kind)
        return found

    def trailer(self):
        """The sample_id of the first COMM: what every record of the side band ends with."""
        comm = self.find(COMM)[0]
        return comm[16 + len(text(comm[16:comm.index(b"\0", 16)].decode())):]

    def record(self, kind, body, misc=USER, trailer=None):
        body += self.trailer() if trailer is None else trailer
        return struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    def mmap(self, pid, start, length, offset, name, misc=USER):
        return self.record(MMAP2, struct.pack("<2I3Q2I2Q2I", pid, pid, start, length, offset, 8, 1, 99, 0, 5, 2)
                           + text(name), misc)

    def fork(self, pid, ppid, kind=FORK, time=0):
        return self.record(kind, struct.pack("<4IQ", pid, ppid, pid, ppid, time))

    def comm(self, pid, name, misc=USER):
        return self.record(COMM, struct.pack("<2I", pid, pid) + text(name), misc)

    def build(self, extra, where="middle"):
        """With more records before, among or behind those of the side band, or after each of them."""
        side = [i for i in range(len(self.records)) if self.kind(i) < 64]
        out, extra = [], list(extra)
        at = {"first": side[0], "middle": side[len(side) // 2], "last": side[-1] + 1}[where]
        for i, r in enumerate(self.records):
            if i == at:
                out += extra
            out.append(r)
        if at == len(self.records):
            out += extra
        data = b"".join(out)
        head, tail = bytearray(self.head), self.tail
        old = struct.unpack_from("<Q", head, 48)[0]
        struct.pack_into("<Q", head, 48, len(data))
        count = sum(bin(b).count("1") for b in head[72:104])
        tail = bytearray(tail)
        for i in range(count):
            offset, = struct.unpack_from("<Q", tail, 16 * i)
            struct.pack_into("<Q", tail, 16 * i, offset + len(data) - old)
        return bytes(head) + data + bytes(tail)


class Suite:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.number, self.failed = tool, folder, 0, 0
        self.made = {}
        self.others, self.places = itertools.cycle(COMMANDS[1:]), itertools.cycle(PLACES)

    def commands(self):
        return COMMANDS if NIGHTLY else (COMMANDS[0], next(self.others))

    def a_place(self):
        """For a member of a list."""
        return PLACES if NIGHTLY else (next(self.places),)

    def recording(self, name, seed=1):
        """A scenario, the folder of its files, and what is decoded of it as it is."""
        if name not in self.made:
            path, symfs = os.path.join(self.folder, name), os.path.join(self.folder, name + ".files")
            made = subprocess.run([os.environ["CST_GEN"], "scenario", name, "--case", str(seed), "--perf", path,
                                   "--truth", path + ".truth", "--symfs", symfs], capture_output=True)
            if made.returncode:
                raise Bad("cst-gen: " + made.stderr.decode())
            with open(path, "rb") as f:
                data = f.read()
            plain = Run(self.tool, [*COMMANDS[0], "-i", path, "--symfs", symfs], (path,)).exits(0, 3, 5)
            if not plain.out:
                raise Bad("nothing in " + name)
            self.made[name] = Recording(data), symfs, plain
        return self.made[name]

    def run(self, title, data, symfs):
        """The commands whose turn it is; the branches."""
        path = os.path.join(self.folder, "in")
        with open(path, "wb") as f:
            f.write(data)
        try:
            return [Run(self.tool, [*c, "-i", path, "--symfs", symfs], (path,)) for c in self.commands()][0]
        except Bad as bad:
            raise Bad("%s: %s" % (title, bad))

    def harmless(self, title, name, extra, places=PLACES):
        """Says nothing about the processes that are traced: the same branches."""
        recording, symfs, plain = self.recording(name)
        for where in places:
            run = self.run(title, recording.build(extra, where), symfs)
            if run.out != plain.out:
                raise Bad("%s, %s: other branches: %s" % (title, where, run.what))
        return len(places) * EACH

    def hostile(self, title, name, extra, places=PLACES):
        recording, symfs, _ = self.recording(name)
        for where in places:
            self.run(title, recording.build(extra, where), symfs)
        return len(places) * EACH

    def case(self, title, test):
        self.number += 1
        try:
            print("ok %d - %s, %d runs" % (self.number, title, test()), flush=True)
        except Bad as bad:
            self.failed += 1
            print("not ok %d - %s" % (self.number, title))
            print("# " + str(bad).replace("\n", "\n# "), flush=True)

    # ---- maps ------------------------------------------------------------------------------------

    @staticmethod
    def absurd_maps(r, pid):
        places = (0, 1, 0x1000, 0x400000, 0x400800, 2 ** 47, 2 ** 63, MAX - 0xfff, MAX)
        sizes = (0, 1, 0xfff, 0x1000, 2 ** 32, 2 ** 63, MAX)
        offsets = (0, 1, 0x1000, 2 ** 63, MAX)
        return [r.mmap(pid, a, n, o, "/opt/absurd") for a in places for n in sizes for o in offsets]

    def maps(self):
        r = self.recording("dlopen")[0]
        n = self.harmless("absurd maps of another process", "dlopen", self.absurd_maps(r, STRANGER))
        own = {struct.unpack_from("<I", m, 8)[0] for m in r.find(MMAP2)}
        for pid in sorted(own):
            n += self.hostile("absurd maps of process %d" % pid, "dlopen", self.absurd_maps(r, pid), self.a_place())
        for misc in (0, KERNEL, 3, 4, 5, 7):
            n += self.hostile("absurd maps, misc %d" % misc, "dlopen",
                              [r.mmap(MAX & 0xffffffff, 2 ** 63, 2 ** 63, 0, "[kernel.kallsyms]_text", misc)], self.a_place())
        return n

    def maps_over_maps(self):
        """Many, all contradicting each other, in one process: the last one holds, in time."""
        r = self.recording("dlopen")[0]
        n = self.harmless("maps over maps of another process", "dlopen",
                          [r.mmap(STRANGER, 0x400000 + i % 7 * 0x800, 0x1000 + i % 5 * 0x1000, 0, "/opt/n%d" % (i % 3))
                           for i in range(NUMBER)])
        own = struct.unpack_from("<I", r.find(MMAP2)[0], 8)[0]
        return n + self.hostile("maps over maps", "dlopen",
                                [r.mmap(own, 0x400000 + i % 7 * 0x800, 0x1000 + i % 5 * 0x1000, 0, "/opt/n%d" % (i % 3))
                                 for i in range(NUMBER)])

    def names(self):
        """As long as a record can be, empty, with a way out of the folder, with bytes of a terminal."""
        r = self.recording("dlopen")[0]
        names = ("", "/", "..", "../../../../etc/passwd", "/" + "x" * 60000, "/" + "a/" * 20000, "[vdso]", "//anon",
                 "\x1b[31m", "/proc/self/mem", "/dev/zero", "/dev/stdin", "[kernel.kallsyms]", "%s%n")
        n = self.harmless("names of another process", "dlopen",
                          [r.mmap(STRANGER, 0x400000 + i * 0x1000, 0x1000, 0, s) for i, s in enumerate(names)])
        own = struct.unpack_from("<I", r.find(MMAP2)[0], 8)[0]
        for s in names:
            n += self.hostile("a map of %.30r" % s, "dlopen", [r.mmap(own, 0, 2 ** 48, 0, s)], self.a_place())
        return n

    # ---- processes -------------------------------------------------------------------------------

    def forks(self):
        r = self.recording("fork")[0]
        s = STRANGER
        cases = {
            "its own parent": [r.fork(s, s)] * 3,
            "two that are each other's parent": [r.fork(s, s + 1), r.fork(s + 1, s)] * 50,
            "a ring": [r.fork(s + i, s + (i + 1) % 2000) for i in range(2000)] * 2,
            "a chain": [r.fork(s + i + 1, s + i) for i in range(NUMBER)],
            "a chain backwards": [r.fork(s + i, s + i + 1) for i in range(NUMBER)],
            "one that is born again and again": [r.fork(s, s + 1)] * NUMBER,
            "one that dies again and again": [r.fork(s, s + 1, EXIT)] * NUMBER,
            "birth and death": [r.fork(s, s + 1), r.fork(s, s + 1, EXIT)] * (NUMBER // 2),
            "numbers out of range": [r.fork(p, q) for p in (0, 0x7fffffff, 0x80000000, 0xffffffff)
                                     for q in (0, 0x7fffffff, 0x80000000, 0xffffffff)],
        }
        n = sum(self.harmless(title, "fork", extra, self.a_place()) for title, extra in cases.items())
        own = sorted({struct.unpack_from("<I", f, 8)[0] for f in r.find(FORK)})
        for p in own:
            n += self.hostile("%d is its own child" % p, "fork", [r.fork(p, p)] * 3, self.a_place())
            n += self.hostile("all are parents of %d" % p, "fork", [r.fork(p, q) for q in own] * 20, self.a_place())
            n += self.hostile("%d ends, and goes on" % p, "fork", [r.fork(p, p, EXIT)], self.a_place())
        return n

    def execs(self):
        r = self.recording("fork")[0]
        return self.harmless("exec without end", "fork", [r.comm(STRANGER, "c%d" % i, EXEC) for i in range(NUMBER)])

    def switches(self):
        r = self.recording("threads")[0]
        return self.hostile("switches without end", "threads",
                            [r.record(SWITCH, b"", misc) for misc in (0, 0x2000, 0x6000) for _ in range(1000)])

    # ---- the kernel ------------------------------------------------------------------------------

    def kernel(self):
        r = self.recording("dlopen")[0]
        top = 0xffff800000000000
        poke = [struct.pack("<Q2H", a, old, new) + bytes(n) for a in (0, 3, top, MAX) for old in (0, 4, 0xffff)
                for new in (0, 4, 5, 0xffff) for n in (0, 4, 12, 20)]
        symbol = [struct.pack("<QI2H", a, n, kind, flags) + text("bpf_prog_%d" % i)
                  for i, a in enumerate((0, top, top + 0x80, MAX)) for n in (0, 1, 0x1000, 0xffffffff)
                  for kind in (0, 1, 2, 0xffff) for flags in (0, 1, 0xffff)]
        n = self.harmless("patches of the kernel", "dlopen", [r.record(TEXT_POKE, p + bytes(-len(p) % 8), KERNEL) for p in poke])
        n += self.harmless("kernel symbols", "dlopen", [r.record(KSYMBOL, s, KERNEL) for s in symbol])
        n += self.harmless("BPF events", "dlopen", [r.record(BPF, struct.pack("<2HI8s", k, f, i, b"\xff" * 8), KERNEL)
                                                    for k in (0, 1, 2, 0xffff) for f in (0, 0xffff) for i in (0, 0xffffffff)])
        many = [r.record(KSYMBOL, struct.pack("<QI2H", top + i % 100 * 64, 4096, 1, i & 1) + text("s"), KERNEL)
                for i in range(NUMBER)]
        return n + self.harmless("kernel symbols over each other", "dlopen", many)

    # ---- generated code --------------------------------------------------------------------------

    @staticmethod
    def branches(out):
        """By thread and CPU, in order."""
        streams = {}
        for line in out.splitlines():
            who, _, rest = line.partition("]")
            streams.setdefault(who, []).append(rest.split())
        return streams

    def jitdump(self):
        """Cut anywhere, bytes changed, lengths absurd: what is found is what was executed, or is told as lost."""
        _, symfs, plain = self.recording("jit")
        path, data = os.path.join(self.folder, "jit"), None
        dump = next(os.path.join(d, n) for d, _, names in os.walk(symfs) for n in names if n.endswith(".dump"))
        with open(dump, "rb") as f:
            data = f.read()
        damaged = [("cut at %d" % n, data[:n]) for n in [*range(0, 160, 3 if NIGHTLY else 7), *range(160, len(data), len(data) // (3 * FEW) | 1)]]
        rng = random.Random(5)
        pos, sizes = struct.unpack_from("<I", data, 8)[0], []
        while pos + 16 <= len(data):
            sizes.append(pos + 4)
            pos += struct.unpack_from("<I", data, pos + 4)[0]
        for pos in rng.sample(sizes, min(len(sizes), FEW // 2)):
            for value in (0, 1, 15, 16, 17, 0x7fffffff, 0xffffffff):
                damaged.append(("size %#x at %d" % (value, pos), data[:pos] + struct.pack("<I", value) + data[pos + 4:]))
        damaged += [("magic", b"JiTd" + data[4:]), ("version", data[:4] + b"\xff" * 4 + data[8:]),
                    ("machine", data[:12] + b"\x3e\0\0\0" + data[16:]), ("text", b"hello"), ("zeros", bytes(5000))]
        try:
            for title, damage in damaged:
                with open(dump, "wb") as f:
                    f.write(damage)
                try:
                    run = Run(self.tool, [*COMMANDS[0], "-i", path, "--symfs", symfs], (path, dump)).exits(0, 3, 5)
                except Bad as bad:
                    raise Bad("jitdump, %s: %s" % (title, bad))
                whole = self.branches(plain.out)
                for who, part in self.branches(run.out).items():
                    # where code is missing a stretch begins and ends with an unknown address
                    part = [b for b in part if "0" not in (b[0], b[-1])]
                    # and where a newer version of some code is missing, the older one is told to be wrong
                    if scenarios.subsequence(part, whole[who]) is not None and "contradicts" not in run.err:
                        raise Bad("jitdump, %s: branches that were not executed: %s" % (title, run.what))
                if run.out != plain.out and run.code != 3:
                    raise Bad("jitdump, %s: branches are missing without a word: %s" % (title, run.what))
        finally:
            with open(dump, "wb") as f:
                f.write(data)
        return len(damaged)

    # ---- trace packages --------------------------------------------------------------------------

    def package(self):
        """Each line of each file left out, twice there, or cut: an error that names the place, or a result."""
        _, symfs, plain = self.recording("fork")
        folder = os.path.join(self.folder, "package")
        done = subprocess.run([self.tool, "convert", "-i", os.path.join(self.folder, "fork"), "--to=package", "-o", folder],
                              capture_output=True, text=True)
        if done.returncode:
            raise Bad("convert: " + done.stderr)
        runs, rng = 0, random.Random(7)
        for name in ("contents.ini", "trace.ini", "system-event-log"):
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                lines = f.read().splitlines(True)
            chosen = range(len(lines))
            if len(lines) > FEW and name == "system-event-log":
                chosen = sorted(rng.sample(chosen, FEW))
            for i in chosen:
                without = lines[:i] + lines[i + 1:]
                changes = (("without", without), ("twice", lines[:i + 1] + lines[i:]),
                           ("cut", lines[:i] + [lines[i][:len(lines[i]) // 2]]),
                           ("no value", lines[:i] + [lines[i].split(b"=")[0] + b"=\n"] + lines[i + 1:]))
                for title, text in changes if NIGHTLY else (changes[0], changes[1 + i % 3]):
                    with open(path, "wb") as f:
                        f.writelines(text)
                    try:
                        # the metadata is named by its file; what contents.ini lacks is said of the folder
                        run = Run(self.tool, [*COMMANDS[0], "-i", folder, "--symfs", symfs], (name, folder))
                    except Bad as bad:
                        raise Bad("%s, line %d %s (%r): %s" % (name, i + 1, title, lines[i][:60], bad))
                    key = lines[i].split(b"=")[0].strip().decode("utf-8", "replace")
                    if run.code == 1 and title == "without" and b"=" in lines[i] and name == "trace.ini" and \
                            key not in run.err:
                        raise Bad("%s, without %s: the error does not name it: %s" % (name, key, run.what))
                    runs += 1
            with open(path, "wb") as f:
                f.writelines(lines)
        run = Run(self.tool, [*COMMANDS[0], "-i", folder, "--symfs", symfs], (folder,))
        if run.out != plain.out:
            raise Bad("the package as it was: other branches: " + run.what)
        return runs

    # ---- losses and times ------------------------------------------------------------------------

    def lost(self):
        """Counts whose sum does not fit."""
        r, symfs, plain = self.recording("dlopen")
        run = self.run("lost", r.build([r.record(LOST, struct.pack("<2Q", 1, n)) for n in (MAX, 1, 2 ** 63)]), symfs).exits(3).says("lost records")
        if run.out != plain.out:
            raise Bad("other branches when records were lost: " + run.what)
        return EACH

    def times(self):
        r = self.recording("dlopen")[0]
        trailers = []
        for time in (0, 1, 2 ** 63, MAX - 1, MAX):
            t = bytearray(r.trailer())
            struct.pack_into("<Q", t, 8, time)
            trailers.append(bytes(t))
        maps = struct.pack("<2I3Q2I2Q2I", STRANGER, STRANGER, 0x400000, 0x1000, 0, 8, 1, 99, 0, 5, 2) + text("/opt/other")
        return self.harmless("maps at impossible times", "dlopen",
                             [r.record(MMAP2, maps, USER, t) for t in trailers] * 300)

    def trace_ids(self):
        r = self.recording("dlopen")[0]
        return self.hostile("trace IDs of all kinds", "dlopen",
                            [r.record(HW_ID, struct.pack("<Q", i << 56 | v)) for i in (0, 1, 255)
                             for v in (0, 0x10, 0x7f, 0xff, 0xffffffffffff)])

    def short_records(self):
        """Each kind of record, cut in its body: the size says so, and the file goes on."""
        r, symfs, _ = self.recording("fork")
        runs = 0
        for kind in (LOST, COMM, EXIT, FORK, 9, MMAP2, 11, 12, 13, SWITCH, 15, 16, KSYMBOL, BPF, 19, TEXT_POKE, HW_ID,
                     64, 65, 66, 67, 68, 70, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 200):
            extra = [struct.pack("<IHH", kind, USER, 8 + n) + b"\x5a" * n for n in (0, 8, 16, 24, 40, 64)]
            self.run("short records of type %d" % kind, r.build(extra), symfs)
            runs += EACH
        return runs


def main():
    tool = os.path.join(os.environ["BUILD"], "asan", "perf-cstrace")
    if not os.path.exists(tool):
        tool = os.environ["PERF_CSTRACE"]
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        s = Suite(tool, folder)
        s.case("absurd maps", s.maps)
        s.case("maps over maps", s.maps_over_maps)
        s.case("names of files", s.names)
        s.case("forks in circles", s.forks)
        s.case("execs without end", s.execs)
        s.case("context switches", s.switches)
        s.case("kernel records", s.kernel)
        s.case("jitdump files", s.jitdump)
        s.case("trace packages", s.package)
        s.case("lost records without number", s.lost)
        s.case("impossible times", s.times)
        s.case("trace IDs", s.trace_ids)
        s.case("short records", s.short_records)
    print("1..%d" % s.number)
    return 1 if s.failed else 0


if __name__ == "__main__":
    sys.exit(main())
