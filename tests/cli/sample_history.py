#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sample_history.py --tool PERF-CSTRACE --gen CST-GEN [--perf PERF] NAME:SEED...

inject --itrace=LG adds branch stacks and call chains to samples of other events. Recordings are those of `cst-gen scenario`, with
samples of three events at timestamps of the trace (pmu_samples.py): each stack has the newest branches that the thread executed
before the sample, as many as asked for or as are known, and all other fields stay. The output is the same for any number of
threads, and from a pipe; perf reads it. Speaks TAP.
"""
import argparse
import os
import re
import shutil
import struct
import subprocess
import sys

import scenarios
from tap import Bad, run_cases

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from auxdata import PerfData  # noqa: E402
from pmu_samples import BRANCH_STACK, CALLCHAIN, EVENT_BASE, EVENTS, IN_KERNEL, Sampled, Truth  # noqa: E402

STACK, CHAIN = 16, 8
USER, KERNEL = (1 << 64) - 512, (1 << 64) - 128
UNWIND = 64
LINE = re.compile(r"\s*(-?\d+)\s+\[(\d+)\]\s+(\S.*?)?\s+([0-9a-f]+) =>\s+([0-9a-f]+)\s*$")


def run(argv, **more):
    done = subprocess.run(argv, capture_output=True, check=False, **more)
    if done.returncode not in (0, 3, 5):
        raise Bad("exit %d: %s: %s" % (done.returncode, " ".join(map(str, argv)), done.stderr[-400:].decode()))
    return done


class Case:
    """A recording with samples, in a folder."""
    def __init__(self, args, word, folder):
        name, seed = word.split(":")
        self.args, self.folder = args, folder
        source, truth, symfs = (os.path.join(folder, n) for n in ("perf.data", "truth", "symfs"))
        run([args.gen, "scenario", name, "--case=" + seed, "--perf=" + source, "--truth=" + truth, "--symfs=" + symfs])
        expected = scenarios.Expected(truth)
        self.options = ["--symfs", symfs] + [o.replace("@", symfs) for o in expected.options]
        pids = {int(tid): int(pid) for tid, pid in expected.pids.items()}
        try:
            self.sampled = Sampled(source, Truth(truth, self.kinds_of(source)), pids)
        except ValueError as error:
            raise Bad(str(error))
        self.input = os.path.join(folder, "sampled.data")
        self.sampled.write(self.input)

    def kinds_of(self, source):
        """The flags of branches, as script lists them for each CPU and thread: what opcodes mean is not the matter here."""
        done = run([self.args.tool, "script", "-i", source, *self.options, "--itrace=b", "-F", "tid,cpu,flags,ip,addr"])
        found = {}
        for line in done.stdout.decode().splitlines():
            m = LINE.match(line)
            ends = m and (int(m[4], 16), int(m[5], 16))
            if m and all(ends):
                found.setdefault((int(m[2]), int(m[1])), []).append((*ends, (m[3] or "").split()[:1]))
        return found

    def inject(self, itrace, *more, source=None, name="out", **how):
        out = os.path.join(self.folder, name)
        done = run([self.args.tool, "inject", "-i", source or self.input, *self.options, "--itrace=" + itrace, "-o", out, *more], **how)
        return out, done


def newest(history, known, moment):
    """The branches of a sample, newest first: what the kernel executed until it wrote a sample of user code is left out."""
    stack, later = history[:-known - 1:-1] if known else [], moment.at
    for i, (source, to, _) in enumerate(stack):
        if to < IN_KERNEL or (moment.ip >= IN_KERNEL and (source < IN_KERNEL or to <= moment.ip <= later)):
            return [branch[:2] for branch in stack[i:i + STACK]]
        later = source
    return []


def chain_of(calls, ip):
    """As perf writes it: innermost first, without what the kernel called since the sample."""
    calls = list(calls)
    while calls and calls[-1] >= IN_KERNEL and calls[-1] != ip:
        calls.pop()
    chain, last = [], None
    for address in [ip] + calls[::-1]:
        context = KERNEL if address >= IN_KERNEL else USER
        more = [address] if context == last else [context, address]
        if len(chain) + len(more) > CHAIN + 1:
            break
        chain, last = chain + more, context
    return chain


class Calls:
    """The open calls of each thread."""
    def __init__(self):
        self.open, self.done = {}, {}

    def at(self, thread, history):
        calls, done = self.open.setdefault(thread, []), self.done.get(thread, 0)
        for source, to, kind in history[done:]:
            if kind == ["call"]:
                calls.append(source + 4)
            elif kind == ["return"] and to in calls[-UNWIND:]:
                while calls.pop() != to:
                    pass
        self.done[thread] = len(history)
        return calls


def pull(fmt, data, at):
    return struct.unpack_from(fmt, data, at), at + struct.calcsize(fmt)


def samples_of(path):
    """(event, number of the sample, fields before, chain, between, stack, behind) of the samples of the three events."""
    perf = PerfData(path)
    for kind, _, pos, size, _, _ in perf.records():
        if kind != 9:
            continue
        data = perf.bytes[pos + 8:pos + size]
        event = struct.unpack_from("<Q", data)[0] - EVENT_BASE
        if not 0 <= event < len(EVENTS):
            continue
        yield event, data


def split(event, data, parts):
    """Takes a sample apart: what is between the added fields must have the length of `parts`."""
    head, chain, between, behind = parts
    at = len(head)
    (n,), at = pull("<Q", data, at)
    have, at = pull("<%dQ" % n, data, at)
    mid, at = data[at:at + len(between)], at + len(between)
    (n,), at = pull("<Q", data, at)
    stack = [struct.unpack_from("<QQ", data, at + 24 * i) for i in range(n)]
    at += 24 * n
    own = struct.pack("<%dQ" % (len(have) + 1), len(have), *have)
    return data[:len(head)] + (own if chain else b"") + mid + data[at:], have, stack


def check_samples(case, path):
    """All samples of a file against the truth. Returns their number and that of full stacks."""
    want, calls, full, seen = case.sampled.expected, Calls(), 0, set()
    by_bytes = {}
    for number, entry in want.items():
        by_bytes[entry.parts[0]] = number
    for number, entry in want.items():
        entry.calls = chain_of(calls.at(entry.moment.thread, entry.history), entry.moment.ip)
    for event, data in samples_of(path):
        number = next((by_bytes[data[:n]] for n in {len(e.parts[0]) for e in want.values()} if data[:n] in by_bytes), None)
        if number is None:
            raise Bad("a sample of %s that was not recorded: %s" % (EVENTS[event][0], data[:64].hex()))
        seen.add(number)
        entry = want[number]
        rest, chain, stack = split(event, data, entry.parts)
        if rest != b"".join(entry.parts):
            raise Bad("sample %d: fields are %s, they were %s" % (number, rest.hex(), b"".join(entry.parts).hex()))
        expected = newest(entry.history, max(entry.known, len(stack)), entry.moment)
        if stack != expected:
            raise Bad("sample %d of thread %d at %d, ip %x:\nhas    %s\nwanted %s" % (
                number, entry.moment.thread, entry.moment.time, entry.moment.ip, [tuple(map(hex, e)) for e in stack],
                [tuple(map(hex, e)) for e in expected]))
        if not EVENTS[event][3] & CALLCHAIN and list(chain) != entry.calls:
            raise Bad("sample %d of thread %d at %d: chain %s, wanted %s" % (
                number, entry.moment.thread, entry.moment.time, list(map(hex, chain)), list(map(hex, entry.calls))))
        full += len(stack) == STACK
    if len(seen) != len(want):
        raise Bad("%d samples of %d" % (len(seen), len(want)))
    return len(want), full


def truth(args, word, folder):
    case = Case(args, word, folder)
    out, done = case.inject("L%dG%d" % (STACK, CHAIN), "-j", "1")
    count, full = check_samples(case, out)
    said = re.search(r"(\d+) samples of other events; branch stacks: (\d+) full", done.stderr.decode())
    if not said or int(said[1]) < count or int(said[2]) < full:
        raise Bad("it says: " + done.stderr.decode()[:400])
    with open(out, "rb") as f:
        one = f.read()
    for jobs in "2", "3", "8":
        more, _ = case.inject("L%dG%d" % (STACK, CHAIN), "-j", jobs, name="more")
        with open(more, "rb") as f:
            if f.read() != one:
                raise Bad("-j %s writes another file" % jobs)
    return "%d samples, %d with full stacks" % (count, full)


def perf_lines(args, path, *options, data=None):
    """Lines of perf script, which prints the names of the addresses of a call chain or not."""
    text = run([args.perf, "script", "-i", path, *options], input=data).stdout.decode()
    return text.replace(" [unknown]", "").splitlines()


def in_perf(args, word, folder):
    """What perf shows of the samples is what it showed before, but for the stacks; -z and pipes say the same."""
    case = Case(args, word, folder)
    out, _ = case.inject("L4")
    fields = "comm,pid,tid,cpu,time,event,ip,period"
    before = perf_lines(args, case.input, "--no-itrace", "--ns", "-F", fields)
    after = perf_lines(args, out, "--ns", "-F", fields)
    if before != after or len(before) < 100:
        raise Bad("perf lists %d lines, it was %d: %s" % (len(after), len(before), [p for p in zip(before, after) if p[0] != p[1]][:2]))
    stacks = perf_lines(args, out, "--ns", "-F", fields + ",brstack")
    entries = [len(re.findall(r"0x[0-9a-f]+/0x[0-9a-f]+/", line)) for line in stacks]
    if max(entries) != 4 or not sum(entries):
        raise Bad("stacks of %d entries" % max(entries))
    deep, _ = case.inject("L64", name="deep")
    longest = max(len(re.findall(r"0x[0-9a-f]+/0x[0-9a-f]+/", line)) for line in perf_lines(args, deep, "-F", "ip,brstack"))
    if longest != 64:
        raise Bad("stacks of up to %d entries, not 64" % longest)
    for how, path in (("-z", case.inject("L4", "-z", name="packed")[0]), ("hw-index", case.inject("L4", "--hw-index", name="index")[0])):
        if perf_lines(args, path, "--ns", "-F", fields + ",brstack") != stacks:
            raise Bad("with %s perf lists other lines" % how)
    symfs = case.options[:2]
    for options in ([*symfs, "--branch-history"], ["--branch-stack"], ["-b", "--sort=dso_from,dso_to"]):
        report = run([args.perf, "report", "-i", out, "--stdio", *options]).stdout.decode()
        if not re.search(r"^ +[0-9.]+%", report, re.M):
            raise Bad("perf report %s: %s" % (options, report[:300]))
    return "%d lines, %d branches" % (len(after), sum(entries))


def pipes(args, word, folder):
    """From a pipe and to one: perf lists the same."""
    case = Case(args, word, folder)
    out, _ = case.inject("L8G")
    want = perf_lines(args, out, "--ns", "-F", "tid,time,ip,brstack")
    piped = os.path.join(folder, "piped")
    case.sampled.write_pipe(piped)
    with open(piped, "rb") as f:
        through, _ = case.inject("L8G", source="-", name="through", stdin=f)
    done = run([args.tool, "inject", "-i", case.input, *case.options, "--itrace=L8G"])
    for path, data in ((through, None), ("-", done.stdout)):
        have = perf_lines(args, path, "--ns", "-F", "tid,time,ip,brstack", data=data)
        if have != want or len(want) < 100:
            raise Bad("perf lists %d lines of %s, not %d: %s" % (len(have), path, len(want), [p for p in zip(have, want) if p[0] != p[1]][:1]))
    return "%d lines" % len(want)


def filtered(args, word, folder):
    """A filter takes history away and nothing else: each stack is a part of the one without the filter, from its newest entry on."""
    case = Case(args, word, folder)
    whole = dict(stacks_of(case, case.inject("L16G8")[0]))
    times = sorted(e.moment.time for e in case.sampled.expected.values())
    middle = "%d.%09d," % divmod(10 ** 9 + times[len(times) // 2], 10 ** 9)
    threads = sorted({e.moment.thread for e in case.sampled.expected.values()})
    said = []
    for option in ("--time=" + middle, "--cpu=0", "--tid=%d" % threads[0]):
        part = dict(stacks_of(case, case.inject("L16G8", option, name="part")[0]))
        if part.keys() != whole.keys():
            raise Bad("%s: %d samples, not %d" % (option, len(part), len(whole)))
        if any(stack != whole[number][:len(stack)] for number, stack in part.items()):
            raise Bad("%s: another stack" % option)
        some = sum(bool(s) for s in part.values())
        if not 0 < some < sum(bool(s) for s in whole.values()):
            raise Bad("%s: %d stacks of %d have entries" % (option, some, len(part)))
        said.append(str(some))
    return "with entries: " + ", ".join(said)


def stacks_of(case, path):
    for event, data in samples_of(path):
        for number, entry in case.sampled.expected.items():
            if data.startswith(entry.parts[0]):
                yield number, split(event, data, entry.parts)[2]
                break


def timeless(args, word, folder):
    """Without times nothing is known: empty stacks, which is said."""
    case = Case(args, word, folder)
    out, done = case.inject("L16G8Z")
    if any(stack for _, stack in stacks_of(case, out)):
        raise Bad("a stack has entries")
    if "both need timestamps" not in done.stderr.decode():
        raise Bad("it says: " + done.stderr.decode())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gen", required=True)
    parser.add_argument("--perf", default="perf")
    parser.add_argument("names", nargs="+")
    args = parser.parse_args()
    cases = [(word, lambda folder, w=word: truth(args, w, folder)) for word in args.names]
    cases += [("filters: two-cpus", lambda folder: filtered(args, "two-cpus:3", folder)),
              ("without times", lambda folder: timeless(args, "threads:1", folder))]
    for name, case in (("perf: threads:1", in_perf), ("pipes: threads:1", pipes)):
        word = name.split()[1]
        known = shutil.which(args.perf)
        cases.append((name if known else name + " # SKIP no perf", known and (lambda folder, c=case, w=word: c(args, w, folder))))
    return run_cases(cases)


if __name__ == "__main__":
    sys.exit(main())
