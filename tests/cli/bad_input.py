# SPDX-License-Identifier: BSD-3-Clause
"""Input of the wrong kind, and damaged input, through the program as it is installed: recordings, program
files, snapshots. Every run must end by itself within 10 seconds with a documented exit code, without a
sanitizer report, with a message that names the file if it is an error, and leave a whole output file or
none. The damages are picked by fixed seeds, CSTRACE_NIGHTLY=1 takes more of them; all cuts and bits of
the sample's headers are tried by tests/unit/perf-plugin/outputs/cmd/test_damage.c."""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import threading

SAMPLE = "tests/data/sample.perf.data"
# Byte and bit of the header: perf_event_attr begin elsewhere, and have reserved bits, or samples of an unknown kind.
ATTRIBUTES_ELSEWHERE = ((0x18, 4), (0x19, 1))
SYMFS = "tests/data/symfs"
PROGRAM = "opt/cstrace-sample/sample.a64"
CODE_STARTS = 0x144  # in the program
OTHERS = ("tests/data/sample-trbe.perf.data", "tests/data/sample-a32.perf.data", "tests/data/sample-t32.perf.data")
# Two CPUs and threads; code that is mapped over while it is traced.
SHARED = [os.path.join(os.environ.get("CSTRACE_SHARED", "../shared"), "truth", n, "perf.data")
          for n in ("08-threads-2cpu", "16-code-remapped")]
NIGHTLY = bool(os.environ.get("CSTRACE_NIGHTLY"))
COUNT = 600 if NIGHTLY else 12
TIME_LIMIT = 10
AUXTRACE = 71
COMMANDS = (("inject", "--itrace=i1000il16be"), ("script", "--itrace=b", "-F", "pid,tid,cpu,ip,sym,addr"),
            ("profile", "--format=autofdo"), ("info",), ("dump",))


class Bad(Exception):
    pass


