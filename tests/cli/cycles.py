# SPDX-License-Identifier: BSD-3-Clause
"""profile --metric=cycles against the model of the trace unit: the cycles of every function, of 20 random programs."""
import collections
import importlib.machinery
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path[:0] = ["tests/cli", "tests/interop"]
from auxdata import PerfData
from tap import Bad, run_cases

TOOL = os.path.abspath(os.environ.get("PERF_CSTRACE", "build/perf-cstrace"))
GEN = os.path.abspath(os.environ.get("CST_GEN", os.path.join(os.environ.get("BUILD", "build"), "tests/gen/cst-gen")))
SETS = 20
GAPS = ("T", "V", "D", "A", "Z")        # of the expected events: after them a count is of code that was not traced, too


def run(*args, code=0):
    proc = subprocess.run(args, capture_output=True, text=True, errors="replace", timeout=120)
    if proc.returncode != code:
        raise Bad("%s: code %d\n%s" % (" ".join(args), proc.returncode, proc.stderr))
    return proc.stdout, proc.stderr


class Code:
    """File and offset of an address, and the sizes of instructions."""

    def __init__(self, path):
        self.maps, self.bytes = list(PerfData(path).mappings()), {}

    def place(self, address):
        for start, length, offset, name in self.maps:
            if start <= address < start + length:
                return name, address - start + offset
        raise Bad("%x is in no map" % address)

    def insns(self, name, start, end, n):
        """Offsets of the n instructions in [start, end)."""
        if end - start == 4 * n:
            return range(start, end, 4)
        if name not in self.bytes:
            self.bytes[name] = open(name, "rb").read()
        offsets = []
        while start < end:
            offsets.append(start)
            start += 4 if self.bytes[name][start + 1] >> 3 >= 0x1d else 2
        return offsets


class Truth:
    """Cycles by file and range of code; instructions that no count has; counts that are of one range."""

    def __init__(self, events):
        self.cycles, self.waiting = collections.Counter(), []
        self.uncounted = self.single = self.counts = self.largest = 0
        self.cut = True
        for line in events:
            kind, *fields = line.split()
            if kind in "RP":
                self.waiting.append((kind, int(fields[0], 16), int(fields[1], 16), int(fields[2])))
            elif kind == "Y":
                self.count(fields[0])
            elif kind in GAPS:
                self.drop()
                self.cut = True
        self.drop()

    def drop(self):
        self.uncounted += sum(n for _, _, _, n in self.waiting)
        self.waiting = []

    def count(self, cycles):
        if self.cut or cycles == "?":
            self.drop()
            self.cut, self.early = False, 0
            return
        cycles = int(cycles) + self.early
        self.early = 0
        if not self.waiting:
            self.early = cycles
            return
        self.counts += 1
        self.single += len(self.waiting) == 1
        self.largest = max(self.largest, len(self.waiting))
        done, whole = 0, sum(n for _, _, _, n in self.waiting)
        for kind, start, end, n in self.waiting:
            share = cycles * (done + n) // whole - cycles * done // whole
            done += n
            if kind == "R":
                self.cycles[start, end, n] += share
        self.waiting = []


def callgrind(text):
    """[(file, function, offset, cost)] of the lines of cost."""
    rows, names, ob, fn, skip = [], {"ob": {}, "fn": {}}, None, None, False
    for line in text.splitlines():
        spec = re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?$", line)
        if spec:
            known = names[spec[2]]
            if spec[4]:
                known[spec[3]] = spec[4]
            if not spec[1]:
                ob, fn = (known[spec[3]], fn) if spec[2] == "ob" else (ob, known[spec[3]])
        elif line.startswith("calls="):
            skip = True
        elif line.startswith("0x"):
            if not skip:
                at, _, cost = line.split()
                rows.append((ob, fn, int(at, 16), int(cost)))
            skip = False
    return rows


def table(text):
    """{(name of the binary, function): amount} of the format top, and the sum of its head."""
    rows = re.findall(r"^ +[\d.]+% +(\d+) +\d+  (\S+) +(.*)$", text, re.M)
    return {(binary, name): int(n) for n, binary, name in rows if int(n)}, int(re.search(r"^# \w+: (\d+)", text, re.M)[1])


def profile(path, name, *more):
    return run(TOOL, "profile", "-i", path, "--format=" + name, *more)


def of_functions(cycles, functions, code):
    """Cycles by function: each instruction of a range has its share, the first ones what is left of the division."""
    sums = collections.Counter()
    for (start, end, n), all_of_it in cycles.items():
        name, offset = code.place(start)
        for i, at in enumerate(code.insns(name, offset, offset + end - start, n)):
            sums[os.path.basename(name), functions[name, at]] += all_of_it // n + (i < all_of_it % n)
    return {k: n for k, n in sums.items() if n}


def sets(folder, first, number, *options):
    """The first recordings from case `first` on of which nothing is lost."""
    case = first
    while number:
        path = os.path.join(folder, "%d.data" % case)
        run(GEN, "random", "--case=%d" % case, *options, "--threads=1", "--perf", path, "--truth", path + ".truth",
            "--images", path + ".images")
        proc = subprocess.run([TOOL, "profile", "-i", path, "--format=top", "-o", path + ".top"], capture_output=True, timeout=120)
        if not proc.returncode:
            number -= 1
            yield case, path
        case += 1


