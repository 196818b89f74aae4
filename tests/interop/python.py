# SPDX-License-Identifier: BSD-3-Clause
"""The Python package cstrace, for python.sh: python.py PART. With HIDE_NUMPY=1 as if NumPy were not there.

layout PROGRAM   sizes, offsets and values are those that the C program of generate.py --offsets prints
package          all of the package, against perf-cstrace on the sample and against the model of cst-gen
truth            branches of recordings whose execution is known, in CSTRACE_SHARED
speed PROGRAM    counts of a large one in at most 15 % more time than PROGRAM, a client in C
"""
import collections
import ctypes
import gc
import io
import lzma
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
if os.environ.get("HIDE_NUMPY"):
    sys.modules["numpy"] = None

import cstrace  # noqa: E402
from cstrace import _abi, _rows  # noqa: E402

SAMPLE, SYMFS = "tests/data/sample.perf.data", "tests/data/symfs"
TOOL = os.environ["PERF_CSTRACE"]
HAVE_NUMPY = _rows.numpy is not None


def same(got, wanted):
    if got != wanted:
        raise AssertionError("found %.300r, expected %.300r" % (got, wanted))


def raises(kind, function, *args, code=None):
    """The exception of a call that must fail so."""
    try:
        function(*args)
    except kind as error:
        if code is not None:
            same(error.code, code)
        return error
    raise AssertionError("no %s" % kind.__name__)


def tool(*args):
    return subprocess.run([TOOL, *args], check=True, capture_output=True, text=True).stdout


def sample(**more):
    return cstrace.Recording(SAMPLE, symfs=SYMFS, **more)


def branches_of(recording):
    """{(cpu, tid): [(from, to)]}"""
    found = collections.defaultdict(list)
    for batch in recording:
        found[batch.cpu, batch.tid] += [b[:2] for b in batch.branches.tolist()]
    return {key: value for key, value in found.items() if value}


# ---- layout

def layout(program):
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        name, _, number = line.rpartition(" ")
        name, _, member = name.partition(".")
        kind = getattr(_abi, name)
        if issubclass(kind, int):
            found = getattr(kind, member) if member else ctypes.sizeof(ctypes.c_int)
        else:
            found = offset_of(kind, member) if member else ctypes.sizeof(kind)
        same((name, member, found), (name, member, int(number)))
    assert len(lines) > 500


def offset_of(kind, member):
    for name, inner in kind._fields_:
        if name == member:
            return getattr(kind, name).offset
        if name in getattr(kind, "_anonymous_", ()):
            found = offset_of(inner, member)
            if found is not None:
                return found + getattr(kind, name).offset
    return None


# ---- a recording

def branches_are_those_of_script():
    wanted = collections.defaultdict(list)
    for line in tool("script", "-i", SAMPLE, "--symfs", SYMFS, "--itrace=b", "-F", "pid,tid,cpu,flags,ip,addr").splitlines():
        who, cpu, flags, begin, _, to = re.match(r"\s*(\S+)\s+\[(\d+)\]\s+(.*?)\s+(\w+) (=>)\s+(\w+)$", line).groups()
        if int(begin, 16) and int(to, 16) and "int" not in flags.split() and "syscall" not in flags.split():
            wanted[int(cpu), int(who.split("/")[1])].append((int(begin, 16), int(to, 16)))
    with sample() as recording:
        same(branches_of(recording), dict(wanted))
        same(recording.losses, [])
    assert sum(map(len, wanted.values())) > 20000


def ranges_and_tuples_are_the_elements():
    timed = 0
    with sample(times=True) as recording:
        for batch in recording:
            rows = list(batch)
            same([g for g in rows if g.kind == cstrace.GenericKind.RANGE], list(primary(batch.ranges)))
            same(rows, list(primary(batch.elements)))
            same((len(batch), batch.cpu, batch.tid, batch.comm), (len(rows), 0, batch.pid, batch.comm))
            timed += batch.time > 0 and batch.comm is not None
            for g in rows[::50]:
                same((g.payload, g.ts, g.size, g.runs, g.master, g.branches), (g.addr, g.end, g.n_insn, g.cc, g.context_id, g.sect_off))
                same(g.insn.to_bytes(8, sys.byteorder)[:4], g.error.to_bytes(4, sys.byteorder))
            for section, file in batch.files.items():
                assert file is None or file.path.startswith("/") and file == batch.file(section)
    assert timed > 5


