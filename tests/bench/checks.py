# SPDX-License-Identifier: BSD-3-Clause
"""Whether two commands that were measured came to the same. Each check takes the last runs by name and returns what is
wrong, a list of texts."""
import filecmp
import lzma
import os
import re
import subprocess
import sys


def same_numbers(ours, peer, keys):
    """Counts that both print as lines "name number"; OpenCSD's elements are in capitals."""
    def check(runs):
        a, b = runs[ours].numbers(), runs[peer].numbers()
        if "INSTR_RANGE" in b:
            b.update(ranges=b["INSTR_RANGE"], elements=sum(n for name, n in b.items() if name.isupper()))
        return ["%s: ours %s, peer %s" % (key, a.get(key), b.get(key)) for key in keys
                if a.get(key) is None or a[key] != b.get(key)]
    return check


def same_files(one, other):
    def check(runs):
        a, b = runs[one].job.out, runs[other].job.out
        return [] if os.path.getsize(a) and filecmp.cmp(a, b, shallow=False) else ["%s and %s differ" % (a, b)]
    return check


def same_text(one, other):
    def check(runs):
        a, b = runs[one].text, runs[other].text
        return [] if a and a == b else ["the outputs differ"]
    return check


def sampled_instructions(path):
    """How many instructions the samples of a perf.data file stand for: the sum of their periods."""
    done = subprocess.run(["perf", "script", "-i", path, "-F", "period"], stdin=subprocess.DEVNULL, capture_output=True)
    return sum(int(word) for word in done.stdout.split())


def sampled(ours, peer, source):
    """The samples stand for every instruction that was executed; the peer may lose the end of an AUX fragment."""
    def check(runs):
        a, b = (sampled_instructions(runs[who].job.out) for who in (ours, peer))
        bad = [] if a == source.instructions else ["samples of %d instructions, %d executed" % (a, source.instructions)]
        return bad + ([] if abs(b - a) <= a // 1000 else ["samples of %d instructions, the peer's of %d" % (a, b)])
    return check


def samples(path):
    text = subprocess.run(["perf", "report", "--stats", "-i", path], capture_output=True, text=True).stdout
    found = re.search(r"SAMPLE events:\s*(\d+)", text)
    return int(found.group(1)) if found else 0


def read_profile(path):
    """AutoFDO text: ranges and branches with their counts."""
    with open(path) as f:
        lines = f.read().split("\n")
    at, ranges, branches = 1 + int(lines[0]), {}, {}
    for line in lines[1:at]:
        place, count = line.split(":")
        ranges[tuple(int(x, 16) for x in place.split("-"))] = int(count)
    at += 1 + int(lines[at])
    for line in lines[at + 1:at + 1 + int(lines[at])]:
        place, count = line.split(":")
        branches[tuple(int(x, 16) for x in place.split("->"))] = int(count)
    return ranges, branches


def profiled(ours, source):
    """Every instruction of the text is one that was decoded, and all that were executed were decoded."""
    def check(runs):
        ranges, _ = read_profile(runs[ours].job.out)
        text = runs[ours].err
        total = int(re.search(r"([\d,]+) instructions", text).group(1).replace(",", ""))
        inside = int(re.search(r"edges, (\d+) instructions", text).group(1))
        count = sum(((last - first) // 4 + 1) * n for (first, last), n in ranges.items())
        bad = [] if total == source.instructions else ["%d instructions, %d executed" % (total, source.instructions)]
        return bad + ([] if count == inside else ["%d instructions in the text, %d decoded" % (count, inside)])
    return check


def executed_edges(source):
    """Of truth set 26: branches inside cc1, which lies at its file offsets from 0x400000 on."""
    counts, first, last = {}, 0x400000, 0x400000 + 0x1a9e000
    folder = os.path.join(os.path.dirname(source.perf), "truth")
    for name in os.listdir(folder):
        if name.startswith("branches"):
            with lzma.open(os.path.join(folder, name), "rt") as f:
                for line in f:
                    counts[line] = counts.get(line, 0) + 1
    edges = {}
    for line, n in counts.items():
        a, b = (int(x, 16) for x in line.split())
        if first <= a < last and first <= b < last:
            edges[a - first, b - first] = n
    return edges


def profiled_as_executed(ours, source):
    """Edge by edge against what was executed."""
    def check(runs):
        bad = profiled(ours, source)(runs)
        got, want = read_profile(runs[ours].job.out)[1], executed_edges(source)
        got = {edge: n for edge, n in got.items() if edge[1]}
        wrong = sum(got.get(edge) != n for edge, n in want.items()) + sum(edge not in want for edge in got)
        return bad + (["%d of %d edges differ from those executed" % (wrong, len(want))] if wrong else [])
    return check


def both_ends(path):
    """Lines of `script --itrace=b -F pid,tid,cpu,ip,addr` with two addresses: branches."""
    done = subprocess.run(["grep", "-cvE", r" 0 => | 0$"], stdin=open(path), capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL="C"))
    return int(done.stdout)


def listed(ours, peer, source):
    """All branches that were executed; the peer loses some before interrupts."""
    def check(runs):
        a, b = both_ends(runs[ours].job.out), both_ends(runs[peer].job.out)
        bad = [] if a == source.branches else ["%d branches, %d executed" % (a, source.branches)]
        return bad + ([] if abs(b - a) <= a // 1000 else ["%d branches, the peer has %d" % (a, b)])
    return check


def listed_as_executed(tool, source):
    """Branch for branch, of truth set 26."""
    def check(_runs):
        lister = subprocess.Popen([tool, "script", *source.options(), "--itrace=b", "-F", "pid,tid,cpu,ip,addr"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        folder = os.path.dirname(source.perf)
        done = subprocess.run([sys.executable, os.path.join(os.path.dirname(folder), "compare"), folder],
                              stdin=lister.stdout, capture_output=True, text=True)
        lister.stdout.close()
        lister.wait()
        return ["branches differ from those executed: " + done.stdout + done.stderr] if done.returncode else []
    return check


def all_of(*checks):
    return lambda runs: [problem for check in checks for problem in check(runs)]
