# SPDX-License-Identifier: BSD-3-Clause
"""Traces of the generator as files: frames with the synchronisation of a trace port, blocks of a DSTREAM probe, raw
bytes; programs as ELF files that are made here. What dump, script and info print of them is what they print of a
snapshot with the same trace, and convert --to=snapshot writes such a snapshot."""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from port import FSYNC, dstream, tpiu

TOOL = os.environ["PERF_CSTRACE"]
GEN = os.environ.get("CST_GEN", os.path.join(os.path.dirname(os.path.abspath(TOOL)), "tests/gen/cst-gen"))
SNAPSHOTS = os.path.join(os.environ.get("CSTRACE_SHARED", "../shared"), "corpus/snapshots")
ETM_ID, ITM_ID = 0x12, 0x21
LISTINGS = (("--packets", "--elements"), ("--elements", "--format=json"), ("--packets", "--format=opencsd"), ("--frames",),
            ("--raw",), ("--format=none",))
# Seeds of the generator: the first two are a Cortex-M33.
M_SEEDS, A_SEEDS = (39, 47), (5, 11)


class Skip(Exception):
    pass


def run(*argv, code=(0, 3, 5), says=()):
    done = subprocess.run([TOOL, *argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60)
    done.err = done.stderr.decode("utf-8", "replace")
    what = "%s: exit %d: %s" % (" ".join(argv), done.returncode, done.err[-1500:])
    assert done.returncode in (code if isinstance(code, tuple) else (code,)), what
    for text in (says,) if isinstance(says, str) else says:
        assert text in done.err, "no '%s': %s" % (text, what)
    return done


def write(path, data):
    with open(path, "wb" if isinstance(data, (bytes, bytearray)) else "w") as f:
        f.write(data)
    return path


def read(path):
    with open(path, "rb") as f:
        return f.read()


# ---- what is made here ---------------------------------------------------------------------------

def frame(trace_id, data):
    """One frame of at most 14 bytes of an ID; padding follows under ID 0 (CoreSight architecture, trace formatter)."""
    slots, aux, at = bytearray(16), 0, 0
    slots[0] = trace_id << 1 | 1
    if data:
        slots[1] = data[0]
        at = 1
    for pos in range(2, 15, 2):
        left = len(data) - at
        if left >= 2 or (left == 1 and pos == 14):
            slots[pos] = data[at] & 0xfe
            aux |= (data[at] & 1) << pos // 2
            if pos < 14:
                slots[pos + 1] = data[at + 1]
            at += 2
        else:
            # the ID changes to 0, behind the byte that follows if the bit is set
            slots[pos] = 1
            if left == 1:
                aux |= 1 << pos // 2
                slots[pos + 1] = data[at]
            at = len(data)
            break
    slots[15] = aux
    return bytes(slots)


def frames(streams, rng):
    """Frames of several IDs, mixed; each stream stays in order."""
    rest, out = {i: data for i, data in streams.items()}, []
    while any(rest.values()):
        i = rng.choice([k for k in rest if rest[k]])
        n = rng.randrange(1, 15)
        out.append(frame(i, rest[i][:n]))
        rest[i] = rest[i][n:]
    return out


def elf(segments, wide, symbols):
    """A program with a segment for each (address, bytes), and a function symbol at each."""
    machine, head, phsize, shsize = (183, 64, 56, 64) if wide else (40, 52, 32, 40)
    at, places, data = head + phsize * len(segments), [], b""
    for address, code in segments:
        pad = (address - at - len(data)) % 16
        places.append(at + len(data) + pad)
        data += bytes(pad) + code
    names = b"\0" + b"".join(b"function_%d\0" % i for i in range(len(segments)))
    sym = bytes(24 if wide else 16)
    for i, (address, code) in enumerate(segments if symbols else ()):
        name = names.index(b"function_%d\0" % i)
        sym += struct.pack("<IBBHQQ", name, 0x12, 0, 1, address, len(code)) if wide else \
            struct.pack("<IIIBBH", name, address, len(code), 0x12, 0, 1)
    sections = at + len(data) + -(at + len(data)) % 8
    data += bytes(sections - at - len(data))
    table = sections + len(sym)
    strings = table + len(names)
    strings += -strings % 8

    def section(kind, flags, address, offset, size, link, entry):
        return struct.pack("<IIQQQQIIQQ" if wide else "<IIIIIIIIII", 0, kind, flags, address, offset, size, link, 1, 1, entry)
    shdrs = bytes(shsize) + section(1, 6, segments[0][0], places[0], len(segments[0][1]), 0, 0) + \
        section(2, 0, 0, sections, len(sym), 3, 24 if wide else 16) + section(3, 0, 0, table, len(names), 0, 0)
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    header = ident + struct.pack("<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH", 2, machine, 1, segments[0][0], head, strings,
                                 0, head, phsize, len(segments), shsize, 4, 3)
    for (address, code), place in zip(segments, places):
        header += struct.pack("<IIQQQQQQ", 1, 5, place, address, address, len(code), len(code), 1) if wide else \
            struct.pack("<IIIIIIII", 1, place, address, address, len(code), len(code), 5, 1)
    body = header + data + sym + names
    return body + bytes(strings - len(body)) + shdrs, places


def itm_bytes(rng):
    out = bytearray(5) + b"\x80"
    for _ in range(200):
        out += bytes([rng.randrange(32) << 3 | 2]) + rng.randbytes(2) if rng.random() < 0.7 else \
            rng.choice([b"\x30", b"\xc0\x05", b"\x17" + rng.randbytes(4), b"\x05\x10"])
    return bytes(out)


class Made:
    """A trace of the generator: its raw bytes, registers, memory and core, and a program file with that memory."""
    def __init__(self, folder, seed, *options):
        self.dir = folder
        made = os.path.join(folder, "generated")
        subprocess.run([GEN, "random", "--case=%d" % seed, "--insns=3000", "--raw", "--id=%d" % ETM_ID, "--snapshot=" + made,
                        *options], check=True, stdout=subprocess.DEVNULL)
        core = read(made + "/cpu_0.ini").decode()
        etm = read(made + "/ETM_0.ini").decode()
        self.type = re.search("type=(.*)", core).group(1)
        self.source = re.search("type=(.*)", etm).group(1)
        self.regs = re.findall(r"^(TRC\w+)=(\w+)$", etm, re.M)
        self.memory = [(int(a, 16), read(os.path.join(made, f)))
                       for f, a in re.findall(r"file=(\S+)\naddress=(\w+)", core)]
        self.trace = read(made + "/trace0.bin")
        self.wide = self.type != "Cortex-M33"
        image, self.places = elf(self.memory, self.wide, True)
        self.elf = write(os.path.join(folder, "program.elf"), image)
        self.name = "ete" if self.source == "ETE" else "etmv4" if self.wide else "cortex-m33"

    def options(self, itm=False):
        regs = [w for name, value in self.regs for w in ("--reg", "%s=%s" % (name, value)) if name != "TRCTRACEIDR"]
        which = ["--trace-source", "0x%x=%s" % (ETM_ID, self.name), "--trace-source", "%d=itm" % ITM_ID,
                 "--reg", "ITMTCR=0x%x" % (ITM_ID << 16 | 1)] if itm else ["--core-type", self.name]
        return which + regs + ["--elf", self.elf]

    def snapshot(self, name, buffer, fmt, itm=False, from_elf=False):
        """The same trace as a snapshot, whose dumps are files of memory, or parts of the program file."""
        folder = os.path.join(self.dir, name)
        os.mkdir(folder)
        devices = ["cpu_0.ini", "ETM_0.ini"] + (["ITM_1.ini"] if itm else [])
        write(folder + "/snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\n%s\n[trace]\nmetadata=trace.ini\n" %
              "\n".join("device%d=%s" % d for d in enumerate(devices)))
        text = "[device]\nname=cpu_0\nclass=core\ntype=%s\n" % self.type
        for i, (address, code) in enumerate(self.memory):
            if not from_elf:
                write("%s/mem%d.bin" % (folder, i), code)
            text += "[dump%d]\naddress=0x%x\nlength=0x%x\n%s\n" % (
                i, address, len(code), "file=program.elf\noffset=0x%x" % self.places[i] if from_elf else "file=mem%d.bin" % i)
        if from_elf:
            shutil.copy(os.path.join(self.dir, "program.elf"), folder)
        write(folder + "/cpu_0.ini", text)
        write(folder + "/ETM_0.ini", "[device]\nname=ETM_0\nclass=trace_source\ntype=%s\n[regs]\n%s\n" % (
            self.source, "\n".join("%s=%s" % r for r in self.regs)))
        write(folder + "/ITM_1.ini", "[device]\nname=ITM_1\nclass=trace_source\ntype=ITM\n[regs]\nITMTCR=0x%x\n" %
              (ITM_ID << 16 | 1))
        write(folder + "/trace.ini", "[trace_buffers]\nbuffers=b0\n[b0]\nname=trace.bin\nfile=trace.bin\nformat=%s\n"
              "[source_buffers]\nETM_0=trace.bin\n%s\n[core_trace_sources]\ncpu_0=ETM_0\n" % (
                  fmt, "ITM_1=trace.bin" if itm else ""))
        write(folder + "/trace.bin", buffer)
        return folder


def losses(text):
    """What was lost, without assumptions about registers, names of files and counts of dumps."""
    return sorted(line for line in text.splitlines() if "lost" in line)


def same_dumps(options, snapshot, listings=LISTINGS):
    for how in listings:
        a, b = run("dump", *options, *how), run("dump", "-s", snapshot, *how)
        assert a.returncode == b.returncode, (how, a.err, b.err)
        assert a.stdout == b.stdout and a.stdout, (how, a.stdout[:300], b.stdout[:300])
        assert losses(a.err) == losses(b.err), (how, a.err, b.err)


def by_name(text):
    """The program of a snapshot may be a copy in its folder."""
    return re.sub(rb"/[^ \"\n]*/program\.elf", b"program.elf", text)


def facts(done):
    """The report without the names of the input and of the recorder's files, and without the options given."""
    found = json.loads(by_name(done.stdout))
    for key in ("file", "input", "next", "name", "done"):
        found.pop(key, None)
    return found


def same_samples(options, snapshot, fields=()):
    a, b = (run("script", *o, "--itrace=b", *fields) for o in (options, ("-i", snapshot)))
    ours, theirs = by_name(a.stdout), by_name(b.stdout)
    assert ours == theirs and ours, (ours[:300], theirs[:300], a.err, b.err)
    assert a.returncode == b.returncode, (a.err, b.err)
    return a.stdout.decode()


# ---- tests ---------------------------------------------------------------------------------------

def test_cortex_m_and_itm_of_a_trace_port(tmp):
    for seed in M_SEEDS:
        rng, made = random.Random(seed), Made(os.path.join(tmp, str(seed)), seed)
        assert made.type == "Cortex-M33", made.type
        parts = frames({ETM_ID: made.trace, ITM_ID: itm_bytes(rng)}, rng)
        plain = b"".join(parts)
        snapshot = made.snapshot("snapshot", plain, "coresight", itm=True)
        by_elf = made.snapshot("by-elf", plain, "coresight", itm=True, from_elf=True)
        file = write(os.path.join(made.dir, "trace.bin"), tpiu(parts, rng))
        options = ["--trace", file, "--trace-format", "tpiu", *made.options(itm=True)]
        same_dumps(options, snapshot)
        assert "ITM" in run("dump", *options, "--packets").stdout.decode().upper()
        same_samples(options, snapshot, ("-F", "ip,addr"))
        assert "function_" in same_samples(options, by_elf)
        a, b = (run("info", *o, "--format=json") for o in (options, ("-i", by_elf)))
        assert facts(a) == facts(b), (facts(a), facts(b))
        run("compare", *options, "--with", snapshot)      # 0 or 3: no differences
        a, b = (run("verify", *o, "--format=json", code=(0, 3, 4, 5)) for o in (options, ("-i", snapshot)))
        assert a.stdout == b.stdout, (a.stdout[:500], b.stdout[:500])
        a, b = (run("dump", *o, "--format=tarmac", "--no-disassembly") for o in (options, ("-s", snapshot)))
        assert a.stdout == b.stdout and a.stdout, (a.stdout[:500], b.stdout[:500])
        yield "seed %d: a Cortex-M33 and its ITM" % seed


def test_itm_alone(tmp):
    rng = random.Random(3)
    data = itm_bytes(rng)
    for fmt, buffer in (("raw", data), ("tpiu", tpiu(frames({ITM_ID: data}, rng), rng))):
        file = write(os.path.join(tmp, fmt), buffer)
        done = run("dump", "--trace", file, "--trace-format", fmt, "--core-type", "itm", "--elements", "--format=json",
                   says="no ITMTCR")
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert sum(r.get("kind") == "itm" for r in found) > 150, found[:5]
        yield "ITM, " + fmt


def test_a_profile(tmp):
    for seed in A_SEEDS:
        rng, made = random.Random(seed), Made(os.path.join(tmp, str(seed)), seed, "--ete", "--exclude=mprofile")
        assert made.source == "ETE"
        parts = frames({ETM_ID: made.trace}, rng)
        plain = b"".join(parts)
        for fmt, name, buffer in (("aligned", "coresight", plain), ("raw", "source_data", made.trace),
                                  ("dstream", "dstream_coresight", dstream(tpiu(parts, rng, False)))):
            snapshot = made.snapshot(name, buffer, name)
            by_elf = made.snapshot(name + "-elf", buffer, name, from_elf=True)
            file = write(os.path.join(made.dir, "trace.bin"), buffer)
            options = ["--trace", file, "--trace-format", fmt, *made.options()]
            if fmt == "raw":
                options += ["--reg", "TRCTRACEIDR=0x%x" % ETM_ID]
            same_dumps(options, snapshot, LISTINGS if fmt != "raw" else LISTINGS[:3])
            same_samples(options, snapshot, ("-F", "ip,addr"))
            same_samples(options, by_elf)
            a, b = (run("info", *o, "--format=json") for o in (options, ("-i", by_elf)))
            assert facts(a) == facts(b), (facts(a), facts(b))
            a, b = (run("profile", *o, "--binary", made.elf) for o in (options, ("-i", by_elf)))
            assert by_name(a.stdout) == by_name(b.stdout) and a.stdout, (a.err, b.err)
            yield "seed %d: an ETE, %s" % (seed, fmt)


def test_converted(tmp):
    rng, made = random.Random(1), Made(tmp, M_SEEDS[0])
    parts = frames({ETM_ID: made.trace, ITM_ID: itm_bytes(rng)}, rng)
    file = write(os.path.join(tmp, "trace.bin"), tpiu(parts, rng))
    options = ["--trace", file, "--trace-format", "tpiu", *made.options(itm=True)]
    to = os.path.join(tmp, "converted")
    run("convert", *options, "--to=snapshot", "-o", to, code=0)
    same_dumps(options, to)
    yield "convert --to=snapshot"
    made.elf = os.path.join(to, "program.elf")
    assert "function_" in same_samples(options[:-1] + [made.elf], to)
    yield "symbols are in the snapshot, too"
    for to in "package", "perf":
        run("convert", *options, "--to=" + to, "-o", os.path.join(tmp, to), code=3,
            says=("the source ITM_1", "dropped: the profile of CPU 0"))
        yield "convert --to=%s says what is dropped" % to
    snapshot, to = made.snapshot("snapshot", made.trace, "source_data"), os.path.join(tmp, "again")
    run("convert", "-i", snapshot, "--to=snapshot", "-o", to)
    a, b = (run("script", "-i", s, "--itrace=b", "-F", "ip,addr") for s in (snapshot, to))
    assert a.stdout == b.stdout and a.stdout, (a.stdout[:300], b.stdout[:300], a.err, b.err)
    yield "a snapshot of a Cortex-M, converted to one"
    rng, made = random.Random(1), Made(os.path.join(tmp, str(A_SEEDS[0])), A_SEEDS[0], "--ete", "--exclude=mprofile")
    file = write(os.path.join(tmp, "a.bin"), made.trace)
    options = ["--trace", file, "--trace-format", "raw", *made.options()]
    to = os.path.join(tmp, "a-package")
    run("convert", *options, "--to=package", "-o", to, "--images", code=(0, 3, 5))
    assert run("script", "-i", to, "--itrace=b", "-F", "ip").stdout == run("script", *options, "--itrace=b", "-F", "ip").stdout
    yield "convert --to=package --images of an ETE"


def test_several_files(tmp):
    one, two = (Made(os.path.join(tmp, str(s)), s, "--ete", "--exclude=mprofile") for s in A_SEEDS)
    files = [write(os.path.join(tmp, "%d.bin" % i), m.trace) for i, m in enumerate((one, two))]
    options = ["--trace-format", "raw", "--elf", one.elf, "--elf", two.elf]
    for i, made in enumerate((one, two), 1):
        options += ["--trace", "%s:%d" % (files[i - 1], i), "--trace-source", "%d=%s" % (i, made.name)]
        options += [w for n, v in made.regs if n != "TRCTRACEIDR" for w in ("--reg", "%d:%s=%s" % (i, n, v))]
    for i in (0, 1):
        done = run("dump", *options, "--source", "%d.bin" % i, "--packets")
        want = run("dump", "-s", os.path.join((one, two)[i].dir, "generated"), "--source", "ETM_0", "--packets")
        assert re.sub(rb"(?m)^(\S+ +)\S+", rb"\1", done.stdout) == re.sub(rb"(?m)^(\S+ +)\S+", rb"\1", want.stdout), \
            (done.stdout[:200], want.stdout[:200])
        # the ID of the source that --trace names
        assert set(re.findall(rb"(?m)^[0-9]+ +(\S+)", done.stdout)) == {b"%02x" % (i + 1)}, done.stdout[:200]
    yield "two raw files, with registers for each"
    both = run("dump", *options, "--packets").stdout
    assert both == run("dump", *options, "--packets", "--source", "all").stdout
    assert set(re.findall(rb"(?m)^[0-9]+ +(\S+)", both)) == {b"01", b"02"}, both[:200]
    yield "two raw files are both listed"


def test_program_with_snapshot(tmp):
    made = Made(tmp, M_SEEDS[0])
    snapshot = made.snapshot("snapshot", made.trace, "source_data")
    plain = run("script", "-i", snapshot, "--itrace=b", "-F", "ip,addr")
    done = run("script", "-i", snapshot, "--elf", made.elf, "--itrace=b", "-F", "ip,addr")
    assert plain.stdout == done.stdout
    assert "function_" not in run("script", "-i", snapshot, "--itrace=b").stdout.decode()
    assert "function_" in run("script", "-i", snapshot, "--elf", made.elf, "--itrace=b").stdout.decode()
    yield "symbols from --elf"
    image = bytearray(read(made.elf))
    image[made.places[0] + 8] ^= 0xff
    other = write(os.path.join(tmp, "other.elf"), image)
    done = run("script", "-i", snapshot, "--elf", other, "--itrace=b", "-F", "ip,addr", says="pages differ from the memory in")
    assert plain.stdout == done.stdout
    yield "a program that is not what ran"
    wide = "%s@0x%x" % (write(os.path.join(tmp, "wide"), bytes(1 << 16)), made.memory[0][0] & ~0xfff)
    done = run("script", "-i", snapshot, "--elf", wide, "--itrace=b", "-F", "ip,addr", says="pages differ from the memory in")
    assert plain.stdout == done.stdout
    done = run("script", "-i", snapshot, "--elf", wide, "--elf", made.elf, "--itrace=b")
    assert "function_" in done.stdout.decode()
    yield "memory around that of the snapshot, and the program that ran"
    for name in os.listdir(snapshot):
        if name.startswith("mem"):
            os.unlink(os.path.join(snapshot, name))
    done = run("script", "-i", snapshot, "--elf", made.elf, "--itrace=b", "-F", "ip,addr")
    assert plain.stdout == done.stdout, done.err
    whole = made.snapshot("whole", made.trace, "source_data")
    # memory that is missing stays a loss, though nothing was not decoded
    a = run("dump", "-s", snapshot, "--elf", made.elf, "--elements")
    assert a.stdout == run("dump", "-s", whole, "--elements").stdout
    yield "memory that the snapshot does not have"


def test_addresses(tmp):
    made = Made(tmp, M_SEEDS[0])
    file = write(os.path.join(tmp, "trace.bin"), made.trace)
    base = min(a for a, _ in made.memory)
    moved = write(os.path.join(tmp, "moved.elf"), elf([(a - base, c) for a, c in made.memory], made.wide, True)[0])
    options = ["--trace", file, "--trace-format", "raw", *made.options()[:-2]]
    want = run("dump", *options, "--elf", made.elf, "--elements").stdout
    first = made.memory[0][0]
    assert run("dump", *options, "--elf", "%s@0x%x" % (moved, first), "--elements").stdout == want
    yield "FILE@ADDR of an ELF file"
    raw = [w for i, (a, c) in enumerate(made.memory)
           for w in ("--elf", "%s@0x%x" % (write(os.path.join(tmp, "m%d" % i), c), a))]
    assert run("dump", *options, *raw, "--elements").stdout == want
    yield "FILE@ADDR of memory"


def test_assumed(tmp):
    made = Made(tmp, M_SEEDS[0])
    file = write(os.path.join(tmp, "trace.bin"), b"".join(frames({ETM_ID: made.trace}, random.Random(1))))
    done = run("dump", "--trace", file, "--core-type", "cortex-m33", "--elf", made.elf, "--packets",
               says="no TRCCONFIGR: 0x1001 is assumed")
    assert b"ASYNC" in done.stdout
    assert done.err.count("assumed") == 1, done.err
    yield "three options are enough, and say what is assumed"
    run("dump", "--trace", file, "--core-type", "etmv4-m", "--reg", "TRCIDR0=0x280006e1", "--reg", "TRCIDR2=4", "--packets",
        says=("no TRCCONFIGR: 0x1001 is assumed", "no TRCIDR1: 0x4100f403 is assumed (ETMv4.0)", "no TRCIDR8: 0x0 is assumed"))
    yield "without a row of the table more is assumed"
    done = run("dump", "--trace", file, *made.options(), "--packets")
    assert "assumed" not in done.err, done.err
    yield "nothing is assumed of registers that are given"
    done = run("info", "--trace", file, *made.options())
    assert "--core-type cortex-m33" in done.stdout.decode(), done.stdout
    yield "info lists command lines with the same options"


def test_sources_of_files(tmp):
    made = Made(tmp, M_SEEDS[0])
    file = write(os.path.join(tmp, "trace.bin"), made.trace)
    options = ("dump", "--trace-format", "raw", "--packets")
    run(*options, "--core-type", "cortex-m33", "--trace", file + ":1", "--trace", file + ":0x2", code=1,
        says="--trace %s: found trace IDs 0x01 and 0x02, expected a --trace-source for each\n" % file)
    run(*options, "--trace-source", "1=cortex-m33", "--trace", file + ":1", "--trace", file + ":0x2", code=1,
        says="--trace %s: trace ID 0x02 has no --trace-source\n" % file)
    yield "trace IDs of files that no source has"
    parts = tpiu(frames({ETM_ID: made.trace}, random.Random(1)), random.Random(2), False)
    # FSYNC words may follow the last frame
    while parts.endswith(FSYNC):
        parts = parts[:-4]
    cut = write(os.path.join(tmp, "cut.bin"), parts[:-6])
    run("dump", "--trace", cut, "--trace-format", "tpiu", *made.options(), "--packets", code=3,
        says="--trace %s: 10 of %d bytes are in no whole frame of --trace-format tpiu\n" % (cut, len(parts) - 6))
    yield "bytes in no whole frame"
    head = bytearray(read(made.elf))
    head[56 if made.wide else 44] = 0
    empty = write(os.path.join(tmp, "empty.elf"), head)
    run(*options, "--core-type", "cortex-m33", "--trace", file, "--elf", empty, code=1,
        says="--elf %s: found an ELF file without loadable segments, expected a linked program\n" % empty)
    yield "a program without segments"


def test_errors(tmp):
    made = Made(tmp, M_SEEDS[0])
    rng = random.Random(1)
    raw = write(os.path.join(tmp, "raw"), made.trace)
    both = write(os.path.join(tmp, "both"), b"".join(frames({ETM_ID: made.trace, ITM_ID: itm_bytes(rng)}, rng)))
    core = ("--core-type", "cortex-m33")
    none = os.path.join(tmp, "none")
    text = write(os.path.join(tmp, "text"), "no program\n")
    for command in ("dump", "info", "script", "profile", "convert", "inject", "verify", "compare"):
        extra = {"convert": ["--to=snapshot", "-o", os.path.join(tmp, "out")], "inject": ["-o", os.path.join(tmp, "out")],
                 "compare": ["--with", raw]}
        extra = extra.get(command, [])
        run(command, "--trace", none, *core, *extra, code=1, says=("--trace " + none, "No such file"))
        run(command, "--trace", raw, *extra, code=129, says="--trace needs --core-type NAME")
        run(command, "--trace", raw, *core, "-i", raw, *extra, code=129, says="--trace and -i exclude each other")
        run(command, "--reg", "TRCIDR0=1", *extra, code=129, says="are for --trace")
        assert not os.path.exists(os.path.join(tmp, "out"))
    for code, says, argv in (
            (129, ("--trace-format: found 'etb'", "expected aligned, tpiu, dstream or raw"), ("--trace-format", "etb")),
            (129, ("--core-type: found 'z80'", "cortex-m33"), ("--core-type", "z80")),
            (129, "--reg: found 'TRCIDR0'", (*core, "--reg", "TRCIDR0")),
            (129, "--reg: found 'TRCIDR0=many'", (*core, "--reg", "TRCIDR0=many")),
            (129, "--reg: found '0x80:TRCIDR0=1'", (*core, "--reg", "0x80:TRCIDR0=1")),
            (129, "--trace-source: found 'itm', expected ID=NAME", ("--trace-source", "itm")),
            (129, "one of the two", (*core, "--trace-source", "1=itm")),
            (1, ("--reg TRCIDRO: found a register that cortex-m33 does not have", "TRCIDR0"), (*core, "--reg", "TRCIDRO=1")),
            (1, "no trace source has the ID 0x05", (*core, "--reg", "TRCTRACEIDR=0x12", "--reg", "5:TRCIDR0=1")),
            (1, "register TRCIDR0 is missing", ("--core-type", "etmv4-m", "--reg", "TRCTRACEIDR=0x12")),
            (1, ("found trace IDs 0x12", "0x21", "expected one", "--trace-source"), core),
            (1, "trace ID 0x12 is given twice", ("--trace-source", "0x12=itm", "--trace-source", "18=stm")),
            (1, "--elf %s: No such file" % none, (*core, "--reg", "TRCTRACEIDR=0x12", "--elf", none)),
            (1, ("found a file that is not ELF", text + "@ADDR"), (*core, "--reg", "TRCTRACEIDR=0x12", "--elf", text)),
            (1, "expected a number (0x..)", (*core, "--reg", "TRCTRACEIDR=0x12", "--elf", text + "@here"))):
        run("dump", "--trace", both, *argv, code=code, says=says)
    run("dump", "--trace", raw + ":0x80", *core, code=1, says=("found '0x80' as the trace ID", "0x01 to 0x6f"))
    run("dump", "--trace", raw, "--trace", raw, "--trace-format", "raw", "--trace-source", "1=itm", "--trace-source", "2=stm",
        code=1, says="expected --trace FILE:ID")
    run("dump", "--trace", raw, *core, "-s", tmp, code=129, says="--trace and -s exclude each other")
    run("dump", "--trace", raw, *core, "--time", "1,2", code=129, says="are not for -s and --trace")
    run("info", "-i", "tests/data/sample.perf.data", "--elf", made.elf, code=1, says="--symfs says where")
    done = run("dump", "--trace", write(os.path.join(tmp, "empty"), b""), *core, code=1, says="no trace ID in the frames")
    assert not done.stdout
    yield "errors name the option, what was found and what was expected"


def given(folder, fmt, *dumps):
    """Options for a snapshot of the corpus: its trace file, the registers of its source, and its memory."""
    ini = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".ini"):
            with open(os.path.join(folder, name), errors="replace") as f:
                ini[name] = f.read().replace("\r", "")
    source = next(t for t in ini.values() if re.search("(?mi)^class *= *trace_source", t))
    regs = re.findall(r"(?m)^(TRC(?:IDR\d+|CONFIGR|TRACEIDR|DEVARCH)|ITMTCR)(?:\([^)]*\))? *= *(\w+)", source)
    trace = re.search(r"(?m)^file *= *(\S+)", ini["trace.ini"]).group(1)
    options = ["--trace", os.path.join(folder, trace), "--trace-format", fmt]
    for name, value in regs:
        options += ["--reg", "%s=%s" % (name, value)]
    for text in ini.values():
        for section in re.split(r"(?m)^\[", text):
            found = dict(re.findall(r"(?m)^(\w+) *= *(\S+)", section))
            if section.startswith("dump") and os.path.exists(os.path.join(folder, found["file"].replace("\\", "/"))) and \
                    "offset" not in found:
                options += ["--elf", "%s@%s" % (os.path.join(folder, found["file"]), found["address"])]
    return options


