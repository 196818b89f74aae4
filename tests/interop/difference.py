#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""difference.py --build BUILD --tool PERF-CSTRACE [--only WORD] [--keep DIR]

Pairs of builds of difference_prog.c with known changes. What was executed in each function is counted from the emulator's flow
and the symbols of nm, without the decoder. Of each pair: the functions that are to change come first and all of them do, all
others are within 0.1 %, and before and after are what was executed.
"""
import argparse
import collections
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
import tap
from tap import Bad

HERE = os.path.dirname(os.path.abspath(__file__))
NIGHTLY = bool(os.environ.get("CSTRACE_NIGHTLY"))
SUFFIX = r"\.(?:cold|part|constprop|isra)(?:\.\d+)?"
args = None

Row = collections.namedtuple("Row", "change before after ratio calls_before calls_after binary name notes")
NUMBERS = r"^(.) +([+-]?\d+) +([\d.]+)% +(\d+) +(\d+) +(\S+) +"
CC = "aarch64-linux-gnu-gcc"
FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"     # Debian's package libdevel-nytprof-perl
# With anchors, and with loops that are aligned, the code of a function depends on those before it.
PLAIN = ["-O1", "-g", "-fno-section-anchors", "-fno-align-loops", "-fno-align-jumps", "-fno-align-labels"]
# The name of the folder is no part of the program: one build wherever it is made.
ANYWHERE = PLAIN + ["-fdebug-prefix-map=FOLDER=."]


class Build:
    """A side of a pair."""

    def __init__(self, edits=(), flags=PLAIN, name="prog", words=(), path="prog.c", cc=CC, strip=False, more=None, rooted=False):
        self.edits, self.flags, self.name, self.words = edits, flags, name, words
        self.path, self.cc, self.strip, self.more = path, cc, strip, more or {}
        self.rooted = rooted        # the recorded path is that below the folder, which is --symfs then

    def make(self, folder, source):
        """Compiles, runs and records it."""
        self.folder = folder
        for old, new in self.edits:
            if old not in source:
                raise Bad("nothing to edit: %s" % old)
            source = source.replace(old, new)
        files = {self.path: source, **self.more}
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, path)) or ".", exist_ok=True)
            with open(os.path.join(folder, path), "w") as f:
                f.write(text)
        self.program = os.path.join(folder, self.name)
        call(self.cc, *(flag.replace("FOLDER", folder) for flag in self.flags), "-ffreestanding", "-nostdlib", "-static", "-Wl,--build-id=sha1", "-o", self.name, *files, cwd=folder)
        self.symbols = symbols(self.program, self.cc.startswith("arm"))
        if self.strip:
            call("aarch64-linux-gnu-strip", self.name, cwd=folder)
        emulator, root = "qemu-arm" if self.cc.startswith("arm") else "qemu-aarch64", os.path.join(folder, "flow")
        call(emulator, "-plugin", "%s/tests/gen/qemu/flowlog.so,out=%s%s" % (args.build, root, ",root=" + folder if self.rooted else ""),
             self.program, *self.words)
        self.data = os.path.join(folder, "perf.data")
        call("%s/tests/gen/cst-gen" % args.build, "encode", "--flow", root, "--images", root + ".images", "--perf", self.data)
        self.executed = executed(root, self.symbols)
        os.remove(root)


def call(*words, cwd=None, code=(0,)):
    done = subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in code:
        raise Bad("%s: exit %d: %s" % (" ".join(words)[:400], done.returncode, done.stderr))
    return done


def symbols(program, arm):
    """[(start, end, name)] of functions; one without a size ends where the next one begins."""
    rows = []
    for line in call("nm", "-n", "-S", program).stdout.splitlines():
        parts = line.split()
        if parts[-2] in "tTwW" and not parts[-1].startswith("$"):
            start = int(parts[0], 16)
            # of T32 functions bit 0 is set
            start &= ~1 if arm else ~0
            rows.append((start, start + int(parts[1], 16) if len(parts) == 4 else None, parts[-1]))
    return [(s, e, n) for i, (s, e, n) in enumerate(rows) if e]


def executed(flow, rows):
    """{name: instructions}, of the flow's records (gen/flow.h)."""
    at = collections.Counter()
    with open(flow, "rb") as f:
        data = f.read()
    for place in range(8, len(data), 40):
        if data[place] == 1:
            at[struct.unpack_from("<Q", data, place + 16)[0]] += 1
    sums = collections.Counter()
    for pc, n in at.items():
        names = [name for start, end, name in rows if start <= pc < end]
        sums[names[0] if names else "?"] += n
    return sums


