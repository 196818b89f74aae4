# SPDX-License-Identifier: BSD-3-Clause
"""Files that belong to the program of the sample recording: where they are found, what proves them, and what bounds them."""
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests/cli")
import raw_dwarf as raw
from sample_build_id import BY_ID, ID, PATH, PROGRAM, SAMPLE, with_build_id
from tap import Bad, run_cases

TOOL = os.path.abspath(os.environ.get("PERF_CSTRACE", "build/perf-cstrace"))
LIMIT = 120


def tool(folder, *args, code=(0,), env=None, limit=LIMIT):
    """Runs a command in the folder with a home of its own. Returns what it printed, and its messages."""
    if not os.path.exists(os.path.join(folder, DATA)):
        with_build_id(os.path.join(folder, DATA))
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("DEBUGINFOD", "XDG_"))}
    proc = subprocess.run([TOOL, *args], cwd=folder, capture_output=True, text=True, errors="replace", timeout=limit,
                          env=dict(clean, HOME=os.path.join(folder, "home"), **(env or {})))
    if proc.returncode not in code:
        raise Bad("%s: code %d\n%s" % (" ".join(args), proc.returncode, proc.stderr))
    return proc.stdout, proc.stderr


# in the folder of each case
DATA = "perf.data"


def profile(folder, format_, *args, **more):
    return tool(folder, "profile", "-i", DATA, "--format=" + format_, *args, **more)


def objcopy(*args):
    subprocess.run(["aarch64-linux-gnu-objcopy", *args], check=True)


def place(folder, path, source=None):
    """A file in the folder, a copy of another one or empty."""
    whole = os.path.join(folder, path)
    os.makedirs(os.path.dirname(whole), exist_ok=True)
    if source:
        shutil.copy(source, whole)
    return whole


def stripped(folder, root="root", *options):
    """The program without symbols and DWARF below the root, and what was taken off, as x.debug."""
    whole = place(folder, "whole", PROGRAM)
    if options:
        objcopy(*options, PROGRAM, whole)
    objcopy("--only-keep-debug", whole, os.path.join(folder, "x.debug"))
    program = place(folder, os.path.join(root, PATH))
    objcopy("--strip-all", whole, program)
    return program, os.path.join(folder, "x.debug")


def same(got, want, what):
    if got != want:
        raise Bad("%s differs:\n%s\n--- expected\n%s" % (what, got[:600], want[:600]))


def whole_of(folder, format_):
    return profile(folder, format_, "--symfs", os.path.dirname(os.path.dirname(os.path.dirname(PROGRAM))))[0]


def finds(folder, *args, env=None):
    """The debug file gives lines and names, as the whole program does."""
    got, said = profile(folder, "lcov", *args, env=env)
    same(got, whole_of(folder, "lcov"), "lcov with " + " ".join(args) + "\n" + said)
    same(profile(folder, "top", *args, env=env)[0], whole_of(folder, "top"), "top")


def lacks(folder, words, *args, env=None, code=(0, 3, 5)):
    """There are no lines, and the message has the words."""
    got, said = profile(folder, "lcov", *args, env=env, code=code)
    if "sample.c" in got or not re.search(words, said):
        raise Bad("lines, or no '%s':\n%s%s" % (words, got[:300], said))
    return said


# ---- places -------------------------------------------------------------------------------------------------

def by_build_id(folder):
    _, debug = stripped(folder)
    place(folder, "root/usr/lib/debug/%s.debug" % BY_ID, debug)
    finds(folder, "--symfs", "root")
    finds(folder, "--symfs", "./root/")
    finds(folder, "--symfs", os.path.join(folder, "root"))
    out, _ = tool(folder, "script", "-i", DATA, "--symfs", "root", "--itrace=b", "-F", "ip,sym,srcline")
    if out.count("sample.c:") < 25000 or "fibonacci" not in out:
        raise Bad("script has %d lines of the source" % out.count("sample.c:"))


def by_folder(folder):
    _, debug = stripped(folder)
    place(folder, "root/%s.debug" % BY_ID, debug)
    finds(folder, "--symfs", "root")


def by_colon(folder):
    """A path with a colon in it is one path."""
    _, debug = stripped(folder, "a:root")
    place(folder, "a:root/usr/lib/debug/%s.debug" % BY_ID, debug)
    finds(folder, "--symfs", "a:root")


def by_cache(folder):
    program, debug = stripped(folder)
    place(folder, "cache/%s/elf" % BY_ID, program)
    place(folder, "cache/%s/debug" % BY_ID, debug)
    os.mkdir(os.path.join(folder, "empty"))
    finds(folder, "--symfs", "empty", "--buildid-dir", "cache")
    # as the recorder's own cache
    shutil.move(os.path.join(folder, "cache"), place(folder, "home/.debug"))
    finds(folder, "--symfs", "empty")


