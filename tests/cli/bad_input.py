# SPDX-License-Identifier: BSD-3-Clause
"""Damaged perf.data: every run must end by itself within 10 seconds, with a documented exit code, with a
message that names the file if it is an error, without a sanitizer report, and with either a whole output
file or none. In the daily run part of the damages are tried, picked by a fixed seed; CSTRACE_NIGHTLY=1
tries all of them."""
import concurrent.futures
import os
import random
import struct
import subprocess
import sys
import tempfile

SAMPLE = "tests/data/sample.perf.data"
SYMFS = "tests/data/symfs"
DAILY = 120
TIME_LIMIT = 10
AUXTRACE = 71
METADATA = {3, 10, 11, 69, 70, 79, 64, 21}


def structure(data):
    """Byte positions of file header, attrs, metadata records, record headers and feature sections."""
    attr_size, attrs, attrs_size, start, size = struct.unpack_from("<5Q", data, 16)
    where = set(range(104)) | set(range(attrs, attrs + attrs_size))
    pos = start
    while pos + 8 <= start + size:
        kind, _, length = struct.unpack_from("<IHH", data, pos)
        payload = struct.unpack_from("<Q", data, pos + 8)[0] if kind == AUXTRACE else 0
        where |= set(range(pos, pos + (length if kind in METADATA or kind == AUXTRACE else 8)))
        pos += length + payload
    return sorted(where | set(range(start + size, len(data))))


class Damage:
    def __init__(self, name, data):
        self.name, self.data = name, data


def cuts(data):
    for length in range(0, len(data), 64):
        yield Damage("cut at %d" % length, data[:length])


def flips(data):
    for pos in structure(data):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[pos] ^= 1 << bit
            yield Damage("bit %d at %#x flipped" % (bit, pos), bytes(flipped))


def attempt(tool, folder, damage):
    """What is wrong with how one command took one damaged file, None if nothing is."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        path, out = os.path.join(work, "in"), os.path.join(work, "out")
        with open(path, "wb") as f:
            f.write(damage.data)
        for argv in (["inject", "-i", path, "-o", out, "--symfs", SYMFS, "--itrace=i1000il16b", "--strip"],
                     ["info", "-i", path, "--symfs", SYMFS]):
            try:
                run = subprocess.run([tool] + argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT)
            except subprocess.TimeoutExpired:
                return "%s: %s: no end within %d s" % (damage.name, argv[0], TIME_LIMIT)
            err = run.stderr.decode("utf-8", "replace")
            if run.returncode not in (0, 1, 3) or "Sanitizer" in err or "runtime error:" in err:
                return "%s: %s: exit %d: %s" % (damage.name, argv[0], run.returncode, err[-600:])
            if run.returncode == 1 and path not in err:
                return "%s: %s: an error that does not name the file: %s" % (damage.name, argv[0], err[-300:])
            if argv[0] == "inject":
                left = sorted(set(os.listdir(work)) - {"in"})
                if left != ([] if run.returncode == 1 else ["out"]):
                    return "%s: exit %d leaves %s" % (damage.name, run.returncode, left or "no output")
    return None


def main():
    build = os.environ["BUILD"]
    tool = os.path.join(build, "asan", "perf-cstrace")
    if not os.path.exists(tool):
        tool = os.environ["PERF_CSTRACE"]
    if not os.path.exists(SAMPLE):
        print("no " + SAMPLE)
        return 77
    with open(SAMPLE, "rb") as f:
        data = f.read()
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, (title, damages) in enumerate((("truncated", cuts(data)), ("bit flips", flips(data))), 1):
            todo = list(damages)
            everything = len(todo)
            if not os.environ.get("CSTRACE_NIGHTLY") and everything > DAILY:
                todo = random.Random(1).sample(todo, DAILY)
            bad = [b for b in pool.map(lambda d: attempt(tool, folder, d), todo) if b]
            failed += bool(bad)
            print("%s %d - %s, %d of %d" % ("not ok" if bad else "ok", number, title, len(todo), everything))
            for line in bad[:10]:
                print("# " + line.replace("\n", "\n# "))
    print("1..2")
    return 1 if failed else 0


sys.exit(main())