def tool(*words, code=(0,)):
    return call(args.tool, *words, code=code)


def table(text, head):
    """The lines of a section, without its head."""
    parts = re.split(r"^# (Functions|Lines|Blocks): .*\n", text, flags=re.M)
    body = dict(zip(parts[1::2], parts[2::2])).get(head, "")
    return [line for line in body.splitlines() if line and not line.startswith("#")]


def functions(text):
    rows = []
    for line in table(text, "Functions"):
        m = re.match(NUMBERS + r"(?:(\d+) +(\d+)  )?(\S.*?)  (\S.*?)((?:  \[.*\])*)$", line)
        if not m:
            raise Bad("no row: %s" % line)
        rows.append(Row(int(m[2]), int(m[4]), int(m[5]), m[6], m[7], m[8], m[9], m[10], m[11].strip()))
    return rows


def lines(text):
    rows = []
    for line in table(text, "Lines"):
        m = re.match(NUMBERS + r"(\S+):(\d+)(.*)$", line)
        rows.append((int(m[2]), int(m[4]), int(m[5]), int(m[8]), m[9].strip()))
    return rows


def base_name(name):
    return re.sub("(?:%s)+$" % SUFFIX, "", name)


def by_base(sums):
    out = collections.Counter()
    for name, n in sums.items():
        out[base_name(name)] += n
    return out


class Pair:
    def __init__(self, name, before, after, changed, new=(), gone=(), renamed=(), inlined=(), check=None, truth=True, words=(), source=None):
        self.name, self.before, self.after, self.changed = name, before, after, set(changed)
        self.new, self.gone, self.renamed, self.inlined = set(new), set(gone), dict(renamed), set(inlined)
        self.check, self.truth, self.words, self.source = check, truth, words, source

    def run(self, folder, source):
        for side, build in (("before", self.before), ("after", self.after)):
            os.makedirs(os.path.join(folder, side))
            build.make(os.path.join(folder, side), self.source or source)
        self.folder = folder
        if self.after.rooted:
            self.words = [*self.words, "--symfs", self.after.folder, "--base-symfs", self.before.folder]
        done = tool("profile", "-i", self.after.data, "--base", self.before.data, "--format=top", *self.words)
        self.text = done.stdout
        self.rows = functions(self.text)
        self.ordered()
        if self.truth:
            self.counted()
        if self.check:
            self.check(self)

    def bad(self, what):
        raise Bad("%s\n%s" % (what, self.text))

    def row(self, name):
        found = [r for r in self.rows if base_name(r.name) == name]
        if len(found) != 1:
            self.bad("%d rows of %s" % (len(found), name))
        return found[0]

    def ordered(self):
        """Those that changed come first, by the size of the change; the others are within 0.1 %."""
        sizes = [abs(r.change) for r in self.rows]
        if sizes != sorted(sizes, reverse=True):
            self.bad("not by the size of the change")
        if self.changed is not None and "*" not in self.changed:
            first = {base_name(r.name) for r in self.rows[:len(self.changed)]}
            if first != self.changed:
                self.bad("first come %s, expected %s" % (sorted(first), sorted(self.changed)))
            for r in self.rows[len(self.changed):]:
                if abs(r.change) > r.before / 1000:
                    self.bad("%s changed by %d" % (r.name, r.change))
        for r in self.rows:
            if r.change != r.after - r.before:
                self.bad("%s: %d is not %d - %d" % (r.name, r.change, r.after, r.before))
            kind = {"new": "new", "gone": "gone"}.get(r.ratio, "")
            want = "new" if base_name(r.name) in self.new else "gone" if base_name(r.name) in self.gone else ""
            if "*" not in self.new and kind != want:
                self.bad("%s: %s, expected %s" % (r.name, kind or "on both sides", want or "on both sides"))

    def counted(self):
        """Before and after are what was executed, but for code that is inlined on one side."""
        before, after = by_base(self.before.executed), by_base(self.after.executed)
        for r in self.rows:
            name = base_name(r.name)
            old = self.renamed.get(name, name)
            if old != name and "[was %s]" % old not in r.notes:
                self.bad("%s: not renamed from %s" % (name, old))
            if name not in self.inlined and (r.before, r.after) != (before[old], after[name]):
                self.bad("%s: %d to %d, executed %d to %d" % (name, r.before, r.after, before[old], after[name]))
        if (sum(r.before for r in self.rows), sum(r.after for r in self.rows)) != (sum(before.values()), sum(after.values())):
            self.bad("the sums are not what was executed: %d to %d" % (sum(before.values()), sum(after.values())))


