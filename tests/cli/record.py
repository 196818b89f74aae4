# SPDX-License-Identifier: BSD-3-Clause
"""perf-cstrace record. tests/data/record/*.txt has command lines with what they print:

    $ TREE [PATH=TEXT]... OPTION...
        perf-cstrace record --dry-run --root of the machine tests/data/targets/TREE.txt, some of whose files have other texts
        (PATH= alone: the file is not there); its stdout follows, its stderr with "! " before each line, and "= EXIT CODE" if
        that is not 0

REBASE=1 writes them anew. The other cases run a perf of the test's own, which notes its command line and copies a recording."""
import glob
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests/cli")
import sample_build_id
import target_tree
from tap import Bad, run_cases

TOOL = os.path.abspath(os.environ.get("PERF_CSTRACE", "build/perf-cstrace"))
LIMIT = 60
NIGHTLY = os.environ.get("CSTRACE_NIGHTLY")


# ---- plans for saved machines ----------------------------------------------------------------------


def tree_of(folder, name, changes):
    tree = os.path.join(folder, name + str(len(os.listdir(folder))))
    with open("tests/data/targets/%s.txt" % name, encoding="utf-8") as f:
        target_tree.make(tree, f.read())
    for change in changes:
        path, _, text = change.partition("=")
        if os.path.lexists(tree + path):
            os.remove(tree + path)
        if text:
            target_tree.put(tree, path, text.replace("\\n", "\n") + "\n")
    return tree


def planned(folder, line, tree=None):
    words = shlex.split(line)
    name, words = words[0], words[1:]
    changes = [w for w in words if re.match(r"/[^=]*=", w)]
    tree = tree or tree_of(folder, name, changes)
    env = {k: v for k, v in os.environ.items() if k != "PERF"}
    proc = subprocess.run([TOOL, "record", "--dry-run", "--root", tree] + [w for w in words if w not in changes],
                          capture_output=True, timeout=LIMIT, cwd=folder, env=env)
    out = proc.stdout.decode().splitlines() + ["! " + line for line in proc.stderr.decode().splitlines()]
    out += ["= %d" % proc.returncode] if proc.returncode else []
    return [line.replace(tree, "TREE") for line in out]


def plans_of(path):
    """The comment at the head, and [(command line, lines)]."""
    head, runs = [], []
    with open(path, encoding="utf-8") as f:
        for line in f.read().splitlines():
            if line.startswith("$ "):
                runs.append((line[2:], []))
            elif runs:
                runs[-1][1].append(line)
            else:
                head.append(line)
    return head, runs


def plans(path):
    def case(folder):
        head, runs = plans_of(path)
        trees = {}      # unchanged ones, which many lines have
        made = []
        for line, old in runs:
            name, _, rest = line.partition(" ")
            changed = re.search(r"['\" ]/[^ =]*=", " " + rest)
            if not changed and name not in trees:
                trees[name] = tree_of(folder, name, [])
            made.append((line, old, planned(folder, line, None if changed else trees[name])))
        if os.environ.get("REBASE"):
            with open(path, "w", encoding="utf-8") as f:
                f.write("\n".join(head + [x for line, _, new in made for x in ["$ " + line] + new + [""]][:-1]) + "\n")
            return ""
        for line, old, new in made:
            old = old[:-1] if old and not old[-1] else old
            if old != new:
                raise Bad("$ %s\n%s" % (line, "\n".join(["- " + x for x in old if x not in new] +
                                                         ["+ " + x for x in new if x not in old])))
        return ""
    return case


SCOPES = ("-- prog", "-a --duration 1", "-p 1")
PURPOSES = ("report", "autofdo", "coverage", "timeline", "kernel", "snapshot")


def every_machine(folder):
    """A plan or one line that says why not, for each machine and purpose; a plan's terms and sinks are those of the machine."""
    made = 0
    for number, path in enumerate(sorted(glob.glob("tests/data/targets/*.txt"))):
        name = os.path.basename(path)[:-4]
        tree = tree_of(folder, name, [])
        for i, purpose in enumerate(PURPOSES):
            for k, scope in enumerate(SCOPES):
                if not NIGHTLY and (number + i + k) % 7:
                    continue
                lines = planned(folder, "%s --for=%s --cycles %s" % (name, purpose, scope), tree)
                if lines[-1] == "= 1":
                    if len(lines) != 2 or not lines[0].startswith("! cstrace record: "):
                        raise Bad("%s: %s" % (name, lines))
                else:
                    made += 1
                    check_plan(name, tree, lines)
    if made < (60 if NIGHTLY else 6):
        raise Bad("%d plans" % made)
    return ""


