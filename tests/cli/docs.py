# SPDX-License-Identifier: BSD-3-Clause
"""The texts against the program: command lines are taken out of README.md and the man page, words that
stand for files are replaced by files, and each is run and must succeed; every option, output field, sample
letter, make target and file that is named must exist."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import count_file

MAN = "perf-plugin/man/perf-cstrace.1"
SAMPLE = "tests/data/sample.perf.data"
# Of every command, and of other tools: AutoFDO's, LLVM's, perf.
FOREIGN = {"--help", "--list-opts", "--list-cmds", "--version", "--profiler", "--unsymbolized-profile",
           "--use-offset", "--pa", "--gcov", "--rc", "--emit-relocs", "--kcore", "--jit", "--stdio", "--compression-level",
           "--filter", "--switch-events", "--threads", "--build-options", "--per-thread", "--coverage", "--profile", "--branch-history",
           "--no-branch-stack", "--switch-output", "--preserve-status"}
STANDS_FOR = {"IN": "perf.data", "N": "10", "OUT": "out", "LETTERS": "i1000il64", "FIELDS": "ip,addr", "NAME": "autofdo", "BASE": "vaddr",
              "HOW": "uncovered", "SCALE": "none", "BEFORE": "perf.data", "ROOT": "root",
              "METRIC": "instructions",
              "PATH": "sample.a64", "DIR": "snapshot", "FILE": "out", "TEXT": "text.tarmac", "TRACE": "perf.data",
              "KIND": "package", "COUNTS": "a.cst", "N,COUNTS": "3,b.cst", "LIST": "list", "VIEWER": "json", "NS": "100"}


class Texts:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.number, self.failed = os.path.abspath(tool), folder, 0, 0
        with open(MAN) as f:
            self.man = [re.sub(r"\\f.", "", l.rstrip("\n")).replace(r"\-", "-").replace(r"\&", "") for l in f]
        with open("README.md") as f:
            self.readme = f.read()
        with open("Kconfig-notes.md") as f:
            self.notes = f.read()
        self.prepare()

    def prepare(self):
        """A folder as a user would have it: the recording, the programs, a snapshot."""
        work = self.work = os.path.join(self.folder, "work")
        os.mkdir(work)
        shutil.copy(SAMPLE, os.path.join(work, "perf.data"))
        for name in ("before.data", "run.data"):	# with times
            shutil.copy("tests/data/sample-trbe.perf.data", os.path.join(work, name))
        shutil.copytree("tests/data/symfs", os.path.join(work, "root"))
        subprocess.run([self.tool, "dump", "-i", SAMPLE, "--symfs", "tests/data/symfs", "--format=tarmac", "-o",
                        os.path.join(work, "text.tarmac")], check=True, capture_output=True)
        subprocess.run([os.environ["CST_GEN"], "random", "--case", "3", "--insns", "300", "--snapshot",
                        os.path.join(work, "snapshot")], check=True, capture_output=True)
        shutil.copy(os.path.join(work, "snapshot", "trace0.bin"), os.path.join(work, "etb.bin"))
        shutil.copy(os.path.join(work, "root/opt/cstrace-sample/sample.a64"), os.path.join(work, "firmware.elf"))
        for name in ("a.cst", "b.cst"):
            counts = count_file.new()
            counts["totals"] = {b"recordings": 1, b"instructions": 12}
            counts["binaries"] = {(0, b"build-id"): [0, 183, b"/bin/a", [(0, 4096, 0, 1)]]}
            counts["counts"] = {(0, b"build-id"): {count_file.RANGE: {(64, 76, 0, 4): 3}}}
            with open(os.path.join(work, name), "wb") as f:
                f.write(count_file.write(counts))
        with open(os.path.join(work, "list"), "w") as f:
            f.write("# of two machines\na.cst\n2,b.cst\n")
        # The recorded programs are in /opt: the texts leave --symfs out where it does not matter.
        bin_ = os.path.join(self.folder, "bin")
        os.mkdir(bin_)
        with open(os.path.join(bin_, "perf-cstrace"), "w") as f:
            f.write("#!/bin/sh\ncase \" $* \" in\n*\" --symfs \"*|\" merge \"*|\" check \"*) exec %s \"$@\" ;;\n*) exec %s \"$@\" --symfs root ;;\nesac\n"
                    % (self.tool, self.tool))
        os.chmod(f.name, 0o755)
        self.env = dict(os.environ, PATH=bin_ + ":" + os.environ["PATH"], MANPATH="/nowhere")

    def case(self, title, problem):
        self.number += 1
        self.failed += bool(problem)
        print("%s %d - %s" % ("not ok" if problem else "ok", self.number, title))
        for line in (problem or "").splitlines():
            print("# " + line)

    def run(self, line, codes=(0,)):
        """What is wrong with a command line, None if nothing is."""
        words = line.split()
        # a folder that comes out is a new one
        words = ["folder" if w == "DIR" and words[i - 1] == "-o" else STANDS_FOR.get(w, w) for i, w in enumerate(words)]
        words = [w.split("=")[0] + "=" + STANDS_FOR.get(w.split("=")[1], w.split("=")[1]) if w.count("=") == 1 else w
                 for w in words]
        if words[:2] == ["perf", "cstrace"] and not shutil.which("perf"):
            words[:2] = ["perf-cstrace"]
        results = {"out", "perf.data.cstidx", "snapshot/cstrace.cstidx", *(words[i + 1] for i, w in enumerate(words) if w == "-o")}
        for name in results:
            path = os.path.join(self.work, name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.unlink(path)
        try:
            run = subprocess.run(words, cwd=self.work, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                                 timeout=60)
        except (OSError, subprocess.TimeoutExpired) as error:
            return "%s: %s" % (" ".join(words), error)
        written = any(os.path.exists(os.path.join(self.work, name)) for name in results)
        if run.returncode in codes and (run.stdout or written):
            return None
        return "%s: exit %d\n%s" % (" ".join(words), run.returncode, run.stderr.decode("utf-8", "replace")[-600:])

    def section(self, name):
        start = next(i for i, l in enumerate(self.man) if re.match(r'\.S[HS] "?%s"?$' % name, l))
        end = next((i for i in range(start + 1, len(self.man)) if self.man[i].startswith(".SH")), len(self.man))
        return self.man[start + 1:end]

    def options(self, *command):
        return set(subprocess.run([self.tool, *command, "--list-opts"], capture_output=True, text=True, check=True)
                   .stdout.split())

    # ---- command lines ---------------------------------------------------------------------------

    def readme_lines(self):
        lines = [c for c in re.findall(r"`([^`\n]+)`", self.readme) if re.match(r"(perf-cstrace|perf cstrace) \w", c)]
        lines = [line for line in lines if " record " not in line]      # of an Arm machine
        self.case("README has command lines", None if len(lines) >= 5 else "found %d" % len(lines))
        for line in lines:
            # the registers of the text are not those of the trace
            # those of check are about this machine
            codes = (0, 1, 3) if line.endswith(" check") else (0, 3) if " --trace " in line else (0,)
            self.case("README: " + line, self.run(line, codes))

    @staticmethod
    def variants(line):
        """`[a]` is left out and put in, of `(a | b)` each is taken."""
        either = re.search(r"\(([^()]*)\|([^()]*)\)", line)
        if either:
            return [v for part in either.groups()
                    for v in Texts.variants(line[:either.start()] + part.strip() + line[either.end():])]
        return list(dict.fromkeys((re.sub(r"\s*\[[^][]*\]", "", line), re.sub(r"[][]", "", line))))

    def synopsis(self):
        lines = [l for l in self.section("SYNOPSIS") if l.startswith("perf cstrace")]
        commands = set(subprocess.run([self.tool, "--list-cmds"], capture_output=True, text=True).stdout.split())
        named = {l.split()[2] for l in lines}
        self.case("synopsis has every command", None if named == commands - {"help"} else str(named ^ commands))
        for line in lines:
            if " live " in line or " check " in line or " record " in line:
                continue	# perf with another decoder: tests/interop; this machine: cli/check; of an Arm machine: cli/record
            for v in self.variants(line):
                self.case("synopsis: " + v, self.run(v, (0, 3) if " -s " in v else (0,)))

    def examples(self):
        """Those of commands that need no other files than these."""
        for name in ("profile", "report", "merge", "BEFORE AND AFTER"):
            text = self.section(name)
            end = next((i for i, l in enumerate(text) if l.startswith(".S")), len(text))
            lines = [l[len("host$ "):] for l in text[:end] if l.startswith("host$ ")]
            self.case("%s has examples" % name, None if lines else "none")
            for line in lines:
                self.case("example: " + line, self.run(line))

    # ---- words -----------------------------------------------------------------------------------

    def named_options(self):
        known = set(FOREIGN)
        for command in subprocess.run([self.tool, "--list-cmds"], capture_output=True, text=True).stdout.split():
            if command != "help":
                known |= self.options(command)
        for name, text in (("README.md", self.readme), ("Kconfig-notes.md", self.notes), (MAN, "\n".join(self.man))):
            ours = "\n".join(p for p in text.splitlines() if "perf record" not in p)
            used = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", ours))
            self.case("%s: options exist" % name, ", ".join(sorted(used - known)))

    def fields(self):
        text = " ".join(self.man)
        names = re.search(r"What to print of each: ([\w, ]+), with commas", text).group(1).split(", ")
        self.case("fields are listed", None if len(names) > 10 else str(names))
        for name in names:
            itrace = "i1000il4" if name.startswith("brstack") else "b"
            for form in ("ip,", "+", "-"):
                self.case("field %s%s" % (form, name), self.run(
                    "perf-cstrace script -i perf.data --itrace=%s -F %s%s" % (itrace, form, name)))
        shown = subprocess.run([self.tool, "script", "--help"], capture_output=True, text=True).stdout
        shown = re.search(r"Fields: ([\w\s]+);", shown).group(1).split()
        self.case("fields in --help", None if shown == names else "%s, not %s" % (shown, names))

    def letters(self):
        lines = self.section("ITRACE")
        heads = [lines[i + 1] for i, l in enumerate(lines[:-1]) if l == ".TP"]
        letters = [p.strip()[0] for h in heads for p in h.split(",")]
        help_ = subprocess.run([self.tool, "inject", "--help"], capture_output=True, text=True).stdout
        help_ = help_[help_.index("--itrace letters"):]
        for letter in letters:
            self.case("letter %s in --help" % letter,
                      None if re.search(r"(^|[ ,])%s(N|\[| )" % letter, help_, re.M) else help_)
            extra = {"s": "s5", "e": "e-ol", "l": "l8", "g": "g8"}.get(letter, letter)
            spec = extra + "i500i" if letter in "eslgZTALG" else "i100us" if letter == "i" else letter
            for command in ("inject", "script"):
                self.case("%s --itrace=%s" % (command, spec),
                          self.run("perf-cstrace %s -i perf.data --itrace=%s -o out" % (command, spec)))
        for unit in ("i", "t", "ns", "us", "ms"):
            self.case("period in %s" % unit,
                      self.run("perf-cstrace script -i perf.data --itrace=i1%s -o out" % unit))

    def formats(self):
        for command, text in (("profile", ("autofdo", "llvm", "bolt", "propeller", "callgrind", "lcov", "pprof", "folded", "top", "branch-list", "branch-list-zstd", "branch-list-old",
                                       "cstrace")), ("dump", ("text", "opencsd", "json", "none")),
                              ("info", ("text", "json"))):
            page = "\n".join(self.section(command)).split(".SS")[0]
            help_ = subprocess.run([self.tool, command, "--help"], capture_output=True, text=True).stdout
            for name in text:
                told = name in page and name in help_
                self.case("%s --format=%s" % (command, name), self.run(
                    "perf-cstrace %s -i perf.data --format=%s" % (command, name)) if told else "not in the texts")

    def files(self):
        names = set(re.findall(r"`([\w./-]+/|[\w./-]+\.(?:md|h|1))`", self.readme))
        under = {"lib/cstrace/", "include/cstrace-opencsd/", "share/perf-cstrace/", "unit/", "gen/", "golden/", "cli/", "fuzz/", "interop/"}
        missing = [n for n in names if not os.path.exists(n) and not os.path.exists(os.path.join("tests", n)) and
                   not os.path.exists(os.path.join("include/cstrace", n)) and n not in under]
        self.case("README: files exist", ", ".join(sorted(missing)))
        with open("Makefile") as f:
            makefile = f.read()
        targets = set(re.findall(r"\bmake ([a-z-]+)\b", "\n".join(re.findall(r"`[^`]*`|^    .*$", self.readme, re.M))))
        rules = set(" ".join(re.findall(r"^([a-z][a-z -]*):", makefile, re.M)).split())
        self.case("README: make targets exist", ", ".join(sorted(targets - rules)))
        self.case("README: demo and check are the two commands", None if {"demo", "check"} <= targets else str(targets))


def main():
    tool = os.environ["PERF_CSTRACE"]
    if not os.path.exists(SAMPLE):
        print("no " + SAMPLE)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        t = Texts(tool, folder)
        for group in (t.readme_lines, t.synopsis, t.examples, t.named_options, t.fields, t.letters, t.formats, t.files):
            group()
    print("1..%d" % t.number)
    return 1 if t.failed else 0


sys.exit(main())