# ---- edits -------------------------------------------------------------------------------------------------------------------

INLINE = "static inline __attribute__((always_inline))"
RENAMED = [("mix(", "blend(")]
HEADER = [("typedef unsigned int u32;", "/* a\n * comment\n * of lines\n */\n\ntypedef unsigned int u32;")]
LINES_ABOVE_MIX = [("KEEP u32 mix(", "/* more\n * lines\n */\nKEEP u32 mix(")]
TWICE = [("i < n; i++)\n\t\ts += mix(i);", "i < 2 * n; i++)\n\t\ts += mix(i);")]
MORE_FIB = [("s += fib(9);", "s += fib(9) + fib(10);")]
INLINED_MIX = [("KEEP u32 mix(", INLINE + " u32 mix(")]
INLINED_SEARCH = [("KEEP u32 search(", INLINE + " u32 search(")]
STEP = [("KEEP u32 crc(u32 x, u32 rounds)",
         "KEEP u32 step(u32 x)\n{\n\treturn x & 1 ? x >> 1 ^ 0xedb88320u : x >> 1;\n}\n\nKEEP u32 crc(u32 x, u32 rounds)"),
        ("x = x & 1 ? x >> 1 ^ 0xedb88320u : x >> 1;\n\treturn x;\n}\n\nKEEP u32 work", "x = step(x);\n\treturn x;\n}\n\nKEEP u32 work")]
EXTRA = [("KEEP u32 work(", "KEEP u32 extra(u32 n)\n{\n\tu32 s = 1;\n\n\twhile (n--)\n\t\ts = s * 5 + n;\n\treturn s;\n}\n\nKEEP u32 work("),
         ("s += crc(s, 300);", "s += crc(s, 300);\n\ts += extra(150);")]
BUBBLE = [("""	for (i = 1; i < n; i++) {
		x = data[i];
		for (k = i; k > 0 && data[k - 1] > x; k--)
			data[k] = data[k - 1];
		data[k] = x;
	}
""", """	for (i = 0; i < n; i++)
		for (k = 0; k + 1 < n - i; k++)
			if (data[k] > data[k + 1]) {
				x = data[k];
				data[k] = data[k + 1];
				data[k + 1] = x;
			}
""")]
UNROLL = [("KEEP u32 crc(", '__attribute__((optimize("unroll-loops", "O2"))) KEEP u32 crc(')]
ADD_LINE = [("\t\ts += search(i * 67108864u);", "\t{\n\t\ts += search(i * 67108864u);\n\t\ts ^= s << 3;\n\t}")]
HOIST = [("for (i = 0; i < 64; i++)\n\t\tdata[i] = mix(seed + i);",
          "u32 first = mix(seed);\n\n\tfor (i = 0; i < 64; i++)\n\t\tdata[i] = first * (i + 1) & 0xffff;")]


