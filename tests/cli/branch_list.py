#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""branch_list.py --tool PERF-CSTRACE --gen CST-GEN

Branch lists that are written here, from what simpleperf's source says of them, in each form, for programs that are written
here, too; and those that profile makes of recordings. Another reader (tests/interop/branch_lists.py) walks along them.
"""
import argparse
import collections
import contextlib
import io
import json
import os
import random
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, "tests/interop")
import branch_lists
import count_file
import tap
from tap import Bad

MAGIC = b"simpleperf:EtmBranchList"
ELF, KERNEL, MODULE = range(3)
BASE, OFFSET = 0x11000, 0x1000
ID = bytes(range(1, 21))
args = None

# ---- a program ---------------------------------------------------------------------------------------------

NOP, RET, ISB = 0xD503201F, 0xD65F03C0, 0xD5033FDF
CODE = [
    NOP,
    0xB4000000 | 2 << 5,		# 04: cbz x0, 0c
    NOP,
    0x54000000 | (-3 & 0x7FFFF) << 5,	# 0c: b.eq 00
    0x94000000 | 4,			# 10: bl 20
    RET,				# 14
    0x14000000 | 0x100000,		# 18: b far away
    RET,				# 1c
    ISB,				# 20
    0x37000000 | 2 << 5,		# 24: tbnz w0, #0, 2c
    RET,				# 28
    0x17FFFFFA,				# 2c: b 14
]


def elf(code, build_id=ID):
    """A program with its code at BASE, and a build-id."""
    note = struct.pack("<III4s", 4, len(build_id), 3, b"GNU\0") + build_id
    text = struct.pack("<%dI" % len(code), *code)
    heads = 64 + 3 * 56
    out = bytearray(OFFSET) + text
    out[:64] = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 183, 1, BASE, 64, 0, 0, 64, 56, 3, 64, 0, 0)
    out[64:heads] = struct.pack("<IIQQQQQQ", 1, 4, 0, 0x10000, 0x10000, 0x800, 0x800, 0x1000) + \
        struct.pack("<IIQQQQQQ", 1, 5, OFFSET, BASE, BASE, len(text), len(text), 0x1000) + \
        struct.pack("<IIQQQQQQ", 4, 4, heads, 0x10000 + heads, 0x10000 + heads, len(note), len(note), 4)
    out[heads:heads + len(note)] = note
    return bytes(out)


def program(folder, code=CODE):
    """Puts it below a directory for --symfs."""
    os.makedirs(folder + "/target/bin", exist_ok=True)
    with open(folder + "/target/bin/p", "wb") as f:
        f.write(elf(code))
    return folder + "/target"


# ---- branch lists ------------------------------------------------------------------------------------------

def number(value):
    return count_file.number(value)


def field(n, value):
    if isinstance(value, int):
        return number(n << 3) + number(value)
    value = value.encode() if isinstance(value, str) else value
    return number(n << 3 | 2) + number(len(value)) + value


def binary(lists, path="/bin/p", build_id=ID.hex(), kind=ELF, kernel=None):
    out = field(1, path) + field(2, build_id)
    for address, branches in lists.items():
        f = field(1, address)
        for bits, count in branches.items():
            packed = bytearray((len(bits) + 7) // 8)
            for i, bit in enumerate(bits):
                packed[i >> 3] |= (bit == "1") << (i & 7)
            f += field(2, field(1, bytes(packed)) + field(2, len(bits)) + field(3, count))
        out += field(3, f)
    out += field(4, kind)
    return out + (field(5, field(1, kernel)) if kernel is not None else b"")


def message(*binaries, old=False, more=b""):
    return (field(1, MAGIC) if old else b"") + b"".join(field(2, b) for b in binaries) + more


def zstd(data):
    if not shutil.which("zstd"):
        raise Bad("no zstd")
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def new(*messages, packed=False):
    out = MAGIC + struct.pack("<IB", 1, packed)
    for m in messages:
        m = zstd(m) if packed else m
        out += struct.pack("<I", len(m)) + m
    return out


def perf_data(section):
    """perf.data of simpleperf record --decode-etm: an event of cs_etm, no trace, and the lists."""
    attr = struct.pack("<IIQQQQQ", 8, 64, 0, 0, 0x10087, 0, 0).ljust(64, b"\0")
    ids = 104 + 80
    features = bytearray(32)
    features[133 // 8] |= 1 << 133 % 8
    head = struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, 80, 104, 80, ids, 0, 0, 0) + bytes(features)
    return head + attr + struct.pack("<QQ", ids, 0) + struct.pack("<QQ", ids + 16, len(section)) + section


# ---- the tool ----------------------------------------------------------------------------------------------

def run(*words, code=0, says=()):
    done = subprocess.run([args.tool, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=300)
    text = done.stderr.decode()
    what = "%s: exit %d: %s" % (" ".join(words), done.returncode, text)
    if done.returncode not in (code if isinstance(code, tuple) else (code,)):
        raise Bad("%s(expected %s)" % (what, code))
    for word in (says,) if isinstance(says, str) else says:
        if word not in text:
            raise Bad("%s(expected '%s')" % (what, word))
    return text


def put(folder, data, name="lists"):
    path = folder + "/" + name
    with open(path, "wb") as f:
        f.write(data)
    return path


def text_of(path, root, *more, code=0, says=()):
    """AutoFDO's text of lists."""
    out = path + ".txt"
    if os.path.exists(out):
        os.remove(out)
    run("profile", "-i", path, "--symfs", root, "--address=vaddr", *more, "-o", out, code=code, says=says)
    with open(out) as f:
        return f.read()


