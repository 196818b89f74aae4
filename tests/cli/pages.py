# SPDX-License-Identifier: BSD-3-Clause
"""The programs of tests/examples/ in C and C++, and lib/README.md against the tree: its code is compiled and run, its
files, functions and types must exist, and each way of adding something fits on a screen."""
import glob
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

from recording import Recording

PAGE = "lib/README.md"
EXAMPLES = "tests/examples"
C, CXX = "-std=gnu11", "-std=gnu++11"
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
SCREEN = 90
# opcode of the page's instruction set: type, displacement, link
TOY = r"""
#include <stdio.h>
int main(void)
{
	static const uint32_t ops[] = { 0x1000ffff, 0x11000002, 0x12000001, 0x20000000, 0x30000000 };
	struct cst_insn insn;
	for (unsigned int i = 0; i < 5; i++) {
		cst_isa_toy(&insn, ops[i]);
		printf("%d %d %d %d %d\n", insn.type, insn.subtype, insn.cond, insn.link, (int)insn.disp);
	}
}
"""
TOY_SAYS = "1 0 0 0 -4\n1 0 1 0 8\n1 1 0 1 4\n2 2 0 0 0\n0 0 0 0 0\n"


def first_difference(got, expected):
    """None when two texts are equal."""
    for a, b in itertools.zip_longest(got.splitlines(), expected.splitlines()):
        if a != b:
            return "got %s, expected %s" % (a, b)
    return None


class Page:
    def __init__(self, build, folder):
        self.build, self.folder, self.number, self.failed = build, folder, 0, 0
        with open(PAGE) as f:
            self.text = f.read()
        self.blocks = {}
        for language, name, body in re.findall(r"^```(\w+) ([\w-]+)\n(.*?)^```$", self.text, re.M | re.S):
            self.blocks[language, name] = body

    def case(self, title, problem):
        self.number += 1
        self.failed += bool(problem)
        print("%s %d - %s" % ("not ok" if problem else "ok", self.number, title))
        for line in (problem or "").splitlines():
            print("# " + line)

    def build_program(self, name, source, flags, compiler=None, library="libcstrace.a"):
        """The path of a program, None and what the compiler says."""
        path = os.path.join(self.folder, name)
        with open(path + ".c", "w") as f:
            f.write(source)
        compiler = compiler or [*os.environ.get("CC", "cc").split(), C]
        made = subprocess.run([*compiler, *WARNINGS, "-Iinclude", *flags, "-o", path, path + ".c", "-x", "none",
                               os.path.join(self.build, library.replace(".a", "-files.a")), os.path.join(self.build, library), "-lpthread"], capture_output=True, text=True)
        return (None, made.stderr[-2000:]) if made.returncode else (path, "")

    def output(self, argv):
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
        return done.stdout if not done.returncode else "exit %d\n%s" % (done.returncode, done.stderr)

    def run(self, name, source, flags):
        """Standard output of a program, or what went wrong."""
        path, problem = self.build_program(name, source, flags)
        return self.output([path]) if path else problem

    def says(self, title, got, expected):
        self.case(title, None if got == expected else "got:\n%s\nexpected:\n%s" % (got, expected))

    def code(self):
        self.says("instruction set", self.run("toy", self.blocks["c", "toy-isa"] + TOY, ["-Ilib"]), TOY_SAYS)

    def example(self, name):
        with open(os.path.join(EXAMPLES, name)) as f:
            return f.read()

    def ways(self):
        """Names, compilers and libraries."""
        yield "C", None, "libcstrace.a"
        for cxx in ("g++", "clang++"):
            if shutil.which(cxx):
                yield "C++ (%s)" % cxx, [cxx, "-x", "c++", CXX, "-Wpedantic"], "libcstrace.a"

    def examples(self):
        self.case("decode.c has at most 40 lines", None if self.example("decode.c").count("\n") <= 40 else "more")
        for name in ("decode", "protocol", "counts"):
            for way, compiler, library in self.ways():
                path, problem = self.build_program(name, self.example(name + ".c"), [], compiler, library)
                self.case("%s: %s compiles and links" % (name, way), problem)
                self.says("%s: %s, result" % (name, way), self.output([path]) if path else "", self.example(name + ".out"))

    def threads(self):
        """The program that counts edges, in C and C++, in one thread and two, against what was executed."""
        recording = Recording(os.environ["CST_GEN"], self.folder)
        with open(os.path.join(self.folder, "recording.h"), "w") as f:
            f.write(recording.header())
        executed, source = recording.edges(), self.example("edges.c")
        self.case("edges of the recording", None if executed.count("\n") > 20 else "only\n" + executed)
        ways = list(self.ways())
        if os.path.exists(os.path.join(self.build, "tsan/libcstrace.a")):
            ways.append(("ThreadSanitizer", ["gcc", C, "-fsanitize=thread"], "tsan/libcstrace.a"))
        for way, compiler, library in ways:
            path, problem = self.build_program("edges", source, ["-I" + self.folder], compiler, library)
            self.case("edges: %s compiles and links" % way, problem)
            for threads, arguments in (("one thread", ["1"]), ("two threads", [])):
                got = self.output([path, *arguments]) if path else ""
                self.case("edges: %s, %s" % (way, threads), first_difference(got, executed))

    def names(self):
        words = set(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", self.text, flags=re.M | re.S)))
        files = {w for w in words if re.fullmatch(r"[\w./-]+(/|\.(c|h|def|sh|txt))", w)}
        missing = [f for f in files if not os.path.exists(f) and not os.path.exists(os.path.join("lib", f))]
        self.case("files exist", ", ".join(sorted(missing)) or None if len(files) > 15 else "found %d" % len(files))
        headers = subprocess.run(["cat", *glob.glob("include/cstrace/**/*.h", recursive=True), *glob.glob("perf-plugin/**/*.h", recursive=True)],
                                 capture_output=True, text=True).stdout
        symbols = {re.sub(r"^(enum|struct) |\(\)$", "", w) for w in words
                   if re.match(r"(enum |struct )?(cst_|CST_|session_|profile_)\w+(\(\))?$", w)}
        unknown = [s for s in symbols if not re.search(r"\b%s\b" % s, headers)]
        self.case("names exist", ", ".join(sorted(unknown)) or None if len(symbols) > 5 else "found %d" % len(symbols))
        rooms = {d for d in os.listdir("lib") if os.path.isdir(os.path.join("lib", d))}
        untold = [r for r in rooms if not re.search(r"(?<!\w)%s/" % r, self.text)]
        self.case("every folder is told of", ", ".join(sorted(untold)))

    def screens(self):
        long = []
        for part in re.split(r"^## ", self.text, flags=re.M)[1:]:
            prose = re.sub(r"^```.*?^```$", "", part, flags=re.M | re.S)
            code = max([len(c.splitlines()) for c in re.findall(r"^```c.*?\n(.*?)^```$", part, re.M | re.S)], default=0)
            if code > SCREEN or len(prose.splitlines()) > 40:
                long.append("%s: %d lines of code, %d of text" % (part.splitlines()[0], code, len(prose.splitlines())))
        self.case("each fits on a screen", "\n".join(long))


def main():
    with tempfile.TemporaryDirectory() as folder:
        page = Page(os.environ.get("BUILD", "build"), folder)
        page.code()
        page.examples()
        page.threads()
        page.names()
        page.screens()
    print("1..%d" % page.number)
    return 1 if page.failed else 0


sys.exit(main())