def swapped(source):
    """fib() is moved behind crc()."""
    begin, end = source.index("KEEP u32 fib("), source.index("KEEP void fill(")
    to = source.index("KEEP u32 work(")
    return [(source, source[:begin] + source[end:to] + source[begin:end] + source[to:])]


def copies(attribute):
    """crc() may be copied, or divided, by the compiler."""
    return [("KEEP u32 crc(", "%s static u32 crc(" % attribute)]


def early(attribute):
    """A function whose first test returns mostly."""
    return [(old, new.replace("ATTRIBUTE", attribute)) for old, new in EARLY]


EARLY = [("KEEP u32 work(", "ATTRIBUTE u32 rare(u32 x)\n{\n\tu32 i, s = x;\n\n\tif (x & 7)\n\t\treturn x;\n\tfor (i = 0; i < 12; i++)\n\t\t"
             "s = s * 3 + data[(s + i) & 63];\n\tfor (i = 0; i < 9; i++)\n\t\tdata[i] ^= s >> i;\n\treturn s;\n}\n\n"
             "KEEP u32 many(u32 n)\n{\n\tu32 i, s = 0;\n\n\tfor (i = 0; i < n; i++)\n\t\ts += rare(i);\n\treturn s;\n}\n\nKEEP u32 work("),
         ("s += crc(s, 300);", "s += crc(s, 300);\n\ts += many(100);")]


COLD = [("KEEP u32 work(", "__attribute__((cold)) KEEP u32 fails(u32 x)\n{\n\treturn x * 7;\n}\n\n__attribute__((noinline)) static u32 "
         "often(u32 n)\n{\n\tu32 i, s = 0;\n\n\tfor (i = 0; i < n; i++) {\n\t\ts += i ^ data[i & 63];\n\t\tif (i %% 16 == 15)\n\t\t\t"
         "s += fails(s) + %s;\n\t}\n\treturn s;\n}\n\nKEEP u32 work("), ("s += crc(s, 300);", "s += crc(s, 300);\n\ts += often(160);")]


def cold(what):
    return [(old, new.replace("%s", what).replace("%%", "%")) for old, new in COLD]


SECOND = """typedef unsigned int u32;
__attribute__((noipa)) static u32 helper(u32 x)
{
	u32 i;

	for (i = 0; i < %d; i++)
		x = x * 3 + i;
	return x;
}

u32 second(u32 x)
{
	return helper(x);
}
"""
TWO_FILES = [("KEEP u32 work(", "u32 second(u32 x);\n\nKEEP u32 helper(u32 x)\n{\n\tu32 i;\n\n\tfor (i = 0; i < 40; i++)\n\t\tx ^= x >> 3;\n\t"
              "return x;\n}\n\nKEEP u32 work("), ("s += crc(s, 300);", "s += crc(s, 300);\n\ts += helper(s) + second(s);")]
