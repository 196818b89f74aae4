# SPDX-License-Identifier: BSD-3-Clause
"""What a process may have is little: a stack of 64 KB gives the results of a large one; with few descriptors a command fails
with a message and leaves nothing behind. A standard output that nothing is written to does not matter beside -o."""
import os
import resource
import subprocess
import sys

from tap import Bad, run_cases

TOOL = os.path.abspath(os.environ["PERF_CSTRACE"])
REFUSE = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "tests/fault/refuse.so"))
DATA = os.path.abspath("tests/data/sample.perf.data")
INPUT = ["-i", DATA, "--symfs", os.path.abspath("tests/data/symfs")]
# Each command, with OUT where its output is.
COMMANDS = [line.split() for line in """
info
inject --itrace=i1000il64 -o OUT
script --itrace=b -F +srcline -o OUT
script --call-trace -o OUT
script --insn-trace=disasm -o OUT
profile --format=autofdo --binary sample.a64 -o OUT
profile --format=bolt --binary sample.a64 -o OUT
profile --format=callgrind -o OUT
profile --format=cstrace -o OUT
profile --format=folded -o OUT
profile --format=lcov -o OUT
profile --format=llvm --binary sample.a64 -o OUT
profile --format=pprof -o OUT
profile --format=top -o OUT
report -o OUT
timeline -o OUT
dump --elements --packets -o OUT
dump --format=tarmac -o OUT
verify -o OUT
index -o OUT
compare --with DATA -o OUT
convert --to=package --images -o OUT
convert --to=snapshot -o OUT
""".strip().splitlines()]
# Numbers of descriptors: 3 are the standard ones.
FEW = range(4, 9)


def run(words, folder, limit=None, env=None, stdout=subprocess.PIPE):
    words = [os.path.join(folder, "out") if w == "OUT" else DATA if w == "DATA" else w for w in words]
    return subprocess.run([TOOL] + words + INPUT, cwd=folder, preexec_fn=limit and (lambda: resource.setrlimit(*limit)), stdout=stdout,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120, env=dict(os.environ, **(env or {})))


def contents(path):
    """What was written: bytes, or those of each file of a folder."""
    if not os.path.isdir(path):
        return open(path, "rb").read() if os.path.exists(path) else None
    files = [os.path.join(top, name) for top, _, names in os.walk(path) for name in names]
    return {os.path.relpath(f, path): contents(f) for f in files}


def small_stack(folder):
    for words in COMMANDS:
        for jobs in ([], ["-j2"]) if words[0] in ("profile", "report") else ([],):
            done = []
            for number, limit in enumerate((None, (resource.RLIMIT_STACK, (64 << 10, 64 << 10)))):
                where = os.path.join(folder, "%s%d%d" % ("-".join(words[:2]).replace("/", ""), len(jobs), number))
                os.mkdir(where)
                done.append(run(words + jobs, where, limit))
                wrong = done[-1].returncode not in (0, 3, 5)
                if wrong or (words[0] not in ("convert", "inject", "index") and number and
                             contents(where + "/out") != contents(where[:-1] + "0/out")):
                    raise Bad("%s: exit %d: %s" % (" ".join(words), done[-1].returncode, done[-1].stderr.decode()))
            if done[0].stdout != done[1].stdout:
                raise Bad(" ".join(words) + ": other results on standard output")
    return "%d commands" % len(COMMANDS)


def few_descriptors(folder):
    refused = 0
    for words in COMMANDS:
        for number in FEW:
            where = os.path.join(folder, "%d-%d" % (COMMANDS.index(words), number))
            os.mkdir(where)
            done = run(words, where, (resource.RLIMIT_NOFILE, (number, number)))
            what = "%d descriptors: %s: exit %d: %s" % (number, " ".join(words), done.returncode, done.stderr.decode())
            if done.returncode not in (0, 1, 3, 5) or (done.returncode and not done.stderr):
                raise Bad(what)
            left = os.listdir(where)
            if left not in ([], ["out"]) or (done.returncode == 1 and left):
                raise Bad("%r is left: %s" % (left, what))
            refused += done.returncode == 1
    if not refused:
        raise Bad("nothing was ever refused")
    return "%d of %d refused" % (refused, len(COMMANDS) * len(FEW))


def closing_fails(folder):
    """Whichever close fails: with exit 1 there is no whole output, with exit 0 there is."""
    words = ["profile", "--format=top", "-o", "OUT"]
    out, counts = os.path.join(folder, "out"), os.path.join(folder, "counts")
    run(words, folder, env={"LD_PRELOAD": REFUSE, "CST_FAULT_COUNTS": counts})
    whole = contents(out)
    calls = int([line.split()[1] for line in open(counts) if line.startswith("close ")][0])
    for number in range(1, calls + 1):
        if os.path.exists(out):
            os.unlink(out)
        done = run(words, folder, env={"LD_PRELOAD": REFUSE, "CST_FAULT": "close:%d" % number})
        if done.returncode not in (0, 1) or (contents(out) == whole) != (done.returncode == 0):
            raise Bad("close %d of %d: exit %d: %s" % (number, calls, done.returncode, done.stderr.decode()))
    done = run(["script", "--itrace=b"], folder, env={"LD_PRELOAD": REFUSE, "CST_FAULT": "close:%d+" % calls})
    if done.returncode != 0 and b"standard output" not in done.stderr:
        raise Bad("a listing on standard output: exit %d: %s" % (done.returncode, done.stderr.decode()))
    return "%d calls of close()" % calls


def full_output(folder):
    """Of standard output it is not said that nothing was left under its name."""
    with open("/dev/full", "wb") as full:
        done = run(["script", "--itrace=b"], folder, stdout=full)
    said = done.stderr.decode()
    if done.returncode != 1 or "standard output: cannot write" not in said or "nothing was left" in said or "not whole" not in said:
        raise Bad("exit %d: %s" % (done.returncode, said))


sys.exit(run_cases([("a stack of 64 KB", small_stack), ("few descriptors", few_descriptors), ("a close that fails", closing_fails),
                    ("a full device as standard output", full_output)]))