def by_debuginfod(folder):
    program, debug = stripped(folder)
    os.mkdir(os.path.join(folder, "empty"))
    for at, env in (("given", {"DEBUGINFOD_CACHE_PATH": os.path.join(folder, "given")}),
                    ("xdg/debuginfod_client", {"XDG_CACHE_HOME": os.path.join(folder, "xdg")}),
                    ("home/.cache/debuginfod_client", None), ("home/.debuginfod_client_cache", None)):
        place(folder, "%s/%s/executable" % (at, ID), program)
        place(folder, "%s/%s/debuginfo" % (at, ID), debug)
        finds(folder, "--symfs", "empty", env=env)
        # a file without contents notes that no server has it
        open(os.path.join(folder, at, ID, "debuginfo"), "w").close()
        lacks(folder, "it is not .*in the build-id cache and debuginfod's", "--symfs", "empty", env=env)
        shutil.rmtree(os.path.join(folder, at))


def by_link(folder):
    """Without a build-id the checksum proves the file."""
    program, debug = stripped(folder, "root", "--remove-section", ".note.gnu.build-id")
    objcopy("--add-gnu-debuglink=" + debug, program)
    for at in ("root/opt/cstrace-sample/x.debug", "root/opt/cstrace-sample/.debug/x.debug",
               "root/usr/lib/debug/opt/cstrace-sample/x.debug"):
        shutil.copy(debug, place(folder, at))
        finds(folder, "--symfs", "root", "-f")
        with open(os.path.join(folder, at), "ab") as f:
            f.write(b"\0")
        lacks(folder, "no DWARF: no lines; .*x.debug has another checksum", "--symfs", "root", "-f")
        os.unlink(os.path.join(folder, at))
    lacks(folder, "it is not beside it, in .debug beside it, by path in /usr/lib/debug", "--symfs", "root", "-f")


def other_build(folder):
    _, debug = stripped(folder)
    other = place(folder, "root/usr/lib/debug/%s.debug" % BY_ID, debug)
    with open(other, "r+b") as f:
        f.seek(f.read().find(bytes.fromhex(ID)))
        f.write(b"\1")
    lacks(folder, r"no DWARF: no lines; its debug file was not found: root/usr/lib/debug/\S* has another build-id",
          "--symfs", "root")


def leads_out(folder):
    """A link of the recorded machine is resolved below the root, whatever is at its target here."""
    _, debug = stripped(folder)
    os.makedirs(os.path.dirname(place(folder, "root/usr/lib/debug/%s.debug" % BY_ID)), exist_ok=True)
    os.symlink(debug, os.path.join(folder, "root/usr/lib/debug/%s.debug" % BY_ID))
    lacks(folder, "it is not in /usr/lib/debug/.build-id", "--symfs", "root")
    place(folder, "root" + debug, debug)
    finds(folder, "--symfs", "root")


def not_regular(folder):
    program, debug = stripped(folder)
    objcopy("--add-gnu-debuglink=" + debug, program)
    for at in ("root/usr/lib/debug/%s.debug" % BY_ID, "root/opt/cstrace-sample/x.debug",
               "root/opt/cstrace-sample/.debug/x.debug", "home/.debug/%s/debug" % BY_ID):
        os.mkfifo(place(folder, at))
        lacks(folder, re.escape(os.path.basename(at)) + " is not a regular file", "--symfs", "root")
        tool(folder, "report", "-i", DATA, "--symfs", "root", "-o", "rep", limit=30)
        tool(folder, "script", "-i", DATA, "--symfs", "root", "--itrace=b", "-F", "ip,sym,srcline", limit=30)
        profile(folder, "top", "--symfs", "root", limit=30)
        os.unlink(os.path.join(folder, at))


# ---- what libdw does not do, or does too much ---------------------------------------------------------------

def compressed(folder):
    want = whole_of(folder, "lcov")
    version = subprocess.run([TOOL, "--version"], capture_output=True, text=True).stdout
    for kind in ("zlib", "zlib-gnu", "zstd"):
        objcopy("--compress-debug-sections=" + kind, PROGRAM, place(folder, "root/" + PATH))
        if kind == "zstd" and not re.search("zstd: *on", version):
            lacks(folder, "its DWARF is compressed by zstd, and this program was made without it", "--symfs", "root")
        else:
            same(profile(folder, "lcov", "--symfs", "root")[0], want, kind)
    # sizes that no compiler makes
    at = section(os.path.join(folder, "root", PATH), ".debug_info")
    with open(os.path.join(folder, "root", PATH), "r+b") as f:
        f.seek(at + 8)
        f.write(struct.pack("<Q", 1 << 40))
    if re.search("zstd: *on", version):
        lacks(folder, "its DWARF expands to more than 64 times its size", "--symfs", "root")