CXX = """#define KEEP __attribute__((noipa))
typedef unsigned int u32;
static volatile u32 sink;
template <typename T> struct Box {
	T v;
	KEEP T add(T x) { for (int i = 0; i < 20; i++) v += x ^ i; return v; }
};
KEEP u32 twice(u32 x) { for (int i = 0; i < 50; i++) x = x * 5 + 1; return x; }
KEEP unsigned long twice(unsigned long x) { for (int i = 0; i < LOOPS; i++) x = x * 5 + 1; return x; }
extern "C" __attribute__((used)) void start(unsigned long *)
{
	Box<u32> a = { 1 };
	Box<unsigned long> b = { 2 };
	sink = a.add(3) + (u32)b.add(4) + twice(7u) + (u32)twice(7ul);
	__asm__ volatile("mov x8, #93\\n\\tmov x0, #0\\n\\tsvc #0");
}
__asm__(".globl _start\\n.type _start, %function\\n_start:\\n\\tmov x0, sp\\n\\tbl start\\n.size _start, . - _start\\n");
"""
T32 = ["-mthumb", "-march=armv7-a+fp"] + PLAIN
ARM = [('"mov x8, #93\\n\\tmov x0, #0\\n\\tsvc #0"', '"mov r7, #1\\n\\tmov r0, #0\\n\\tsvc #0"'), ("mov x0, sp", "mov r0, sp"),
       (".globl _start\\n", ".globl _start\\n.arm\\n")]


# ---- checks ------------------------------------------------------------------------------------------------------------------

def no_lines(p):
    if "# Lines: 0 of " not in p.text:
        p.bad("lines changed")


def one_line(p):
    """The line that was added is new; of the others those of its function may change, by what the compiler made of them."""
    rows = lines(p.text)
    with open(os.path.join(p.after.folder, "prog.c")) as f:
        wanted = [i for i, l in enumerate(f, 1) if "s ^= s << 3;" in l]
    if not any(r[3] == wanted[0] and r[1] == 0 and r[2] > 0 for r in rows):
        p.bad("line %d is not new" % wanted[0])
    begin = wanted[0] - 7
    if any(not begin <= r[3] <= wanted[0] + 4 for r in rows):
        p.bad("lines outside of lookups() changed: %s" % rows)


def line_blocks(p):
    """In two builds: blocks by line. The loop of sum() ran twice as often, what is before and behind it once; mix() is one block."""
    rows = [re.match(NUMBERS + r"(\d+) +(\d+) +-  (\S+)  (\S+):(\d+)(?:-(\d+))?  (\S+)$", l) for l in table(p.text, "Blocks")]
    if not rows or None in rows:
        p.bad("no blocks")
    with open(os.path.join(p.after.folder, "prog.c")) as f:
        source = f.read().split("\n")
    loop = source.index("\t\ts += mix(i);")             # the line before it, which begins the loop
    have = {(m[13], int(m[11]), int(m[7]), int(m[8])) for m in rows}
    calls = {r.name: r for r in p.rows}["mix"]
    if ("sum", loop, 200, 400) not in have or not [h for h in have if h[0] == "mix" and h[2:] == (int(calls.calls_before), int(calls.calls_after))]:
        p.bad("blocks: %s" % sorted(have))
    for m in rows:
        if m[13] not in ("sum", "mix"):
            p.bad("a block of %s" % m[13])


def noted(name, note):
    def check(p):
        if note not in p.row(name).notes:
            p.bad("%s: without %s" % (name, note))
    return check


def near(name):
    """What is inlined counts for its function: that changes by the call and what the compiler makes of it, less than by half."""
    def check(p):
        r = p.row(name)
        if not r.before / 2 < r.after < r.before * 1.5:
            p.bad("%s: %d to %d" % (name, r.before, r.after))
    return check


def blocks(p):
    """In one build: blocks by address. Their sum is the change; runs times size are the counts."""
    rows = [re.match(NUMBERS + r"(\d+) +(\d+) +(\d+)  (\S+)  0x([0-9a-f]+)  (\S+)$", l) for l in table(p.text, "Blocks")]
    if not rows or None in rows:
        p.bad("no blocks")
    if sum(int(m[2]) for m in rows) != sum(r.change for r in p.rows):
        p.bad("the blocks' changes are not the functions'")
    for m in rows:
        if int(m[4]) != int(m[7]) * int(m[9]) or int(m[5]) != int(m[8]) * int(m[9]):
            p.bad("a block: %s" % m[0])
        names = [n for s, e, n in p.after.symbols if s <= int(m[11], 16) < e]
        if names != [m[12]]:
            p.bad("0x%s is in %s" % (m[11], names))
    pages = os.path.join(p.folder, "pages")
    tool("report", "-i", p.after.data, "--base", p.before.data, "-o", pages)
    call("python3", "tests/cli/report.py", "pages", pages)
    with open(os.path.join(pages, "changes.html")) as f:
        if "<h2>Blocks</h2>" not in f.read():
            p.bad("no table of blocks in the report")