def primary(rows):
    """The rows of an array as tuples without the fields that share a place."""
    if not HAVE_NUMPY:
        return iter(rows)
    at = [rows.dtype.names.index(name) for name in cstrace.Element._fields]
    return (cstrace.Element(*(row[i] for i in at)) for row in rows.tolist())


def count_file(*args):
    with tempfile.NamedTemporaryFile() as out:
        tool("profile", "-i", SAMPLE, "--symfs", SYMFS, "--format=cstrace", *args, "-o", out.name)
        with open(out.name, "rb") as written:   # another file of that name
            return written.read()


def counts_are_those_of_profile():
    whole = cstrace.CountFile(io.BytesIO(count_file("--no-calls")))
    same(whole.losses, {})
    by_id = {binary.binary.id: binary for binary in whole.binaries}
    with sample() as recording:
        split = recording.counts()
        for counts in recording.counts(joined=True):
            binary = by_id.pop(counts.file.build_id)
            ranges = collections.Counter()
            for _, _, _, start, last, count in binary.ranges.tolist():
                ranges[start, last] += count
            same({(a, b): n for a, b, n in counts.ranges.tolist()}, dict(ranges))
            edges = {(a, None if b == cstrace.OUTSIDE else b): n for a, b, n in counts.edges.tolist()}
            same(edges, {(a, None if b == _abi.CST_COUNT_OUTSIDE else b): n for _, a, b, n in binary.edges.tolist()})
            assert counts.method is None and counts.branches >= sum(edges.values())
        same(by_id, {})
        same([c.edges.tolist() for c in recording.counts()], [c.edges.tolist() for c in split])
        same(recording.losses, [])


def losses_are_said():
    with cstrace.Recording(SAMPLE, symfs="tests/data/golden", buildid_dir="tests/data/golden") as recording:
        for _ in recording:
            pass
        assert recording.losses and all(loss.count and loss.why and loss.counted for loss in recording.losses), recording.losses
        ran = recording.losses
        recording.counts()
        same([loss.why for loss in recording.losses], [loss.why for loss in ran])


def a_batch_is_the_memory_of_the_library():
    if not HAVE_NUMPY:
        return
    numpy, places, kept, sums = _rows.numpy, set(), [], []

    def each(batch):
        array = batch.elements
        place = array.__array_interface__["data"][0]
        same(place, ctypes.addressof(batch._kept.contents.elements.contents))
        same(array.flags.writeable, False)
        places.add(place)
        kept.append((array["addr"], batch.branches))    # a view of the array, and one of memory that only it refers to
        sums.append((int(array["addr"].sum(dtype=numpy.uint64)), batch.branches.tobytes()))

    recording = sample()
    same(recording.run(each), True)
    same(len(places), len(kept))
    recording.close()
    del recording
    gc.collect()
    junk = [bytearray(os.urandom(1 << 18)) for _ in range(64)]      # what would be in that memory now
    same([(int(a.sum(dtype=numpy.uint64)), b.tobytes()) for a, b in kept], sums)
    del junk
    # nothing is kept: the memory is used again
    places.clear()
    with sample() as again:
        again.run(lambda batch: places.add(batch.elements.__array_interface__["data"][0]))
    assert len(places) <= 8 < len(kept), places


