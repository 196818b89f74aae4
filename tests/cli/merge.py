#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""merge.py --tool PERF-CSTRACE [--seed N]

`perf-cstrace merge` against sums that count_file.py makes, which is written from the man page alone: in any order and
grouping, with weights, from lists and pipes, with few descriptors; what is refused, and how; memory. The seed is printed.
CSTRACE_NIGHTLY=1: more random files, and 1 GB of count files within 256 MB.
"""
import argparse
import gzip
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import time

import count_file
import tap
from tap import Bad

NIGHTLY = bool(os.environ.get("CSTRACE_NIGHTLY"))
SAMPLE = "tests/data/sample.perf.data"
TIME_LIMIT = 600
args = None


def run(*words, stdin=b"", code=None, says=(), cwd=None, files=None, stdout=subprocess.PIPE, env=None, share=None):
    """The command; `files`: its limit of descriptors; `share`: the begin of a last line on standard error."""
    limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))) if files else None
    done = subprocess.run([args.tool, "merge", *words], input=stdin, stdout=stdout, stderr=subprocess.PIPE, cwd=cwd, timeout=TIME_LIMIT,
                          preexec_fn=limit, env=env)
    text = done.stderr.decode()
    if share:
        text, _, last = text[:-1].rpartition("\n")
        text += "\n"
        if not last.startswith(share):
            raise Bad("%s: %s (expected: %s)" % (" ".join(words)[:300], last, share))
    what = "merge %s: exit %d: %s" % (" ".join(words)[:300], done.returncode, text)
    if code is not None and done.returncode != code:
        raise Bad("%s(expected %d)" % (what, code))
    for word in (says,) if isinstance(says, str) else says:
        if word not in text:
            raise Bad("%s(without: %s)" % (what, word))
    if not text or (done.returncode in (0, 3, 5) and text.count("\n") != 1):
        raise Bad("%s(expected one line)" % what)
    if done.returncode == 1 and done.stdout:
        raise Bad("%s(output in spite of the error)" % what)
    return done


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def read(path):
    with open(path, "rb") as f:
        return f.read()


def code_of(models):
    """3 for losses and for inputs without counts."""
    losses = any(name.startswith(b"loss.") for m, _ in models for name in m["totals"])
    return 3 if losses or not all(count_file.counted(m) for m, _ in models) else 0


def inputs(folder, models):
    """Files of models, and words that name them with their weights."""
    words = []
    for i, (model, weight) in enumerate(models):
        path = write(os.path.join(folder, "%d.cst" % i), count_file.write(model))
        words.append(path if weight == 1 else "--weighted-input=%d,%s" % (weight, path))
    return words


def check_sum(models, got):
    want = count_file.write(count_file.add(models))
    if got != want:
        raise Bad("seed %d: another sum: %d bytes, expected %d" % (args.seed, len(got), len(want)))


# ---- sums -----------------------------------------------------------------------------------------------


def random_sums(folder):
    rounds = 400 if NIGHTLY else 60
    for i in range(rounds):
        maker = count_file.Maker("%d %d" % (args.seed, i))
        r = maker.r
        models = [(maker.model(), r.choice((1, 1, 1, 2, 1000, 1 << 63))) for _ in range(r.randint(1, 7))]
        words = inputs(folder, models)
        done = run(*words, code=code_of(models))
        check_sum(models, done.stdout)
        r.shuffle(words)
        if run(*words).stdout != done.stdout:
            raise Bad("seed %d, round %d: another order gives another sum" % (args.seed, i))
        for w in words:
            os.unlink(w.split(",")[-1])
    return "%d" % rounds


def by_groups(folder, paths, r, level=0):
    """One file from a random tree of merges."""
    if len(paths) == 1:
        return paths[0]
    parts, at = [], 0
    while at < len(paths):
        n = min(r.randint(1, max(2, len(paths) // 3)), len(paths) - at)
        part = paths[at:at + n]
        parts.append(by_groups(folder, part, r, level + 1) if 12 < n < len(paths) else merged(folder, part))
        at += n
    return merged(folder, parts)


def merged(folder, paths):
    merged.n += 1
    out = os.path.join(folder, "part%d" % merged.n)
    run("-o", out, *paths)
    return out


merged.n = 0


def thousand(folder):
    maker = count_file.Maker(args.seed)
    models = [(maker.model(20), 1) for _ in range(1000)]
    paths = inputs(folder, models)
    whole = os.path.join(folder, "whole")
    run("-o", whole, *paths, code=3, says="1000 inputs")
    check_sum(models, read(whole))
    for _ in range(3):
        maker.r.shuffle(paths)
        if read(by_groups(folder, paths, maker.r)) != read(whole):
            raise Bad("seed %d: another grouping gives another sum" % args.seed)
    return "%d merges" % merged.n


def few_descriptors(folder):
    """More files than may be open; with the fewest, groups of groups of groups."""
    maker = count_file.Maker(args.seed + 1)
    models = [(maker.model(10), maker.r.choice((1, 1, 3))) for _ in range(300)]
    words = inputs(folder, models)
    want = run(*words).stdout
    check_sum(models, want)
    for files in (300, 100, 60, 34):
        if run(*words, files=files, env=dict(os.environ, TMPDIR=folder)).stdout != want:
            raise Bad("with %d descriptors there is another sum" % files)
    left = [n for n in os.listdir(folder) if not n.endswith(".cst")]
    if left:
        raise Bad("left behind: %s" % left)


def lists(folder):
    maker = count_file.Maker(args.seed + 2)
    models = [(maker.model(), w) for w in (1, 7, 1, 2, 1)]
    paths = [w.split(",")[-1] for w in inputs(folder, models)]
    os.rename(paths[4], os.path.join(folder, "5,%"))
    text = "# from two machines\n\n%s\n7,%s\r\n" % (paths[0], paths[1])
    one = write(os.path.join(folder, "list"), text.encode())
    two = "1,%s\n2,%s" % (paths[2], paths[3])
    done = run("--input-files", one, "-f", "-", "--weighted-input=1," + os.path.join(folder, "5,%"), stdin=two.encode())
    check_sum(models, done.stdout)
    write(os.path.join(folder, "l2"), b"./5,%\n")
    check_sum(models[4:], run("-f", "l2", cwd=folder).stdout)


def pipes(folder):
    maker = count_file.Maker(args.seed + 3)
    models = [(maker.model(3000), 1), (maker.model(), 1), (maker.model(), 1)]
    paths = inputs(folder, models)
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    feeder = subprocess.Popen(["cp", paths[1], fifo])
    done = run("-", fifo, paths[2], stdin=read(paths[0]))
    feeder.wait()
    check_sum(models, done.stdout)
    again = subprocess.run("'%s' merge %s | '%s' merge - %s" % (args.tool, " ".join(paths[:2]), args.tool, paths[2]), shell=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    check_sum(models, again.stdout)
    run("-", "-", code=129, says="named twice")
    run("-", "-f", "-", code=129, says="named twice")
    weighted = run("--weighted-input=3,-", stdin=read(paths[0])).stdout
    check_sum([(models[0][0], 3)], weighted)


# ---- what it says ---------------------------------------------------------------------------------------


def summary(folder):
    model = count_file.new()
    model["totals"] = {b"recordings": 2, b"instructions": 1000, b"loss.truncated": 3, b"loss.no_file": 4}
    key = (0, b"0123456789")
    model["binaries"] = {key: [0, 183, b"/bin/a", []]}
    model["counts"] = {key: {count_file.ENTRY: {(4,): 1}}}
    lossy = write(os.path.join(folder, "lossy.cst"), count_file.write(model))
    # 1 % of the trace; a file that does not say how much it lost may have lost all
    run(lossy, "--max-loss=99%", code=3, share="cstrace: 100.0000 % of the trace is lost")
    run(lossy, "--max-loss=100%", code=0, share="cstrace: 100.0000 % of the trace is lost; --max-loss accepts 100.0000 %")
    model["totals"].update({b"losses.measured": 7, b"bytes.lost": 10, b"bytes.absent": 100, b"bytes.traced": 900})
    measured = write(os.path.join(folder, "measured.cst"), count_file.write(model))
    run(measured, measured, "--max-loss=0.9999%", code=3, share="cstrace: 1.0000 % of the trace is lost")
    run(measured, measured, "--max-loss=1%", code=0, share="cstrace: 1.0000 % of")
    run(measured, lossy, "--max-loss=50%", code=3, share="cstrace: 100.0000 % of the trace is lost")
    for name in (b"losses.measured", b"bytes.lost", b"bytes.absent", b"bytes.traced"):
        del model["totals"][name]
    del model["totals"][b"loss.truncated"], model["totals"][b"loss.no_file"]
    good = write(os.path.join(folder, "good.cst"), count_file.write(model))
    empty = write(os.path.join(folder, "empty.cst"), count_file.write(count_file.new()))
    run(good, good, code=0, says="cstrace merge: 2 inputs, 4 recordings, 1 binary, 2000 instructions, losses: none\n")
    run(good, lossy, code=3, says="2 inputs, 4 recordings, 1 binary, 2000 instructions, losses: no_file 4, truncated 3\n")
    run("--weighted-input=2," + lossy, code=3, says="1 input, 4 recordings, 1 binary, 2000 instructions, losses: no_file 8, truncated 6\n")
    run(good, empty, empty, code=3, says="3 inputs (2 without counts, as %s), 2 recordings, 1 binary" % empty)
    run(empty, code=5, says="1 input (1 without counts, as %s), 0 recordings, 0 binaries, 0 instructions, losses: none" % empty)


def damaged(folder):
    """Whatever is changed or cut: the file and the place are named, and there is no output."""
    maker = count_file.Maker(args.seed + 4)
    paths = inputs(folder, [(maker.model(3000 if i == 1 else 40), 1) for i in range(3)])
    data, bad, out = read(paths[1]), os.path.join(folder, "bad.cst"), os.path.join(folder, "out")
    for i in range(40):
        at = maker.r.randrange(16, len(data))
        changed = bytearray(data)
        changed[at] ^= 1 << maker.r.randrange(8)
        write(bad, bytes(changed))
        run("-o", out, paths[0], bad, paths[2], code=1, says=(bad + ": offset ", "copy it again, or make it again"))
        write(bad, data[:at])
        run("-o", out, paths[0], bad, paths[2], code=1, says=("%s: offset %d: the file ends " % (bad, at), "copy it again, or make it again"))
        if os.path.exists(out):
            raise Bad("output in spite of the error")
    write(bad, data + b"\0")
    run(bad, code=1, says=(bad, "bytes behind the end mark"))
    write(bad, b"")
    run(bad, code=1, says=(bad, "offset 0: an empty file"))
    write(bad, data[:8] + b"\2\0" + data[10:])
    run(bad, code=1, says=(bad, "offset 8: version 2", "expected 1", "perf-cstrace"))
    write(out, b"as it was")
    write(bad, data[:-1])
    run("-o", out, paths[0], bad, code=1, says=bad)
    if read(out) != b"as it was":
        raise Bad("the output of before is gone")
    # in a group of groups
    run(*[paths[0]] * 90, bad, *[paths[2]] * 90, files=40, code=1, says=bad + ": offset")


def other_files(folder):
    at = lambda name: os.path.join(folder, name)
    good = write(at("good.cst"), count_file.write(count_file.Maker(args.seed).model()))
    cases = [(SAMPLE, "is a recording (perf.data)", "profile -i"), (args.tool, "is a program", "name"),
             (write(at("gz"), gzip.compress(read(good))), "is packed by gzip", "gunzip"),
             (write(at("zst"), b"\x28\xb5\x2f\xfd" + bytes(20)), "is packed by zstd", "unzstd"),
             (write(at("xz"), b"\xfd7zXZ\0" + bytes(20)), "is packed by xz", "unxz"),
             (write(at("ix"), b"CSTIDX\r\n" + bytes(40)), "is an index", "name"),
             (write(at("text"), b"# counts\n12 13\n"), "is no count file", "profile --format=cstrace"),
             (write(at("short"), b"x"), "is no count file", "profile --format=cstrace"),
             (at("absent"), "cannot be opened: No such file"), (folder, "is a folder", "/*.cst"),
             ("/dev/null", "neither a file nor a pipe")]
    for path, *says in cases:
        run("-o", at("out"), good, path, code=1, says=(path, *says))
        run(good, "--weighted-input=2,%s" % path, code=1, says=(path, *says))
    run("-", stdin=read(SAMPLE), code=1, says=("standard input", "is a recording"))
    if os.path.exists(at("out")):
        raise Bad("output in spite of the error")


def usage(folder):
    good = write(os.path.join(folder, "good.cst"), count_file.write(count_file.Maker(args.seed).model()))
    run(code=129, says="nothing to add")
    for text in ("0," + good, "x," + good, good, ",", "1,", "18446744073709551616," + good, "-1," + good, ""):
        run("--weighted-input=" + text, code=129, says="expected N,FILE")
    lst = os.path.join(folder, "list")
    for text, says in ((b"0,%s\n" % good.encode(), "line 1"), (b"\n#\n", "names no file"), (b"", "names no file"),
                       (b"#x\nab\0cd\n", "line 2")):
        run("-f", write(lst, text), code=1, says=(lst, says))
    run("-f", os.path.join(folder, "absent"), code=1, says=("absent", "No such file"))
    run("-f", folder, code=1, says=folder + ": cannot be read: Is a directory")


def outputs(folder):
    maker = count_file.Maker(args.seed + 5)
    models = [(maker.model(), 1), (maker.model(), 1)]
    paths = inputs(folder, models)
    before = [read(p) for p in paths]
    for out in (paths[0], paths[1]):
        run("-o", out, *paths, code=1, says=(out, "is one of the files that are read", "-o"))
    link = os.path.join(folder, "link")
    os.symlink(paths[1], link)
    run("-o", link, *paths, code=1, says="is one of the files that are read")
    if [read(p) for p in paths] != before:
        raise Bad("an input was changed")
    run("-o", os.path.join(folder, "no/such/out"), *paths, code=1, says="no/such/out")
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            run(*paths, code=1, says="No space left", stdout=full)
    ends = tap.terminal()
    if ends:
        run(*paths, code=1, says="is a terminal", stdout=ends[1])
        os.close(ends[0])
        os.close(ends[1])
    # temporary files
    nowhere = dict(os.environ, TMPDIR=os.path.join(folder, "absent"))
    run(*paths * 40, files=40, env=nowhere)
    out = os.path.join(folder, "out")
    run("-o", out, *paths)
    check_sum(models, read(out))
    run("-o", os.path.join(folder, "second"), out, paths[0])
    return None if ends else "but for a terminal, since none can be opened: is /dev/pts there?"


def conflicts(folder):
    key, model = (0, b"0123456789"), count_file.new()
    model["binaries"] = {key: [0, 183, b"/bin/a", [(0, 4096, 0, 1)]]}
    model["counts"] = {key: {count_file.RANGE: {(0, 8, 1, 3): 1}}}
    paths = [write(os.path.join(folder, "a.cst"), count_file.write(model))]
    for name, change in (("type", lambda m: m["binaries"][key].__setitem__(0, 1)),
                         ("machine", lambda m: m["binaries"][key].__setitem__(1, 40)),
                         ("segment", lambda m: m["binaries"][key][3].append((4096, 10, 4096, 0))),
                         ("insns", lambda m: m["counts"][key].__setitem__(count_file.RANGE, {(0, 8, 1, 4): 1}))):
        other = count_file.read(read(paths[0]))
        change(other)
        path = write(os.path.join(folder, name + ".cst"), count_file.write(other))
        run(paths[0], path, code=1, says=(".cst: contradicts", "/bin/a", "leave out"))
        run(path, paths[0], code=1, says=(".cst: contradicts", "/bin/a"))
        run(*paths * 50, path, *paths * 50, files=40, code=1, says=(".cst", "contradicts", "/bin/a"))
    # groups of 25 files without a conflict of their own, the last one of five
    last = write(os.path.join(folder, "last.cst"), read(path))
    run(*paths * 100, *[path] * 4, last, files=40, code=1,
        says="merge: inputs 101 to 105, %s to %s: contradicts other inputs about the binary /bin/a: another machine" % (path, last))
    # a group that has one file only
    path = write(os.path.join(folder, "alone.cst"), read(path))
    run(*paths * 32, path, files=40, code=1, says=(path + ": contradicts", "/bin/a"))


# ---- size -----------------------------------------------------------------------------------------------


def large_file(r, records):
    """About 7 bytes for each record: ranges of one large binary, edges, and calls."""
    model = count_file.new()
    key = (0, b"the same large file!")
    model["totals"] = {b"recordings": 1, b"instructions": 1}
    model["binaries"] = {key: [0, 183, b"/usr/lib/large.so", [(0, 1 << 30, 0, 1)]]}
    at = 0
    ranges, edges = {}, {}
    for _ in range(records // 2):
        at += 4 * r.randint(1, 30)
        ranges[(at, at + 16, 0, 5)] = r.randint(1, 1 << r.randint(1, 30))
        edges[(at + 16, 4 * r.randrange(1 << 22))] = r.randint(1, 1 << 16)
    model["counts"] = {key: {count_file.RANGE: ranges, count_file.EDGE: edges}}
    return count_file.write(model)


def many_methods(folder):
    """Generated code of several machines: no binary of one file is in another one."""
    paths = []
    for i in range(4):
        model = count_file.new()
        for k in range(12000):
            key = (1, b"%2d%18d" % (i, k))
            model["binaries"][key] = [3, 183, b"Method%d/%d/" % (i, k) + 400 * b"x", []]
            model["counts"][key] = {count_file.RANGE: {(0, 8, 0, 3): 1}}
        paths.append(write(os.path.join(folder, "methods%d.cst" % i), count_file.write(model)))
    took, mb = measured(["-o", os.path.join(folder, "sum"), *paths], 16)
    return "%.1f s and %.0f MB of memory" % (took, mb)


def high_water(pid):
    """The most memory that the program had until now, in MB; 0 before it is loaded and behind its end. What wait4() counts has this
    script's in it."""
    try:
        if os.path.samefile("/proc/%d/exe" % pid, args.tool):
            for line in read("/proc/%d/status" % pid).decode().splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0