def check_plan(name, tree, lines):
    commands = [line for line in lines if not line.startswith("#")]
    words = shlex.split(commands[0])
    terms = re.match(r"cs_etm/(.*)/[uk]$", words[words.index("-e") + 1])[1]
    for term in filter(None, terms.split(",")):
        kind, word = ("sinks", term[1:]) if term[0] == "@" else ("events" if term == "autofdo" else "format", term.split("=")[0])
        if not os.path.exists("%s/sys/bus/event_source/devices/cs_etm/%s/%s" % (tree, kind, word)):
            raise Bad("%s: %s is not in %s" % (name, word, kind))
    if [c.split()[0] for c in commands] != ["perf"] + ["perf-cstrace"] * 3 or commands[1].split()[1] != "convert":
        raise Bad("%s: %s" % (name, commands))
    for size in filter(None, words[words.index("-m") + 1].split(",")):
        number = int(size[:-1])
        if number & (number - 1) or not number:
            raise Bad("%s: -m %s is no power of two" % (name, size))


def hostile(folder):
    """Each file of a machine in turn is long, binary, a folder or a link to itself: there is a plan or a reason, and no harm."""
    tree = tree_of(folder, "juno", [])
    files = sorted(os.path.join(d, n) for d, _, names in os.walk(tree) for n in names)
    step = 1 if NIGHTLY else 23
    for i, path in enumerate(files):
        if i % step:
            continue
        os.rename(path, path + ".kept")
        for spoil in (lambda p: target_tree.put("", p, b"\xff\x1b[2J\0'$(touch harm)\n" * 4000), os.mkdir,
                      lambda p: os.symlink(os.path.basename(p), p)):
            spoil(path)
            proc = subprocess.run([TOOL, "record", "--dry-run", "--root", tree, "--for=autofdo", "-a"], capture_output=True,
                                  timeout=LIMIT, cwd=folder)
            text = proc.stdout + proc.stderr
            if proc.returncode not in (0, 1) or re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", text):
                raise Bad("%s: code %d, %r" % (path, proc.returncode, text))
            os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)
        os.rename(path + ".kept", path)
    if "harm" in os.listdir(folder):
        raise Bad("a command of the tree was run")
    return ""


# ---- from perf to the package ----------------------------------------------------------------------

# What this machine cannot record, a perf of the test records: it notes its command line, and copies the sample.
FAKE = """#!/usr/bin/env python3
import json, os, shutil, signal, sys, time
with open("argv.json", "w") as f:
    json.dump(sys.argv[1:], f)
how = os.environ.get("FAKE", "0")
if how == "wait":
    ended = []
    signal.signal(signal.SIGINT, lambda *a: ended.append(1))
    open("began", "w").close()
    while not ended:
        time.sleep(0.05)
    how = "0"
if how == "nothing":
    print("failed to mmap with 12 (Cannot allocate memory)", file=sys.stderr)
    sys.exit(255)
shutil.copy(os.environ["SAMPLE"], sys.argv[sys.argv.index("-o") + 1])
print("of the program")
sys.exit(int(how))
"""


def machine(folder):
    """A tree of a machine, a perf, and a build-id cache that has the sample's program. Returns the environment."""
    tree = tree_of(folder, "juno", [])
    os.rename(tree, os.path.join(folder, "tree"))
    with open(os.path.join(folder, "perf"), "w") as f:
        f.write(FAKE)
    os.chmod(f.name, 0o755)
    cache = os.path.join(folder, ".debug", sample_build_id.BY_ID)
    os.makedirs(cache)
    shutil.copy(sample_build_id.PROGRAM, os.path.join(cache, "elf"))
    sample = os.path.join(folder, "sample")
    sample_build_id.with_build_id(sample)
    return dict(os.environ, PERF=os.path.join(folder, "perf"), HOME=folder, SAMPLE=sample)


def record(folder, env, *args, code=0):
    proc = subprocess.run([TOOL, "record", "--root", "tree", *args], cwd=folder, env=env, capture_output=True, timeout=LIMIT,
                          stdin=subprocess.DEVNULL)
    if proc.returncode != code:
        raise Bad("code %d, not %d\n%s" % (proc.returncode, code, proc.stderr.decode()))
    return proc.stdout.decode(), proc.stderr.decode()


def argv_of(folder):
    with open(os.path.join(folder, "argv.json")) as f:
        return json.load(f)


def whole(folder):
    """perf gets each word as it was given; what the package has is decoded elsewhere, by the printed command lines."""
    env = machine(folder)
    words = ["prog", "a  b", "$(touch harm)", "", "-o", "'"]
    out, err = record(folder, env, "-o", "my data", "--", *words)
    argv = argv_of(folder)
    if argv[:3] != ["record", "-o", "my data"] or argv[argv.index("--") + 1:] != words or os.path.exists(folder + "/harm"):
        raise Bad(str(argv))
    if out != "of the program\n":
        raise Bad("stdout: " + out)
    lines = err.splitlines()
    at = lines.index("# copy 'my data.package' home, and there:")
    if not os.path.exists(folder + "/my data.package/images/opt/cstrace-sample/sample.a64"):
        raise Bad("the program is not in the package: %s" % err)
    # at home: another folder, without cache
    home = os.path.join(folder, "home")
    os.mkdir(home)
    os.rename(folder + "/my data.package", home + "/my data.package")
    for line in lines[at + 1:]:
        words = shlex.split(line)
        proc = subprocess.run([TOOL] + words[1:], cwd=home, env=dict(env, HOME=home), capture_output=True, text=True)
        if words[0] != "perf-cstrace" or proc.returncode or "losses: none" not in proc.stdout + proc.stderr:
            raise Bad("%s: code %d\n%s" % (line, proc.returncode, proc.stderr))
    if not os.path.exists(home + "/pages/index.html"):
        raise Bad(str(os.listdir(home)))
    return ""