def section(path, name):
    """The offset of a section in a file."""
    text = subprocess.run(["aarch64-linux-gnu-readelf", "-SW", path], capture_output=True, text=True).stdout
    return int(re.search(r" %s +\w+ +\w+ (\w+)" % re.escape(name), text).group(1), 16)


def code_of(path):
    text = subprocess.run(["aarch64-linux-gnu-readelf", "-SW", path], capture_output=True, text=True).stdout
    found = re.search(r" \.text +\w+ +(\w+) (\w+) (\w+)", text)
    return int(found.group(1), 16), int(found.group(3), 16)


UNIT = [(raw.NAME, raw.STRING), (raw.COMP_DIR, raw.STRING), (raw.STMT_LIST, raw.SEC_OFFSET), (raw.LOW, raw.ADDR),
        (raw.HIGH, raw.DATA4)]


def unit(low, size, name=b"a.c", dir_=b"/src"):
    return b"\1" + name + b"\0" + dir_ + b"\0" + struct.pack("<IQI", 0, low, size)


def with_dwarf(folder, sections):
    raw.put(folder, PROGRAM, place(folder, "root/" + PATH), sections)


def seconds(folder, *args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    profile(folder, *args)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def shared_lines(folder):
    """Units that share a line table cost one pass over it."""
    low, size = code_of(PROGRAM)
    cost = {}
    for units in (1, 3000):
        with_dwarf(folder, {".debug_abbrev": raw.abbrev((1, raw.UNIT, 0, UNIT)), ".debug_line": raw.lines(low, size, 200000),
                            ".debug_info": raw.unit(unit(low, size)) * units})
        cost[units] = seconds(folder, "lcov", "--symfs", "root")
    if cost[3000] > 4 * cost[1] + 1:
        raise Bad("3000 units take %.1f s, one %.1f s" % (cost[3000], cost[1]))
    return "%.2f s, one unit %.2f s" % (cost[3000], cost[1])


def shared_ranges(folder):
    """Functions that share a list of ranges, none of which has their entry, cost what the file is large."""
    low, size = code_of(PROGRAM)
    function = [(raw.NAME, raw.STRING), (raw.FILE, raw.DATA1), (raw.LINE, raw.DATA1), (raw.ENTRY, raw.ADDR),
                (raw.RANGES, raw.SEC_OFFSET)]
    ranges = b"".join(struct.pack("<QQ", 8 * i + 4, 8 * i + 8) for i in range(100000)) + bytes(16)
    functions = (b"\2f\0\1\1" + struct.pack("<QI", low, 0)) * 20000
    with_dwarf(folder, {".debug_abbrev": raw.abbrev((1, raw.UNIT, 1, UNIT), (2, raw.FUNCTION, 0, function)),
                        ".debug_line": raw.lines(low, size, 100), ".debug_ranges": ranges,
                        ".debug_info": raw.unit(unit(low, size) + functions + b"\0")})
    cost = seconds(folder, "lcov", "--symfs", "root")
    if cost > 10:
        raise Bad("%.1f s" % cost)
    return "%.2f s" % cost


def shared_names(folder):
    """What several debug files share (dwz): a name is in another file, which has the build-id that is stated."""
    low, size = code_of(PROGRAM)
    alt = bytes.fromhex(ID)
    function = [(raw.NAME, raw.STRP_ALT), (raw.FILE, raw.DATA1), (raw.LINE, raw.DATA1), (raw.LOW, raw.ADDR),
                (raw.HIGH, raw.DATA4)]
    dies = unit(low, size) + b"\2" + struct.pack("<IBBQI", 0, 1, 1, low, size) + b"\0"
    with_dwarf(folder, {".debug_abbrev": raw.abbrev((1, raw.UNIT, 1, UNIT), (2, raw.FUNCTION, 0, function)),
                        ".debug_line": raw.lines(low, size, 100), ".debug_info": raw.unit(dies),
                        ".gnu_debugaltlink": b"../shared.dwz\0" + alt})
    for at in ("root/opt/shared.dwz", "root/usr/lib/debug/%s.debug" % BY_ID):
        raw.put(folder, PROGRAM, place(folder, at), {".debug_str": b"from_the_shared_file\0"})
        got, _ = profile(folder, "lcov", "--symfs", "root")
        if "FN:1,from_the_shared_file" not in got:
            raise Bad("%s: the name is not there:\n%s" % (at, got))
        os.unlink(os.path.join(folder, at))
        os.mkfifo(os.path.join(folder, at))
        if "from_the_shared_file" in profile(folder, "lcov", "--symfs", "root", limit=30)[0]:
            raise Bad("a name from a FIFO")
        os.unlink(os.path.join(folder, at))


def split_elsewhere(folder):
    """libdw opens no split DWARF itself: a program may name a FIFO, or any file of this machine."""
    low, size = code_of(PROGRAM)
    skeleton = UNIT + [(raw.DWO_NAME, raw.STRING), (raw.DWO_ID, raw.DATA8)]
    fifo = os.path.join(folder, "fifo.dwo")
    os.mkfifo(fifo)
    for name, where in ((fifo, "/"), ("fifo.dwo", folder)):
        dies = unit(low, size, dir_=where.encode()) + name.encode() + b"\0" + struct.pack("<Q", 7)
        with_dwarf(folder, {".debug_abbrev": raw.abbrev((1, raw.UNIT, 0, skeleton)),
                            ".debug_line": raw.lines(low, size, 100), ".debug_info": raw.unit(dies)})
        got, said = profile(folder, "lcov", "--symfs", "root", code=(3,), limit=30)
        if "DA:" not in got or "its split DWARF was not found" not in said.replace("their", "its"):
            raise Bad(got + said)
        got, said = profile(folder, "lcov", "--symfs", "root", "-f", code=(3,), limit=30)
        # without a root it is a name of this machine, and no regular file
        os.makedirs(os.path.dirname(os.path.join(folder, "root" + fifo)), exist_ok=True)
        os.mkfifo(os.path.join(folder, "root" + fifo))
        said = profile(folder, "lcov", "--symfs", "root", code=(3,), limit=30)[1]
        if "fifo.dwo is not a regular file" not in said:
            raise Bad(said)
        os.unlink(os.path.join(folder, "root" + fifo))


# ---- networks, files of this machine, sizes, names ----------------------------------------------------------

FAKE = """
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *debuginfod_begin(void) { return calloc(1, 1); }
void debuginfod_end(void *c) { free(c); }
static int ask(const char *what, char **path)
{
	FILE *f = fopen(getenv("ASKED"), "a");
	const char *at = getenv(what);
	fprintf(f, "%s\\n", what);
	fclose(f);
	if (!at)
		return -ENOENT;
	*path = strdup(at);
	return open(at, 0);
}
int debuginfod_find_debuginfo(void *c, const unsigned char *id, int n, char **path) { return ask("DEBUGINFO", path); }
int debuginfod_find_executable(void *c, const unsigned char *id, int n, char **path) { return ask("EXECUTABLE", path); }
int debuginfod_find_source(void *c, const unsigned char *id, int n, const char *f, char **path) { return ask("SOURCE", path); }
void debuginfod_set_progressfn(void *c, void *f) { }
"""


def servers(folder):
    """Nothing is asked, whatever the environment says, but with --debuginfod."""
    program, debug = stripped(folder)
    with open(os.path.join(folder, "fake.c"), "w") as f:
        f.write(FAKE)
    os.mkdir(os.path.join(folder, "empty"))
    subprocess.run(["cc", "-w", "-shared", "-fPIC", "-o", "libdebuginfod.so.1", "fake.c"], cwd=folder, check=True)
    asked = os.path.join(folder, "asked")
    env = {"DEBUGINFOD_URLS": "http://127.0.0.1:9/", "LD_LIBRARY_PATH": folder, "ASKED": asked,
           "EXECUTABLE": program, "DEBUGINFO": debug}
    for args in (["script", "--itrace=b", "-F", "ip,sym,srcline"], ["profile", "--format=lcov"],
                 ["profile", "--format=top"], ["report", "-o", "rep"], ["info"], ["timeline", "-o", "t"],
                 ["inject", "--itrace=i1000il64", "-o", "s"], ["profile", "--format=cstrace", "-o", "c"]):
        for root in ("root", "empty"):
            tool(folder, *args, "-i", DATA, "--symfs", root, code=(0, 3, 5), env=env)
    if os.path.exists(asked):
        raise Bad("asked: " + open(asked).read())
    finds(folder, "--symfs", "empty", "--debuginfod", env=env)
    if set(open(asked).read().split()) != {"EXECUTABLE", "DEBUGINFO"}:
        raise Bad("asked: " + open(asked).read())


def host_sources(folder):
    """With a root the sources that a program names are not those of this machine."""
    low, size = code_of(PROGRAM)
    secret = os.path.join(folder, "secret")
    with open(secret, "w") as f:
        f.write("the secret of this machine\n" * 3)
    with_dwarf(folder, {".debug_abbrev": raw.abbrev((1, raw.UNIT, 0, UNIT)),
                        ".debug_line": raw.lines(low, size, 100, secret.encode()),
                        ".debug_info": raw.unit(unit(low, size, secret.encode(), b"/"))})

    def pages(*options):
        tool(folder, "report", "-i", DATA, "--symfs", "root", "-o", "rep", *options)
        return "".join(open(os.path.join(folder, "rep", n)).read() for n in os.listdir(os.path.join(folder, "rep"))
                       if n.endswith(".html"))
    if "the secret" in pages():
        raise Bad("a page has the text")
    place(folder, "root" + secret, secret)
    if "the secret" not in pages():
        raise Bad("the text below the root is not there")
    os.unlink(os.path.join(folder, "root" + secret))
    if "the secret" not in pages("--source", "/"):
        raise Bad("--source / does not find it")


def sparse(folder):
    """A file of 900 GB that is nearly all holes is not read to its end."""
    path = place(folder, "root/" + PATH)
    for head in (b"", open(PROGRAM, "rb").read(64)):
        with open(path, "wb") as f:
            f.write(head)
            try:
                f.truncate(900 << 30)
            except OSError:
                return "SKIP: no sparse files of this size here"
        for args in (["profile", "--format=cstrace", "-o", "c"], ["profile", "--format=lcov"], ["report", "-o", "rep"]):
            tool(folder, *args, "-i", DATA, "--symfs", "root", "-f", code=(0, 1, 3, 5), limit=60)
    # as a debug file
    program, debug = stripped(folder, "root", "--remove-section", ".note.gnu.build-id")
    objcopy("--add-gnu-debuglink=" + debug, program)
    with open(place(folder, "root/opt/cstrace-sample/x.debug", debug), "r+b") as f:
        f.truncate(900 << 30)
    lacks(folder, "x.debug is too large for a checksum", "--symfs", "root", "-f")


def bomb(doublings):
    name, latest = "_Z1f1aIiiE", 1
    for _ in range(doublings):
        n, text = latest - 1, ""
        while True:
            text, n = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n % 36] + text, n // 36
            if not n:
                break
        name += "S_I" + 2 * ("S" + text + "_") + "E"
        latest += 1
    return name


