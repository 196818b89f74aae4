#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""subtract.py --tool PERF-CSTRACE [--seed N]

`perf-cstrace merge --subtract` against differences of models (count_file.py): of sums of random files, the other files are
left; of windows of a recording, what the other windows have; counts that would be negative are named, and nothing is written.
CSTRACE_NIGHTLY=1: more random files.
"""
import argparse
import copy
import os
import random
import subprocess
import sys

import count_file
import tap
from count_file import MASK, RANGE
from tap import Bad

NIGHTLY = bool(os.environ.get("CSTRACE_NIGHTLY"))
DATA = "tests/data"
OF_RUN = (b"recordings", b"bytes.traced", b"bytes.filtered", b"filtered", b"calls.lost", b"calls.estimated", b"calls.unordered",
          b"calls.unjoined", b"losses.unknown")
args = None


def run(*words, code=None, says=(), command="merge"):
    done = subprocess.run([args.tool, command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = done.stderr.decode(errors="replace")
    what = "%s %s: exit %d: %s" % (command, " ".join(words)[:300], done.returncode, text)
    if code is not None and done.returncode not in (code if isinstance(code, tuple) else (code,)):
        raise Bad("%s(expected %s)" % (what, code))
    for word in (says,) if isinstance(says, str) else says:
        if word not in text:
            raise Bad("%s(without: %s)" % (what, word))
    return done.stdout


def write(path, model):
    with open(path, "wb") as f:
        f.write(count_file.write(model))
    return path


def differences(whole, less):
    """(place, count, count to subtract) of all counts of either."""
    for name in set(whole["totals"]) | set(less["totals"]):
        yield ("total", name), whole["totals"].get(name, 0), less["totals"].get(name, 0)
    for key in set(whole["counts"]) | set(less["counts"]):
        a, b = whole["counts"].get(key, {}), less["counts"].get(key, {})
        for kind in set(a) | set(b):
            for k in set(a.get(kind, {})) | set(b.get(kind, {})):
                yield (key, kind, k), a.get(kind, {}).get(k, 0), b.get(kind, {}).get(k, 0)
    for path in set(whole["nodes"]) | set(less["nodes"]):
        for i in range(2):
            yield ("node", path, i), whole["nodes"].get(path, [0, 0])[i], less["nodes"].get(path, [0, 0])[i]


def subtract(whole, less):
    """What is left; None: it would be negative, or is not known."""
    out = count_file.new()
    run_ = whole["totals"].get(b"recordings", 0) == less["totals"].get(b"recordings", 0)
    for place, have, minus in differences(whole, less):
        if place[0] == "total" and run_ and place[1] in OF_RUN:
            left = have
        elif minus and (minus > have or have == MASK):
            return None
        else:
            left = have - minus
        if place[0] == "total" and left:
            out["totals"][place[1]] = left
        elif place[0] == "node":
            out["nodes"].setdefault(place[1], [0, 0])[place[2]] = left
        elif place[0] != "total" and left:
            out["counts"].setdefault(place[0], {}).setdefault(place[1], {})[place[2]] = left
    if run_:
        t = less["totals"]
        counted = max(t.get(b"bytes.traced", 0) - t.get(b"bytes.filtered", 0), 0)
        for name, value in ((b"bytes.filtered", out["totals"].get(b"bytes.filtered", 0) + counted),
                            (b"filtered", whole["totals"].get(b"recordings", 0))):
            out["totals"].pop(name, None)
            if value:
                out["totals"][name] = count_file.saturated(value)
    kept = {path[:n] for path, both in out["nodes"].items() if any(both) for n in range(1, len(path) + 1)}
    out["nodes"] = {path: both for path, both in out["nodes"].items() if path in kept}
    used = set(out["counts"]) | {key for path in kept for key in (path[-1][1], path[-1][3])}
    out["binaries"] = {key: value for key, value in whole["binaries"].items() if key in used}
    return out


def bounded(model):
    """Without counts that are at the limit in sums."""
    less = lambda n: n if n < 1 << 50 else n % 1000 + 1
    model["totals"] = {name: less(n) for name, n in model["totals"].items()}
    for kinds in model["counts"].values():
        for kind, table in kinds.items():
            kinds[kind] = {k: less(n) for k, n in table.items()}
    model["nodes"] = {path: [less(n) for n in both] for path, both in model["nodes"].items()}
    return model


def sums(folder):
    """A sum without some of its files, in any order, is the sum of the others."""
    rounds, refused = 300 if NIGHTLY else 50, 0
    for i in range(rounds):
        maker = count_file.Maker("%d %d" % (args.seed, i))
        r = maker.r
        models = [maker.model() if i % 5 == 4 else bounded(maker.model()) for _ in range(r.randint(2, 6))]
        n = r.randint(1, len(models) - 1)
        paths = [write("%s/%d.cst" % (folder, k), m) for k, m in enumerate(models)]
        whole, less = count_file.add([(m, 1) for m in models]), count_file.add([(m, 1) for m in models[:n]])
        want = subtract(whole, less)
        words = ["--subtract=" + p for p in paths[:n]]
        order = list(paths)
        r.shuffle(order)
        have = run(*words, *order, code=(1,) if want is None else (0, 3))
        if want is not None and have != count_file.write(want):
            raise Bad("seed %d, round %d: %d bytes, expected %d" % (args.seed, i, len(have), len(count_file.write(want))))
        refused += want is None
    if refused > rounds // 2:
        raise Bad("%d of %d have counts at the limit" % (refused, rounds))
    return "%d, %d of them with counts at the limit" % (rounds, refused)


def plain():
    """A model with one of each kind of count."""
    m = count_file.new()
    key = (0, b"build-id-1")
    m["totals"] = {b"recordings": 2, b"instructions": 30, b"loss.x": 2}
    m["binaries"] = {key: [0, 183, b"/bin/a", [(0, 4096, 0, 1)]]}
    m["counts"] = {key: {RANGE: {(64, 76, 0, 4): 5, (64, 72, 0, 3): 2}, count_file.EDGE: {(76, 64): 4}, count_file.NOT_TAKEN: {(68, 4): 6},
                         count_file.ENTRY: {(64,): 1}}}
    m["nodes"] = {((count_file.ROOT, None, MASK, key, 64),): [0, 20],
                  ((count_file.ROOT, None, MASK, key, 64), (count_file.CALL, key, 72, key, 68)): [3, 10]}
    return m, key


def refuses(folder):
    """Each kind of count that would be negative, or is not there, is named; there is no output."""
    whole, key = plain()
    node = ((count_file.ROOT, None, MASK, key, 64), (count_file.CALL, key, 72, key, 68))

    def less(edit):
        m = copy.deepcopy(whole)
        m["totals"] = {b"recordings": 1, b"instructions": 7}
        m["counts"], m["nodes"] = {}, {}
        edit(m)
        return m

    def count(kind, k, n):
        return lambda m: m["counts"].update({key: {kind: {k: n}}})

    def other(m):
        m["binaries"] = {(0, b"build-id-2"): [0, 183, b"/bin/b", []]}
        m["counts"] = {(0, b"build-id-2"): {RANGE: {(64, 76, 0, 4): 1}}}

    def machine(m):
        m["binaries"][key] = [0, 40, b"/bin/a", []]

    cases = [
        (count(RANGE, (64, 76, 0, 4), 6), "the range 0x40 to 0x4c of /bin/a: 1 cannot be subtracted from 0"),
        (count(RANGE, (68, 76, 0, 3), 1), "the range 0x44 to 0x4c of /bin/a: 1 cannot be subtracted from 0"),
        (count(count_file.EDGE, (76, 64), 5), "the branch at 0x4c of /bin/a: 5 cannot be subtracted from 4"),
        (count(count_file.EDGE, (76, 68), 1), "the branch at 0x4c of /bin/a: 1 cannot be subtracted from 0"),
        (count(count_file.NOT_TAKEN, (68, 4), 7), "the branch not taken at 0x44 of /bin/a: 7 cannot be subtracted from 6"),
        (count(count_file.ENTRY, (64,), 2), "the entry at 0x40 of /bin/a: 2 cannot be subtracted from 1"),
        (lambda m: m["nodes"].update({node[:1]: [0, 0], node: [4, 0]}), "the call of 0x44 in depth 1 of /bin/a: 4 cannot be subtracted from 3"),
        (lambda m: m["nodes"].update({node[:1]: [0, 0], node: [0, 11]}), "the call of 0x44 in depth 1 of /bin/a: 11 cannot be subtracted from 10"),
        (lambda m: m["totals"].update({b"instructions": 31}), "the total instructions: 31 cannot be subtracted from 30"),
        (lambda m: m["totals"].update({b"loss.y": 1}), "the total loss.y: 1 cannot be subtracted from 0"),
        (other, "of /bin/b: 1 cannot be subtracted from 0"),
        (machine, "/bin/a: another machine or type under the same id"),
    ]
    path, out = write(folder + "/whole.cst", whole), folder + "/out.cst"
    for edit, says in cases:
        if "range 0x40" in says:
            says = "the range 0x40 to 0x4c of /bin/a: 1 cannot be subtracted from 0"
        run("--subtract", write(folder + "/less.cst", less(edit)), path, "-o", out, code=1, says=("--subtract: ", says))
        if os.path.exists(out):
            raise Bad("an output in spite of: %s" % says)
    full = copy.deepcopy(whole)
    full["counts"][key][RANGE][(64, 72, 0, 3)] = MASK
    run("--subtract", write(folder + "/less.cst", less(count(RANGE, (64, 72, 0, 3), 1))), write(folder + "/full.cst", full), code=1,
        says="limit of a count file")
    run("--subtract", path, path, "-o", path, code=1, says="one of the files that are read")
    # nothing is left: a file of before stays, a stream gets a file without counts
    keep = write(folder + "/keep.cst", less(other))
    with open(keep, "rb") as f:
        before = f.read()
    run("--subtract", path, path, "-o", keep, code=5, says="nothing is left: all counts were subtracted")
    if not run("--subtract", path, path, code=5):
        raise Bad("standard output is empty")
    empty = write(folder + "/empty.cst", count_file.new())
    run("--subtract", empty, empty, "-o", keep, code=5, says="nothing is left: no file has counts")
    run(empty, empty, "-o", keep, code=5)
    with open(keep, "rb") as f:
        if f.read() != before:
            raise Bad("a file of before was replaced by one without counts")
    run("--subtract", "-", "-", code=129, says="standard input")
    run("--subtract", path, code=129, says="nothing to add")
    return "%d" % (len(cases) + 4)


def pieces(folder):
    """A window that begins and ends within ranges: each instruction is left with its executions."""
    r = random.Random(args.seed)
    rounds = 200 if NIGHTLY else 40
    key = (0, b"build-id-1")

    def model(ranges):
        m, _ = plain()
        m["totals"], m["nodes"] = {b"recordings": 1}, {}
        m["counts"] = {key: {RANGE: ranges}}
        return m

    def executions(ranges):
        out = {}
        for (start, last, flags, insns), n in ranges.items():
            if insns != (last - start) // 4 + 1:
                raise Bad("a range of %d instructions from 0x%x to 0x%x" % (insns, start, last))
            for at in range(start, last + 4, 4):
                out[at] = out.get(at, 0) + n
        return {at: n for at, n in out.items() if n}

    def key_of(start, last, flags=0):
        return start, last, flags, (last - start) // 4 + 1

    for i in range(rounds):
        whole, less = {}, {}
        for _ in range(r.randint(1, 12)):
            start = 4 * r.randint(0, 30)
            k = key_of(start, start + 4 * r.randint(0, 12), r.choice((0, 2)))
            whole[k] = whole.get(k, 0) + r.randint(1, 5)
        for (start, last, flags, insns), n in whole.items():
            if r.random() < 0.5:
                a = start + 4 * r.randint(0, insns - 1)
                k = key_of(a, a + 4 * r.randint(0, (last - a) // 4), flags if a == start else 0)
                less[k] = less.get(k, 0) + r.randint(1, n)
        paths = [write("%s/%s.cst" % (folder, name), model(ranges)) for name, ranges in (("whole", whole), ("less", less))]
        have = count_file.read(run("--subtract", paths[1], paths[0], code=(0, 3)))
        want = executions(whole)
        for at, n in executions(less).items():
            want[at] -= n
        left = have["counts"].get(key, {}).get(RANGE, {})
        if executions(left) != {at: n for at, n in want.items() if n}:
            raise Bad("seed %d, round %d: %s without %s: %s" % (args.seed, i, whole, less, left))
    return "%d" % rounds


def top(path):
    """{function: instructions}"""
    text = run("-i", path, "--symfs", DATA + "/symfs", "--format=top", command="profile", code=(0, 3)).decode()
    return {line.split()[-1]: int(line.split()[1]) for line in text.splitlines() if line and not line.startswith("#")}


def windows(folder):
    """Of a whole run without a window the other windows are left, function by function."""
    checked = 0
    for name in ("sample-t32", "sample-trbe"):
        data = "%s/%s.perf.data" % (DATA, name)
        parts = {}
        for span in ("", "0%-30%", "30%-100%"):
            parts[span] = "%s/%s%s.cst" % (folder, name, span)
            run("-i", data, "--symfs", DATA + "/symfs", "--no-calls", "--format=cstrace", "-o", parts[span],
                *(["--time", span] if span else []), command="profile", code=(0, 3))
        out = folder + "/rest.cst"
        for less, rest in (("0%-30%", "30%-100%"), ("30%-100%", "0%-30%")):
            run("--subtract", parts[less], parts[""], "-o", out, code=(0, 3))
            if top(out) != top(parts[rest]):
                raise Bad("%s without %s: %s, expected %s" % (name, less, top(out), top(parts[rest])))
            checked += 1
    return "%d" % checked


def main():
    global args
    p = argparse.ArgumentParser()
    p.add_argument("--tool", required=True)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    args.tool = os.path.abspath(args.tool)
    print("# seed %d" % args.seed)
    return tap.run_cases([("sums without some of their files", sums), ("what is refused", refuses), ("pieces of ranges", pieces),
                          ("windows of a run", windows)])


if __name__ == "__main__":
    sys.exit(main())