class Run:
    """One command on a file, with what is always asked of it."""

    def __init__(self, tool, argv, names, stdin=None):
        try:
            done = subprocess.run([tool, *argv], input=stdin, stdin=None if stdin else subprocess.DEVNULL,
                                  capture_output=True, timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            raise Bad("%s: no end within %d s" % (" ".join(argv), TIME_LIMIT))
        self.code, self.out = done.returncode, done.stdout.decode("utf-8", "replace")
        self.err = done.stderr.decode("utf-8", "replace")
        self.what = "%s: exit %d: %s" % (" ".join(argv), self.code, self.err[-800:])
        if self.code not in (0, 1, 3, 5) or "Sanitizer" in self.err or "runtime error:" in self.err:
            raise Bad(self.what)
        if "out of memory" in self.err:
            raise Bad(self.what)
        if self.code == 1 and not any(n in self.err for n in names):
            raise Bad("an error without a name: " + self.what)

    def says(self, *words):
        for w in words:
            if w not in self.err:
                raise Bad("no '%s': %s" % (w, self.what))
        return self

    def exits(self, *codes):
        if self.code not in codes:
            raise Bad("not exit %s: %s" % (" or ".join(map(str, codes)), self.what))
        return self


class Suite:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.number, self.failed = tool, folder, 0, 0
        with open(SAMPLE, "rb") as f:
            self.sample = f.read()
        self.samples = [self.sample] + [open(n, "rb").read() for n in OTHERS]
        self.samples += [open(n, "rb").read() for n in SHARED if os.path.exists(n)]
        self.perf = shutil.which("perf")
        self.root = self.path("root")
        shutil.copytree(SYMFS, self.root)
        programs = os.path.join(os.environ.get("CSTRACE_SHARED", "../shared"), "truth", "symfs", "opt", "truth")
        if os.path.exists(programs):
            shutil.copytree(programs, os.path.join(self.root, "opt", "truth"))
        self.generated = [self.generate(*options) for options in (
            ("--compress=1", "--buf=cpu", "--threads=2"), ("--compress=2", "--buf=one", "--cpus=2"),
            ("--pipe", "--buf=cpu", "--cpus=2", "--hw-id=sink", "--timed"), ("--raw", "--meta=2", "--fragment=500"))]

    def generate(self, *options):
        """A recording of a form that the shipped ones do not have; its programs go to self.root."""
        number = str(len(os.listdir(self.root)))
        images, path = os.path.join(self.root, "gen" + number), self.path("generated")
        os.mkdir(images)
        made = subprocess.run([os.environ["CST_GEN"], "random", "--case", number, "--insns", "2000", "--perf", path,
                               "--images", images, "--prefix", "/gen" + number, *options], capture_output=True)
        if made.returncode:
            raise Bad("cst-gen: " + made.stderr.decode())
        with open(path, "rb") as f:
            data = f.read()
        os.unlink(path)
        return data

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data)
        return self.path(name)

    def case(self, title, test):
        self.number += 1
        try:
            count = test()
            print("ok %d - %s%s" % (self.number, title, ", %d runs" % count if count else ""), flush=True)
        except Bad as bad:
            self.failed += 1
            print("not ok %d - %s" % (self.number, title))
            print("# " + str(bad).replace("\n", "\n# "), flush=True)

    def command(self, command, path, symfs=SYMFS, more=(), names=()):
        """The command on the file; with its output file checked for being whole."""
        out = self.path("out")
        argv = [*command, "-i", path, "--symfs", symfs, *more]
        if command[0] != "info":
            argv += ["-o", out]
        run = Run(self.tool, argv, (path, *names))
        left = os.path.exists(out)
        try:
            # what has nothing in it is not written
            if command[0] != "info" and left == (run.code in (1, 5)):
                raise Bad("%s: %s" % ("output" if left else "no output", run.what))
            if left and command[0] == "inject" and self.perf:
                self.readable(out, run)
        finally:
            if left:
                os.unlink(out)
        strange = [n for n in os.listdir(self.folder) if n.startswith(".")]
        if strange:
            raise Bad("%s was left: %s" % (strange, run.what))
        return run

    def readable(self, path, run):
        perf = subprocess.run([self.perf, "script", "-i", path, "--symfs", SYMFS, "-F", "ip"],
                              stdin=subprocess.DEVNULL, capture_output=True)
        err = perf.stderr.decode("utf-8", "replace")
        if perf.returncode or "WARNING" in err or "orrupt" in err or "incompatible" in err:
            raise Bad("perf script on the output: exit %d: %s\n%s" % (perf.returncode, err[-500:], run.what))

    # ---- recordings ------------------------------------------------------------------------------

    @staticmethod
    def structure(data):
        """Byte positions outside the trace."""
        start, size = struct.unpack_from("<2Q", data, 40)
        where, pos = list(range(start)), start
        while pos < start + size:
            kind, _, length = struct.unpack_from("<IHH", data, pos)
            where += range(pos, pos + length)
            pos += length + (struct.unpack_from("<Q", data, pos + 8)[0] if kind == AUXTRACE else 0)
        return where + list(range(start + size, len(data)))

    def forms(self):
        """The generated ones are fit for being damaged."""
        for data in self.generated:
            run = self.command(COMMANDS[1], self.write("in", data), self.root).exits(0, 3, 5)
            if " 0 branches" in run.err:
                raise Bad("a generated recording without branches: " + run.what)
        return len(self.generated)

    def cuts(self):
        rng = random.Random(1)
        for _ in range(COUNT):
            sample = rng.choice(self.samples)
            path = self.write("in", sample[:rng.randrange(0, len(sample), 64)])
            for command in COMMANDS:
                run = self.command(command, path)
                if run.code == 0:
                    run.says("file ends at" if "file ends at" in run.err else "is cut at")
        return COUNT * len(COMMANDS)

    def flips(self):
        rng = random.Random(2)
        for number in range(COUNT):
            kind = rng.randrange(len(self.samples + self.generated))
            data = bytearray((self.samples + self.generated)[kind])
            pos = rng.choice(self.structure(data)) if kind < len(self.samples) else rng.randrange(len(data))
            bit = rng.randrange(8)
            if number < len(ATTRIBUTES_ELSEWHERE):
                data = bytearray(self.sample)
                pos, bit = ATTRIBUTES_ELSEWHERE[number]
            data[pos] ^= 1 << bit
            path = self.write("in", data)
            for command in COMMANDS:
                try:
                    self.command(command, path, self.root)
                except Bad as bad:
                    raise Bad("bit %d of byte %#x flipped: %s" % (bit, pos, bad))
        return COUNT * len(COMMANDS)

    def noise(self):
        """Runs of bytes anywhere replaced by others."""
        rng = random.Random(3)
        for number in range(COUNT):
            data = bytearray(rng.choice(self.samples + self.generated))
            for _ in range(rng.randrange(1, 5)):
                pos, length = rng.randrange(len(data)), rng.randrange(1, 400)
                data[pos:pos + length] = rng.randbytes(len(data[pos:pos + length]))
            path = self.write("in", data)
            for command in COMMANDS:
                try:
                    self.command(command, path, self.root)
                except Bad as bad:
                    raise Bad("noise %d: %s" % (number, bad))
        return COUNT * len(COMMANDS)

    def foreign(self):
        """What is no recording: the message says what was found and what was expected."""
        kinds = {
            "empty": (b"", ("is empty", "perf.data")),
            "text": (b"Bytes: 12\nhello, world\n", ('found "Bytes: 1"', 'expected "PERFILE2"')),
            "elf": (open(os.path.join(SYMFS, PROGRAM), "rb").read(), ('found ".ELF', 'expected "PERFILE2"')),
            "gzip": (b"\x1f\x8b\x08\0\0\0\0\0\0\3" * 10, ("offset 0x0", 'expected "PERFILE2"')),
            "old": (b"PERFFILE" + bytes(200), ("version 1", "expected PERFILE2")),
            "zeros": (bytes(5000), ("offset 0x0", 'expected "PERFILE2"')),
            "short": (b"PERF", ("is cut at 0x4",)),
            "short-swapped": (b"2ELIFREP\x68\0", ("is cut at 0xa",)),
            "short-text": (b"hello\n", ('found "hello."', 'expected "PERFILE2"')),
            "short-old": (b"PERFFILE", ("version 1", "expected PERFILE2")),
            "short-counts": (b"CSTRACE", ('expected "PERFILE2"',)),
            "header": (self.sample[:8] + b"\x69" + self.sample[9:], ("offset 0x8", "found a header of 105")),
            "no-trace": (self.without_trace(), ("no CoreSight trace", "AUXTRACE_INFO")),
        }
        for name, (data, words) in kinds.items():
            path = self.write(name, data)
            for command in COMMANDS:
                self.command(command, path).exits(1).says(path, *words)
        return len(kinds) * len(COMMANDS)

    def without_trace(self):
        """The sample with its AUXTRACE_INFO and AUXTRACE made records that a reader skips."""
        data = bytearray(self.sample)
        start, size = struct.unpack_from("<2Q", data, 40)
        pos = start
        while pos < start + size:
            kind, _, length = struct.unpack_from("<IHH", data, pos)
            if kind == 70:
                struct.pack_into("<I", data, pos, 75)
            pos += length + (struct.unpack_from("<Q", data, pos + 8)[0] if kind == AUXTRACE else 0)
        return bytes(data)

    def anonymous_memory(self):
        """Its offset in the records is its address, far behind the end of any file; what else ran is decoded."""
        data = bytearray(self.sample)
        start, size = struct.unpack_from("<2Q", data, 40)
        pos = start
        while struct.unpack_from("<I", data, pos)[0] != 10:
            pos += struct.unpack_from("<H", data, pos + 6)[0]
        length, = struct.unpack_from("<H", data, pos + 6)
        record = bytearray(data[pos:pos + length])
        struct.pack_into("<3Q", record, 16, 0x7f1234560000, 0x1000, 0x7f1234560000)
        name = record.index(b"/opt/")
        end = record.index(b"\0", name)
        record[name:end] = b"//anon".ljust(end - name, b"\0")
        count = sum(bin(b).count("1") for b in data[72:104])
        for at in range(start + size, start + size + 16 * count, 16):
            struct.pack_into("<Q", data, at, struct.unpack_from("<Q", data, at)[0] + length)
        struct.pack_into("<Q", data, 48, size + length)
        path = self.write("anon", data[:pos] + record + data[pos:])
        plain = Run(self.tool, ["script", "-i", SAMPLE, "--symfs", SYMFS, "--itrace=b"], ()).exits(0)
        other = Run(self.tool, ["script", "-i", path, "--symfs", SYMFS, "--itrace=b"], ()).exits(0)
        if plain.out != other.out or not plain.out:
            raise Bad("other branches with a map of anonymous memory: " + other.what)
        return 2

    def folders(self):
        os.mkdir(self.path("folder"))
        absent = self.path("absent")
        for command in COMMANDS:
            self.command(command, self.path("folder")).exits(1).says(self.path("folder"), "No such file")
            self.command(command, absent).exits(1).says(absent, "No such file")
            self.command(command, self.path("in", "x")).exits(1).says(self.path("in", "x"), "Not a directory")
        shutil.copy(SAMPLE, self.path("folder", "data"))
        self.command(("info",), self.path("folder")).exits(0)
        return len(COMMANDS) * 3 + 1

    def fifos(self):
        """A FIFO is read like a pipe, and its garbage is refused like a file's."""
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        for data, code in ((self.sample, 0), (b"no recording at all, but long enough", 1), (b"", 1)):
            def feed():
                with open(fifo, "wb") as f:
                    try:
                        f.write(data)
                    except BrokenPipeError:
                        pass
            for command in COMMANDS:
                writer = threading.Thread(target=feed, daemon=True)
                writer.start()
                self.command(command, fifo).exits(code)
                writer.join(TIME_LIMIT)
        for command in COMMANDS:
            Run(self.tool, [*command, "-i", "-"], ("standard input",), b"no recording at all").exits(1)
            Run(self.tool, [*command, "-i", "-"], ("standard input",), self.sample[:3000])
        return 5 * len(COMMANDS)

    def outputs(self):
        """Places where nothing can be written, and the input as output."""
        path = self.write("in", self.sample)
        places = (("folder/", self.path("folder")), ("absent/out", "No such file"), ("in/out", "Not a directory"))
        for command in COMMANDS:
            if command[0] == "info":
                continue
            for place, word in places:
                Run(self.tool, [*command, "-i", path, "--symfs", SYMFS, "-o", self.path(place)],
                    (self.path(place),)).exits(1).says(word)
            target = self.write("same", self.sample)
            Run(self.tool, [*command, "-i", target, "--symfs", SYMFS, "-o", target], (target,)).exits(1)
            if open(target, "rb").read() != self.sample:
                raise Bad("%s onto its own input" % command[0])
        return 16

    # ---- program files ---------------------------------------------------------------------------

    def with_program(self, data, mode=0o644):
        root = self.path("symfs")
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(os.path.dirname(os.path.join(root, PROGRAM)))
        with open(os.path.join(root, PROGRAM), "wb") as f:
            f.write(data)
        os.chmod(os.path.join(root, PROGRAM), mode)
        return root

    def program_cuts(self):
        program = open(os.path.join(SYMFS, PROGRAM), "rb").read()
        path = self.write("in", self.sample)
        sizes = [0, 1, 3, 4, 16, 52, 63, 64, 100, 200] + list(range(256, len(program), 64 if NIGHTLY else 1500))
        for size in sizes:
            root = self.with_program(program[:size])
            for command in COMMANDS:
                run = self.command(command, path, root, names=(PROGRAM,))
                if command[0] == "info" and run.code == 0 and size < CODE_STARTS:
                    raise Bad("program cut at %d, and nothing lost: %s" % (size, run.what))
        return len(sizes) * len(COMMANDS)

    def program_flips(self):
        program = open(os.path.join(SYMFS, PROGRAM), "rb").read()
        path, rng = self.write("in", self.sample), random.Random(4)
        table, = struct.unpack_from("<Q", program, 40)
        where = list(range(64 + 56 * 4)) + list(range(table, len(program)))
        for _ in range(COUNT * 2):
            data = bytearray(program)
            for _ in range(rng.randrange(1, 4)):
                data[rng.choice(where)] ^= 1 << rng.randrange(8)
            root = self.with_program(data)
            for command in COMMANDS[:2]:
                self.command(command, path, root, more=("-f",), names=(PROGRAM,))
        return COUNT * 4

    def program_others(self):
        """Another build-id, another machine, no program at all: told with the name and what to do."""
        program = open(os.path.join(SYMFS, PROGRAM), "rb").read()
        build_id = self.build_id(program)
        path = self.write("in", self.sample)
        if build_id not in self.sample:
            path = self.with_build_id(build_id)
        other = program.replace(build_id, bytes(len(build_id)))
        root = self.with_program(other)
        self.command(("info",), path, root)
        self.command(COMMANDS[1], path, root).exits(5).says(PROGRAM, "build-id " + "00" * 20, build_id.hex(), "-f")
        self.command(COMMANDS[2], path, root).exits(5).says(PROGRAM, "build-id")
        self.command(COMMANDS[1], path, root, more=("-f",)).exits(0)
        root = self.with_program(program[:18] + b"\x3e\0" + program[20:])
        self.command(COMMANDS[1], path, root).exits(5).says(PROGRAM, "machine 62", "--symfs")
        root = self.with_program(program)
        os.unlink(os.path.join(root, PROGRAM))
        self.command(COMMANDS[1], path, root).exits(5).says(PROGRAM, "--symfs")
        os.mkfifo(os.path.join(root, PROGRAM))
        self.command(COMMANDS[1], path, root).exits(5).says(PROGRAM, "cannot be read")
        os.unlink(os.path.join(root, PROGRAM))
        os.mkdir(os.path.join(root, PROGRAM))
        self.command(COMMANDS[1], path, root).exits(5).says(PROGRAM, "cannot be read")
        os.mkdir(self.path("no-program"))
        self.command(COMMANDS[1], path, self.path("no-program")).exits(5).says(PROGRAM)
        return 9

    @staticmethod
    def build_id(program):
        at = program.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16
        return program[at:at + 20]

    def with_build_id(self, build_id):
        """The sample with a BUILD_ID section, as perf record writes it after tracing."""
        data = bytearray(self.sample)
        name = b"/" + PROGRAM.encode() + b"\0"
        name += bytes(-len(name) % 64)
        entry = struct.pack("<IHHi", 0, 2 | 0x8000, 36 + len(name), -1) + build_id + b"\x14\0\0\0" + name
        start, size = struct.unpack_from("<2Q", data, 40)
        end = start + size
        bits = struct.unpack_from("<4Q", data, 72)
        if bits[0] & 4:
            raise Bad("the sample has build-ids already, but not the program's")
        count = sum(bin(b).count("1") for b in bits)
        table = [list(struct.unpack_from("<2Q", data, end + 16 * i)) for i in range(count)]
        for section in table:
            section[0] += 16
        table.insert(bin(bits[0] & 3).count("1"), [len(data) + 16, len(entry)])
        struct.pack_into("<Q", data, 72, bits[0] | 4)
        data[end:end + 16 * count] = b"".join(struct.pack("<2Q", *s) for s in table)
        return self.write("with-id", bytes(data) + entry)

    # ---- snapshots -------------------------------------------------------------------------------

    def dump_snapshot(self, folder, *more):
        return Run(self.tool, ["dump", "-s", folder, "--source", "all", *more], (folder,))

    def snapshots(self, seed):
        folder, gen = self.path("snapshot"), os.environ["CST_GEN"]
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([gen, "random", "--case", str(seed), "--insns", "300", "--snapshot", folder], check=True,
                       capture_output=True)
        self.dump_snapshot(folder, "--format=none").exits(0, 3, 5)
        return folder, sorted(os.listdir(folder))

    def snapshot_lines(self):
        """Each line of each INI file left out, doubled, and with other values."""
        rng, runs = random.Random(5), 0
        values = [b"", b"-1", b"0x", b"99999999999999999999999", b"../../../dev/zero", b"\xff\0\xfe", b"x" * 5000, b"[a]"]
        folder, names = self.snapshots(3)
        for name in (n for n in names if n.endswith(".ini")):
            whole = open(os.path.join(folder, name), "rb").read()
            lines = whole.splitlines(True)
            for i, line in enumerate(lines):
                variants = [lines[:i] + lines[i + 1:], lines[:i] + [line] + lines[i:]]
                if b"=" in line:
                    chosen = values if NIGHTLY else [rng.choice(values)]
                    variants += [lines[:i] + [line.split(b"=")[0] + b"=" + v + b"\n"] + lines[i + 1:] for v in chosen]
                for v in variants:
                    with open(os.path.join(folder, name), "wb") as f:
                        f.write(b"".join(v))
                    try:
                        self.dump_snapshot(folder)
                    except Bad as bad:
                        raise Bad("%s, line %d, %r: %s" % (name, i + 1, b"".join(v[i:i + 1])[:80], bad))
                    runs += 1
            with open(os.path.join(folder, name), "wb") as f:
                f.write(whole)
        return runs

    def snapshot_files(self):
        """Each file absent, empty, cut, garbage, a folder, a FIFO."""
        folder, names = self.snapshots(4)
        for name in names:
            path = os.path.join(folder, name)
            whole = open(path, "rb").read()
            for data in (None, b"", whole[:len(whole) // 2], random.Random(6).randbytes(3000), "folder", "fifo"):
                os.unlink(path)
                if data == "folder":
                    os.mkdir(path)
                elif data == "fifo":
                    os.mkfifo(path)
                elif data is not None:
                    with open(path, "wb") as f:
                        f.write(data)
                run = self.dump_snapshot(folder)
                if run.code == 0 and not isinstance(data, bytes):
                    run.says(name)
                if data == "folder":
                    os.rmdir(path)
                elif data is not None:
                    os.unlink(path)
                with open(path, "wb") as f:
                    f.write(whole)
        return len(names) * 6

    def snapshot_places(self):
        for name, data in (("a-file", b"[snapshot]\nversion=1.0\n"), ("nothing", None)):
            if data is not None:
                self.write(name, data)
            out = self.path("out")
            Run(self.tool, ["dump", "-s", self.path(name), "-o", out], (self.path(name),)).exits(1).says("snapshot.ini")
            if os.path.exists(out):
                raise Bad("an error left an output file")
        return 2


def main():
    tool = os.path.join(os.environ["BUILD"], "asan", "perf-cstrace")
    if not os.path.exists(tool):
        tool = os.environ["PERF_CSTRACE"]
    if not os.path.exists(SAMPLE):
        print("no " + SAMPLE)
        return 77
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        s = Suite(tool, folder)
        s.case("recordings of other forms", s.forms)
        s.case("recordings cut", s.cuts)
        s.case("recordings with flipped bits", s.flips)
        s.case("recordings with noise", s.noise)
        s.case("files that are no recordings", s.foreign)
        s.case("maps of anonymous memory", s.anonymous_memory)
        s.case("folders and absent files", s.folders)
        s.case("FIFOs and standard input", s.fifos)
        s.case("places that cannot be written", s.outputs)
        s.case("program files cut", s.program_cuts)
        s.case("program files with damaged headers", s.program_flips)
        s.case("program files of another kind", s.program_others)
        s.case("snapshots: lines of the INI files", s.snapshot_lines)
        s.case("snapshots: files", s.snapshot_files)
        s.case("snapshots: no snapshot there", s.snapshot_places)
    print("1..%d" % s.number)
    return 1 if s.failed else 0


if __name__ == "__main__":
    sys.exit(main())