def test_corpus(tmp):
    if not os.path.isdir(SNAPSHOTS):
        raise Skip("no %s" % SNAPSHOTS)
    for name, core, fmt in (("a55-test-tpiu", "etmv4", "dstream"), ("itm_only_raw", "itm", "raw"),
                            ("itm_only_csformat", "itm", "aligned"), ("init-short-addr", "cortex-a57", "raw"),
                            ("ete_spec_1", "ete", "raw"), ("ete-wfet", "ete", "raw"), ("pauth_lr", "ete", "raw")):
        folder = os.path.join(SNAPSHOTS, name)
        options = given(folder, fmt) + ["--core-type", core]
        for how in (("--packets", "--elements"), ("--elements", "--format=json")):
            a, b = run("dump", *options, *how), run("dump", "-s", folder, *how)
            # the buffer has another name
            a, b = (re.sub(rb'(?m)^(# ).*: |"section":"[^"]*"|"name":"[^"]*"', rb"\1", d.stdout) for d in (a, b))
            assert a == b and a, (name, how, a[:300], b[:300])
        yield name


def main():
    number = failed = 0
    for name in [n for n in globals() if n.startswith("test_")]:
        with tempfile.TemporaryDirectory() as tmp:
            for seed in M_SEEDS + A_SEEDS:
                os.mkdir(os.path.join(tmp, str(seed)))
            try:
                for case in globals()[name](tmp):
                    number += 1
                    print("ok %d - %s: %s" % (number, name, case), flush=True)
            except Skip as why:
                number += 1
                print("ok %d - %s # SKIP %s" % (number, name, why))
            except (AssertionError, subprocess.TimeoutExpired) as error:
                number, failed = number + 1, failed + 1
                print("not ok %d - %s\n# %s" % (number, name, str(error).replace("\n", "\n# ")), flush=True)
    print("1..%d" % number)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
