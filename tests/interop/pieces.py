#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pieces.py --tool PERF-CSTRACE --gen CST-GEN [NAME...]: what `profile -i -` counts piece by piece is what it counts of a file.

Recordings are the scenarios of cst-gen, the truth sets (CSTRACE_SHARED) and the samples of tests/data, whose buffers are divided into
many AUX records; as-pipe.py makes pipes of them. Compared are the bytes of count files without calls, for several sizes of pieces,
numbers of threads and orders of records; and counts in contexts, whose sums must be those without. It takes every fourth
recording, CSTRACE_NIGHTLY=1 all, and more seeds. Speaks TAP."""
import argparse
import ctypes.util
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SAMPLE = 9
ZSTD = None
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "cli"))

import count_file  # noqa: E402
from auxdata import AUX, PerfData  # noqa: E402
NIGHTLY = os.environ.get("CSTRACE_NIGHTLY", "0") != "0"
# What tells whose the IDs in the trace are must be seen in the first piece, which is too small for that with one AUX record.
LARGER = re.compile("-(samples|blind)$")
# Its definitions of trace units are in packages only: the rest is decoded with wrong ones, and what is lost then is counted at resets.
# simpleperf writes no pipes.
WITHOUT = re.compile("^(define-trace$|phone-)")
# Processes end in these before the one AUX record is written: its parts would say that their trace is later.
ENDED = re.compile("^1[123]-processes")
LOST_MAPS = (b"loss.map-lost", b"loss.no-map")


class Bad(Exception):
    pass


def divide(path, out, parts):
    """A recording whose AUX records are divided, each at `parts` - 1 places, at multiples of 16 bytes; times go between."""
    perf = PerfData(path)
    body, last, latest = bytearray(), {}, 0
    for kind, _, pos, size, payload, length in perf.records():
        record = perf.bytes[pos:pos + size + (length if payload else 0)]
        offset, n, flags = struct.unpack_from("<QQQ", record, 8) if kind == AUX else (0, 0, 0)
        at = perf.time_offset(size)
        time = struct.unpack_from("<Q", record, at)[0] if at and kind < 64 and kind != SAMPLE else 0
        if not n or flags & 2:
            body += record
            latest = max(latest, time)
            continue
        key = record[at - 8:at] + record[at + 8:] if at else b""
        since = max(last.get(key, 0), min(latest, time), time - 1000000)
        step = max(16, n // parts // 16 * 16)
        starts = list(range(0, n - 16, step)) or [0]
        for i, start in enumerate(starts):
            end = starts[i + 1] if i + 1 < len(starts) else n
            part = bytearray(record)
            struct.pack_into("<QQ", part, 8, offset + start, end - start)
            if at and time > since:
                struct.pack_into("<Q", part, at, since + (time - since) * end // n)
            body += part
        last[key] = time
    table = perf.data_off + perf.data_size
    head = bytearray(perf.bytes[:perf.data_off])
    struct.pack_into("<Q", head, 48, len(body))
    entries, sections = bytearray(), bytearray()
    at = perf.data_off + len(body) + 16 * len(perf.features)
    for i in range(len(perf.features)):
        where, size = struct.unpack_from("<2Q", perf.bytes, table + 16 * i)
        entries += struct.pack("<2Q", at + len(sections), size)
        sections += perf.bytes[where:where + size]
    with open(out, "wb") as f:
        f.write(head + body + entries + sections)


class Counter:
    def __init__(self, args, tmp):
        self.tool, self.tmp = args.tool, tmp

    def run(self, options, stdin=None):
        done = subprocess.run([self.tool, "profile", "--format=cstrace", *options], stdin=stdin, capture_output=True, timeout=120)
        return done.returncode, done.stderr.decode(errors="replace")

    def file(self, path, options, out):
        return self.run(["-i", path, "-o", out, *options])

    def pipe(self, path, how, options, out):
        with subprocess.Popen([os.path.join(HERE, "as-pipe.py"), path, *how], stdout=subprocess.PIPE) as feed:
            rc, err = self.run(["-i", "-", "-o", out, *options], feed.stdout)
        if feed.returncode:
            raise Bad("as-pipe.py: exit code %d" % feed.returncode)
        return rc, err


def difference(a, b, pieces):
    """What differs in two count files; None: nothing. The bytes that losses stand for are rounded in each piece."""
    if os.path.exists(a) != os.path.exists(b):
        return "there is no file" if os.path.exists(a) else "there is a file"
    if not os.path.exists(a):
        return None
    with open(a, "rb") as f, open(b, "rb") as g:
        x, y = f.read(), g.read()
    if x == y:
        return None
    x, y = count_file.read(x), count_file.read(y)
    lost = [c["totals"].pop(b"bytes.lost", 0) for c in (x, y)]
    if abs(lost[0] - lost[1]) > pieces + lost[0] // 20:
        return "bytes.lost: %d, of the file %d" % (lost[1], lost[0])
    # that records were lost is not known before
    for c in (x, y):
        c["totals"][b"maps"] = sum(c["totals"].pop(name, 0) for name in LOST_MAPS)
    for name in x:
        if x[name] != y[name]:
            return "%s: %s" % (name, {k: (x[name].get(k), y[name].get(k)) for k in set(x[name]) | set(y[name])
                                      if x[name].get(k) != y[name].get(k)} if name == "totals" else "differ")
    return None


def pieces_of(err):
    m = re.search(r": ([0-9,]+) pieces were counted", err)
    return int(m.group(1).replace(",", "")) if m else 1


def compare(counter, path, options, ways):
    """Counts of a file and of its pipes. Returns the greatest number of pieces."""
    want, got = os.path.join(counter.tmp, "want"), os.path.join(counter.tmp, "got")
    for name in (want, got):
        if os.path.exists(name):
            os.unlink(name)
    code, said = counter.file(path, [*options, "--no-calls"], want)
    most = 0
    for how, more in ways:
        if os.path.exists(got):
            os.unlink(got)
        rc, err = counter.pipe(path, how, [*options, "--no-calls", *more], got)
        most = max(most, pieces_of(err))
        if rc != code and not (code == 5 and pieces_of(err) > 1):
            raise Bad("%s %s: exit code %d, of the file %d\n%s\n%s" % (" ".join(how), " ".join(more), rc, code, said, err))
        differs = difference(want, got, pieces_of(err))
        if differs:
            raise Bad("%s %s: %s\n%s\n%s" % (" ".join(how), " ".join(more), differs, said, err))
    return most


def ways(seed, least="64"):
    """How records come, and what is asked for."""
    yield [str(seed), "--aux", "1"], ["--spool", least, "-j", "1"]
    yield [str(seed + 1), "--aux", "3", "--split"], ["--spool", "40k", "-j", "2"]
    if ZSTD:
        yield [str(seed + 5), "--aux", "2", "--compress"], ["--spool", least, "-j", "3"]
    if NIGHTLY:
        yield [str(seed + 2), "--aux", "2", "--no-rounds"], ["--spool", "32k", "-j", "3"]
        yield [str(seed + 3), "--aux", "1", "--split"], ["--spool", least, "-j", "2"]
        yield [str(seed + 4), "--aux", "7"], ["--spool", "100k", "-j", "2"]


def scenario(args, counter, name, seed):
    folder = os.path.join(counter.tmp, name)
    perf, truth, symfs = (os.path.join(folder, x) for x in ("perf.data", "truth", "symfs"))
    os.makedirs(folder)
    done = subprocess.run([args.gen, "scenario", name, "--case", str(seed), "--perf", perf, "--truth", truth, "--symfs", symfs],
                          capture_output=True)
    if done.returncode:
        raise Bad("cst-gen: %s" % done.stderr.decode())
    if not os.path.isfile(perf):
        shutil.rmtree(folder)
        return 0
    options = ["--symfs", symfs]
    with open(os.path.join(truth, "expect"), encoding="utf-8") as f:
        options += [line.split(None, 1)[1].rstrip("\n").replace("@", symfs) for line in f if line.startswith("option ")]
    most = compare(counter, perf, options, ways(seed, "40k" if LARGER.search(name) else "64"))
    shutil.rmtree(folder)
    return most


def contexts(path):
    """What counts in contexts have besides these: all other records, and the instructions in all nodes."""
    with open(path, "rb") as f:
        c = count_file.read(f.read())
    totals = {name: n for name, n in c["totals"].items() if not name.startswith(b"calls.") and name != b"bytes.lost"}
    return totals, c["binaries"], c["counts"], sum(n[1] for n in c["nodes"].values())


def divided(counter, path, symfs, parts, seed):
    """A recording whose AUX records are divided."""
    perf = os.path.join(counter.tmp, "divided")
    divide(path, perf, parts)
    most = compare(counter, perf, ["--symfs", symfs], ways(seed))
    want, got = os.path.join(counter.tmp, "want"), os.path.join(counter.tmp, "got")
    counter.file(perf, ["--symfs", symfs], want)
    _, err = counter.pipe(perf, [str(seed), "--aux", "2"], ["--symfs", symfs, "--spool", "20k"], got)
    if os.path.exists(want) and contexts(want) != contexts(got):
        raise Bad("with calls: other sums than of the file\n%s" % err)
    if pieces_of(err) > 1 and "the callers of what was running are not known" not in err:
        raise Bad("it does not say that contexts begin anew\n%s" % err)
    return most


def recordings(args):
    """Names, and functions that compare one."""
    for line in subprocess.run([args.gen, "scenario"], capture_output=True, text=True, check=True).stdout.splitlines():
        name = line.split()[0]
        for seed in range(1, 4 if NIGHTLY else 2):
            if not WITHOUT.search(name):
                yield "%s:%d" % (name, seed), lambda c, name=name, seed=seed: scenario(args, c, name, seed)
    data = os.path.join(os.path.dirname(HERE), "data")
    for i, name in enumerate(("sample", "sample-trbe", "sample-a32", "sample-t32", "sample-etmv3", "sample-ptm")):
        path = os.path.join(data, name + ".perf.data")
        yield name, lambda c, path=path, i=i: divided(c, path, os.path.join(data, "symfs"), 5 + i, i)
    truth = os.path.join(os.environ.get("CSTRACE_SHARED", "../shared"), "truth")
    for i, name in enumerate(sorted(os.listdir(truth)) if os.path.isdir(truth) else []):
        path = os.path.join(truth, name, "perf.data")
        if os.path.exists(path) and not ENDED.search(name) and (NIGHTLY or os.path.getsize(path) < 1 << 20):
            yield name, lambda c, path=path, i=i: divided(c, path, os.path.join(truth, "symfs"), 3 + 3 * i, i)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default="build/perf-cstrace")
    parser.add_argument("--gen", default="build/tests/gen/cst-gen")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    global ZSTD
    built = subprocess.run([args.tool, "--version"], capture_output=True, text=True, check=True).stdout
    ZSTD = "zstd: on" in built and ctypes.util.find_library("zstd")
    n = bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        counter = Counter(args, tmp)
        for i, (name, run) in enumerate(recordings(args)):
            if name not in args.names if args.names else i % 4 and not NIGHTLY:
                continue
            n += 1
            try:
                most = run(counter)
                print("ok %d %s: %d pieces" % (n, name, most), flush=True)
            except Bad as err:
                bad += 1
                print("not ok %d %s\n# %s" % (n, name, str(err).replace("\n", "\n# ")), flush=True)
                shutil.rmtree(os.path.join(tmp, name.partition(":")[0]), ignore_errors=True)
    print("1..%d" % n)
    sys.exit(bad != 0)


main()