def measured(words, most_mb):
    """Runs it and returns seconds and the most memory in MB."""
    began, most = time.monotonic(), 0
    with subprocess.Popen([args.tool, "merge", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        while child.poll() is None:
            # the high-water mark of the program alone, which wait4() does not tell from that of this script
            most = max(most, high_water(child.pid))
            time.sleep(0.005)
        text = child.stderr.read().decode()
    if child.returncode:
        raise Bad("exit %d: %s" % (child.returncode, text))
    if not 0 < most <= most_mb:
        raise Bad("%.0f MB of memory, expected at most %.0f" % (most, most_mb))
    return time.monotonic() - began, most


def memory(folder):
    """The memory is that of the blocks of the inputs, whatever their size is."""
    r = random.Random(args.seed)
    kinds, copies, records, most = (20, 50, 170000, 256) if NIGHTLY else (3, 4, 160000, 24)
    paths, size = [], 0
    for i in range(kinds):
        first = write(os.path.join(folder, "%d.cst" % i), large_file(r, records))
        for k in range(copies):
            paths.append("%s.%d" % (first, k))
            shutil.copy(first, paths[-1])
            size += os.path.getsize(first)
    if NIGHTLY and size < 1e9:
        raise Bad("%d bytes of count files, expected 1 GB" % size)
    took, mb = measured(["-o", os.path.join(folder, "sum"), *paths], most)
    return "%d files, %.0f MB, in %.1f s and %.0f MB of memory" % (len(paths), size / 1e6, took, mb)


def main():
    global args
    p = argparse.ArgumentParser()
    p.add_argument("--tool", required=True)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    args.tool = os.path.abspath(args.tool)
    print("# seed %d" % args.seed)
    return tap.run_cases([
        ("sums of random files", random_sums), ("a thousand files, any order and grouping", thousand),
        ("more files than descriptors", few_descriptors), ("lists of files", lists), ("pipes", pipes),
        ("the line on standard error", summary), ("damaged and cut files", damaged), ("files that are no count files", other_files),
        ("wrong usage", usage), ("outputs", outputs), ("contradictions", conflicts), ("memory", memory),
        ("memory for methods of generated code", many_methods)])


if __name__ == "__main__":
    sys.exit(main())
