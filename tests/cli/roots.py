# SPDX-License-Identifier: BSD-3-Clause
"""roots.py [NAME]: every command over the shipped recordings, generated ones, a snapshot and packages, and the inputs of
defects outside the repository, with tests/fault/watch.c in front of the C library: what is opened is in the folders that the
command line names, in the caches of the user or the system's own library, and nobody is asked by network. The environment
says that a debuginfod server is to be asked, and the inputs name files of this host."""
import collections
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import Bad, run_cases

TOOL = os.path.abspath(os.environ["PERF_CSTRACE"])
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
GEN = os.environ.get("CST_GEN", os.path.join(BUILD, "tests/gen/cst-gen"))
WATCH = os.path.join(BUILD, "tests/fault/watch.so")
DATA = os.path.abspath("tests/data")
REPRO = os.path.join(os.path.abspath(os.environ.get("CSTRACE_SHARED", "../shared")), "repro/2026-11")
# Inputs of defects that are about other things, and take long while these are not mended.
SLOW = ("rel-dwarf-units", "rel-demangle-bomb", "rel-atom-long-range", "adv-compare-loop")
# Libraries, debug files by build-id, and what the C library and the program ask the system about itself.
SYSTEM = re.compile(r"(/usr)?/lib/debug/\.build-id(/|$)|(/usr)?/lib(32|64)?/.*\.so(\.[0-9.]+)?$|/etc/ld\.so\.(cache|preload)$|(/usr)?/lib/locale/|/usr/share/locale/|"
                    r"(/usr)?/lib/[^/]+/gconv/|/dev/(null|full|shm)?$|/proc/(self|[0-9]+|mounts|cpuinfo|meminfo|stat)(/|$)|/sys/fs/cgroup(/|$)|"
                    r"/sys/devices/system/cpu(/|$)|pipe:|socket:|anon_inode:|/memfd:")
COMMANDS = [line.split() for line in """
info
info --format=json
inject --itrace=i1000il64 -o OUT
script --itrace=b -F +srcline -o OUT
script --insn-trace=disasm -o OUT
script --call-trace -o OUT
profile --format=autofdo -o OUT
profile --format=llvm -o OUT
profile --format=bolt --reader=bolt-16 -o OUT
profile --format=propeller -o OUT
profile --format=branch-list -o OUT
profile --format=callgrind -o OUT
profile --format=cstrace -o OUT
profile --format=folded -o OUT
profile --format=lcov -o OUT
profile --format=pprof -o OUT
profile --format=top -o OUT
report -o OUT
timeline -o OUT
dump --elements --packets -o OUT
dump --format=tarmac -o OUT
verify -o OUT
index -o OUT
compare --with SELF -o OUT
convert --to=package --images -o OUT
convert --to=snapshot -o OUT
convert --to=perf -o OUT
""".strip().splitlines()]

Input = collections.namedtuple("Input", "name path options roots")


def watched(work, argv, env):
    """The lines of a run: (what, where) of each call that it made."""
    log = os.path.join(work, "watch")
    done = subprocess.run([TOOL] + argv, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=300, env=dict(env, LD_PRELOAD=WATCH, CST_WATCH=log))
    if done.returncode not in (0, 1, 3, 4, 5, 129) or done.returncode < 0:
        raise Bad("%s: exit %d: %s" % (" ".join(argv), done.returncode, done.stderr.decode()[-500:]))
    with open(log, errors="replace") as f:
        lines = [line.rstrip("\n").split(" ", 1) for line in f]
    os.unlink(log)
    return done.returncode, lines


def is_inside(path, roots):
    path = os.path.normpath(path.removesuffix(" (deleted)"))
    return any(path == r or path.startswith(r + "/") for r in roots)


def one_command(folder, env, given, words, number):
    """What the run did that it should not have done."""
    work = os.path.join(folder, "%s.%d" % (given.name.replace("/", "_"), number))
    os.mkdir(work)
    swap = {"OUT": os.path.join(work, "out"), "SELF": given.path}
    argv = [swap.get(w, w) for w in words] + ["-i", given.path] + given.options
    roots = [os.path.realpath(r) for r in (*given.roots, work, env["HOME"], env["TMPDIR"])] + [work]
    code, calls = watched(work, argv, env)
    bad = sorted({"%s %s" % (what, where) for what, where in calls
                  if what != "open" or not (is_inside(where, roots) or SYSTEM.match(where))})
    shutil.rmtree(work)
    return code, ["%s: %s" % (" ".join(words), b) for b in bad]