def a_recording_is_one_threads():
    with sample() as recording:
        raises(cstrace.Error, recording.run, lambda batch: recording.run(print), code=cstrace.ErrorCode.BUSY)
        raises(cstrace.Error, recording.run, lambda batch: recording.close(), code=cstrace.ErrorCode.BUSY)
        raises(ZeroDivisionError, recording.run, lambda batch: 1 // 0)
        same(recording.run(lambda batch: True), False)
        for n, batch in enumerate(recording):
            if n == 2:
                break
        first = list(batch)
        same(sum(1 for _ in recording) > 3, True)
        same(list(batch), first)
    recording.close()
    raises(ValueError, recording.run, print)
    raises(ValueError, recording.counts)
    raises(ValueError, lambda: recording.losses)
    found = [None, None]

    def work(i):
        with sample() as own:
            found[i] = branches_of(own)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same(found[0], found[1])
    assert found[0]


def bad_recordings_raise():
    error = raises(cstrace.Error, cstrace.Recording, "tests/data/none")
    assert "tests/data/none" in error.text and error.code > 0 and error.offset is None
    raises(cstrace.Error, lambda: cstrace.Recording(SAMPLE, time="x"), code=cstrace.ErrorCode.INVAL)
    raises(ValueError, cstrace.Recording, "a\0b")
    raises(TypeError, cstrace.Recording, 5)
    with open(SAMPLE, "rb") as file:
        data = file.read()
    draw = random.Random(1)
    opened = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        for i in range(30):
            bad = bytearray(data)
            if i % 3 == 0:
                del bad[draw.randrange(len(bad)):]
            elif i % 3 == 1:
                for _ in range(draw.randrange(1, 200)):
                    bad[draw.randrange(len(bad))] = draw.randrange(256)
            else:
                bad = bytearray(draw.randbytes(draw.randrange(4000)))
            with open(path, "wb") as file:
                file.write(bad)
            try:
                with cstrace.Recording(path, symfs=SYMFS) as recording:
                    recording.run(lambda batch: len(batch.branches) + len(batch.files) < 0)
                    recording.counts()
                    opened += len(recording.losses) > 0
            except cstrace.Error as error:
                assert error.text and error.code
    assert opened, "no damaged recording was decoded"


# ---- a buffer

class Buffer:
    """What cst-gen made: fragments of trace of one thread, its code, and what it executed."""

    def __init__(self, folder):
        from recording import REGISTERS, Recording
        made = Recording(os.environ["CST_GEN"], folder)
        cpu = made.perf.metadata()[0]
        self.config = cstrace.Config.etmv4(**{r: cpu[r] for r in REGISTERS})
        self.code, self.at, self.fragments = made.code, made.at, list(made.fragments())
        self.edges = collections.Counter()
        for line in made.edges().splitlines():
            a, b, n = line.split()
            self.edges[int(a, 16), int(b, 16)] += int(n)

    def tree(self, counted=False):
        image = cstrace.Image()
        section, space = image.section(self.code), image.space()
        space.map(self.at, section)
        tree = cstrace.Tree(image)
        counts = cstrace.Counts(image) if counted else None
        tree.add(self.config, space, counts)
        return tree, section, counts


def a_buffer_becomes_branches(buffer):
    tree, section, _ = buffer.tree()
    inside, kept = range(buffer.at, buffer.at + len(buffer.code)), []
    found, elements = collections.Counter(), 0
    for fragment in buffer.fragments:
        for batch in tree.decode(bytearray(fragment)):
            if len(kept) < 8:
                kept.append((batch, list(batch)))
                assert all(g.section in (0, section.id) for g in batch)
            elements += len(batch)
            for begin, to, *_ in batch.branches.tolist():
                if begin in inside and to in inside:
                    found[begin - buffer.at, to - buffer.at] += 1
    # the others lead to where an exception or the end of a stretch came before the first instruction
    same(buffer.edges - found, collections.Counter())
    assert 0 < sum((found - buffer.edges).values()) < sum(found.values()) / 20
    stats = tree._decoders[next(iter(tree._decoders))].stats
    same(stats.elements, elements)
    same(stats.bytes > 0 and tree.frame_stats.frames * 16, sum(map(len, buffer.fragments)))
    tree.close()
    raises(ValueError, lambda: tree.losses)
    for batch, rows in kept:
        same(list(batch), rows)
    if HAVE_NUMPY:
        same(kept[0][0].elements.__array_interface__["data"][0], ctypes.addressof(kept[0][0]._memory))


def a_buffer_becomes_counts(buffer):
    tree, section, counts = buffer.tree(counted=True)
    for fragment in buffer.fragments:
        for _ in tree.decode(fragment):
            pass
    del tree
    ranges, edges = counts.take(section)
    del counts, section
    gc.collect()
    same({(a, b): n for a, b, n in edges.tolist()}, dict(buffer.edges))
    assert len(ranges) > 10


def bad_buffers_are_losses(buffer):
    draw = random.Random(2)
    tree, _, _ = buffer.tree()
    for i in range(80):
        if i % 2:
            data = bytearray(draw.choice(buffer.fragments))
            for _ in range(draw.randrange(1, 20)):
                data[draw.randrange(len(data))] = draw.randrange(256)
        else:
            data = draw.randbytes(draw.randrange(3000))
        for batch in tree.decode(data, offset=draw.randrange(1 << 40) * 16):
            len(batch.branches)
            if draw.random() < 0.05:
                break
    assert {loss.what for loss in tree.losses} & {"unsynced", "bad_packets"}, tree.losses
    # after all of it sound trace is decoded as before
    n = sum(len(batch) for batch in tree.decode(buffer.fragments[0]))
    fresh, _, _ = buffer.tree()
    same(n, sum(len(batch) for batch in fresh.decode(buffer.fragments[0])))


def wrong_calls_raise(buffer):
    image, other = cstrace.Image(), cstrace.Image()
    section, space = image.section(b"\0" * 64), image.space()
    raises(cstrace.Error, space.map, 2, section, 1, code=cstrace.ErrorCode.INVAL)
    raises(ValueError, space.map, 0, section, 0, 65)
    raises(ValueError, space.map, 0, other.section(b""))
    raises(OverflowError, space.map, -4, section)
    raises(OverflowError, lambda: cstrace.Config.etmv4(configr=1 << 32))
    raises(AttributeError, lambda: cstrace.Config.etmv4(nothing=1))
    raises(cstrace.Error, cstrace.Config.etmv3, code=cstrace.ErrorCode.VERSION)
    raises(AttributeError, setattr, buffer.config, "struct_size", 1)
    tree = cstrace.Tree(image)
    tree.add(buffer.config)
    error = raises(cstrace.Error, tree.add, buffer.config, code=cstrace.ErrorCode.INVAL)
    same(error.text, "invalid argument")
    raises(ValueError, tree.add, buffer.config, other.space())
    counts = cstrace.Counts(image)
    raises(cstrace.Error, cstrace.Counts, image, code=cstrace.ErrorCode.BUSY)
    raises(ValueError, cstrace.Tree(other).add, buffer.config, None, counts)
    first = tree.decode(buffer.fragments[0])
    next(first)
    raises(cstrace.Error, next, tree.decode(buffer.fragments[0]), code=cstrace.ErrorCode.BUSY)
    tree.close()
    raises(ValueError, next, first)


# ---- count files

def count_files_round():
    data = count_file()
    with cstrace.CountReader(io.BytesIO(data)) as reader:
        records = list(reader)
    raises(ValueError, next, reader)
    out = io.BytesIO()
    with cstrace.CountWriter(out) as writer:
        for record in records:
            writer.write(record)
        error = raises(cstrace.Error, writer.write, records[0], code=cstrace.ErrorCode.INVAL)
        assert error.text
    same(out.getvalue(), data)
    assert {type(r).__name__ for r in records} >= {"CountTotal", "CountBinary", "CountSegment", "CountRange", "CountEdge", "CountNode"}
    whole = cstrace.CountFile(io.BytesIO(data))
    same(sum(map(len, (whole.nodes,))), sum(isinstance(r, cstrace.CountNode) for r in records))
    with tempfile.TemporaryDirectory() as folder:
        one, two, three = (os.path.join(folder, name) for name in "123")
        with open(one, "wb") as file:
            file.write(data)
        tool("merge", one, one, one, "-o", two)
        cstrace.merge_counts([one, (io.BytesIO(data), 2)], three)
        with open(two, "rb") as a, open(three, "rb") as b:
            same(a.read(), b.read())
        same(cstrace.CountFile(three).totals["recordings"], 3)


def bad_count_files_raise():
    data = count_file("--no-calls")
    draw = random.Random(3)
    for i in range(60):
        bad = bytearray(data)
        if i % 2:
            del bad[draw.randrange(len(bad)):]
        else:
            bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
        error = raises(cstrace.Error, cstrace.CountFile, io.BytesIO(bad))
        assert error.offset is not None and 0 <= error.offset <= len(data) and error.text, vars(error)
        assert raises(cstrace.Error, cstrace.merge_counts, [io.BytesIO(data), io.BytesIO(bad)], io.BytesIO()).offset is not None

    class Bad(io.RawIOBase):
        def read(self, size=-1):
            raise KeyError("read")

        def write(self, data):
            raise KeyError("write")
    raises(KeyError, cstrace.CountFile, Bad())
    raises(KeyError, cstrace.merge_counts, [io.BytesIO(data)], Bad())
    raises(OverflowError, cstrace.CountWriter(io.BytesIO()).write, cstrace.CountTotal("a", 1 << 64))
    raises(FileNotFoundError, cstrace.CountFile, "tests/data/none")


# ---- parts

def package():
    same(cstrace.__version__, cstrace.version())
    same(HAVE_NUMPY, not os.environ.get("HIDE_NUMPY"))
    with tempfile.TemporaryDirectory() as folder:
        buffer = Buffer(folder)
    cases = [branches_are_those_of_script, ranges_and_tuples_are_the_elements, counts_are_those_of_profile, losses_are_said,
             a_batch_is_the_memory_of_the_library, a_recording_is_one_threads, bad_recordings_raise, a_buffer_becomes_branches,
             a_buffer_becomes_counts, bad_buffers_are_losses, wrong_calls_raise, count_files_round, bad_count_files_raise]
    for case in cases:
        before = time.time()
        case(*([buffer] if case.__code__.co_argcount else []))
        print("%s: %.1f s" % (case.__name__, time.time() - before))


def truth():
    """Sets of one, several and many threads, in frames and without, with losses in perf but none here."""
    top = os.path.join(os.environ["CSTRACE_SHARED"], "truth")
    for name in ("01-sort-etm4-per-thread", "03-interp-ete-trbe", "05-sort-a32", "08-threads-2cpu", "12-processes-trbe-vmid-pid",
                 "22-exception-at-branch-target"):
        wanted = {}
        for file in os.listdir(os.path.join(top, name, "truth")):
            stream = re.match(r"branches\.cpu(\d+)\.tid(\d+)\.xz$", file)
            if stream:
                with lzma.open(os.path.join(top, name, "truth", file), "rt") as lines:
                    pairs = [tuple(int(x, 16) for x in line.split()) for line in lines]
                wanted[tuple(map(int, stream.groups()))] = [pair for pair in pairs if pair[0]]
        with cstrace.Recording(os.path.join(top, name, "perf.data"), symfs=os.path.join(top, "symfs")) as recording:
            found = branches_of(recording)
            same([loss.why for loss in recording.losses], [])
        for key in sorted(set(found) | set(wanted)):
            # at the end of a stretch the opcode says where it went on; what was executed is not in the truth
            a, b = wanted.get(key, []), found.get(key, [])
            if a != b:
                i = next((i for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1]), min(len(a), len(b)))
                raise AssertionError("%s: %s: %d and %d branches, %d is %s, expected %s" % (name, key, len(b), len(a), i, b[i:i + 2], a[i:i + 2]))
        print("%s: %d branches" % (name, sum(map(len, found.values()))))