def printed_is_run(folder):
    """What --dry-run prints is what perf gets, if a shell runs it."""
    env = machine(folder)
    for purpose in PURPOSES:
        args = ["--for=" + purpose, "-o", purpose, "--no-package", "--", "prog", "an arg", "a\nline\n", "\033[2J", "it's"]
        dry, _ = record(folder, env, "--dry-run", *args)
        record(folder, env, *args)
        line = re.search("^[^#].*?(?=\n# copy)", dry, re.M | re.S).group()
        words = subprocess.run(["sh", "-c", "printf '%s\\0' " + line], stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
        if words[1:-1] != argv_of(folder) or "\033" in dry:
            raise Bad("%s, but %s" % (line, argv_of(folder)))
        if os.path.exists(folder + "/%s.package" % purpose):
            raise Bad("--no-package makes one")
    return ""


def not_over(folder):
    """Nothing that is there is written over, and nothing half-way is left."""
    env = machine(folder)
    for name in ("perf.data", "perf.data.package"):
        with open(os.path.join(folder, name), "w") as f:
            f.write("kept")
        _, err = record(folder, env, "--", "prog", code=1)
        if "cstrace record: %s is there already" % name not in err or os.path.exists(folder + "/argv.json"):
            raise Bad(err)
        os.remove(os.path.join(folder, name))
    _, err = record(folder, dict(env, FAKE="nothing"), "--", "prog", code=1)
    if "perf recorded nothing: its exit code is 255; cstrace-recording(7) says" not in err or "copy" in err:
        raise Bad(err)
    _, err = record(folder, dict(env, PERF=folder + "/none"), "--", "prog", code=1)
    if "none: No such file or directory; --perf names another one" not in err:
        raise Bad(err)
    left = {n for n in os.listdir(folder) if n.startswith("perf.data")}
    if left:
        raise Bad(str(left))
    return ""


def exit_codes(folder):
    """The program's exit code is printed, and the recording packed; what the package lacks is a loss."""
    env = machine(folder)
    _, err = record(folder, dict(env, FAKE="7"), "-o", "a", "--", "prog")
    if "perf, or what it ran, ended with exit code 7; a is there" not in err or not os.path.isdir(folder + "/a.package"):
        raise Bad(err)
    shutil.rmtree(folder + "/.debug")
    _, err = record(folder, env, "-o", "b", "--", "prog", code=3)
    if "sample.a64" not in err:
        raise Bad(err)
    with open(folder + "/text", "w") as f:
        f.write("no recording")
    _, err = record(folder, dict(env, SAMPLE=folder + "/text"), "-o", "c", "--", "prog", code=1)
    if "no package was made; c is the recording" not in err or os.path.exists(folder + "/c.package"):
        raise Bad(err)
    return ""


def interrupted(folder):
    """An interrupt of the terminal ends perf, which finishes its file; then it is packed."""
    env = dict(machine(folder), FAKE="wait")
    proc = subprocess.Popen([TOOL, "record", "--root", "tree", "-a"], cwd=folder, env=env, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True)
    began = time.monotonic()
    while not os.path.exists(folder + "/began") and time.monotonic() < began + LIMIT:
        time.sleep(0.05)
    os.killpg(proc.pid, signal.SIGINT)
    _, err = proc.communicate(timeout=LIMIT)
    if proc.returncode or not os.path.isdir(folder + "/perf.data.package"):
        raise Bad("code %d\n%s" % (proc.returncode, err.decode()))
    return ""


def usage(folder):
    """Options that contradict each other."""
    env = machine(folder)
    for args, text in (([], "what shall be recorded: COMMAND, -p PID or -a"), (["-a", "-p", "1"], "-a and -p exclude each other"),
                       (["-a", "--duration", "1", "prog"], "--duration is for -a and -p without a command"),
                       (["--duration", "1"], "--duration is for -a and -p"),
                       (["-a", "--duration", "0"], "--duration: from 1 second on"), (["--for=bogus", "x"], "cstrace record: purposes are"),
                       (["-o", "-", "x"], "-o: expected the name of a file"),
                       (["-p", "x"], "-p: process numbers with commas between them"),
                       (["--for=cover", "x"], "purposes are report, autofdo, coverage, timeline, kernel and snapshot")):
        _, err = record(folder, env, *args, code=129)
        if text not in err:
            raise Bad("%s: %s" % (args, err))
    return ""


def main():
    cases = [("plans: " + os.path.basename(p)[:-4], plans(p)) for p in sorted(glob.glob("tests/data/record/*.txt"))]
    cases += [(case.__doc__.splitlines()[0], case) for case in (every_machine, hostile, whole, printed_is_run, not_over,
                                                                 exit_codes, interrupted, usage)]
    return run_cases(cases)


sys.exit(main())