def check(folder, given):
    env = {"HOME": os.path.join(folder, "home"), "TMPDIR": os.path.join(folder, "tmp"), "PATH": os.environ["PATH"], "LC_ALL": "C",
           "DEBUGINFOD_URLS": "http://127.0.0.1:9/"}
    for name in ("HOME", "TMPDIR"):
        os.makedirs(env[name], exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        done = list(pool.map(lambda n: one_command(folder, env, given, COMMANDS[n], n), range(len(COMMANDS))))
    bad = [line for _, lines in done for line in lines]
    if bad:
        raise Bad("\n".join(bad[:40]))
    return "%d commands, %d of them gave something" % (len(done), sum(code in (0, 3, 4, 5) for code, _ in done))


# ---- inputs --------------------------------------------------------------------------------------

def sample(name="sample"):
    return Input(name, "%s/%s.perf.data" % (DATA, name), ["--symfs", DATA + "/symfs"], [DATA + "/%s.perf.data" % name, DATA + "/symfs"])


def must(*argv):
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)


def converted(folder, to):
    path = os.path.join(folder, to)
    must(TOOL, "convert", "-i", DATA + "/sample.perf.data", "--symfs", DATA + "/symfs", "--to=" + to, "-o", path,
         *(["--images"] if to == "package" else []))
    return Input(to, path, [], [path])


def hostile_snapshot(folder):
    """A snapshot whose buffer and memory are files of this host: by name, and by links."""
    given = converted(folder, "snapshot")
    os.symlink("/etc/hostname", given.path + "/link.bin")
    for path in glob.glob(given.path + "/*.ini"):
        with open(path) as f:
            text = f.read()
        places = iter(("link.bin", "../../../../../../etc/passwd", "/etc/hostname") * 100)
        with open(path, "w") as f:
            f.write(re.sub(r"(?m)^file=(?!ETB|trace).*$", lambda m: "file=" + next(places), text))
    return given._replace(name="hostile snapshot")


def scenario(folder, name):
    data, root = os.path.join(folder, name), os.path.join(folder, name + ".symfs")
    must(GEN, "scenario", name, "--perf", data, "--truth", data + ".truth", "--symfs", root)
    return Input(name, data, ["--symfs", root], [data, root])


def without_programs(folder):
    """Nothing is found in the root: what was recorded is not looked for on this host."""
    os.mkdir(folder + "/empty")
    return sample()._replace(name="no programs", options=["--symfs", folder + "/empty"], roots=[DATA + "/sample.perf.data", folder + "/empty"])


def programs_of_this_host(folder):
    """The recorded path is that of a program of this host, which is not in the root."""
    with open(DATA + "/sample.perf.data", "rb") as f:
        data = f.read()
    path = b"/opt/cstrace-sample/sample.a64"
    there = b"/bin/sh".ljust(len(path), b"\0")
    with open(folder + "/host.data", "wb") as f:
        f.write(data.replace(path, there))
    os.mkdir(folder + "/host")
    return Input("programs of this host", folder + "/host.data", ["--symfs", folder + "/host"], [folder + "/host.data", folder + "/host"])


def repro(folder, name):
    """The recording of a defect, with the folder that it came with as its root."""
    where = os.path.join(REPRO, name)
    data = next((p for p in (where + "/perf.data", where + "/cpu.data", where + "/rec") if os.path.exists(p)), DATA + "/sample.perf.data")
    root = next((p for p in (where + "/root", where + "/symfs", where + "/kroot", where + "/plain") if os.path.isdir(p)), None)
    if not root:
        root = os.path.join(folder, name)
        os.makedirs(root + "/opt/cstrace-sample")
        program = next((p for p in (where + "/sample.a64",) if os.path.exists(p)), DATA + "/symfs/opt/cstrace-sample/sample.a64")
        shutil.copy(program, root + "/opt/cstrace-sample/sample.a64")
    return Input(name, data, ["--symfs", root], [data, root])


def case(make, *args):
    return lambda folder: check(folder, make(folder, *args))


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    cases = [("the sample", lambda folder: check(folder, sample()))]
    cases += [(name, lambda folder, name=name: check(folder, sample("sample-" + name))) for name in ("t32", "ptm")]
    cases += [("no programs", case(without_programs)), ("programs of this host", case(programs_of_this_host)),
              ("a package", case(converted, "package")), ("a snapshot", case(converted, "snapshot")),
              ("a snapshot that names files of this host", case(hostile_snapshot))]
    cases += [(name, case(scenario, name)) for name in ("jit", "kernel", "modules", "bpf", "phone-symbols")]
    if os.path.isdir(REPRO):
        names = sorted(n for n in os.listdir(REPRO) if os.path.isdir(os.path.join(REPRO, n)) and n not in SLOW)
        cases += [(name, case(repro, name)) for name in names]
    else:
        cases.append(("inputs of defects # SKIP no " + REPRO, None))
    return run_cases([c for c in cases if only in c[0]])


if __name__ == "__main__":
    if not os.path.exists(WATCH):
        print("no %s: make tests" % WATCH)
        sys.exit(77)
    sys.exit(main())