def speed(program):
    """Pairs of runs, each in a process that is warm; the time of both is that of the processor from opening to the bitmap."""
    sys.path.insert(0, "lib/bindings/python/examples")
    from edge_bitmap import main as edge_bitmap
    top = os.path.join(os.environ["CSTRACE_SHARED"], "truth")
    perf_data, symfs = os.path.join(top, "26-gcc-cc1", "perf.data"), os.path.join(top, "symfs")
    pairs = []
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as own:
        for _ in range(int(os.environ.get("PAIRS", 9))):
            text = subprocess.run([program, perf_data, "cc1", out.name, symfs], check=True, capture_output=True, text=True).stdout
            begun = time.process_time()
            same(edge_bitmap(perf_data, "cc1", own.name, symfs), 0)
            pairs.append((1e6 * (time.process_time() - begun), int(text.split()[0])))
        with open(out.name, "rb") as wanted:
            same(own.read(), wanted.read())
    ratio = statistics.median(a / b for a, b in pairs)
    print("Python %.0f us, C %.0f us, median of %d ratios %.3f" % (min(a for a, _ in pairs), min(b for _, b in pairs), len(pairs), ratio))
    assert ratio <= 1.15


if __name__ == "__main__":
    {"layout": layout, "package": package, "truth": truth, "speed": speed}[sys.argv[1]](*sys.argv[2:])
