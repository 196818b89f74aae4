#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare.py --tool PERF-CSTRACE --shared DIR: executed instructions as Tarmac text (dump --format=tarmac) and against it
(compare).

sample: the shipped recording against its own text. texts: by libcapstone. large: a sparse file. edits: one instruction record of the text is removed, added or changed in
a compared field; compare names that line and nothing else. damage: one byte of the trace is changed; what differs lies
between the damaged packet and the next synchronisation. truth: the flows of ../shared/truth, which come from no decoder, as
Tarmac. emulator: the execution log of qemu. model: the snapshot whose Tarmac text a model wrote. CSTRACE_NIGHTLY=1: 1,000 edits and damages. Speaks TAP.
"""
import argparse
import bisect
import glob
import lzma
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from auxdata import AUXTRACE, PerfData  # noqa: E402
from tap import Bad, run_cases  # noqa: E402

NIGHTLY = bool(os.environ.get("CSTRACE_NIGHTLY"))
TIMES = 1000 if NIGHTLY else 60
SAMPLE = ["-i", "tests/data/sample.perf.data", "--symfs", "tests/data/symfs"]
# Programs of the sets with A32 and T32 code: which range is of which set is not in the flow.
THUMB = {"05": "sort.a32", "06": "hash.t32", "24": "condlink.a32"}
# The flow does not show which conditional branches inside of Q and Source Address ranges were not taken.
NO_RESULTS = {"19", "20"}


def run(args, *words, codes=(0, 3, 4, 5)):
    done = subprocess.run([args.tool, *words], capture_output=True, timeout=600)
    if done.returncode not in codes:
        raise Bad("exit %d: %s: %s" % (done.returncode, " ".join(words), done.stderr.decode("utf-8", "replace")[-600:]))
    return done.returncode, done.stdout.decode("utf-8", "replace")


class Compared:
    """What compare printed."""

    def __init__(self, code, text):
        self.code, self.text = code, text
        sums = [tuple(map(int, m)) for m in re.findall(
            r"(\d+) instructions equal, (\d+) differ in a field, (\d+) only in the trace, (\d+) only in the other; "
            r"(\d+) differences", text)]
        self.equal, self.changed, self.only_trace, self.only_other, self.differences = map(sum, zip(*sums)) if sums else [0] * 5
        self.places = [(int(m[0], 16), m[1]) for m in
                       re.findall(r"^  trace: buffer \d+, trace offset 0x([0-9a-f]+); .*: (line \d+|the end)$", text, re.M)]


def compare(args, trace, tarmac, *more):
    return Compared(*run(args, "compare", *trace, "--tarmac", tarmac, *more))


def sample_text(args, folder):
    path = os.path.join(folder, "sample.tarmac")
    run(args, "dump", *SAMPLE, "--format=tarmac", "--no-disassembly", "-o", path)
    return path


def sample(args, folder):
    path = sample_text(args, folder)
    text = open(path).read()
    count = len(re.findall(r" I[TS] ", text))
    if count < 1000:
        raise Bad("%d instructions in the text of the sample" % count)
    for name, options in (("itself", []), ("both sides ignored", ["--ignore=opcode,result,el,security"])):
        c = compare(args, SAMPLE, path, *options)
        if c.code or c.equal != count:
            raise Bad("%s: exit %d, %d of %d equal:\n%s" % (name, c.code, c.equal, count, c.text[:800]))
    es = os.path.join(folder, "sample.es")
    run(args, "dump", *SAMPLE, "--format=tarmac-es", "--no-disassembly", "-o", es)
    c = compare(args, SAMPLE, es)
    if c.code or c.equal != count:
        raise Bad("ES: exit %d, %d of %d equal:\n%s" % (c.code, c.equal, count, c.text[:800]))
    with open(path) as one, open(os.path.join(folder, "two"), "w") as two:
        two.write(one.read() + "1 clk cpu7 IT (1) 00001000 d503201f O EL0t_ns : -\n")
    c = compare(args, SAMPLE, os.path.join(folder, "two"))
    if c.code or c.equal != count or "the instructions of core 'cpu7' are not compared" not in c.text:
        raise Bad("a core without a stream: exit %d:\n%s" % (c.code, c.text[:800]))
    c = Compared(*run(args, "compare", *SAMPLE, "--with", SAMPLE[1]))
    if c.code or c.equal != count:
        raise Bad("--with: exit %d, %d of %d equal:\n%s" % (c.code, c.equal, count, c.text[:800]))
    return "%d instructions" % count


def texts(args, folder):
    """Instructions have their text, if libcapstone is in."""
    version = run(args, "--version")[1]
    path = os.path.join(folder, "texts.tarmac")
    run(args, "dump", *SAMPLE, "--format=tarmac", "-o", path)
    lines = [line for line in open(path) if re.search(r" I[TS] ", line)]
    without = sum(line.rstrip().endswith(":") for line in lines)
    if without != (len(lines) if "capstone: off" in version else 0):
        raise Bad("%d of %d instructions have no text, and %s" % (without, len(lines), version.replace("\n", ", ")))
    branch = [line for line in lines if re.search(r" 54[0-9a-f]{5}0 O ", line)]
    if "capstone: on" in version and not all(re.search(r" : b\.[a-z]{2} #0x[0-9a-f]+$", line) for line in branch):
        raise Bad("B.cond: %s" % branch[:3])
    return "%d instructions" % len(lines)


def large(args, folder):
    """A file that is no text, with the address space limited."""
    path = os.path.join(folder, "sparse")
    size = (10 if NIGHTLY else 1) << 30
    with open(path, "wb") as out:
        out.truncate(size)
    done = subprocess.run([args.tool, "compare", *SAMPLE, "--tarmac", path], capture_output=True, timeout=600,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20)))
    if done.returncode != 1 or b"expected Tarmac text" not in done.stderr:
        raise Bad("exit %d: %s" % (done.returncode, done.stderr.decode()))
    # text, and then nothing
    with open(sample_text(args, folder), "rb") as text, open(path, "r+b") as out:
        out.write(text.read())
    done = subprocess.run([args.tool, "compare", *SAMPLE, "--tarmac", path], capture_output=True, timeout=600,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20)))
    if done.returncode not in (0, 3, 5) or b" 0 differences" not in done.stdout:
        raise Bad("exit %d: %s" % (done.returncode, done.stderr.decode()))
    return "%d GB" % (size >> 30)


def edit(lines, insns, rnd):
    """Changes one instruction record. Returns the kind and the number of its line, from 1 on."""
    # not within 40 records of an end: both sides must match again behind the edit
    at = insns[rnd.randrange(40, len(insns) - 40)]
    words = lines[at].split(" ")
    kind = rnd.choice(["removed", "added", "address", "opcode", "result", "mode"])
    if kind == "removed":
        del lines[at]
    elif kind == "added":
        words[5] = "%08x" % (int(words[5], 16) + 0x4000000)
        lines.insert(at, " ".join(words))
    elif kind == "address":
        words[5] = "%08x" % (int(words[5], 16) ^ 0x4000000)
    elif kind == "opcode":
        words[6] = "%0*x" % (len(words[6]), int(words[6], 16) ^ 1)
    elif kind == "result":
        words[3] = "IS" if words[3] == "IT" else "IT"
    else:
        words[8] = "EL1h_ns" if "EL0t" in words[8] else "EL0t_ns"
    if kind not in ("removed", "added"):
        lines[at] = " ".join(words)
    return kind, at + 1


def edits(args, folder):
    original = open(sample_text(args, folder)).read().split("\n")
    path = os.path.join(folder, "edited.tarmac")
    rnd = random.Random(20261123)
    insns = [i for i, line in enumerate(original) if re.search(r" I[TS] ", line)]
    for n in range(TIMES):
        lines = list(original)
        kind, line = edit(lines, insns, rnd)
        with open(path, "w") as out:
            out.write("\n".join(lines))
        c = compare(args, SAMPLE, path)
        if not re.search(r"^CPU \d+: packets around trace offset 0x%x of buffer 0, trace ID 0x\w+$(\n  . 0x\w+ +I_.*)+$"
                         % (c.places[0][0] if c.places else -1), c.text, re.M):
            raise Bad("edit %d, %s at line %d: no packets:\n%s" % (n, kind, line, c.text[-1500:]))
        if c.code != 4 or c.differences != 1 or len(c.places) != 1:
            raise Bad("edit %d, %s at line %d: exit %d, %d differences:\n%s" % (n, kind, line, c.code, c.differences, c.text[:1500]))
        where = int(c.places[0][1].split()[1])
        # of equal records in a row, any of them may be the one that is removed
        if where != line and not (kind == "removed" and 0 < where - line < 30):
            raise Bad("edit %d, %s at line %d: named line %d:\n%s" % (n, kind, line, where, c.text[:1500]))
    return "%d edits" % TIMES


def packets(args, perf):
    """Trace offsets of the packets, and of the synchronisations among them."""
    text = run(args, "dump", "-i", perf, *SAMPLE[2:], "--packets")[1]
    starts, syncs = [], []
    for line in text.splitlines():
        m = re.match(r"(\d+) +[0-9a-f]{2} [0-9a-f]+ +(I_\w+)", line)
        if m:
            starts.append(int(m[1]))
            if m[2] == "I_ASYNC":
                syncs.append(int(m[1]))
    return starts, syncs


def damage(args, folder):
    tarmac = sample_text(args, folder)
    data = PerfData(SAMPLE[1])
    kind, _, pos, _, payload, length = next(r for r in data.records() if r[0] == AUXTRACE)
    first = struct.unpack_from("<Q", data.bytes, pos + 16)[0]
    starts, syncs = packets(args, SAMPLE[1])
    path = os.path.join(folder, "damaged.data")
    rnd = random.Random(20261124)
    none = 0
    for n in range(TIMES):
        at, flip = rnd.randrange(length), rnd.randrange(1, 256)
        with open(path, "wb") as out:
            out.write(data.bytes[:payload + at] + bytes([data.bytes[payload + at] ^ flip]) + data.bytes[payload + at + 1:])
        c = compare(args, ["-i", path, *SAMPLE[2:]], tarmac)
        offset = first + at
        # a byte of a frame can also be the ID of, or a bit for, the bytes of this frame and the next ones
        begin = starts[max(0, bisect.bisect_right(starts, offset - 16) - 1)]
        i = bisect.bisect_right(syncs, offset + 16)
        end = syncs[i] + 64 if i < len(syncs) else first + length
        for place, line in c.places:
            if not begin - 16 <= place <= end and line != "the end":
                raise Bad("damage %d at offset %#x: a difference at %#x, expected between %#x and %#x:\n%s"
                          % (n, offset, place, begin, end, c.text[:1500]))
        none += not c.differences
    if not 0 < none < TIMES:
        raise Bad("%d of %d damages make no difference" % (none, TIMES))
    return "%d damages, %d without a difference" % (TIMES, none)


class Code:
    """Code of a static program of 32 bits."""

    def __init__(self, path):
        image = open(path, "rb").read()
        table, = struct.unpack_from("<I", image, 28)
        size, count = struct.unpack_from("<HH", image, 42)
        self.parts, self.thumb = [], False
        for i in range(count):
            kind, offset, address, _, length = struct.unpack_from("<5I", image, table + i * size)
            if kind == 1:
                self.parts.append((address, image[offset:offset + length]))

    def halfword(self, address):
        for start, data in self.parts:
            if start <= address < start + len(data):
                return struct.unpack_from("<H", data, address - start)[0]
        raise Bad("no code at %#x" % address)

    def sizes(self, start, end, count):
        """Sizes of T32 instructions; None: the range is of A32. Where it can be either, it is as the range before."""
        sizes, at = [], start
        while at < end:
            sizes.append(4 if self.halfword(at) >> 11 >= 0x1d else 2)
            at += sizes[-1]
        fits = at == end and len(sizes) == count
        if end - start != 4 * count or not fits:
            self.thumb = fits
        elif self.halfword(end - 2) >> 12 == 15:
            self.thumb = True  # of A32 that would be the space without a condition
        return sizes if self.thumb else None


def write_flow(folder, path, number):
    """The flow of a set as Tarmac text. Returns the number of instructions."""
    code = Code(os.path.join(folder, "../symfs/opt/truth", THUMB[number])) if number in THUMB else None
    total = 0
    with open(path, "w") as out:
        for name in sorted(glob.glob(folder + "/truth/ranges.cpu*.xz")):
            cpu, n, level = re.search(r"cpu(\d+)", os.path.basename(name))[1], 0, "0"
            for line in lzma.open(name, "rt"):
                words = line.split()
                if words[0] == "C":
                    level = words[3]
                if words[0] != "R":
                    continue
                at, end, count = int(words[1], 16), int(words[2], 16), int(words[3])
                sizes = code.sizes(at, end, count) if code else None
                isa = "T" if sizes else "A" if code else "O"
                mode = "usr_ns" if code else "EL%s%s_ns" % (level, "h" if level != "0" else "t")
                for i, size in enumerate(sizes or [4] * count):
                    n += 1
                    out.write("%d clk cpu%s %s (%d) %08x %s %s %s : -\n"
                              % (n, cpu, "IS" if i == count - 1 and words[4] == "N" else "IT", n, at, "0" * 2 * size, isa, mode))
                    at += size
            total += n
    return total


def truth(args, folder, where):
    number = os.path.basename(where)[:2]
    path = os.path.join(folder, "flow.tarmac")
    total = write_flow(where, path, number)
    ignore = "--ignore=opcode,security" + (",result" if number in NO_RESULTS else "")
    c = compare(args, ["-i", where + "/perf.data", "--symfs", where + "/../symfs"], path, ignore)
    if c.differences or c.code not in (0, 3, 5) or c.equal != total:
        raise Bad("exit %d, %d of %d equal, %d differences:\n%s" % (c.code, c.equal, total, c.differences, c.text[:1500]))
    return "%d instructions" % total


def emulator(args, folder):
    """The shipped recordings against the execution log of another emulator run of their program."""
    log, path = os.path.join(folder, "log"), os.path.join(folder, "log.tarmac")
    program = "tests/data/symfs/opt/cstrace-sample/sample.a64"
    subprocess.run(["qemu-aarch64", "-d", "exec,nochain", "-singlestep", "-D", log, program], check=True,
                   stdout=subprocess.DEVNULL, timeout=300)
    count = 0
    with open(log) as executed, open(path, "w") as out:
        for line in executed:
            # Trace N: HOST [CS_BASE/PC/FLAGS/CFLAGS] SYMBOL
            address = re.match(r"Trace \d+: 0x[0-9a-f]+ \[[0-9a-f]+/([0-9a-f]+)/", line)
            if address:
                count += 1
                out.write("%d clk cpu0 IT (%d) %s 00000000 O EL0t_ns : -\n" % (count, count, address[1]))
    for trace in ("sample", "sample-trbe"):
        c = compare(args, ["-i", "tests/data/%s.perf.data" % trace, *SAMPLE[2:]], path, "--ignore=opcode,result,security",
                    "--core=0=cpu0,1=cpu0")
        if c.differences or c.equal != count:
            raise Bad("%s: exit %d, %d of %d equal:\n%s" % (trace, c.code, c.equal, count, c.text[:1500]))
    return "%d instructions" % count


def refused(args, *words):
    """The words on stderr of a command that must fail at once."""
    done = subprocess.run([args.tool, "compare", *words], capture_output=True, timeout=600)
    if done.returncode != 1:
        raise Bad("exit %d, not 1: %s" % (done.returncode, " ".join(words)))
    return done.stderr.decode("utf-8", "replace")


def second(args, folder):
    """What the other recording lacks is in the exit code, and one that can be read only once is refused."""
    data = bytearray(open(SAMPLE[1], "rb").read())
    for at in range(len(data) // 2, len(data) // 2 + 300):
        data[at] ^= 0x5a
    path = os.path.join(folder, "damaged")
    with open(path, "wb") as f:
        f.write(data)
    done = subprocess.run([args.tool, "compare", *SAMPLE, "--with", path], capture_output=True, timeout=600)
    words = done.stderr.decode("utf-8", "replace")
    if done.returncode != 3 or "%s: has losses, too" % path not in words:
        raise Bad("losses of the other recording: exit %d: %s" % (done.returncode, words))
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    if "read once for each CPU" not in refused(args, *SAMPLE, "--with", pipe):
        raise Bad("a FIFO was not refused by its kind")
    return "damaged, FIFO"


def second_cpus(args, folder, where):
    """CPUs that only the other recording has are named."""
    one = os.path.join(folder, "one")
    shutil.copytree(where + "/snapshot", one, copy_function=shutil.copyfile)
    os.chmod(one, 0o755)
    open(one + "/trace1.bin", "wb").close()
    symfs = ["--symfs", args.shared + "/truth/symfs"]
    c = Compared(*run(args, "compare", "-i", one, *symfs, "--with", where + "/perf.data"))
    if c.differences or not c.equal or "the instructions of CPU 1 are not compared: the trace has no stream of it" not in c.text:
        raise Bad("CPU 1 only in the other: exit %d: %s" % (c.code, c.text))
    c = Compared(*run(args, "compare", "-i", where + "/snapshot", *symfs, "--with", where + "/perf.data"))
    if c.code or "not compared" in c.text:
        raise Bad("both CPUs: exit %d: %s" % (c.code, c.text))
    return "%d equal" % c.equal


def names(args, folder):
    """Names of cores and files are shown without control characters."""
    path = os.path.join(folder, "a\nb.tarmac")
    with open(sample_text(args, folder)) as f, open(path, "w") as out:
        out.write(f.read() + "1 clk c\x1b[31mpu7 IT (1) 00001000 d503201f O EL0t_ns : -\n")
    done = subprocess.run([args.tool, "compare", *SAMPLE, "--tarmac", path], capture_output=True, timeout=600)
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    if "\x1b" in text or "a\nb.tarmac" in text or "a\\x0ab.tarmac" not in text:
        raise Bad("exit %d: %r" % (done.returncode, text[-800:]))
    return "exit %d" % done.returncode


def model(args, where):
    c = compare(args, ["-i", where], where + "/test_TARMAC")
    if c.code or c.equal != 5146:
        raise Bad("exit %d, %d equal:\n%s" % (c.code, c.equal, c.text[:1500]))
    # exceptions: address, number and name as the model has them, whose physical addresses are not traced
    events = re.compile(r" E ([0-9a-f]+)(?::\w+)? (\d{8}) (\w+)$", re.M)
    ours = events.findall(run(args, "dump", "-i", where, "--format=tarmac", "--no-disassembly")[1])
    models = set(events.findall(open(where + "/test_TARMAC").read()))
    if len(ours) < 5 or set(ours) - models:
        raise Bad("exceptions that the model does not have: %s" % sorted(set(ours) - models))
    return "%d instructions, %d exceptions" % (c.equal, len(ours))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--shared", default="../shared")
    args = parser.parse_args()
    cases = [("the sample's own text", lambda f: sample(args, f)), ("texts of instructions", lambda f: texts(args, f)), ("a sparse file", lambda f: large(args, f)),
             ("one record changed", lambda f: edits(args, f)),
             ("one byte of the trace damaged", lambda f: damage(args, f)),
             ("another recording that lacks something", lambda f: second(args, f)),
             ("names with control characters", lambda f: names(args, f))]
    where = args.shared + "/truth/08-threads-2cpu"
    cases.append(("CPUs that only the other recording has", lambda f, w=where: second_cpus(args, f, w)) if os.path.exists(where) else
                 ("CPUs that only the other recording has # SKIP no ../shared", None))
    cases.append(("an emulator's log", lambda f: emulator(args, f)) if shutil.which("qemu-aarch64") else
                 ("an emulator's log # SKIP no qemu-aarch64", None))
    for where in sorted(glob.glob(args.shared + "/truth/[0-9]*")):
        name = os.path.basename(where)
        if glob.glob(where + "/truth/ranges.cpu*"):
            cases.append((name, lambda f, w=where: truth(args, f, w)))
        else:
            cases.append((name + " # SKIP the set has no list of ranges", None))
    where = args.shared + "/corpus/snapshots/002-ack_test_scr"
    cases.append(("a model's text", lambda f: model(args, where)) if os.path.exists(where) else
                 ("a model's text # SKIP no ../shared", None))
    return run_cases(cases)


if __name__ == "__main__":
    sys.exit(main())
