# SPDX-License-Identifier: BSD-3-Clause
"""What the commands are measured on. Trace that is not in the repository comes from CSTRACE_SHARED."""
import functools
import os
import re
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../interop"))
from auxdata import AUXTRACE, PerfData  # noqa: E402

SAMPLE = "tests/data/sample.perf.data"
TC2_TIMES = 300         # 10 MB
TC2_TIMES_COST = 30     # the same for callgrind
CC1 = "/opt/sysroot/usr/lib/gcc/aarch64-linux-gnu/12/cc1"
BARRIER = b"\xff\xff\xff\x7f" * 4
WINDOWS = 10000
WINDOW = 8192
# what the peer decodes as well
WINDOW_PROGRAM = ["--case=3", "--insns=70000000", "--exclude=overflow,tx,q,threads,cut,spec,newest,src,events,e10,forms,ete",
                  "--p-irq=0", "--p-trap=0", "--p-off=0", "--sync=4096", "--buf=cpu", "--raw"]
RECORD_SAMPLE = 9


@dataclass
class Input:
    name: str
    perf: str
    symfs: str
    instructions: int = 0   # executed
    branches: int = 0       # taken
    p0: int = 0             # P0 elements
    text: str = ""

    def options(self):
        return ["-f", "-i", self.perf, "--symfs", self.symfs]

    def in_place(self, *argv):
        """perf inject has no --symfs: the recorded paths are made true in a mount namespace."""
        return ["unshare", "-rm", "sh", "-c", 'mount --bind "$0" /opt && exec "$@"', os.path.join(self.symfs, "opt")] + \
            list(argv)


@dataclass
class Tc2:
    """A snapshot of recorded ETMv3 and PTM trace, repeated with a barrier behind each copy; the peer's arguments for it."""
    folder: str
    peer: list
    once: list                  # the peer's arguments for the trace as it was recorded


@dataclass
class Windows:
    """One trace: as the buffer of a CPU, and in AUX windows that follow each other; for the library, whole and in parts."""
    whole: Input
    parts: Input
    arguments: dict             # of cst_decode and ocsd_decode: "whole", "parts"


def script_output(*argv):
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL)