def walked(path, root):
    """What another reader makes of plain lists is AutoFDO's text of them."""
    text_of(path, root)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            branch_lists.walk(path, "/bin/p", root + "/bin/p", path + ".txt")
    except SystemExit as e:
        raise Bad(str(e))


def lists(**by_address):
    return {BASE + int(a[1:], 16): branches for a, branches in by_address.items()}


USUAL = lists(a0={"1": 3, "011": 2, "010": 7}, a4={"1": 1}, a28={"1": 1 << 40}, a1c={"1": 9}, a24={"111": 4, "0": 1},
              a2c={"11": 5})


# ---- cases -------------------------------------------------------------------------------------------------

def case_walk(folder):
    walked(put(folder, new(message(binary(USUAL)))), program(folder))


def case_random(folder):
    """Random lists that lead nowhere else: no bit is behind an indirect branch or an ISB."""
    root, seed = program(folder), random.randrange(1 << 30)
    r = random.Random(seed)
    made = collections.defaultdict(dict)
    for _ in range(200):
        at = start = 4 * r.randrange(len(CODE))
        bits = ""
        for _ in range(r.randrange(1, 40)):
            while not branch_lists.classify(CODE[at // 4], at):
                at += 4
            kind, to = branch_lists.classify(CODE[at // 4], at)
            always = kind != "direct" or CODE[at // 4] & 0x7C000000 == 0x14000000
            bits += "1" if always else r.choice("01")
            if kind != "direct" or (bits[-1] == "1" and not 0 <= to < 4 * len(CODE)):
                break
            at = to if bits[-1] == "1" else at + 4
        made[BASE + start][bits] = r.randrange(1, 1000)
    try:
        walked(put(folder, new(message(binary(made)))), root)
    except Bad as e:
        raise Bad("seed %d: %s" % (seed, e))


def case_forms(folder):
    root = program(folder)
    want = text_of(put(folder, new(message(binary(USUAL)))), root)
    halves = [dict(list(USUAL.items())[i::2]) for i in range(2)]
    forms = {
        "two messages": new(*(message(binary(h)) for h in halves)),
        "one binary twice": new(message(*(binary(h) for h in halves))),
        "compressed": new(message(binary(USUAL)), packed=True),
        "two messages, compressed": new(*(message(binary(h)) for h in halves), packed=True),
        "old": message(binary(USUAL), old=True),
        "old, of a kernel as well": message(binary(USUAL), old=True, more=field(3, 0xffff800008000000)),
        "old, compressed": zstd(message(binary(USUAL), old=True)),
        "in perf.data": perf_data(new(message(binary(USUAL)))),
        "in perf.data, compressed": perf_data(new(message(binary(USUAL)), packed=True)),
        "in perf.data, old": perf_data(message(binary(USUAL), old=True)),
        "unknown fields": new(message(binary(USUAL) + field(99, "x") + number(98 << 3 | 5) + b"1234", more=field(77, 1))),
        "build-id with 0x": new(message(binary(USUAL, build_id="0x" + ID.hex()))),
        "no build-id": new(message(binary(USUAL, build_id=""))),
    }
    for name, data in forms.items():
        if text_of(put(folder, data), root) != want:
            raise Bad("%s: another profile" % name)
    # simpleperf pads build-ids
    short = ID[:16]
    with open(root + "/bin/p", "wb") as f:
        f.write(elf(CODE, short))
    text_of(put(folder, new(message(binary(USUAL, build_id=short.hex() + "00000000")))), root)
    return "%d forms" % len(forms)


def case_written(folder):
    """Lists of lists are the same lists; protoc reads them."""
    root, path = program(folder), put(folder, new(message(binary(USUAL))))
    want = text_of(path, root)
    for form in ("branch-list", "branch-list-zstd", "branch-list-old"):
        made, again = folder + "/made", folder + "/again"
        run("profile", "-i", path, "--symfs", root, "--format=" + form, "-o", made, says="branch lists, binaries: 1")
        if text_of(made, root) != want:
            raise Bad("%s: another profile" % form)
        run("profile", "-i", made, "--symfs", root, "--format=" + form, "-o", again)
        with open(made, "rb") as a, open(again, "rb") as b:
            data = a.read()
            if data != b.read():
                raise Bad("%s: not the same again" % form)
        if shutil.which("protoc") and form != "branch-list-zstd":
            body = data if form == "branch-list-old" else data[33:]
            done = subprocess.run(["protoc", "--decode=lists.BranchList", "-Itests/cli", "branch_list.proto"], input=body,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            text = done.stdout.decode()
            for word in ('path: "/bin/p"', 'build_id: "%s"' % ID.hex(), "count: 1099511627776", "branch_size: 2"):
                if done.returncode or word not in text:
                    raise Bad("protoc: no %s in %s%s" % (word, text, done.stderr.decode()))


def case_losses(folder):
    root = program(folder)

    def of(what, losses, says):
        path, counts = put(folder, new(*what)), folder + "/counts"
        run("profile", "-i", path, "--symfs", root, "--format=cstrace", "-o", counts, code=3, says=says)
        with open(counts, "rb") as f:
            totals = count_file.read(f.read())["totals"]
        got = {k[5:].decode(): v for k, v in totals.items() if k.startswith(b"loss.")}
        if got != losses:
            raise Bad("losses %s, expected %s" % (got, losses))
        run("profile", "-i", counts, "--symfs", root, "--format=top", "-o", folder + "/top", code=3)

    of([message(binary(lists(a1c={"1101": 5})))], {"list-behind": 15}, "15 branches are behind an indirect branch")
    of([message(binary(lists(a18={"111": 5}, a1c={"1": 1})))], {"list-outside": 10}, "10 branches begin or lead outside")
    of([message(binary({BASE - 64: {"11": 3}, BASE + 2: {"1": 1}, BASE: {"1": 1}}))], {"list-outside": 7},
       "7 branches begin or lead outside")
    of([message(binary(USUAL), binary(lists(a0={"10": 3}), path="/bin/q", build_id="77" * 20))], {"list-no-code": 6},
       ("6 branches of binaries that are not here", "/bin/q"))
    of([message(binary(lists(a10={"0": 4}, a1c={"1": 1})))], {"conflict": 4}, "4 branches that are always taken were not")
    of([message(binary(lists(a0={"1": (1 << 64) - 1})))], {"list-overflow": (1 << 64) - 1 - (1 << 62)}, "beyond 2^62")
    of([message(binary(USUAL), more=field(3, field(1, field(1, 1)) * 3))], {"list-samples": 3},
       "3 samples of branch records are left out")


def case_unknown(folder):
    """What the recording lost is not known of lists: nothing that is made of them says that nothing was lost."""
    words, cut, made, counts, total = "not known of branch lists", folder + "/cut", folder + "/made", folder + "/counts", folder + "/total"
    with open("tests/data/sample.perf.data", "rb") as f:
        put(folder, f.read()[:9000], "cut")
    root = ("--symfs", "tests/data/symfs")
    run("profile", "-i", cut, *root, "--format=branch-list", "-o", made, code=3, says="1 cut file")
    run("profile", "-i", cut, *root, "--format=cstrace", "-o", folder + "/exact", code=3)
    run("profile", "-i", made, *root, "--format=cstrace", "-o", counts, says="losses of what was recorded: " + words)
    with open(counts, "rb") as f:
        if count_file.read(f.read())["totals"].get(b"losses.unknown") != 1:
            raise Bad("no losses.unknown in the count file")
    run("merge", counts, counts, "-o", total, says="losses: " + words)
    with open(total, "rb") as f:
        if count_file.read(f.read())["totals"].get(b"losses.unknown") != 2:
            raise Bad("the sum of two has another losses.unknown")
    run("merge", counts, folder + "/exact", "-o", folder + "/mixed", code=3, says=("cut 1", ", " + words))
    run("merge", made, made, "-o", folder + "/lists", says="losses: " + words)
    text = run("merge", made, made, folder + "/exact", "-o", folder + "/mixed", "--symfs", root[1], "--max-loss=100%")
    if text.count("; --max-loss=100% accepts that") != 1:
        raise Bad("the share of a sum is judged more than once: " + text)
    for path in (made, counts, total, folder + "/mixed"):
        mixed = path.endswith("mixed")
        text = run("profile", "-i", path, *root, "--format=top", "-o", folder + "/top", code=3 if mixed else 0, says=words)
        with open(folder + "/top") as f:
            head = f.read().split("\n\n")[0]
        if "losses: none" in text or ", exact" in head or "losses " + words not in head:
            raise Bad("profile of %s: %s%s" % (path, text, head))
        run("report", "-i", path, *root, "-o", folder + "/report", code=3 if mixed else 0)
        with open(folder + "/report/index.html") as f:
            page = f.read()
        if "exact counts" in page or "nothing was lost" in page or words not in page:
            raise Bad("report of " + path)
    # a share that is asked for is not known; with the option left out, or all accepted, that is no fault
    lists = folder + "/lists"
    for command in (("profile", "-i", made, *root, "--format=top"), ("profile", "-i", made, *root, "--format=cstrace"),
                    ("profile", "-i", counts, "--format=cstrace"), ("profile", "-i", counts, *root, "--format=top"),
                    ("merge", counts), ("merge", made, lists), ("report", "-i", made, *root)):
        out = ("-o", folder + ("/report" if command[0] == "report" else "/out"))
        for share, code in (("0%", 3), ("5%", 3), ("99.9999%", 3), ("100%", 0)):
            run(*command, *out, "--max-loss=" + share, code=code, says="the share of the trace that is lost is " + words)
        run(*command, *out)
        if command[0] == "report":
            continue
        run(*command, *out, "--summary", folder + "/s")
        with open(folder + "/s") as f:
            lost = json.load(f)["lost"]
        if lost["share"] is not None or lost["unknown"] != (2 if lists in command else 1):
            raise Bad("summary of %s: %s" % (command, lost))
    text = subprocess.run([args.tool, "info", "-i", made], stdout=subprocess.PIPE, check=True).stdout.decode()
    if words not in text:
        raise Bad("info: " + text)
    # small changes may be none
    run("profile", "-i", made, *root, "--format=top", "--base", "tests/data/sample.perf.data", "-o", folder + "/top", code=(0, 3))
    with open(folder + "/top") as f:
        text = f.read()
        if "losses " + words not in text or "not exact" not in text and "Half of the functions" not in text:
            raise Bad("a comparison with lists is said to be exact")


def case_subtract(folder):
    """A sum of lists without some of them is the sum of the others, without programs."""
    of = (USUAL, lists(a0={"1": 5, "0": 6}, a2c={"1": 1}), lists(a4={"1": 1 << 33}))
    paths = [put(folder, new(message(binary(x), binary({8: {"1": n + 1}}, path="/bin/%d" % n, build_id=""))), "abc"[n])
             for n, x in enumerate(of)]
    whole, rest, want = folder + "/whole", folder + "/rest", folder + "/want"
    run("merge", *paths, "-o", whole)
    for less in ((0,), (1, 2), (2, 0)):
        run("merge", *[p for i, p in enumerate(paths) if i not in less], "-o", want)
        run("merge", *["--subtract=" + paths[i] for i in less], whole, "-o", rest, says="1 inputs without %d, " % len(less))
        with open(want, "rb") as a, open(rest, "rb") as b:
            if a.read() != b.read():
                raise Bad("without %s another file" % (less,))
    with open(rest, "rb") as f:
        before = f.read()
    run("merge", "--subtract", whole, whole, "-o", rest, code=5, says="nothing is left: all counts were subtracted")
    run("merge", "--subtract", paths[0], "--weighted-input=3," + paths[1], "-o", rest, code=1, says="--format=cstrace")
    for x, says in ((lists(a0={"1": 4}), "the list at 0x11000 of /bin/p with 1 branches: 4 cannot be subtracted from 3"),
                    (lists(a0={"0": 1}), "the list at 0x11000 of /bin/p with 1 branches: 1 cannot be subtracted from 0"),
                    (lists(a8={"1": 1}), "the list at 0x11008 of /bin/p with 1 branches: 1 cannot be subtracted from 0")):
        run("merge", "--subtract", put(folder, new(message(binary(x))), "less"), paths[0], "-o", rest, code=1, says=says)
    run("merge", "--subtract", put(folder, new(message(binary(of[0], path="/bin/q"))), "less"), paths[0], "-o", rest, code=1, says="of /bin/q")
    run("merge", "--subtract", put(folder, new(message()), "less"), put(folder, new(message()), "none"), "-o", rest, code=5,
        says="nothing is left: no file has counts")
    with open(rest, "rb") as f:
        if f.read() != before:
            raise Bad("a file of before was replaced")


def case_return_stack(folder):
    """Behind a return that has no address is what follows the last call of the list."""
    text = text_of(put(folder, new(message(binary(lists(a10={"11011": 2, "1111": 3}))))), program(folder))
    ranges, edges = branch_lists.autofdo(text)
    if edges != {(0x1010, 0x1020): 5, (0x1024, 0x102c): 3, (0x1028, 0x1014): 2, (0x1014, 0): 2, (0x102c, 0x1014): 3}:
        raise Bad("edges %s" % edges)
    if ranges != {(0x1010, 0x1010): 5, (0x1020, 0x1024): 5, (0x1028, 0x1028): 2, (0x102c, 0x102c): 3, (0x1014, 0x1014): 2}:
        raise Bad("ranges %s" % ranges)


def case_other_build(folder):
    """Code that the lists contradict gives no profile for a compiler."""
    root = program(folder, [NOP] + CODE[:-1])
    path = put(folder, new(message(binary(lists(a0={"00": 90, "1": 10}, a1c={"0": 500})))))
    run("profile", "-i", path, "--symfs", root, "-o", folder + "/out", code=1, says="the trace contradicts the code")


def case_isb(folder):
    """simpleperf's reader does not find what is behind an ISB: lists that are written end there."""
    root, path, made = program(folder), put(folder, new(message(binary(lists(a20={"111": 6}))))), folder + "/made"
    run("profile", "-i", path, "--symfs", root, "--format=branch-list", "-o", made, says="6 executions of ranges are divided")
    with open(made, "rb") as f:
        got = branch_lists.read(f.read())[0][4]
    if got != {BASE + 0x20: {"1": 6}, BASE + 0x24: {"1": 6}, BASE + 0x2c: {"1": 6}}:
        raise Bad("lists %s" % got)
    walked(made, root)


def case_merge(folder):
    root = program(folder)
    a, b = (put(folder, new(message(binary(x), binary({8: {"1": n}}, path="/bin/other", build_id=""))), "abc"[n])
            for n, x in enumerate((USUAL, lists(a0={"1": 5, "0": 6}, a2c={"1": 1}))))
    c = put(folder, perf_data(message(binary(lists(a4={"1": 1})), old=True)), "c")
    sums = collections.defaultdict(collections.Counter)
    for path, weight in ((a, 3), (b, 1), (c, 1)):
        with open(path, "rb") as f:
            data = f.read()
        for x in branch_lists.read(data[data.index(b"\x0a\x18simple"):] if path == c else data):
            for address, branches in x[4].items():
                for bits, n in branches.items():
                    sums[x[0], address][bits] += n * weight
    out = folder + "/sum"
    run("merge", "--weighted-input=3," + a, b, c, "-o", out, says="3 inputs, ")
    with open(out, "rb") as f:
        data = f.read()
    got = {(x[0], address): branches for x in branch_lists.read(data) for address, branches in x[4].items()}
    if got != {k: +v for k, v in sums.items() if +v}:
        raise Bad("sums %s, expected %s" % (got, dict(sums)))
    run("merge", c, b, "--weighted-input=1," + a, "--weighted-input=2," + a, "-o", folder + "/again")
    with open(folder + "/again", "rb") as f:
        if f.read() != data:
            raise Bad("the sum in another order differs")
    # with count files: the sum of the count files that are made of them
    a, b = put(folder, new(message(binary(USUAL))), "a"), put(folder, new(message(binary(lists(a0={"1": 5})))), "b")
    for x in (a, b):
        run("profile", "-i", x, "--symfs", root, "--format=cstrace", "-o", x + ".cst")
    run("merge", a + ".cst", b + ".cst", "--weighted-input=2," + a + ".cst", "-o", folder + "/want")
    run("merge", a, b + ".cst", "--weighted-input=2," + a, "--symfs", root, "-o", folder + "/got")
    with open(folder + "/want", "rb") as f, open(folder + "/got", "rb") as g:
        if f.read() != g.read():
            raise Bad("lists among count files are other counts")
    run("merge", a, b + ".cst", "-o", folder + "/got", code=3, says="of binaries that are not here")
    run("merge", a, b, "-o", a, code=1, says="is one of the files that are read")


def recorded(folder, scenario):
    """A recording with kernel and modules, and the options for its programs."""
    data, root = folder + "/perf.data", folder + "/symfs"
    subprocess.run([args.gen, "scenario", scenario, "--case", "1", "--perf", data, "--truth", folder + "/truth", "--symfs", root],
                   check=True, stderr=subprocess.DEVNULL)
    return data, ["--symfs", root, "--vmlinux", root + "/boot/vmlinux"]


def counts_of(path, options, folder):
    run("profile", "-i", path, *options, "--format=cstrace", "--no-calls", "-o", folder + "/counts")
    with open(folder + "/counts", "rb") as f:
        model = count_file.read(f.read())
    return {model["binaries"][k][2]: c for k, c in model["counts"].items()}


def case_kernel(folder):
    """Lists of kernel and modules have the counts of the recording, but for the targets of indirect branches."""
    data, options = recorded(folder, "modules")
    made = folder + "/made"
    text = run("profile", "-i", data, *options, "--format=branch-list", "-o", made)
    want, got = counts_of(data, options, folder), counts_of(made, options, folder)
    with open(made, "rb") as f:
        kinds = {x[0]: x[2] for x in branch_lists.read(f.read())}
    if sorted(kinds.values()) != [ELF, ELF, KERNEL, MODULE, MODULE] or set(want) != set(got):
        raise Bad("binaries %s, %s" % (kinds, set(want) ^ set(got)))
    moved = 0
    for name, counts in want.items():
        a, b = counts, got[name]
        if a.get(count_file.NOT_TAKEN) != b.get(count_file.NOT_TAKEN):
            raise Bad("%s: other branches that were not taken" % name)
        by_source = [collections.Counter(), collections.Counter()]
        for total, c in zip(by_source, (a, b)):
            for (source, _), n in c.get(count_file.EDGE, {}).items():
                total[source] += n
        if by_source[0] != by_source[1]:
            raise Bad("%s: other taken branches" % name)
        moved += sum(n for (source, to), n in a.get(count_file.EDGE, {}).items() if to != count_file.OUTSIDE and
                     (source, to) not in b.get(count_file.EDGE, {}))
    if branch_lists.said(text, "indirect branches inside") != moved:
        raise Bad("%d branches have no target any more, said: %s" % (moved, text))


def case_kernel_start(folder):
    """Addresses of a running kernel (KASLR) become those of vmlinux."""
    data, options = recorded(folder, "modules")
    made = folder + "/made"
    run("profile", "-i", data, *options, "--format=branch-list", "-o", made)
    with open(made, "rb") as f:
        path, build_id, _, _, of = next(x for x in branch_lists.read(f.read()) if x[2] == KERNEL)
    text = 0xffff800008010000	# the section .text of the scenario's vmlinux
    want = counts_of(put(folder, new(message(binary(of, path, build_id, KERNEL, 0))), "a"), options, folder)
    slide = {address + 0x123400000 & (1 << 64) - 1: b for address, b in of.items()}
    start = text + 0x123400000 & (1 << 64) - 1
    for form in (new(message(binary(slide, path, build_id, KERNEL, start))),
                 message(binary(slide, path, build_id, KERNEL), old=True, more=field(3, start))):
        if counts_of(put(folder, form, "b"), options, folder) != want:
            raise Bad("addresses of a running kernel give other counts")


def case_formats(folder):
    """Every format is made of lists, and report."""
    data = "tests/data/sample.perf.data"
    made = folder + "/made"
    run("profile", "-i", data, "--symfs", "tests/data/symfs", "--format=branch-list", "-o", made)
    for form in ("autofdo", "llvm", "bolt", "propeller", "callgrind", "lcov", "pprof", "folded", "top", "cstrace", "branch-list"):
        run("profile", "-i", made, "--symfs", "tests/data/symfs", "--format=" + form, "-o", folder + "/" + form, code=(0, 3))
        if form != "lcov" and not os.path.getsize(folder + "/" + form):
            raise Bad("%s: empty" % form)
    run("report", "-i", made, "--symfs", "tests/data/symfs", "-o", folder + "/report", code=(0, 3))
    # a count file of it, and lists of the count file
    run("profile", "-i", folder + "/cstrace", "--symfs", "tests/data/symfs", "--format=branch-list", "-o", folder + "/again")
    with open(made, "rb") as a, open(folder + "/again", "rb") as b:
        if a.read() != b.read():
            raise Bad("lists of the count file differ")


def case_others(folder):
    """What other commands say of lists, and profile of what cannot be."""
    root, path = program(folder), put(folder, new(message(binary(USUAL))))
    for command in ("script", "dump"):
        run(command, "-i", path, code=1, says="found branch lists of simpleperf")
    run("inject", "-i", path, "-o", folder + "/out", code=1, says="'perf-cstrace profile -i FILE'")
    run("profile", "-i", path, "--time", "1,2", code=129, says="is a file of branch lists, in which nothing says when")
    run("profile", "-i", path, "--metric=cycles", "--format=top", code=129, says="branch lists, which has neither cycles")
    os.mkdir(folder + "/none")
    run("profile", "-i", path, "-o", folder + "/out", "--symfs", folder + "/none", code=5, says=("nothing to profile", "branch lists need their programs"))
    perf = put(folder, perf_data(new(message(binary(USUAL)))), "perf")
    run("script", "-i", perf, code=1, says="has branch lists of simpleperf, and no trace")
    branches = sum(len(bits) * n for x in USUAL.values() for bits, n in x.items()) + 3
    both = new(message(binary(USUAL), binary({0: {"111": 1}}, "[kernel.kallsyms]", "", KERNEL, 0x1000)))
    for path, binaries in ((perf, 1), (put(folder, both), 2)):
        done = subprocess.run([args.tool, "info", "-i", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        text = done.stdout.decode().replace("'", "").replace(",", "")
        for word in ("%d binaries" % binaries, "/bin/p: ELF file build-id %s" % ID.hex(),
                     "%d branches\n" % (branches - 3 * (binaries == 1))):
            if word not in text or done.stderr:
                raise Bad("info: no '%s' in %s%s" % (word, text, done.stderr.decode()))
        if binaries == 2 and "[kernel.kallsyms]: kernel no build-id 1 lists 3 branches\n    addresses of a running kernel" not in text:
            raise Bad("info: %s" % text)
    for path, kernel in ((perf, 0), (put(folder, both), 1)):
        done = subprocess.run([args.tool, "info", "-i", path, "--format=json"], stdout=subprocess.PIPE, check=True)
        j = json.loads(done.stdout.decode())
        want = [{"path": "/bin/p", "kind": "ELF file", "build_id": ID.hex(), "lists": 9, "branches": branches - 3}]
        if kernel:
            want.append({"path": "[kernel.kallsyms]", "kind": "kernel", "build_id": None, "lists": 1, "branches": 3, "kernel_start": 0x1000})
        key = lambda b: b["path"]
        if j != {"file": path, "kind": "branch lists", "lists": 9 + kernel, "branches": branches - 3 + 3 * kernel, "samples": 0,
                 "binaries": sorted(want, key=key), "losses": None}:
            raise Bad("info --format=json: %s" % j)
    run("info", "-i", perf, "--pid", "1", code=129, says="is a file of branch lists")


def case_standard_input(folder):
    """Lists and count files are read by their names; each command says so of standard input."""
    root, name = program(folder), "with its name"
    path = put(folder, new(message(binary(USUAL))))
    run("profile", "-i", path, "--symfs", root, "--format=cstrace", "-o", folder + "/counts")
    for given, command, says in (
            (path, ("info", "-i", "-"), name), (path, ("profile", "-i", "-", "--symfs", root), name),
            (path, ("report", "-i", "-", "-o", folder + "/r"), name), (folder + "/counts", ("report", "-i", "-", "-o", folder + "/r"), name),
            (folder + "/counts", ("profile", "-i", "-"), name), (path, ("merge", "-", "-o", folder + "/m"), "name the file"),
            (path, ("merge", path, "-", "-o", folder + "/m"), "standard input: has branch lists"),
            (path, ("profile", "-i", path, "--format=top", "--base", "-"), "--base -: standard input is not read here")):
        for piped in (False, True):
            with open(given, "rb") as f:
                done = subprocess.run([args.tool, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                                      **({"input": f.read()} if piped else {"stdin": f}))
            if done.returncode != 1 or says not in done.stderr.decode() or done.stdout:
                raise Bad("%s: exit %d: %s" % (" ".join(command), done.returncode, done.stderr.decode()))
    old = put(folder, message(binary(USUAL), old=True))
    with open(old, "rb") as f:
        done = subprocess.run([args.tool, "merge", "-"], stdin=f, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if "standard input: has branch lists" not in done.stderr.decode():
        raise Bad("merge of old lists: " + done.stderr.decode())


def case_refused(folder):
    root = program(folder)
    one = binary(lists(a0={"1": 1}))
    fewer = field(3, field(1, BASE) + field(2, field(1, b"\1") + field(2, 9) + field(3, 1)))
    for data, says in (
            (new(message(one))[:-3], "is cut at"),
            (new()[:27], "inside of the head"),
            (MAGIC + struct.pack("<IB", 2, 0), "found version 2, compression 0"),
            (MAGIC + struct.pack("<IB", 1, 7), "compression 7"),
            (new(message(one + fewer)), "fewer bits than branches"),
            (new(message(one + field(4, 9))), "found a binary of type 9"),
            (new(message(one + field(2, "no"))), "expected a build-id"),
            (new(message(field(1, b"a\0b"))), "a byte 0 in a path"),
            (new(message(one)[:-1] + b"\xff"), "damaged field"),
            (MAGIC + struct.pack("<IB", 1, 1) + struct.pack("<I", 5) + b"12345", "cannot be unpacked"),
            (new(bytes(200 << 20), packed=True), "more than 200 times"),
    ):
        path = put(folder, data)
        text = run("profile", "-i", path, "--symfs", root, "-o", folder + "/out", code=1, says=(says, path))
        if os.path.exists(folder + "/out"):
            raise Bad("a file is left: %s" % text)


def case_damage(folder):
    """Any byte, any length: an exit code of the tool, and a message."""
    root, r = program(folder), random.Random(7)
    whole = [new(message(binary(USUAL), binary(USUAL, path="/x"))), message(binary(USUAL), old=True), new(message(binary(USUAL)), packed=True),
             perf_data(new(message(binary(USUAL))))]
    times = 4000 if os.environ.get("CSTRACE_NIGHTLY") else 150
    for i in range(times):
        data = bytearray(whole[i % len(whole)])
        if r.randrange(3) == 0:
            del data[r.randrange(len(data)):]
        for _ in range(r.randrange(4)):
            if data:
                data[r.randrange(len(data))] = r.choice((0, 1, 0x7F, 0x80, 0xFF, r.randrange(256)))
        text = run("profile", "-i", put(folder, bytes(data)), "--symfs", root, "-o", folder + "/out", code=(0, 1, 3))
        if not text:
            raise Bad("nothing is said of %s" % data.hex())
    return "%d files" % times


def main():
    global args
    p = argparse.ArgumentParser()
    p.add_argument("--tool", required=True)
    p.add_argument("--gen", required=True)
    args = p.parse_args()
    cases = [(f.__doc__ or name[5:].replace("_", " "), f) for name, f in globals().items() if name.startswith("case_")]
    return tap.run_cases(cases)


if __name__ == "__main__":
    sys.exit(main())