def folded(p):
    """The stacks have both sums, and those of each function."""
    text = tool("profile", "-i", p.after.data, "--base", p.before.data, "--format=folded").stdout
    have = collections.defaultdict(lambda: [0, 0])
    for line in text.splitlines():
        stack, before, after = line.rsplit(" ", 2)
        have[stack.split(";")[-1]][0] += int(before)
        have[stack.split(";")[-1]][1] += int(after)
    for r in p.rows:
        if tuple(have[r.name]) != (r.before, r.after):
            p.bad("folded has %s of %s" % (have[r.name], r.name))
    if os.path.exists(FLAMEGRAPH):
        with open(os.path.join(p.folder, "folded"), "w") as f:
            f.write(text)
        picture = call(FLAMEGRAPH, f.name).stdout
        # below sum(), whose loop is twice as long, and below fill()
        titles = re.findall(r"<title>mix \(([\d,]+) samples, [\d.]+%; ([+-]?[\d.]+)%", picture)
        if sum(int(n.replace(",", "")) for n, _ in titles) != p.row("mix").after or sorted(d[0] == "+" and float(d) > 0 for _, d in titles) != \
                [False, True]:
            p.bad("flamegraph.pl shows mix() as %s" % titles)


def scaled(p):
    """By a function: it is equal, and the others are multiplied alike. By the total: the totals are."""
    text = tool("profile", "-i", p.after.data, "--base", p.before.data, "--format=top", "--scale=mix").stdout
    now = {r.name: r for r in functions(text)}
    plain = {r.name: r for r in p.rows}
    a, b = plain["mix"].before, plain["mix"].after
    for name, r in now.items():
        if (r.before, r.after) != (plain[name].before, plain[name].after * a // b):
            p.bad("%s: scaled to %d" % (name, r.after))
    text = tool("profile", "-i", p.after.data, "--base", p.before.data, "--format=top", "--scale=total").stdout
    if "(+0.00 %)" not in text:
        p.bad("totals differ: %s" % text[:200])


def stored(p):
    """Count files, and a count file with a recording, give the same."""
    for side in (p.before, p.after):
        tool("profile", "-i", side.data, "--format=cstrace", "-o", side.data + ".cst")
    want = p.text.split("\n#\n", 1)[1]
    for after in (p.after.data, p.after.data + ".cst"):
        for before in (p.before.data, p.before.data + ".cst"):
            have = tool("profile", "-i", after, "--base", before, "--format=top").stdout
            if have.split("\n#\n", 1)[1] != want:
                p.bad("%s and %s: %s" % (before, after, have))


def both(*checks):
    def check(p):
        for c in checks:
            c(p)
    return check


def pairs(source):
    plain = Build
    return [
        Pair("a loop twice as long", plain(), plain(TWICE), {"sum", "mix"}, check=both(scaled, folded, stored, line_blocks)),
        Pair("a loop half as long", plain(TWICE), plain(), {"sum", "mix"}),
        Pair("more calls", plain(), plain(MORE_FIB), {"fib", "work"}),
        Pair("nothing changed, in another folder", plain(), plain(path="other/folder/prog.c"), (), check=no_lines),
        Pair("two builds at one path", plain(rooted=True), plain(TWICE, rooted=True), {"sum", "mix"}),
        Pair("a program with another name", plain(name="old"), plain(TWICE, name="new"), {"sum", "mix"}),
        Pair("a function renamed", plain(), plain(RENAMED), (), renamed={"blend": "mix"}, check=no_lines),
        Pair("a function renamed, lines before it", plain(), plain(HEADER + LINES_ABOVE_MIX + RENAMED), (), renamed={"blend": "mix"},
             check=no_lines),
        Pair("a function renamed and called more", plain(), plain(TWICE + RENAMED), {"sum", "blend"}, renamed={"blend": "mix"}),
        Pair("lines above the code", plain(), plain(HEADER + LINES_ABOVE_MIX), (), check=no_lines),
        Pair("a line added", plain(), plain(ADD_LINE), {"lookups"}, check=one_line),
        Pair("a line removed", plain(ADD_LINE), plain(), {"lookups"}),
        Pair("inlined in two functions", plain(), plain(INLINED_MIX), {"mix", "sum", "fill"}, inlined={"mix", "sum", "fill"},
             check=both(noted("mix", "[after inlined in "), near("mix"), near("sum"), near("fill"))),
        Pair("not inlined any more", plain(INLINED_MIX), plain(), {"mix", "sum", "fill"}, inlined={"mix", "sum", "fill"},
             check=noted("mix", "[before inlined in ")),
        Pair("inlined in one function", plain(), plain(INLINED_SEARCH), {"search", "lookups"}, inlined={"search", "lookups"},
             check=both(noted("search", "[after inlined in lookups]"), near("search"), near("lookups"))),
        Pair("inlined one in the other", plain(), plain(INLINED_SEARCH + [("KEEP u32 lookups(", INLINE + " u32 lookups(")]),
             {"search", "lookups", "work"}, inlined={"search", "lookups", "work"},
             check=both(noted("search", "[after inlined in "), noted("lookups", "[after inlined in work]"), near("search"),
                        near("lookups"), near("work"))),
        Pair("inlined one in the other, and one of them before", plain(INLINED_SEARCH),
             plain(INLINED_SEARCH + [("KEEP u32 lookups(", INLINE + " u32 lookups(")]), {"lookups", "work"}, inlined={"lookups", "work"},
             check=noted("lookups", "[after inlined in work]")),
        Pair("inlined on both sides, and a loop", plain(INLINED_MIX), plain(INLINED_MIX + TWICE), {"sum"}),
        Pair("a function split", plain(), plain(STEP), {"crc", "step"}, new={"step"}),
        Pair("two functions joined", plain(STEP), plain(), {"crc", "step"}, gone={"step"}),
        Pair("a new function", plain(), plain(EXTRA), {"extra", "work"}, new={"extra"}),
        Pair("a function removed", plain(EXTRA), plain(), {"extra", "work"}, gone={"extra"}),
        Pair("another algorithm", plain(), plain(BUBBLE), {"sort"}),
        Pair("a loop unrolled", plain(), plain(UNROLL), {"crc"}),
        Pair("a call moved out of a loop", plain(), plain(HOIST), {"fill", "mix", "sort", "search"}),
        Pair("deeper recursion", plain(), plain([("fib(9)", "fib(11)")]), {"fib"}),
        Pair("functions in another order", plain(), plain(swapped(source)), ()),
        Pair("-O1 and -O2", plain(), plain(flags=["-O2", "-g"]), "*"),
        Pair("-O2 and -O3", plain(flags=["-O2", "-g"]), plain(flags=["-O3", "-g"]), "*"),
        Pair("-O0 and -Os", plain(flags=["-O0", "-g"]), plain(flags=["-Os", "-g"]), "*"),
        Pair("gcc and clang", plain([("noipa", "noinline")], flags=["-O1", "-g"]),
             plain([("noipa", "noinline")], cc="clang", flags=["--target=aarch64-linux-gnu", "-fuse-ld=lld", "-O1", "-g"]), "*"),
        Pair("a copy for constants (.constprop)", plain(flags=["-O2", "-g"]), plain(copies("__attribute__((noinline))"),
             flags=["-O2", "-g"]), {"crc", "work"}, check=noted("crc", "[was crc]")),
        Pair("a part (.part)", plain(early("__attribute__((noipa)) static"), flags=["-O2", "-g"]),
             plain(early("static"), flags=["-O2", "-g", "-fno-inline-small-functions", "-fno-inline-functions", "-fno-ipa-cp"]), "*",
             truth=False),
        Pair("cold code (.cold)", plain(cold("1"), flags=["-O2", "-g", "-fno-reorder-blocks-and-partition"]),
             plain(cold("1"), flags=["-O2", "-g"]), "*"),
        Pair("static functions of one name in two files", plain(TWO_FILES, more={"second.c": SECOND % 30}),
             plain(TWO_FILES, more={"second.c": SECOND % 60}), {"helper"}, truth=False,
             check=lambda p: p.bad("helpers are one") if len([r for r in p.rows if r.name == "helper"]) != 2 else None),
        Pair("without DWARF", plain(flags=["-O1"]), plain(TWICE, flags=["-O1"]), {"sum", "mix"}),
        Pair("C++, overloaded", plain(path="prog.cc", cc="aarch64-linux-gnu-g++", flags=["-O1", "-g", "-DLOOPS=50"]),
             plain(path="prog.cc", cc="aarch64-linux-gnu-g++", flags=["-O1", "-g", "-DLOOPS=70"]), {"_Z5twicem"}, source=CXX),
        Pair("C++, demangled", plain(path="prog.cc", cc="aarch64-linux-gnu-g++", flags=["-O1", "-g", "-DLOOPS=50"]),
             plain(path="prog.cc", cc="aarch64-linux-gnu-g++", flags=["-O1", "-g", "-DLOOPS=70"]), {"twice(unsigned long)"}, source=CXX,
             truth=False, words=["--demangle"]),
        Pair("T32", plain(ARM, cc="arm-linux-gnueabihf-gcc", flags=T32),
             plain(ARM + TWICE + RENAMED, cc="arm-linux-gnueabihf-gcc", flags=T32), {"sum", "blend"}, renamed={"blend": "mix"}),
        Pair("without symbols", plain(strip=True), plain(TWICE, strip=True), {"[no symbol]"}, truth=False,
             check=lambda p: p.bad("sums") if (p.rows[0].before, p.rows[0].after) != (sum(p.before.executed.values()),
                                                                                      sum(p.after.executed.values())) else None),
        Pair("one build, another input", plain(flags=ANYWHERE), plain(flags=ANYWHERE, words=["more", "words"]), "*", check=blocks),
        Pair("one build, the same input", plain(flags=ANYWHERE), plain(flags=ANYWHERE), (), check=no_lines),
    ]


# In make check: one of each way to pair, and one of each kind of table.
QUICK = ("a loop twice as long", "a function renamed, lines before it", "inlined in one function", "a function split", "a line added",
         "a copy for constants (.constprop)", "static functions of one name in two files", "one build, another input", "-O1 and -O2")


def main():
    global args
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--tool", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    args = parser.parse_args()
    with open(os.path.join(HERE, "difference_prog.c")) as f:
        source = f.read()
    with tempfile.TemporaryDirectory() as temp:
        failed = 0
        chosen = [p for p in pairs(source) if args.only in p.name and (NIGHTLY or args.only or p.name in QUICK)]
        for i, p in enumerate(chosen, 1):
            folder = os.path.join(os.path.abspath(args.keep or temp), str(i))
            try:
                p.run(folder, source)
                print("ok %d - %s" % (i, p.name))
            except Bad as bad:
                failed += 1
                print("not ok %d - %s" % (i, p.name))
                print("".join("# %s\n" % line for line in str(bad).splitlines()), end="")
        print("1..%d" % len(chosen))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