def check_set(case, path):
    with open(path + ".truth/ranges.cpu0") as f:
        truth = Truth(f)
    code = Code(path)
    executed = callgrind(profile(path, "callgrind")[0])
    functions = {(name, at): fn for name, fn, at, _ in executed}
    want = of_functions(truth.cycles, functions, code)
    text, messages = profile(path, "top", "--metric=cycles")
    got, whole = table(text)
    if got != want:
        raise Bad("case %d: %s" % (case, sorted(set(got.items()) ^ set(want.items()))[:6]))
    if whole != sum(truth.cycles.values()):
        raise Bad("case %d: %d cycles, the model counted %d" % (case, whole, sum(truth.cycles.values())))
    uncounted = sum(int(n) for n in re.findall(r"(\d+) instructions are in no count of cycles", messages))
    if uncounted != truth.uncounted:
        raise Bad("case %d: %d instructions without cycles, %d of the model" % (case, uncounted, truth.uncounted))
    check_formats(path, got, whole)
    return truth


def check_formats(path, functions, whole):
    sums = collections.Counter()
    for name, fn, _, cost in callgrind(profile(path, "callgrind", "--metric=cycles")[0]):
        sums[os.path.basename(name), fn] += cost
    if {k: n for k, n in sums.items() if n} != functions:
        raise Bad("callgrind and top differ: %s" % sums)
    folded = sum(int(line.rsplit(" ", 1)[1]) for line in profile(path, "folded", "--metric=cycles")[0].splitlines())
    if folded != whole:
        raise Bad("folded has %d cycles of %d" % (folded, whole))
    for name in ("top", "folded", "callgrind"):
        if profile(path, name, "--metric=cycles", "-j", "3")[0] != profile(path, name, "--metric=cycles", "-j", "1")[0]:
            raise Bad(name + ": -j 3 and -j 1 differ")


def at_p0(folder):
    """A count at each P0 element: the cycles of a function are those that the model counted in it, none estimated."""
    single = counts = 0
    for case, path in sets(folder, 1, SETS, "--cc=1", "--p-cc=1000", "--exclude=tx,src,q,spec"):
        truth = check_set(case, path)
        single += truth.single
        counts += truth.counts
        if not truth.cycles:
            raise Bad("case %d has no cycles" % case)
    if single < counts * 0.9:
        raise Bad("%d of %d counts are of one range" % (single, counts))
    return "%d counts, %d of one range" % (counts, single)


def behind_a_threshold(folder):
    """Counts of several ranges, with speculation."""
    for case, path in sets(folder, 101, 10, "--cc=40", "--exclude=tx,src,q"):
        check_set(case, path)


def across_batches(folder):
    """Counts of a thousand ranges, in a trace that is decoded in many pieces."""
    most = 0
    for case, path in sets(folder, 201, 2, "--cc=40", "--p-cc=1", "--p-irq=0", "--p-trap=0", "--p-off=0", "--insns=100000",
                           "--exclude=tx,src,q,spec"):
        truth = check_set(case, path)
        most = max(most, truth.largest)
    if most < 5000:
        raise Bad("the largest count is of %d ranges" % most)
    return "up to %d ranges in a count" % most


# A32: start calls work, and begins anew when that returns.
CODE = ["start:", "00f020e3", "010000eb", "00f020e3", "fbffffea", "work:", "00f020e3", "00f020e3", "1eff2fe1"]
V7_TRACE = {
    # PTM: an I-sync with the cycles of the gap before it; each waypoint has the cycles since the last one
    ("cortex-a15", "ETMCR=0x1000"): ("""000000000080 08 00104000 21 14
        8c          E, 3 cycles: nop, bl
        05 1c       branch to 401008, 7 cycles: the three instructions of work
        90          E, 4 cycles: nop, b
        d001        E, 20 cycles: nop, bl""", {"start": 27, "work": 7}),
    # ETMv3: atoms of instructions, and cycles without one, which are of the next instruction
    ("etmv3", "ETMIDR=0x410cf230 ETMCR=0x1000"): ("""000000000080 08 21 00104000
        88          WEWE: nop, bl
        ec          WWWWE: nop of work
        bc          WWWWWWWW
        88          WEWE: nop, bx
        05          to 401008
        04 ff01     255 cycles of the gap before the I-sync
        88          WEWE: nop, b
        80""", {"start": 4, "work": 14}),
}


def older_units(folder):
    """PTM and ETMv3 in cycle-accurate mode."""
    recording = importlib.machinery.SourceFileLoader("recording", "tests/golden/run-recording").load_module()
    program, trace = os.path.join(folder, "program"), os.path.join(folder, "trace")
    with open(program, "wb") as f:
        f.write(recording.elf({"machine": "40"}, CODE))
    for (core, regs), (text, want) in V7_TRACE.items():
        with open(trace, "wb") as f:
            f.write(bytes.fromhex("".join(line.strip().split("   ")[0] for line in text.splitlines())))
        got = profile_trace(trace, core, regs, program)
        if got != want:
            raise Bad("%s: %s, expected %s" % (core, got, want))


def profile_trace(trace, core, regs, program):
    args = [x for reg in regs.split() for x in ("--reg", reg)]
    text = run(TOOL, "profile", "--trace", trace, "--trace-format", "raw", "--core-type", core, *args, "--elf", program,
               "--format=top", "--metric=cycles")[0]
    return {name: n for (_, name), n in table(text)[0].items()}


CASES = [("a count at each P0 element: %d sets" % SETS, at_p0), ("counts of several ranges", behind_a_threshold),
         ("counts across batches", across_batches),
         ("ETMv3 and PTM", older_units)]
sys.exit(run_cases(CASES))
