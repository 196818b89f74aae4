# SPDX-License-Identifier: BSD-3-Clause
"""Runs the man page's EXAMPLES. Each has a recording, named in a comment of the page's source: the shipped
sample, or a scenario of cst-gen with the files of its machine in `root`. The lines of the host are run as they
stand there, one after the other, in a folder that holds the recording; those of the target are checked against
perf's own list of options. A line that lists branches must list exactly those that were executed."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests/cli")
import scenarios

MAN = "perf-plugin/man/perf-cstrace.1"
SEEDS = range(1, 13 if os.environ.get("CSTRACE_NIGHTLY") else 3)
BRANCHES = "-F pid,tid,cpu,ip,addr"


class Example:
    def __init__(self, title):
        self.title, self.recording, self.target, self.host = title, None, [], []


def read_examples():
    examples, inside = [], False
    for line in open(MAN):
        line = re.sub(r"\\f.", "", line.rstrip("\n")).replace(r"\-", "-").replace(r"\&", "").replace(r"\e", "\\")
        if line.startswith(".SH"):
            inside = line == ".SH EXAMPLES"
        elif inside and line.startswith(".SS"):
            examples.append(Example(line[3:].strip(' "')))
        elif inside and line.startswith('.\\" recording: '):
            examples[-1].recording = line.split(": ")[1]
        elif inside and re.match(r"target[$#] ", line):
            examples[-1].target.append(line[8:])
        elif inside and line.startswith("host$ "):
            examples[-1].host.append(line[6:])
    return examples


class Runner:
    def __init__(self):
        self.number = self.failed = 0
        self.tool, self.gen = (os.path.abspath(os.environ[n]) for n in ("PERF_CSTRACE", "CST_GEN"))
        self.perf = shutil.which("perf")

    def case(self, title, problem, skip=None):
        self.number += 1
        self.failed += bool(problem)
        print("%s %d %s%s" % ("not ok" if problem else "ok", self.number, "# SKIP %s: " % skip if skip else "- ",
                              title))
        for line in (problem or "").splitlines():
            print("# " + line)

    def prepare(self, example, seed, folder):
        """The folder as it is after copying; what was executed, None for the sample."""
        if example.recording == "sample":
            shutil.copy("tests/data/sample.perf.data", os.path.join(folder, "perf.data"))
            shutil.copytree("tests/data/symfs", os.path.join(folder, "root"))
            return None
        truth = os.path.join(folder, "truth")
        done = scenarios.run([self.gen, "scenario", example.recording, "--case", str(seed), "--perf",
                              os.path.join(folder, "perf.data"), "--truth", truth, "--symfs",
                              os.path.join(folder, "root")])
        if done.returncode:
            raise scenarios.Bad(done.stderr.decode())
        want = scenarios.Expected(truth)
        if want.events:
            with open(os.path.join(folder, "asid.log"), "w") as f:
                f.writelines(text + "\n" for _, text in sorted(want.events))
        return want

    def host_line(self, line, folder, want):
        env = dict(os.environ, HOME=folder, PATH=os.path.dirname(self.tool) + ":" + os.environ["PATH"])
        words = line.replace("perf cstrace", "perf-cstrace", 1) if not self.perf else line
        done = subprocess.run(["sh", "-ec", words], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60)
        err = done.stderr.decode("utf-8", "replace")
        if done.returncode:
            raise scenarios.Bad("%s: exit %d: %s" % (line, done.returncode, err[-600:]))
        out = done.stdout.decode("utf-8", "replace")
        written = re.search(r" -o (\S+)", line)
        if line.startswith("perf") and not (os.path.getsize(os.path.join(folder, written.group(1))) if written else out.strip()):
            raise scenarios.Bad(line + ": nothing came out")
        if want and BRANCHES in line:
            scenarios.compare(want, scenarios.read_branches(out, want))
        return bool(want and BRANCHES in line)

    def host(self, example):
        compared = 0
        for seed in SEEDS if example.recording != "sample" else [0]:
            with tempfile.TemporaryDirectory(prefix="example.") as folder:
                try:
                    want = self.prepare(example, seed, folder)
                    for line in example.host:
                        if line.startswith("perf report") and not self.perf:
                            continue
                        compared += self.host_line(line, folder, want)
                except (scenarios.Bad, OSError, subprocess.TimeoutExpired) as problem:
                    return "recording %s, seed %d: %s" % (example.recording, seed, problem)
        if example.recording != "sample" and not compared:
            return "no line lists the branches"
        return None

    def target(self, line):
        """perf must know the command and its options."""
        for part in line.split(" | "):
            words = shlex.split(part)
            if words[0] != "perf":
                continue
            if words[1] == "archive":
                continue
            usage = subprocess.run([self.perf, words[1], "-h"], capture_output=True, text=True)
            usage = usage.stdout + usage.stderr
            if "Usage" not in usage:
                return "perf has no command " + words[1]
            for w in words[2:]:
                if w == "--":
                    break
                name = re.match(r"(--[a-z-]+|-[a-zA-Z])", w)
                if name and not re.search(r"(^|[\s,])%s\b" % re.escape(name.group(1)), usage, re.M):
                    return "perf %s has no option %s" % (words[1], name.group(1))
        return None

    def run(self):
        examples = read_examples()
        self.case("the page has examples", None if len(examples) >= 4 else "found %d" % len(examples))
        for e in examples:
            complete = e.recording and e.target and e.host
            self.case(e.title, self.host(e) if complete else "it lacks a recording, a target line or a host line")
            for line in e.target:
                if self.perf:
                    self.case("target: " + line, self.target(line))
                else:
                    self.case("target: " + line, None, "perf is not installed")


def main():
    runner = Runner()
    runner.run()
    print("1..%d" % runner.number)
    return 1 if runner.failed else 0


sys.exit(main())
