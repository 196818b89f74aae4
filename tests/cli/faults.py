#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""faults.py [--count N] [--seed N] [--only TEXT] [--every CLASS | --places] [--tool PERF-CSTRACE]
          [--refuse REFUSE.SO] [--asan]

Every command, with one call of the C library that fails (tests/fault/refuse.c): which one is drawn by a printed
seed. Whatever fails,
- the command ends by itself, without a signal, with a documented exit code, and a message if that is not 0;
- with code 0, or the code of the run without a failure, all output is what it was without;
- with code 1 the output file is not there, is the old one, or is whole;
- a refused allocation is either without an effect or ends in code 1 and the words "out of memory";
- nothing else is left: no temporary file.
Speaks TAP, a case per command, and prints a table. A finding comes with the line that repeats it.
With --places, each place of the program that makes such a call, with the calls that lead to it, fails once: the first
time, in the first command that comes there. Otherwise 300 failures by default, 10200 with CSTRACE_NIGHTLY=1. With --asan
the program fails allocations by itself (BUILD/asan/tests/fault/perf-cstrace), and a sanitizer's report is a finding, too;
with --asan --count 0 every command runs once as it is, which shows leaks.
"""
import argparse
import concurrent.futures
import filecmp
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile

import count_file
import target_tree

TIME_LIMIT = 60
SYMFS = "tests/data/symfs"
# How often a class is drawn where it has calls at all.
WEIGHTS = {"alloc": 6, "mmap": 2, "open": 2, "read": 2, "write": 2, "close": 1, "stat": 2, "change": 2,
           "shortread": 1, "shortwrite": 1}
ERRORS = {"open": (24, 13, 2, 5), "write": (28, 5), "read": (5,), "stat": (5, 13), "change": (5, 28, 13)}
OLD = b"what was there before\n"


class Case:
    """A command: its arguments, where "@" is the folder of inputs, and OUT its output, a file or a folder. `spared` classes
    do not fail: that a file cannot be read is what the command reports."""

    def __init__(self, name, line, stdin=None, folder=False, spared=()):
        self.name, self.words, self.stdin, self.folder, self.spared = name, shlex.split(line), stdin, folder, spared
        self.output = "OUT" in self.words


CASES = [
    Case("inject", "inject -i @sample --symfs @symfs -o OUT --itrace=i1000il16be"),
    Case("inject pipe", "inject -i - --symfs @symfs --itrace=b", stdin="pipe"),
    Case("inject compressed", "inject -i @packed --symfs @symfs -o OUT --itrace=b"),
    Case("inject directory", "inject -i @kcore.data --symfs @kcore.s -o OUT --itrace=il8"),
    Case("inject jit", "inject -i @jit --symfs @jit.s -z -o OUT"),
    Case("script", "script -i @sample --symfs @symfs --itrace=b -F comm,pid,tid,cpu,time,ip,sym,symoff,dso,addr"),
    Case("script kernel", "script -i @modules --symfs @modules.s --vmlinux @modules.s/boot/vmlinux --itrace=b -F +sym,+dso"),
    Case("script patched kernel", "script -i @text-poke --symfs @text-poke.s --vmlinux @text-poke.s/boot/vmlinux "
         "--itrace=i100il4 -F ip,sym,brstack -o OUT"),
    Case("script code", "script -i @sample --symfs @symfs --itrace=i100il4 -F ip,sym,srcline,disasm,brstackdisasm -o OUT"),
    Case("script calls", "script -i @sample --symfs @symfs --call-ret-trace -F +srcline"),
    Case("script bpf", "script -i @bpf --symfs @bpf.s --vmlinux @bpf.s/boot/vmlinux --itrace=cr"),
    Case("script time", "script -i @two-cpus --symfs @two-cpus.s --itrace=b --time 20%-40% -o OUT"),
    Case("script comm", "script -i @switch --symfs @switch.s --itrace=b --comm one,two,three --cpu 0"),
    Case("script package", "script -i @package --itrace=b -F ip,sym,addr"),
    Case("script snapshot", "script -i @snapshot --itrace=i1000i -F ip,insn"),
    Case("profile autofdo", "profile -i @sample --symfs @symfs --format=autofdo -o OUT"),
    Case("profile cstrace", "profile -i @jit --symfs @jit.s --format=cstrace -o OUT"),
    Case("profile of counts", "profile -i @counts.cst --symfs @symfs --format=bolt --reader=bolt-16 -o OUT"),
    Case("profile llvm", "profile -i @jit --symfs @jit.s --binary engine --format=llvm -o OUT"),
    Case("profile in two threads", "profile -i @modules --symfs @modules.s --format=cstrace -j 2 -o OUT"),
    Case("script in two threads", "script -i @sample --symfs @symfs --itrace=be -j 2"),
    Case("inject in two threads", "inject -i @jit --symfs @jit.s -o OUT --itrace=i100ie -j 2"),
    Case("dump tarmac", "dump -i @sample --symfs @symfs --format=tarmac -o OUT"),
    Case("compare", "compare -i @sample --symfs @symfs --with @sample -o OUT"),
    Case("verify", "verify -i @sample --symfs @symfs --format=json -o OUT"),
    Case("profile callgrind", "profile -i @two-cpus --symfs @two-cpus.s --format=callgrind -o OUT"),
    Case("profile lcov", "profile -i @sample --symfs @symfs --format=lcov -o OUT"),
    Case("profile pprof", "profile -i @two-cpus --symfs @two-cpus.s --format=pprof -o OUT"),
    Case("profile propeller", "profile -i @sample --symfs @symfs --format=propeller -o OUT"),
    Case("profile branch lists", "profile -i @sample --symfs @symfs --format=branch-list -o OUT"),
    Case("profile branch lists packed", "profile -i @counts.cst --symfs @symfs --format=branch-list-zstd -o OUT"),
    Case("profile of branch lists", "profile -i @lists --symfs @symfs --format=autofdo -o OUT"),
    Case("counts of branch lists", "profile -i @lists --symfs @symfs --format=cstrace -o OUT"),
    Case("profile folded", "profile -i @sample --symfs @symfs --format=folded --demangle -o OUT"),
    Case("profile top", "profile -i @jit --symfs @jit.s --format=top"),
    Case("report", "report -i @sample --symfs @symfs --source @symfs --functions 3 -o OUT", folder=True),
    Case("report of calls", "report -i @two-cpus --symfs @two-cpus.s --demangle -o OUT", folder=True),
    Case("profile bolt", "profile -i @sample --symfs @symfs --format=bolt --reader=bolt-16"),
    Case("timeline", "timeline -i @two-cpus --symfs @two-cpus.s -o OUT"),
    Case("timeline perfetto", "timeline -i @sample --symfs @symfs --format=perfetto --demangle -o OUT"),
    Case("dump", "dump -i @sample --symfs @symfs --frames --packets --elements -o OUT"),
    Case("dump json", "dump -i @two-cpus --symfs @two-cpus.s --elements --format=json"),
    Case("dump as the reference", "dump -s @snapshot --format=opencsd -o OUT"),
    Case("dump frames of a snapshot", "dump -s @snapshot --frames -o OUT"),
    Case("dump bare trace", "dump --trace @snapshot/trace0.bin --trace-source 0x47=ete --reg TRCCONFIGR=0x1801 "
         "--reg 0x47:TRCIDR0=0x68800aa1 --elf @symfs/opt/cstrace-calls/calls --elements -o OUT"),
    Case("dump from", "dump -i @indexed --symfs @two-cpus.s --elements --from offset=9000 --index @indexed.cstidx"),
    Case("info", "info -i @two-cpus --symfs @two-cpus.s"),
    Case("info json", "info -i @modules --symfs @modules.s --format=json"),
    Case("convert to package", "convert -i @jit --symfs @jit.s --to=package --images -o OUT", folder=True),
    Case("convert kernel to package", "convert -i @kcore.data --symfs @kcore.s --to=package --images -o OUT", folder=True),
    Case("convert to snapshot", "convert -i @sample --symfs @symfs --to=snapshot -o OUT", folder=True),
    Case("convert package to perf", "convert -i @package --to=perf -o OUT"),
    Case("convert snapshot to package", "convert -i @snapshot --to=package --images -o OUT", folder=True),
    Case("index", "index -i @two-cpus --symfs @two-cpus.s -o OUT"),
    Case("index full", "index -s @snapshot --full -o OUT"),
    Case("merge", "merge -o OUT @a.cst @b.cst @b.cst"),
    Case("merge branch lists", "merge -o OUT @lists @lists"),
    Case("merge branch lists and counts", "merge -o OUT @lists @counts.cst --symfs @symfs"),
    Case("info branch lists", "info -i @lists"),
    Case("merge list", "merge -f @list", stdin="a.cst"),
    Case("check", "check --root @target", spared=("open", "read", "stat", "shortread")),
    Case("check json", "check --root @target --format=json", spared=("open", "read", "stat", "shortread")),
    Case("live", "live --where"),
]


def must(argv, **more):
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, **more)
    if done.returncode not in (0, 3, 5):
        sys.exit("%s: exit %d: %s" % (shlex.join(argv), done.returncode, done.stderr.decode()))
    return done


def make_inputs(args, folder):
    """All inputs, made by our own tools: nothing here can be absent."""
    at = lambda name: os.path.join(folder, name)
    shutil.copy("tests/data/sample.perf.data", at("sample"))
    shutil.copytree(SYMFS, at("symfs"))
    with open("tests/data/targets/juno.txt", encoding="utf-8") as f:
        target_tree.make(at("target"), f.read())
    for name in ("modules", "text-poke", "bpf", "two-cpus", "switch", "jit", "kcore"):
        perf = at("kcore.data" if name == "kcore" else name)
        must([args.gen, "scenario", name, "--case", "1", "--perf", perf, "--truth", at(name + ".t"), "--symfs", at(name + ".s")])
    for name, option in (("packed", "--compress=1"), ("pipe", "--pipe")):
        must([args.gen, "random", "--case", "7", "--insns=4000", option, "--perf", at(name), "--images", at("symfs/" + name),
              "--prefix", "/" + name])
    must([args.gen, "random", "--case", "5", "--insns=3000", "--snapshot", at("snapshot")])
    must([args.plain, "convert", "-i", at("two-cpus"), "--symfs", at("two-cpus.s"), "--to=package", "--images", "-o", at("package")])
    shutil.copy(at("two-cpus"), at("indexed"))
    must([args.plain, "index", "-i", at("indexed"), "--symfs", at("two-cpus.s")])
    maker = count_file.Maker(1)
    for name in ("a.cst", "b.cst"):
        with open(at(name), "wb") as f:
            f.write(count_file.write(maker.model(4000)))
    with open(at("list"), "w") as f:
        f.write("# a comment\n%s\n2,%s\n-\n" % (at("a.cst"), at("b.cst")))
    must([args.plain, "profile", "-i", at("sample"), "--symfs", at("symfs"), "--format=cstrace", "-o", at("counts.cst")])
    must([args.plain, "profile", "-i", at("sample"), "--symfs", at("symfs"), "--format=branch-list-zstd", "-o", at("lists")])


def tree(path):
    """Name -> contents of a file or of all files of a folder."""
    if os.path.isfile(path):
        with open(path, "rb") as f:
            return {"": f.read()}
    out = {}
    for base, _, files in os.walk(path):
        for name in files:
            with open(os.path.join(base, name), "rb") as f:
                out[os.path.relpath(os.path.join(base, name), path)] = f.read()
    return out


class Outcome:
    def __init__(self, code, stdout, stderr, output, left):
        self.code, self.stdout, self.stderr, self.output, self.left = code, stdout, stderr, output, left


def scratch_file(args, what, case):
    return os.path.join(args.scratch, "%s.%s" % (what, case.name.replace(" ", "-")))


def run(args, case, fault, inputs, old=False):
    """Runs in a folder of its own, in which the output and what is left are looked for."""
    cwd = tempfile.mkdtemp(prefix="run.", dir=args.scratch)
    words = [os.path.join(inputs, w[1:]) if w.startswith("@") else w for w in case.words]
    env = dict(os.environ, TMPDIR=cwd, LC_ALL="C", HOME=cwd)
    if not args.asan:
        env["LD_PRELOAD"] = args.refuse
    if fault is None:
        env["CST_FAULT_COUNTS"] = scratch_file(args, "counts", case)
        if args.places:
            env["CST_FAULT_PLACES"] = scratch_file(args, "places", case)
    else:
        env["CST_FAULT"] = fault
    out = os.path.join(cwd, "OUT")
    if old and case.output and not case.folder:
        with open(out, "wb") as f:
            f.write(OLD)
    stdin = open(os.path.join(inputs, case.stdin), "rb") if case.stdin else subprocess.DEVNULL
    try:
        done = subprocess.run([args.tool] + words, cwd=cwd, env=env, stdin=stdin, capture_output=True, timeout=TIME_LIMIT)
        code, stdout, stderr = done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        code, stdout, stderr = "no end within %d s" % TIME_LIMIT, b"", ""
    finally:
        if case.stdin:
            stdin.close()
    left = sorted(n for n in os.listdir(cwd) if n != "OUT" or not case.output)
    output = tree(out) if case.output and os.path.exists(out) else None
    shutil.rmtree(cwd)
    return Outcome(code, stdout, stderr, output, left)


def judge(case, fault, want, got, old):
    """What is wrong with a run; None: nothing."""
    if got.code not in (0, 1, 3, 5):
        return "ended with %s" % got.code
    if "Sanitizer" in got.stderr or "runtime error:" in got.stderr:
        return "sanitizer"
    if got.left:
        return "left behind: %s" % " ".join(got.left)
    same = got.output == want.output and got.stdout == want.stdout
    if got.code == want.code and same:
        return None
    if got.code == 0:
        return "code 0, but the output differs" if want.code == 0 else "code 0 instead of %d" % want.code
    if got.stderr == want.stderr and not ("info" in case.words and got.stdout != want.stdout):
        return "code %d without a message" % got.code
    if fault.startswith("alloc") and (got.code != 1 or "out of memory" not in got.stderr):
        return "memory was refused: code %d, and 'out of memory' is %s" % (
            got.code, "said" if "out of memory" in got.stderr else "not said")
    if fault.startswith("alloc") and "mispredict" in got.stderr:
        return "memory was refused, and something else is named as the cause"
    if got.code == 3:
        return None
    before = {"": OLD} if old and not case.folder else None
    if case.output and got.output is not None and got.output != before and got.output != want.output:
        return "code 1, and an output that is neither whole nor the old one"
    if case.output and old and not case.folder and got.output is None:
        return "code 1, and the old output is gone"
    return None


def draw(rng, case, counts):
    """A failure: (class, text for CST_FAULT). A folder cannot be removed when all calls fail."""
    have = [c for c in WEIGHTS if counts.get(c)]
    kind = rng.choices(have, [WEIGHTS[c] for c in have])[0]
    fault = "%s:%d%s" % (kind, rng.randint(1, counts[kind]), "+" if rng.random() < 0.15 and not case.folder else "")
    return kind, with_error(rng, kind, fault)


def prepare(args, cases, inputs):
    """What each command does without a failure, and how many calls of each class it makes."""
    want, counts = {}, {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = {case: pool.submit(run, args, case, None, inputs) for case in cases}
    for case in cases:
        want[case] = runs[case].result()
        with open(scratch_file(args, "counts", case)) as f:
            counts[case] = {k: int(v) for k, v in map(str.split, f) if k not in case.spared}
        if args.asan:
            counts[case] = {"alloc": counts[case]["alloc"]}
        if want[case].code not in (0, 3, 5) or want[case].left:
            sys.exit("%s without a failure: exit %s, left %s: %s" % (case.name, want[case].code, want[case].left,
                                                                     want[case].stderr))
    return want, counts


def with_error(rng, kind, fault):
    return "%s:%d" % (fault, rng.choice(ERRORS[kind])) if kind in ERRORS else fault


def each_call(args, rng, cases, counts):
    for case in cases:
        for i in range(1, counts[case].get(args.every, 0) + 1):
            yield case, args.every, with_error(rng, args.every, "%s:%d" % (args.every, i)), i & 1


def each_place(args, rng, cases):
    seen = set()
    for case in cases:
        with open(scratch_file(args, "places", case)) as f:
            places = [line.split() for line in f]
        if not places:
            sys.exit("%s: no place with a call that can fail: %s does not record them" % (case.name, args.refuse))
        for kind, number, place in places:
            if (kind, place) not in seen and kind not in case.spared:
                seen.add((kind, place))
                yield case, kind, with_error(rng, kind, "%s:%s" % (kind, number)), rng.random() < 0.5


def at_random(args, rng, cases, counts):
    for i in range(args.count):
        case = cases[i % len(cases)]
        yield (case, *draw(rng, case, counts[case]), rng.random() < 0.5)


def repeat_line(args, case, fault):
    return "CST_FAULT=%s %s%s %s" % (fault, "" if args.asan else "LD_PRELOAD=%s " % args.refuse, args.tool,
                                     " ".join(case.words))


def sweep(args, cases, inputs):
    want, counts = prepare(args, cases, inputs)
    rng = random.Random(args.seed)
    table, findings = {}, {c: [] for c in cases}
    jobs = list(each_place(args, rng, cases) if args.places else
                each_call(args, rng, cases, counts) if args.every else at_random(args, rng, cases, counts))
    args.count = len(jobs)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = {pool.submit(run, args, case, fault, inputs, old): (case, kind, fault, old)
                for case, kind, fault, old in jobs}
        for done in concurrent.futures.as_completed(runs):
            case, kind, fault, old = runs[done]
            got = done.result()
            bad = judge(case, fault, want[case], got, old)
            row = table.setdefault(kind, {"runs": 0, 0: 0, 1: 0, 3: 0, "findings": 0})
            row["runs"] += 1
            row[got.code] = row.get(got.code, 0) + 1
            if bad:
                row["findings"] += 1
                findings[case].append("%s: %s: %s" % (bad, repeat_line(args, case, fault), got.stderr[-300:].replace("\n", " | ")))
    return table, findings


def main():
    build = os.environ.get("BUILD", "build")
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, help="default: 300, with --asan 30; 34 times as many with CSTRACE_NIGHTLY=1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", choices=WEIGHTS, help="instead of random failures: each call of this class, once")
    parser.add_argument("--places", action="store_true", help="instead of random failures: each place with a call, once")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--asan", action="store_true")
    parser.add_argument("--tool")
    parser.add_argument("--keep", help="folder for the inputs, which then stay")
    args = parser.parse_args()
    if args.count is None:
        args.count = (30 if args.asan else 300) * (34 if os.environ.get("CSTRACE_NIGHTLY") else 1)
    args.plain = os.path.abspath(os.path.join(build, "perf-cstrace"))
    args.tool = os.path.abspath(args.tool or (os.path.join(build, "asan/tests/fault/perf-cstrace") if args.asan else args.plain))
    args.gen = os.path.abspath(os.path.join(build, "tests/gen/cst-gen"))
    args.refuse = os.path.abspath(os.path.join(build, "tests/fault/refuse.so"))
    # The drop-in is not beside the program that fails by itself.
    cases = [c for c in CASES if args.only in c.name and not (args.asan and c.name == "live")]
    with tempfile.TemporaryDirectory() as args.scratch:
        inputs = os.path.abspath(args.keep or os.path.join(args.scratch, "in"))
        if not os.path.exists(inputs):
            os.mkdir(inputs)
            make_inputs(args, inputs)
        table, findings = sweep(args, cases, inputs)
    print("# seed %d, %d failures of one call each, over %d commands" % (args.seed, args.count, len(cases)))
    print("# %-12s %6s %8s %8s %8s %9s" % ("class", "runs", "code 0", "code 1", "code 3", "findings"))
    for kind in sorted(table):
        row = table[kind]
        print("# %-12s %6d %8d %8d %8d %9d" % (kind, row["runs"], row[0], row[1], row[3], row["findings"]))
    for i, case in enumerate(cases, 1):
        print("%sok %d - %s" % ("not " if findings[case] else "", i, case.name))
        for line in findings[case][:20]:
            print("#   " + line)
    print("1..%d" % len(cases))
    sys.exit(any(findings.values()))


if __name__ == "__main__":
    main()