class Inputs:
    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.tool = os.path.join(self.build, "perf-cstrace")
        self.shared = os.path.abspath(os.environ.get("CSTRACE_SHARED", "../shared"))
        self.dir = os.path.abspath(os.environ.get("BENCH_DIR", os.path.join(self.build, "bench/run")))
        self.notes = []
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(self.dir)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def program(self, name):
        return os.path.join(self.build, "tests/interop", name)

    def prepare(self):
        self.set26 = self.truth_set_26()
        self.large = self.recorded() or self.repeated(int(os.environ.get("BENCH_TIMES", "10")))
        self.sample = Input("sample", os.path.abspath(SAMPLE), os.path.abspath("tests/data/symfs"))
        for one in (self.set26, self.large):
            warm(one.perf)

    def truth_set_26(self):
        folder = os.path.join(self.shared, "truth/26-gcc-cc1")
        with open(os.path.join(folder, "truth/summary")) as f:
            text = f.read()
        number = lambda pattern: int(re.search(pattern, text).group(1))
        return Input("set 26", os.path.join(folder, "perf.data"), os.path.join(self.shared, "truth/symfs"),
                     number(r"total insns (\d+)"), number(r"total .*branches (\d+)"), number(r"ranges (\d+)"),
                     "truth set 26 as it is, 7 MB")

    def recorded(self):
        """scripts/record-large makes it once; None: it cannot, or is not to."""
        folder = os.environ.get("BENCH_LARGE", os.path.join(self.build, "bench/large"))
        if not folder:
            return None
        made = subprocess.run(["scripts/record-large", self.build, folder], capture_output=True, text=True)
        if made.returncode:
            self.notes.append("no L: " + (made.stderr.strip().splitlines() or ["record-large failed"])[-1])
            return None
        with open(os.path.join(folder, "summary")) as f:
            number = dict(line.split() for line in f)
        perf = os.path.abspath(os.path.join(folder, "perf.data"))
        return Input("L", perf, os.path.abspath(os.path.join(folder, "symfs")), int(number["instructions"]),
                     int(number["branches"]), 0, "one run of cc1, recorded by scripts/record-large, %.0f MB"
                     % (os.path.getsize(perf) / 1e6))

    def repeated(self, times):
        perf = self.path("repeated.data")
        script_output("tests/interop/repeat-aux.py", self.set26.perf, perf, str(times))
        return Input("26 x %d" % times, perf, self.set26.symfs, times * self.set26.instructions,
                     times * self.set26.branches, 0, "instead of L: truth set 26, its trace %d times, %.0f MB"
                     % (times, os.path.getsize(perf) / 1e6))

    @functools.cache
    def library_arguments(self, name):
        """Arguments of cst_decode and ocsd_decode."""
        folder = self.path("library-" + name)
        os.makedirs(folder)
        if name == "26":
            script_output("tests/interop/extract-aux.py", self.set26.perf, self.set26.symfs, folder)
        else:
            script_output("tests/interop/extract-snapshot.py", os.path.join(self.shared, "corpus/snapshots", name), folder)
        with open(os.path.join(folder, "args")) as f:
            return f.read().split("\n")[:-1]

    @functools.cache
    def windows(self):
        """The trace of a random program with an A-sync each 4 KB, in 10,000 AUX windows of 8 KB."""
        generator, folder = os.path.join(self.build, "tests/gen/cst-gen"), self.path("windows")
        whole, form, parts = (self.path("windows", name) for name in ("whole.data", "form.data", "parts.data"))
        os.makedirs(folder)
        for perf, more in ((whole, []), (form, ["--window=%d" % WINDOW, "--window-insns=1000000000"])):
            subprocess.run([generator, "random", *WINDOW_PROGRAM, *more, "--perf=" + perf, "--images=" + folder], check=True)
        put_in_windows(whole, form, parts)
        script_output("tests/interop/extract-aux.py", whole, "", folder)
        with open(os.path.join(folder, "args")) as f:
            words = f.read().split("\n")[:-1]
        with open(words[1], "r+b") as f:
            f.truncate(WINDOWS * WINDOW)
        arguments = {"whole": words, "parts": [*words[:2], str(WINDOW), *words[3:]]}
        return Windows(*(Input("10,000 windows", perf, "", text="") for perf in (whole, parts)), arguments)

    @functools.cache
    def tc2(self, kinds, times):
        """The sources of these protocols, "etmv3" and "ptm", a tuple."""
        snapshot = os.path.join(self.shared, "corpus/snapshots/TC2")
        ours = self.path("tc2-%s-%d" % ("-".join(kinds), times))
        os.makedirs(ours)
        registers, keep = [], set()
        for name in sorted(os.listdir(snapshot)):
            path = os.path.join(snapshot, name)
            # a copy: a snapshot's files are opened inside its folder only
            if name not in ("cstrace.bin", "trace.ini") and os.path.isfile(path):
                shutil.copy(path, os.path.join(ours, name))
            text = open(path, errors="replace").read() if name.endswith(".ini") else ""
            found = re.search(r"^type=(ETM3|PTM)", text, re.M)
            kind = {"ETM3": "etmv3", "PTM": "ptm"}[found.group(1)] if found else None
            if kind in kinds:
                regs = dict(re.findall(r"^(ETM\w+)\(0x\w+\)=(\w+)", text, re.M))
                registers += [kind, regs["ETMCR"], regs["ETMCCER"], regs["ETMIDR"], regs["ETMTRACEIDR"]]
                keep.add(re.search(r"^name=(\w+)", text, re.M).group(1))
        trace = os.path.join(ours, "cstrace.bin")
        with open(os.path.join(snapshot, "cstrace.bin"), "rb") as f, open(trace, "wb") as out:
            out.write((f.read() + BARRIER) * times)
        with open(os.path.join(snapshot, "trace.ini")) as f, open(os.path.join(ours, "trace.ini"), "w") as out:
            # who feeds the buffer
            out.writelines(line for line in f if not line.rstrip().endswith("=ETB_0") or line.startswith("name=") or
                           line.split("=")[0] in keep)
        rest = [os.path.join(snapshot, "kernel_dump.bin"), "0xc0008000"] + registers
        return Tc2(ours, [trace, *rest], [os.path.join(snapshot, "cstrace.bin"), *rest])


def put_in_windows(whole, form, out):
    """The records of `form`, with as many samples as the last one there, which have the trace of `whole` in windows."""
    perf, source = PerfData(form), PerfData(whole)
    trace = b"".join(source.bytes[payload:payload + length] for kind, _, _, _, payload, length in source.records()
                     if kind == AUXTRACE)
    if len(trace) < WINDOWS * WINDOW:
        raise SystemExit("%s: %d bytes of trace, expected %d at least" % (whole, len(trace), WINDOWS * WINDOW))
    records = list(perf.records())
    sample = next(perf.bytes[at:at + size - WINDOW] for kind, _, at, size, _, _ in records if kind == RECORD_SAMPLE)
    time_at = 32                # header, identifier, address, process and thread
    time = struct.unpack_from("<Q", sample, time_at)[0]
    data = [perf.bytes[at:at + size] for kind, _, at, size, _, _ in records if kind != RECORD_SAMPLE]
    for i in range(WINDOWS):
        head = sample[:time_at] + struct.pack("<Q", time + i) + sample[time_at + 8:]
        data.insert(len(data) - 1, head + trace[i * WINDOW:(i + 1) * WINDOW])
    body = b"".join(data)
    with open(out, "wb") as f:
        f.write(perf.bytes[:48] + struct.pack("<Q", len(body)) + perf.bytes[56:72] + bytes(32))
        f.write(perf.bytes[104:perf.data_off] + body)


def warm(path):
    """Once through the page cache, so that the first measurement is not the disk's."""
    with open(path, "rb") as f:
        while f.read(1 << 24):
            pass