def long_names(folder):
    """Names expand to a bound; those beyond it stay as they are."""
    for name, shown in ((bomb(3), "f(a<int"), (bomb(20), "_Z1f1aIiiE"), (bomb(60), "_Z1f1aIiiE"),
                        ("_Z9fibonacciNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKS4_S6_", "fibonacci(std::__cxx11::b")):
        objcopy("--redefine-sym", "fibonacci=" + name, PROGRAM, place(folder, "root/" + PATH))
        begin = time.monotonic()
        got = profile(folder, "top", "--symfs", "root", "--demangle", limit=60)[0]
        if shown not in got or len(got) > 100000:
            raise Bad("%s: %d bytes, or not %s:\n%s" % (name[:40], len(got), shown, got[:1000]))
        tool(folder, "report", "-i", DATA, "--symfs", "root", "--demangle", "-o", "rep", limit=60)
        if time.monotonic() - begin > 60:
            raise Bad("%s takes %.0f s" % (name[:40], time.monotonic() - begin))


CASES = [("by build-id in usr/lib/debug of a root, relative or not", by_build_id), ("by build-id in a folder of debug files", by_folder),
         ("a root with a colon", by_colon), ("the build-id cache's debug file", by_cache),
         ("what debuginfod's clients keep", by_debuginfod), ("by .gnu_debuglink and checksum", by_link),
         ("a debug file of another build", other_build), ("links stay in the root", leads_out),
         ("FIFOs", not_regular), ("compressed sections", compressed), ("units that share lines", shared_lines),
         ("functions that share ranges", shared_ranges), ("names in a shared file (dwz)", shared_names),
         ("split DWARF that is no file", split_elsewhere), ("servers are asked with --debuginfod alone", servers),
         ("sources of this machine", host_sources), ("sparse files", sparse), ("names that expand", long_names)]

if not shutil.which("aarch64-linux-gnu-objcopy"):
    print("1..0 # SKIP no aarch64-linux-gnu-objcopy")
    sys.exit(0)
only = os.environ.get("ONLY_CASE")
sys.exit(run_cases([c for c in CASES if not only or only in c[0]]))
