#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs.py --tool PERF-CSTRACE --gen CST-GEN [--jobs N,N...] [NAME[:SEED]...]

What a command writes, says and returns does not depend on -j: every command that decodes, on each scenario of
`cst-gen scenario` and on random traces of several CPUs and threads, with 1, 2, 3 and 8 threads. Speaks TAP;
CSTRACE_NIGHTLY=1 takes more seeds. Otherwise a scenario gets every second command, and each of these one other
number of threads than 1, both by turn: random traces, which have more to divide, get all of them.
"""
import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from auxdata import AUX, PerfData, SAMPLE_IDENTIFIER  # noqa: E402

NIGHTLY = bool(os.environ.get("CSTRACE_NIGHTLY"))
SEEDS = 6 if NIGHTLY else 1
JOBS = [1, 2, 3, 8]
TIME_LIMIT = 120

# Name, and what follows it; OUT is the output's path.
COMMANDS = [
    ["profile", "--format=autofdo", "-o", "OUT"],
    ["profile", "--format=bolt", "--binary", "BINARY", "-o", "OUT"],
    ["profile", "--format=cstrace", "-o", "OUT"],
    ["profile", "--format=top", "-o", "OUT"],
    ["profile", "--format=folded", "-o", "OUT"],
    ["info", "--all"],
    ["info", "--format=json"],
    ["dump", "--format=none"],
    ["inject", "--itrace=i1000il64", "-o", "OUT"],
    # ranges between samples are left out
    ["inject", "--itrace=i2000il64", "-o", "OUT"],
    ["inject", "--itrace=ibe", "-o", "OUT"],
    ["inject", "--itrace=be", "-o", "OUT"],
    ["inject", "--itrace=i10il16", "--tiles", "-o", "OUT"],
    ["inject", "--itrace=i1usg16", "-o", "OUT"],
    ["inject", "--itrace=i20is5", "-o", "OUT"],
    # the period of a fragment begins where that before it ended
    ["inject", "--itrace=i7iexwI", "-o", "OUT"],
    ["inject", "--itrace=i1000i", "-o", "OUT"],
    ["inject", "--itrace=i300nse", "-o", "OUT"],
    ["inject", "--itrace=bi10il16", "-z3"],
    ["script", "--itrace=be", "-F", "comm,pid,tid,cpu,time,ip,sym,dso,addr,flags"],
    ["script"],
    ["script", "--itrace=be"],
    ["script", "--itrace=b", "-F", "ip,sym,dso,addr"],
    ["script", "--itrace=b", "-F", "tid,ip,addr,insn"],
    ["script", "--itrace=be", "-F", "pid,tid,cpu,ip,addr"],
    ["script", "--itrace=b", "-F", "pid,tid,cpu,ip,addr"],
    ["script", "--itrace=b", "-F", "tid,time,ip,addr,flags"],
    ["script", "--itrace=e"],
    ["script", "--itrace=i50il8", "-F", "+brstack"],
    ["convert", "--to=package", "--images", "-o", "OUT"],
    ["profile", "--format=llvm", "--binary", "BINARY", "--cpu=0", "-o", "OUT"],
    ["script", "--itrace=b", "--time=10%-60%"],
    ["script", "--itrace=b", "--tid=1000"],
]


# They divide AUX fragments.
IN_PARTS = [
    ["profile", "--format=cstrace", "-o", "OUT"],
    ["profile", "--format=folded", "-o", "OUT"],
    ["profile", "--format=autofdo", "-o", "OUT"],
    ["dump", "--format=none"],
    ["script", "--itrace=b", "-F", "pid,tid,cpu,ip,addr"],
    ["script", "--itrace=cr", "-F", "ip,addr,flags,event"],
    ["script", "--itrace=b", "-F", "pid,tid,ip,sym,dso,addr"],
    ["script", "--itrace=be"],
]


class Bad(Exception):
    pass


def content(path):
    """The bytes of a file, or of all files of a folder with their names."""
    if os.path.isdir(path):
        parts = []
        for folder, dirs, names in os.walk(path):
            dirs.sort()
            for name in sorted(names):
                whole = os.path.join(folder, name)
                parts.append(os.path.relpath(whole, path).encode() + b"\0" + content(whole))
        return b"\0".join(parts)
    return open(path, "rb").read() if os.path.exists(path) else b""


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)


def result(args, words, options, folder, jobs):
    out = os.path.join(folder, "out")
    remove(out)
    argv = [args.tool] + [out if w == "OUT" else w for w in words] + options + ["-j", str(jobs)]
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        raise Bad("no end within %d s: %s" % (TIME_LIMIT, " ".join(argv)))
    if done.returncode not in (0, 1, 3, 5):
        raise Bad("exit %d: %s: %s" % (done.returncode, " ".join(argv), done.stderr.decode("utf-8", "replace")[-800:]))
    return {"exit code": done.returncode, "stdout": done.stdout, "stderr": done.stderr, "output": content(out)}


def first_difference(a, b):
    if isinstance(a, int):
        return "%d, %d" % (a, b)
    if b"\0" not in a + b:
        one, two = a.decode("utf-8", "replace").splitlines(), b.decode("utf-8", "replace").splitlines()
        for i in range(max(len(one), len(two))):
            if one[i:i + 1] != two[i:i + 1]:
                return "line %d: %s, %s" % (i + 1, one[i:i + 1], two[i:i + 1])
    i = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]), min(len(a), len(b)))
    return "offset %d of %d and %d bytes" % (i, len(a), len(b))


def check_command(args, words, options, folder, others):
    """With as many threads as JOBS names first, and with each of `others`."""
    alone = result(args, words, options, folder, JOBS[0])
    for jobs in others:
        several = result(args, words, options, folder, jobs)
        for what in alone:
            if alone[what] != several[what]:
                raise Bad("%s: %s with -j %d and -j %d: %s" % (" ".join(words), what, JOBS[0], jobs,
                                                             first_difference(alone[what], several[what])))
    return alone


def busiest(args, options):
    """The file with most instructions, as profile names it."""
    done = subprocess.run([args.tool, "profile", "--binary", "/no such file", "-o", os.devnull, "-j", "1"] + options,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT)
    for line in done.stderr.decode("utf-8", "replace").splitlines():
        number, _, name = line.strip().partition(" instructions  ")
        if name and number.isdigit():
            return name
    return "/no such file"


def check_all(args, options, folder, commands=COMMANDS, turn=None):
    """Returns the bytes that were compared. With a number `turn` every second command, with one other number of threads each."""
    size = 0
    binary = busiest(args, options)
    for place, words in enumerate(commands):
        others = JOBS[1:]
        if turn is not None:
            if (place + turn) % 2:
                continue
            others = [others[(place + turn) // 2 % len(others)]]
        words = [binary if w == "BINARY" else w for w in words]
        size += sum(len(v) for v in check_command(args, words, options, folder, others).values() if not isinstance(v, int))
    return size


def scenario(args, name, seed, folder, turn=None):
    perf, truth, symfs = (os.path.join(folder, n) for n in ("perf.data", "truth", "symfs"))
    done = subprocess.run([args.gen, "scenario", name, "--case=%d" % seed, "--perf=" + perf, "--truth=" + truth,
                           "--symfs=" + symfs], capture_output=True, timeout=TIME_LIMIT)
    if done.returncode:
        raise Bad("cst-gen scenario %s: %s" % (name, done.stderr.decode()))
    options = []
    for line in open(os.path.join(truth, "expect")):
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "option":
            options.append(rest.replace("@", symfs))
    return check_all(args, ["-i", perf, "--symfs", symfs] + options, folder, turn=turn)


# Many buffers with many fragments, losses of every kind.
RANDOM = [
    ["--buf=cpu", "--cpus=5", "--fragment=3000", "--insns=60000", "--threads=6", "--p-switch=100"],
    ["--buf=thread", "--cpus=4", "--fragment=2000", "--insns=60000", "--threads=9", "--p-switch=200"],
    ["--buf=cpu", "--cpus=3", "--raw", "--fragment=1500", "--insns=40000", "--threads=4", "--p-switch=100",
     "--aux-flags=1"],
    ["--buf=one", "--cpus=4", "--fragment=4000", "--insns=40000", "--threads=5", "--p-switch=50"],
    ["--buf=cpu", "--cpus=1", "--fragment=2000", "--insns=60000", "--threads=4", "--p-switch=100"],
]

# Large fragments, of one stream.
LARGE = [
    ["--buf=cpu", "--cpus=1", "--insns=500000", "--threads=4", "--p-switch=100"],
    ["--buf=thread", "--cpus=1", "--insns=500000", "--raw"],
]


def check_contradictions(args, perf, expected):
    """Each contradiction is counted for the file of its code: with ranges (dump), if they are counted, if branches are listed."""
    found = []
    for words in (["dump", "--format=none"], ["profile", "--format=autofdo", "-o", os.devnull],
                  ["script", "--itrace=b", "-F", "ip,addr", "-o", os.devnull]):
        done = subprocess.run([args.tool] + words + ["-i", perf, "-j", "1"], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIME_LIMIT)
        said = done.stderr.decode("utf-8", "replace")
        files = {name: int(number)
                 for number, name in re.findall(r"trace contradicts the code, (\d+) times: (.*): is ", said)}
        total = re.search(r"([\d,]+) atoms that contradict the program image", said)
        found.append((files, int(total.group(1).replace(",", "")) if total else 0))
    if found[1:] != found[:-1]:
        raise Bad("contradictions of files and in all: dump %s, profile %s, script %s" % tuple(found))
    if expected and not found[0][1]:
        raise Bad("no contradictions, though threads with other code share a buffer")
    if sum(found[0][0].values()) != found[0][1]:
        raise Bad("%d contradictions, %d of them of files: %s" % (found[0][1], sum(found[0][0].values()), found[0][0]))


def random_trace(args, options, seed, folder, commands=COMMANDS):
    perf, images = os.path.join(folder, "perf.data"), os.path.join(folder, "images")
    done = subprocess.run([args.gen, "random", "--case=%d" % seed, "--perf=" + perf, "--images=" + images] + options,
                          capture_output=True, timeout=TIME_LIMIT)
    if done.returncode:
        raise Bad("cst-gen random %s: %s" % (" ".join(options), done.stderr.decode()))
    # of the first seed many stretches are taken for those of another thread, unless threads have buffers of their own
    check_contradictions(args, perf, seed == 1 and "--buf=thread" not in options)
    return check_all(args, ["-i", perf], folder, commands)


def swap_fragments(perf, times):
    """Exchanges the times, or the places of the trace, of each two AUX records of a CPU that follow each other."""
    data = PerfData(perf)
    changed = bytearray(data.bytes)
    waiting, swapped = {}, 0
    for kind, _, pos, size, _, _ in data.records():
        if kind != AUX:
            continue
        cpu = bytes(changed[pos + size - 16:pos + size - 8])  # before the identifier
        if cpu not in waiting:
            waiting[cpu] = pos
            continue
        other = waiting.pop(cpu)
        first, end = (data.time_offset(size), data.time_offset(size) + 8) if times else (8, 24)
        changed[pos + first:pos + end], changed[other + first:other + end] = \
            changed[other + first:other + end], changed[pos + first:pos + end]
        swapped += 1
    assert data.sample_type & SAMPLE_IDENTIFIER
    with open(perf, "wb") as out:
        out.write(changed)
    return swapped


def times_back(args, seed, folder):
    perf, images = os.path.join(folder, "perf.data"), os.path.join(folder, "images")
    for case in range(100 * seed, 100 * seed + 100):  # in some of these random configurations the trace is one fragment
        subprocess.run([args.gen, "random", "--case=%d" % case, "--perf=" + perf, "--images=" + images, "--buf=cpu", "--cpus=2",
                        "--raw", "--fragment=900", "--insns=20000", "--threads=3", "--p-switch=100"] + ["--exclude=time"] * (seed % 2),
                       check=True, timeout=TIME_LIMIT)
        if swap_fragments(perf, seed % 2) > 5:
            break
    else:
        raise Bad("no configuration has fragments to exchange")
    return check_all(args, ["-i", perf], folder)


def wrong_numbers(args, _seed, _folder):
    """Usage errors, whether the number is on the command line or in the environment."""
    for given, env, says in ((["-j", "0"], "", "--jobs: found '0'"), (["--jobs", "1025"], "", "--jobs: found '1025'"),
                             (["-j", "two"], "", "--jobs: found 'two'"), ([], "-1", "CSTRACE_JOBS: found '-1'"),
                             ([], "many", "CSTRACE_JOBS: found 'many'")):
        done = subprocess.run([args.tool, "profile", "-i", "/no such file"] + given, capture_output=True,
                              env=dict(os.environ, CSTRACE_JOBS=env), timeout=TIME_LIMIT)
        if done.returncode != 129 or says not in done.stderr.decode():
            raise Bad("%s, CSTRACE_JOBS=%s: exit %d: %s" % (given, env, done.returncode, done.stderr.decode()))
    return 0


def closed_pipe(args, seed, folder):
    """A reader that ends early ends script, whichever thread writes: an error where SIGPIPE is ignored, and no report of a race."""
    perf, images = os.path.join(folder, "perf.data"), os.path.join(folder, "images")
    subprocess.run([args.gen, "random", "--case=%d" % seed, "--perf=" + perf, "--images=" + images, "--buf=cpu", "--cpus=1",
                    "--fragment=20000", "--insns=3000000"], check=True, timeout=TIME_LIMIT, stdout=subprocess.DEVNULL)
    for jobs, fields, mb in itertools.product(JOBS, ("pid,tid,cpu,ip,addr", "ip,sym,addr", "comm,tid,time,ip,sym,addr"), (1, 4, 6, 9)):
        with subprocess.Popen([args.tool, "script", "-i", perf, "--itrace=b", "-F", fields, "-j", str(jobs)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, restore_signals=False) as script:
            if len(script.stdout.read(mb << 20)) < mb << 20:
                raise Bad("script printed less than %d MB: %s" % (mb, script.stderr.read().decode()))
            script.stdout.close()
            said = script.stderr.read().decode()
        if script.returncode != 1 or "cannot write it" not in said:
            raise Bad("-j %d, -F %s, a pipe closed after %d MB: exit %d: %s" % (jobs, fields, mb, script.returncode, said))
    return 0


def cases(args):
    if not args.names:
        yield "a reader that ends early", [1], lambda s, f: closed_pipe(args, s, f)
        yield "wrong numbers", [0], lambda s, f: wrong_numbers(args, s, f)
    if args.names:
        for name in args.names:
            if name == "closed":
                yield name, [1], lambda s, f: closed_pipe(args, s, f)
                continue
            if name == "back":
                yield name, range(1, 2 * SEEDS + 2), lambda s, f: times_back(args, s, f)
                continue
            if name.startswith("parts"):
                number = int(name[len("parts"):])
                yield name, [1], lambda s, f, o=LARGE[number]: random_trace(args, o, s, f, IN_PARTS)
                continue
            if name.startswith("random"):
                number = int(name[len("random"):])
                yield name, [1], lambda s, f, o=RANDOM[number]: random_trace(args, o, s, f)
                continue
            name, _, seed = name.partition(":")
            yield name, [int(seed)] if seed else range(SEEDS), lambda s, f, n=name: scenario(args, n, s, f)
        return
    listed = subprocess.run([args.gen, "scenario"], capture_output=True, check=True).stdout.decode()
    for number, line in enumerate(listed.splitlines()):
        name = line.split()[0]
        yield name, range(SEEDS), lambda s, f, n=name, t=None if NIGHTLY else number: scenario(args, n, s, f, t)
    yield "times that go back", range(1, 2 * SEEDS + 2), lambda s, f: times_back(args, s, f)
    for options in RANDOM:
        yield "random " + " ".join(options), range(1, 2 * SEEDS + 1), \
            lambda s, f, o=options: random_trace(args, o, s, f)
    for options in LARGE:
        yield "in parts, random " + " ".join(options), range(1, 3 * SEEDS + 1), \
            lambda s, f, o=options: random_trace(args, o, s, f, IN_PARTS)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gen", required=True)
    parser.add_argument("--jobs", help="instead of 1,2,3,8; the first is what the others are compared with")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    if args.jobs:
        JOBS[:] = [int(n) for n in args.jobs.split(",")]
    if b"zstd: on" not in subprocess.run([args.tool, "--version"], capture_output=True, check=True).stdout:
        COMMANDS[:] = [c for c in COMMANDS if "-z3" not in c]
    number = failed = 0
    for title, seeds, check in cases(args):
        number += 1
        try:
            size = 0
            for seed in seeds:
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        size += check(seed, folder)
                    except Bad as error:
                        raise Bad("seed %d: %s" % (seed, error))
            print("ok %d - %s: %d bytes are the same" % (number, title, size), flush=True)
        except (Bad, subprocess.TimeoutExpired) as error:
            failed += 1
            print("not ok %d - %s\n# %s" % (number, title, str(error).replace("\n", "\n# ")), flush=True)
    print("1..%d" % number)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
